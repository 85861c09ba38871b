"""Multipliers that are not unique: which rows may share the force, and their minimum-norm shares.

Every row that holds with equality may carry force. The minimum-norm multipliers among all that do
not pull are the same whoever proposed the active set.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import blas

from ..base.arrays import Array, Indices
from ..base.tolerances.base import TINY
from ..base.tolerances.qp import CANCELLING, WEAK
from .active_set import SetSolution, pivot, solve_unit_rows
from .whitening import LeastDistance, Whitened

__all__ = ["holding_rows", "is_weak", "minimum_norm_multipliers", "reach"]


def minimum_norm_multipliers(problem: LeastDistance, z: Array, candidates: Indices) -> Array | None:
    """Minimum-norm l with B'l = z, l >= 0 on inequalities, l = 0 off ``candidates``.

    This is a least-distance problem again, with the multipliers as its unknowns. None when there
    are no such multipliers, but zeros when there are no candidates.

    Parameters
    ----------
    candidates : array of int
        Rows that may carry force, every equality among them.
    """
    if not len(candidates):
        return np.zeros(len(problem.rhs))  # whether z is 0 is for the certificate to say
    rows = problem.rows[candidates].T
    signed = np.flatnonzero(candidates >= problem.n_equality)
    lengths = np.linalg.norm(rows, axis=1)
    lengths[lengths == 0.0] = 1.0
    nonnegative = np.zeros((len(signed), len(candidates)))
    nonnegative[np.arange(len(signed)), signed] = 1.0
    shares = LeastDistance(
        rows=np.vstack([rows / lengths[:, None], nonnegative]),
        rhs=np.concatenate([z / lengths, np.zeros(len(signed))]),
        n_equality=len(rows),
    )
    try:
        result = pivot(shares)
    except ArithmeticError:
        return None
    if result.farkas is not None:
        return None
    multipliers = np.zeros(len(problem.rhs))
    multipliers[candidates] = solve_unit_rows(shares, result.working).z
    return multipliers


def is_weak(white: Whitened, answer: SetSolution) -> bool:
    """Whether a row has neither force nor slack: then the active set is not unique."""
    if white.n_equality == len(white.rhs):
        return False
    forces = answer.multipliers * white.lengths
    size = reach(white, answer.z)
    if min(forces.tolist()[white.n_equality :]) > WEAK * size:
        return False  # every row pushes, so no slack needs to be looked at
    slack = np.abs(_slack(white, answer.z))
    return bool((np.maximum(slack, forces[white.n_equality :] / size) <= WEAK).any())


def holding_rows(white: Whitened, z: Array) -> Indices:
    """All equalities, and the inequality rows that hold with equality at z."""
    equalities = np.arange(white.n_equality)
    if white.n_equality == len(white.rhs):
        return equalities
    touching = white.n_equality + np.flatnonzero(_slack(white, z) <= WEAK)
    return np.concatenate([equalities, touching])


def reach(white: Whitened, z: Array) -> float:
    """The length of z, or that of its round-off."""
    length: float = blas.dnrm2(z) + CANCELLING * blas.dnrm2(white.center) + TINY
    return length


def _slack(white: Whitened, z: Array) -> Array:
    """Slack of the inequality rows at z, relative."""
    ne = white.n_equality
    rhs = white.rhs[ne:]
    scale = np.abs(rhs) + white.lengths[ne:] * reach(white, z)
    slack: Array = blas.dgemv(1.0, white.columns[:, ne:], z, -1.0, rhs, trans=1) / scale
    return slack
