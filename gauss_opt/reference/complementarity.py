"""Gauss's problem with inequality rows, solved as a linear complementarity problem."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.tolerances.reference import ORACLE_ACCEPTED, PINCHED
from .algebra import (
    EPS,
    Array,
    RowSpace,
    require_consistent,
    require_unique_minimiser,
    row_lengths,
)
from .lemke import RayError, lemke
from .scaled_problem import OracleSolution, ScaledProblem

__all__ = ["lcp"]


def lcp(
    M: ArrayLike, p: ArrayLike, Ae: ArrayLike, be: ArrayLike, Ai: ArrayLike, bi: ArrayLike
) -> OracleSolution:
    """Solve through the linear complementarity problem of the contacts.

    With N a basis of the null space of Ae, the multipliers satisfy ``0 <= l``, ``w >= 0``,
    ``l'w = 0`` for ``w = G l + q`` and ``G = Ai N (N'MN)^-1 N'Ai'``; q is ``Ai x - bi`` at the
    minimiser without contacts. Lemke's method finds them. Arguments as in
    `enumerate_active_sets`, without a limit on the number of rows.

    Examples
    --------
    Two contacts in the same place carry the load of one:

    >>> s = lcp([[2]], [-20], [], [], [[1], [1]], [0, 0])
    >>> (s.x + 0.0).round(12).tolist(), float(s.inequality_multipliers.sum().round(12))
    ([0.0], 20.0)
    """
    problem = ScaledProblem.of(M, p, Ae, be, Ai, bi)
    space = RowSpace.of(problem.rows)
    require_unique_minimiser(problem.mass, space)
    held = space.least(problem.targets)
    require_consistent(problem.rows @ held, problem.targets, space, held)
    values, vectors = np.linalg.eigh(space.null.T @ problem.mass @ space.null)
    whitened = space.null @ (vectors / np.sqrt(values))
    free = held + whitened @ (whitened.T @ (problem.force - problem.mass @ held))
    moved = _movable(problem, whitened, free, space)
    contacts = problem.contacts[moved] @ whitened
    lengths = row_lengths(contacts)
    gap = (problem.contacts[moved] @ free - problem.limits[moved]) / lengths
    terms = np.abs(problem.contacts[moved]) @ np.abs(free) + np.abs(problem.limits[moved])
    noise = 8 * len(free) * EPS * float((terms / lengths).max(initial=0.0))
    step, load = _least_distance(contacts / lengths[:, None], gap, noise)
    multipliers = np.zeros(len(problem.limits))
    multipliers[moved] = load / lengths
    x = free + whitened @ step
    reaction = problem.mass @ x - problem.force - problem.contacts.T @ multipliers
    return problem.unscaled(
        x, space.multipliers(reaction), multipliers, tuple(np.flatnonzero(multipliers).tolist())
    )


def _movable(
    problem: ScaledProblem, whitened: Array, free: Array, space: RowSpace
) -> NDArray[np.intp]:
    """Return the contacts whose rate is not already fixed by the equality rows.

    A fixed contact can carry no force of its own: it is satisfied, or nothing can be done. A row
    that was computed from the equality rows is off by the round-off of that computation too.
    """
    noise = 64 * len(free) * EPS / float(space.values.min(initial=1.0))
    terms = np.linalg.norm(np.abs(problem.contacts) @ np.abs(whitened), axis=1)
    fixed = np.linalg.norm(problem.contacts @ whitened, axis=1) <= noise * terms
    miss = problem.limits - problem.contacts @ free
    broken = fixed & (miss > ORACLE_ACCEPTED * (problem.size(free) + np.abs(problem.limits)))
    if broken.any():
        raise ValueError(
            f"Inequality row {int(broken.argmax())} is infeasible: the equality rows fix its left "
            "side below its right-hand side."
        )
    return np.flatnonzero(~fixed)


def _least_distance(rows: Array, gap: Array, noise: float) -> tuple[Array, Array]:
    """Return the least z with ``rows @ z + gap >= 0``, for unit rows, and loads: z = rows' l.

    Gaps are differences, known up to `noise`; all of them may be small next to their terms.
    """
    size = float(np.abs(gap).max(initial=0.0))
    if not (gap < 0).any():
        return np.zeros(rows.shape[1]), np.zeros(len(gap))
    try:
        loaded = lemke(rows, gap / size)
    except RayError as ray:
        if ray.shortfall > max(ORACLE_ACCEPTED, noise / size):
            raise
        # Contacts that leave a single point can miss it by round-off: grant them that much.
        loaded = lemke(rows, gap / size + max(PINCHED, 2 * ray.shortfall))
    # Pivoting only chose the rows: solving them anew is more accurate than its last basis.
    space = RowSpace.of(rows[loaded])
    z = space.least(-gap[loaded])
    load = np.zeros(len(gap))
    load[loaded] = space.multipliers(z)
    scale = max(size, float(np.linalg.norm(z)))
    if (rows @ z + gap < -max(ORACLE_ACCEPTED * scale, 3 * noise)).any() or (
        load < -ORACLE_ACCEPTED * np.abs(load).max()
    ).any():
        raise np.linalg.LinAlgError(
            "Pivoting lost its precision: the contacts are too nearly redundant for lcp. Use "
            "enumerate_active_sets."
        )
    return z, np.maximum(load, 0.0)
