"""The rows of two shapes that can touch: one for each feature, written as members of families."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...base.carrying import Carried
from ...base.errors import ModelError
from ...model.constraints import Contact
from ...model.families import Family
from ..bodies import Body
from ..posture import Posture
from ..shapes.round_shapes import InnerDisc
from ..shapes.shape import Shape
from ..shapes.straight_shapes import HalfPlane
from .existence import Condition, Truth, beside, facing
from .features import Touching, corner_on_corner, corner_on_edge, inside_circle
from .frames import Axes, Frame, frame_of, local, local_direction
from .outlines import Corner, Edge, Outline, outline_of

__all__ = ["Families", "Row", "can_touch", "rows_of"]

Feature = Callable[[Axes, Axes, Sequence[Any]], Touching]


@dataclass(frozen=True, eq=False)
class Row(Carried):
    """One feature of a body against one of another.

    Attributes
    ----------
    name : str
        In words, within the pair: ``"corner_2 on edge_1"``.
    first, second : Body
        The force along the normal acts on the second, the opposite one on the first.
    feature : function of two axes and numbers
    constants : tuple of float
    condition : (function, numbers) or None
        When it is there at all.
    passable : bool
        Whether the second may be behind the surface: a corner on the far side of a polygon has its
        foot on the edge as well.
    turns : (bool, bool)
        Whether the angles of the two bodies matter.
    """

    name: str
    first: Body
    second: Body
    feature: Feature
    constants: tuple[float, ...]
    condition: Condition | None = None
    passable: bool = False
    turns: tuple[bool, bool] = (True, True)

    def called(self, name: str) -> Row:
        """The same under another name."""
        return replace(self, name=name)

    def touching(self, p: Posture) -> Touching:
        """Gap, place and normal at a posture."""
        return self.feature(*self.axes(p), self.constants)

    def exists(self, p: Posture) -> Any:
        """Whether it is there at a posture."""
        return (
            True if self.condition is None else self.condition[0](*self.axes(p), self.condition[1])
        )

    def axes(self, p: Posture) -> tuple[Axes, Axes]:
        """The axes of both bodies."""
        a, b = (
            frame_of(body, turns=True).axes([p.q[i] for i in body.slots], p.t)
            for body in (self.first, self.second)
        )
        return a, b


def can_touch(a: Shape, b: Shape) -> bool:
    """Whether two shapes can touch from outside of one another.

    >>> from gauss_opt.planar import Disc
    >>> can_touch(HalfPlane((0, 1)), Disc(1.0)), can_touch(HalfPlane((0, 1)), InnerDisc(1.0))
    (True, False)
    """
    surrounding = [isinstance(shape, HalfPlane | InnerDisc) for shape in (a, b)]
    if all(surrounding):
        return False
    if any(surrounding):
        return True
    one, other = outline_of(a), outline_of(b)
    return bool(one.radius + other.radius or one.edges or other.edges)


def rows_of(a: Body, one: Shape, b: Body, other: Shape) -> Iterator[Row]:
    """The rows of a shape of one body and a shape of another."""
    if isinstance(other, HalfPlane | InnerDisc):
        yield from rows_of(b, other, a, one)
    elif isinstance(one, HalfPlane):
        yield from _on_plane(a, one, b, outline_of(other))
    elif isinstance(one, InnerDisc):
        yield from _in_circle(a, one, b, outline_of(other))
    else:
        yield from _between(a, outline_of(one), b, outline_of(other))


def _on_plane(a: Body, plane: HalfPlane, b: Body, outline: Outline) -> Iterator[Row]:
    nx, ny = plane.normal
    edge = Edge("", plane.points()["surface"], (-ny, nx), 0.0)
    for corner in outline.corners:
        yield _edge_row(corner.name, a, edge, b, corner, (0.0, outline.radius))


def _in_circle(a: Body, circle: InnerDisc, b: Body, outline: Outline) -> Iterator[Row]:
    for corner in outline.corners:
        if outline.radius >= circle.radius:
            raise ModelError(
                f"body {b.name!r}, of radius {outline.radius:g}, is no smaller than the circle of "
                f"{a.name!r} that it is to be in, of radius {circle.radius:g}"
            )
        center, place = local(a, circle.center), local(b, corner.place)
        numbers = (*center, *place, circle.radius, outline.radius)
        yield Row(corner.name, a, b, inside_circle, numbers, turns=(any(center), any(place)))


def _between(a: Body, one: Outline, b: Body, other: Outline) -> Iterator[Row]:
    radii = (one.radius, other.radius)
    if sum(radii):
        for corner in one.corners:
            for facing_it in other.corners:
                yield _corner_row(a, corner, b, facing_it, radii)
    for edge in one.edges:
        for corner in other.corners:
            yield _on_edge(a, edge, b, corner, radii)
    for edge in other.edges:
        for corner in one.corners:
            yield _on_edge(b, edge, a, corner, radii[::-1])


def _corner_row(a: Body, one: Corner, b: Body, other: Corner, radii: tuple[float, float]) -> Row:
    places = local(a, one.place), local(b, other.place)
    condition = facing(a, one, b, other)
    bare, name = condition is None, _words(b, other.name, a, one.name)
    return Row(
        name, a, b, corner_on_corner, (*places[0], *places[1], *radii), condition,
        turns=(not bare or any(places[0]), not bare or any(places[1])),
    )  # fmt: skip


def _on_edge(a: Body, edge: Edge, b: Body, corner: Corner, radii: tuple[float, float]) -> Row:
    row = _edge_row(_words(b, corner.name, a, edge.name), a, edge, b, corner, radii)
    round_ = sum(radii) > 0.0
    condition = beside(a, edge, b, corner, round_=round_)
    turns = (True, row.turns[1] or corner.after is not None)
    return replace(row, condition=condition, passable=not round_, turns=turns)


def _edge_row(
    name: str, a: Body, edge: Edge, b: Body, corner: Corner, radii: tuple[float, float]
) -> Row:
    place = local(b, corner.place)
    numbers = (*local(a, edge.start), *local_direction(a, edge.along), *place, *radii)
    return Row(name, a, b, corner_on_edge, numbers, turns=(True, any(place)))


def _words(b: Body, corner: str, a: Body, other: str) -> str:
    """Which feature of b meets which of a; of two discs there is only one."""
    if not corner and not other:
        return ""
    one, two = (f"{body.name}.{x}" if x else body.name for body, x in ((b, corner), (a, other)))
    return f"{one} on {two}"


@dataclass(frozen=True)
class _Gap(Carried):
    feature: Feature
    a: Frame
    b: Frame

    def __call__(self, x: Any, t: Any, c: Any) -> Any:
        a, b = self.a.axes(x[: self.a.size], t), self.b.axes(x[self.a.size :], t)
        return self.feature(a, b, c).gap


@dataclass(frozen=True)
class _Slip(Carried):
    """Velocity of the second body along the surface, to the right of the normal."""

    feature: Feature
    a: Frame
    b: Frame

    def __call__(self, x: Any, u: Any, t: Any, c: Any) -> Any:
        n = self.a.size
        a, b = self.a.axes(x[:n], t), self.b.axes(x[n:], t)
        _, (px, py), (nx, ny) = self.feature(a, b, c)
        ax, ay = self.a.twist(u[:n], t).at(a, px, py)
        bx, by = self.b.twist(u[n:], t).at(b, px, py)
        return ny * (bx - ax) - nx * (by - ay)


@dataclass(frozen=True)
class _Exists(Carried):
    truth: Truth
    a: Frame
    b: Frame

    def __call__(self, x: Any, t: Any, c: Any) -> Any:
        return self.truth(self.a.axes(x[: self.a.size], t), self.b.axes(x[self.a.size :], t), c)


class Families:
    """The families of the rows of a mechanism, each made when it is first asked for."""

    def __init__(self) -> None:
        self._known: dict[Any, Family] = {}

    def contact(self, name: str, row: Row, restitution: float, friction: float) -> Contact:
        """A row as a contact; with a slip where there is friction."""
        gap, at = self._family(_Gap, row.feature, row, row.turns)
        slip = active = None
        if friction:
            family, along = self._family(_Slip, row.feature, row, (True, True))
            slip = family.slip(along, row.constants)
        if row.condition is not None:
            truth, numbers = row.condition
            family, places = self._family(_Exists, truth, row, (True, True))
            active = family.condition(places, numbers)
        return Contact(name, gap.gap(at, row.constants), restitution, active, row.passable,
                       slip=slip, friction=friction)  # fmt: skip

    def _family(
        self, kind: Callable[..., Any], function: Any, row: Row, turns: tuple[bool, bool]
    ) -> tuple[Family, list[int]]:
        """The family of a row, and the coordinates it is of."""
        bodies = (row.first, row.second)
        a, b = (frame_of(body, turns=t) for body, t in zip(bodies, turns, strict=True))
        made = kind(function, a, b)
        family = self._known.setdefault(made, Family(made))
        sizes = zip(bodies, (a, b), strict=True)
        return family, [slot for body, frame in sizes for slot in body.slots[: frame.size]]
