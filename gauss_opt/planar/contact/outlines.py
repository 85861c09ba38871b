"""Every shape that has an end as a polygon with a radius: corners, and edges between them.

A disc is one corner with a radius, a capsule two, a polygon many without one. The two sides of a
capsule are two edges. So contact between any two of them is contact of corners and edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot

from ...base.errors import ModelError
from ..shapes.round_shapes import Capsule, Disc, Dot, InnerDisc
from ..shapes.shape import Place, Shape
from ..shapes.straight_shapes import Polygon

__all__ = ["Corner", "Edge", "Outline", "outline_of"]


@dataclass(frozen=True)
class Edge:
    """A straight side, with what is solid on its left.

    Attributes
    ----------
    name : str
    start : (float, float)
    along : (float, float)
        Unit vector to its end.
    length : float
    """

    name: str
    start: Place
    along: Place
    length: float

    @property
    def normal(self) -> Place:
        """Outwards."""
        return self.along[1], -self.along[0]


@dataclass(frozen=True)
class Corner:
    """A corner, with the edges that end and begin there; a disc has none.

    Attributes
    ----------
    name : str
    place : (float, float)
    before, after : Edge or None
    """

    name: str
    place: Place
    before: Edge | None = None
    after: Edge | None = None


@dataclass(frozen=True)
class Outline:
    """A convex polygon of one corner or more, and all points within a radius of it."""

    corners: tuple[Corner, ...]
    edges: tuple[Edge, ...]
    radius: float


def outline_of(shape: Shape) -> Outline:
    """Corners, edges and radius of a shape.

    >>> outline = outline_of(Capsule((0.0, 0.0), (2.0, 0.0), 0.1))
    >>> len(outline.corners), len(outline.edges), outline.radius
    (2, 2, 0.1)
    """
    if isinstance(shape, Dot):
        return Outline((Corner("", shape.center),), (), 0.0)
    if isinstance(shape, Disc) and not isinstance(shape, InnerDisc):
        return Outline((Corner("", shape.center),), (), shape.radius)
    if isinstance(shape, Capsule):
        places: tuple[Place, ...] = (shape.start, shape.end)
        return _outline(places, ("start", "end"), ("right", "left"), shape.radius)
    if isinstance(shape, Polygon):
        count = range(1, len(shape.corners) + 1)
        corners, edges = ([f"{word}_{i}" for i in count] for word in ("corner", "edge"))
        return _outline(tuple(shape.corners), tuple(corners), tuple(edges), 0.0)
    raise ModelError(f"{shape!r} has no corners and edges")


def _outline(
    places: tuple[Place, ...], corners: tuple[str, ...], edges: tuple[str, ...], radius: float
) -> Outline:
    n = len(places)
    sides = [_edge(edges[i], places[i], places[(i + 1) % n]) for i in range(n)]
    bent = [Corner(corners[i], places[i], sides[i - 1], sides[i]) for i in range(n)]
    return Outline(tuple(bent), tuple(sides), radius)


def _edge(name: str, start: Place, end: Place) -> Edge:
    x, y = end[0] - start[0], end[1] - start[1]
    length = hypot(x, y)
    return Edge(name, start, (x / length, y / length), length)
