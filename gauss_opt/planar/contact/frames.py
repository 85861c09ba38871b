"""Where the axes of a body are, as a function of a few of the coordinates of a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...base.carrying import Carried
from ..bodies import Body
from ..motion import Motion
from ..posture import Posture, turned
from ..shapes.shape import Place

__all__ = ["Axes", "Frame", "Twist", "frame_of"]


class Axes(NamedTuple):
    """Origin, and cosine and sine of the angle, of the axes of a body."""

    x: Any
    y: Any
    c: Any
    s: Any

    def at(self, place: Sequence[Any]) -> tuple[Any, Any]:
        """A point of the body in the world."""
        rx, ry = self.direction(place)
        return self.x + rx, self.y + ry

    def direction(self, along: Sequence[Any]) -> tuple[Any, Any]:
        """A direction of the body in the world."""
        a, b = along
        return self.c * a - self.s * b, self.s * a + self.c * b


class Twist(NamedTuple):
    """Velocity of the origin, and angular velocity."""

    vx: Any
    vy: Any
    rate: Any

    def at(self, axes: Axes, x: Any, y: Any) -> tuple[Any, Any]:
        """Velocity of the point of the body that is at a place of the world."""
        return self.vx - self.rate * (y - axes.y), self.vy + self.rate * (x - axes.x)


@dataclass(frozen=True)
class Frame(Carried):
    """How the axes of a body follow from its coordinates.

    Attributes
    ----------
    size : int
        Coordinates that it takes: 3; 2 where the angle is of no matter; 0 for a body that is given.
    motion : Motion or None
        Of a body that moves as given.
    """

    size: int
    motion: Motion | None = None

    def axes(self, x: Sequence[Any], t: Any) -> Axes:
        """The axes from these coordinates and the time."""
        if self.motion is not None:
            px, py, angle = self.motion.value(t)
        elif not self.size:
            return Axes(0.0, 0.0, 1.0, 0.0)
        elif self.size == 2:
            return Axes(x[0], x[1], 1.0, 0.0)
        else:
            px, py, angle = x
        return Axes(px, py, np.cos(angle), np.sin(angle))

    def twist(self, u: Sequence[Any], t: Any) -> Twist:
        """The velocity from the rates of these coordinates and the time."""
        if self.motion is not None:
            return Twist(*self.motion.rate(t))
        if not self.size:
            return Twist(0.0, 0.0, 0.0)
        return Twist(u[0], u[1], u[2] if self.size == 3 else 0.0)


def frame_of(body: Body, *, turns: bool) -> Frame:
    """The frame of a body; where nothing turns with it, its angle is left out."""
    if body.moves:
        return Frame(body.size if turns else 2)
    still = body.motion is None or body.motion.still
    return Frame(0) if still else Frame(0, body.motion)


def local(body: Body, place: Place) -> Place:
    """A place of a body in the axes of its frame: from the mass centre; of still ones the world."""
    if body.moves or body.motion is None or not body.motion.still:
        return place[0] - body.mass_center[0], place[1] - body.mass_center[1]
    x, y = Posture((), None, 0.0).at(body.at(*place))
    return float(x), float(y)


def local_direction(body: Body, along: Place) -> Place:
    """A direction of a body in the axes of its frame."""
    if body.moves or body.motion is None or not body.motion.still:
        return along
    x, y = turned(along, float(body.motion.value(0.0)[2]))
    return float(x), float(y)
