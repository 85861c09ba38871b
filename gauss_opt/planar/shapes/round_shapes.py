"""Round shapes: disc, the inside of a disc, and capsules, of which rods and segments are two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import cos, hypot, pi, sin

import numpy as np

from ...base.arrays import Array
from ...base.errors import ModelError
from .shape import Extent, Place, Shape, pair, positive

__all__ = ["Capsule", "Disc", "Dot", "InnerDisc", "Rod", "Segment"]

CIRCLE = 2.0 * pi * np.arange(48) / 48


@dataclass(frozen=True)
class Dot(Shape):
    """A point: the shape of a particle."""

    center: Place = (0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "center", pair("the centre of a Dot", self.center))

    def extent(self) -> Extent | None:
        return None

    def points(self) -> Mapping[str, Place]:
        return {"center": self.center}

    def outline(self) -> Array:
        return np.array([self.center])


@dataclass(frozen=True)
class Disc(Shape):
    """A disc of a radius about a centre.

    >>> Disc(2.0).extent().gyration  # r^2 / 2
    2.0
    """

    radius: float
    center: Place = (0.0, 0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("the radius of a Disc", self.radius))
        object.__setattr__(self, "center", pair("the centre of a Disc", self.center))

    def extent(self) -> Extent | None:
        return Extent(pi * self.radius**2, True, self.center, 0.5 * self.radius**2)

    def points(self) -> Mapping[str, Place]:
        return {"center": self.center}

    def outline(self) -> Array:
        circle = np.stack([np.cos(CIRCLE), np.sin(CIRCLE)], axis=1)
        outline: Array = np.array(self.center) + self.radius * circle
        return outline


@dataclass(frozen=True)
class InnerDisc(Disc):
    """The inside of a circle: other shapes are in it, and it keeps them there."""

    def extent(self) -> Extent | None:
        """A thin ring."""
        return Extent(2.0 * pi * self.radius, False, self.center, self.radius**2)


@dataclass(frozen=True)
class Capsule(Shape):
    """All points within a radius of a segment; without a radius the segment itself.

    >>> Capsule((0, 0), (2, 0)).extent().center
    (1.0, 0.0)
    """

    start: Place
    end: Place
    radius: float = 0.0

    def __post_init__(self) -> None:
        kind = type(self).__name__
        object.__setattr__(self, "start", pair(f"the start of a {kind}", self.start))
        object.__setattr__(self, "end", pair(f"the end of a {kind}", self.end))
        if self.radius:
            object.__setattr__(self, "radius", positive(f"the radius of a {kind}", self.radius))
        if not self.length > 0.0:
            raise ModelError(f"a {kind} of no length has no direction: use a Disc")

    @property
    def length(self) -> float:
        """From start to end, without the round ends."""
        return hypot(self.end[0] - self.start[0], self.end[1] - self.start[1])

    @property
    def middle(self) -> Place:
        """Half way."""
        return 0.5 * (self.start[0] + self.end[0]), 0.5 * (self.start[1] + self.end[1])

    def extent(self) -> Extent | None:
        length, r = self.length, self.radius
        if not r:
            return Extent(length, False, self.middle, length**2 / 12.0)
        straight, ends = 2.0 * r * length, pi * r**2
        bar = (length**2 + 4.0 * r**2) / 12.0
        # Two half discs, each with its centre of mass 4 r / (3 pi) outside of the end.
        outside = 0.5 * length + 4.0 * r / (3.0 * pi)
        caps = 0.5 * r**2 - (4.0 * r / (3.0 * pi)) ** 2 + outside**2
        area = straight + ends
        return Extent(area, True, self.middle, (straight * bar + ends * caps) / area)

    def points(self) -> Mapping[str, Place]:
        return {"start": self.start, "end": self.end, "middle": self.middle}

    def outline(self) -> Array:
        a, b = np.array(self.start), np.array(self.end)
        if not self.radius:
            return np.array([a, b])
        along = np.arctan2(b[1] - a[1], b[0] - a[0])
        half = along - 0.5 * pi + np.linspace(0.0, pi, 17)
        cap = self.radius * np.stack([np.cos(half), np.sin(half)], axis=1)
        return np.concatenate([b + cap, a - cap])


class Segment(Capsule):
    """A thin straight wall from start to end; things may be on both sides of it."""

    def __init__(self, start: Place, end: Place) -> None:
        super().__init__(start, end)


class Rod(Capsule):
    """A straight rod that begins at the origin of its body, by default along x.

    >>> Rod(0.3).end
    (0.3, 0.0)
    """

    def __init__(
        self, length: float, radius: float = 0.0, *, start: Place = (0.0, 0.0), angle: float = 0.0
    ) -> None:
        reach = positive("the length of a Rod", length)
        x, y = pair("the start of a Rod", start)
        super().__init__((x, y), (x + reach * cos(angle), y + reach * sin(angle)), radius)
