"""How far apart two runs with jumps are: the distance between their completed graphs.

At an impact shifted by a moment the velocities of two runs differ by the whole jump, although the
runs are nearly the same. So the graphs are compared, not the values at equal times: a graph is the
curve of all (t, q, v), with a straight line from before to after at every jump.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.polynomial import chebyshev
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..base.arrays import Array
from ..base.chebyshev import nodes
from ..base.errors import InputError
from ..base.tolerances.base import TINY
from ..base.tolerances.results import LEAST_RANGE
from .dense_output import Piece
from .result import Result

__all__ = ["graph_distance"]

NEAREST = 8  # points of the other graph to begin the search from
NEIGHBOURS = 2  # arcs before and after the one at the same time to search as well
ROUNDS = 8  # of the iteration for the nearest point of an arc
CHUNK = 4096  # points at a time, to bound memory


def graph_distance(a: Result, b: Result) -> float:
    """Hausdorff distance between the completed graphs of two runs, without unit.

    Time is divided by the longer duration, every coordinate and velocity by its range over both
    runs (a coordinate that hardly moves: by 1e-4 of the largest range of its kind). The largest
    distance is looked for among the points of the dense output and half-way between them; the
    nearest point of the other graph is exact.

    Raises
    ------
    InputError
        When the runs do not have the same coordinates, or have no dense output.

    Examples
    --------
    Two balls whose heights differ by a millionth of a metre hit the floor at different times:

    >>> import gauss_opt as go
    >>> ball = go.System([1.0], [-9.81], contacts=[
    ...     go.Contact("floor", lambda q, t: q[0], restitution=0.5)])
    >>> high, low = (go.simulate(ball, [h], [0.0], (0, 1)) for h in (1.0, 1.0 - 1e-6))
    >>> 1e-7 < graph_distance(high, low) < 1e-5
    True
    """
    _require_comparable(a, b)
    scales = _scales(a, b)
    first, second = (_Graph([arc / scales for arc in _arcs(result)]) for result in (a, b))
    return max(first.farthest_from(second), second.farthest_from(first))


class _Graph:
    """A curve of arcs in time order: each is a polynomial over [-1, 1] in Chebyshev's form."""

    def __init__(self, arcs: Sequence[Array]) -> None:
        sizes = [len(arc) for arc in arcs]
        self.coefficients = np.zeros((len(arcs), max(sizes), arcs[0].shape[1]))
        for into, arc in zip(self.coefficients, arcs, strict=True):
            into[: len(arc)] = _to_chebyshev(len(arc)) @ arc
        self.slopes = 0.0 * self.coefficients
        if max(sizes) > 1:
            self.slopes[:, :-1] = chebyshev.chebder(self.coefficients, axis=1)
        self.begins = np.array([arc[0, 0] for arc in arcs])
        self.ends = np.array([arc[-1, 0] for arc in arcs])
        # The given points and those half-way between them: of each the arc, and where it is there.
        places = [2.0 * Piece(0.0, 1.0, arc).halved()[0] - 1.0 for arc in arcs]
        self.places = np.concatenate(places)
        self.owners = np.repeat(np.arange(len(arcs)), [len(part) for part in places])
        self.points = np.concatenate([Piece(0.0, 1.0, arc).halved()[1] for arc in arcs])
        self.tree = cKDTree(self.points)

    def farthest_from(self, other: _Graph) -> float:
        """Largest distance of a point of this graph from the other graph."""
        chunks = range(0, len(self.points), CHUNK)
        return max(float(other.distances(self.points[i : i + CHUNK]).max()) for i in chunks)

    def distances(self, points: Array) -> Array:
        """Distance of each point from this graph, by Gauss and Newton's iteration on its arcs."""
        arcs, places = self._candidates(points)
        curve, slope = self.coefficients[arcs], self.slopes[arcs]
        best = np.full(arcs.shape, np.inf)
        for _ in range(ROUNDS):
            basis = chebyshev.chebvander(places, curve.shape[2] - 1)
            off = points[:, None] - np.einsum("pck,pckd->pcd", basis, curve)
            np.minimum(best, np.linalg.norm(off, axis=2), out=best)
            along = np.einsum("pck,pckd->pcd", basis, slope)
            speed = np.maximum((along**2).sum(axis=2), TINY)
            places = np.clip(places + (off * along).sum(axis=2) / speed, -1.0, 1.0)
        nearest, _ = self.tree.query(points)  # a point of the curve, to the last bit
        distances: Array = np.minimum(best.min(axis=1), nearest)
        return distances

    def _candidates(self, points: Array) -> tuple[NDArray[np.int64], Array]:
        """Arcs that may hold the nearest point of each point, and where on them to begin.

        They are those of the nearest samples, and those around the same time.
        """
        k = min(NEAREST, len(self.points))
        near = self.tree.query(points, k=k)[1].reshape(len(points), k)
        now = np.searchsorted(self.begins, points[:, 0], side="right") - 1
        around = now[:, None] + np.arange(-NEIGHBOURS, NEIGHBOURS + 1)
        around = np.clip(around, 0, len(self.begins) - 1)
        begins, ends = self.begins[around], self.ends[around]
        spans = np.where(ends > begins, ends - begins, 1.0)
        places = np.clip(2.0 * (points[:, :1] - begins) / spans - 1.0, -1.0, 1.0)
        arcs = np.hstack([self.owners[near], around])
        return arcs, np.hstack([self.places[near], places])


