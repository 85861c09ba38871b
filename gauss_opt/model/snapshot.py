"""evaluate(): the only place where user functions are called, with every check on their values."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array, Indices, Mask, real_array
from ..base.errors import InputError, ModelError
from ..base.frozen import frozen_in_place
from ..base.lazy import lazy, made
from ..base.row_matrix import RowMatrix
from ..base.words.choices import Named
from .coefficients import Coefficients
from .dynamics import Dynamics
from .rows import RowTable
from .system import System

__all__ = ["Snapshot", "evaluate", "evaluate_checked", "potential_energy", "state_snapshot"]


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Everything about a system at one state. Arrays are read-only.

    Rows are those of ``layout``: equalities, contacts, velocity limits.

    Attributes
    ----------
    system : System
    q, v : (nq,) and (nv,) arrays
        Positions and velocities.
    t : float
        Time.
    mass : (nv, nv) array
        M.
    force : (nv,) array
        Q.
    nonideal : (nv,) array or None
        C; None without one, or while it waits for the ideal force (:meth:`with_ideal_force`).
    jacobian : RowMatrix
        A of the acceleration problem A a = b, or A a >= b for inequalities, as it is stored.
    rhs : (m,) array
        Its b.
    value : (m,) array
        phi, gap or psi.
    rate : (m,) array
        Its time derivative; for constraints on velocities the value itself.
    qdot : (nq,) array
        q' = N v.
    enabled : (m,) array of bool
        False for contacts whose ``active_when`` is false.
    """

    system: System
    dynamics: Dynamics
    q: Array
    v: Array
    t: float
    mass: Array
    force: Array
    nonideal: Array | None
    jacobian: RowMatrix
    rhs: Array
    value: Array
    rate: Array
    qdot: Array
    enabled: Mask | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return _arrived, ({name: value for name, value in values.items() if name != "dynamics"},)

    @property
    def layout(self) -> RowTable:
        """Which rows belong to which constraint."""
        return self.dynamics.layout

    @lazy
    def coefficients(self) -> Coefficients:
        """Restitution and friction of each row."""
        return self.system.coefficients(self.layout)

    @property
    def rows(self) -> Array:
        """A written out, (m, nv)."""
        return self.jacobian.dense

    def rows_of(self, rows: Indices) -> Array:
        """Chosen rows of A, written out."""
        return self.jacobian.take(rows)

    @property
    def needs_ideal_force(self) -> bool:
        """Whether the non-ideal force cannot be known before the ideal force is."""
        return self.nonideal is None and self.dynamics.needs_ideal_force

    @lazy
    def gaps(self) -> dict[str, Any]:
        """Gap of each contact by name."""
        return self._of_contacts(self.value)

    @lazy
    def rates(self) -> dict[str, Any]:
        """Gap rate of each contact by name; negative is approaching."""
        return self._of_contacts(self.rate)

    @lazy
    def values(self) -> dict[str, Any]:
        """phi, gap or psi of every constraint by name."""
        return self.layout.by_name(self.value)

    @lazy
    def offset(self) -> Array:
        """w with rate = A v + w: the part of the rates that does not depend on v linearly."""
        offset: Array = self.rate - self.jacobian.dot(self.v)
        return offset

    def with_ideal_force(self, ideal_force: Array) -> Snapshot:
        """The snapshot with the non-ideal force that belongs to an ideal constraint force."""
        if not self.dynamics.needs_ideal_force:
            return self
        ideal = ideal_force.copy()
        ideal.setflags(write=False)
        force = self.dynamics.nonideal_force(self.q, self.v, self.t, ideal, self.system.parameters)
        return replace(self, nonideal=force)

    def at_velocity(self, v: Array) -> Snapshot:
        """The same place and time at another velocity."""
        return state_snapshot(self.system, self.dynamics, self.q, v, self.t)

    def velocity_map(self) -> Array | None:
        """N with q' = N v, (nq, nv); None for the identity."""
        return self.dynamics.velocity_map(self.q, self.t, self.system.parameters)

    def _of_contacts(self, rows: Array) -> dict[str, Any]:
        values = self.layout.by_name(rows)
        return Named((name, values[name]) for name in self.layout.contact_names)

    def __str__(self) -> str:
        lines = [f"Snapshot at t = {self.t:g}", f"  q = {self.q}", f"  v = {self.v}"]
        for name, value in self.values.items():
            lines.append(f"  {name}: {value}")
        return "\n".join(lines)

    __repr__ = __str__


