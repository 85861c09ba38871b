"""Routes to an answer with friction that share nothing with how it was found."""

from __future__ import annotations

import numpy as np

from ...base.tolerances.base import TINY
from ...qp.friction.solution import FrictionSolution
from ...reference import oracles

__all__ = ["difference_of_routes", "on_set"]

_LETTERS = {"open": "o", "stick": "s", "slide+": "+", "slide-": "-"}


def on_set(solution: FrictionSolution) -> oracles.CoulombAnswer:
    """x and forces from the unsymmetric matrix of Lagrange multipliers, on the solution's set."""
    problem = solution.problem
    smooth, nn = problem.smooth, problem.n_normal
    tangents, rhs = np.zeros((nn, smooth.n)), np.zeros(nn)
    tangents[problem.normal_of] = smooth.Ai[nn:]
    rhs[problem.normal_of] = smooth.bi[nn:]
    rows = (smooth.Ae, smooth.be, smooth.Ai[:nn], smooth.bi[:nn], tangents, rhs)
    letters = [_LETTERS[state] for state in solution.states]
    return oracles.coulomb_set(smooth.metric, smooth.load, *rows, problem.friction, letters)


def difference_of_routes(solution: FrictionSolution) -> float:
    """Relative distance of x to that route; NaN where it does not apply."""
    if solution.problem.in_space or solution.problem.preload.any():
        return float("nan")
    try:
        other = on_set(solution)
    except (ValueError, np.linalg.LinAlgError):
        return float("nan")
    scale = np.abs(other.x).max() + np.abs(solution.x).max() + TINY
    return float(np.abs(other.x - solution.x).max() / scale)
