"""What every shape tells: how much of it there is, where its centre is, and how it is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.errors import ModelError

__all__ = ["Extent", "Place", "Shape", "combined", "pair", "positive"]

Place = tuple[float, float]


class Extent(NamedTuple):
    """How much of a shape there is, and how it is spread.

    Attributes
    ----------
    amount : float
        Area, or length of a shape without area.
    solid : bool
        Whether it has an area.
    center : (float, float)
        Its centre of mass, when uniform.
    gyration : float
        Square of the radius of gyration about that centre: the inertia of a mass of 1.
    """

    amount: float
    solid: bool
    center: Place
    gyration: float


@dataclass(frozen=True)
class Shape:
    """A shape in the axes of its body."""

    def extent(self) -> Extent | None:
        """None for a shape without end, such as a half plane."""
        raise NotImplementedError

    def points(self) -> Mapping[str, Place]:
        """Its points that have names: ``body.end``, say."""
        raise NotImplementedError

    def outline(self) -> Array:
        """Points within which it lies when they are joined, (k, 2); none for one without end."""
        raise NotImplementedError


def combined(shapes: Sequence[Shape]) -> Extent | None:
    """Several shapes as one uniform body: its amount, centre and gyration.

    Shapes with an area count by area. Where none has one, they count by length.

    >>> from gauss_opt.planar import Disc
    >>> combined([Disc(1.0, (-1.0, 0.0)), Disc(1.0, (1.0, 0.0))]).gyration  # 1/2 + 1
    1.5
    """
    extents = [extent for shape in shapes if (extent := shape.extent()) is not None]
    solid = any(extent.solid for extent in extents)
    parts = [extent for extent in extents if extent.solid == solid]
    if not parts:
        return None
    amounts = np.array([part.amount for part in parts])
    centers = np.array([part.center for part in parts])
    center = amounts @ centers / amounts.sum()
    spread = np.array([part.gyration for part in parts]) + ((centers - center) ** 2).sum(axis=1)
    place = (float(center[0]), float(center[1]))
    total = float(amounts.sum())
    return Extent(total, solid, place, float(amounts @ spread) / total)


def positive(what: str, value: Any) -> float:
    """A length that must be positive."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not (isfinite(number) and number > 0.0):
        raise ModelError(f"{what} must be a positive number, got {value!r}")
    return number


def pair(what: str, value: Any) -> Place:
    """A place as two numbers."""
    try:
        x, y = (float(entry) for entry in value)
    except (TypeError, ValueError):
        raise ModelError(f"{what} must be a pair of numbers (x, y), got {value!r}") from None
    if not (isfinite(x) and isfinite(y)):
        raise ModelError(f"{what} must be finite, got {value!r}")
    return x, y
