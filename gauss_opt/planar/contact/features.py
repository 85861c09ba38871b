"""What can touch: gap, normal and place of one feature of a shape against one of another.

Each is a function of the axes of two bodies and of numbers. The normal is the direction of the
force on the second body. Gaps are distances: they are zero on the surface, negative behind it, and
have a gradient of length one there, as Coulomb's law needs it. (The gap in a circle bends away from
the distance inside, so that it is smooth in the middle as well; on the circle it is exact up to
second derivatives.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .frames import Axes

__all__ = ["Touching", "corner_on_corner", "corner_on_edge", "inside_circle"]

Vector = tuple[Any, Any]


class Touching(NamedTuple):
    """A gap, the place half way across it, and the normal."""

    gap: Any
    place: Vector
    normal: Vector


def corner_on_corner(a: Axes, b: Axes, c: Sequence[Any]) -> Touching:
    """Two round corners, as of discs; c: both places, both radii."""
    (ax, ay), (bx, by) = a.at(c[0:2]), b.at(c[2:4])
    dx, dy = bx - ax, by - ay
    apart = np.hypot(dx, dy)
    nx, ny = dx / apart, dy / apart
    gap = apart - (c[4] + c[5])
    reach = c[4] + 0.5 * gap
    return Touching(gap, (ax + reach * nx, ay + reach * ny), (nx, ny))


def corner_on_edge(a: Axes, b: Axes, c: Sequence[Any]) -> Touching:
    """A corner of b at a straight edge of a; c: start and direction of the edge, corner, radii."""
    (ox, oy), (ex, ey), (px, py) = a.at(c[0:2]), a.direction(c[2:4]), b.at(c[4:6])
    nx, ny = ey, -ex
    gap = nx * (px - ox) + ny * (py - oy) - (c[6] + c[7])
    reach = c[7] + 0.5 * gap
    return Touching(gap, (px - reach * nx, py - reach * ny), (nx, ny))


def inside_circle(a: Axes, b: Axes, c: Sequence[Any]) -> Touching:
    """A round corner of b inside of a circle of a; c: centre, corner, both radii."""
    (ax, ay), (bx, by) = a.at(c[0:2]), b.at(c[2:4])
    dx, dy = bx - ax, by - ay
    room = c[4] - c[5]
    gap = 0.5 * (room - (dx * dx + dy * dy) / room)
    out = c[4] / room  # from the centre through the corner to the circle
    return Touching(gap, (ax + out * dx, ay + out * dy), (-dx / room, -dy / room))
