"""Bodies and the points on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.errors import ModelError
from ..base.words.choices import choices
from .motion import Motion
from .quantities import Quantity, Rate
from .shapes.shape import Place, Shape, pair

__all__ = ["Body", "Point"]


@dataclass(frozen=True, eq=False)
class Body:
    """A body: rigid (x, y, angle), a particle (x, y), fixed to the ground, or moved as given.

    The coordinates are the place of the mass centre and the angle. Points are written in the
    body's own axes, in which its shapes are. It stays the same body when it travels to another
    process, or when its mechanism is copied.

    Attributes
    ----------
    name : str
    shapes : tuple of Shape
    mass, inertia : float
        In kg, and about the mass centre in kg m^2.
    mass_center : (float, float)
        In the body's own axes.
    slot : int or None
        Place of its first coordinate; None for a body whose place is given.
    size : int
        Number of its coordinates: 3, 2 for a particle, 0 when its place is given.
    motion : Motion or None
        The place of its origin and its angle over time, of a moved body.
    drawn : (x, y, angle) or None
        Where its origin was drawn, if it was.
    material : str
    owner : str
        The mechanism it belongs to.
    """

    name: str
    shapes: tuple[Shape, ...] = ()
    mass: float = 0.0
    inertia: float = 0.0
    mass_center: Place = (0.0, 0.0)
    slot: int | None = None
    size: int = 0
    motion: Motion | None = None
    drawn: tuple[float, float, float] | None = None
    material: str = ""
    owner: str = ""
    _named: dict[str, Place] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for shape in self.shapes:
            for name, place in shape.points().items():
                self._named.setdefault(name, place)
        self._named.setdefault("center", self.mass_center)
        self._named.setdefault("origin", (0.0, 0.0))

    @property
    def _key(self) -> tuple[Any, ...]:
        return self.owner, self.name, self.slot, self.size

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Body) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def at(self, x: float, y: float) -> Point:
        """A point of the body, in its own axes."""
        return Point(self, pair(f"a point of body {self.name!r}", (x, y)))

    @property
    def center(self) -> Point:
        """Its mass centre."""
        return Point(self, self.mass_center, "center")

    def __getattr__(self, name: str) -> Point:
        """A point of the shapes by name: ``rod.end``."""
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._named:
            listed = choices(name, sorted(self._named))
            raise ModelError(
                f"body {self.name!r} has no point {name!r}; {listed} Any other point is "
                f"{self.name}.at(x, y)"
            )
        return Point(self, self._named[name], name)

    def require_angle(self) -> None:
        """Refuse what only makes sense for a body that can turn."""
        if self.size == 2:
            raise ModelError(f"{self.name!r} is a particle: it has no angle. Use body() for one")

    @property
    def moves(self) -> bool:
        """Whether it has coordinates of its own."""
        return self.slot is not None

    @property
    def slots(self) -> range:
        """Its coordinates."""
        return range(0) if self.slot is None else range(self.slot, self.slot + self.size)

    @property
    def angle(self) -> Quantity:
        """Its angle, from the x axis."""
        self.require_angle()
        return Quantity(
            f"{self.name}.angle", "rad", (self,), lambda p: p.place(self)[2],
            lambda p: p.speed(self)[2],
        )  # fmt: skip

    @property
    def rate(self) -> Rate:
        """Its angular velocity."""
        return self.angle.rate

    @property
    def x(self) -> Quantity:
        """x of the mass centre."""
        return self._coordinate("x", 0)

    @property
    def y(self) -> Quantity:
        """y of the mass centre."""
        return self._coordinate("y", 1)

    @property
    def vx(self) -> Rate:
        """Velocity of the mass centre along x."""
        return self.x.rate

    @property
    def vy(self) -> Rate:
        """Velocity of the mass centre along y."""
        return self.y.rate

    @property
    def position(self) -> Quantity:
        """Place of the mass centre, a pair."""
        return Quantity(
            f"{self.name}.position", "m", (self,), lambda p: p.place(self)[:2],
            lambda p: p.speed(self)[:2], 2,
        )  # fmt: skip

    @property
    def velocity(self) -> Rate:
        """Velocity of the mass centre, a pair."""
        return self.position.rate

    def _coordinate(self, axis: str, i: int) -> Quantity:
        return Quantity(
            f"{self.name}.{axis}", "m", (self,), lambda p: p.place(self)[i],
            lambda p: p.speed(self)[i],
        )  # fmt: skip

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Body({self.name!r})"


@dataclass(frozen=True, eq=False)
class Point:
    """A point of a body, in the body's own axes."""

    body: Body
    place: Place
    name: str = ""

    @property
    def local(self) -> Place:
        """From the mass centre, in the body's own axes."""
        cx, cy = self.body.mass_center
        return self.place[0] - cx, self.place[1] - cy

    @property
    def position(self) -> Quantity:
        """Its place, a pair."""
        return Quantity(
            f"{self}.position", "m", (self.body,), lambda p: p.at(self),
            lambda p: p.velocity(self), 2,
        )  # fmt: skip

    @property
    def velocity(self) -> Rate:
        """Its velocity, a pair."""
        return self.position.rate

    @property
    def x(self) -> Quantity:
        """Its place along x."""
        return self._coordinate("x", 0)

    @property
    def y(self) -> Quantity:
        """Its place along y."""
        return self._coordinate("y", 1)

    @property
    def vx(self) -> Rate:
        """Its velocity along x."""
        return self.x.rate

    @property
    def vy(self) -> Rate:
        """Its velocity along y."""
        return self.y.rate

    def _coordinate(self, axis: str, i: int) -> Quantity:
        return Quantity(
            f"{self}.{axis}", "m", (self.body,), lambda p: p.at(self)[i],
            lambda p: p.velocity(self)[i],
        )  # fmt: skip

    def __str__(self) -> str:
        if self.name:
            return f"{self.body.name}.{self.name}"
        if self.place == (0.0, 0.0):
            return self.body.name
        return f"{self.body.name}.at({self.place[0]:g}, {self.place[1]:g})"

    __repr__ = __str__


def require_point(what: str, value: Any, bodies: Sequence[Body]) -> Point:
    """A point of a body of this mechanism, or an error that says what was given instead."""
    if isinstance(value, Body):
        raise ModelError(
            f"{what} must be a point, got the body {value.name!r}: use {value.name}.center or "
            f"{value.name}.at(x, y)"
        )
    if not isinstance(value, Point):
        raise ModelError(f"{what} must be a point of a body, such as rod.end, got {value!r}")
    require_body(what, value.body, bodies)
    return value


def require_body(what: str, value: Any, bodies: Sequence[Body]) -> Body:
    """A body of this mechanism."""
    if not isinstance(value, Body):
        raise ModelError(f"{what} must be a body, got {value!r}")
    if value not in bodies:
        known = ", ".join(repr(body.name) for body in bodies)
        raise ModelError(
            f"{what}: body {value.name!r} is not part of this mechanism, which has {known}"
        )
    return value
