"""How far two shapes are from one another, or how deep in one another, and where.

Distances of convex sets by their corners and edges, without any contact row: what a start is
checked with.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.errors import ModelError
from ...base.tolerances.planar import OVERLAP
from ..bodies import Body
from ..posture import Posture, turned
from ..shapes.round_shapes import InnerDisc
from ..shapes.shape import Shape
from ..shapes.straight_shapes import HalfPlane
from .colliding import ContactPair
from .outlines import outline_of
from .rows import can_touch

__all__ = ["Distance", "distance_of", "refuse_overlap"]


class Distance(NamedTuple):
    """A distance, below zero where shapes overlap, and a place between the two surfaces."""

    value: float
    place: Array


def refuse_overlap(pairs: tuple[ContactPair, ...], q: Array, t: float) -> None:
    """An error for bodies that are in one another at the start: how deep, and where."""
    p = Posture(q, None, t)
    deepest: tuple[float, str] = (0.0, "")
    reach = {body: _reach(body) for pair in pairs for body in pair.bodies}
    centers = {body: np.array(p.at(body.center), dtype=float) for body in reach}
    for pair in pairs:
        a, b = pair.bodies
        if np.hypot(*(centers[a] - centers[b])) > reach[a] + reach[b]:
            continue
        found = distance_of(a, b, p)
        size = max(np.abs(found.place).max(), *(_size(shape) for shape in (*a.shapes, *b.shapes)))
        if found.value < min(-OVERLAP * size, deepest[0]):
            x, y = found.place
            deepest = (
                found.value,
                f"{a.name!r} and {b.name!r} overlap at the start, by {-found.value:.3g} m near "
                f"({x:.4g}, {y:.4g})",
            )
    if deepest[1]:
        raise ModelError(
            f"{deepest[1]}: give them other places, or let them not collide, by apart= of collide()"
        )


def distance_of(a: Body, b: Body, p: Posture) -> Distance:
    """The distance of two bodies: of those two of their shapes that are nearest."""
    every = [
        _distance(a, one, b, other, p)
        for one, other in product(a.shapes, b.shapes)
        if can_touch(one, other)
    ]
    return min(every, key=lambda found: found.value)


def _distance(a: Body, one: Shape, b: Body, other: Shape, p: Posture) -> Distance:
    if isinstance(other, HalfPlane | InnerDisc):
        return _distance(b, other, a, one, p)
    outline = outline_of(other)
    corners = _world(p, b, [corner.place for corner in outline.corners])
    if isinstance(one, HalfPlane):
        normal = np.array(turned(one.normal, float(p.place(a)[2])))
        (surface,) = _world(p, a, [one.points()["surface"]])
        heights = (corners - surface) @ normal - outline.radius
        k = int(heights.argmin())
        return Distance(float(heights[k]), corners[k] - (outline.radius + heights[k]) * normal)
    if isinstance(one, InnerDisc):
        (center,) = _world(p, a, [one.center])
        out = np.hypot(*(corners - center).T)
        k = int(out.argmax())
        along = (corners[k] - center) / (out[k] or 1.0)
        room = one.radius - outline.radius - float(out[k])
        return Distance(room, center + one.radius * along)
    mine = outline_of(one)
    first = _world(p, a, [corner.place for corner in mine.corners])
    core = _between(first, corners)
    return core._replace(value=core.value - mine.radius - outline.radius)


def _between(a: Array, b: Array) -> Distance:
    """Of two convex polygons of one corner or more: apart, or how deep along the best normal."""
    apart = [_to_edges(point, b) for point in a] + [_to_edges(point, a) for point in b]
    depth = _depth(a, b)
    # Inside of one another no distance of corners and edges says how deep.
    return depth if depth.value < 0.0 else min(apart, key=lambda found: found.value)


def _to_edges(point: Array, corners: Array) -> Distance:
    """The distance of a point and the rim of a polygon."""
    along = np.roll(corners, -1, axis=0) - corners
    squares = (along * along).sum(axis=1)
    stations = ((point - corners) * along).sum(axis=1) / np.where(squares > 0.0, squares, 1.0)
    feet = corners + np.clip(stations, 0.0, 1.0)[:, None] * along
    ways = np.hypot(*(feet - point).T)
    k = int(ways.argmin())
    return Distance(float(ways[k]), 0.5 * (point + feet[k]))


def _depth(a: Array, b: Array) -> Distance:
    """The largest separation along the normals of either; below zero when none separates them."""
    best = Distance(-np.inf, a[0])
    for mine, others in ((a, b), (b, a)):
        along = np.roll(mine, -1, axis=0) - mine
        for start, edge in zip(mine, along, strict=True):
            length = float(np.hypot(*edge))
            if not length:
                continue
            heights = (others - start) @ np.array([edge[1], -edge[0]]) / length
            k = int(heights.argmin())
            if heights[k] > best.value:
                best = Distance(float(heights[k]), others[k])
    return best if np.isfinite(best.value) else Distance(np.inf, a[0])


def _world(p: Posture, body: Body, places: list[tuple[float, float]]) -> Array:
    return np.array([[float(x) for x in p.at(body.at(*place))] for place in places])


def _reach(body: Body) -> float:
    """Radius of a circle around the mass centre that has the whole body in it, if one has."""
    if any(isinstance(shape, HalfPlane | InnerDisc) for shape in body.shapes):
        return np.inf
    outlines = [outline_of(shape) for shape in body.shapes]
    places = [(c.place, outline.radius) for outline in outlines for c in outline.corners]
    x, y = body.mass_center
    return max(float(np.hypot(a - x, b - y)) + radius for (a, b), radius in places)


def _size(shape: Shape) -> float:
    outline = shape.outline()
    return float(np.abs(outline).max()) if len(outline) else 0.0
