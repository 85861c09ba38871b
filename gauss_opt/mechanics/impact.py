"""Impacts: the velocity after one is the nearest, in the mass metric, that the impact law allows.

minimise 1/2 (v+ - v-)' M (v+ - v-)

equalities     bilateral constraints at v+ (servos give forces, never impulses)
inequalities   what the law asks of the contacts, velocity limits at v+
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..base.arrays import Array, Indices
from ..base.errors import InfeasibleError, SolverError
from ..base.lazy import lazy
from ..base.tolerances.base import TINY
from ..base.tolerances.mechanics import IMPACT_CONVERGED, SAME_ROWS
from ..model.snapshot import Snapshot
from ..qp.friction.solution import FrictionSolution
from ..qp.gauss_solver import GaussSolver
from ..qp.problem import GaussProblem
from ..qp.solution import GaussSolution
from .friction.impact import Rub, with_tangents
from .rank.beside_surface import Dependence, solve_beside_surface
from .rank.surface import Equalities

__all__ = ["Impact", "Jump", "Outcome"]

MAX_ITERATIONS = 200


@dataclass(frozen=True, eq=False)
class Impact:
    """What an impact law is given: the state, and the contacts that take part.

    Attributes
    ----------
    snapshot : Snapshot
        The state just before; its rows are those of the layout.
    contacts : (k,) array of int
        Rows of the closed contacts that do not separate.
    equalities, limits : arrays of int
        Rows of bilateral constraints and of velocity limits.
    solver : GaussSolver
        For the problems of the law.
    slow : (m,) array or None
        Rates of this size, on the rows of the layout, are zero.
    """

    snapshot: Snapshot
    contacts: Indices
    equalities: Indices
    limits: Indices
    solver: GaussSolver
    slow: Array | None = None

    @classmethod
    def at(
        cls,
        snapshot: Snapshot,
        contacts: Indices,
        solver: GaussSolver,
        slow: Array | None = None,
    ) -> Impact:
        """The impact of the contact rows ``contacts`` at a state."""
        layout = snapshot.layout
        limits = np.arange(layout.limits.start, layout.limits.stop)
        return cls(snapshot, contacts, layout.bilateral, limits, solver, slow)

    @property
    def v(self) -> Array:
        """Velocity before."""
        return self.snapshot.v

    @lazy
    def rates(self) -> Array:
        """Gap rates before, (k,); negative is approaching.

        What is round-off is 0: a ball that rests between two walls must not be asked to bounce off
        both.
        """
        rates = self.snapshot.rate[self.contacts]
        if self.slow is None:
            return rates
        return np.where(np.abs(rates) <= self.slow[self.contacts], 0.0, rates)

    @lazy
    def restitution(self) -> Array:
        """Coefficient of each contact row, (k,)."""
        return self.snapshot.coefficients.restitution[self.contacts]

    @lazy
    def rubs(self) -> bool:
        """Whether a contact with friction takes part."""
        return bool(self.snapshot.coefficients.rough[self.contacts].any())

    @property
    def rows(self) -> Array:
        """W', the rows of the contacts: rate = W'v + w, (k, nv)."""
        return self.snapshot.rows_of(self.contacts)

    def solve(
        self,
        rates: Array,
        *,
        contacts: Indices | None = None,
        velocity: Array | None = None,
        push: Array | None = None,
        equality: bool = False,
        reversed_slips: Array | None = None,
        preload: Array | None = None,
    ) -> Jump:
        """The nearest velocity at which contact rates are at least ``rates``.

        Contacts with friction rub; with ``equality`` all are smooth.

        Parameters
        ----------
        rates : (k,) array
            Lower bounds of the gap rates after (or the rates themselves with ``equality``).
        contacts : array of int, optional
            The contact rows concerned; by default all that take part.
        velocity : (nv,) array, optional
            Where to start from; the velocity before by default.
        push : (nv,) array, optional
            An impulse applied first: the nearest velocity to v + M^-1 push is wanted.
        reversed_slips : (m,) array, optional
            What contacts with friction oppose besides their slip after, on the rows of the layout.
        preload : (k,) array, optional
            Normal impulses in ``push`` that count for friction.
        """
        contacts = self.contacts if contacts is None else contacts
        start = self.v if velocity is None else velocity
        rough = self.snapshot.coefficients.has_friction and not equality
        rub = Rub(reversed_slips, preload) if rough else None
        ask = (rates, contacts, start, push, equality)
        try:
            jump, rounds = self._settle(self.snapshot, *ask, rub)
        except InfeasibleError as error:
            if equality or not (rates > 0.0).any():
                raise
            raise _exact_fit(self.snapshot.t, error) from error
        if jump is not None and rounds == 1:
            return jump
        # Constraints nonlinear in the velocity can have several stationary points.
        found = [j for j in (jump, self._settle_from_free(*ask, rub)) if j is not None]
        if not found:
            raise SolverError(
                f"at t={self.snapshot.t:g} the constraints that are nonlinear in the velocity did "
                f"not converge within {MAX_ITERATIONS} iterations of the impact",
                self._problem(self.snapshot, *ask),
            )
        return min(found, key=_distance)

    def _settle(
        self, snapshot: Snapshot, rates: Array, contacts: Indices, start: Array,
        push: Array | None, equality: bool, rub: Rub | None,
    ) -> tuple[Jump | None, int]:  # fmt: skip
        """The jump with rows taken at the velocity after, and the number of problems solved."""
        for rounds in range(1, MAX_ITERATIONS + 1):
            problem = self._problem(snapshot, rates, contacts, start, push, equality)
            solution, dependence, rows = self._answer(problem, snapshot, contacts, rub)
            after = self._relinearised(solution.x)
            if after is None or _settled(after, snapshot, self):
                impulses = np.zeros(self.snapshot.layout.n_rows)
                impulses[rows] = solution.row_multipliers
                return Jump(solution, impulses, contacts, dependence), rounds
            snapshot = after
        return None, MAX_ITERATIONS

    def _settle_from_free(
        self, rates: Array, contacts: Indices, start: Array, push: Array | None, equality: bool,
        rub: Rub | None,
    ) -> Jump | None:  # fmt: skip
        """The same, with the first rows at the velocity without constraints on velocities."""
        ask = (rates, contacts, start, push, equality)
        nothing = np.arange(0)
        on_velocity = self.snapshot.layout.on_velocity[self.equalities]
        loose = replace(self, equalities=self.equalities[~on_velocity], limits=nothing)
        try:
            first = loose._problem(self.snapshot, *ask)
            free = loose._answer(first, self.snapshot, contacts, rub)[0].x
            return self._settle(self.snapshot.at_velocity(free), *ask, rub)[0]
        except (InfeasibleError, SolverError):
            return None

    def _answer(
        self, problem: GaussProblem, at: Snapshot, contacts: Indices, rub: Rub | None
    ) -> tuple[GaussSolution | FrictionSolution, Dependence | None, Indices]:
        """The certified answer, what was done about dependent rows, and the rows it is on."""
        rows = np.concatenate([self.equalities, contacts, self.limits])
        if rub is not None and at.coefficients.rough[contacts].any():
            rough, rows = with_tangents(problem, at, contacts, rows, rub)
            return self.solver.solve_friction(rough), None, rows
        answer, dependence = solve_beside_surface(
            self.solver, problem, at, Equalities(self.equalities), positions_only=True
        )
        return answer, dependence, rows

    def _problem(
        self, at: Snapshot, rates: Array, contacts: Indices, start: Array, push: Array | None,
        equality: bool,
    ) -> GaussProblem:  # fmt: skip
        order = [self.equalities, contacts, self.limits]
        rows = np.concatenate(order)
        wanted = np.concatenate([np.zeros(len(order[0])), rates, np.zeros(len(order[2]))])
        mass = self.snapshot.mass
        load = mass @ start if push is None else mass @ start + push
        ne = len(order[0]) + (len(contacts) if equality else 0)
        names = at.layout.names_of(rows)
        return GaussProblem(
            mass,
            load,
            at.rows_of(rows),
            wanted - at.offset[rows],
            ne,
            names,
            "impact",
            start if push is None else None,
        )

    def _relinearised(self, v: Array) -> Snapshot | None:
        """The state at v, when there are constraints on velocities, which may be nonlinear."""
        if not self.snapshot.layout.has_velocity_rows:
            return None
        return self.snapshot.at_velocity(v)


def _exact_fit(t: float, error: InfeasibleError) -> InfeasibleError:
    """What to say where contacts are asked to separate and have nowhere to go."""
    listed = ", ".join(repr(name) for name in error.constraints)
    return InfeasibleError(
        f"the impact at t = {t:.9g} has no solution: the bodies between {listed} are an exact fit, "
        f"and the law asks for more separation than there is room for, as none of these contacts "
        f"can open without closing another. Use law='poisson' or a restitution of 0 there, or "
        f"leave some play",
        error.problem,
        error.constraints,
        error.certificate,
    )


def _distance(jump: Jump) -> float:
    """Half the squared distance to the wanted velocity in the mass metric, up to a constant."""
    if isinstance(jump.solution, FrictionSolution):
        return jump.solution.gauss
    problem, x = jump.solution.problem, jump.solution.x
    return float(0.5 * x @ problem.metric @ x - problem.load @ x)


def _settled(after: Snapshot, before: Snapshot, impact: Impact) -> bool:
    """Whether linearising at the new velocity would change nothing: neither value nor rows."""
    rows = np.concatenate([impact.equalities, impact.limits])
    old, new = before.rows_of(rows), after.rows_of(rows)
    scale = np.abs(old) @ np.abs(after.v) + np.abs(before.offset[rows]) + TINY
    predicted = old @ after.v + before.offset[rows]
    if (np.abs(after.rate[rows] - predicted) > IMPACT_CONVERGED * scale).any():
        return False
    turn = np.abs(new - old).max(axis=1, initial=0.0)
    length = np.abs(old).max(axis=1, initial=0.0)
    return bool((turn <= SAME_ROWS * length).all())


@dataclass(frozen=True, eq=False)
class Jump:
    """One certified velocity jump; impulses are on the rows of the layout.

    ``dependence`` says what was done about equalities that contradict each other at the state.
    """

    solution: GaussSolution | FrictionSolution
    impulses: Array
    contacts: Indices
    dependence: Dependence | None = None

    @property
    def v(self) -> Array:
        """Velocity after."""
        return self.solution.x


@dataclass(frozen=True, eq=False)
class Outcome:
    """What an impact law answers: the velocity after, the total impulses, and its jumps."""

    v: Array
    impulses: Array
    jumps: tuple[Jump, ...]

    @classmethod
    def of(cls, *jumps: Jump) -> Outcome:
        """The outcome of jumps one after the other."""
        return cls(jumps[-1].v, sum((j.impulses for j in jumps), np.zeros(1)), jumps)
