"""Problems that fall apart into others: solved one by one where their sizes are far apart.

Residuals are judged by the size of the whole answer. Beside a force of 1e11 N, a body under 1 N
that no constraint couples to it would not be judged at all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..base.arrays import Array, Indices
from ..base.tolerances.qp import UNEVEN
from .certificate import Certificate
from .problem import GaussProblem
from .solution import GaussSolution
from .whitening import Whitened

__all__ = [
    "LAST_SET",
    "Part",
    "coupled_unknowns",
    "may_be_uneven",
    "parts_of",
    "solved_apart",
    "uneven",
]

LAST_SET = "active set"
"""Who has solved a problem whose last active set still held."""


class Part(NamedTuple):
    """Unknowns and rows that nothing couples to the others."""

    unknowns: Indices
    rows: Indices

    def of(self, problem: GaussProblem) -> GaussProblem:
        """The part as a problem of its own."""
        target = problem.target
        return replace(
            problem,
            metric=problem.metric[np.ix_(self.unknowns, self.unknowns)],
            load=problem.load[self.unknowns],
            rows=problem.rows[np.ix_(self.rows, self.unknowns)],
            rhs=problem.rhs[self.rows],
            n_equality=int(np.count_nonzero(self.rows < problem.n_equality)),
            names=tuple([problem.names[row] for row in self.rows.tolist()]),
            target=None if target is None else target[self.unknowns],
        )


def may_be_uneven(white: Whitened) -> bool:
    """Whether entries of a problem differ so much in size that its parts may have to be judged."""
    sizes = np.abs(np.concatenate([white.center, white.rhs / white.lengths]))
    nonzero = sizes[sizes > 0.0]
    return bool(len(nonzero)) and float(nonzero.min()) < UNEVEN * float(nonzero.max())


def uneven(parts: tuple[Part, ...], white: Whitened) -> bool:
    """Whether there are parts whose sizes are far apart.

    Examples
    --------
    >>> from gauss_opt.qp.whitening import whiten
    >>> apart = GaussProblem.create([1, 1], load=[-1, -1e11], Ai=np.eye(2), bi=[0, 0])
    >>> parts = parts_of(apart)
    >>> [part.unknowns.tolist() for part in parts], uneven(parts, whiten(apart))
    ([[0], [1]], True)
    """
    if len(parts) < 2:
        return False
    center, rhs = np.abs(white.center), np.abs(white.rhs) / white.lengths
    sizes = [
        max(center[part.unknowns].max(initial=0.0), rhs[part.rows].max(initial=0.0))
        for part in parts
    ]
    nonzero = [size for size in sizes if size > 0.0]
    return float(min(nonzero)) < UNEVEN * float(max(nonzero))


def parts_of(problem: GaussProblem) -> tuple[Part, ...]:
    """The parts that a problem falls into, one of them for all unknowns without rows.

    Rows of zeros belong to nothing; they are with the first unknown.
    """
    labels, touched = coupled_unknowns(problem.metric, problem.rows), problem.rows != 0.0
    owners = labels[touched.argmax(axis=1)] if len(touched) else labels[:0]
    with_rows = np.unique(owners)
    parts = [Part(np.flatnonzero(labels == o), np.flatnonzero(owners == o)) for o in with_rows]
    free = np.flatnonzero(~np.isin(labels, with_rows))
    return (*parts, Part(free, np.arange(0))) if len(free) else tuple(parts)


def solved_apart(
    problem: GaussProblem, parts: tuple[Part, ...], solve: Callable[[GaussProblem], GaussSolution]
) -> GaussSolution:
    """The answer to a problem from the answers to its parts; its residuals are the largest."""
    solutions = [solve(part.of(problem)) for part in parts]
    x, multipliers = np.zeros(problem.n), np.zeros(len(problem.rhs))
    working = []
    for part, solution in zip(parts, solutions, strict=True):
        x[part.unknowns] = solution.x
        multipliers[part.rows] = solution.row_multipliers
        working.append(part.rows[solution.working])
    others = [solution.solver for solution in solutions if solution.solver != LAST_SET]
    return GaussSolution(
        problem,
        x,
        multipliers,
        np.sort(np.concatenate(working)),
        all(solution.unique for solution in solutions),
        Certificate(*map(max, *(solution.certificate for solution in solutions))),
        others[0] if others else LAST_SET,
        tuple(attempt for solution in solutions for attempt in solution.attempts),
        all(solution.clearly_independent for solution in solutions),
    )


def coupled_unknowns(metric: Array, rows: Array) -> Indices:
    """The least number of an unknown that each is coupled to, by the metric or by rows, (n,).

    >>> coupled_unknowns(np.eye(3), np.array([[0.0, 1.0, -1.0]]))
    array([0, 1, 1])
    """
    n = metric.shape[0]
    linked = (metric != 0.0) | np.eye(n, dtype=bool)
    touched = rows != 0.0
    labels = np.arange(n)
    while True:
        of_rows = np.where(touched, labels, n).min(axis=1, initial=n)
        spread = np.where(touched, of_rows[:, None], n).min(axis=0, initial=n)
        after = np.minimum(np.where(linked, labels, n).min(axis=1), spread)
        if np.array_equal(after, labels):
            return labels
        labels = after
