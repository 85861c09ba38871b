"""Closed forms of Gauss's problem under equality rows, for checking the solvers against.

The problem is: minimise ``1/2 x'Mx - p'x`` subject to ``A x = b``, with ``p = Q + C``.
Signs: ``M x - p = A' l``, so ``+A' l`` is the force of the constraints on the system.

The routes use symmetric roots (``eigh``) and truncated singular values. Coordinates are scaled
to unit mass and rows to unit length first, so no cut-off depends on the units of the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

__all__ = [
    "ClosedForm",
    "impact_velocity",
    "kkt",
    "udwadia_kalaba",
    "udwadia_phohomsiri",
    "weighted_force",
]

EPS = float(np.finfo(np.float64).eps)
CONSISTENT = 1e-9  # largest relative residual of rows that still count as consistent
REFINEMENTS = 3


@dataclass(frozen=True)
class ClosedForm:
    """Acceleration and constraint force, with ``M x = Q + ideal_force + nonideal_force``.

    Attributes
    ----------
    acceleration : (n,) array
    ideal_force : (n,) array
        The part that does no virtual work.
    nonideal_force : (n,) array
        What the constraints let through of the prescribed force C.
    multipliers : (k,) array
        ``A' l = ideal_force + nonideal_force - C``; of redundant rows, the ones of least norm
        when each row has unit length in the metric of ``M^-1``.
    """

    acceleration: Array
    ideal_force: Array
    nonideal_force: Array
    multipliers: Array


def udwadia_kalaba(
    M: ArrayLike, Q: ArrayLike, A: ArrayLike, b: ArrayLike, C: ArrayLike | None = None
) -> ClosedForm:
    """Acceleration of Udwadia and Kalaba, for ideal and non-ideal constraints.

    ``x = a + M^-1/2 B^+ (b - A a) + M^-1/2 (I - B^+ B) M^-1/2 C`` with ``a = M^-1 Q`` and
    ``B = A M^-1/2``.

    Parameters
    ----------
    M : (n, n) positive definite mass
    Q, C : (n,) applied force, and the force that makes the constraints non-ideal (default 0)
    A, b : (k, n) and (k,) rows of ``A x = b``; redundant rows are allowed, contradictory refused

    Examples
    --------
    A particle of 2 kg on a table, with a resistance of 1 N:

    >>> s = udwadia_kalaba([[2, 0], [0, 2]], [4, -20], [[0, 1]], [0], C=[-1, 0])
    >>> (s.acceleration + 0.0).round(12).tolist(), s.multipliers.round(12).tolist()
    ([1.5, 0.0], [20.0])
    """
    root = MassRoot.of(M, "M")
    force = vector(Q, root.size, "Q")
    extra = np.zeros(root.size) if C is None else vector(C, root.size, "C")
    rows, target = rows_and_targets(A, b, root.size)
    space = RowSpace.of(rows @ root.inverse, np.abs(rows) @ np.abs(root.inverse))
    free = root.inverse.T @ force
    ideal = space.least(target - rows @ (root.inverse @ free))
    require_consistent(rows @ (root.inverse @ (free + ideal)), target, space, free)
    whitened = root.inverse.T @ extra
    nonideal = whitened - space.project(whitened)
    return ClosedForm(
        acceleration=root.inverse @ (free + ideal + nonideal),
        ideal_force=root.direct.T @ ideal,
        nonideal_force=root.direct.T @ nonideal,
        multipliers=space.multipliers(ideal - space.project(whitened)),
    )


def udwadia_phohomsiri(M: ArrayLike, Q: ArrayLike, A: ArrayLike, b: ArrayLike) -> Array:
    """Acceleration (n,) for a mass that may be singular.

    ``x = [(I - A^+ A) M; A]^+ [Q; b]``, with M (n, n) positive semidefinite, Q (n,), A (k, n),
    b (k,). It holds exactly when ``[M; A]`` has full column rank; otherwise a ValueError names
    a coordinate that is free.

    Examples
    --------
    A massless coordinate tied to a mass of 1 kg follows it:

    >>> udwadia_phohomsiri([[1, 0], [0, 0]], [3, 0], [[1, -1]], [0]).round(12).tolist()
    [3.0, 3.0]
    """
    mass, force, rows, target, column, _ = _scaled(M, Q, A, b)
    space = RowSpace.of(rows)
    require_unique_minimiser(mass, space)
    # For consistent rows A^+ [A, b] may stand for [A, b], and (I - A^+ A) Q for Q. Otherwise the
    # part of Q that the rows carry is a residual, and costs the square of their condition.
    stacked = np.vstack([mass - space.project(mass), space.project(np.eye(len(mass)))])
    right = np.concatenate([force - space.project(force), space.least(target)])
    # The columns are independent, as was just tested: nothing is to be cut off here.
    x = np.linalg.lstsq(stacked, right, rcond=EPS)[0]
    require_consistent(rows @ x, target, space, force)
    return np.asarray(column * x)


def kkt(M: ArrayLike, p: ArrayLike, A: ArrayLike, b: ArrayLike) -> tuple[Array, Array]:
    """Solve the Lagrange-multiplier system ``[[M, -A'], [A, 0]] [x; l] = [p; b]``.

    M (n, n) is positive semidefinite, and positive on the null space of A (k, n). Redundant
    rows are allowed; their multipliers are those of least norm with rows of unit length in
    coordinates scaled to unit mass.

    Returns
    -------
    x : (n,) array
    l : (k,) array
        ``M x - p = A' l``.

    Examples
    --------
    >>> x, l = kkt([[2, 0], [0, 2]], [4, -20], [[0, 1], [0, 1]], [0, 0])
    >>> (x + 0.0).round(12).tolist(), l.round(12).tolist()
    ([2.0, 0.0], [10.0, 10.0])
    """
    mass, force, rows, target, column, row = _scaled(M, p, A, b)
    space = RowSpace.of(rows)
    require_unique_minimiser(mass, space)
    n, k = len(force), len(target)
    # Near a rank drop a singular value s of the rows appears in this matrix as s^2, below any
    # cut-off, unless the mass block is made as small as s too.
    weight = min(1.0, *space.values) if space.values.size else 1.0
    matrix = np.block([[weight * mass, -rows.T], [rows, np.zeros((k, k))]])
    right = np.concatenate([weight * force, target])
    solution = _solve_of_rank(matrix, right, n + space.values.size)
    require_consistent(rows @ solution[:n], target, space, force)
    least = space.left @ (space.left.T @ (space.lengths * solution[n:])) / space.lengths
    return column * solution[:n], row * least / weight


def weighted_force(
    M: ArrayLike, Q: ArrayLike, A: ArrayLike, b: ArrayLike, R: ArrayLike
) -> ClosedForm:
    """Motion whose constraint force v has the least ``v'Rv``; ``R = M^-1`` is Gauss's principle.

    ``v = R^-1/2 (A M^-1 R^-1/2)^+ (b - A a)`` and ``x = M^-1 (Q + v)``, with R (n, n) positive
    definite. The force is returned as `ideal_force`, and ``v = R^-1 M^-1 A' l``.

    Examples
    --------
    With newtons weighed alike, the effort goes where the mass yields most:

    >>> s = weighted_force([[1, 0], [0, 3]], [0, 0], [[1, 1]], [4], R=[[1, 0], [0, 1]])
    >>> s.ideal_force.round(12).tolist()
    [3.6, 1.2]
    """
    root, weight = MassRoot.of(M, "M"), MassRoot.of(R, "R")
    force = vector(Q, root.size, "Q")
    rows, target = rows_and_targets(A, b, root.size)
    if weight.size != root.size:
        raise ValueError(f"R must have the shape of M, {root.size} by {root.size}.")
    mobility = root.inverse @ root.inverse.T
    terms = np.abs(rows) @ np.abs(root.inverse) @ np.abs(root.inverse.T) @ np.abs(weight.inverse)
    space = RowSpace.of(rows @ mobility @ weight.inverse, terms)
    free = mobility @ force
    least = space.least(target - rows @ free)
    v = weight.inverse @ least
    x = free + mobility @ v
    require_consistent(rows @ x, target, space, least, weight.direct @ force)
    return ClosedForm(x, v, np.zeros(root.size), space.multipliers(least))


def impact_velocity(
    M: ArrayLike, v_before: ArrayLike, W_rows: ArrayLike, rate_change: ArrayLike
) -> Array:
    """Velocity (n,) after an impact that changes the rates ``W v`` by `rate_change` (k,).

    ``v+ = v- + M^-1/2 (W M^-1/2)^+ rate_change`` with W (k, n) the rows of the active contacts
    and ``rate_change`` the target rate minus the rate before.

    Examples
    --------
    A ball hits an equal one at rest, gap rate ``v2 - v1 = -1``, and no rebound: the target is 0.

    >>> impact_velocity([[1, 0], [0, 1]], [1, 0], [[-1, 1]], [1]).round(12).tolist()
    [0.5, 0.5]
    """
    root = MassRoot.of(M, "M")
    before = vector(v_before, root.size, "v_before")
    rows, change = rows_and_targets(W_rows, rate_change, root.size)
    space = RowSpace.of(rows @ root.inverse, np.abs(rows) @ np.abs(root.inverse))
    jump = space.least(change)
    require_consistent(rows @ (root.inverse @ jump), change, space, jump)
    return np.asarray(before + root.inverse @ jump)


@dataclass(frozen=True)
class MassRoot:
    """A square root of a positive definite matrix: ``inverse @ inverse.T = M^-1``.

    It is a diagonal near ``diag(M)^-1/2`` times the symmetric inverse root of what is left of M
    between two such diagonals. It differs from ``M^-1/2`` by a rotation only, which the closed
    forms cannot see, and mass ratios between coordinates cost no digits. `direct` is its inverse.

    >>> MassRoot.of([[4, 0], [0, 1e-12]], "M").inverse.round(6).tolist()
    [[0.5, 0.0], [0.0, 1000000.0]]
    """

    direct: Array
    inverse: Array

    @property
    def size(self) -> int:
        return len(self.direct)

    @classmethod
    def of(cls, matrix: ArrayLike, name: str) -> MassRoot:
        """Take the root; `name` is what an error calls the matrix."""
        M = symmetric(matrix, name)
        if (M.diagonal() <= 0).any():
            raise ValueError(f"{name} must be positive definite: its diagonal is not positive.")
        scale = _power_of_two(M.diagonal() ** -0.5)
        values, vectors = np.linalg.eigh(scale[:, None] * M * scale)
        if values.size and values[0] <= 4 * len(M) * EPS * values[-1]:
            raise ValueError(
                f"{name} must be positive definite, but is singular or indefinite. For a singular "
                "mass use udwadia_phohomsiri or kkt."
            )
        half = (vectors * np.sqrt(values)) @ vectors.T
        inverse_half = (vectors / np.sqrt(values)) @ vectors.T
        return cls(direct=half / scale, inverse=scale[:, None] * inverse_half)


@dataclass(frozen=True)
class RowSpace:
    """Rows split as ``diag(lengths) left diag(values) right'``, cut at round-off.

    `null` is an orthonormal basis of the vectors that all rows send to zero.

    >>> RowSpace.of(np.array([[3.0, 4.0], [6.0, 8.0]])).values.size
    1
    """

    lengths: Array
    left: Array
    values: Array
    right: Array
    null: Array

    @classmethod
    def of(cls, rows: Array, terms: Array | None = None) -> RowSpace:
        """Split (k, n) rows; `terms` (k, n) bounds the terms that each entry is the sum of.

        Singular values of unit rows are noise only below ``eps`` times the cancellation in the
        entries. A larger cut-off would drop real constraints near a rank drop.
        """
        lengths = row_lengths(rows)
        left, values, right = np.linalg.svd(rows / lengths[:, None], full_matrices=True)
        noise = 4 * max(rows.shape) * EPS
        if terms is not None and values.size:
            noise *= float(max(1.0, (np.linalg.norm(terms, axis=1) / lengths).max()))
        rank = int((values > noise * values.max(initial=0.0)).sum())
        return cls(lengths, left[:, :rank], values[:rank], right[:rank].T, right[rank:].T)

    def least(self, target: Array) -> Array:
        """Return the least z with ``rows @ z = target``."""
        return np.asarray(self.right @ (self.left.T @ (target / self.lengths) / self.values))

    def multipliers(self, force: Array) -> Array:
        """Return the l of least norm, for unit rows, with ``rows.T @ l = force``."""
        return np.asarray(self.left @ (self.right.T @ force / self.values) / self.lengths)

    def project(self, z: Array) -> Array:
        """Return the part of z (or of its columns) within the row space."""
        return np.asarray(self.right @ (self.right.T @ z))


def symmetric(matrix: ArrayLike, name: str) -> Array:
    """Return a finite symmetric matrix, with asymmetry of round-off size averaged away."""
    M = np.asarray(matrix, dtype=np.float64)
    if M.ndim != 2 or M.shape[0] != M.shape[1] or not np.isfinite(M).all():
        raise ValueError(f"{name} must be a square matrix of finite numbers.")
    size = np.sqrt(np.abs(M.diagonal()))
    if (np.abs(M - M.T) > 1e-9 * (np.outer(size, size) + np.abs(M))).any():
        raise ValueError(f"{name} must be symmetric: pass ({name} + {name}.T) / 2.")
    return np.asarray(0.5 * M + 0.5 * M.T)


def vector(values: ArrayLike, size: int, name: str) -> Array:
    """Return a finite vector of the given size."""
    result = np.asarray(values, dtype=np.float64)
    if result.shape != (size,) or not np.isfinite(result).all():
        raise ValueError(f"{name} must be a vector of {size} finite numbers.")
    return result


def rows_and_targets(A: ArrayLike, b: ArrayLike, size: int) -> tuple[Array, Array]:
    """Return equality rows (k, n) and targets (k,); an empty list stands for no rows."""
    rows, targets = finite_rows(A, b, size)
    # A zero row has no length to measure its target by, so it is judged exactly.
    impossible = np.flatnonzero(~rows.any(axis=1) & (targets != 0))
    if impossible.size:
        raise ValueError(f"Equality row {impossible[0]} is zero but its right-hand side is not.")
    return rows, targets


def finite_rows(A: ArrayLike, b: ArrayLike, size: int) -> tuple[Array, Array]:
    """Return rows (k, n) and right-hand sides (k,) of any kind of constraint."""
    rows = np.asarray(A, dtype=np.float64)
    rows = rows.reshape(0, size) if rows.size == 0 else rows
    if rows.ndim != 2 or rows.shape[1] != size or not np.isfinite(rows).all():
        raise ValueError(f"Constraint rows must be a matrix of finite numbers with {size} columns.")
    return rows, vector(b, len(rows), "The right-hand side")


def row_lengths(rows: Array) -> Array:
    """Return the length of each row, and 1 for a row of zeros."""
    lengths = np.linalg.norm(rows, axis=1)
    return np.where(lengths > 0, lengths, 1.0)


def unit_scales(mass: Array, rows: Array) -> tuple[Array, Array]:
    """Return scales d (n,) and e (k,) so that D M D has unit diagonal and E A D unit rows.

    A massless coordinate takes its scale from the rows that hold it. The scales are rounded to
    powers of two, so that scaling makes no error: near a rank drop any error would be magnified.
    """
    diagonal = mass.diagonal()
    massless = diagonal == 0
    if (diagonal < 0).any() or mass[massless].any():
        raise ValueError("M must be positive semidefinite, but its diagonal says it is not.")
    column = np.where(massless, 0.0, _power_of_two(np.where(massless, 1.0, diagonal) ** -0.5))
    if massless.any():
        column = _scale_massless(rows, column, massless)
    return column, _power_of_two(1.0 / row_lengths(rows * column))


def require_unique_minimiser(mass: Array, space: RowSpace) -> None:
    """Refuse a (scaled) mass that is not positive on the null space of the rows."""
    if not len(mass):
        return
    whole = np.linalg.eigvalsh(mass)
    cut = 4 * len(mass) * EPS * max(float(whole[-1]), 1.0)
    if whole[0] < -cut:
        raise ValueError("M must be positive semidefinite, but it has a negative eigenvalue.")
    values, vectors = np.linalg.eigh(space.null.T @ mass @ space.null)
    if values.size and values[0] <= cut:
        free = int(np.abs(space.null @ vectors[:, 0]).argmax())
        raise ValueError(
            "[M; A] does not have full column rank: a direction without mass is held by no "
            f"equality row (mostly coordinate {free}). Give it mass or constrain it."
        )


def require_consistent(reached: Array, target: Array, space: RowSpace, *sizes: Array) -> None:
    """Refuse contradictory rows: `reached` misses `target` by more than round-off.

    `sizes` are vectors in whitened coordinates whose images were subtracted on the way.
    """
    size = sum(float(np.linalg.norm(s)) for s in sizes)
    size += float(np.abs(target / space.lengths).max(initial=0.0))
    miss = np.abs(reached - target) / space.lengths
    if (miss > CONSISTENT * size).any():
        raise ValueError(
            "The equality rows contradict each other: no x satisfies all of them (row "
            f"{int(miss.argmax())} is missed most). Remove it, or correct its right-hand side."
        )


def _scaled(
    M: ArrayLike, p: ArrayLike, A: ArrayLike, b: ArrayLike
) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Return M, p, A, b in coordinates of unit mass with unit rows, and the two scales."""
    mass = symmetric(M, "M")
    rows, target = rows_and_targets(A, b, len(mass))
    column, row = unit_scales(mass, rows)
    force = column * vector(p, len(mass), "The force")
    scaled_rows = row[:, None] * rows * column
    return column[:, None] * mass * column, force, scaled_rows, row * target, column, row


def _scale_massless(rows: Array, column: Array, massless: NDArray[np.bool_]) -> Array:
    """Alternate unit rows and unit massless columns, anchored by the coordinates with mass."""
    held = np.abs(rows[:, massless]).max(axis=0, initial=0.0)
    if (held == 0).any():
        free = int(np.flatnonzero(massless)[held == 0][0])
        raise ValueError(
            f"[M; A] does not have full column rank: coordinate {free} has no mass and appears in "
            "no equality row. Give it mass or constrain it."
        )
    anchored = np.linalg.norm(rows * column, axis=1)
    whole = row_lengths(rows)
    lengths = np.where(anchored > 0, anchored, whole)
    for _ in range(10):
        column[massless] = 1.0 / (np.abs(rows[:, massless]) / lengths[:, None]).max(axis=0)
        lengths = row_lengths(rows * column)
    return _power_of_two(column)


def _power_of_two(scale: Array) -> Array:
    """Return the powers of two nearest to positive scales."""
    return np.asarray(np.exp2(np.round(np.log2(scale))))


def _solve_of_rank(matrix: Array, right: Array, rank: int) -> Array:
    """Least-norm least squares with a known rank, refined in extended precision.

    The rank was decided on the unit rows, where it can be seen best.
    """
    left, values, transposed = np.linalg.svd(matrix)
    left, values, transposed = left[:, :rank], values[:rank], transposed[:rank]
    long_matrix, long_right = matrix.astype(np.longdouble), right.astype(np.longdouble)
    solution = np.zeros(matrix.shape[1])
    for _ in range(1 + REFINEMENTS):
        residual = (long_right - long_matrix @ solution).astype(np.float64)
        solution = solution + transposed.T @ (left.T @ residual / values)
    return solution
