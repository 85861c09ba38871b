"""A run under way: everything its parts share. The parts are functions in modules of their own."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...base.arrays import Array, Indices
from ...mechanics.acceleration import Acceleration, ideal_force
from ...mechanics.flow import Flow
from ...mechanics.projection import Scales, project
from ...model.dynamics import Dynamics as Compiled
from ...model.rows import Layout
from ...model.snapshot import Snapshot, state_snapshot
from ...model.system import System
from ...qp.gauss_solver import GaussSolver
from ...qp.problem import GaussProblem
from ...results.dense_output import Piece
from ...results.recorder import Recorder
from ...results.records import Stats
from ..settings import Settings
from .contact_state import ContactState

__all__ = ["ROUND_OFF", "SIMULTANEOUS", "Run"]

# Relative to the scales of the run.
ROUND_OFF = 1e-15
SIMULTANEOUS = 1e-12  # events closer in time are one


@dataclass(eq=False)
class Run:
    """The present of a simulation, and what it has been asked for.

    Attributes
    ----------
    system, compiled, settings, solver
        What is simulated, and how.
    state : ContactState
        Which contacts rest, carry, leave.
    scales : Scales
        What tolerances are relative to.
    recorder : Recorder
        The past.
    now : Snapshot
        The present.
    flow : Flow
        The smooth motion of the present segment.
    harvest : list or None
        Problems that are kept for replay.
    """

    system: System
    compiled: Compiled
    settings: Settings
    solver: GaussSolver
    state: ContactState
    scales: Scales
    recorder: Recorder
    now: Snapshot
    flow: Flow
    stats: Stats = field(default_factory=Stats)
    harvest: list[GaussProblem] | None = None
    next_t_eval: int = 0

    @property
    def layout(self) -> Layout:
        """Rows of the constraints."""
        return self.compiled.layout

    def names(self, rows: Indices) -> tuple[str, ...]:
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
        values, rates = self.sampled(np.array([t]), y[None])
        return values[0], rates[0]

    def sampled(self, times: Array, states: Array) -> tuple[Array, Array]:
        """Values and rates of all rows at many states, (k, m) each."""
        rows = np.arange(self.layout.n_rows)
        return self.compiled.sample(rows, states, times, self.system.parameters)

    def on_constraints(self, snapshot: Snapshot) -> Snapshot:
        """The state without drift from the rows that are held."""
        position, velocity = self.flow.position_rows, self.flow.velocity_rows
        return project(snapshot, position, velocity, self.scales, ROUND_OFF)

    # The problem (G)

    def problem_rows(self) -> Indices:
        """Rows that take part in (G) at present: held, resting, or reached."""
        part = self.state.resting | self.state.carrying
        part[self.layout.equalities] = True
        return part.nonzero()[0]

    def solve(self, snapshot: Snapshot) -> Acceleration:
        """Solve (G) with its inequalities: resting contacts and reached limits."""
        rows = self.problem_rows()
        if snapshot.needs_ideal_force:
            first = self.solver.solve(self._problem(snapshot, rows))
            snapshot = snapshot.with_ideal_force(ideal_force(snapshot, first))
        problem = self._problem(snapshot, rows)
        if self.harvest is not None:
            self.harvest.append(problem)
        solution = self.solver.solve(problem)
        self.note_residual(solution.certificate.worst)
        return Acceleration(snapshot, solution)

    def _problem(self, snapshot: Snapshot, rows: Indices) -> GaussProblem:
        load = snapshot.force
        if snapshot.nonideal is not None:
            load = load + snapshot.nonideal
        names = tuple([self.layout.names[i] for i in rows])
        ne = self.layout.equalities.stop
        return GaussProblem(
            snapshot.mass,
            load,
            snapshot.rows_of(rows),
            snapshot.rhs[rows],
            ne,
            names,
            "acceleration",
        )

    def note_residual(self, worst: float) -> None:
        """Keep the worst residual of all certificates."""
        self.stats.worst_residual = max(self.stats.worst_residual, worst)

    # Recording

    def store(self, answer: Acceleration, *, far_side: bool = False) -> None:
        """Store a row; the far side of an event comes after its near side at the same time."""
        times = self.recorder.times
        if times and times[-1] == answer.snapshot.t and not far_side:
            return
        multipliers = np.zeros(self.layout.n_rows)
        multipliers[self.problem_rows()] = answer.solution.row_multipliers
        self.recorder.row(answer.snapshot, answer.acceleration, multipliers)

    def store_step(self, answer: Acceleration) -> None:
        """Store the end of a step, unless only chosen times are wanted."""
        settings = self.settings
        if settings.t_eval is None or answer.snapshot.t in (settings.t0, settings.t1):
            self.store(answer)

    def store_piece(self, piece: Piece) -> None:
        """Keep dense output, and the rows that fall on chosen times."""
        self.recorder.piece(piece, tuple(self.flow.held.tolist()))
        wanted = self.settings.t_eval
        if wanted is None:
            return
        while self.next_t_eval < len(wanted) and wanted[self.next_t_eval] <= piece.t1:
            t = float(wanted[self.next_t_eval])
            self.next_t_eval += 1
            if piece.t0 < t < piece.t1 or t == piece.t1 != self.settings.t1:
                self.store(self.solve(self.on_constraints(self.at(t, piece(t)))))
