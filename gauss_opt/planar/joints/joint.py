"""A joint: the constraints it consists of, and where on which body its reaction acts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.carrying import Carried
from ...base.errors import ModelError
from ...model.constraints import Constraint, Contact, Holonomic, Nonholonomic, VelocityLimit
from ..bodies import Body, Point
from ..posture import Posture
from ..shapes.straight_shapes import HalfPlane
from ..touches import Touch

__all__ = ["Joint", "contact", "distinct", "on_positions", "on_velocities", "one_way"]

Function = Callable[[Posture], Any]


@dataclass(frozen=True, eq=False)
class Joint(Carried):
    """Constraints that belong together.

    Attributes
    ----------
    name : str
    kind : str
        ``"pin"``, say.
    bodies : tuple of Body
        The reaction is reported on the last of them that is not asked for otherwise.
    constraints : tuple of Constraint or Contact
    at : Point
        Where the reaction acts.
    ends : tuple of Point
        Points to draw it between.
    wall : HalfPlane, optional
        Of a stop on the ground.
    touch : function of a Posture, optional
        Of a stop: the point of contact, and the direction of the force.
    """

    name: str
    kind: str
    bodies: tuple[Body, ...]
    constraints: tuple[Constraint | Contact, ...]
    at: Point
    ends: tuple[Point, ...] = ()
    wall: HalfPlane | None = None
    touch: Touch | None = None

    @property
    def placing(self) -> bool:
        """Whether it puts the two ends at one place."""
        return self.kind in ("pin", "weld")


def on_positions(name: str, rows: Function) -> Holonomic:
    """An equality between places; a list of numbers gives as many rows."""
    return Holonomic(name, lambda q, t: _array(rows(Posture(q, None, t))))


def on_velocities(name: str, rows: Function) -> Nonholonomic:
    """An equality between velocities."""
    return Nonholonomic(name, lambda q, v, t: _array(rows(Posture(q, v, t))))


def one_way(name: str, rate: Function) -> VelocityLimit:
    """A rate that cannot be negative."""
    return VelocityLimit(name, lambda q, v, t: rate(Posture(q, v, t)))


def contact(name: str, gap: Function, restitution: float) -> Contact:
    """A gap that cannot be negative."""
    return Contact(name, lambda q, t: gap(Posture(q, None, t)), restitution)


def distinct(name: str, *bodies: Body) -> tuple[Body, ...]:
    """Bodies between which there can be a joint."""
    if len(set(bodies)) < len(bodies):
        raise ModelError(f"joint {name!r} connects {bodies[0].name!r} with itself")
    if not any(body.moves for body in bodies):
        names = " and ".join(repr(body.name) for body in bodies)
        raise ModelError(f"joint {name!r} is between {names}, neither of which can move")
    return bodies


def difference(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
    """b - a, entry by entry."""
    return [y - x for x, y in zip(a, b, strict=True)]


def _array(rows: Any) -> Any:
    return np.array(rows) if isinstance(rows, list) else rows
