"""The way onto the constraints, step by step: positions first, then velocities."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from scipy.integrate import solve_ivp

from ...base.arrays import Array
from ...base.errors import ModelError
from ...base.tolerances.mechanics import (
    ASSEMBLED,
    FOLLOWING_MISFIT,
    KINEMATICS_ATOL,
    KINEMATICS_RTOL,
    SHORTEST_STEP,
)
from ...model.snapshot import Snapshot, evaluate
from ...qp.gauss_solver import GaussSolver
from ...qp.problem import GaussProblem
from ..rank.beside_surface import Answer, Dependence, solve_of_rank
from ..rank.surface import Equalities, off_surface, rank_at, surface_rank
from .problem import (
    freedom,
    misfit,
    position_equalities,
    position_problem,
    velocity_equalities,
    velocity_problem,
)

__all__ = ["consistent_positions", "consistent_velocities"]

MAX_ITERATIONS = 60


def consistent_positions(
    snapshot: Snapshot, held: list[int], resting: Sequence[str], solver: GaussSolver
) -> tuple[Snapshot, int, int]:
    """The state with consistent positions, the degrees of freedom left, the number of steps."""
    guess, scale = snapshot.q, float(np.abs(snapshot.q).max())
    contradicting: GaussProblem | None = None

    def linearised(at: Snapshot) -> GaussProblem:
        back = None if contradicting is None else (guess - at.q)[held]
        return position_problem(at, held, resting, back)

    for iteration in range(MAX_ITERATIONS):
        problem = linearised(snapshot)
        before = misfit(problem)
        if before == 0.0:
            return snapshot, _freedom(snapshot, held, resting), iteration
        equalities = position_equalities(snapshot, held, resting)
        solution, dependence = _on_surface(solver, problem, snapshot, equalities, np.inf)
        if dependence is not None:
            contradicting = contradicting or problem
        after = _moved(snapshot, solution.x)
        moved = float(np.abs(after.q - snapshot.q).max())
        scale = max(scale, float(np.abs(after.q).max()))
        if moved <= ASSEMBLED * scale:
            if contradicting is not None and misfit(linearised(after)) > FOLLOWING_MISFIT * scale:
                break
            return after, _freedom(after, held, resting), iteration + 1
        snapshot = _damped(snapshot, after, solution.x, linearised, before)
    if contradicting is not None:
        solver.solve(contradicting)  # names what contradicts what
    raise _not_assembled(snapshot, linearised(snapshot))


def consistent_velocities(
    snapshot: Snapshot, held: list[int], resting: Sequence[str], solver: GaussSolver
) -> tuple[Array, int, Dependence | None]:
    """Consistent velocities, the degrees of freedom left, and rows that follow from others.

    Constraints nonlinear in v make it an iteration.
    """
    scale = float(np.abs(snapshot.v).max())
    for _ in range(MAX_ITERATIONS):
        problem = velocity_problem(snapshot, held, resting)
        equalities = velocity_equalities(snapshot, held, resting)
        solution, dependence = _on_surface(solver, problem, snapshot, equalities, FOLLOWING_MISFIT)
        after = solution.x
        change = float(np.abs(after - snapshot.v).max())
        scale = max(scale, float(np.abs(after).max()))
        if change <= ASSEMBLED * scale:
            return after, freedom(problem, _rank(snapshot, equalities)), dependence
        snapshot = evaluate(snapshot.system, snapshot.q, after, snapshot.t)
    raise ModelError(
        f"no consistent velocity was found in {MAX_ITERATIONS} iterations at t={snapshot.t:g}: the "
        f"constraints on velocities may have no common solution near the guess"
    )


def _on_surface(
    solver: GaussSolver,
    problem: GaussProblem,
    snapshot: Snapshot,
    equalities: Equalities,
    contradiction: float,
) -> Answer:
    """A step onto the constraints with as many rows as are independent there."""
    off = off_surface(snapshot, positions_only=True)
    surface = rank_at(snapshot, equalities, off)
    answer = solve_of_rank(solver, problem, surface, contradiction)
    return (solver.solve(problem), None) if answer is None else answer


def _rank(snapshot: Snapshot, equalities: Equalities) -> int:
    return surface_rank(snapshot, equalities.at, off_surface(snapshot, positions_only=True))


def _freedom(snapshot: Snapshot, held: list[int], resting: Sequence[str]) -> int:
    rank = _rank(snapshot, position_equalities(snapshot, held, resting))
    return freedom(position_problem(snapshot, held, resting), rank)


def _damped(
    snapshot: Snapshot, after: Snapshot, step: Array,
    linearised: Callable[[Snapshot], GaussProblem], before: float,
) -> Snapshot:  # fmt: skip
    """The snapshot after a step, shortened while the constraints get worse."""
    length = 1.0
    while misfit(linearised(after)) >= before and length > SHORTEST_STEP:
        length *= 0.5
        after = _moved(snapshot, length * step)
    return after


def _moved(snapshot: Snapshot, step: Array) -> Snapshot:
    """The snapshot after a step of the positions.

    Where q' = N(q) v, q follows that flow for unit time instead of its tangent, which would leave
    what the flow keeps, such as the length of a quaternion.
    """
    system = snapshot.system
    if snapshot.velocity_map() is None:
        return evaluate(system, snapshot.q + step, snapshot.v, snapshot.t)

    def flow(_: float, q: Array) -> Array:
        N = snapshot.dynamics.velocity_map(q, snapshot.t, system.parameters)
        assert N is not None
        return N @ step

    end = solve_ivp(
        flow, (0.0, 1.0), snapshot.q, method="DOP853", rtol=KINEMATICS_RTOL, atol=KINEMATICS_ATOL
    )
    return evaluate(system, end.y[:, -1], snapshot.v, snapshot.t)


def _not_assembled(snapshot: Snapshot, problem: GaussProblem) -> ModelError:
    ne = problem.n_equality
    violation = np.abs(problem.rhs)
    violation[ne:] = np.maximum(problem.rhs[ne:], 0.0)
    worst = int(violation.argmax())
    return ModelError(
        f"no consistent position was found in {MAX_ITERATIONS} iterations: constraint "
        f"{problem.names[worst]!r} is still violated by {violation[worst]:.3g} at q={snapshot.q}. "
        f"The parts may be too short or too long to meet, or the guess too far away: change the "
        f"guess, or hold fewer coordinates"
    )
