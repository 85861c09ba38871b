"""Impacts: the velocity after one is the nearest, in the mass metric, that the impact law allows.

minimise 1/2 (v+ - v-)' M (v+ - v-)

equalities     bilateral constraints at v+ (servos give forces, never impulses)
inequalities   what the law asks of the contacts, velocity limits at v+
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import closed_form
from .acceleration import touching_rows
from .active_set import Indices
from .certificate import Certificate
from .compiled import Layout
from .errors import InfeasibleError, InputError, SolverError
from .ladder import GaussSolver
from .model import Contact, Holonomic, Servo
from .problem import Array, GaussProblem
from .snapshot import Snapshot, evaluate, evaluate_checked
from .solution import GaussSolution
from .solvers import Adapter
from .system import System
from .whiten import whiten

__all__ = [
    "Collision",
    "Impact",
    "ImpactLaw",
    "Newton",
    "Outcome",
    "Poisson",
    "Sequential",
    "collide",
    "engage",
    "make_law",
]

MAX_ITERATIONS = 200
CONVERGED = 1e-12
SAME_ROWS = 1e-10
SMALLEST = 1e-280  # below, products lose digits to underflow


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
    """

    snapshot: Snapshot
    contacts: Indices
    equalities: Indices
    limits: Indices
    solver: GaussSolver

    @classmethod
    def at(cls, snapshot: Snapshot, contacts: Indices, solver: GaussSolver) -> Impact:
        """The impact of the contact rows ``contacts`` at a state."""
        layout = snapshot.layout
        bilateral = [
            i
            for block in layout.blocks
            if block.rows.stop <= layout.equalities.stop and not isinstance(block.item, Servo)
            for i in range(block.rows.start, block.rows.stop)
        ]
        limits = np.arange(layout.limits.start, layout.limits.stop)
        return cls(snapshot, contacts, np.array(bilateral, dtype=np.intp), limits, solver)

    @property
    def v(self) -> Array:
        """Velocity before."""
        return self.snapshot.v

    @cached_property
    def rates(self) -> Array:
        """Gap rates before, (k,); negative is approaching."""
        return self.snapshot.rate[self.contacts]

    @cached_property
    def restitution(self) -> Array:
        """Coefficient of each contact row, (k,)."""
        return restitution_of(self.snapshot.layout)[self.contacts]

    @property
    def rows(self) -> Array:
        """W', the rows of the contacts: rate = W'v + w, (k, nv)."""
        return self.snapshot.rows[self.contacts]

    def solve(
        self,
        rates: Array,
        *,
        contacts: Indices | None = None,
        velocity: Array | None = None,
        push: Array | None = None,
        equality: bool = False,
    ) -> Jump:
        """The nearest velocity at which contact rates are at least ``rates``.

        Parameters
        ----------
        rates : (k,) array
            Lower bounds of the gap rates after (or the rates themselves with ``equality``).
        contacts : array of int, optional
            The contact rows meant, when not all.
        velocity : (nv,) array, optional
            Where to start from; the velocity before by default.
        push : (nv,) array, optional
            An impulse applied first: the nearest velocity to v + M^-1 push is wanted.
        """
        contacts = self.contacts if contacts is None else contacts
        start = self.v if velocity is None else velocity
        ask = (rates, contacts, start, push, equality)
        jump, rounds = self._settle(self.snapshot, *ask)
        if jump is not None and rounds == 1:
            return jump
        # Constraints nonlinear in the velocity can have several stationary points.
        found = [j for j in (jump, self._settle_from_free(*ask)) if j is not None]
        if not found:
            raise SolverError(
                f"at t={self.snapshot.t:g} the constraints that are nonlinear in the velocity do "
                f"not settle within {MAX_ITERATIONS} iterations of the impact",
                self._problem(self.snapshot, *ask),
            )
        return min(found, key=_distance)

    def _settle(
        self, snapshot: Snapshot, rates: Array, contacts: Indices, start: Array,
        push: Array | None, equality: bool,
    ) -> tuple[Jump | None, int]:  # fmt: skip
        """The jump with rows taken at the velocity after, and the number of problems solved."""
        for rounds in range(1, MAX_ITERATIONS + 1):
            problem = self._problem(snapshot, rates, contacts, start, push, equality)
            solution = self.solver.solve(problem)
            after = self._relinearised(solution.x)
            if after is None or _settled(after, snapshot, self):
                return Jump(solution, self._scatter(solution, contacts), contacts), rounds
            snapshot = after
        return None, MAX_ITERATIONS

    def _settle_from_free(
        self, rates: Array, contacts: Indices, start: Array, push: Array | None, equality: bool
    ) -> Jump | None:
        """The same, with the first rows at the velocity without constraints on velocities."""
        ask = (rates, contacts, start, push, equality)
        nothing = np.arange(0)
        layout = self.snapshot.layout
        on_positions = [i for i in self.equalities if not layout.block(layout.names[i]).on_velocity]
        loose = replace(self, equalities=np.array(on_positions, dtype=np.intp), limits=nothing)
        try:
            free = self.solver.solve(loose._problem(self.snapshot, *ask)).x
            return self._settle(_with_velocity(self.snapshot, free), *ask)[0]
        except (InfeasibleError, SolverError):
            return None

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
        names = tuple([at.layout.names[i] for i in rows])
        return GaussProblem(
            mass,
            load,
            at.rows[rows],
            wanted - at.offset[rows],
            ne,
            names,
            "impact",
            start if push is None else None,
        )

    def _relinearised(self, v: Array) -> Snapshot | None:
        """The state at v, when there are constraints on velocities, which may be nonlinear."""
        if not any(block.on_velocity for block in self.snapshot.layout.blocks):
            return None
        before = self.snapshot
        v = v.copy()
        v.setflags(write=False)
        return evaluate_checked(before.system, before.compiled, before.q, v, before.t)

    def _scatter(self, solution: GaussSolution, contacts: Indices) -> Array:
        """Impulses on the rows of the layout."""
        impulses = np.zeros(self.snapshot.layout.n_rows)
        rows = np.concatenate([self.equalities, contacts, self.limits])
        impulses[rows] = solution.row_multipliers
        return impulses


