"""Shapes with straight edges: convex polygons, boxes and half planes; and lines for joints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import cos, hypot, sin
from typing import Any

import numpy as np

from ...base.arrays import Array
from ...base.errors import ModelError
from ...base.tolerances.planar import FLAT_POLYGON
from .shape import Extent, Place, Shape, pair, positive

__all__ = ["Box", "HalfPlane", "Line", "Polygon"]


@dataclass(frozen=True)
class Polygon(Shape):
    """A convex polygon by its corners, in either sense of rotation.

    >>> Polygon([(0, 0), (1, 0), (0, 1)]).extent().amount
    0.5
    """

    corners: Sequence[Place]

    def __post_init__(self) -> None:
        corners = np.array([pair("a corner of a Polygon", corner) for corner in self.corners])
        if len(corners) < 3:
            raise ModelError(f"a Polygon needs at least three corners, got {len(corners)}")
        area = _area(corners)
        size = np.ptp(corners, axis=0).max()
        if abs(area) <= FLAT_POLYGON * size**2:
            raise ModelError(
                f"the corners of this Polygon are on one line, so its area is zero: "
                f"{corners.tolist()}; use a Segment"
            )
        corners = corners if area > 0.0 else corners[::-1]
        turns = _turns(corners)
        if (turns <= FLAT_POLYGON * size**2).any():
            bad = corners[int(turns.argmin())].tolist()
            raise ModelError(
                f"this Polygon is not convex, or has a corner that is none, at {bad}: split it "
                f"into convex ones; a body may have several shapes"
            )
        object.__setattr__(self, "corners", tuple((float(x), float(y)) for x, y in corners))

    def extent(self) -> Extent | None:
        p = np.array(self.corners)
        r = np.roll(p, -1, axis=0)
        cross = p[:, 0] * r[:, 1] - p[:, 1] * r[:, 0]
        area = 0.5 * cross.sum()
        center = ((p + r) * cross[:, None]).sum(axis=0) / (6.0 * area)
        second = (cross * ((p * p).sum(1) + (p * r).sum(1) + (r * r).sum(1))).sum() / 12.0
        gyration = second / area - float(center @ center)
        return Extent(float(area), True, (float(center[0]), float(center[1])), float(gyration))

    def points(self) -> Mapping[str, Place]:
        extent = self.extent()
        assert extent is not None
        named = {f"corner_{i + 1}": corner for i, corner in enumerate(self.corners)}
        return {"center": extent.center, **named}

    def outline(self) -> Array:
        return np.array(self.corners)


class Box(Polygon):
    """A rectangle of a width and a height about a centre; the first corner is the lower left one.

    >>> Box(2.0, 1.0).corners
    ((-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5))
    """

    def __init__(
        self, width: float, height: float, center: Place = (0.0, 0.0), *, angle: float = 0.0
    ) -> None:
        w = 0.5 * positive("the width of a Box", width)
        h = 0.5 * positive("the height of a Box", height)
        x, y = pair("the centre of a Box", center)
        c, s = cos(angle), sin(angle)
        corners = [(-w, -h), (w, -h), (w, h), (-w, h)]
        super().__init__([(x + c * a - s * b, y + s * a + c * b) for a, b in corners])


@dataclass(frozen=True)
class HalfPlane(Shape):
    """Everything on the far side of a line: what is outside of it has normal . p >= offset.

    >>> HalfPlane(normal=(0, 2)).normal  # the ground at y = 0; normals are made unit vectors
    (0.0, 1.0)
    """

    normal: Place
    offset: float = 0.0

    def __post_init__(self) -> None:
        x, y = pair("the normal of a HalfPlane", self.normal)
        size = hypot(x, y)
        if not size > 0.0:
            raise ModelError("the normal of a HalfPlane has no direction")
        (offset, _) = pair("the offset of a HalfPlane", (self.offset, 0.0))
        object.__setattr__(self, "normal", (x / size, y / size))
        object.__setattr__(self, "offset", offset)

    @classmethod
    def through(cls, point: Place, normal: Place) -> HalfPlane:
        """The half plane whose surface goes through a point.

        >>> HalfPlane.through((0.0, 3.0), normal=(0, 1)).offset
        3.0
        """
        plane = cls(normal)
        x, y = pair("the point of a HalfPlane", point)
        return cls(plane.normal, plane.normal[0] * x + plane.normal[1] * y)

    def extent(self) -> Extent | None:
        return None

    def points(self) -> Mapping[str, Place]:
        return {"surface": (self.normal[0] * self.offset, self.normal[1] * self.offset)}

    def outline(self) -> Array:
        return np.zeros((0, 2))


@dataclass(frozen=True)
class Line:
    """A straight line through a point along a direction, for joints.

    >>> Line((0, 0), (2, 0)).direction
    (1.0, 0.0)
    """

    point: Any
    direction: Any

    def __post_init__(self) -> None:
        x, y = pair("the direction of a Line", self.direction)
        size = hypot(x, y)
        if not size > 0.0:
            raise ModelError("a Line needs a direction that is not zero")
        object.__setattr__(self, "point", pair("the point of a Line", self.point))
        object.__setattr__(self, "direction", (x / size, y / size))

    @property
    def normal(self) -> Place:
        """To the left of the direction."""
        return -self.direction[1], self.direction[0]


def _area(p: Array) -> float:
    r = np.roll(p, -1, axis=0)
    return 0.5 * float((p[:, 0] * r[:, 1] - p[:, 1] * r[:, 0]).sum())


def _turns(p: Array) -> Array:
    """Cross product of the edges at each corner: positive at a convex one."""
    before, after = p - np.roll(p, 1, axis=0), np.roll(p, -1, axis=0) - p
    turns: Array = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
    return turns
