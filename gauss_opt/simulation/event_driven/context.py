"""What all parts of a run share and none of them changes: the system, the settings, the solver."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array, Indices
from ...base.lazy import lazy
from ...mechanics.acceleration import Acceleration, accelerate_rows
from ...mechanics.flow import Flow
from ...mechanics.impact import Impact, Jump
from ...mechanics.projection import Scales, project, state_snapshot
from ...model.rows import Layout
from ...model.snapshot import Snapshot
from ...model.system import System
from ...model.tracing.compiled import Compiled
from ...qp.gauss_solver import GaussSolver
from ...results.records import Stats
from ..settings import Settings
from .contact_status import Statuses, in_problem

__all__ = ["ROUND_OFF", "SIMULTANEOUS", "Context"]

# Relative to the scales of the run.
ROUND_OFF = 1e-15
SIMULTANEOUS = 1e-12  # events closer in time are one


@dataclass(frozen=True, eq=False)
class Context:
    """What is simulated, and how.

    Attributes
    ----------
    system, compiled, settings, solver
    stats : Stats
        Where what it takes is added up.
    """

    system: System
    compiled: Compiled
    settings: Settings
    solver: GaussSolver
    stats: Stats

    @lazy
    def layout(self) -> Layout:
        """Rows of the constraints."""
        return self.compiled.layout

    def names(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Constraints that rows belong to."""
        return tuple(dict.fromkeys(self.layout.names[i] for i in rows))

    # States

    def split(self, y: Array) -> tuple[Array, Array]:
        """Positions and velocities of an integrator's state."""
        return y[: self.compiled.nq], y[self.compiled.nq :]

    def at(self, t: float, y: Array) -> Snapshot:
        """The snapshot of an integrator's state."""
        return state_snapshot(self.system, self.compiled, *self.split(y), t)

    def with_velocity(self, snapshot: Snapshot, v: Array) -> Snapshot:
        """The same place at another velocity."""
        return state_snapshot(self.system, self.compiled, snapshot.q, v, snapshot.t)

    def values(self, t: float, y: Array) -> tuple[Array, Array]:
        """Values and rates of all rows at an integrator's state, as cheaply as possible."""
        if self.compiled.by_hand:
            snapshot = self.at(t, y)
            return snapshot.value, snapshot.rate
        out = self.compiled.run(*self.split(y), t, self.system.parameters)
        slices = self.compiled.slices
        return out[slices["value"]], out[slices["rate"]]

    def sampled(self, times: Array, states: Array) -> tuple[Array, Array]:
        """Values and rates of all rows at many states, (k, m) each."""
        if self.compiled.by_hand:
            pairs = [self.values(float(t), y) for t, y in zip(times, states, strict=True)]
            return np.array([value for value, _ in pairs]), np.array([rate for _, rate in pairs])
        both = self.compiled.samples(states, times, self.system.parameters)
        m = self.layout.n_rows
        return both[:, :m], both[:, m:]

    def on_constraints(self, snapshot: Snapshot, flow: Flow, scales: Scales) -> Snapshot:
        """The state without drift from the rows that a flow holds."""
        return project(snapshot, flow.position_rows, flow.velocity_rows, scales, ROUND_OFF)

    # Problems (G)

    def accelerate(self, snapshot: Snapshot, status: Statuses) -> Acceleration:
        """Solve (G) with its inequalities: closed contacts and reached limits."""
        answer = accelerate_rows(snapshot, self.solver, in_problem(status))
        self.note_residual(answer.solution.certificate.worst)
        return answer

    def stop_contacts(self, snapshot: Snapshot, rows: Indices, *, equality: bool = False) -> Jump:
        """The nearest velocity at which contacts do not approach, or have no rate at all."""
        impact = Impact.at(snapshot, rows, self.solver)
        return impact.solve(np.zeros(len(rows)), equality=equality)

    def note_residual(self, worst: float) -> None:
        """Keep the worst residual of all certificates."""
        self.stats.worst_residual = max(self.stats.worst_residual, worst)
