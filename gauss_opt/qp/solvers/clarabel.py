"""Clarabel: a conic interior-point method."""

from __future__ import annotations

from time import perf_counter

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

        start = perf_counter()
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
        solver = clarabel.DefaultSolver(
            csc_matrix(np.eye(problem.n)),
            np.zeros(problem.n),
            csc_matrix(-problem.rows),
            -problem.rhs,
            cones,
            settings,
        )
        setup = perf_counter() - start
        answer = solver.solve()
        status, took = str(answer.status), (int(answer.iterations), setup)
        if status.startswith(("PrimalInfeasible", "AlmostPrimalInfeasible")):
            return Proposal("infeasible", None, None, *took)
        if status not in {"Solved", "AlmostSolved", "InsufficientProgress"}:
            return Proposal(status, None, None, *took)
        return Proposal("solved", np.array(answer.x), np.array(answer.z)[ne:], *took)
