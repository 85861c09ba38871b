"""PIQP: a proximal interior-point method."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from ...base.tolerances.qp import PIQP_ACCURACY
from ..whitening import LeastDistance
from .interface import Adapter, Proposal


class Solver(Adapter):
    """Adapter for PIQP's dense interface."""

    package = "piqp"

    def propose(self, problem: LeastDistance) -> Proposal:
        import piqp

        start = perf_counter()
        ne = problem.n_equality
        solver = piqp.DenseSolver()
        solver.settings.verbose = False
        solver.settings.eps_abs = solver.settings.eps_rel = PIQP_ACCURACY
        solver.setup(
            np.eye(problem.n),
            np.zeros(problem.n),
            problem.rows[:ne],
            problem.rhs[:ne],
            problem.rows[ne:],
            h_l=problem.rhs[ne:],
        )
        setup = perf_counter() - start
        status = solver.solve()
        took = (int(solver.result.info.iter), setup)
        if status == piqp.PIQP_PRIMAL_INFEASIBLE:
            return Proposal("infeasible", None, None, *took)
        if status not in (piqp.PIQP_SOLVED, piqp.PIQP_MAX_ITER_REACHED):
            return Proposal(str(status), None, None, *took)
        return Proposal("solved", solver.result.x.copy(), solver.result.z_l.copy(), *took)
