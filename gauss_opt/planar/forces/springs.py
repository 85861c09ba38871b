"""Springs and dampers between points, and between bodies that turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..bodies import Point
from ..posture import Posture
from ..quantities import Quantity
from .force import Force, Load, at_point, opposite

__all__ = ["Law", "Spring", "TurningSpring"]

Law = Callable[[Any, Any], Any]
"""Tension from stretch and its rate."""


@dataclass(frozen=True, eq=False)
class Spring(Force):
    """Tension along the line between two points, from the stretch and its rate.

    Attributes
    ----------
    a, b : Point
    length : float
        Without tension.
    stiffness, damping : float
        In N/m and N s/m.
    law : function of (stretch, rate), optional
        The tension instead.
    """

    a: Point
    b: Point
    length: float
    stiffness: float
    damping: float
    law: Law | None

    def loads(self, p: Posture) -> Sequence[Load]:
        dx, dy = self._apart(p)
        now = np.hypot(dx, dy)
        pull = self._tension(p, dx, dy, now) / now
        return opposite(p, self.a, self.b, -pull * dx, -pull * dy)

    def measure(self, p: Posture) -> Any:
        dx, dy = self._apart(p)
        return self._tension(p, dx, dy, np.hypot(dx, dy))

    def potential(self, p: Posture) -> Any:
        if self.law is not None:
            return None
        return 0.5 * self.stiffness * (np.hypot(*self._apart(p)) - self.length) ** 2

    def _apart(self, p: Posture) -> tuple[Any, Any]:
        (ax, ay), (bx, by) = p.at(self.a), p.at(self.b)
        return bx - ax, by - ay

    def _tension(self, p: Posture, dx: Any, dy: Any, now: Any) -> Any:
        stretch = now - self.length
        if self.law is None and not self.damping:
            return self.stiffness * stretch
        (ax, ay), (bx, by) = p.velocity(self.a), p.velocity(self.b)
        rate = (dx * (bx - ax) + dy * (by - ay)) / now
        if self.law is not None:
            return self.law(stretch, rate)
        return self.stiffness * stretch + self.damping * rate


@dataclass(frozen=True, eq=False)
class TurningSpring(Force):
    """Torque between two bodies, against the angle between them and its rate.

    Attributes
    ----------
    turn : Quantity
        The angle of body b, seen from body a.
    angle : float
        Without torque.
    stiffness, damping : float
        In N m/rad and N m s/rad.
    law : function of (angle, rate), optional
        The torque against the angle instead.
    """

    turn: Quantity
    angle: float
    stiffness: float
    damping: float
    law: Law | None

    def loads(self, p: Posture) -> Sequence[Load]:
        a, b = self.turn.bodies
        torque = self.measure(p)
        return [at_point(p, b.center, 0.0, 0.0, -torque), at_point(p, a.center, 0.0, 0.0, torque)]

    def measure(self, p: Posture) -> Any:
        angle = self.turn.value(p) - self.angle
        if self.law is not None:
            return self.law(angle, self.turn.slope(p))
        if not self.damping:
            return self.stiffness * angle
        return self.stiffness * angle + self.damping * self.turn.slope(p)

    def potential(self, p: Posture) -> Any:
        if self.law is not None:
            return None
        return 0.5 * self.stiffness * (self.turn.value(p) - self.angle) ** 2
