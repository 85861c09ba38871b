"""Roots of a mass, rank of rows, and the checks behind the closed forms, in no unit at all.

Coordinates are scaled to unit mass and rows to unit length before anything is cut off, so that
no cut-off depends on the units of the data. Nothing here is shared with the solvers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.tolerances.reference import CONSISTENT_ROWS, REFERENCE_ASYMMETRY

__all__ = [
    "EPS",
    "Array",
    "MassRoot",
    "RowSpace",
    "finite_rows",
    "require_consistent",
    "require_unique_minimiser",
    "row_lengths",
    "rows_and_targets",
    "symmetric",
    "unit_scales",
    "vector",
]

Array = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)


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
        """Return the minimum-norm l, for unit rows, with ``rows.T @ l = force``."""
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
    if (np.abs(M - M.T) > REFERENCE_ASYMMETRY * (np.outer(size, size) + np.abs(M))).any():
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
    if (miss > CONSISTENT_ROWS * size).any():
        raise ValueError(
            "The equality rows contradict each other: no x satisfies all of them (row "
            f"{int(miss.argmax())} is missed most). Remove it, or correct its right-hand side."
        )


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
