"""Applied forces and torques, and motors whose torque depends on their speed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.arrays import real_array
from ...base.errors import ModelError
from ..bodies import Body, Point
from ..posture import Posture
from .force import Force, Load, at_point

__all__ = ["AppliedForce", "Curve", "Torque"]


@dataclass(frozen=True, eq=False)
class AppliedForce(Force):
    """A given force at a point.

    Attributes
    ----------
    point : Point
    force : function of t
        (Fx, Fy) in newtons.
    turning : bool
        Whether its axes are those of the body instead of the world's.
    """

    point: Point
    force: Callable[[Any], Any]
    turning: bool

    def loads(self, p: Posture) -> Sequence[Load]:
        fx, fy = self._components(p)
        return [at_point(p, self.point, fx, fy)]

    def measure(self, p: Posture) -> Any:
        return np.hypot(*self._components(p))

    def _components(self, p: Posture) -> tuple[Any, Any]:
        fx, fy = self.force(p.t)
        return p.direction(self.point.body, (fx, fy)) if self.turning else (fx, fy)


@dataclass(frozen=True, eq=False)
class Torque(Force):
    """A torque on body b, and the opposite one on body a.

    Attributes
    ----------
    a, b : Body
    torque : function of (speed, t)
        In N m; the speed is the angular velocity of b, seen from a.
    """

    a: Body
    b: Body
    torque: Callable[[Any, Any], Any]

    def loads(self, p: Posture) -> Sequence[Load]:
        torque = self.measure(p)
        return [Load(self.b, 0.0, 0.0, torque), Load(self.a, 0.0, 0.0, -torque)]

    def measure(self, p: Posture) -> Any:
        return self.torque(p.speed(self.b)[2] - p.speed(self.a)[2], p.t)


class Curve:
    """Straight lines between points, and beyond the first and the last: a torque by speed.

    Parameters
    ----------
    x, y : sequences
        The points; x ascends.

    Examples
    --------
    >>> motor = Curve([0.0, 100.0, 150.0], [2.0, 1.5, 0.0])  # torque in N m by rad/s
    >>> motor(125.0), motor(200.0)
    (0.75, -1.5)
    """

    def __init__(self, x: Sequence[float], y: Sequence[float]) -> None:
        self.x, self.y = real_array("x of a Curve", x), real_array("y of a Curve", y)
        if self.x.ndim != 1 or self.x.shape != self.y.shape or len(self.x) < 2:
            raise ModelError("a Curve needs at least two points: as many x as y")
        if not (np.diff(self.x) > 0.0).all():
            raise ModelError("x of a Curve must ascend")

    def __call__(self, x: Any) -> Any:
        """The value at x."""
        slopes = (np.diff(self.y) / np.diff(self.x)).tolist()
        value = self.y[0].item() + slopes[0] * (x - self.x[0].item())
        for i, slope in enumerate(slopes[1:], 1):
            line = self.y[i].item() + slope * (x - self.x[i].item())
            value = np.where(x > self.x[i].item(), line, value)[()]
        return float(value) if isinstance(value, np.floating) else value
