"""Reactions of joints: the force in newtons and the torque in newton metres, on which body, where.

A joint adds J' lambda to the equations of motion, whatever its rows look like. What of it belongs
to a body is a force at the mass centre and a torque; moved to the joint, it is the reaction there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..base.arrays import Array, Indices
from ..base.errors import ModelError
from ..base.words.choices import choices
from ..model.snapshot import evaluate
from .bodies import Body, Point
from .posture import Posture

if TYPE_CHECKING:
    from .result import MechanismResult

__all__ = ["Impulse", "Reaction", "impulses_of", "reaction_of"]


@dataclass(frozen=True, eq=False)
class Reaction:
    """What a joint does to a body, over the times of a result.

    Attributes
    ----------
    joint, on : str
        The joint, and the body it acts on.
    force : (nt, 2) array
        In N, in world axes.
    torque : (nt,) array
        About the point where it acts, in N m.
    at : (nt, 2) array
        That point.
    """

    joint: str
    on: str
    force: Array
    torque: Array
    at: Array

    @property
    def magnitude(self) -> Array:
        """Length of the force, (nt,)."""
        return np.hypot(self.force[:, 0], self.force[:, 1])

    def __str__(self) -> str:
        return (
            f"reaction of {self.joint!r} on {self.on!r}: at most "
            f"{self.magnitude.max(initial=0.0):.6g} N and "
            f"{np.abs(self.torque).max(initial=0.0):.6g} N m"
        )

    __repr__ = __str__


@dataclass(frozen=True, eq=False)
class Impulse:
    """What a joint gave a body at an impact: (2,) in N s, in N m s, at a time and a point."""

    t: float
    force: Array
    torque: float
    at: Array


@dataclass(frozen=True, eq=False)
class _Place:
    """Which rows, and where they act on which body."""

    rows: tuple[str, ...]
    bodies: tuple[Body, ...]
    at: Point
    on: Body


def reaction_of(result: MechanismResult, name: str, on: Body | None) -> Reaction:
    """The reaction at the times of a result."""
    place = _found(result, name, on)
    names = set(place.rows)
    rows = np.flatnonzero([owner in names for owner in result.row_names])
    multipliers = result.rows["multipliers"][:, rows]
    count = len(result.t)
    force, torque, at = np.zeros((count, 2)), np.zeros(count), np.zeros((count, 2))
    for k in range(count):
        force[k], torque[k], at[k] = _split(
            result, place, result.q[k], result.v[k], float(result.t[k]), rows, multipliers[k]
        )
    return Reaction(name, place.on.name, force, torque, at)


def impulses_of(result: MechanismResult, name: str, on: Body | None) -> tuple[Impulse, ...]:
    """The impulses at the impacts of a result."""
    place = _found(result, name, on)
    names = set(place.rows)
    rows = np.flatnonzero([owner in names for owner in result.row_names])
    found = []
    for event in result.events:
        values = [np.atleast_1d(event.impulses.get(row, 0.0)) for row in place.rows]
        impulse = np.concatenate(values)
        if len(impulse) != len(rows) or not impulse.any():
            continue
        split = _split(result, place, event.q, event.v_before, event.t, rows, impulse)
        found.append(Impulse(event.t, *split))
    return tuple(found)


def _split(
    result: MechanismResult,
    place: _Place,
    q: Array,
    v: Array,
    t: float,
    rows: Indices,
    multipliers: Array,
) -> tuple[Array, float, Array]:
    """J' lambda as a force and a torque at the joint."""
    assert result.system is not None
    load = evaluate(result.system, q, v, t).rows_of(rows).T @ multipliers
    p = Posture(q, v, t)
    x, y = (float(value) for value in p.at(place.at))
    force, torque = np.zeros(2), 0.0
    # On a body that is given: the opposite of what the others get.
    takes = [place.on] if place.on.moves else [b for b in place.bodies if b.moves]
    for body in takes:
        mine = load[body.slots]
        cx, cy, _ = p.place(body)
        force += mine[:2]
        turning = float(mine[2]) if body.size == 3 else 0.0
        torque += turning - (x - float(cx)) * mine[1] + (y - float(cy)) * mine[0]
    sign = 1.0 if place.on.moves else -1.0
    return sign * force, sign * float(torque), np.array([x, y])


def _found(result: MechanismResult, name: str, on: Body | None) -> _Place:
    mechanism = result.mechanism
    for joint in mechanism.joints:
        rows = tuple(item.name for item in joint.constraints)
        if name == joint.name or name in rows:
            chosen = rows if name == joint.name else (name,)
            return _Place(chosen, joint.bodies, joint.at, _on(name, joint.bodies, on))
    for pair in mechanism.pairs:
        rows = tuple(contact.name for contact in pair.contacts)
        if name == pair.name or name in rows:
            chosen = rows if name == pair.name else (name,)
            acts_on = _on(name, pair.bodies, on)
            return _Place(chosen, pair.bodies, acts_on.center, acts_on)
    joints = [joint.name for joint in mechanism.joints]
    listed = choices(name, [*joints, *(pair.name for pair in mechanism.pairs)])
    raise ModelError(f"no joint or pair is called {name!r}; {listed}")


def _on(name: str, bodies: tuple[Body, ...], on: Body | None) -> Body:
    if on is None:
        moving = [body for body in bodies if body.moves]
        return moving[-1]
    for body in bodies:
        if body.name == on.name:  # which may be of a mechanism made alike in another process
            return body
    names = " and ".join(repr(body.name) for body in bodies)
    raise ModelError(f"{name!r} is between {names}; it does not act on {on}")
