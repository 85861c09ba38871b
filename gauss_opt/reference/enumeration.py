"""Gauss's problem with inequality rows, solved by trying every set of active rows."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from ..base.tolerances.reference import ORACLE_EXACT, ORACLE_FEASIBLE
from .algebra import RowSpace
from .closed_form import kkt
from .scaled_problem import OracleSolution, ScaledProblem

__all__ = ["enumerate_active_sets"]


def enumerate_active_sets(
    M: ArrayLike,
    p: ArrayLike,
    Ae: ArrayLike,
    be: ArrayLike,
    Ai: ArrayLike,
    bi: ArrayLike,
    tol: float = ORACLE_FEASIBLE,
    max_rows: int = 14,
) -> OracleSolution:
    """Solve by trying every set of inequality rows as equalities, smallest sets first.

    A set is right when its x is feasible and its multipliers are not negative, both to `tol`
    relative to the forces of the problem. Where rows are nearly parallel several sets pass, and
    points far apart with them: the set with the least violation is taken. An independent right set
    always exists if the rows are feasible, so sets larger than the number of free directions need
    no trial.

    Parameters
    ----------
    M : (n, n) positive semidefinite, positive on the null space of Ae
    p : (n,)
    Ae, be : (ke, n) and (ke,)
    Ai, bi : (ki, n) and (ki,), with ``ki <= max_rows``

    Examples
    --------
    A particle above a floor does not fall through it:

    >>> s = enumerate_active_sets([[2]], [-20], [], [], [[1]], [0])
    >>> (s.x + 0.0).round(12).tolist(), s.inequality_multipliers.round(12).tolist(), s.active
    ([0.0], [20.0], (0,))
    """
    problem = ScaledProblem.of(M, p, Ae, be, Ai, bi)
    count = len(problem.limits)
    if count > max_rows:
        raise ValueError(
            f"{count} inequality rows give 2^{count} active sets; at most {max_rows} rows are "
            "allowed. Use lcp, or raise max_rows."
        )
    kkt(problem.mass, problem.force, problem.rows, problem.targets)  # may refuse the equalities
    freedom = RowSpace.of(problem.rows).null.shape[1]
    least, best = tol, None
    for size in range(min(count, freedom) + 1):
        for active in combinations(range(count), size):
            candidate = _try_active_set(problem, active)
            if candidate is None or candidate[0] > least:
                continue
            least, best = candidate
            if least <= ORACLE_EXACT:
                return best
    if best is not None:
        return best
    raise ValueError(
        "No active set gives a feasible point: the inequality rows contradict each other or the "
        "equality rows. Check their signs (Ai x >= bi) and right-hand sides."
    )


def _try_active_set(
    problem: ScaledProblem, active: tuple[int, ...]
) -> tuple[float, OracleSolution] | None:
    """Solve with the active rows as equalities: the relative violation of the rest, and x."""
    chosen = list(active)
    try:
        x, multipliers = kkt(
            problem.mass,
            problem.force,
            np.vstack([problem.rows, problem.contacts[chosen]]),
            np.concatenate([problem.targets, problem.limits[chosen]]),
        )
    except ValueError:  # these rows cannot be active together
        return None
    split = len(problem.targets)
    size = problem.size(x)
    sizes = size + np.abs(problem.limits)
    miss = (problem.limits - problem.contacts @ x) / np.where(sizes > 0, sizes, 1.0)
    pull = -multipliers[split:] / (size or 1.0)
    inequality = np.zeros(len(problem.limits))
    inequality[chosen] = multipliers[split:]
    violation = float(np.concatenate([miss, pull]).max(initial=0.0))
    return violation, problem.unscaled(x, multipliers[:split], inequality, active)
