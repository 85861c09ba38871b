"""Accelerations under friction: (C) at a state, with static coefficients where contacts stick."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import SolverError
from ...model.snapshot import Snapshot
from ...qp.friction.problem import FrictionProblem
from ...qp.friction.solution import FrictionSolution
from ...qp.friction.states import ContactState
from ...qp.gauss_solver import GaussSolver
from ..rank.held_rows import HeldRows
from .problem import Slide, friction_on, rough_tangents

__all__ = ["has_rough", "solve_with_friction"]


def has_rough(snapshot: Snapshot, chosen: Indices | None) -> bool:
    """Whether a contact with friction is among chosen rows."""
    coefficients = snapshot.coefficients
    if not coefficients.has_friction or chosen is None:
        return False
    return bool(coefficients.rough[chosen].any())


def solve_with_friction(
    snapshot: Snapshot,
    solver: GaussSolver,
    chosen: Indices,
    slide: Slide | None = None,
    among: HeldRows | None = None,
) -> tuple[FrictionSolution, Indices]:
    """The certified answer with chosen rows, and the rows of the layout that it is on.

    Contacts that do not slide hold up to their static coefficient. Those that give way at it slide
    in the direction in which they are pushed, with the coefficient of sliding.
    """
    layout = snapshot.layout
    tangents = rough_tangents(snapshot, chosen)
    rows = np.concatenate([chosen, tangents])
    given = np.zeros(len(layout.normal_of)) if slide is None else slide.copy()
    for _ in range(len(chosen) + 1):
        problem = friction_on(snapshot, chosen, given, _coefficients(snapshot, given))
        solution = _solved(problem, solver, among)
        gives_way = _giving_way(snapshot, chosen, solution)
        if not len(gives_way):
            return solution, rows
        _let_slide(snapshot, rows, gives_way, solution, given)
    raise SolverError(
        f"at t={snapshot.t:g} no set of sticking and sliding contacts was found with which static "
        f"and sliding friction agree",
        problem,
    )


def _coefficients(snapshot: Snapshot, slide: Slide) -> Array:
    """Static coefficients of contacts that do not slide, on the rows of the layout."""
    layout, coefficients = snapshot.layout, snapshot.coefficients
    slides = np.zeros(layout.n_rows, dtype=bool)
    slides[layout.normal_of[slide != 0.0]] = True
    return np.where(slides, coefficients.friction, coefficients.static_friction)


def _solved(
    problem: FrictionProblem, solver: GaussSolver, among: HeldRows | None
) -> FrictionSolution:
    """The answer, with as many equalities as are independent on the surface."""
    if among is None:
        return solver.solve_friction(problem)
    smooth = problem.smooth
    kept = replace(
        smooth,
        rows=among.reduced(smooth.rows),
        rhs=among.reduced(smooth.rhs),
        n_equality=among.rank,
        names=(
            *(smooth.names[i] for i in among.chosen.tolist()),
            *smooth.names[among.n_equality :],
        ),
    )
    solution = solver.solve_friction(replace(problem, smooth=kept))
    return replace(
        solution, problem=problem, row_multipliers=among.spread(solution.row_multipliers)
    )


def _giving_way(snapshot: Snapshot, chosen: Indices, solution: FrictionSolution) -> Indices:
    """Numbers of normals that slide at their static coefficient, where that is another."""
    problem = solution.problem
    static, friction = snapshot.coefficients.static_friction, snapshot.coefficients.friction
    if (static == friction).all():
        return np.arange(0)
    normals = chosen[problem.n_equality :]
    higher = static[normals] > friction[normals]
    higher[problem.sliding] = False
    found: Indices = np.flatnonzero(higher & (solution.set > ContactState.STICK))
    return found


def _let_slide(
    snapshot: Snapshot, rows: Indices, gives_way: Indices, solution: FrictionSolution, given: Slide
) -> None:
    """Write the direction against the friction force of contacts that give way into ``given``."""
    problem, first = solution.problem, snapshot.layout.tangents.start
    for i in gives_way.tolist():
        places = problem.tangents.start + problem.tangents_of[i]
        force = solution.row_multipliers[places]
        given[rows[places] - first] = -force / np.linalg.norm(force)
