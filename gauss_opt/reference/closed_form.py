"""Closed forms of Gauss's problem under equality rows, for checking the solvers against.

The problem is: minimise ``1/2 x'Mx - p'x`` subject to ``A x = b``, with ``p = Q + C``.
Signs: ``M x - p = A' l``, so ``+A' l`` is the force of the constraints on the system.

The routes use symmetric roots (``eigh``) and truncated singular values. Coordinates are scaled
to unit mass and rows to unit length first, so no cut-off depends on the units of the data.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .algebra import (
    EPS,
    Array,
    MassRoot,
    RowSpace,
    require_consistent,
    require_unique_minimiser,
    rows_and_targets,
    symmetric,
    unit_scales,
    vector,
)

__all__ = [
    "ClosedForm",
    "impact_velocity",
    "kkt",
    "udwadia_kalaba",
    "udwadia_phohomsiri",
    "weighted_force",
]

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
        ``A' l = ideal_force + nonideal_force - C``; of redundant rows, the minimum-norm ones
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
    rows are allowed; their multipliers are the minimum-norm ones with rows of unit length in
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


def _solve_of_rank(matrix: Array, right: Array, rank: int) -> Array:
    """Minimum-norm least squares with a known rank, refined in extended precision.

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
