"""Lawson and Hanson's nonnegative least squares on the least-distance problem; needs only scipy.

With E = [B'; r'] and the y >= 0 that brings E y nearest to the last unit vector, the residual
s = E y - e gives z = -s[:n] / s[n]; s = 0 means that no z is feasible.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import nnls

from ...base.tolerances.qp import NNLS_INFEASIBLE
from ..whitening import LeastDistance
from .interface import Adapter, Proposal


class Solver(Adapter):
    """Adapter for :func:`scipy.optimize.nnls`."""

    def propose(self, problem: LeastDistance) -> Proposal:
        rows, rhs, ne = problem.rows, problem.rhs, problem.n_equality
        rows = np.vstack([rows, -rows[:ne]])
        rhs = np.concatenate([rhs, -rhs[:ne]])
        system = np.vstack([rows.T, rhs])
        goal = np.zeros(problem.n + 1)
        goal[-1] = 1.0
        y, _ = nnls(system, goal, maxiter=50 * system.shape[1] + 100)
        residual = system @ y - goal
        if np.linalg.norm(residual) <= NNLS_INFEASIBLE or residual[-1] == 0.0:
            return Proposal("infeasible")
        factor = -1.0 / residual[-1]
        return Proposal("solved", factor * residual[:-1], y[ne : len(problem.rhs)] * factor)
