"""What one problem leaves for the next: its active set, and the factor of a constant mass."""

from __future__ import annotations

import numpy as np

from ..base.arrays import Array, Indices
from ..base.matrices import factorise
from .problem import GaussProblem

__all__ = ["Memory"]

MOST_SETS = 1000  # then all are forgotten: a study may have a new list of names for each problem


class Memory:
    """Active sets by the kind and the names of a problem, and the last metric with its factor."""

    def __init__(self) -> None:
        self._sets: dict[tuple[str, tuple[str, ...]], Indices] = {}
        self._metric: Array | None = None
        self._factor: Array | None = None

    def factor(self, metric: Array) -> Array | None:
        """The factor of the metric; a constant mass is one array, factorised once."""
        if metric is not self._metric:
            self._metric, self._factor = metric, factorise(metric)
        return self._factor

    def active_set(self, problem: GaussProblem) -> Indices | None:
        """The last active set of such a problem; equalities alone need none to be remembered."""
        if problem.n_equality == len(problem.rhs):
            return np.arange(problem.n_equality)
        return self._sets.get((problem.kind, problem.names))

    def remember(self, problem: GaussProblem, working: Indices) -> None:
        """Keep the active set of a problem for the next one of its kind and names."""
        if len(self._sets) > MOST_SETS:
            self._sets.clear()
        self._sets[problem.kind, problem.names] = working
