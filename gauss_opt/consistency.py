"""Consistent positions and velocities: the smallest move, in the mass metric, onto the constraints.

Positions: minimise 1/2 dq' M dq with phi_q dq = -phi and gap + gap_q dq >= 0, again and again.
Velocities: minimise 1/2 (v - v0)' M (v - v0) with phi1' = 0, phi2 = 0, psi >= 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from .active_set import solve_unit_rows
from .compiled import Block
from .errors import InputError, ModelError
from .ladder import GaussSolver
from .model import Contact, Holonomic, Servo, VelocityLimit
from .problem import Array, GaussProblem
from .snapshot import Snapshot, evaluate, read_only
from .system import System
from .whiten import factorise, whiten

__all__ = ["Assembly", "assemble"]

MAX_ITERATIONS = 60
CONVERGED = 1e-13


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
                f"positions: {in_q} degrees of freedom were left open and settled by the least "
                f"move from the guess (largest: {name} by {self.moved[largest]:.3g}); hold "
                f"coordinates with hold_q= to decide them yourself"
            )
        else:
            lines.append("positions: determined by the constraints and the held coordinates")
        if in_v:
            lines.append(f"velocities: {in_v} degrees of freedom settled by the least change")
        else:
            lines.append("velocities: determined by the constraints and the held velocities")
        return "\n".join(lines)

    __repr__ = __str__


def assemble(
    system: System,
    q: ArrayLike,
    v: ArrayLike | None = None,
    t: float = 0.0,
    *,
    hold_q: Iterable[int | str] = (),
    hold_v: Iterable[int] = (),
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
    hold_v : iterable of int
        Velocities that must stay as guessed.
    resting : sequence of str
        Contacts that shall stay closed: their gap and its rate are made 0. The rate of other
        contacts is not touched.

    Returns
    -------
    Assembly
        A pair (q, v) that can say more when printed.

    Raises
    ------
    InfeasibleError
        When the constraints and what is held contradict each other; it names them.
    ModelError
        When the iteration does not get onto the constraints.

    Examples
    --------
    >>> rod = Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0)
    >>> pendulum = System([1.0, 1.0], [0.0, -9.81], [rod])
    >>> q, v = assemble(pendulum, [0.6, 0.7], [1.0, 0.0], hold_q=[0])
    >>> q.round(9), v.round(9)
    (array([0.6, 0.8]), array([ 0.64, -0.48]))
    """
    guess = read_only("q", q)
    nv = system.nv or len(guess)
    speed = np.zeros(nv) if v is None else read_only("v", v)
    solver = solver if isinstance(solver, GaussSolver) else GaussSolver(solver)
    held = _indices(system, hold_q, len(guess), "hold_q")
    held_v = _indices(system, hold_v, nv, "hold_v")
    for name in resting:
        evaluate(system, guess, speed, t).layout.block(name)
    position, dof_q, steps = _positions(system, guess, speed, t, held, resting, solver)
    velocity, dof_v = _velocities(system, position, speed, t, held_v, resting, solver)
    result = Assembly((position, velocity))
    result.q, result.v = position, velocity
    result.degrees_of_freedom = (dof_q, dof_v)
    result.moved, result.iterations, result.system = position - guess, steps, system
    return result


def _positions(
    system: System, q: Array, v: Array, t: float, held: list[int], resting: Sequence[str],
    solver: GaussSolver,
) -> tuple[Array, int, int]:  # fmt: skip
    """Consistent positions, the degrees of freedom left, and the number of steps."""
    snapshot = evaluate(system, q, v, t)
    dof = -1
    for iteration in range(MAX_ITERATIONS):
        problem = position_problem(snapshot, held, resting)
        if dof < 0:
            dof = _freedom(problem)
        step = solver.solve(problem).x
        before = _misfit(problem)
        if before == 0.0 or not step.any():
            return snapshot.q, dof, iteration
        snapshot, after = _damped(snapshot, step, held, resting, before)
        if after <= CONVERGED or _negligible(snapshot, step):
            return snapshot.q, dof, iteration + 1
    raise _not_assembled(snapshot, problem)


def position_problem(
    snapshot: Snapshot, held: Sequence[int], resting: Sequence[str]
) -> GaussProblem:
    """The step onto the constraints of positions, linearised at a snapshot."""
    equal = _blocks(snapshot, lambda item: isinstance(item, Holonomic) or item.name in resting)
    unilateral = _blocks(
        snapshot, lambda item: isinstance(item, Contact) and item.name not in resting
    )
    holding = _position_map(snapshot)[list(held)]
    names = [snapshot.system.coordinate_name(i) for i in held]
    rows, rhs, owners = _gather(snapshot, equal, -snapshot.value)
    contact_rows, contact_rhs, contact_owners = _gather(snapshot, unilateral, -snapshot.value)
    return GaussProblem.create(
        _metric(snapshot),
        target=np.zeros(len(snapshot.v)),
        Ae=np.vstack([rows, holding]),
        be=np.concatenate([rhs, np.zeros(len(held))]),
        Ai=contact_rows,
        bi=contact_rhs,
        equality_names=[*owners, *(f"hold {name}" for name in names)],
        inequality_names=contact_owners,
        kind="consistent position (linearised)",
    )


