"""Problems at a state beside the constraint surface, where dependent rows contradict each other.

What is solved in their place is the nearest problem with the rank that the rows have on the
surface: A without its smallest singular values, b without its part outside of the range. The answer
then changes in proportion to the distance from the surface.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import lapack

from ...base.errors import InfeasibleError, SolverError
from ...base.tolerances.mechanics import CONTRADICTION, LARGEST_CONTRADICTION, ON_SURFACE
from ...base.tolerances.qp import ROW_FLOOR
from ...model.snapshot import Snapshot
from ...qp.certificate import certify
from ...qp.gauss_solver import GaussSolver
from ...qp.problem import GaussProblem
from ...qp.solution import GaussSolution
from ...qp.whitening import whiten
from .independence import Spectrum, spectrum
from .surface import Equalities, SurfaceRank, off_surface, rank_at

__all__ = ["Answer", "Dependence", "solve_beside_surface", "solve_of_rank"]


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


# A plain pair: this is on the way of every single acceleration.
Answer = tuple[GaussSolution, Dependence | None]
"""A certified solution, and what was done about dependent rows, if anything."""


def solve_beside_surface(
    solver: GaussSolver,
    problem: GaussProblem,
    snapshot: Snapshot,
    equalities: Equalities | None = None,
    *,
    positions_only: bool = False,
) -> Answer:
    """The certified answer, with rows that are dependent on the surface taken as dependent.

    ``equalities`` are those that the problem begins with, all of the layout by default. Where they
    are clearly independent, or the state is on the surface, this is the solution of the problem
    as it is. Where they contradict each other by more than the distance from the surface explains,
    there is none.
    """
    failure: InfeasibleError | SolverError | None = None
    try:
        solution = solver.solve(problem)
        if solution.clearly_independent or problem.n_equality < 2:
            return solution, None
    except (InfeasibleError, SolverError) as error:
        failure = error
    off = off_surface(snapshot, positions_only=positions_only)
    if off > ON_SURFACE or failure is not None:
        contradiction = min(CONTRADICTION * max(off, ON_SURFACE), LARGEST_CONTRADICTION)
        surface = rank_at(snapshot, equalities or Equalities.all_of(snapshot), off)
        answer = solve_of_rank(solver, problem, surface, contradiction)
        if answer is not None:
            return answer
        if failure is None and surface.rank < surface.number:
            raise _contradiction(problem, surface)
    if failure is not None:
        raise failure
    return solution, None


def _contradiction(problem: GaussProblem, surface: SurfaceRank) -> InfeasibleError:
    """Rows that are as good as dependent, with right-hand sides that are not.

    Taken at their word they have a solution, which is the larger the nearer the state is to the
    surface.
    """
    names = tuple(dict.fromkeys(problem.names[: surface.number]))
    return InfeasibleError(
        f"the equality constraints of this {problem.kind} problem ({', '.join(map(repr, names))}) "
        f"are dependent on the surface of the constraints, and contradict each other by more than "
        f"the state's distance from it ({surface.off:.1e}, relative) explains. Use "
        f"gauss_opt.assemble() to get a consistent state",
        problem,
        names,
    )


def solve_of_rank(
    solver: GaussSolver, problem: GaussProblem, surface: SurfaceRank, contradiction: float
) -> Answer | None:
    """The answer to the nearest problem whose equalities have the rank they have on the surface.

    None when they are independent, or contradict each other by more than ``contradiction``,
    relative.
    """
    rank, k = surface.rank, surface.number
    rows, rhs = surface.without_vanishing(problem.rows[:k]), problem.rhs[:k]
    if surface.vanishing is not None:
        rhs = np.where(surface.vanishing, 0.0, rhs)
    parts = spectrum(problem.metric, rows)
    if parts is None or rank >= k or rank > len(parts.values):
        return None
    b = rhs / parts.lengths
    left = parts.left[:, :rank]
    kept = left @ (left.T @ b)
    size = np.abs(b).max() + ROW_FLOOR * float(np.linalg.norm(whiten(problem).center))
    if np.abs(b - kept).max() > contradiction * size:
        return None
    rows = surface.without_vanishing(rows - parts.part(slice(rank, None)))
    nearest = replace(
        problem,
        rows=np.concatenate([rows, problem.rows[k:]]),
        rhs=np.concatenate(
            [np.where(rows.any(axis=1), parts.lengths * kept, 0.0), problem.rhs[k:]]
        ),
    )
    solution = solver.solve(nearest)
    misfit = certify(problem, solution.x, solution.row_multipliers).equality
    names = tuple([problem.names[i] for i in _left_out(parts, rank)])
    return solution, Dependence(surface.off, names, misfit)


def _left_out(parts: Spectrum, rank: int) -> list[int]:
    """The rows that pivoting finds last."""
    columns = (parts.right[:rank].T * parts.values[:rank]) @ parts.left[:, :rank].T
    _, order, _, _, _ = lapack.dgeqp3(columns)
    return sorted((order[rank:] - 1).tolist())
