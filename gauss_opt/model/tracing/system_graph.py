"""A whole system as CasADi graphs: mass, forces, kinematics and every constraint row.

What needs no derivative and cannot be traced (a force with branches, say) is kept as the function
it is, to be called directly.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ...base.arrays import Array
from ...base.errors import ModelError, TraceError
from .constraint_graphs import RowGraphs, constraint_graphs
from .user_function import Symbols, UserFunction

if TYPE_CHECKING:
    from ..system import System

__all__ = [
    "NEED_NO_DERIVATIVE",
    "SystemGraph",
    "free_motion",
    "system_graph",
    "with_ideal_force",
]

log = logging.getLogger(__name__)

# How deep two entries of the mass are compared, operation by operation.
SAME_DEPTH = 5

# Condition of a mass, scaled to a unit diagonal, up to which its inverse is used.
WELL_CONDITIONED = 1e4

# What could not be traced is called directly: these need no derivative.
NEED_NO_DERIVATIVE = ("mass", "force", "nonideal")


@dataclass(eq=False)
class SystemGraph:
    """Graphs by name, and the functions that are not graphs.

    Attributes
    ----------
    symbols : Symbols
        The inputs of all graphs.
    rows : RowGraphs
    graphs : dict
        ``mass``, ``force``, ``nonideal``, ``N``, ``qdot``, as far as there are any, and what is
        there to be compared with the functions only: ``short mass``, ``potential``.
    traced : dict
        The function behind a graph, by the graph's name.
    direct : dict
        Functions to call directly: ``mass``, ``force``, ``nonideal``.
    constant_mass : (nv, nv) array or None
    symmetric_mass : bool
        Whether entries of the mass below the diagonal are copies of those above it.
    potential : UserFunction or None
    wants_ideal : UserFunction or None
        The non-ideal force, where it takes the ideal force.
    coordinates : sequence of str or None
        Names of the coordinates whose rates the velocities are, for messages.
    """

    symbols: Symbols
    rows: RowGraphs
    constant_mass: Array | None
    graphs: dict[str, Any] = field(default_factory=dict)
    traced: dict[str, UserFunction] = field(default_factory=dict)
    direct: dict[str, UserFunction] = field(default_factory=dict)
    symmetric_mass: bool = False
    potential: UserFunction | None = None
    wants_ideal: UserFunction | None = None
    coordinates: Sequence[str] | None = None

    def add(self, name: str, graph: Any, function: UserFunction | None = None) -> None:
        """A graph, and the function it comes from."""
        self.graphs[name] = graph
        if function is not None:
            self.traced[name] = function

    def direct_functions(self) -> list[tuple[UserFunction, tuple[int, ...] | None]]:
        """Functions that are called as they are, with the shape each must return (mass: any)."""
        nv = self.symbols.v.shape[0]
        found: list[tuple[UserFunction, tuple[int, ...] | None]] = [
            (user, None if label == "mass" else (nv,)) for label, user in self.direct.items()
        ]
        if self.wants_ideal is not None:
            found.append((self.wants_ideal, (nv,)))
        if self.potential is not None:
            found.append((self.potential, ()))
        return found


def system_graph(system: System, nq: int, nv: int, untraceable: set[str]) -> SystemGraph:
    """Trace a system of this size, but for the functions labelled ``untraceable``."""
    known = system.parameters
    symbols = Symbols(nq, nv, known)
    kinematics = _kinematics(system, symbols, nq, nv)
    q_dot = symbols.v if kinematics is None else kinematics[0] @ symbols.v
    graph = SystemGraph(symbols, constraint_graphs(system, symbols, q_dot), _constant(system, nv))
    graph.coordinates = system.velocity_coordinates
    if kinematics is not None:
        graph.add("N", kinematics[0], kinematics[1])
        graph.add("qdot", q_dot)
    if callable(system.mass):
        _add_mass(graph, UserFunction.of("mass", system.mass, ("q", "t"), known), nv, untraceable)
    if system.potential is not None:
        graph.potential = UserFunction.of("potential", system.potential, ("q", "t"), known)
    if callable(system.force):
        force = UserFunction.of("force", system.force, ("q", "v", "t"), known)
        _add_force(graph, force, nv, untraceable)
    else:
        graph.add("force", _constant_force(system, graph, nv))
    if system.nonideal is not None:
        graph.wants_ideal = with_ideal_force(system.nonideal, known)
        if graph.wants_ideal is None:
            nonideal = UserFunction.of("nonideal", system.nonideal, ("q", "v", "t"), known)
            _add_force(graph, nonideal, nv, untraceable)
    return graph


def _constant(system: System, nv: int) -> Array | None:
    """The mass as a matrix, where it is no function."""
    if callable(system.mass):
        return None
    constant: Array = system.mass * np.eye(nv) if system.mass.ndim == 0 else system.mass
    constant.setflags(write=False)
    return constant


def _kinematics(
    system: System, symbols: Symbols, nq: int, nv: int
) -> tuple[Any, UserFunction] | None:
    """N, unless q' = v."""
    if system.kinematics is None:
        return None
    user = UserFunction.of("kinematics", system.kinematics, ("q",), system.parameters)
    N, _ = user.trace(symbols)
    if N.shape != (nq, nv):
        raise ModelError(f"kinematics must return shape ({nq}, {nv}), got {N.shape}")
    return N, user