def evaluate(system: System, q: ArrayLike, v: ArrayLike, t: float = 0.0) -> Snapshot:
    """Evaluate a system at a state: mass, forces, and the rows of every constraint.

    Examples
    --------
    >>> from gauss_opt import Holonomic, System, evaluate
    >>> rod = Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0)
    >>> pendulum = System([1.0, 1.0], [0.0, -9.81], [rod])
    >>> snapshot = evaluate(pendulum, [1.0, 0.0], [0.0, 2.0])
    >>> snapshot.rows, snapshot.rhs
    (array([[2., 0.]]), array([-8.]))
    """
    v = read_only("v", v)
    if system.nv is None and (v.ndim != 1 or not len(v)):
        raise InputError(f"v must be a vector with one entry for each velocity, got {v!r}")
    dynamics = system.dynamics(len(v) if system.nv is None else system.nv)
    q = read_only("q", q)
    if q.shape != (dynamics.nq,):
        raise InputError(f"q must have shape ({dynamics.nq},), got {q.shape}")
    if v.shape != (dynamics.nv,):
        raise InputError(f"v must have shape ({dynamics.nv},), got {v.shape}")
    return evaluate_checked(system, dynamics, q, v, _time(t))


def evaluate_checked(system: System, dynamics: Dynamics, q: Array, v: Array, t: float) -> Snapshot:
    """:func:`evaluate` for read-only float arrays of the right size."""
    parameters = system.parameters
    dynamics.watch(q, v, t, parameters)
    mass, force, nonideal, jacobian, rhs, value, rate, qdot = dynamics.evaluate(q, v, t, parameters)
    return made(
        Snapshot,
        system=system,
        dynamics=dynamics,
        q=q,
        v=v,
        t=t,
        mass=mass,
        force=force,
        nonideal=nonideal,
        jacobian=jacobian,
        rhs=rhs,
        value=value,
        rate=rate,
        qdot=qdot,
        enabled=dynamics.switches.enabled(q, v, t, parameters),
    )


def state_snapshot(system: System, dynamics: Dynamics, q: Array, v: Array, t: float) -> Snapshot:
    """A snapshot of arrays that may still be written to: they are copied first."""
    q, v = q.copy(), v.copy()
    q.setflags(write=False)
    v.setflags(write=False)
    return evaluate_checked(system, dynamics, q, v, t)


def _arrived(values: dict[str, Any]) -> Snapshot:
    """A snapshot that has travelled: without the traces, and its arrays could be written to."""
    for value in values.values():
        if isinstance(value, np.ndarray):
            frozen_in_place(value)
    dynamics = values["system"].dynamics(len(values["v"]))
    return made(Snapshot, **values, dynamics=dynamics)


def potential_energy(system: System, q: ArrayLike, t: float = 0.0) -> float:
    """Potential energy at a position; the system must have been given ``potential``."""
    if system.potential is None:
        raise ModelError("the system has no potential=")
    q = read_only("q", q)
    dynamics = system.dynamics(np.size(q) if system.nv is None else system.nv)
    if q.shape != (dynamics.nq,):
        raise InputError(f"q must have shape ({dynamics.nq},), got {q.shape}")
    return dynamics.potential(q, _time(t), system.parameters)


def _time(t: Any) -> float:
    if type(t) is float and isfinite(t):
        return t
    time = real_array("t", t)
    if time.ndim:
        raise InputError(f"t must be a number, got shape {time.shape}")
    return float(time)


def read_only(what: str, value: ArrayLike) -> Array:
    """A checked float copy that nobody can write into."""
    array = real_array(what, value)
    array.setflags(write=False)
    return array
