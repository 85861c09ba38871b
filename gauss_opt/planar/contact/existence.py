"""Where a feature is the one that touches: conditions on places alone.

A corner meets an edge while its foot is on it, and a round corner meets a corner while no edge is
nearer. So of two round shapes exactly one row is there for each place at which they can touch, and
where one ends the next begins. Ends reach over by CORNER_REACH, so that corner stands on corner
(boxes of one width, one upon the other) whatever round-off does; and of the edges that end there
only those count against which the corner points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...base.tolerances.planar import CORNER_REACH
from ..bodies import Body
from .frames import Axes, local, local_direction
from .outlines import Corner, Edge

__all__ = ["Condition", "Truth", "beside", "facing"]

Truth = Callable[[Axes, Axes, Sequence[Any]], Any]
Condition = tuple[Truth, tuple[float, ...]]

STEEP = 0.5  # sine of the angle by which a corner may point away from an edge that it meets


def foot_on_edge(a: Axes, b: Axes, c: Sequence[Any]) -> Any:
    """c: start and direction of an edge of a, its ends, and a corner of b."""
    (ox, oy), (ex, ey), (px, py) = a.at(c[0:2]), a.direction(c[2:4]), b.at(c[6:8])
    station = ex * (px - ox) + ey * (py - oy)
    return (station >= c[4]) & (station <= c[5])


def round_foot(a: Axes, b: Axes, c: Sequence[Any]) -> Any:
    """The same of a round corner, whose centre is on the outer side of the edge."""
    (ox, oy), (ex, ey), (px, py) = a.at(c[0:2]), a.direction(c[2:4]), b.at(c[6:8])
    return foot_on_edge(a, b, c) & (ey * (px - ox) - ex * (py - oy) > 0.0)


def pointed_foot(a: Axes, b: Axes, c: Sequence[Any]) -> Any:
    """The same of a corner that points against the edge; c: also the directions of its sides."""
    ex, ey = a.direction(c[2:4])
    (ux, uy), (wx, wy) = b.direction(c[8:10]), b.direction(c[10:12])
    points = (ey * ux - ex * uy >= -STEEP) & (ey * wx - ex * wy >= -STEEP)
    return foot_on_edge(a, b, c) & points


def sees_corner(a: Axes, b: Axes, c: Sequence[Any]) -> Any:
    """c: a corner of a, directions of the edges before and after it, reach, and a corner of b."""
    (ox, oy), (px, py) = a.at(c[0:2]), b.at(c[7:9])
    (ex, ey), (fx, fy) = a.direction(c[2:4]), a.direction(c[4:6])
    dx, dy = px - ox, py - oy
    return (ex * dx + ey * dy >= -c[6]) & (fx * dx + fy * dy <= c[6])


def see_each_other(a: Axes, b: Axes, c: Sequence[Any]) -> Any:
    """Two corners that both have edges; c: what :func:`sees_corner` takes, then the other way."""
    return sees_corner(a, b, c[:9]) & sees_corner(b, a, c[9:])


def beside(first: Body, edge: Edge, second: Body, corner: Corner, *, round_: bool) -> Condition:
    """The condition under which a corner can meet an edge."""
    reach = 0.0 if round_ else CORNER_REACH * edge.length
    numbers = (
        *local(first, edge.start), *local_direction(first, edge.along),
        -reach, edge.length + reach, *local(second, corner.place),
    )  # fmt: skip
    if round_:
        return round_foot, numbers
    if corner.before is None or corner.after is None:
        return foot_on_edge, numbers
    back = (-corner.before.along[0], -corner.before.along[1])
    sides = (*local_direction(second, back), *local_direction(second, corner.after.along))
    return pointed_foot, (*numbers, *sides)


def facing(first: Body, a: Corner, second: Body, b: Corner) -> Condition | None:
    """The condition under which two round corners can meet; None for two discs."""
    ways = [_sight(*way) for way in ((first, a, second, b), (second, b, first, a)) if way[1].after]
    if not ways:
        return None
    if len(ways) == 2:
        return see_each_other, (*ways[0], *ways[1])
    return (sees_corner if a.after else _seen_from_second), ways[0]


def _seen_from_second(a: Axes, b: Axes, c: Sequence[Any]) -> Any:
    return sees_corner(b, a, c)


def _sight(first: Body, a: Corner, second: Body, b: Corner) -> tuple[float, ...]:
    assert a.before is not None
    assert a.after is not None
    reach = CORNER_REACH * min(a.before.length, a.after.length)
    return (
        *local(first, a.place), *local_direction(first, a.before.along),
        *local_direction(first, a.after.along), reach, *local(second, b.place),
    )  # fmt: skip
