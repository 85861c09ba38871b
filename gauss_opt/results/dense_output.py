"""Dense output of one step as values at Chebyshev points: exact for polynomials, easy to save."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..base.arrays import Array
from ..base.tolerances.results import AT_THE_START

__all__ = ["Piece", "differentiation_matrix", "nodes"]


@cache
def nodes(k: int) -> Array:
    """k Chebyshev points of the second kind on [0, 1], both ends among them."""
    points: Array = 0.5 * (1.0 - np.cos(np.pi * np.arange(k) / (k - 1)))
    points[-1] = 1.0
    return points


@cache
def _weights(k: int) -> Array:
    """Barycentric weights of :func:`nodes`."""
    weights = np.where(np.arange(k) % 2 == 0, 1.0, -1.0)
    weights[[0, -1]] *= 0.5
    return weights


@cache
def differentiation_matrix(k: int) -> Array:
    """D with (D f)_i = f'(x_i) for polynomials through values at :func:`nodes`."""
    x, w = nodes(k), _weights(k)
    gaps = x[:, None] - x[None, :] + np.eye(k)
    matrix = (w[None, :] / w[:, None]) / gaps
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix


@cache
def _halved(k: int) -> tuple[Array, Array]:
    """The points of :func:`nodes` with those half-way between, and the matrix that gets there."""
    x = nodes(k)
    finer = np.empty(2 * k - 1)
    finer[::2], finer[1::2] = x, 0.5 * (x[:-1] + x[1:])
    matrix = np.zeros((2 * k - 1, k))
    matrix[::2] = np.eye(k)
    shares = _weights(k) / (finer[1::2, None] - x)
    matrix[1::2] = shares / shares.sum(axis=1)[:, None]
    return finer, matrix


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
    """

    t0: float
    t1: float
    values: Array
    held: tuple[int, ...] = ()

    @property
    def times(self) -> Array:
        """Times of the values."""
        times: Array = self.t0 + (self.t1 - self.t0) * nodes(len(self.values))
        times[-1] = self.t1
        return times

    def until(self, t: float) -> Piece:
        """The part of it that ends at t."""
        part = Piece(self.t0, t, self.values, self.held)
        values = np.empty_like(self.values)
        values[0], values[1:] = self.values[0], self.many(part.times[1:])
        return Piece(self.t0, t, values, self.held)

    def halved(self) -> tuple[Array, Array]:
        """Times and values at the points and half-way between them."""
        finer, matrix = _halved(len(self.values))
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
        shares = _weights(k) / distance
        values: Array = shares.dot(self.values) / shares.sum(axis=1)[:, None]
        return values

    def __call__(self, t: float) -> Array:
        """The value at a time, (n,).

        >>> Piece(0.0, 2.0, 2.0 * nodes(3)[:, None] ** 2 * 2.0)(1.0)
        array([1.])
        """
        k = len(self.values)
        span = self.t1 - self.t0
        share = (t - self.t0) / span if span else 0.0
        distance = (share if abs(share) > AT_THE_START else 0.0) - nodes(k)
        exact = np.flatnonzero(distance == 0.0)
        if len(exact):
            stored: Array = self.values[exact[0]].copy()
            return stored
        shares = _weights(k) / distance
        value: Array = shares.dot(self.values) / shares.sum()
        return value
