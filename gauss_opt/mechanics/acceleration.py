"""Accelerations and constraint forces: (G) with x = q'', and what its multipliers mean."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Indices
from ..base.errors import InputError, MassError, SolverError
from ..base.lazy import made
from ..base.matrices import require_semidefinite
from ..base.tolerances.mechanics import LARGEST_CONTRADICTION
from ..model.snapshot import Snapshot, evaluate
from ..model.system import System
from ..qp.gauss_solver import GaussSolver
from ..qp.solvers import Adapter
from ..qp.whitening import free_direction
from .acceleration_problem import problem_on, weight_matrix
from .answer import Acceleration, ideal_force
from .friction.acceleration import has_rough, solve_with_friction
from .friction.problem import Slide, slides_at
from .participants import chosen_rows
from .rank.beside_surface import Answer, solve_beside_surface, solve_of_rank
from .rank.held_rows import HeldRows, held_rows
from .rank.surface import off_surface

__all__ = ["Acceleration", "accelerate", "accelerate_rows", "accelerate_snapshot", "ideal_force"]

# Rounds in which a resistance that depends on the normal force and the set of pressing contacts
# may adapt to each other.
MAX_ROUNDS = 20


def accelerate(
    system: System,
    q: ArrayLike,
    v: ArrayLike,
    t: float = 0.0,
    *,
    solver: str | Adapter | GaussSolver = "osqp",
    contacts: Iterable[str] | None = None,
    weight: ArrayLike | None = None,
) -> Acceleration:
    """Acceleration and constraint forces of a system at a state.

    The state is taken as it is: a velocity that violates a constraint is not refused.

    Parameters
    ----------
    system : System
    q, v : array_like
        Positions and velocities.
    t : float
        Time.
    solver : str, Adapter or GaussSolver
        The solver to try first; pass a GaussSolver for many calls.
    contacts, weight
        As for :func:`build_acceleration`.

    Examples
    --------
    A pendulum of 1 kg and 1 m passing the bottom at 2 m/s: the rod carries m g + m v^2 / L.

    >>> from gauss_opt import Holonomic, System, accelerate
    >>> rod = Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0)
    >>> pendulum = System([1.0, 1.0], [0.0, -9.81], [rod])
    >>> accelerate(pendulum, [0.0, -1.0], [2.0, 0.0]).forces["rod"]
    array([ 0.  , 13.81])
    """
    snapshot = evaluate(system, q, v, t)
    if not isinstance(solver, GaussSolver):
        solver = GaussSolver(solver)
    return accelerate_snapshot(snapshot, solver, contacts=contacts, weight=weight)


def accelerate_snapshot(
    snapshot: Snapshot,
    solver: GaussSolver,
    *,
    contacts: Iterable[str] | None = None,
    weight: ArrayLike | None = None,
) -> Acceleration:
    """:func:`accelerate` from a snapshot and a kept solver."""
    chosen = chosen_rows(snapshot, contacts)
    if has_rough(snapshot, chosen):
        if weight is not None:
            raise InputError("weight= is not defined together with friction")
        return accelerate_rows(snapshot, solver, chosen, held_rows(snapshot), slides_at(snapshot))
    if weight is None:
        return accelerate_rows(snapshot, solver, chosen)
    R = weight_matrix(weight, len(snapshot.v))
    solution, dependence = _solve(solver, snapshot, chosen, weight=weight)
    return made(
        Acceleration,
        snapshot=snapshot,
        solution=solution,
        weight=R,
        chosen=chosen,
        dependence=dependence,
    )


def accelerate_rows(
    snapshot: Snapshot,
    solver: GaussSolver,
    chosen: Indices | None = None,
    among: HeldRows | None = None,
    slide: Slide | None = None,
) -> Acceleration:
    """The acceleration with chosen rows of the layout in the problem, or with all of them.

    ``among`` are the equalities to hold, where they are known to be dependent on the surface;
    ``slide`` says which contacts slide, and in which direction (none of them when left out).
    """
    if chosen is not None and has_rough(snapshot, chosen):
        rubbing, rows = solve_with_friction(snapshot, solver, chosen, slide, among)
        return made(
            Acceleration, snapshot=snapshot, solution=rubbing, weight=None, chosen=rows,
            dependence=None,
        )  # fmt: skip
    if snapshot.needs_ideal_force:
        return _with_resistance(snapshot, solver, chosen, among)
    solution, dependence = _solve(solver, snapshot, chosen, among)
    return made(
        Acceleration,
        snapshot=snapshot,
        solution=solution,
        weight=None,
        chosen=chosen,
        dependence=dependence,
    )


def _solve(
    solver: GaussSolver,
    snapshot: Snapshot,
    chosen: Indices | None,
    among: HeldRows | None = None,
    weight: ArrayLike | None = None,
) -> Answer:
    problem = problem_on(snapshot, chosen, weight)
    try:
        if among is not None:
            surface = among.surface(off_surface(snapshot))
            answer = solve_of_rank(solver, problem, surface, LARGEST_CONTRADICTION)
            if answer is not None:
                return answer
        return solve_beside_surface(solver, problem, snapshot)
    except InputError:
        # A mass that turns indefinite on the way: say when, and in which direction.
        where = f"mass (at t={snapshot.t:g}, q={snapshot.q})"
        require_semidefinite(snapshot.mass, where, snapshot.system.velocity_coordinates)
        raise
    except MassError as error:
        named = free_direction(problem, snapshot.system.velocity_coordinates)
        raise MassError(named, problem) from error


def _with_resistance(
    snapshot: Snapshot, solver: GaussSolver, chosen: Indices | None, among: HeldRows | None
) -> Acceleration:
    """Solve where C depends on the ideal force, hence on which contacts carry force.

    For a given set of carrying rows the ideal force does not depend on C. So: solve, take the
    ideal force of the carrying rows, ask for C, solve again, until the set no longer changes.
    """
    solution, _ = _solve(solver, snapshot, chosen, among)
    for _ in range(MAX_ROUNDS):
        complete = snapshot.with_ideal_force(ideal_force(snapshot, solution))
        after, dependence = _solve(solver, complete, chosen, among)
        if np.array_equal(after.working, solution.working):
            return Acceleration(complete, after, None, chosen, dependence)
        solution = after
    raise SolverError(
        f"at t={snapshot.t:g} the non-ideal force and the set of contacts that carry force did not "
        f"converge within {MAX_ROUNDS} iterations: the resistance may be too large (as in "
        f"Painleve's paradox)",
        solution.problem,
    )
