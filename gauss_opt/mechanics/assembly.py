"""Consistent positions and velocities: the least move, in the mass metric, onto constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import solve_ivp

from ..base.arrays import Array
from ..base.errors import InputError, ModelError
from ..base.tolerances.mechanics import ASSEMBLED, KINEMATICS_ATOL, KINEMATICS_RTOL, SHORTEST_STEP
from ..model.rows import Kind
from ..model.snapshot import Snapshot, evaluate, read_only
from ..model.system import System
from ..qp.gauss_solver import GaussSolver
from ..qp.problem import GaussProblem
from .consistency_problem import freedom, misfit, position_problem, velocity_problem

__all__ = ["Assembly", "assemble"]

MAX_ITERATIONS = 60


class Assembly(tuple[Array, Array]):
    """Consistent (q, v), which unpacks as such, with how it was found.

    Attributes
    ----------
    q, v : arrays
        The consistent state.
    degrees_of_freedom : tuple of int
        Independent motions that the constraints and the held coordinates leave, at the level of
        positions and of velocities. Along these the guess was kept as nearly as possible.
    moved : (nq,) array
        How far each position was moved from the guess.
    iterations : int
        Steps taken for the positions.
    """

    q: Array
    v: Array
    degrees_of_freedom: tuple[int, int]
    moved: Array
    iterations: int
    system: System

    def __str__(self) -> str:
        in_q, in_v = self.degrees_of_freedom
        lines = [f"q = {self.q}", f"v = {self.v}"]
        if in_q:
            largest = int(np.abs(self.moved).argmax())
            name = self.system.coordinate_name(largest)
            lines.append(
                f"positions: {_undetermined(in_q)}; the solution nearest to "
                f"the guess was taken (largest change: {name} by {self.moved[largest]:.3g}); fix "
                f"coordinates with hold_q= to choose them yourself"
            )
        else:
            lines.append("positions: determined by the constraints and the held coordinates")
        if in_v:
            lines.append(f"velocities: {_undetermined(in_v)}; the nearest to the guess were taken")
        else:
            lines.append("velocities: determined by the constraints and the held velocities")
        return "\n".join(lines)

    __repr__ = __str__


def _undetermined(count: int) -> str:
    noun = "degree of freedom is" if count == 1 else "degrees of freedom are"
    return f"{count} {noun} undetermined"


def assemble(
    system: System,
    q: ArrayLike,
    v: ArrayLike | None = None,
    t: float = 0.0,
    *,
    hold_q: Iterable[int | str] = (),
    hold_v: Iterable[int | str] = (),
    resting: Sequence[str] = (),
    solver: str | GaussSolver = "osqp",
) -> Assembly:
    """Consistent positions and velocities from a guess.

    Parameters
    ----------
    system : System
    q, v : array_like
        The guess; v = 0 when left out.
    t : float
        Time.
    hold_q : iterable of int or str
        Positions, by index or name, that must stay as guessed.
    hold_v : iterable of int or str
        Velocities, by index or as ``"v[0]"``, that must stay as guessed.
    resting : sequence of str
        Contacts that must stay closed: their gap and its rate are made 0. The rate of other
        contacts is not touched.

    Returns
    -------
    Assembly
        A pair (q, v) that says more when printed.

    Raises
    ------
    InfeasibleError
        When the constraints and what is held contradict each other; it names them.
    ModelError
        When the iteration does not reach the constraints.

    Examples
    --------
    >>> from gauss_opt import Holonomic
    >>> rod = Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0)
    >>> pendulum = System([1.0, 1.0], [0.0, -9.81], [rod])
    >>> q, v = assemble(pendulum, [0.6, 0.7], [1.0, 0.0], hold_q=[0])
    >>> q.round(9), v.round(9)
    (array([0.6, 0.8]), array([ 0.64, -0.48]))
    """
    guess = read_only("q", q)
    if guess.ndim != 1:
        raise InputError(f"q must be a vector, got shape {guess.shape}")
    nv = system.nv or len(guess)
    speed = read_only("v", np.zeros(nv) if v is None else v)
    solver = solver if isinstance(solver, GaussSolver) else GaussSolver(solver)
    start = evaluate(system, guess, speed, t)
    held = _indices([system.coordinate_name(i) for i in range(len(guess))], hold_q, "hold_q")
    held_v = _indices([f"v[{i}]" for i in range(nv)], hold_v, "hold_v")
    resting = [resting] if isinstance(resting, str) else list(resting)
    for name in resting:
        block = start.layout.block(name)
        if block.kind != Kind.CONTACT:
            raise InputError(f"resting= names {block.item}, which is not a contact")
    snapshot, dof_q, steps = _positions(start, held, resting, solver)
    velocity, dof_v = _velocities(snapshot, held_v, resting, solver)
    result = Assembly((snapshot.q, velocity))
    result.q, result.v = snapshot.q, velocity
    result.degrees_of_freedom = (dof_q, dof_v)
    result.moved, result.iterations, result.system = snapshot.q - guess, steps, system
    return result


def _positions(
    snapshot: Snapshot, held: list[int], resting: Sequence[str], solver: GaussSolver
) -> tuple[Snapshot, int, int]:
    """The state with consistent positions, the degrees of freedom left, the number of steps."""
    scale = float(np.abs(snapshot.q).max())
    for iteration in range(MAX_ITERATIONS):
        problem = position_problem(snapshot, held, resting)
        before = misfit(problem)
        if before == 0.0:
            return snapshot, freedom(problem), iteration
        step = solver.solve(problem).x
        after = _moved(snapshot, step)
        moved = float(np.abs(after.q - snapshot.q).max())
        scale = max(scale, float(np.abs(after.q).max()))
        if moved <= ASSEMBLED * scale:
            return after, freedom(position_problem(after, held, resting)), iteration + 1
        snapshot = _damped(snapshot, after, step, held, resting, before)
    raise _not_assembled(snapshot, position_problem(snapshot, held, resting))


def _velocities(
    snapshot: Snapshot, held: list[int], resting: Sequence[str], solver: GaussSolver
) -> tuple[Array, int]:
    """Consistent velocities; constraints nonlinear in v make it an iteration."""
    scale = float(np.abs(snapshot.v).max())
    for _ in range(MAX_ITERATIONS):
        problem = velocity_problem(snapshot, held, resting)
        after = solver.solve(problem).x
        change = float(np.abs(after - snapshot.v).max())
        scale = max(scale, float(np.abs(after).max()))
        if change <= ASSEMBLED * scale:
            return after, freedom(problem)
        snapshot = evaluate(snapshot.system, snapshot.q, after, snapshot.t)
    raise ModelError(
        f"no consistent velocity was found in {MAX_ITERATIONS} iterations at t={snapshot.t:g}: the "
        f"constraints on velocities may have no common solution near the guess"
    )


def _damped(
    snapshot: Snapshot, after: Snapshot, step: Array, held: Sequence[int], resting: Sequence[str],
    before: float,
) -> Snapshot:  # fmt: skip
    """The snapshot after a step, shortened while the constraints get worse."""
    length = 1.0
    while misfit(position_problem(after, held, resting)) >= before and length > SHORTEST_STEP:
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


def _indices(names: Sequence[str], held: Iterable[int | str], what: str) -> list[int]:
    indices = []
    for entry in [held] if isinstance(held, str) else held:
        index = names.index(entry) if isinstance(entry, str) and entry in names else entry
        if not isinstance(index, int | np.integer) or not 0 <= index < len(names):
            raise InputError(
                f"{what} names {entry!r}; choose from: {', '.join(names)} (0 to {len(names) - 1})"
            )
        indices.append(int(index))
    return indices