@cache
def _to_chebyshev(k: int) -> Array:
    """From values at k Chebyshev points to coefficients of Chebyshev polynomials."""
    return np.asarray(np.linalg.inv(chebyshev.chebvander(2.0 * nodes(k) - 1.0, k - 1)), float)


def _arcs(result: Result) -> list[Array]:
    """The arcs of a run in time order: the steps of its dense output, and its jumps."""
    rows = np.column_stack([result.t, result.q, result.v])
    at_once = np.flatnonzero(
        (np.diff(result.t) == 0.0) & (np.diff(rows, axis=0) != 0.0).any(axis=1)
    )
    jumps = [(rows[i, 0], 1, rows[i : i + 2]) for i in at_once]
    steps = [(p.t0, 2, np.column_stack([p.times, p.values])) for p in result.pieces]
    arcs = [arc for _, _, arc in sorted([*jumps, *steps], key=lambda item: item[:2])]
    return arcs or [rows[[0, -1]]]


def _scales(a: Result, b: Result) -> Array:
    """What to divide time, coordinates and velocities by."""
    duration = max(result.t[-1] - result.t[0] for result in (a, b)) or 1.0
    return np.concatenate(
        [[duration], *(_ranges(getattr(a, kind), getattr(b, kind)) for kind in ("q", "v"))]
    )


def _ranges(first: Array, second: Array) -> Array:
    both = np.concatenate([first, second])
    ranges = np.ptp(both, axis=0)
    floor = LEAST_RANGE * np.maximum(np.abs(both).max(axis=0), ranges.max())
    scales: Array = np.maximum(ranges, floor)
    scales[scales == 0.0] = 1.0
    return scales


def _require_comparable(a: Result, b: Result) -> None:
    sizes = [(result.q.shape[1], result.v.shape[1]) for result in (a, b)]
    if sizes[0] != sizes[1]:
        raise InputError(
            f"the runs have different coordinates: {sizes[0][0]} positions and {sizes[0][1]} "
            f"velocities, {sizes[1][0]} positions and {sizes[1][1]} velocities"
        )
    names = [result.coordinates for result in (a, b)]
    if names[0] and names[1] and names[0] != names[1]:
        raise InputError(
            f"the runs have different coordinates: {', '.join(names[0])}; {', '.join(names[1])}"
        )
    for result in (a, b):
        if not all(np.isfinite(array).all() for array in (result.t, result.q, result.v)):
            raise InputError("a run with numbers that are not finite cannot be compared")
        if not result.pieces and result.t[-1] > result.t[0]:
            raise InputError("a run without dense output (dense_output=False) cannot be compared")
