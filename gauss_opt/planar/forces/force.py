"""What every force between bodies tells: loads on bodies, its energy, and one number to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...base.carrying import Carried
from ..bodies import Body, Point
from ..posture import Posture

__all__ = ["Force", "Load", "at_point", "opposite"]


class Load(NamedTuple):
    """A force at the mass centre of a body, and a torque."""

    body: Body
    x: Any
    y: Any
    torque: Any = 0.0


@dataclass(frozen=True, eq=False)
class Force(Carried):
    """A force element.

    Attributes
    ----------
    name : str
    bodies : tuple of Body
    """

    name: str
    bodies: tuple[Body, ...]

    def loads(self, p: Posture) -> Sequence[Load]:
        """What acts on which body."""
        raise NotImplementedError

    def measure(self, p: Posture) -> Any:
        """The one number that stands for it: a tension in N, a torque in N m."""
        raise NotImplementedError

    def potential(self, p: Posture) -> Any:
        """Its energy where it has a potential; None where it has none."""
        return None


def at_point(p: Posture, point: Point, fx: Any, fy: Any, torque: Any = 0.0) -> Load:
    """A force at a point of a body."""
    rx, ry = p.arm(point, p.place(point.body)[2])
    return Load(point.body, fx, fy, rx * fy - ry * fx + torque)


def opposite(p: Posture, a: Point, b: Point, fx: Any, fy: Any) -> list[Load]:
    """A force on body b at its point, and the opposite one on body a at its."""
    return [at_point(p, b, fx, fy), at_point(p, a, -fx, -fy)]