def velocity_problem(
    snapshot: Snapshot, held: Sequence[int] = (), resting: Sequence[str] = ()
) -> GaussProblem:
    """The nearest velocity that satisfies all constraints, linearised at a snapshot."""
    equal = _blocks(
        snapshot,
        lambda item: item.name in resting or not isinstance(item, Servo | Contact | VelocityLimit),
    )
    limits = _blocks(snapshot, lambda item: isinstance(item, VelocityLimit))
    holding = np.eye(len(snapshot.v))[list(held)]
    rows, rhs, owners = _gather(snapshot, equal, -snapshot.offset)
    limit_rows, limit_rhs, limit_owners = _gather(snapshot, limits, -snapshot.offset)
    return GaussProblem.create(
        _metric(snapshot),
        target=snapshot.v,
        Ae=np.vstack([rows, holding]),
        be=np.concatenate([rhs, snapshot.v[list(held)]]),
        Ai=limit_rows,
        bi=limit_rhs,
        equality_names=[*owners, *(f"hold velocity {i}" for i in held)],
        inequality_names=limit_owners,
        kind="consistent velocity",
    )


def _velocities(
    system: System, q: Array, v: Array, t: float, held: list[int], resting: Sequence[str],
    solver: GaussSolver,
) -> tuple[Array, int]:  # fmt: skip
    """Consistent velocities; constraints nonlinear in v make it an iteration."""
    dof = -1
    for _ in range(MAX_ITERATIONS):
        snapshot = evaluate(system, q, v, t)
        problem = velocity_problem(snapshot, held, resting)
        dof = _freedom(problem) if dof < 0 else dof
        after = solver.solve(problem).x
        change = np.abs(after - v).max(initial=0.0)
        v = after
        if change <= CONVERGED * np.abs(v).max(initial=0.0):
            return v, dof
    raise ModelError(
        f"no consistent velocity was found in {MAX_ITERATIONS} iterations at t={t:g}: the "
        f"constraints on velocities may have no common solution near the guess"
    )


def _damped(
    snapshot: Snapshot, step: Array, held: Sequence[int], resting: Sequence[str], before: float
) -> tuple[Snapshot, float]:
    """The snapshot after a step, shortened while the constraints get worse."""
    move = _position_map(snapshot) @ step
    length = 1.0
    while True:
        after = evaluate(snapshot.system, snapshot.q + length * move, snapshot.v, snapshot.t)
        misfit = _misfit(position_problem(after, held, resting), snapshot)
        if misfit < before or length < 1e-3 or _negligible(after, step):
            return after, misfit
        length *= 0.5


def _misfit(problem: GaussProblem, scales: Snapshot | None = None) -> float:
    """Largest violation, as the distance it takes along the row to repair, relative to 1."""
    if not len(problem.rhs):
        return 0.0
    violation = problem.rhs.copy()
    violation[problem.n_equality :] = np.maximum(violation[problem.n_equality :], 0.0)
    lengths = np.linalg.norm(problem.rows, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    return float(np.abs(violation / lengths).max())


def _negligible(snapshot: Snapshot, step: Array) -> bool:
    move = np.abs(_position_map(snapshot) @ step).max()
    return bool(move <= CONVERGED * np.abs(snapshot.q).max())


def _not_assembled(snapshot: Snapshot, problem: GaussProblem) -> ModelError:
    ne = problem.n_equality
    violation = np.abs(problem.rhs)
    violation[ne:] = np.maximum(problem.rhs[ne:], 0.0)
    worst = int(violation.argmax())
    return ModelError(
        f"no consistent position was found in {MAX_ITERATIONS} iterations: constraint "
        f"{problem.names[worst]!r} is still off by {violation[worst]:.3g} at q={snapshot.q}. The "
        f"parts may be too short or too long to meet, or the guess too far away: change the "
        f"guess, or hold fewer coordinates"
    )


def _freedom(problem: GaussProblem) -> int:
    unit = whiten(problem).unit()
    return problem.n - solve_unit_rows(unit, np.arange(problem.n_equality)).rank


def _metric(snapshot: Snapshot) -> Array:
    """The mass; where it is singular, with a typical mass for the directions that have none."""
    if factorise(snapshot.mass) is not None:
        return snapshot.mass
    typical = snapshot.mass.diagonal().max() or 1.0
    values, vectors = np.linalg.eigh(snapshot.mass)
    filled = np.where(values > 1e-12 * values[-1], values, typical)
    metric: Array = (vectors * filled) @ vectors.T
    return metric


def _position_map(snapshot: Snapshot) -> Array:
    """N(q): how positions follow velocities, (nq, nv)."""
    compiled = snapshot.compiled
    if "N" not in compiled.slices:
        return np.eye(compiled.nv)
    out = compiled.run(snapshot.q, snapshot.v, snapshot.t, snapshot.system.parameters)
    return out[compiled.slices["N"]].reshape(compiled.nq, compiled.nv)


def _blocks(snapshot: Snapshot, wanted: object) -> list[Block]:
    enabled = snapshot.enabled
    return [
        block
        for block in snapshot.layout.blocks
        if wanted(block.item)  # type: ignore[operator]
        and (enabled is None or enabled[block.rows].all())
    ]


def _gather(
    snapshot: Snapshot, blocks: Sequence[Block], rhs: Array
) -> tuple[Array, Array, list[str]]:
    rows = [i for block in blocks for i in range(block.rows.start, block.rows.stop)]
    return snapshot.rows[rows], rhs[rows], [snapshot.layout.names[i] for i in rows]


def _indices(system: System, held: Iterable[int | str], n: int, what: str) -> list[int]:
    names = [system.coordinate_name(i) for i in range(n)]
    indices = []
    for entry in held:
        index = names.index(entry) if entry in names else entry
        if not isinstance(index, int | np.integer) or not 0 <= index < n:
            raise InputError(f"{what} has {entry!r}; there are: {', '.join(names)}")
        indices.append(int(index))
    return indices
