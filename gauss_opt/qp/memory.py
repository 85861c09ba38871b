"""What one problem leaves for the next: its active set, and the factor of a constant mass."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.arrays import Array, Indices
from ..base.matrices import factorise
from .parts import Part, parts_of
from .problem import GaussProblem

__all__ = ["Memory"]

MOST_SETS = 1000  # then all are forgotten: a study may have a new list of names for each problem


class Memory:
    """Active sets by the kind and the names of a problem, its parts, the last metric's factor."""

    def __init__(self) -> None:
        self._sets: dict[tuple[str, tuple[str, ...]], Indices] = {}
        self._metric: Array | None = None
        self._factor: Array | None = None
        self._parts: dict[tuple[bytes, bytes], tuple[Part, ...]] = {}

    def factor(self, metric: Array) -> Array | None:
        """The factor of the metric; a constant mass is one array, factorised once."""
        if metric is not self._metric:
            self._metric, self._factor = metric, factorise(metric)
        return self._factor

    def parts(self, problem: GaussProblem) -> tuple[Part, ...]:
        """The parts that a problem falls into: they follow from where its entries are not zero."""
        key = (problem.metric != 0.0).tobytes(), (problem.rows != 0.0).tobytes()
        if key not in self._parts:
            if len(self._parts) > MOST_SETS:
                self._parts.clear()
            self._parts[key] = parts_of(problem)
        return self._parts[key]

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

    def to_plain(self) -> dict[str, Any]:
        """The active sets as lists of words and numbers; of the same names none is written twice.

        >>> memory = Memory()
        >>> problem = GaussProblem.create([1.0], target=[-1.0], Ai=[[1.0]], bi=[0.0])
        >>> memory.remember(problem, np.array([0]))
        >>> memory.to_plain()["sets"]
        [['general', [0], [0]]]
        """
        numbers: dict[str, int] = {}
        sets = [
            [kind, [numbers.setdefault(name, len(numbers)) for name in names], working.tolist()]
            for (kind, names), working in self._sets.items()
        ]
        return {"names": list(numbers), "sets": sets}

    def from_plain(self, plain: dict[str, Any]) -> None:
        """Remember what :meth:`to_plain` wrote, and no other active sets."""
        names = [str(name) for name in plain["names"]]
        self._sets = {
            (str(kind), tuple([names[i] for i in numbers])): np.array(working, dtype=np.intp)
            for kind, numbers, working in plain["sets"]
        }
