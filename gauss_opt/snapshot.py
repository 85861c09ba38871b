"""evaluate(): the one door to the user's functions, with every check on what comes through it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .compiled import Block, Compiled, Layout
from .errors import InputError, ModelError, TraceError, UserFunctionError
from .model import Servo
from .problem import Array, real_array, require_semidefinite, symmetrised
from .system import System
from .whiten import factorise

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

    @cached_property
    def gaps(self) -> dict[str, Any]:
        """Gap of each contact by name."""
        return self._of_contacts(self.value)

    @cached_property
    def rates(self) -> dict[str, Any]:
        """Gap rate of each contact by name; negative is approaching."""
        return self._of_contacts(self.rate)

    @cached_property
    def values(self) -> dict[str, Any]:
        """phi, gap or psi of every constraint by name."""
        return self.layout.by_name(self.value)

    @cached_property
    def offset(self) -> Array:
        """w with rate = A v + w: the part of the rates that does not depend on v linearly."""
        offset: Array = self.rate - self.rows @ self.v
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
    compiled = system.compiled(len(v)) if v.ndim == 1 and system.nv is None else None
    compiled = compiled or system.compiled(system.nv or 0)
    q = read_only("q", q)
    for name, array, size in (("q", q, compiled.nq), ("v", v, compiled.nv)):
        if array.shape != (size,):
            raise InputError(f"{name} must have shape ({size},), got {array.shape}")
    if not isfinite(t):
        raise InputError(f"t is {t}: it must be finite")
    return evaluate_checked(system, compiled, q, v, float(t))


def evaluate_checked(system: System, compiled: Compiled, q: Array, v: Array, t: float) -> Snapshot:
    """:func:`evaluate` for read-only float arrays of the right size."""
    parameters = system.parameters
    compiled.count += 1
    if compiled.count & (compiled.count - 1) == 0:
        _check(system, compiled, q, v, t)
    out = compiled.run(q, v, t, parameters)
    slices, nv = compiled.slices, compiled.nv
    if compiled.by_hand:
        _fill_by_hand(compiled, out, q, v, t, parameters)
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
    return Snapshot(
        system,
        compiled,
        q,
        v,
        t,
        mass,
        force,
        nonideal,
        out[slices["rows"]].reshape(-1, nv),
        out[slices["rhs"]],
        out[slices["value"]],
        out[slices["rate"]],
        out[slices["qdot"]] if "qdot" in slices else v,
        _enabled(compiled, arguments, parameters) if compiled.switches else None,
    )


def potential_energy(system: System, q: ArrayLike, t: float = 0.0) -> float:
    """Potential energy at a position; the system must have been given ``potential``."""
    q = read_only("q", q)
    function = system.compiled(system.nv or len(q)).potential
    if function is None:
        raise ModelError("the system has no potential=")
    return float(function.array({"q": q, "t": t}, system.parameters, ()))


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
        mass = raw * np.eye(nv) if raw.ndim == 0 else np.diag(raw) if raw.ndim == 1 else raw
        if mass.shape != (nv, nv):
            raise InputError(f"mass must return shape ({nv}, {nv}), got {raw.shape}")
    else:
        mass = out[compiled.slices["mass"]].reshape(nv, nv)
    if np.array_equal(mass, mass.T):
        return mass
    return symmetrised(mass, f"mass (at t={arguments['t']:g})")


def _enabled(
    compiled: Compiled, arguments: Mapping[str, Any], parameters: Mapping[str, Any]
) -> NDArray[np.bool_]:
    enabled = np.ones(compiled.layout.n_rows, dtype=bool)
    for block, condition in compiled.switches:
        enabled[block.rows] = bool(condition.plain(arguments, parameters))
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
            label, what = name, f"{name} is not finite"
        else:
            row = (bad[0] - part.start) // (compiled.nv if name == "rows" else 1)
            item = compiled.layout.block(compiled.layout.names[row]).item
            label = str(item)
            words = {"value": "value", "rate": "rate", "rows": "normal", "rhs": "second derivative"}
            what = f"the {words[name]} of {label} is not finite"
        raise UserFunctionError(
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


def _fill_by_hand(
    compiled: Compiled, out: Array, q: Array, v: Array, t: float, parameters: Mapping[str, Any]
) -> None:
    """Put hand-given values and derivatives where the traced ones would be."""
    slices = compiled.slices
    N = out[slices["N"]].reshape(compiled.nq, compiled.nv) if "N" in slices else None
    rows = out[slices["rows"]].reshape(-1, compiled.nv)
    for block in compiled.by_hand:
        value, rate, jacobian, bias = by_hand(compiled, block, N, q, v, t, parameters)
        item = block.item
        rhs = -bias
        if isinstance(item, Servo):
            rhs -= 2.0 * item.damping * item.frequency * rate + item.frequency**2 * value
        rows[block.rows] = jacobian
        for name, part in (("value", value), ("rate", rate), ("rhs", rhs)):
            out[slices[name]][block.rows] = part


def by_hand(
    compiled: Compiled, block: Block, N: Array | None, q: Array, v: Array, t: float,
    parameters: Mapping[str, Any],
) -> tuple[Array, Array, Array, Array]:  # fmt: skip
    """Value, rate, Jacobian in v, and bias of a constraint with hand-given derivatives."""
    functions = compiled.hand_functions[block.name]
    arguments = {"q": q, "v": v, "t": t}
    k = block.rows.stop - block.rows.start
    columns = compiled.nv if block.on_velocity else compiled.nq
    flat = () if block.scalar else (k,)
    value = functions["phi"].array(arguments, parameters, flat).reshape(k)
    bias = functions["bias"].array(arguments, parameters, flat).reshape(k)
    jacobian = functions["jacobian"].array(
        arguments, parameters, (columns,) if block.scalar else (k, columns)
    )
    jacobian = jacobian.reshape(k, columns)
    if block.on_velocity:
        return value, value, jacobian, bias
    jacobian = jacobian if N is None else jacobian @ N
    rate = jacobian @ v
    if "time_derivative" in functions:
        rate = rate + functions["time_derivative"].array(arguments, parameters, flat).reshape(k)
    return value, rate, jacobian, bias


def check_by_hand(
    compiled: Compiled, block: Block, q: Array, v: Array, t: float, parameters: Mapping[str, Any]
) -> None:
    """Compare hand-given derivatives with central differences along the motion and across it."""
    step = 1e-5

    def at(q: Array, v: Array, t: float) -> tuple[Array, Array, Array, Array]:
        N = None
        if "N" in compiled.slices:
            out = compiled.run(q, v, t, parameters)
            N = out[compiled.slices["N"]].reshape(compiled.nq, compiled.nv)
        return by_hand(compiled, block, N, q, v, t, parameters)

    def q_dot(q: Array, v: Array, t: float) -> Array:
        slices = compiled.slices
        return compiled.run(q, v, t, parameters)[slices["qdot"]] if "qdot" in slices else v

    _, rate, jacobian, bias = at(q, v, t)
    for j in range(compiled.nv):
        unit = np.zeros(compiled.nv)
        unit[j] = step
        if block.on_velocity:
            numeric = (at(q, v + unit, t)[0] - at(q, v - unit, t)[0]) / (2 * step)
        else:
            shift = q_dot(q, unit, t)
            numeric = (at(q + shift, v, t)[0] - at(q - shift, v, t)[0]) / (2 * step)
        _compare(f"jacobian (column {j})", block, jacobian[:, j], numeric)
    motion = q_dot(q, v, t)
    h = step * (1.0 + np.abs(q).max()) / (1.0 + np.abs(motion).max())
    ahead, behind = at(q + h * motion, v, t + h), at(q - h * motion, v, t - h)
    if not block.on_velocity:
        _compare("time_derivative (in the rate)", block, rate, (ahead[0] - behind[0]) / (2 * h))
    _compare("bias", block, bias, (ahead[1] - behind[1]) / (2 * h))


def _compare(what: str, block: Block, given: Array, numeric: Array) -> None:
    worst = int(np.abs(given - numeric).argmax())
    if abs(given[worst] - numeric[worst]) > 1e-5 * (1.0 + np.abs(numeric).max()):
        raise ModelError(
            f"the hand-given {what} of {block.item} is {given[worst]:.8g} but differences of the "
            f"function give {numeric[worst]:.8g}; correct it, or switch this check off with "
            f"check_derivatives=False"
        )
