"""ProxQP: a proximal augmented-Lagrangian method."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ...base.tolerances.qp import PROXQP_ACCURACY
from ..whitening import LeastDistance
from .interface import Adapter, Proposal


class Solver(Adapter):
    """Adapter for ProxQP's dense interface."""

    package = "proxsuite"

    def propose(self, problem: LeastDistance) -> Proposal:
        import proxsuite

        start = perf_counter()
        ne, ni = problem.n_equality, problem.n_inequality
        solver = proxsuite.proxqp.dense.QP(problem.n, ne, ni)
        solver.settings.eps_abs = PROXQP_ACCURACY
        solver.settings.max_iter = 400  # by default it tries for minutes on degenerate rows
        solver.settings.max_iter_in = 100
        solver.init(
            np.eye(problem.n),
            np.zeros(problem.n),
            problem.rows[:ne] if ne else None,
            problem.rhs[:ne] if ne else None,
            problem.rows[ne:] if ni else None,
            problem.rhs[ne:] if ni else None,
            np.full(ni, 1e20) if ni else None,
        )
        setup = perf_counter() - start
        solver.solve()
        status, took = solver.results.info.status, (int(solver.results.info.iter), setup)
        if status == proxsuite.proxqp.PROXQP_PRIMAL_INFEASIBLE:
            return Proposal("infeasible", None, None, *took)
        if status != proxsuite.proxqp.PROXQP_SOLVED:
            return Proposal(str(status), None, None, *took)
        return Proposal("solved", solver.results.x.copy(), -solver.results.z, *took)
