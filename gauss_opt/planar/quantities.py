"""Quantities of a mechanism: what a start gives, a driver moves, a lock holds or a limit bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.carrying import Carried
from ..base.errors import ModelError
from .posture import Posture

if TYPE_CHECKING:
    from .bodies import Body, Point

__all__ = ["Quantity", "Rate", "between", "deg", "distance"]

deg = pi / 180.0
"""One degree in radians: ``60 * deg``."""


@dataclass(frozen=True, eq=False)
class Quantity(Carried):
    """A function of the positions, a number or a pair, with its rate.

    Attributes
    ----------
    name : str
        In words: ``"crank.angle"``.
    unit : str
        ``"m"`` or ``"rad"``.
    bodies : tuple of Body
        Whose places it depends on.
    value, slope : functions of a Posture
        The quantity, and its derivative by time.
    parts : int
        1 for a number, 2 for a pair.
    """

    name: str
    unit: str
    bodies: tuple[Body, ...]
    value: Callable[[Posture], Any]
    slope: Callable[[Posture], Any]
    parts: int = 1

    @property
    def rate(self) -> Rate:
        """How fast it changes."""
        return Rate(self)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False)
class Rate:
    """How fast a quantity changes."""

    of: Quantity

    @property
    def name(self) -> str:
        """Of the quantity, with what stands for its rate."""
        stem, dot, last = self.of.name.rpartition(".")
        known = {"angle": "rate", "x": "vx", "y": "vy", "position": "velocity"}
        return f"{stem}{dot}{known.get(last, f'rate of {last}')}" if dot else f"rate of {last}"

    def __str__(self) -> str:
        return self.name


def distance(a: Point, b: Point) -> Quantity:
    """The distance of two points.

    >>> import gauss_opt.planar as pl
    >>> m = pl.Mechanism()
    >>> bob = m.particle("bob", mass=1.0)
    >>> pl.distance(m.ground.at(0, 0), bob.center).name
    'distance of ground and bob.center'
    """
    if a.body == b.body:
        raise ModelError(f"{a} and {b} are points of one body: their distance never changes")

    def value(p: Posture) -> Any:
        dx, dy = _apart(p, a, b)
        return np.hypot(dx, dy)

    def slope(p: Posture) -> Any:
        dx, dy = _apart(p, a, b)
        (ax, ay), (bx, by) = p.velocity(a), p.velocity(b)
        return (dx * (bx - ax) + dy * (by - ay)) / np.hypot(dx, dy)

    return Quantity(f"distance of {a} and {b}", "m", (a.body, b.body), value, slope)


def between(a: Body, b: Body) -> Quantity:
    """The angle of body b, seen from body a.

    >>> import gauss_opt.planar as pl
    >>> m = pl.Mechanism()
    >>> pl.between(m.ground, m.body("arm", pl.Rod(1.0), mass=1.0)).name
    'angle from ground to arm'
    """
    for body in (a, b):
        body.require_angle()
    return Quantity(
        f"angle from {a.name} to {b.name}",
        "rad",
        (a, b),
        lambda p: p.place(b)[2] - p.place(a)[2],
        lambda p: p.speed(b)[2] - p.speed(a)[2],
    )


def _apart(p: Posture, a: Point, b: Point) -> tuple[Any, Any]:
    (ax, ay), (bx, by) = p.at(a), p.at(b)
    return bx - ax, by - ay
