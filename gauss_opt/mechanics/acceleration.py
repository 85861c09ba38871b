"""Accelerations and constraint forces: (G) with x = q'', and what its multipliers mean.

minimise 1/2 (a - a^)' M (a - a^),   a^ = M^-1 (Q + C)

equalities     phi1'' = 0, phi2' = 0, servo error dynamics
inequalities   gap'' >= 0 of resting contacts, psi' >= 0 of active velocity limits
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import Array, Indices, real_array
from ..base.errors import InputError, ModelError, SolverError
from ..base.lazy import lazy, made
from ..base.matrices import factorise, require_semidefinite, symmetrised
from ..model.constraints import Contact, Servo
from ..model.snapshot import Snapshot, evaluate
from ..model.system import System
from ..qp.certificate import Certificate
from ..qp.gauss_solver import GaussSolver
from ..qp.problem import GaussProblem
from ..qp.solution import GaussSolution
from ..qp.solvers import Adapter
from ..qp.whitening import whiten
from .ideal_force import ideal_force_of_rows

__all__ = ["Acceleration", "accelerate", "build_acceleration"]

# A gap or a rate this small, relative to the terms it is made of, counts as zero. The terms are
# those of the linearised function, so the test has no unit.
TOUCHING = 1e-8

# Rounds in which a resistance that depends on the normal force and the set of pressing contacts
# may adapt to each other.
MAX_ROUNDS = 20


def build_acceleration(
    snapshot: Snapshot,
    *,
    contacts: Iterable[str] | None = None,
    weight: ArrayLike | None = None,
) -> GaussProblem:
    """The acceleration problem at a state, not yet solved.

    Parameters
    ----------
    snapshot : Snapshot
        From :func:`evaluate`.
    contacts : iterable of str, optional
        Contacts and velocity limits to include. By default the contacts that touch and do not
        separate, and the limits that are reached.
    weight : (nv, nv) array, (nv,) array or float, optional
        R: minimise v'Rv over the constraint force v instead of Gauss's function; the metric is
        then M R M. R = M^-1 is Gauss's principle. Not defined together with a non-ideal force.

    Examples
    --------
    >>> from gauss_opt import Contact, System, evaluate
    >>> ball = System([1.0], [-9.81], contacts=[Contact("floor", lambda q, t: q[0])])
    >>> print(build_acceleration(evaluate(ball, [0.0], [0.0])))
    GaussProblem 'acceleration': 1 coordinate, 0 equality rows, 1 inequality row
    >>> print(build_acceleration(evaluate(ball, [1.0], [0.0])))
    GaussProblem 'acceleration': 1 coordinate, 0 equality rows, 0 inequality rows
    """
    return problem_on(snapshot, _chosen_rows(snapshot, contacts), weight)


def problem_on(
    snapshot: Snapshot, chosen: Indices | None, weight: ArrayLike | None = None
) -> GaussProblem:
    """The problem with chosen rows of the layout, or with all of them."""
    load = snapshot.force if snapshot.nonideal is None else snapshot.force + snapshot.nonideal
    metric = snapshot.mass
    if weight is not None:
        metric, load = _weighted(snapshot, load, weight)
    layout = snapshot.layout
    rows, rhs, names = snapshot.rows, snapshot.rhs, layout.names
    if chosen is not None:
        rows, rhs = rows.take(chosen, 0), rhs.take(chosen)
        names = tuple([names[i] for i in chosen.tolist()])
    return GaussProblem(metric, load, rows, rhs, layout.equalities.stop, names, "acceleration")


def _chosen_rows(snapshot: Snapshot, contacts: Iterable[str] | None) -> Indices | None:
    """Rows of the layout that are in the problem, ascending; None when all of them are."""
    layout = snapshot.layout
    ne = layout.equalities.stop
    if ne == layout.n_rows:
        return None
    inequalities = _touching(snapshot) if contacts is None else _named(snapshot, contacts)
    if len(inequalities) == layout.n_rows - ne:
        return None
    chosen: Indices = np.array([*range(ne), *inequalities], dtype=np.intp)
    return chosen


def touching_rows(snapshot: Snapshot) -> Indices:
    """Rows of contacts that touch without separating, and of velocity limits that are reached."""
    return np.array(_touching(snapshot), dtype=np.intp)


def _touching(snapshot: Snapshot) -> list[int]:
    """Inequality rows that touch, ascending. Lists: for a few rows they are faster than arrays."""
    layout = snapshot.layout
    ne, n_contacts = layout.equalities.stop, layout.contacts.stop - layout.equalities.stop
    jacobian = np.abs(snapshot.rows[ne:])
    values, rates = snapshot.value[ne:].tolist(), snapshot.rate[ne:].tolist()
    reach = jacobian.dot(_position_scale(snapshot)).tolist()
    touching = [i for i, value in enumerate(values) if value <= TOUCHING * reach[i]]
    if n_contacts < len(values) or max(rates, default=0.0) > 0.0:
        offset = snapshot.rate[ne:] - snapshot.rows[ne:].dot(snapshot.v)
        speed = (TOUCHING * (jacobian.dot(np.abs(snapshot.v)) + np.abs(offset))).tolist()
        touching = [i for i in touching if i < n_contacts and rates[i] <= speed[i]]
        touching += [i for i in range(n_contacts, len(values)) if values[i] <= speed[i]]
    touching = [ne + i for i in touching]
    if snapshot.enabled is not None:
        touching = [i for i in touching if snapshot.enabled[i]]
    if 0.0 in reach:  # without a normal, or with zero coordinates only
        _require_normals(snapshot, touching)
    return touching


def _position_scale(snapshot: Snapshot) -> Array:
    """Size of the positions, one for each velocity."""
    q = np.abs(snapshot.q)
    return q if len(q) == len(snapshot.v) else np.full(len(snapshot.v), q.max())


def _named(snapshot: Snapshot, names: Iterable[str]) -> list[int]:
    """Rows of contacts and limits by name, ascending."""
    layout = snapshot.layout
    wanted = [names] if isinstance(names, str) else list(names)
    blocks = [layout.block(name) for name in wanted]
    for block in blocks:
        if block.rows.start < layout.equalities.stop:
            raise InputError(f"{block.item} is not a contact or a velocity limit")
    rows = sorted({i for block in blocks for i in range(block.rows.start, block.rows.stop)})
    _require_normals(snapshot, rows)
    return rows


def _require_normals(snapshot: Snapshot, chosen: list[int]) -> None:
    """A contact that takes part must have a normal."""
    for i in chosen:
        if any(snapshot.rows[i].tolist()):
            continue
        item = snapshot.layout.block(snapshot.layout.names[i]).item
        changes = "gap" if isinstance(item, Contact) else "value"
        raise ModelError(
            f"the normal of {item} is zero at t={snapshot.t:g}, q={snapshot.q}: its {changes} does "
            f"not change with any coordinate there"
        )


def _weighted(snapshot: Snapshot, load: Array, weight: ArrayLike) -> tuple[Array, Array]:
    """Metric M R M and load M R Q of the weighted constraint force."""
    if snapshot.system.nonideal is not None:
        raise InputError("weight= is not defined together with a non-ideal force")
    R = weight_matrix(weight, len(snapshot.v))
    if factorise(snapshot.mass) is None:
        raise InputError("weight= needs a positive definite mass")
    half = snapshot.mass @ R
    metric = half @ snapshot.mass
    return 0.5 * (metric + metric.T), half @ load


def weight_matrix(weight: ArrayLike, n: int) -> Array:
    """R as a symmetric positive definite matrix."""
    R = real_array("weight", weight)
    R = R * np.eye(n) if R.ndim == 0 else np.diag(R) if R.ndim == 1 else R
    if R.shape != (n, n):
        raise InputError(f"weight must be a number, ({n},) or ({n}, {n}), got shape {R.shape}")
    R = symmetrised(R, "weight")
    if factorise(R) is None:
        raise InputError("weight must be positive definite")
    return R


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
        if factor is None:
            white = whiten(problem)
            return float(0.5 * np.sum((solution.x @ white.factor - white.center) ** 2))
        return float(0.5 * np.sum(np.linalg.solve(factor, force) ** 2))

    @lazy
    def multipliers(self) -> dict[str, Any]:
        """Multiplier of every constraint by name; 0 for contacts that were not in the problem."""
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
        names = [c.name for c in self.snapshot.system.constraints if isinstance(c, Servo)]
        return sum((self.forces[name] for name in names), np.zeros(len(self.solution.x)))

    @lazy
    def forces(self) -> dict[str, Array]:
        """Force of each constraint by name, (nv,) each; their sum is Qc - C."""
        names, members = self.snapshot.layout.membership
        shares = (members * self._all_multipliers).dot(self.snapshot.rows)
        forces = dict(zip(names, shares, strict=True))
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
        Whom to ask; keep a GaussSolver for many calls.
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
    chosen = _chosen_rows(snapshot, contacts)
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
        f"at t={snapshot.t:g} the non-ideal force and the set of pressing contacts do not settle "
        f"on each other within {MAX_ROUNDS} rounds: the resistance may be too large (as in "
        f"Painleve's paradox)",
        solution.problem,
    )


def ideal_force(snapshot: Snapshot, solution: GaussSolution) -> Array:
    """Force of the rows that carry force, were they ideal: M^1/2 B^+ (b - A a), (nv,)."""
    problem, carrying = solution.problem, solution.working
    names = tuple([problem.names[i] for i in carrying])
    return ideal_force_of_rows(snapshot, problem.rows[carrying], problem.rhs[carrying], names)
