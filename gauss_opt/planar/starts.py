"""The start of a mechanism from what is known of it: the rest is assembled, or explained.

What is given are values of quantities: ``{crank.angle: 1.0, crank.rate: 4.0}``. Bodies that were
drawn start where they were drawn as far as the joints and the given values let them; a body that
was neither drawn nor determined is an error that says so. What is not determined of the velocities
is at rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InfeasibleError, ModelError
from ..mechanics.consistency.assembly import assemble
from ..model.constraints import Holonomic, Nonholonomic
from ..model.snapshot import evaluate
from ..model.system import System
from .assembling import coordinates, equalities, masses
from .bodies import Body, Point
from .freedom import free_directions, takes_part
from .joints.joint import Joint
from .parts import Parts
from .posture import Posture, turned
from .quantities import Quantity, Rate

__all__ = ["Start", "started"]

Given = Mapping[Any, Any]


@dataclass(frozen=True, eq=False)
class Start:
    """A consistent start.

    Attributes
    ----------
    q, v : arrays
    left_open : int
        Degrees of freedom whose velocity was not given: they are at rest.
    t : float
    """

    q: Array
    v: Array
    left_open: int
    t: float

    def __str__(self) -> str:
        text = f"start at t = {self.t:g}: q = {self.q}, v = {self.v}"
        if self.left_open:
            text += f"; {self.left_open} independent velocities were not given and are zero"
        return text

    __repr__ = __str__


def started(parts: Parts, given: Given, t: float) -> Start:
    """Assemble a start from values of quantities."""
    places, rates = _sorted(parts, given)
    q = _positions(parts, places, t)
    v, left = _velocities(parts, rates, q, t)
    return Start(q, v, left, t)


def _sorted(
    parts: Parts, given: Given
) -> tuple[list[tuple[Quantity, Array]], list[tuple[Rate, Array]]]:
    """What is given of places, and of rates; both checked."""
    places: list[tuple[Quantity, Array]] = []
    rates: list[tuple[Rate, Array]] = []
    names: set[str] = set()
    for key, value in given.items():
        quantity = key.position if isinstance(key, Point | Body) else key
        if not isinstance(quantity, Quantity | Rate):
            raise ModelError(
                f"a start gives quantities, such as {{crank.angle: 1.0, crank.rate: 0.5}}; "
                f"{key!r} is none"
            )
        of = quantity.of if isinstance(quantity, Rate) else quantity
        for body in of.bodies:
            parts.member("the start", body)
        if quantity.name in names:
            raise ModelError(f"the start gives {quantity.name} twice")
        names.add(quantity.name)
        if not any(body.moves for body in of.bodies):
            raise ModelError(f"the start gives {quantity.name}, which cannot be chosen")
        array = np.atleast_1d(np.asarray(value, dtype=float))
        if array.shape != (of.parts,) or not np.isfinite(array).all():
            raise ModelError(
                f"the start gives {quantity.name} = {value!r}: {of.parts} finite number(s) needed"
            )
        if isinstance(quantity, Rate):
            rates.append((quantity, array))
        else:
            places.append((quantity, array))
    return places, rates


# Positions


def _positions(parts: Parts, places: list[tuple[Quantity, Array]], t: float) -> Array:
    wanted = [
        Holonomic(f"start: {quantity}", lambda q, s, k=quantity, x=value: _off(q, None, s, k, x))
        for quantity, value in places
    ]
    joints = [item for item in equalities(parts) if isinstance(item, Holonomic)]
    guess = _guess(parts, places, t)
    if not wanted and not joints:
        return guess
    system = _metric_system(parts, [*joints, *wanted])
    try:
        q, _ = assemble(system, guess, t=t)
    except InfeasibleError as error:
        raise _contradiction("places", error.constraints, places) from error
    except ModelError as error:
        raise ModelError(
            f"the mechanism cannot be assembled from this start: {error}. Check lengths and the "
            f"given values, or draw the bodies near their places with at= and angle="
        ) from error
    _require_determined(parts, system, q, t)
    return q


def _off(q: Any, v: Any, t: Any, quantity: Quantity, value: Array) -> Any:
    p = Posture(q, v, t)
    now = quantity.value(p) if v is None else quantity.slope(p)
    parts = (now,) if quantity.parts == 1 else now
    return np.array([part - x for part, x in zip(parts, value.tolist(), strict=True)])


def _metric_system(parts: Parts, constraints: list[Any]) -> System:
    """Only constraints and a mass, in whose metric the bodies are moved as little as possible."""
    mass = masses(parts)
    least = mass[mass > 0.0].min(initial=np.inf)
    mass = np.where(mass > 0.0, mass, least if np.isfinite(least) else 1.0)
    return System(mass, np.zeros(len(mass)), constraints, coordinates=coordinates(parts))


def _contradiction(what: str, names: tuple[str, ...], given: list[Any]) -> ModelError:
    listed = ", ".join(f"{q.name} = {value.tolist()}" for q, value in given) or "nothing"
    involved = ", ".join(dict.fromkeys(repr(name) for name in names))
    return ModelError(
        f"the start is over-determined: the given {what} ({listed}) contradict the joints or each "
        f"other; involved are {involved}. Give fewer values, or values that fit. To "
        f"choose between ways to assemble it, draw bodies near their places with at= and angle="
    )


def _guess(parts: Parts, places: list[tuple[Quantity, Array]], t: float) -> Array:
    """Where assembly begins: as drawn, with given coordinates, other bodies put at their pins."""
    q = np.zeros(len(masses(parts)))
    known: set[Body] = set()
    for body in parts.bodies:
        if not body.moves:
            known.add(body)
            continue
        x, y, angle = body.drawn or (0.0, 0.0, 0.0)
        _put(q, body, (x, y), angle, (0.0, 0.0))
        if body.drawn is not None:
            known.add(body)
    for quantity, value in places:
        body, dot = quantity.bodies[0], quantity.name.rpartition(".")[2]
        direct = quantity.name.startswith(f"{body.name}.") and len(quantity.bodies) == 1
        if direct and dot in ("x", "y", "angle") and quantity.name.count(".") == 1:
            slot = body.slots[("x", "y", "angle").index(dot)]
            q[slot] = value[0]
        elif direct and quantity.name == f"{body.name}.position":
            q[body.slots[0] : body.slots[0] + 2] = value
            known.add(body)
    _hang(parts.joints, q, known, t)
    return q


def _hang(joints: list[Joint], q: Array, known: set[Body], t: float) -> None:
    """Put each body that has no place yet at the joint to one that has."""
    placing = [joint for joint in joints if joint.placing]
    again = True
    while again:
        again = False
        for joint in placing:
            a, b = joint.ends
            if (a.body in known) == (b.body in known):
                continue
            near, far = (a, b) if a.body in known else (b, a)
            angle = float(q[far.body.slots[2]]) if far.body.size == 3 else 0.0
            _put(q, far.body, Posture(q, q, t).at(near), angle, far.place)
            known.add(far.body)
            again = True


def _put(q: Array, body: Body, at: tuple[Any, Any], angle: float, place: tuple[Any, Any]) -> None:
    """Put a point of a body, in its own axes, at a place."""
    cx, cy = body.mass_center
    rx, ry = turned((cx - place[0], cy - place[1]), angle)
    q[body.slots[:2]] = at[0] + rx, at[1] + ry
    if body.size == 3:
        q[body.slots[2]] = angle


def _require_determined(parts: Parts, system: System, q: Array, t: float) -> None:
    """Refuse a start in which a body could be elsewhere that nobody has drawn."""
    jointed = {body for joint in parts.joints for body in joint.bodies}
    chosen = [
        slot
        for body in parts.bodies
        for slot in body.slots
        if body.drawn is not None or body not in jointed
    ]
    rows = evaluate(system, q, np.zeros(len(q)), t).rows
    free = free_directions(np.concatenate([rows, np.eye(len(q))[chosen]]))
    if not len(free.T):
        return
    moving = [
        f"{body.name} ({', '.join(_moving(parts, body, free))})"
        for body in parts.bodies
        if _moving(parts, body, free)
    ]
    count = free.shape[1]
    raise ModelError(
        f"the start is under-determined: {count} more value{'s are' if count > 1 else ' is'} "
        f"needed. What is given and the joints leave open: {'; '.join(moving)}. Give as many "
        f"quantities, such as {{body.angle: 0.5}}, or draw these bodies with at= and angle="
    )


def _moving(parts: Parts, body: Body, free: Array) -> list[str]:
    names = ("x", "y", "angle")
    return [names[i] for i, slot in enumerate(body.slots) if takes_part(free, slot)]


# Velocities


def _velocities(
    parts: Parts, rates: list[tuple[Rate, Array]], q: Array, t: float
) -> tuple[Array, int]:
    wanted = [
        Nonholonomic(f"start: {rate}", lambda p, v, s, k=rate.of, x=value: _off(p, v, s, k, x))
        for rate, value in rates
    ]
    constraints = [*equalities(parts), *wanted]
    if not constraints:
        return np.zeros(len(q)), len(q)
    system = _metric_system(parts, constraints)
    try:
        assembly = assemble(system, q, t=t)
    except InfeasibleError as error:
        raise _contradiction("rates", error.constraints, rates) from error
    return assembly.v, assembly.degrees_of_freedom[1]
