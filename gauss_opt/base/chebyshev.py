"""Polynomials through values at Chebyshev points: interpolated, differentiated, cut, bounded."""

from __future__ import annotations

from functools import cache

import numpy as np

from .arrays import Array
from .tolerances.base import COEFFICIENT_NOISE

__all__ = [
    "bounds", "coefficients", "cut", "cutting", "differentiation_matrix", "halving", "interpolated",
    "nodes", "weights",
]  # fmt: skip


@cache
def nodes(k: int) -> Array:
    """k Chebyshev points of the second kind on [0, 1], both ends among them."""
    points: Array = 0.5 * (1.0 - np.cos(np.pi * np.arange(k) / (k - 1)))
    points[-1] = 1.0
    return points


@cache
def weights(k: int) -> Array:
    """Barycentric weights of :func:`nodes`."""
    found = np.where(np.arange(k) % 2 == 0, 1.0, -1.0)
    found[[0, -1]] *= 0.5
    return found


@cache
def differentiation_matrix(k: int) -> Array:
    """D with (D f)_i = f'(x_i) for polynomials through values at :func:`nodes`."""
    x, w = nodes(k), weights(k)
    gaps = x[:, None] - x[None, :] + np.eye(k)
    matrix = (w[None, :] / w[:, None]) / gaps
    np.fill_diagonal(matrix, 0.0)
    np.fill_diagonal(matrix, -matrix.sum(axis=1))
    return matrix


@cache
def halving(k: int) -> tuple[Array, Array]:
    """The points of :func:`nodes` with those half-way between, and the matrix that gets there."""
    x = nodes(k)
    finer = np.empty(2 * k - 1)
    finer[::2], finer[1::2] = x, 0.5 * (x[:-1] + x[1:])
    return finer, _evaluation(k, finer)


def _evaluation(k: int, points: Array) -> Array:
    """The matrix from values at nodes to values at points."""
    x, w = nodes(k), weights(k)
    distance = points[:, None] - x
    hit = (distance == 0.0).any(axis=1)
    shares = np.zeros_like(distance)
    shares[hit] = distance[hit] == 0.0
    shares[~hit] = w / distance[~hit]
    matrix: Array = shares / shares.sum(axis=1)[:, None]
    return matrix


def interpolated(values: Array, x: float) -> Array:
    """The polynomial through values (k, n) at a point x of [0, 1], (n,)."""
    k = len(values)
    distance = x - nodes(k)
    exact = np.flatnonzero(distance == 0.0)
    if len(exact):
        stored: Array = values[exact[0]].copy()
        return stored
    shares = weights(k) / distance
    value: Array = shares.dot(values) / shares.sum()
    return value


@cache
def cutting(k: int, parts: int) -> Array:
    """The matrix from values at nodes to values at the nodes of equal parts, in turn."""
    points = np.concatenate([(part + nodes(k)) / parts for part in range(parts)])
    return _evaluation(k, points)


def cut(values: Array, parts: int) -> Array:
    """The same polynomials on equal parts of the interval, (parts, k, n).

    >>> line = nodes(3)[:, None]
    >>> cut(line, 2)[:, :, 0]
    array([[0.  , 0.25, 0.5 ],
           [0.5 , 0.75, 1.  ]])
    """
    k, n = values.shape
    return (cutting(k, parts) @ values).reshape(parts, k, n)


@cache
def coefficients(k: int) -> Array:
    """Chebyshev coefficients from values at nodes, and below them the value in the middle."""
    vander = np.polynomial.chebyshev.chebvander(2.0 * nodes(k) - 1.0, k - 1)
    inverse = np.linalg.inv(vander)
    middle = np.polynomial.chebyshev.chebvander(np.zeros(1), k - 1) @ inverse
    return np.vstack([inverse, middle])


def bounds(values: Array) -> tuple[Array, Array, Array]:
    """Lower bound, upper bound and middle of polynomials through values (c, k, n): (c, n) each.

    A Chebyshev polynomial stays between -1 and 1, so all values lie within c0 +- sum |ck|.

    >>> square = (nodes(3) ** 2)[None, :, None]
    >>> low, high, middle = bounds(square)
    >>> bool(low <= 0.0), bool(high >= 1.0), round(float(middle[0, 0]), 12)
    (True, True, 0.25)
    """
    k = values.shape[1]
    found = coefficients(k) @ values
    center = found[:, 0]
    reach = np.abs(found[:, 1:k]).sum(axis=1)
    reach += COEFFICIENT_NOISE * (np.abs(center) + reach)
    return center - reach, center + reach, found[:, k]
