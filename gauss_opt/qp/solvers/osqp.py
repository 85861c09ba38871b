"""OSQP: the operator-splitting solver, the default. One workspace for each size is kept."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix, eye

from ...base.arrays import Array
from ...base.tolerances.qp import OSQP_ACCURACY
from ..whitening import LeastDistance
from .interface import Adapter, Proposal, bounds

# Only the active set is wanted, so nothing is polished (which would also print). Rho must not
# depend on the wall clock, or two runs would differ. Whitened unit rows need no scaling.
FIRST_RHO = 0.1
_SETTINGS = {
    "verbose": False,
    "eps_abs": OSQP_ACCURACY,
    "eps_rel": OSQP_ACCURACY,
    "max_iter": 10_000,
    "polishing": False,
    "adaptive_rho_interval": 50,
    "scaling": 0,
    "warm_starting": False,
    "rho": FIRST_RHO,
}


class Solver(Adapter):
    """Adapter for OSQP. Workspaces are updated; every problem starts from zero."""

    package = "osqp"

    def __init__(self, option: str | None = None) -> None:
        super().__init__(option)
        self._workspaces: dict[tuple[int, int, int], Any] = {}

    def propose(self, problem: LeastDistance) -> Proposal:
        start = perf_counter()
        lower, upper = bounds(problem)
        key = (problem.n, problem.n_equality, problem.n_inequality)
        workspace = self._workspaces.get(key)
        if workspace is None:
            workspace = self._workspaces[key] = _setup(problem, lower, upper)
        else:
            # update() overwrites the arrays it is given.
            # A resumed run has no earlier problems to start from, so nobody starts from them: what
            # a proposal is must not depend on what was asked before.
            workspace.update_settings(rho=FIRST_RHO)
            workspace.update(Ax=problem.rows.T.ravel().copy(), l=lower.copy(), u=upper)
        setup = perf_counter() - start
        answer = workspace.solve(raise_error=False)
        status, took = answer.info.status, (int(answer.info.iter), setup)
        if status.startswith("primal infeasible"):
            return Proposal("infeasible", None, None, *took)
        if not status.startswith("solved"):
            return Proposal(status, None, None, *took)
        return Proposal("solved", answer.x.copy(), -answer.y[problem.n_equality :], *took)


def _setup(problem: LeastDistance, lower: Array, upper: Array) -> Any:
    """A workspace whose constraint matrix is dense, so that any values can be put in later."""
    import osqp

    m, n = problem.rows.shape
    pattern = (problem.rows.T.ravel().copy(), np.tile(np.arange(m), n), np.arange(0, m * n + 1, m))
    workspace = osqp.OSQP()
    workspace.setup(
        P=eye(n, format="csc"),
        q=np.zeros(n),
        A=csc_matrix(pattern, shape=(m, n)),
        l=lower.copy(),
        u=upper,
        **_SETTINGS,
    )
    return workspace
