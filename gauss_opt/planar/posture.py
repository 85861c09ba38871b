"""Where all bodies are, and how they move: places and velocities of bodies and points at a state.

It works on whatever positions and velocities are: numbers, symbols while functions are traced, or
arrays over the times of a result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .bodies import Body, Point

__all__ = ["Posture"]

Vector = tuple[Any, Any]


class Posture:
    """A state (q, v, t), and accelerations where they are known.

    Parameters
    ----------
    q, v, a : sequences
        One entry for each coordinate: a number, a symbol, or an array over times.
    t : float
        Time, or times.
    """

    def __init__(self, q: Any, v: Any, t: Any, a: Any = None) -> None:
        self.q, self.v, self.t, self.a = q, v, t, a

    def place(self, body: Body) -> tuple[Any, Any, Any]:
        """Mass centre (origin, of a body that is given) and angle."""
        return self._three(body, self.q, "value")

    def speed(self, body: Body) -> tuple[Any, Any, Any]:
        """Velocity of the mass centre, and angular velocity."""
        return self._three(body, self.v, "rate")

    def push(self, body: Body) -> tuple[Any, Any, Any]:
        """Acceleration of the mass centre, and angular acceleration."""
        return self._three(body, self.a, "acceleration")

    def _three(self, body: Body, values: Any, which: str) -> tuple[Any, Any, Any]:
        if body.motion is not None:
            x, y, angle = getattr(body.motion, which)(self.t)
            return x, y, angle
        if body.slot is None:
            return 0.0, 0.0, 0.0
        i = body.slot
        return values[i], values[i + 1], values[i + 2] if body.size == 3 else 0.0

    def at(self, point: Point) -> Vector:
        """Place of a point of a body."""
        x, y, angle = self.place(point.body)
        rx, ry = self.arm(point, angle)
        return x + rx, y + ry

    def velocity(self, point: Point) -> Vector:
        """Velocity of a point of a body."""
        _, _, angle = self.place(point.body)
        vx, vy, rate = self.speed(point.body)
        rx, ry = self.arm(point, angle)
        return vx - rate * ry, vy + rate * rx

    def acceleration(self, point: Point) -> Vector:
        """Acceleration of a point of a body."""
        _, _, angle = self.place(point.body)
        _, _, rate = self.speed(point.body)
        ax, ay, turn = self.push(point.body)
        rx, ry = self.arm(point, angle)
        return ax - turn * ry - rate**2 * rx, ay + turn * rx - rate**2 * ry

    def arm(self, point: Point, angle: Any) -> Vector:
        """From the mass centre to a point, in world axes."""
        return turned(point.local, angle)

    def direction(self, body: Body, along: Vector) -> Vector:
        """A direction fixed to a body, in world axes."""
        return turned(along, self.place(body)[2])


def turned(vector: Vector, angle: Any) -> Vector:
    """A vector turned by an angle.

    >>> turned((1.0, 0.0), 0.0)
    (1.0, 0.0)
    """
    x, y = vector
    if isinstance(angle, float) and angle == 0.0:
        return x, y
    c, s = np.cos(angle), np.sin(angle)
    return c * x - s * y, s * x + c * y
