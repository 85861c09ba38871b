"""What all parts of a run share and none of them changes: the system, the settings, the solver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from ...base.arrays import Array, Indices, Mask
from ...base.errors import InfeasibleError, PainleveError
from ...base.frozen import frozen_in_place
from ...base.lazy import lazy
from ...base.tolerances.simulation import ROUND_OFF
from ...mechanics.acceleration import accelerate_rows
from ...mechanics.answer import Acceleration
from ...mechanics.consistency.projection import Scales, project
from ...mechanics.flow import Flow
from ...mechanics.friction.stopping import with_friction
from ...mechanics.impact import Impact, Jump
from ...model.dynamics import Dynamics
from ...model.rows import RowTable
from ...model.snapshot import Snapshot, state_snapshot
from ...model.system import System
from ...model.tracing.user_function import flatten_parameters
from ...qp.gauss_solver import GaussSolver
from ...results.records import Stats
from ..known_rank import KnownRank
from ..run_state import RunState
from ..settings import Settings
from .contact_status import Statuses, in_problem, stuck
from .friction.ways import slides_at_status

__all__ = ["Context"]


@dataclass(frozen=True, eq=False)
class Context:
    """What is simulated, and how.

    Attributes
    ----------
    system, dynamics, settings, solver
    stats : Stats
        Where what it takes is added up.
    scales : Scales
        Sizes of positions and velocities seen so far.
    equalities : KnownRank
        Where is kept which of the equalities are independent.
    """

    system: System
    dynamics: Dynamics
    settings: Settings
    solver: GaussSolver
    stats: Stats
    scales: Scales
    equalities: KnownRank = field(default_factory=KnownRank)

    @classmethod
    def of_run(
        cls,
        system: System,
        dynamics: Dynamics,
        settings: Settings,
        solver: GaussSolver,
        state: RunState,
    ) -> Context:
        """What a run shares, which counts and remembers in its state."""
        return cls(system, dynamics, settings, solver, state.stats, state.scales, state.equalities)

    @lazy
    def layout(self) -> RowTable:
        """Rows of the constraints."""
        return self.dynamics.layout

    @lazy
    def rough(self) -> Mask | None:
        """Contact rows with friction, as a mask over all rows; None without any."""
        coefficients = self.system.coefficients(self.layout)
        return coefficients.rough if coefficients.has_friction else None

    @lazy
    def parameters(self) -> Array:
        """Values of the system's parameters, one after the other."""
        return flatten_parameters(self.system.parameters)

    def names(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Constraints that rows belong to."""
        return tuple(dict.fromkeys(self.layout.names[i] for i in rows))

    # States

    def split(self, y: Array) -> tuple[Array, Array]:
        """Positions and velocities of an integrator's state."""
        return y[: self.dynamics.nq], y[self.dynamics.nq :]

    def at(self, t: float, y: Array) -> Snapshot:
        """The snapshot of an integrator's state."""
        return state_snapshot(self.system, self.dynamics, *self.split(y), t)

    def gap_and_rate(self, row: int, t: float, y: Array) -> tuple[float, float]:
        """Value and rate of a row at an integrator's state."""
        return self.dynamics.gap_and_rate(row, y, t, self.system.parameters)

    def sampled(self, rows: Indices, times: Array, states: Array) -> tuple[Array, Array]:
        """Values and rates of rows at many states, (k, len(rows)) each."""
        return self.dynamics.sample(rows, states, times, self.system.parameters)

    def on_constraints(self, snapshot: Snapshot, flow: Flow, scales: Scales) -> Snapshot:
        """The state without drift from the rows that a flow holds."""
        rows = flow.position_rows, flow.velocity_rows
        return project(snapshot, *rows, scales, ROUND_OFF, self.equalities.ranks)

    def onto(self, snapshot: Snapshot, contacts: Indices, scales: Scales) -> Snapshot:
        """The state on the bilateral constraints, with these contacts closed and at rest."""
        equalities = self.layout.equalities
        rows = np.concatenate([np.arange(equalities.start, equalities.stop), contacts])
        return project(snapshot, *self.layout.held(rows), scales, ROUND_OFF)

    # Problems (G)

    def accelerate(self, snapshot: Snapshot, status: Statuses) -> Acceleration:
        """Solve (G), with friction (C), with closed contacts and reached limits.

        What is left of velocities that an impact has stopped is round-off, and so are right-hand
        sides made of it, with nothing in the problem to compare them with. Where they contradict
        each other they are taken for the zeros they are, against the speeds of the run.
        """
        slide = None if self.rough is None else slides_at_status(status, snapshot)
        rows, among = in_problem(status), self.equalities.among
        try:
            answer = accelerate_rows(snapshot, self.solver, rows, among, slide)
        except InfeasibleError:
            least = ROUND_OFF * self.scales.speeds(snapshot) / self.scales.time
            noise = (np.abs(snapshot.rhs) <= least) & (snapshot.rhs != 0.0)
            if not noise.any():
                raise
            rhs = frozen_in_place(np.where(noise, 0.0, snapshot.rhs))
            still = replace(snapshot, rhs=rhs)
            answer = accelerate_rows(still, self.solver, rows, among, slide)
        self.note_residual(answer.solution.certificate.worst)
        return answer

    def accelerate_or_jam(self, snapshot: Snapshot, status: Statuses) -> Acceleration | None:
        """The same; None where contacts slide and no force satisfies Coulomb's law."""
        try:
            return self.accelerate(snapshot, status)
        except PainleveError:
            return None

    def stop_contacts(
        self,
        snapshot: Snapshot,
        rows: Indices,
        *,
        equality: bool = False,
        status: Statuses | None = None,
    ) -> Jump:
        """The nearest velocity at which contacts do not approach, or have no rate at all.

        Those that slide or stick in a ``status`` rub meanwhile.
        """
        impact = Impact.at(snapshot, rows, self.solver)
        jump = impact.solve(np.zeros(len(rows)), equality=equality)
        if status is None or self.rough is None:
            return jump
        slide = slides_at_status(status, snapshot)
        return with_friction(jump, snapshot, slide, stuck(status, self.layout))

    def note_residual(self, worst: float) -> None:
        """Keep the worst residual of all certificates."""
        self.stats.worst_residual = max(self.stats.worst_residual, worst)
