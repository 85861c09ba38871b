"""Dense output of one step as values at Chebyshev points: exact for polynomials, easy to save."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.chebyshev import differentiation_matrix, halving, interpolated, nodes, weights
from ..base.frozen import frozen_in_place
from ..base.tolerances.results import AT_THE_START

__all__ = ["Piece"]


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """A polynomial in time over one step.

    Attributes
    ----------
    t0, t1 : float
        Where it begins and ends.
    values : (k, n) array
        At ``t0 + (t1 - t0) * nodes(k)``.
    held : tuple of int
        Constraint rows that were held as equalities meanwhile.
    slides : tuple of int
        Tangents along which contacts slid meanwhile; of those backward, minus the number.
    """

    t0: float
    t1: float
    values: Array
    held: tuple[int, ...] = ()
    slides: tuple[int, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (self.t0, self.t1, self.values, self.held, self.slides)

    @property
    def times(self) -> Array:
        """Times of the values."""
        times: Array = self.t0 + (self.t1 - self.t0) * nodes(len(self.values))
        times[-1] = self.t1
        return times

    def until(self, t: float) -> Piece:
        """The part of it that ends at t."""
        part = Piece(self.t0, t, self.values, self.held, self.slides)
        values = np.empty_like(self.values)
        values[0], values[1:] = self.values[0], self.many(part.times[1:])
        return Piece(self.t0, t, values, self.held, self.slides)

    def halved(self) -> tuple[Array, Array]:
        """Times and values at the points and half-way between them."""
        finer, matrix = halving(len(self.values))
        times = self.t0 + (self.t1 - self.t0) * finer
        times[-1] = self.t1
        return times, matrix.dot(self.values)

    def end_slope(self) -> Array:
        """The time derivative at the end."""
        slope: Array = differentiation_matrix(len(self.values))[-1].dot(self.values)
        return slope / (self.t1 - self.t0)

    def many(self, times: Array) -> Array:
        """Values at many times, (len(times), n)."""
        k = len(self.values)
        span = self.t1 - self.t0
        if not span:
            return np.array([self(t) for t in times.tolist()])
        distance = ((times - self.t0) / span)[:, None] - nodes(k)
        if not (np.abs(distance) > AT_THE_START).all():
            return np.array([self(t) for t in times.tolist()])
        shares = weights(k) / distance
        values: Array = shares.dot(self.values) / shares.sum(axis=1)[:, None]
        return values

    def __call__(self, t: float) -> Array:
        """The value at a time, (n,).

        >>> Piece(0.0, 2.0, 2.0 * nodes(3)[:, None] ** 2 * 2.0)(1.0)
        array([1.])
        """
        span = self.t1 - self.t0
        share = (t - self.t0) / span if span else 0.0
        return interpolated(self.values, share if abs(share) > AT_THE_START else 0.0)


def _arrived(
    t0: float, t1: float, values: Array, held: tuple[int, ...], slides: tuple[int, ...]
) -> Piece:
    """A piece that has travelled, during which its values could be written to."""
    return Piece(t0, t1, frozen_in_place(values), held, slides)
