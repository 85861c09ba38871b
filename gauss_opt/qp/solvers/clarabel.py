"""Clarabel: a conic interior-point method."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csc_matrix

from ...base.tolerances.qp import CLARABEL_ACCURACY
from ..whitening import LeastDistance
from .interface import Adapter, Proposal


class Solver(Adapter):
    """Adapter for Clarabel."""

    package = "clarabel"

    def propose(self, problem: LeastDistance) -> Proposal:
        import clarabel

        ne, ni = problem.n_equality, problem.n_inequality
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.tol_gap_abs = settings.tol_gap_rel = CLARABEL_ACCURACY
        settings.tol_feas = CLARABEL_ACCURACY
        cones = []
        if ne:
            cones.append(clarabel.ZeroConeT(ne))
        if ni:
            cones.append(clarabel.NonnegativeConeT(ni))
        answer = clarabel.DefaultSolver(
            csc_matrix(np.eye(problem.n)),
            np.zeros(problem.n),
            csc_matrix(-problem.rows),
            -problem.rhs,
            cones,
            settings,
        ).solve()
        status = str(answer.status)
        if status.startswith(("PrimalInfeasible", "AlmostPrimalInfeasible")):
            return Proposal("infeasible")
        if status not in {"Solved", "AlmostSolved", "InsufficientProgress"}:
            return Proposal(status)
        return Proposal("solved", np.array(answer.x), np.array(answer.z)[ne:])
