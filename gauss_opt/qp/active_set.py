"""The exact answer for a given active set, and pivoting from there to the right one.

A solver only proposes which inequality rows are active. The answer is always computed here: with
Q R = B_S' P (pivoted, so that dependent rows show), z = Q R^-T r is the shortest z with
B_S z = r_S, and l = R^-1 R^-T r are its multipliers, B_S' l = z.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import blas, lapack

from ..base.arrays import Array, Indices
from ..base.tolerances.base import TINY
from ..base.tolerances.qp import (
    CLEARLY_INDEPENDENT,
    DEPENDENT,
    DEPENDENT_STEP,
    IMPLIED,
    NEARLY_DEPENDENT,
    RHS_ROUND_OFF,
    VIOLATED,
)
from .whitening import GRAM, LeastDistance, Whitened

__all__ = [
    "PivotResult",
    "SetSolution",
    "pivot",
    "solve_set",
    "solve_unit_rows",
    "solve_without_gram",
]


class SetSolution(NamedTuple):
    """Shortest z on which the rows of a working set hold with equality.

    Attributes
    ----------
    z : (n,) array
        The point, whitened.
    multipliers : (m,) array
        One for each row as the problem has it (not scaled); 0 outside the working set.
    rank : int
        How many rows of the working set are independent.
    independent : (rank,) array of int
        The rows that were kept as independent.
    clear : bool
        Whether a quick look showed that all of them are independent, beyond doubt.
    """

    z: Array
    multipliers: Array
    rank: int
    independent: Indices
    clear: bool = False


def solve_set(white: Whitened, working: Indices) -> SetSolution:
    """Solve with the rows ``working`` (indices into all rows, ascending) as equalities.

    Rows that are clearly independent take the Cholesky factor of their Gram matrix, whose pivots
    show whether they are; all others the pivoted QR of :func:`solve_unit_rows`.

    Examples
    --------
    >>> from gauss_opt.qp.problem import GaussProblem
    >>> from gauss_opt.qp.whitening import whiten
    >>> white = whiten(GaussProblem.create([1, 1], target=[0, 0], Ae=[[3, 4]], be=[10]))
    >>> solve_set(white, np.array([0])).z
    array([1.2, 1.6])
    """
    m, k = len(white.rhs), len(working)
    if not k:
        return SetSolution(np.zeros(len(white.center)), np.zeros(m), 0, working, True)
    columns, rhs, gram, lengths = white.columns, white.rhs, white.gram, white.lengths
    if k > len(columns):  # more rows than unknowns: dependent, whatever they are
        return solve_without_gram(white, working)
    if k < m or gram is None:
        columns, rhs, lengths = columns[:, working], rhs[working], lengths[working]
        gram = blas.dsyrk(1.0, columns, *GRAM)
    factor, shares, info = lapack.dposv(gram, rhs)
    if info or min((factor.diagonal() / lengths).tolist()) < CLEARLY_INDEPENDENT:
        return solve_without_gram(white, working)
    z = blas.dgemv(1.0, columns, shares)
    if k == m:
        return SetSolution(z, shares, k, working, True)
    multipliers = np.zeros(m)
    multipliers[working] = shares
    return SetSolution(z, multipliers, k, working, True)


def solve_without_gram(white: Whitened, working: Indices) -> SetSolution:
    """Solve unit rows by QR; the multipliers are those of the rows as the problem has them."""
    solution = solve_unit_rows(white.unit(), working)
    return solution._replace(multipliers=solution.multipliers / white.lengths)


def solve_unit_rows(problem: LeastDistance, working: Indices) -> SetSolution:
    """The same, rank-revealing: dependent rows get multiplier 0.

    Whether the point satisfies the dependent rows is for the certificate to say.
    """
    m = len(problem.rhs)
    if not len(working):
        return SetSolution(np.zeros(problem.n), np.zeros(m), 0, working)
    rows, rhs = problem.rows[working], problem.rhs[working]
    packed, order, tau, _, _ = lapack.dgeqp3(rows.T)
    order = order - 1
    pivots = np.abs(packed.diagonal())
    rank = len(pivots)
    if pivots[-1] < NEARLY_DEPENDENT or rank < len(rhs):
        rank = _rank(packed, tau, pivots, rows, rhs, order)
    z, shares = _solve_rank(packed, tau, rhs[order], rank)
    multipliers = np.zeros(m)
    independent = working[order[:rank]]
    multipliers[independent] = shares
    return SetSolution(z, multipliers, rank, independent)


def _solve_rank(packed: Array, tau: Array, rhs: Array, rank: int) -> tuple[Array, Array]:
    """z and the multipliers of the first ``rank`` pivoted rows."""
    n = len(packed)
    if not rank:  # LAPACK would print a complaint
        return np.zeros(n), np.zeros(0)
    triangle = packed[:rank, :rank]
    column = np.zeros((n, 1), order="F")
    half = lapack.dtrtrs(triangle, rhs[:rank], trans=1)[0]
    column[:rank, 0] = half
    z = lapack.dormqr("L", "N", packed[:, :rank], tau[:rank], column, 32 * n, overwrite_c=1)[0]
    return z[:, 0], lapack.dtrtrs(triangle, half)[0]


def _rank(packed: Array, tau: Array, pivots: Array, rows: Array, rhs: Array, order: Array) -> int:
    """Rank of the working set; nearly dependent rows count only when they say something new."""
    small = int(np.count_nonzero(pivots >= NEARLY_DEPENDENT))
    large = int(np.count_nonzero(pivots >= DEPENDENT))
    if small == large:
        return small
    z, _ = _solve_rank(packed, tau, rhs[order], small)
    misfit = np.abs(rows @ z - rhs)
    scale = np.abs(rhs) + np.linalg.norm(z)
    return small if (misfit <= IMPLIED * scale).all() else large


class PivotResult(NamedTuple):
    """Where pivoting ended: an optimal working set, or a ray that proves infeasibility.

    Attributes
    ----------
    working : (k,) array of int
        Independent rows of the last working set, equalities among them.
    farkas : (m,) array or None
        Multipliers y of a Farkas certificate when the problem is infeasible.
    pivots : int
        Rows added and dropped on the way.
    """

    working: Indices
    farkas: Array | None
    pivots: int


def pivot(
    problem: LeastDistance, start: Indices | None = None, limit: int | None = None
) -> PivotResult:
    """Dual active-set method: from a guess of the active inequality rows to the right ones.

    Every working set on the way has nonnegative multipliers; the most violated row is brought
    in, rows whose multiplier would turn negative are let go. Raises ArithmeticError when the
    number of pivots exceeds ``limit``.

    Examples
    --------
    >>> from gauss_opt.qp.problem import GaussProblem
    >>> from gauss_opt.qp.whitening import whiten
    >>> problem = GaussProblem.create([1, 1], target=[-1, 2], Ai=[[1, 0], [0, 1]], bi=[0, 0])
    >>> pivot(whiten(problem).unit()).working
    array([0])
    """
    limit = 50 + 10 * len(problem.rhs) if limit is None else limit
    working = _dual_feasible_start(problem, start)
    z, multipliers, _, _, _ = solve_unit_rows(problem, working)
    entering, share = -1, 0.0
    floor = np.abs(problem.rhs) + RHS_ROUND_OFF * problem.terms + TINY
    for count in range(limit):
        if entering < 0:
            slack = problem.rows @ z - problem.rhs
            slack[: problem.n_equality] = 0.0
            slack /= floor + np.linalg.norm(z)
            entering, share = int(slack.argmin()), 0.0
            if slack[entering] >= -VIOLATED:
                return PivotResult(working, None, count)
        row = problem.rows[entering]
        held = problem.rows[working]
        replaced = np.linalg.lstsq(held.T, row, rcond=None)[0] if len(working) else np.zeros(0)
        direction = row - replaced @ held
        full = _full_step(problem, entering, z, direction)
        partial, leaving = _partial_step(problem, working, multipliers, replaced)
        step = min(full, partial)
        if step == np.inf:
            return PivotResult(working, _ray(problem, entering, working, replaced), count)
        multipliers[working] -= step * replaced
        share += step
        if full < np.inf:
            z = z + step * direction
        if step == full:
            working = np.append(working, entering)
            z, multipliers, _, _, _ = solve_unit_rows(problem, working)
            entering = -1
        else:
            multipliers[working[leaving]] = 0.0
            working = np.delete(working, leaving)
    raise ArithmeticError(f"no optimal active set within {limit} pivots")


def _dual_feasible_start(problem: LeastDistance, start: Indices | None) -> Indices:
    """Independent rows to start from: the equalities, and of ``start`` what pulls nowhere."""
    equalities = solve_unit_rows(problem, np.arange(problem.n_equality)).independent
    if start is None or not len(start):
        return equalities
    working = np.concatenate([equalities, start])
    while True:
        solution = solve_unit_rows(problem, working)
        working = solution.independent
        if np.count_nonzero(working < problem.n_equality) < len(equalities):
            return equalities
        pulling = (working >= problem.n_equality) & (solution.multipliers[working] < 0.0)
        if not pulling.any():
            return working
        working = working[~pulling]


def _full_step(problem: LeastDistance, entering: int, z: Array, direction: Array) -> float:
    """Step after which the entering row holds; infinite when the held rows imply it."""
    squared = float(direction @ direction)
    if squared < DEPENDENT_STEP**2:
        return np.inf
    return float(problem.rhs[entering] - problem.rows[entering] @ z) / squared


def _partial_step(
    problem: LeastDistance, working: Indices, multipliers: Array, replaced: Array
) -> tuple[float, int]:
    """Step at which the first multiplier of the working set reaches 0, and its position."""
    falling = (working >= problem.n_equality) & (replaced > DEPENDENT_STEP)
    if not falling.any():
        return np.inf, -1
    positions = np.flatnonzero(falling)
    steps = np.maximum(multipliers[working[positions]], 0.0) / replaced[positions]
    return float(steps.min()), int(positions[steps.argmin()])


def _ray(problem: LeastDistance, entering: int, working: Indices, replaced: Array) -> Array:
    y = np.zeros(len(problem.rhs))
    y[working] = -replaced
    y[entering] = 1.0
    return y
