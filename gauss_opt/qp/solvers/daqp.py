"""DAQP: a dense dual active-set method, exact and the fastest for small problems."""

from __future__ import annotations

import numpy as np

from ...base.tolerances.qp import DAQP_DUAL_ACCURACY, DAQP_PRIMAL_ACCURACY
from ..whitening import LeastDistance
from .interface import Adapter, Proposal, bounds

_EQUALITY = 5
_INFEASIBLE = -1


class Solver(Adapter):
    """Adapter for DAQP."""

    package = "daqp"

    def propose(self, problem: LeastDistance) -> Proposal:
        import daqp

        lower, upper = bounds(problem)
        sense = np.zeros(len(lower), dtype=np.int32)
        sense[: problem.n_equality] = _EQUALITY
        z, _, flag, info = daqp.solve(
            np.eye(problem.n),
            np.zeros(problem.n),
            problem.rows,
            upper,
            lower.copy(),
            sense,
            primal_tol=DAQP_PRIMAL_ACCURACY,
            dual_tol=DAQP_DUAL_ACCURACY,
        )
        took = (info["iterations"], info["setup_time"])
        if flag == _INFEASIBLE:
            return Proposal("infeasible", None, None, *took)
        if flag <= 0:
            return Proposal(f"exit flag {flag}", None, None, *took)
        return Proposal("solved", z, -info["lam"][problem.n_equality :], *took)
