"""Lemke's pivoting method for a linear complementarity problem whose matrix is a Gram matrix."""

from __future__ import annotations

import numpy as np

from ..base.tolerances.reference import LEMKE_RAY, LEMKE_TIE
from .algebra import EPS, Array, RowSpace

__all__ = ["RayError", "lemke"]


class RayError(ValueError):
    """Lemke's method ended on a ray u >= 0 with rows' u = 0 and gap'u = -shortfall < 0."""

    def __init__(self, shortfall: float) -> None:
        super().__init__(
            "The inequality rows are infeasible together with the equality rows. Check their "
            "signs (Ai x >= bi) and right-hand sides."
        )
        self.shortfall = shortfall


def lemke(rows: Array, q: Array) -> list[int]:
    """Return the loaded rows of the solution of ``0 <= l, w = G l + q >= 0``, ``G = rows rows'``.

    Variables are numbered w (0..k-1), l (k..2k-1), the artificial 2k, and the free z = rows' l,
    which is always basic. Each step inverts its basis anew, so errors do not add up.
    """
    k = len(q)
    columns, right = _tableau(rows, q)
    basis = [*range(k), *range(2 * k + 1, columns.shape[1])]
    entering = 2 * k
    # The lexicographically least row of [q, I]: of equal q, the last.
    leaving = k - 1 - int(q[::-1].argmin())
    for _ in range(100 + 50 * k):
        left, basis[leaving] = basis[leaving], entering
        if left == 2 * k:
            return sorted(v - k for v in basis if k <= v < 2 * k)
        entering = (left + k) % (2 * k)
        inverse = np.linalg.inv(columns[:, basis])
        direction = inverse @ columns[:, entering]
        # First-order effect on the direction of round-off in the columns.
        noise = 8 * len(basis) * EPS * np.abs(inverse).sum(axis=1) * (1 + np.abs(direction).sum())
        falling = np.flatnonzero(direction[:k] > noise[:k])
        if not falling.size:
            raise RayError(_shortfall(rows, q, basis, entering, direction))
        table = np.column_stack([inverse @ right, inverse])[falling, : k + 1]
        artificial = [basis[i] == 2 * k for i in falling]
        leaving = int(falling[_first_in_order(table / direction[falling, None], artificial)])
    raise np.linalg.LinAlgError(
        "Lemke's method did not terminate: the contacts are nearly redundant."
    )


def _tableau(rows: Array, q: Array) -> tuple[Array, Array]:
    """Return columns and right side of ``w - rows z - z0 = q`` and ``s z - rows' (s l) = 0``.

    Keeping z avoids G, whose condition is the square of that of the rows; s, their smallest
    singular value, balances the two blocks.
    """
    k, m = rows.shape
    weight = RowSpace.of(rows).values.min()
    above = np.hstack([np.eye(k), np.zeros((k, k)), -np.ones((k, 1)), -rows])
    below = np.hstack([np.zeros((m, k)), -rows.T, np.zeros((m, 1)), weight * np.eye(m)])
    return np.vstack([above, below]), np.concatenate([q, np.zeros(m)])


def _first_in_order(table: Array, artificial: list[bool]) -> int:
    """Return the lexicographically least row, but the artificial variable if it ties in value.

    This order never cycles, however many contacts are degenerate.
    """
    rows = np.arange(len(table))
    for place, values in enumerate(table.T):
        least = values[rows].min()
        rows = rows[values[rows] <= least + LEMKE_TIE * max(1.0, abs(least))]
        if place == 0:
            rows = next((np.array([i]) for i in rows if artificial[i]), rows)
        if len(rows) == 1:
            break
    return int(rows[0])


def _shortfall(rows: Array, q: Array, basis: list[int], entering: int, direction: Array) -> float:
    """Return how far (per unit load) the ray proves the rows to be infeasible."""
    k = len(q)
    ray = np.zeros(2 * k + 1 + rows.shape[1])
    ray[basis] = -direction
    ray[entering] = 1.0
    load = np.maximum(ray[k : 2 * k], 0.0)
    load /= max(load.sum(), np.finfo(np.float64).tiny)
    if np.linalg.norm(rows.T @ load) > LEMKE_RAY:
        raise np.linalg.LinAlgError(
            "Pivoting ended without a solution or a proof of infeasibility: the contacts are too "
            "nearly redundant for lcp. Use enumerate_active_sets."
        )
    return float(-(q @ load))
