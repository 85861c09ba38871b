"""evaluate(): the one door to the user's functions, with every check on what comes through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.arrays import Array, real_array
from ..base.errors import InputError, ModelError, NonFiniteError, TraceError
from ..base.lazy import lazy, made
from ..base.matrices import factorise, require_semidefinite, symmetrised
from .rows import Layout
from .system import System
from .tracing.compiled import Compiled, full_mass
from .tracing.hand_derivatives import check_by_hand, fill_by_hand

__all__ = ["Snapshot", "evaluate", "potential_energy"]


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
    rows, rhs : (m, nv) and (m,) arrays
        A and b of the acceleration problem: A a = b, or A a >= b for inequalities.
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
    compiled: Compiled
    q: Array
    v: Array
    t: float
    mass: Array
    force: Array
    nonideal: Array | None
    rows: Array
    rhs: Array
    value: Array
    rate: Array
    qdot: Array
    enabled: NDArray[np.bool_] | None = None

    @property
    def layout(self) -> Layout:
        """Which rows belong to which constraint."""
        return self.compiled.layout

    @property
    def needs_ideal_force(self) -> bool:
        """Whether the non-ideal force cannot be known before the ideal force is."""
        return self.compiled.wants_ideal is not None and self.nonideal is None

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
        offset: Array = self.rate - self.rows.dot(self.v)
        return offset

    def with_ideal_force(self, ideal_force: Array) -> Snapshot:
        """The snapshot with the non-ideal force that belongs to an ideal constraint force."""
        function = self.compiled.wants_ideal
        if function is None:
            return self
        ideal = ideal_force.copy()
        ideal.setflags(write=False)
        arguments = {"q": self.q, "v": self.v, "t": self.t, "ideal_force": ideal}
        force = function.array(arguments, self.system.parameters, (self.compiled.nv,))
        return replace(self, nonideal=force)

    def _of_contacts(self, rows: Array) -> dict[str, Any]:
        names = {contact.name for contact in self.system.contacts}
        return {k: value for k, value in self.layout.by_name(rows).items() if k in names}

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
    compiled = system.compiled(len(v) if system.nv is None else system.nv)
    q = read_only("q", q)
    if q.shape != (compiled.nq,):
        raise InputError(f"q must have shape ({compiled.nq},), got {q.shape}")
    if v.shape != (compiled.nv,):
        raise InputError(f"v must have shape ({compiled.nv},), got {v.shape}")
    return evaluate_checked(system, compiled, q, v, _time(t))


def evaluate_checked(system: System, compiled: Compiled, q: Array, v: Array, t: float) -> Snapshot:
    """:func:`evaluate` for read-only float arrays of the right size."""
    parameters = system.parameters
    compiled.count += 1
    if compiled.count & (compiled.count - 1) == 0:
        _check(system, compiled, q, v, t)
    out = compiled.run(q, v, t, parameters)
    slices, nv = compiled.slices, compiled.nv
    if compiled.by_hand:
        fill_by_hand(compiled, out, q, v, t, parameters)
    if not isfinite(out.dot(out)):
        _refuse_non_finite(compiled, out, q, v, t)
    out.setflags(write=False)
    arguments = {"q": q, "v": v, "t": t}
    direct = compiled.direct
    mass = compiled.constant_mass
    if mass is None:
        mass = _mass(compiled, out, arguments, parameters)
    if "force" in direct:
        force = direct["force"].array(arguments, parameters, (nv,))
    else:
        force = out[slices["force"]]
    nonideal = out[slices["nonideal"]] if "nonideal" in slices else None
    if "nonideal" in direct:
        nonideal = direct["nonideal"].array(arguments, parameters, (nv,))
    return made(
        Snapshot,
        system=system,
        compiled=compiled,
        q=q,
        v=v,
        t=t,
        mass=mass,
        force=force,
        nonideal=nonideal,
        rows=out[slices["rows"]].reshape(-1, nv),
        rhs=out[slices["rhs"]],
        value=out[slices["value"]],
        rate=out[slices["rate"]],
        qdot=out[slices["qdot"]] if "qdot" in slices else v,
        enabled=_enabled(compiled, arguments, parameters) if compiled.switches else None,
    )


def potential_energy(system: System, q: ArrayLike, t: float = 0.0) -> float:
    """Potential energy at a position; the system must have been given ``potential``."""
    if system.potential is None:
        raise ModelError("the system has no potential=")
    q = read_only("q", q)
    compiled = system.compiled(np.size(q) if system.nv is None else system.nv)
    if q.shape != (compiled.nq,):
        raise InputError(f"q must have shape ({compiled.nq},), got {q.shape}")
    function = compiled.potential
    assert function is not None
    return float(function.array({"q": q, "t": _time(t)}, system.parameters, ()))


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


def _mass(
    compiled: Compiled, out: Array, arguments: Mapping[str, Any], parameters: Mapping[str, Any]
) -> Array:
    nv = compiled.nv
    if "mass" in compiled.direct:
        function = compiled.direct["mass"]
        raw = function.checked(function.plain(arguments, parameters), None, arguments)
        mass = full_mass(raw, nv)
        mass.setflags(write=False)
    else:
        mass = out[compiled.slices["mass"]].reshape(nv, nv)
        if compiled.symmetric_mass:
            return mass
    # Comparing bytes is the quickest; only -0.0 against 0.0 needs the slower comparison.
    if mass.tobytes() == mass.T.tobytes() or np.array_equal(mass, mass.T):
        return mass
    return symmetrised(mass, f"mass (at t={arguments['t']:g})")


def _enabled(
    compiled: Compiled, arguments: Mapping[str, Any], parameters: Mapping[str, Any]
) -> NDArray[np.bool_]:
    enabled = np.ones(compiled.layout.n_rows, dtype=bool)
    for block, condition in compiled.switches:
        value = condition.plain(arguments, parameters)
        if np.ndim(value) or not isinstance(value, bool | np.bool_):
            raise InputError(f"{condition.label} must return True or False, got {value!r}")
        enabled[block.rows] = value
    enabled.setflags(write=False)
    return enabled


def _refuse_non_finite(compiled: Compiled, out: Array, q: Array, v: Array, t: float) -> None:
    """Name the function behind an entry that is not finite; large finite numbers may pass."""
    bad = np.flatnonzero(~np.isfinite(out))
    if not len(bad):
        return
    state = f"at t={t:g}, q={q}, v={v}"
    for name, part in compiled.slices.items():
        if not part.start <= bad[0] < part.stop:
            continue
        if name not in ("value", "rate", "rows", "rhs"):
            label = {"short mass": "mass", "N": "kinematics", "qdot": "kinematics"}.get(name, name)
            what = f"{label} is not finite"
        else:
            row = (bad[0] - part.start) // (compiled.nv if name == "rows" else 1)
            item = compiled.layout.block(compiled.layout.names[row]).item
            label = str(item)
            words = {"value": "value", "rate": "rate", "rows": "normal", "rhs": "second derivative"}
            what = f"the {words[name]} of {label} is not finite"
        raise NonFiniteError(
            f"{what} ({out[bad[0]]}) {state}: check the function for divisions by zero and roots "
            f"of negative numbers there",
            function=label,
            t=t,
        )


def _check(system: System, compiled: Compiled, q: Array, v: Array, t: float) -> None:
    """Compare traces, hand-given derivatives and the mass with the functions, now and then.

    This happens at the 1st, 2nd, 4th, 8th, ... evaluation: it costs nothing in the long run and
    finds a function whose result changes although its arguments do not.
    """
    failed = compiled.disagreement(q, v, t, system.parameters)
    if failed is not None:
        raise TraceError(failed[1])
    for block in compiled.by_hand:
        if block.item.check_derivatives:
            check_by_hand(compiled, block, q, v, t, system.parameters)
    if compiled.constant_mass is None:
        out = compiled.run(q, v, t, system.parameters)
        mass = _mass(compiled, out, {"q": q, "v": v, "t": t}, system.parameters)
        if factorise(mass) is None:
            require_semidefinite(mass, f"mass (at t={t:g})")
