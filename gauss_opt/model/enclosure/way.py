"""The motion over one step as polynomials, and the boxes it stays in over parts of the step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...base.chebyshev import bounds, cut, differentiation_matrix, interpolated
from ...base.lazy import lazy

__all__ = ["CUTS", "Cells", "Way"]

CUTS = 8  # parts that a cell is cut into


class Cells(NamedTuple):
    """Boxes around some coordinates over parts of a step, one row for each part.

    Attributes
    ----------
    low, high, middle : (c, n) arrays
        Bounds, and the values in the middle of each part.
    times : (c, 3) array
        Begin, end and middle of each part.
    """

    low: Array
    high: Array
    middle: Array
    times: Array


class Way:
    """The motion over one step: q, v and the first two derivatives of v.

    Parameters
    ----------
    t0, t1 : float
        Begin and end.
    values : (k, nq + nv) array
        q and v at the Chebyshev points of the step.
    nq : int
    """

    def __init__(self, t0: float, t1: float, values: Array, nq: int) -> None:
        self.t0, self.t1 = t0, t1
        self._values = values
        self._nq = nq

    @lazy
    def states(self) -> Array:
        """(q, v, v', v'') at the Chebyshev points, side by side."""
        slope = differentiation_matrix(len(self._values)) / (self.t1 - self.t0)
        first = slope @ self._values[:, self._nq :]
        return np.hstack([self._values, first, slope @ first])

    def of(self, columns: Indices) -> Array:
        """Some coordinates at the Chebyshev points."""
        if not len(columns) or columns.max() < self._values.shape[1]:
            chosen: Array = self._values[:, columns]
        else:
            chosen = self.states[:, columns]
        return chosen

    def at(self, values: Array, t: float) -> Array:
        """Coordinates, given at the Chebyshev points, at a time."""
        return interpolated(values, (t - self.t0) / (self.t1 - self.t0))


def whole(values: Array, t0: float, t1: float) -> Cells:
    """The box over one stretch of time."""
    return Cells(*bounds(values[None]), np.array([[t0, t1, 0.5 * (t0 + t1)]]))


def parts(values: Array, edges: Sequence[float]) -> tuple[Array, Cells]:
    """Equal parts of a stretch: the values on each of them, and their boxes."""
    pieces = cut(values, len(edges) - 1)
    begins, ends = np.array(edges[:-1]), np.array(edges[1:])
    times = np.stack([begins, ends, 0.5 * (begins + ends)], axis=1)
    return pieces, Cells(*bounds(pieces), times)


def edges_of(t0: float, t1: float, count: int = CUTS) -> list[float]:
    """Where the equal parts of a stretch begin and end."""
    inner = [t0 + (t1 - t0) * (i / count) for i in range(1, count)]
    return [t0, *inner, t1]