def _distance(jump: Jump) -> float:
    """Half the squared distance to the wanted velocity in the mass metric, up to a constant."""
    problem, x = jump.solution.problem, jump.solution.x
    return float(0.5 * x @ problem.metric @ x - problem.load @ x)


def _settled(after: Snapshot, before: Snapshot, impact: Impact) -> bool:
    """Whether linearising at the new velocity would change nothing: neither value nor rows."""
    rows = np.concatenate([impact.equalities, impact.limits])
    scale = np.abs(before.rows[rows]) @ np.abs(after.v) + np.abs(before.offset[rows]) + 1e-300
    predicted = before.rows[rows] @ after.v + before.offset[rows]
    if (np.abs(after.rate[rows] - predicted) > CONVERGED * scale).any():
        return False
    turn = np.abs(after.rows[rows] - before.rows[rows]).max(axis=1, initial=0.0)
    length = np.abs(before.rows[rows]).max(axis=1, initial=0.0)
    return bool((turn <= SAME_ROWS * length).all())


@dataclass(frozen=True, eq=False)
class Jump:
    """One certified velocity jump; impulses are on the rows of the layout."""

    solution: GaussSolution
    impulses: Array
    contacts: Indices

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


class ImpactLaw(ABC):
    """Base class of impact laws. One method: from an impact to its outcome.

    Examples
    --------
    A law that stops every contact:

    >>> class Plastic(ImpactLaw):
    ...     def apply(self, impact):
    ...         return Outcome.of(impact.solve(rates=np.zeros(len(impact.contacts))))
    """

    @abstractmethod
    def apply(self, impact: Impact) -> Outcome:
        """Velocity after the impact, with impulses."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


@dataclass(frozen=True)
class Newton(ImpactLaw):
    """Rates after are at least -e times the rates before: rate+ >= -e rate-.

    Contacts may separate faster than their own coefficient asks. The kinetic energy never rises
    for 0 <= e <= 1 when constraints do not move.

    Attributes
    ----------
    equality : bool
        The textbook form rate+ = -e rate-, which can pull and can gain energy; for comparison.
    """

    equality: bool = False

    def apply(self, impact: Impact) -> Outcome:
        return Outcome.of(impact.solve(-impact.restitution * impact.rates, equality=self.equality))


@dataclass(frozen=True)
class Poisson(ImpactLaw):
    """Compression until no contact approaches, then e times its impulse, with complementarity."""

    def apply(self, impact: Impact) -> Outcome:
        still = np.zeros(len(impact.contacts))
        compression = impact.solve(still)
        returned = impact.restitution * compression.impulses[impact.contacts]
        returned[returned < SMALLEST] = 0.0
        push = returned @ impact.rows
        expansion = impact.solve(still, velocity=compression.v, push=push)
        expansion.impulses[impact.contacts] += returned
        return Outcome.of(compression, expansion)


@dataclass(frozen=True)
class Sequential(ImpactLaw):
    """One contact after the other: the fastest approach first, ties together.

    Attributes
    ----------
    law : ImpactLaw
        For each single collision.
    max_collisions : int
        Most collisions in one impact; then what still approaches is stopped, all together.
    """

    law: ImpactLaw = Newton()
    max_collisions: int = 1000

    def apply(self, impact: Impact) -> Outcome:
        lengths = np.sqrt(_row_mobility(impact))
        v = impact.v
        jumps: list[Jump] = []
        largest = float((-impact.rates / lengths).max(initial=0.0))
        offset = impact.snapshot.offset[impact.contacts]
        for _ in range(self.max_collisions):
            rates = impact.rows @ v + offset
            approach = -rates / lengths
            if approach.max(initial=0.0) <= 1e-9 * largest:
                break
            first = impact.contacts[approach >= approach.max() * (1.0 - 1e-9)]
            snapshot = _with_velocity(impact.snapshot, v)
            outcome = self.law.apply(replace(impact, snapshot=snapshot, contacts=first))
            jumps += outcome.jumps
            v = outcome.v
        else:
            snapshot = _with_velocity(impact.snapshot, v)
            last = replace(impact, snapshot=snapshot)
            jumps.append(last.solve(np.zeros(len(impact.contacts))))
        if not jumps:
            return Outcome.of(impact.solve(np.minimum(impact.rates, 0.0)))
        return Outcome.of(*jumps)


def _row_mobility(impact: Impact) -> Array:
    """Squared length of each contact row in the metric of the inverse mass."""
    problem = impact._problem(
        impact.snapshot, impact.rates, impact.contacts, impact.v, None, equality=False
    )
    ne = len(impact.equalities)
    lengths: Array = whiten(problem).lengths[ne : ne + len(impact.contacts)] ** 2
    return lengths


def _with_velocity(snapshot: Snapshot, v: Array) -> Snapshot:
    """The same place at another velocity."""
    v = v.copy()
    v.setflags(write=False)
    return evaluate_checked(snapshot.system, snapshot.compiled, snapshot.q, v, snapshot.t)


LAWS: dict[str, ImpactLaw] = {
    "newton": Newton(),
    "poisson": Poisson(),
    "sequential": Sequential(),
    "newton-equality": Newton(equality=True),
}
"""Laws by name."""


def make_law(law: str | ImpactLaw) -> ImpactLaw:
    """A law from its name, or the law itself."""
    if isinstance(law, ImpactLaw):
        return law
    if not isinstance(law, str) or law not in LAWS:
        raise InputError(f"unknown impact law {law!r}; there are: {', '.join(LAWS)}")
    return LAWS[law]


@dataclass(frozen=True, eq=False)
class Collision:
    """The outcome of an impact, by name.

    Attributes
    ----------
    snapshot : Snapshot
        The state before.
    contacts : array of int
        Contact rows that took part.
    v_after : (nv,) array
    row_impulses : (m,) array
        On the rows of the layout; M (v+ - v-) = A' impulses.
    row_rates_after : (m,) array
    jumps : tuple of Jump
        The problems that were solved, in order.
    """

    snapshot: Snapshot
    contacts: Indices
    v_after: Array
    row_impulses: Array
    row_rates_after: Array
    jumps: tuple[Jump, ...]

    @property
    def v_before(self) -> Array:
        """Velocity before, (nv,)."""
        return self.snapshot.v

    @cached_property
    def impulses(self) -> dict[str, Any]:
        """Impulse of every constraint by name."""
        return self.snapshot.layout.by_name(self.row_impulses)

    @cached_property
    def rates_before(self) -> dict[str, Any]:
        """Rates before, by name of contact."""
        return self.snapshot.rates

    @cached_property
    def rates_after(self) -> dict[str, Any]:
        """Rates after, by name of contact."""
        rates = self.snapshot.layout.by_name(self.row_rates_after)
        return {name: rates[name] for name in self.snapshot.rates}

    @cached_property
    def energy_change(self) -> float:
        """Change of the kinetic energy: dissipation plus the work of moving constraints."""
        jump = self.v_after - self.v_before
        return float(0.5 * jump @ self.snapshot.mass @ (self.v_after + self.v_before))

    @cached_property
    def work_of_moving_constraints(self) -> float:
        """Work done by constraints that move by themselves: minus impulse times their rate.

        A velocity limit does not count: it brakes, and what it takes is lost.
        """
        rows = slice(0, self.snapshot.layout.contacts.stop)
        offset = _with_velocity(self.snapshot, self.v_after).offset
        return float(-(self.row_impulses[rows] @ offset[rows]))

    @property
    def dissipation(self) -> float:
        """Change of the kinetic energy without the work of moving constraints; not above 0."""
        return self.energy_change - self.work_of_moving_constraints

    @property
    def gains_energy(self) -> bool:
        """Whether the law itself has raised the energy."""
        before = 0.5 * self.v_before @ self.snapshot.mass @ self.v_before
        return bool(self.dissipation > 1e-9 * (before + abs(self.work_of_moving_constraints)))

    @cached_property
    def certificate(self) -> Certificate:
        """The worst residuals of the problems that were solved."""
        certificates = [jump.solution.certificate for jump in self.jumps]
        return Certificate(*(max(column) for column in zip(*certificates, strict=True)))

    @property
    def unique(self) -> bool:
        """Whether all impulses are unique."""
        return all(jump.solution.unique for jump in self.jumps)

    @cached_property
    def pseudoinverse_difference(self) -> float:
        """Distance to v- + M^-1/2 (W'M^-1/2)^+ (rate change), relative, on the active set.

        The cross-check of the last jump with a formula that shares no algebra with it.
        """
        solution = self.jumps[-1].solution
        problem, working = solution.problem, solution.working
        if not len(working):
            return 0.0
        try:
            start = np.linalg.solve(problem.metric, problem.load)
            rows = problem.rows[working]
            change = problem.rhs[working] - rows @ start
            other = closed_form.impact_velocity(problem.metric, start, rows, change)
        except (ValueError, np.linalg.LinAlgError):
            return float("nan")
        scale = np.abs(start).max() + np.abs(solution.x).max() + 1e-300
        return float(np.abs(other - solution.x).max() / scale)

    def __str__(self) -> str:
        lines = [f"Collision at t = {self.snapshot.t:g}: energy change {self.energy_change:.6g}"]
        for name in self.rates_after:
            lines.append(
                f"  {name}: rate {self.rates_before[name]} -> {self.rates_after[name]}, "
                f"impulse {self.impulses[name]}"
            )
        lines.append(f"  v {self.v_before} -> {self.v_after}")
        if self.gains_energy:
            lines.append("  the impact law has raised the energy")
        lines.append(f"  certificate: {self.certificate}")
        return "\n".join(lines)

    __repr__ = __str__


def collide(
    system: System,
    q: ArrayLike,
    v: ArrayLike,
    t: float = 0.0,
    *,
    law: str | ImpactLaw = "newton",
    contacts: Iterable[str] | None = None,
    solver: str | Adapter | GaussSolver = "osqp",
) -> Collision:
    """The impact at a state, without a simulation around it.

    Parameters
    ----------
    system : System
    q, v : array_like
        Position, and velocity before.
    t : float
    law : str or ImpactLaw
        ``"newton"``, ``"poisson"``, ``"sequential"`` or a law of your own.
    contacts : iterable of str, optional
        Contacts that take part; by default those that touch and do not separate.
    solver : str, Adapter or GaussSolver

    Examples
    --------
    Three equal balls in a row, the first arrives:

    >>> row = System([1, 1, 1], [0, 0, 0], contacts=[
    ...     Contact("1-2", lambda q, t: q[1] - q[0] - 1, restitution=1.0),
    ...     Contact("2-3", lambda q, t: q[2] - q[1] - 1, restitution=1.0)])
    >>> collide(row, [0, 1, 2], [1, 0, 0]).v_after.round(6)
    array([-0.333333,  0.666667,  0.666667])
    >>> collide(row, [0, 1, 2], [1, 0, 0], law="sequential").v_after.round(6) + 0.0
    array([0., 0., 1.])
    """
    snapshot = evaluate(system, q, v, t)
    if not isinstance(solver, GaussSolver):
        solver = GaussSolver(solver)
    if contacts is None:
        rows = touching_rows(snapshot)
        rows = rows[rows < snapshot.layout.contacts.stop]
    else:
        rows = _named(snapshot, contacts)
    return collide_snapshot(snapshot, rows, make_law(law), solver)


def collide_snapshot(
    snapshot: Snapshot, rows: Indices, law: ImpactLaw, solver: GaussSolver
) -> Collision:
    """:func:`collide` for contact rows of a snapshot, with a kept solver."""
    outcome = law.apply(Impact.at(snapshot, rows, solver))
    after = _with_velocity(snapshot, outcome.v)
    return Collision(snapshot, rows, outcome.v, outcome.impulses, after.rate, outcome.jumps)


def engage(
    system: System,
    q: ArrayLike,
    v: ArrayLike,
    t: float = 0.0,
    *,
    solver: str | Adapter | GaussSolver = "osqp",
) -> Collision:
    """A plastic impact onto the bilateral constraints: they have just closed, the motion sticks.

    The velocity after is the nearest, in the mass metric, that satisfies all constraints of
    ``system``. Walking machines and latches are loops of :func:`simulate` up to an event,
    ``engage`` with the constraints of the next phase, and so on.

    Raises
    ------
    InputError
        When the position is not on the constraints: nothing can close there.

    Examples
    --------
    A point moving past a pin gets caught by a rod:

    >>> from gauss_opt import Holonomic
    >>> rod = Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0)
    >>> caught = engage(System([1.0, 1.0], [0.0, 0.0], [rod]), [0.0, 1.0], [3.0, 4.0])
    >>> caught.v_after + 0.0, caught.energy_change
    (array([3., 0.]), -8.0)
    """
    snapshot = evaluate(system, q, v, t)
    for block in snapshot.layout.blocks:
        values = np.abs(snapshot.value[block.rows])
        if isinstance(block.item, Holonomic):
            sizes = np.abs(snapshot.rows[block.rows]).sum(axis=1) * (1.0 + np.abs(snapshot.q).max())
            if (values > 1e-6 * sizes).any():
                raise InputError(
                    f"{block.item} is off by {values.max():.3g} at this position: it cannot close "
                    f"here. Locate the event first, or use assemble()"
                )
    if not isinstance(solver, GaussSolver):
        solver = GaussSolver(solver)
    return collide_snapshot(snapshot, np.arange(0), Newton(), solver)


def restitution_of(layout: Layout) -> Array:
    """Coefficient of restitution of every row of the layout; 0 where it is no contact."""
    result = np.zeros(layout.n_rows)
    for block in layout.blocks:
        if isinstance(block.item, Contact):
            result[block.rows] = block.item.restitution
    return result


def _named(snapshot: Snapshot, names: Iterable[str]) -> Indices:
    wanted = [names] if isinstance(names, str) else names
    blocks = [snapshot.layout.block(name) for name in wanted]
    for block in blocks:
        if not isinstance(block.item, Contact):
            raise InputError(f"{block.item} is not a contact")
    rows = [np.arange(block.rows.start, block.rows.stop) for block in blocks]
    chosen: Indices = np.sort(np.concatenate([np.arange(0), *rows]))
    return chosen
