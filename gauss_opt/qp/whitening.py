"""Whitening: the change of variables that removes mass ratios.

M = L L', z = L'(x - x^), B = A L^-T and r = b - A x^ turn (G) into

    minimise 1/2 |z|^2   subject to   Be z = re,   Bi z >= ri,

the least-distance problem. Rows are scaled to unit length. A QP solver sees nothing else.

When M is singular, M + Ae' S Ae takes its place, and p + Ae' S be the place of p: on the
constraint set this adds a constant to the objective, so the minimiser and the multipliers stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas

from ..base.arrays import Array
from ..base.errors import InputError, MassError
from ..base.matrices import direction_in_words, factorise, unit_diagonal
from ..base.tolerances.qp import (
    IMPOSSIBLE_ROW,
    INDEFINITE_METRIC,
    LONGEST_ROW,
    SHORTEST_ROW,
    VISIBLE_VIOLATION,
)
from .problem import GaussProblem

__all__ = ["LeastDistance", "Whitened", "free_direction", "whiten"]

# Options of BLAS calls by position: as keywords they cost as much as the arithmetic.
LOWER = (1, 0, 1)  # dtrsv: incx, offx, lower
LOWER_TRANSPOSED = (1, 0, 1, 1)  # dtrsv: incx, offx, lower, trans
LEFT_LOWER = (0, 1)  # dtrsm: side, lower
GRAM = (0.0, None, 1)  # dsyrk: beta, c, trans
TRANSPOSED = (0, 1, 0, 1, 1)  # dgemv: offx, incx, offy, incy, trans

ONE_THREAD = 1023  # entries that dtrsm solves without sharing them out
WORTH_THREADS = 16384  # entries from which on sharing them out pays
BLOCK = 64  # columns whose products are formed at once where only their lengths are wanted


class LeastDistance(NamedTuple):
    """Minimise 1/2 |z|^2 with rows z = rhs (equalities, first) and rows z >= rhs: what solvers see.

    Attributes
    ----------
    rows : (m, n) array
        Unit rows, equalities first (a zero row stays zero).
    rhs : (m,) array
        Their right-hand sides.
    n_equality : int
        How many of the rows are equalities.
    terms : (m,) array or float
        Size of the numbers that each rhs is the difference of: its round-off is this times eps.
    unit : float
        Length that one stands for: z of the problem as it was is this times z.
    """

    rows: Array
    rhs: Array
    n_equality: int
    terms: Array | float = 0.0
    unit: float = 1.0

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return int(self.rows.shape[1])

    @property
    def n_inequality(self) -> int:
        """Number of inequality rows."""
        return len(self.rhs) - self.n_equality

    def slack(self, z: Array) -> Array:
        """What each inequality row has to spare at z: negative means violated."""
        slack: Array = self.rows[self.n_equality :] @ z - self.rhs[self.n_equality :]
        return slack


class Whitened(NamedTuple):
    """A problem in whitened coordinates, rows not yet scaled.

    Attributes
    ----------
    columns : (n, m) array
        B' = L^-1 A', one column for each row of the problem.
    rhs : (m,) array
        r = b - A x^.
    n_equality : int
        How many of the rows are equalities.
    gram : (m, m) array or None
        B B' = A M^-1 A' (the Delassus matrix); upper triangle only. None where there are so many
        more rows than unknowns that it would cost more than all else.
    lengths : (m,) array
        Length of each row of B; 1 for a zero row.
    factor : (n, n) array
        L, lower triangular.
    center : (n,) array
        L'x^: z + center = L'x.
    """

    columns: Array
    rhs: Array
    n_equality: int
    gram: Array | None
    lengths: Array
    factor: Array
    center: Array

    def unit(self) -> LeastDistance:
        """The least-distance problem with rows of unit length."""
        rows = np.ascontiguousarray((self.columns / self.lengths).T)
        return LeastDistance(rows, self.rhs / self.lengths, self.n_equality)

    def normalised(self) -> LeastDistance:
        """The same, with z in units of the largest violation at z = 0: what solvers are given.

        Their tolerances are absolute. A row that is far from active does not count, nor does a
        violation near the round-off of r.
        """
        rows, rhs, ne, *_ = self.unit()
        reach = float(np.linalg.norm(self.center))
        violation = max(np.abs(rhs[:ne]).max(initial=0.0), rhs[ne:].max(initial=0.0))
        scale = max(float(violation), VISIBLE_VIOLATION * reach) or 1.0
        terms = (np.abs(rhs) + 2.0 * reach) / scale
        return LeastDistance(rows, rhs / scale, ne, terms, scale)

    def point(self, z: Array) -> Array:
        """x = x^ + L^-T z."""
        x: Array = blas.dtrsv(self.factor, self.center + z, *LOWER_TRANSPOSED)
        return x


def whiten(problem: GaussProblem, factor: Array | None = None) -> Whitened:
    """Whiten a problem. ``factor`` saves the factorisation when the metric's is known already.

    Examples
    --------
    A light and a heavy mass look alike once whitened:

    >>> problem = GaussProblem.create([1e-6, 1e6], load=[0, 0], Ae=[[1, -1]], be=[1.0])
    >>> whiten(problem).unit().rows.round(6)
    array([[ 1.e+00, -1.e-06]])
    """
    if factor is None:
        factor = factorise(problem.metric)
    if factor is None:
        return _whiten_with(problem, *_augmented(problem))
    return _whiten_with(problem, factor, problem.load)


def _whiten_with(problem: GaussProblem, factor: Array, load: Array) -> Whitened:
    rows, rhs = problem.rows, problem.rhs
    # With a singular metric the target is not where the augmented objective has its minimum.
    target = problem.target if load is problem.load else None
    if target is None:
        center = blas.dtrsv(factor, load, *LOWER)
    else:
        center = target @ factor
    if not len(rhs):
        nothing = np.zeros(0)
        return Whitened(
            np.zeros((len(load), 0)), nothing, 0, np.zeros((0, 0)), nothing, factor, center
        )
    columns = _solved(factor, rows.T)
    if target is None:
        residual = blas.dgemv(-1.0, columns, center, 1.0, rhs, *TRANSPOSED)
    else:
        residual = rhs - rows @ target
    gram = None
    if len(rhs) <= max(len(load), BLOCK):
        gram = blas.dsyrk(1.0, columns, *GRAM)
        squares = gram.diagonal()
    else:
        squares = _squares(columns)
    lengths = np.sqrt(squares)
    listed = lengths.tolist()
    if not (min(listed) > SHORTEST_ROW and max(listed) < LONGEST_ROW):
        lengths = _unusual_lengths(problem, columns, lengths)
    return Whitened(columns, residual, problem.n_equality, gram, lengths, factor, center)


def _solved(factor: Array, columns: Array) -> Array:
    """L^-1 times some columns, in portions that BLAS does not share out among threads.

    For problems of a common size the threads take a thousand times as long to meet as to solve.
    """
    n, k = columns.shape
    portion = ONE_THREAD // n
    if k <= portion or n * k > WORTH_THREADS or not portion:
        whole: Array = blas.dtrsm(1.0, factor, columns, *LEFT_LOWER)
        return whole
    found = np.empty((n, k), order="F")
    for i in range(0, k, portion):
        part = slice(i, i + portion)
        found[:, part] = blas.dtrsm(1.0, factor, columns[:, part], *LEFT_LOWER)
    return found


def _squares(columns: Array) -> Array:
    """Squared lengths of many columns: the diagonal of their Gram matrix, to the last bit."""
    blocks = (columns[:, i : i + BLOCK] for i in range(0, columns.shape[1], BLOCK))
    squares: Array = np.concatenate([blas.dsyrk(1.0, b, *GRAM).diagonal() for b in blocks])
    return squares


def _unusual_lengths(problem: GaussProblem, columns: Array, lengths: Array) -> Array:
    """Lengths when there are zero rows; rows too long or too short for floats are refused.

    A zero row that holds gets length 1. One that cannot hold gets a length next to nothing, so
    that the certificate judges it by its right-hand side alone.
    """
    zero = ~columns.any(axis=0)
    usable = zero | ((lengths > SHORTEST_ROW) & (lengths < LONGEST_ROW))
    if not usable.all():
        i = int(usable.argmin())
        raise InputError(
            f"row {i} ({problem.names[i]!r}) of this {problem.kind} problem is too long or too "
            f"short for floating-point numbers (largest entry "
            f"{np.abs(problem.rows[i]).max():.3g}, whitened {np.abs(columns[:, i]).max():.3g}): "
            f"multiply the constraint by a factor, or choose other units"
        )
    impossible = problem.rhs > 0.0
    impossible[: problem.n_equality] |= problem.be < 0.0
    hopeless = np.maximum(np.abs(problem.rhs) * IMPOSSIBLE_ROW, SHORTEST_ROW)
    chosen: Array = np.where(zero, np.where(impossible, hopeless, 1.0), lengths)
    return chosen


def _augmented(problem: GaussProblem) -> tuple[Array, Array]:
    """Factor and load of the problem with Ae' S Ae added to a metric that is singular."""
    eigenvalues = np.linalg.eigvalsh(unit_diagonal(problem.metric))
    if len(eigenvalues) and eigenvalues[0] < -INDEFINITE_METRIC * max(1.0, eigenvalues[-1]):
        raise InputError(
            f"the metric is indefinite: its smallest eigenvalue, scaled to a unit diagonal, is "
            f"{eigenvalues[0]:.3g}; a mass must not be negative in any direction"
        )
    diagonal = problem.metric.diagonal()
    typical = diagonal[diagonal > 0].mean() if (diagonal > 0).any() else 1.0
    inertia = np.where(diagonal > 0, diagonal, typical)
    lengths = np.einsum("ij,ij->i", problem.Ae / inertia, problem.Ae)
    weights = 1.0 / np.where(lengths > 0, lengths, 1.0)
    weighted = problem.Ae.T * weights
    factor = factorise(problem.metric + weighted @ problem.Ae)
    if factor is None:
        raise MassError(free_direction(problem), problem)
    return factor, problem.load + weighted @ problem.be


def free_direction(problem: GaussProblem, names: Sequence[str] | None = None) -> str:
    """The message for a massless direction that nothing holds, in the names of coordinates."""
    stacked = np.vstack([unit_diagonal(problem.metric), problem.Ae])
    direction = np.linalg.svd(stacked)[2][-1]
    return (
        f"the mass is singular and the equality constraints of this {problem.kind} problem do not "
        f"hold the massless direction ({direction_in_words(direction, names)}): give that "
        f"direction a mass, or hold it with an equality constraint (a contact is not enough)"
    )
