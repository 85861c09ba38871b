"""Problems at a state beside the constraint surface, where dependent rows contradict each other.

What is solved in their place is the nearest problem with the rank that the rows have on the
surface: A without its smallest singular values, b without its part outside of the range. The answer
then changes in proportion to the distance from the surface.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from ..base.arrays import Array, Indices
from ..base.errors import InfeasibleError, SolverError
from ..base.tolerances.mechanics import CONTRADICTION, LARGEST_CONTRADICTION, ON_SURFACE
from ..base.tolerances.qp import ROW_FLOOR
from ..model.snapshot import Snapshot
from ..qp.certificate import certify
from ..qp.gauss_solver import GaussSolver
from ..qp.problem import GaussProblem
from ..qp.solution import GaussSolution
from ..qp.whitening import whiten
from .independence import Spectrum, spectrum
from .surface import off_surface, surface_rank

__all__ = ["Answer", "Dependence", "Equalities", "solve_beside_surface", "solve_of_rank"]


@dataclass(frozen=True)
class Dependence:
    """What was done about equalities that follow from others on the constraint surface.

    Attributes
    ----------
    off : float
        How far the state is off the surface, relative.
    left_out : tuple of str
        Constraint of each row that follows from others.
    misfit : float
        Largest violation of an equality by the answer, relative: how much the rows contradict each
        other at this state.
    """

    off: float
    left_out: tuple[str, ...]
    misfit: float

    def __str__(self) -> str:
        rows = (f"{self.left_out.count(n)} of {n!r}" for n in dict.fromkeys(self.left_out))
        return (
            f"rows that follow from the others on the constraints: {', '.join(rows)}; the state is "
            f"off them by {self.off:.1e}, where the rows contradict each other by {self.misfit:.1e}"
        )


class Answer(NamedTuple):
    """A certified solution, and what was done about dependent rows, if anything."""

    solution: GaussSolution
    dependence: Dependence | None


class Equalities(NamedTuple):
    """The equalities that a problem begins with, as a function of the state.

    Attributes
    ----------
    rows : array of int
        Rows of the layout.
    fixed : (k, nv) array or None
        Rows after them that do not depend on the state.
    """

    rows: Indices
    fixed: Array | None = None

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.rows) + (0 if self.fixed is None else len(self.fixed))

    def at(self, snapshot: Snapshot) -> Array:
        """The rows at a state."""
        rows = snapshot.rows_of(self.rows)
        return rows if self.fixed is None else np.concatenate([rows, self.fixed])


def solve_beside_surface(
    solver: GaussSolver,
    problem: GaussProblem,
    snapshot: Snapshot,
    equalities: Equalities,
    *,
    positions_only: bool = False,
) -> Answer:
    """The certified answer, with rows that are dependent on the surface taken as dependent.

    Where the equalities are clearly independent, or the state is on the surface, this is the
    solution of the problem as it is. So it is where they contradict each other by more than the
    distance from the surface explains.
    """
    failure: InfeasibleError | SolverError | None = None
    try:
        solution = solver.solve(problem)
        if solution.clearly_independent or equalities.number < 2:
            return Answer(solution, None)
    except (InfeasibleError, SolverError) as error:
        failure = error
    off = off_surface(snapshot, positions_only=positions_only)
    if off > ON_SURFACE:
        rank, k = surface_rank(snapshot, equalities.at, off), equalities.number
        contradiction = min(CONTRADICTION * off, LARGEST_CONTRADICTION)
        answer = solve_of_rank(solver, problem, rank, off, contradiction, k)
        if answer is not None:
            return answer
    if failure is not None:
        raise failure
    return Answer(solution, None)


def solve_of_rank(
    solver: GaussSolver,
    problem: GaussProblem,
    rank: int,
    off: float,
    contradiction: float,
    k: int | None = None,
) -> Answer | None:
    """The answer to the nearest problem whose equalities have a rank.

    Parameters
    ----------
    solver, problem
        Whom to ask, and what.
    rank : int
        Rank of the first ``k`` equalities.
    off : float
        Distance from the surface, for the note.
    contradiction : float
        By how much they may contradict each other, relative.
    k : int, optional
        How many of the equalities may be dependent; all by default.

    Returns
    -------
    Answer or None
        None when nothing is dependent, or when the contradiction is larger.
    """
    k = problem.n_equality if k is None else k
    parts = spectrum(problem.metric, problem.rows[:k])
    if parts is None or rank >= k:
        return None
    b = problem.rhs[:k] / parts.lengths
    left = parts.left[:, :rank]
    kept = left @ (left.T @ b)
    size = np.abs(b).max() + ROW_FLOOR * float(np.linalg.norm(whiten(problem).center))
    if np.abs(b - kept).max() > contradiction * size:
        return None
    rows, rhs = problem.rows.copy(), problem.rhs.copy()
    rows[:k] -= parts.part(slice(rank, None))
    rhs[:k] = parts.lengths * kept
    solution = solver.solve(replace(problem, rows=rows, rhs=rhs))
    misfit = certify(problem, solution.x, solution.row_multipliers).equality
    names = tuple([problem.names[i] for i in _left_out(parts, rank)])
    return Answer(solution, Dependence(off, names, misfit))


def _left_out(parts: Spectrum, rank: int) -> list[int]:
    """The rows that pivoting finds last."""
    columns = (parts.right[:rank].T * parts.values[:rank]) @ parts.left[:, :rank].T
    _, order, _, _, _ = lapack.dgeqp3(columns)
    return sorted((order[rank:] - 1).tolist())