def _attempt(graph: SystemGraph, user: UserFunction, untraceable: set[str]) -> Any:
    """The traced value and its number of dimensions, or None for a function to call directly."""
    try:
        if user.label in untraceable:
            raise TraceError("its trace differs from its value")
        return user.trace(graph.symbols)
    except TraceError as error:
        log.info("%s is called directly: %s", user.label, error)
        graph.direct[user.label] = user
        return None


def _add_mass(graph: SystemGraph, user: UserFunction, nv: int, untraceable: set[str]) -> None:
    traced = _attempt(graph, user, untraceable)
    if traced is None:
        return
    value, ndim = traced
    if ndim == 0:
        full = value * ca.SX.eye(nv)
    elif ndim == 1 and value.shape == (nv, 1):
        full = ca.diag(value)
    else:
        full = value
    if full.shape != (nv, nv):
        raise ModelError(f"mass must return shape {(nv, nv)}, got {_shape(value, ndim)}")
    full, graph.symmetric_mass = _share_symmetric(full)
    graph.add("mass", full, user if ndim == 2 else None)
    if ndim < 2:
        graph.add("short mass", value, user)


def _add_force(graph: SystemGraph, user: UserFunction, nv: int, untraceable: set[str]) -> None:
    traced = _attempt(graph, user, untraceable)
    if traced is None:
        return
    value, ndim = traced
    if value.shape != (nv, 1) or ndim > 1:
        raise ModelError(f"{user.label} must return shape {(nv,)}, got {_shape(value, ndim)}")
    graph.add(user.label, value, user)


def _shape(value: Any, ndim: int) -> tuple[int, ...]:
    return tuple(value.shape) if ndim == 2 else ((value.shape[0],) if ndim else ())


def _constant_force(system: System, graph: SystemGraph, nv: int) -> Any:
    """The force that is not a function: a constant, the potential's, or none."""
    if system.force is not None:
        if system.force.shape != (nv,):
            raise ModelError(f"force must have shape ({nv},), got {system.force.shape}")
        return ca.SX(system.force)
    potential = graph.potential
    if potential is None:
        return ca.SX.zeros(nv)
    try:
        energy, ndim = potential.trace(graph.symbols)
    except TraceError as error:
        raise TraceError(f"{error}; or give force= as well") from error
    if ndim:
        raise ModelError(f"potential must return a number, got shape {energy.shape}")
    graph.add("potential", energy, potential)
    N = graph.graphs.get("N", ca.SX.eye(nv))
    return -(N.T @ ca.gradient(energy, graph.symbols.q))


def with_ideal_force(nonideal: Any, known: Mapping[str, Any]) -> UserFunction | None:
    """The non-ideal force as a function that also takes the ideal force, if it does.

    A fourth argument is the ideal force unless it is a parameter of the system or has a default.
    """
    if not callable(nonideal):
        return None
    try:
        signature = inspect.signature(nonideal).parameters.values()
    except (TypeError, ValueError):  # functions written in C have no signature
        return None
    positional = [p for p in signature if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    if len(positional) < 4 or positional[3].name in known:
        return None
    if positional[3].default is not positional[3].empty:
        return None
    return UserFunction.of("nonideal", nonideal, ("q", "v", "t", "ideal_force"), known)


def _share_symmetric(mass: Any) -> tuple[Any, bool]:
    """The mass with entries that differ only in the order of operands computed once.

    Sums and products do not depend on that order, to the last bit. Also whether all entries
    below the diagonal are such copies of those above it.
    """
    mass = ca.cse(mass)
    symmetric = True
    for i in range(mass.shape[0]):
        for j in range(i):
            if ca.is_equal(mass[i, j], mass[j, i], SAME_DEPTH):
                mass[i, j] = mass[j, i]
            else:
                symmetric = False
    return mass, symmetric


def free_motion(graph: SystemGraph) -> Any:
    """(q', M^-1 Q) as one graph, when the inverse of the mass is accurate."""
    mass, graphs = graph.constant_mass, graph.graphs
    if mass is None or "force" not in graphs or graph.wants_ideal is not None:
        return None
    if "nonideal" in graphs or "nonideal" in graph.direct:
        return None
    inverse = _accurate_inverse(mass)
    if inverse is None:
        return None
    q_dot = graphs.get("qdot", graph.symbols.v)
    return ca.densify(ca.cse(ca.vertcat(q_dot, inverse @ graphs["force"])))


def _accurate_inverse(mass: Array) -> Any:
    """The inverse of a mass, or None where it is not accurate."""
    size = np.sqrt(mass.diagonal())
    if (size == 0).any():
        return None
    if np.count_nonzero(mass) == len(size):  # diagonal: scaled, it is the identity
        return ca.diag(ca.SX(1.0 / (mass.diagonal() / (size * size)) / (size * size)))
    scaled = mass / np.outer(size, size)
    if np.linalg.cond(scaled) > WELL_CONDITIONED:
        return None
    return ca.SX(np.linalg.inv(scaled) / np.outer(size, size))
