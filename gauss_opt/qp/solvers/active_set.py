"""The package's own dual active-set method, started from the set it ended with last time."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Indices
from ..active_set import pivot, solve_unit_rows
from ..whitening import LeastDistance
from .interface import Adapter, Proposal


class Solver(Adapter):
    """Adapter for :func:`gauss_opt.qp.active_set.pivot`."""

    def __init__(self, option: str | None = None) -> None:
        super().__init__(option)
        self._last: dict[tuple[int, ...], Indices] = {}

    def propose(self, problem: LeastDistance) -> Proposal:
        size = (*problem.rows.shape, problem.n_equality)
        result = pivot(problem, self._last.get(size))
        if result.farkas is not None:
            return Proposal("infeasible", iterations=result.pivots)
        working = np.sort(result.working)
        self._last[size] = working[working >= problem.n_equality]
        solution = solve_unit_rows(problem, working)
        multipliers = solution.multipliers[problem.n_equality :]
        return Proposal("solved", solution.z, multipliers, result.pivots)
