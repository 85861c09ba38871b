"""How independent the rows of constraints are at a state, by their singular values.

Rows are whitened and of unit length, so that neither units nor mass ratios within a row count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from ...base.arrays import Array, Indices
from ...base.errors import InputError, MassError
from ...base.tolerances.mechanics import DEPENDENT_EVERYWHERE
from ...base.tolerances.qp import CLEARLY_INDEPENDENT
from ...model.snapshot import Snapshot
from ...qp.problem import GaussProblem
from ...qp.whitening import Whitened, whiten

__all__ = ["Spectrum", "independence", "spectrum"]


class Spectrum(NamedTuple):
    """Unit whitened rows as U S V'.

    Attributes
    ----------
    left : (k, s) array
        U: how the rows combine.
    values : (s,) array
        The singular values, falling.
    right : (s, n) array
        V'.
    lengths : (k,) array
        Length of each whitened row.
    factor : (n, n) array
        L of the metric M = L L'.
    """

    left: Array
    values: Array
    right: Array
    lengths: Array
    factor: Array

    def above(self, smallest: float) -> int:
        """How many singular values are larger."""
        return int(np.count_nonzero(self.values > smallest))

    def part(self, chosen: slice) -> Array:
        """What some of the singular values contribute to the rows, not whitened."""
        unit = (self.left[:, chosen] * self.values[chosen]) @ self.right[chosen]
        rows: Array = self.lengths[:, None] * (unit @ self.factor.T)
        return rows

    def combinations(self, rank: int) -> Array:
        """T with T A orthonormal, whitened, and spanning the leading part; (rank, k)."""
        T: Array = self.left[:, :rank].T / self.values[:rank, None] / self.lengths
        return T


def spectrum(metric: Array, rows: Array) -> Spectrum | None:
    """Singular values of rows; None when a quick look shows that they are clearly independent.

    None as well where the metric does not allow to whiten them.

    >>> twice = np.array([[1.0, 0.0], [2.0, 0.0]])
    >>> spectrum(np.eye(2), twice).values.round(12) + 0.0
    array([1.41421356, 0.        ])
    >>> spectrum(np.eye(2), np.array([[1.0, 0.0], [1.0, 1.0]])) is None
    True
    """
    if len(rows) < 2:
        return None
    try:
        white = _whitened(metric, rows)
    except (InputError, MassError):
        return None
    if len(rows) <= rows.shape[1] and white.gram is not None:
        factor, info = lapack.dpotrf(white.gram)
        if not info and min((factor.diagonal() / white.lengths).tolist()) >= CLEARLY_INDEPENDENT:
            return None
    unit = (white.columns / white.lengths).T
    return Spectrum(*np.linalg.svd(unit, full_matrices=False), white.lengths, white.factor)


def independence(snapshot: Snapshot, held: Indices, left_out: int = 0) -> float:
    """The smallest nonzero singular value of the unit whitened rows: 0 where rank drops.

    Rows that are dependent everywhere do not count, nor do as many as are left out because they
    are dependent on the constraint surface.
    """
    k = len(held)
    if not k:
        return 1.0
    white = _whitened(snapshot.mass, snapshot.rows_of(held))
    values = np.linalg.svd(white.unit().rows, compute_uv=False)
    values = values[: k - left_out]
    return float(values[values > DEPENDENT_EVERYWHERE].min(initial=1.0))


def _whitened(metric: Array, rows: Array) -> Whitened:
    k, n = rows.shape
    return whiten(GaussProblem(metric, np.zeros(n), rows, np.zeros(k), k, ("",) * k, "rank"))
