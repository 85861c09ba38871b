"""PIQP: a proximal interior-point method."""

from __future__ import annotations

import numpy as np

from ...base.tolerances.qp import PIQP_ACCURACY
from ..whitening import LeastDistance
from .interface import Adapter, Proposal


class Solver(Adapter):
    """Adapter for PIQP's dense interface."""

    package = "piqp"

    def propose(self, problem: LeastDistance) -> Proposal:
        import piqp

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
        status = solver.solve()
        if status == piqp.PIQP_PRIMAL_INFEASIBLE:
            return Proposal("infeasible")
        if status not in (piqp.PIQP_SOLVED, piqp.PIQP_MAX_ITER_REACHED):
            return Proposal(str(status))
        return Proposal("solved", solver.result.x.copy(), solver.result.z_l.copy())
