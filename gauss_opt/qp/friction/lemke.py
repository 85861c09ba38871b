"""Sets proposed by Lemke's method, with a lexicographic ratio test, on a complementarity problem.

With l_T = d+ - d- for free contacts and s the size of the slip (Stewart and Trinkle):

    0 <= l_N  perp  u_N >= 0,   0 <= d+  perp  u_T + s >= 0,   0 <= d-  perp  -u_T + s >= 0,
    0 <= s  perp  mu (l_N + p) - d+ - d- >= 0
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.arrays import Array, Indices
from ...base.tolerances.qp import LEMKE_PIVOT, LEMKE_TIED
from .reduced import Reduced

__all__ = ["lemke_forces"]

COVERS = 6  # covering vectors tried; a ray that one of them ends on is no proof


def lemke_forces(problem: Reduced) -> Iterator[Array]:
    """Forces that Lemke's method finds with one covering vector after another."""
    nn, of = problem.nn, problem.problem.normal_of
    given = problem.problem.slide
    loose = np.flatnonzero((given == 0.0) & (problem.mu[of] > 0.0))
    k = len(loose)
    parts = np.zeros((nn + problem.nt, nn + 2 * k))  # forces from the unknowns
    parts[:nn, :nn] = np.eye(nn)
    for j in np.flatnonzero(given).tolist():
        parts[nn + j, of[j]] = -given[j] * problem.mu[of[j]]
    parts[nn + loose, nn + np.arange(k)] = 1.0
    parts[nn + loose, nn + k + np.arange(k)] = -1.0
    fixed = np.zeros(nn + problem.nt)
    fixed[nn:] = -given * (problem.mu * problem.preload)[of]
    unit = max(problem.force_scale, float(problem.preload.max(initial=0.0))) or 1.0
    speed = float(np.abs(problem.c).max(initial=0.0)) or 1.0
    matrix, q = _complementarity(problem, parts, fixed / unit, loose, unit, speed)
    rng = np.random.default_rng(0)
    for attempt in range(COVERS):
        cover = np.ones(len(q)) if attempt == 0 else rng.uniform(0.5, 1.5, len(q))
        z = _lemke(matrix, q, cover)
        if z is not None:
            yield unit * (parts @ z[: nn + 2 * k]) + fixed


def _complementarity(
    problem: Reduced, parts: Array, fixed: Array, loose: Indices, unit: float, speed: float
) -> tuple[Array, Array]:
    """M and q of 0 <= z perp M z + q >= 0, in units in which entries are of order one."""
    nn, k = problem.nn, len(loose)
    asked = np.zeros((nn + 2 * k, nn + problem.nt))
    asked[:nn, :nn] = np.eye(nn)
    asked[nn + np.arange(k), nn + loose] = 1.0
    asked[nn + k + np.arange(k), nn + loose] = -1.0
    m = nn + 3 * k
    mu, of = problem.mu, problem.problem.normal_of[loose]
    matrix, q = np.zeros((m, m)), np.zeros(m)
    matrix[: nn + 2 * k, : nn + 2 * k] = (unit / speed) * asked @ problem.G @ parts
    q[: nn + 2 * k] = asked @ (problem.c / speed + (unit / speed) * problem.G @ fixed)
    ups, downs, slips = (nn + i * k + np.arange(k) for i in range(3))
    matrix[ups, slips] = matrix[downs, slips] = 1.0
    matrix[slips, of] = mu[of]
    matrix[slips, ups] = matrix[slips, downs] = -1.0
    q[slips] = mu[of] * problem.preload[of] / unit
    return matrix, q


def _lemke(matrix: Array, q: Array, cover: Array) -> Array | None:
    """z of 0 <= z perp M z + q >= 0, or None when the method ends on a ray."""
    n = len(q)
    if (q >= 0.0).all():
        return np.zeros(n)
    # Columns w | z | artificial | right-hand side.
    table = np.hstack([np.eye(n), -matrix, -cover[:, None], q[:, None]])
    basis = np.arange(n)
    ratio = q / cover
    row = int(np.flatnonzero(ratio <= ratio.min() + LEMKE_TIED)[-1])
    entering = 2 * n
    for _ in range(50 * n + 100):
        _pivot(table, row, entering)
        leaving, basis[row] = int(basis[row]), entering
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = table[:, -1]
            return z[n : 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        found = _leaving_row(table, basis, entering, n)
        if found is None:
            return None
        row = found
    return None


def _pivot(table: Array, row: int, column: int) -> None:
    table[row] /= table[row, column]
    factors = table[:, column].copy()
    factors[row] = 0.0
    table -= np.outer(factors, table[row])


def _leaving_row(table: Array, basis: Indices, entering: int, n: int) -> int | None:
    """The lexicographically first row to reach zero; of ties the artificial one. None: a ray."""
    column = table[:, entering]
    rows = np.flatnonzero(column > LEMKE_PIVOT)
    if not len(rows):
        return None
    for place in (-1, *range(n)):
        values = table[rows, place] / column[rows]
        least = values.min()
        rows = rows[values <= least + LEMKE_TIED * (1.0 + abs(least))]
        if place == -1 and (basis[rows] == 2 * n).any():
            return int(rows[basis[rows] == 2 * n][0])
        if len(rows) == 1:
            break
    return int(rows[0])
