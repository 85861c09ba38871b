"""Accelerations and constraint forces: (G) with x = q'', and what its multipliers mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array, Indices
from ..base.errors import InputError, SolverError
from ..base.lazy import lazy, made
from ..base.matrices import factorise, require_semidefinite
from ..model.rows import Kind
from ..model.snapshot import Snapshot, evaluate
from ..model.system import System
from ..qp.certificate import Certificate
from ..qp.gauss_solver import GaussSolver
from ..qp.solution import GaussSolution
from ..qp.solvers import Adapter
from .acceleration_problem import problem_on, weight_matrix
from .ideal_force import ideal_force_of_rows
from .participants import chosen_rows

__all__ = ["Acceleration", "accelerate", "accelerate_rows", "accelerate_snapshot", "ideal_force"]

# Rounds in which a resistance that depends on the normal force and the set of pressing contacts
# may adapt to each other.
MAX_ROUNDS = 20


@dataclass(frozen=True, eq=False)
class Acceleration:
    """The acceleration at a state, and the forces that constraints exert. Forces on demand.

    Attributes
    ----------
    snapshot : Snapshot
        The state, with the non-ideal force that goes with the answer.
    solution : GaussSolution
        The certified solution of (G).
    weight : (nv, nv) array or None
        R, when the constraint force was weighted.
    chosen : array of int or None
        Rows of the layout that were in the problem; None when all of them were.
    """

    snapshot: Snapshot
    solution: GaussSolution
    weight: Array | None = None
    chosen: Indices | None = None

    @property
    def acceleration(self) -> Array:
        """q'' (or v'), (nv,)."""
        return self.solution.x

    @property
    def certificate(self) -> Certificate:
        """Residuals of the answer."""
        return self.solution.certificate

    @lazy
    def gauss(self) -> float:
        """The minimum of (G): 1/2 (a - a^)' M (a - a^); with a weight, 1/2 v'Rv of the force v."""
        problem, solution = self.solution.problem, self.solution
        force = solution.row_multipliers @ problem.rows
        factor = factorise(problem.metric)
        if factor is None:  # a^ is that of the regular part; massless directions do not count
            away = solution.x - np.linalg.lstsq(problem.metric, problem.load, rcond=None)[0]
            return float(0.5 * away @ problem.metric @ away)
        return float(0.5 * np.sum(np.linalg.solve(factor, force) ** 2))

    @lazy
    def multipliers(self) -> dict[str, Any]:
        """Multiplier of each constraint by name; 0 for contacts that were not in the problem."""
        return self.snapshot.layout.by_name(self._all_multipliers)

    @lazy
    def constraint_force(self) -> Array:
        """Qc = M a - Q: everything the constraints add, (nv,)."""
        force: Array = self.snapshot.mass.dot(self.solution.x) - self.snapshot.force
        return force

    @lazy
    def ideal_force(self) -> Array:
        """The part that would be there with ideal constraints: the whole, unless C is given."""
        if self.snapshot.nonideal is None:
            return self.constraint_force
        return ideal_force(self.snapshot, self.solution)

    @lazy
    def nonideal_force(self) -> Array:
        """The rest, caused by C; its acceleration is M-orthogonal to the ideal part's."""
        if self.snapshot.nonideal is None:
            return np.zeros(len(self.solution.x))
        return self.constraint_force - self.ideal_force

    @lazy
    def control_force(self) -> Array:
        """The force of the servos, (nv,)."""
        blocks = self.snapshot.layout.blocks
        servos = [block.name for block in blocks if block.kind == Kind.SERVO]
        return sum((self.forces[name] for name in servos), np.zeros(len(self.solution.x)))

    @lazy
    def forces(self) -> dict[str, Array]:
        """Force of each constraint by name, (nv,) each; their sum is Qc - C."""
        layout = self.snapshot.layout
        shares = self._all_multipliers[:, None] * self.snapshot.rows
        if len(layout.block_starts):
            shares = np.add.reduceat(shares, layout.block_starts) + 0.0  # no -0.0
        forces = dict(zip(layout.block_names, shares, strict=True))
        if self.weight is None:
            return forces
        effect = self.weight @ self.snapshot.mass
        inverse = np.linalg.inv(effect.T)
        return {name: inverse @ force for name, force in forces.items()}

    @property
    def _all_multipliers(self) -> Array:
        """Multipliers on the rows of the layout."""
        if self.chosen is None:
            return self.solution.row_multipliers
        result = np.zeros(self.snapshot.layout.n_rows)
        result[self.chosen] = self.solution.row_multipliers
        return result

    def __str__(self) -> str:
        lines = [f"Acceleration at t = {self.snapshot.t:g}: {self.acceleration}"]
        for name, multiplier in self.multipliers.items():
            lines.append(f"  {name}: multiplier {multiplier}, force {self.forces[name]}")
        unique = "" if self.solution.unique else "; multipliers not unique"
        lines.append(f"  Gauss function {self.gauss:.6g}{unique}")
        lines.append(f"  solver {self.solution.solver}; certificate: {self.certificate}")
        return "\n".join(lines)

    __repr__ = __str__


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
    if weight is None:
        return accelerate_rows(snapshot, solver, chosen)
    R = weight_matrix(weight, len(snapshot.v))
    solution = _solve(solver, snapshot, chosen, weight)
    return made(Acceleration, snapshot=snapshot, solution=solution, weight=R, chosen=chosen)


def accelerate_rows(
    snapshot: Snapshot, solver: GaussSolver, chosen: Indices | None = None
) -> Acceleration:
    """The acceleration with chosen rows of the layout in the problem, or with all of them."""
    if snapshot.needs_ideal_force:
        return _with_resistance(snapshot, solver, chosen)
    solution = _solve(solver, snapshot, chosen)
    return made(Acceleration, snapshot=snapshot, solution=solution, weight=None, chosen=chosen)


def _solve(
    solver: GaussSolver, snapshot: Snapshot, chosen: Indices | None, weight: ArrayLike | None = None
) -> GaussSolution:
    try:
        return solver.solve(problem_on(snapshot, chosen, weight))
    except InputError:
        # A mass that turns indefinite on the way: say when, and in which direction.
        require_semidefinite(snapshot.mass, f"mass (at t={snapshot.t:g}, q={snapshot.q})")
        raise


def _with_resistance(
    snapshot: Snapshot, solver: GaussSolver, chosen: Indices | None
) -> Acceleration:
    """Solve where C depends on the ideal force, hence on which contacts carry force.

    For a given set of carrying rows the ideal force does not depend on C. So: solve, take the
    ideal force of the carrying rows, ask for C, solve again, until the set no longer changes.
    """
    solution = _solve(solver, snapshot, chosen)
    for _ in range(MAX_ROUNDS):
        complete = snapshot.with_ideal_force(ideal_force(snapshot, solution))
        after = _solve(solver, complete, chosen)
        if np.array_equal(after.working, solution.working):
            return Acceleration(complete, after, None, chosen)
        solution = after
    raise SolverError(
        f"at t={snapshot.t:g} the non-ideal force and the set of contacts that carry force did not "
        f"converge within {MAX_ROUNDS} iterations: the resistance may be too large (as in "
        f"Painleve's paradox)",
        solution.problem,
    )


def ideal_force(snapshot: Snapshot, solution: GaussSolution) -> Array:
    """Force of the rows that carry force, were they ideal: M^1/2 B^+ (b - A a), (nv,)."""
    problem, carrying = solution.problem, solution.working
    names = tuple([problem.names[i] for i in carrying])
    return ideal_force_of_rows(snapshot, problem.rows[carrying], problem.rhs[carrying], names)
