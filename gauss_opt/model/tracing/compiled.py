"""All functions of a system in one CasADi call: values, Jacobians and biases, exactly.

Tracing and the comparison of each trace with its function happen here, once for each size of a
system; parameters are arguments of the compiled function, so changing them costs nothing.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError, ModelError, TraceError
from ..rows import Block, Layout
from .buffered import BufferedFunction, SampledFunction
from .constraint_graphs import constraint_rows
from .user_function import NOISE, Symbols, UserFunction, agree, probe_points

if TYPE_CHECKING:
    from ..system import System

__all__ = ["Block", "Compiled", "Layout", "compile_system"]

log = logging.getLogger(__name__)

# How deep two entries of the mass are compared, operation by operation.
SAME_DEPTH = 5

# Condition of a mass, scaled to a unit diagonal, up to which its inverse is used.
WELL_CONDITIONED = 1e4


@dataclass(eq=False)
class Compiled:
    """The traced functions of a system for one size, with the buffers they write into.

    What could not be traced (a force with branches, derivatives given by hand) is listed in
    ``direct``, ``by_hand`` and called by :func:`gauss_opt.evaluate`. ``free_flow`` is (q', v')
    without any constraint, for a constant mass and a traced force; ``samples`` gives values and
    rates of all rows at many states.
    """

    nq: int
    nv: int
    layout: Layout
    constant_mass: Array | None
    slices: dict[str, slice]
    direct: dict[str, UserFunction]
    by_hand: tuple[Block, ...]
    hand_functions: dict[str, dict[str, UserFunction]]
    switches: tuple[tuple[Block, UserFunction], ...]
    potential: UserFunction | None
    wants_ideal: UserFunction | None
    traced: tuple[tuple[UserFunction, slice], ...]
    function: BufferedFunction
    samples: SampledFunction
    free_flow: BufferedFunction | None = None
    symmetric_mass: bool = False
    count: int = 0

    def run(self, q: Array, v: Array, t: float, parameters: Mapping[str, Any]) -> Array:
        """All traced values at a state, as one flat array of its own; see ``slices``."""
        return self.function(q, v, t, parameters)

    def disagreement(
        self, q: Array, v: Array, t: float, parameters: Mapping[str, Any]
    ) -> tuple[UserFunction, str] | None:
        """The first traced function whose plain value differs at a state, and how."""
        out = self.run(q, v, t, parameters)
        arguments = {"q": q, "v": v, "t": t}
        noise: Array | None = None
        for function, part in self.traced:
            plain = function.probe(arguments, parameters)
            if plain is None or agree(plain, out[part]):
                continue
            if noise is None:
                noise = self._noise(out, q, v, t, parameters)
            if not agree(plain, out[part], noise[part]):
                return function, function.difference(plain, out[part], arguments)
        return None

    def _noise(
        self, out: Array, q: Array, v: Array, t: float, parameters: Mapping[str, Any]
    ) -> Array:
        """What a change of the arguments by NOISE, relative, does to the values."""
        rng = np.random.default_rng(0)
        noise = np.zeros(len(out))
        for _ in range(4):
            q1, v1, t1 = (x * (1.0 + NOISE * rng.uniform(-1, 1, np.shape(x))) for x in (q, v, t))
            moved = {
                name: value * (1.0 + NOISE * rng.uniform(-1, 1, np.shape(value)))
                for name, value in parameters.items()
            }
            noise = np.fmax(noise, np.abs(self.run(q1, v1, float(t1), moved) - out))
        return noise


def compile_system(system: System, nq: int, nv: int) -> Compiled:
    """Trace everything a system consists of, and compare the traces with the functions."""
    untraceable: set[str] = set()
    while True:
        compiled = _compile(system, nq, nv, untraceable)
        failed = _first_disagreement(compiled, system.parameters)
        if failed is None:
            _probe_plain(compiled, system.parameters)
            return compiled
        function, difference = failed
        if function.label not in _FALL_BACK:
            raise TraceError(difference)
        log.warning("%s; it is called directly instead", difference)
        untraceable.add(function.label)


_FALL_BACK = ("mass", "force", "nonideal")
"""Functions that need no derivative, and are called directly when they cannot be traced."""


def _compile(system: System, nq: int, nv: int, untraceable: set[str]) -> Compiled:
    symbols = Symbols(nq, nv, system.parameters)
    known = system.parameters
    graph = _Graph()
    direct: dict[str, UserFunction] = {}
    q_dot, N = _velocity_map(system, symbols, nq, nv, graph)

    symmetric_mass = False

    def add(label: str, function: Any, takes: str, shape: tuple[int, ...]) -> None:
        nonlocal symmetric_mass
        user = UserFunction.of(label, function, tuple(takes), known)
        try:
            if label in untraceable:
                raise TraceError("its trace differs from its value")
            value, ndim = user.trace(symbols)
        except TraceError as error:
            log.info("%s is called directly: %s", label, error)
            direct[label] = user
            return
        shaped = _shaped(label, value, ndim, shape)
        if label == "mass":
            shaped, symmetric_mass = _share_symmetric(shaped)
        if label == "mass" and ndim < 2:
            graph.add(label, shaped, None)
            graph.add("short mass", value, user)
        else:
            graph.add(label, shaped, user)

    constant = None
    if callable(system.mass):
        add("mass", system.mass, "qt", (nv, nv))
    else:
        constant = system.mass * np.eye(nv) if system.mass.ndim == 0 else system.mass
        constant.setflags(write=False)
    potential = None
    if system.potential is not None:
        potential = UserFunction.of("potential", system.potential, ("q", "t"), known)
    if callable(system.force):
        add("force", system.force, "qvt", (nv,))
    else:
        graph.add("force", _constant_force(system, symbols, potential, N, nv, graph), None)
    wants_ideal = None
    if system.nonideal is not None:
        wants_ideal = _with_ideal_force(system.nonideal, known)
        if wants_ideal is None:
            add("nonideal", system.nonideal, "qvt", (nv,))
    rows = constraint_rows(system, symbols, q_dot, nv)
    for name, column in rows.stacked.items():
        graph.add(name, column, None)
    offset = graph.slices["value"].start
    for user, part in rows.traced:
        graph.traced.append((user, slice(offset + part.start, offset + part.stop)))
    if system.kinematics is not None:
        graph.add("qdot", q_dot, None)
    inputs = [symbols.q, symbols.v, symbols.t, symbols.p]
    # cse: mass, force and every derivative share their sines, cosines and differences.
    outputs = ca.cse(ca.densify(ca.vertcat(*graph.columns)))
    values = graph.values
    sampled = ca.vertcat(values["value"], values["rate"])
    free = None
    if constant is not None and system.nonideal is None and "force" in graph.slices:
        free = _free_flow(constant, q_dot, values["force"], inputs)
    return Compiled(
        nq=nq,
        nv=nv,
        layout=rows.layout,
        constant_mass=constant,
        slices=graph.slices,
        direct=direct,
        by_hand=tuple(block for block in rows.layout.blocks if block.item.by_hand),
        hand_functions=rows.by_hand,
        switches=tuple(_switches(rows.layout, known)),
        potential=potential,
        wants_ideal=wants_ideal,
        traced=tuple(graph.traced),
        function=BufferedFunction(ca.Function("system", inputs, [outputs])),
        samples=SampledFunction(ca.Function("samples", inputs, [ca.densify(sampled)]), nq),
        free_flow=free,
        symmetric_mass=symmetric_mass,
    )


class _Graph:
    """Columns of the one output vector, with the place of each."""

    def __init__(self) -> None:
        self.columns: list[Any] = [ca.SX(0, 1)]
        self.slices: dict[str, slice] = {}
        self.values: dict[str, Any] = {}
        self.traced: list[tuple[UserFunction, slice]] = []
        self._end = 0

    def add(self, name: str, value: Any, user: UserFunction | None) -> None:
        column = ca.reshape(value.T, -1, 1) if name == "mass" else ca.reshape(value, -1, 1)
        part = slice(self._end, self._end + column.shape[0])
        self.columns.append(column)
        self.slices[name] = part
        self.values[name] = value
        self._end = part.stop
        if user is not None:
            self.traced.append((user, part))


def _free_flow(mass: Array, q_dot: Any, force: Any, inputs: list[Any]) -> BufferedFunction | None:
    """(q', M^-1 Q) as one function, when the inverse of the mass is accurate."""
    size = np.sqrt(mass.diagonal())
    if (size == 0).any() or np.linalg.cond(mass / np.outer(size, size)) > WELL_CONDITIONED:
        return None
    inverse = np.linalg.inv(mass / np.outer(size, size)) / np.outer(size, size)
    output = ca.densify(ca.cse(ca.vertcat(q_dot, ca.SX(inverse) @ force)))
    return BufferedFunction(ca.Function("free_flow", inputs, [output]))


def _velocity_map(system: System, symbols: Symbols, nq: int, nv: int, graph: _Graph) -> Any:
    """q' and N as graphs; N is the identity unless the user gives one."""
    if system.kinematics is None:
        return symbols.v, ca.SX.eye(nv)
    user = UserFunction.of("kinematics", system.kinematics, ("q",), system.parameters)
    N, _ = user.trace(symbols)
    if N.shape != (nq, nv):
        raise ModelError(f"kinematics must return shape ({nq}, {nv}), got {N.shape}")
    graph.add("N", N.T, user)
    return N @ symbols.v, N


def _constant_force(
    system: System, symbols: Symbols, potential: UserFunction | None, N: Any, nv: int, graph: _Graph
) -> Any:
    """The force that is not a function: a constant, the potential's, or none."""
    if system.force is not None:
        if system.force.shape != (nv,):
            raise ModelError(f"force must have shape ({nv},), got {system.force.shape}")
        return ca.SX(system.force)
    if potential is None:
        return ca.SX.zeros(nv)
    try:
        energy, ndim = potential.trace(symbols)
    except TraceError as error:
        raise TraceError(f"{error}; or give force= as well") from error
    if ndim:
        raise ModelError(f"potential must return a number, got shape {energy.shape}")
    graph.add("potential", energy, potential)
    return -(N.T @ ca.gradient(energy, symbols.q))


def _with_ideal_force(nonideal: Any, known: Mapping[str, Any]) -> UserFunction | None:
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


def _shaped(label: str, value: Any, ndim: int, shape: tuple[int, ...]) -> Any:
    """A traced mass or force in its full shape."""
    n = shape[0]
    if label == "mass" and ndim == 0:
        return value * ca.SX.eye(n)
    if label == "mass" and ndim == 1 and value.shape == (n, 1):
        return ca.diag(value)
    wanted = (n, n) if label == "mass" else (n, 1)
    if value.shape != wanted or (label != "mass" and ndim > 1):
        got = value.shape if ndim == 2 else ((value.shape[0],) if ndim else ())
        raise ModelError(f"{label} must return shape {shape}, got {got}")
    return value


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


def _switches(layout: Layout, known: Mapping[str, Any]) -> Iterator[tuple[Block, UserFunction]]:
    for block in layout.blocks:
        condition = getattr(block.item, "active_when", None)
        if condition is not None:
            label = f"active_when of {block.item}"
            yield block, UserFunction.of(label, condition, ("q", "v", "t"), known)


def _first_disagreement(
    compiled: Compiled, parameters: Mapping[str, Any]
) -> tuple[UserFunction, str] | None:
    for q, v, t in probe_points(compiled.nq, compiled.nv):
        failed = compiled.disagreement(q, v, t, parameters)
        if failed is not None:
            return failed
    return None


def _probe_plain(compiled: Compiled, parameters: Mapping[str, Any]) -> None:
    """Try the functions that are called directly; refuse one that never returns the right shape."""
    nv = compiled.nv
    shapes: list[tuple[UserFunction, tuple[int, ...] | None]] = [
        (user, None if label == "mass" else (nv,)) for label, user in compiled.direct.items()
    ]
    if compiled.wants_ideal is not None:
        shapes.append((compiled.wants_ideal, (nv,)))
    if compiled.potential is not None:
        shapes.append((compiled.potential, ()))
    for user, shape in shapes:
        wrong: InputError | None = None
        for q, v, t in probe_points(compiled.nq, nv):
            try:
                value = user.probe(
                    {"q": q, "v": v, "t": t, "ideal_force": 0.0 * v}, parameters, shape
                )
                if value is not None and user.label == "mass":
                    full_mass(value, nv)
            except InputError as error:
                wrong = error
            else:
                if value is not None:
                    wrong = None
                    break
        if wrong is not None:
            raise wrong


def full_mass(mass: Array, nv: int) -> Array:
    """The mass matrix from what a function may return: a number, a diagonal or a matrix."""
    full = mass * np.eye(nv) if mass.ndim == 0 else np.diag(mass) if mass.ndim == 1 else mass
    if full.shape != (nv, nv):
        raise InputError(
            f"mass must return a number, shape ({nv},) or shape ({nv}, {nv}), got {mass.shape}"
        )
    return full
