"""The answer on a working set without whitening: for light masses in chains.

Whitening divides by the root of the mass, and loses as many digits as a row of a light and a heavy
mass has orders of magnitude between them. Where light masses hang on each other, the digits that
are left may not be enough. Here the coordinates are split instead: as many as there are rows follow
from the others, the light ones first, x = x0 + Z y, and Z'M Z y = Z'(p - M x0).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import lapack

from ..base.arrays import Array, Indices
from ..base.tolerances.qp import DEPENDENT, LIGHT
from .problem import GaussProblem

__all__ = ["has_light_masses", "solve_split"]


def has_light_masses(metric: Array) -> bool:
    """Whether some masses are so light beside others that whitening loses half of the digits.

    >>> has_light_masses(np.diag([1.0, 1e-3])), has_light_masses(np.diag([1.0, 1e-9]))
    (False, True)
    """
    diagonal = metric.diagonal()
    smallest = diagonal.min(initial=np.inf)
    return bool(0.0 < smallest < LIGHT * diagonal.max(initial=0.0))


def solve_split(problem: GaussProblem, working: Indices) -> tuple[Array, Array] | None:
    """x and all multipliers with the rows of a working set held; None when they are dependent.

    >>> problem = GaussProblem.create([1e-12, 1.0], load=[0, 1], Ae=[[1, -1]], be=[0.0])
    >>> x, multipliers = solve_split(problem, np.array([0]))
    >>> x.round(6), multipliers
    (array([1., 1.]), array([1.e-12]))
    """
    metric, load = problem.metric, problem.load
    solved = _eliminated(problem.rows[working], problem.rhs[working], metric.diagonal())
    if solved is None:
        return None
    follow, x0, Z, back = solved
    x = x0
    if Z.shape[1]:
        reduced = Z.T @ metric @ Z
        size = 1.0 / np.sqrt(reduced.diagonal())
        factor, info = lapack.dpotrf(size[:, None] * reduced * size, 1)
        if info:
            return None
        y = lapack.dpotrs(factor, size * (Z.T @ (load - metric @ x0)), 1)[0]
        x = x0 + Z @ (size * y)
    multipliers = np.zeros(len(problem.rhs))
    multipliers[working] = back.T @ (metric @ x - load)[follow]
    return x, multipliers


def _eliminated(
    rows: Array, rhs: Array, masses: Array
) -> tuple[Indices, Array, Array, Array] | None:
    """Gauss and Jordan's elimination, the lightest coordinates first.

    Coordinates that follow, x0 and Z, and what takes the rows to rows of the identity in the
    coordinates that follow. None when a row depends on the others.
    """
    k, n = rows.shape
    reach = np.abs(rows).max(axis=1, initial=0.0)
    table = np.column_stack([rows, rhs, np.eye(k)])
    weight = 1.0 / np.sqrt(masses)
    open_rows, free = np.ones(k, dtype=bool), np.ones(n, dtype=bool)
    follow = np.zeros(k, dtype=np.intp)
    for _ in range(k):
        sizes = np.abs(table[:, :n]) * weight * np.outer(open_rows, free)
        row, column = divmod(int(sizes.argmax()), n)
        if not np.abs(table[row, column]) > DEPENDENT * reach[row]:
            return None
        table[row] /= table[row, column]
        others = table[:, column].copy()
        others[row] = 0.0
        table -= np.outer(others, table[row])
        table[:, column] = 0.0
        table[row, column] = 1.0
        open_rows[row] = free[column] = False
        follow[row] = column
    rest = np.flatnonzero(free)
    x0, Z = np.zeros(n), np.zeros((n, len(rest)))
    x0[follow] = table[:, n]
    Z[follow] = -table[:, rest]
    Z[rest, np.arange(len(rest))] = 1.0
    return follow, x0, Z, table[:, n + 1 :]
