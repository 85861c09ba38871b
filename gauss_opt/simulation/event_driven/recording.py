"""What a run keeps of its past: rows, dense output, events, and how good it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from time import perf_counter

import numpy as np

from ...mechanics.answer import Acceleration
from ...mechanics.flow import Flow
from ...model.snapshot import Snapshot
from ...qp.gauss_solver import Counts
from ...results.dense_output import Piece
from ...results.recorder import NOTHING, Mark, Recorder, states_of
from ...results.records import Event, EventKind, RunStatus, Stats
from ...results.result import Result
from ..run_state import RunState
from .contact_status import present_and_open
from .context import Context
from .friction.ways import slip_states

__all__ = ["Recording"]


class Recording:
    """The recorder of a run, told what it wants to know, and the statistics.

    Attributes
    ----------
    recorder : Recorder
    before : Counts
        What the solver had counted before this run.
    """

    def __init__(self, context: Context, recorder: Recorder, before: Counts) -> None:
        self.context = context
        self.recorder = recorder
        self.before = before
        self._events: tuple[Event, ...] = ()

    @classmethod
    def empty(cls, context: Context) -> Recording:
        """Of a run that begins now; its solver may have been used before."""
        dense = context.settings.dense_output
        recorder = Recorder(context.system, context.dynamics, dense=dense)
        return cls(context, recorder, replace(context.solver.counts))

    def resumed(self, context: Context, result: Result) -> Recording:
        """Of a run that goes on from a result, with the statistics of its context."""
        self.recorder.refill(result)
        counts = Counts(**{item.name: getattr(context.stats, item.name) for item in fields(Counts)})
        return Recording(context, self.recorder, context.solver.counts - counts)

    @property
    def rows(self) -> int:
        """Number of rows stored so far."""
        return self.recorder.rows.count

    @property
    def events_so_far(self) -> tuple[Event, ...]:
        """The events noted so far."""
        if len(self._events) != len(self.recorder.events):
            self._events = tuple(self.recorder.events)
        return self._events

    def count(self) -> Stats:
        """The statistics, brought up to date with how the problems of this run were solved."""
        stats, counts = self.context.stats, self.context.solver.counts - self.before
        for name in Counts.__slots__:
            setattr(stats, name, getattr(counts, name))
        stats.events = len(self.recorder.events)
        return stats

    def result(self, status: RunStatus, message: str, since: Mark = NOTHING) -> Result:
        """What there is so far, or since a mark, frozen."""
        stats, solver = self.count(), self.context.solver
        done = status in (RunStatus.FINISHED, RunStatus.TERMINATED)
        proved = not stats.unsettled or self.context.settings.sampled_guards
        if done and not proved:
            names = ", ".join(map(repr, stats.unsettled))
            message += (
                f"; but between the points it is not proved for all of {names} that no event was "
                f"missed. Write the functions in a simpler form, take smaller steps with "
                f"max_step=, or accept samples with sampled_guards=True"
            )
        return self.recorder.result(
            success=done and proved and stats.worst_residual <= solver.tolerance,
            status=status,
            message=message,
            stats=stats.frozen(),
            settings={**self.context.settings.describe(), **solver.describe()},
            since=since,
        )

    def row(self, answer: Acceleration, *, far_side: bool = False) -> None:
        """Store a row; the far side of an event comes after its near side at the same time."""
        if self.recorder.rows.last == answer.snapshot.t and not far_side:
            return
        multipliers = np.zeros(self.context.layout.n_rows)
        multipliers[answer.chosen] = answer.solution.row_multipliers
        states = slip_states(answer)
        self.recorder.row(answer.snapshot, answer.acceleration, multipliers, states)

    def near_jam(self, snapshot: Snapshot, flow: Flow) -> None:
        """Store the near side of a jam, with the forces that it had until then."""
        if self.recorder.rows.last != snapshot.t:
            a, multipliers, snapshot = flow.accelerate(snapshot)
            states = states_of(snapshot.layout, flow.held, flow.slides)
            self.recorder.row(snapshot, a, flow.on_rows(multipliers), states)

    def step(self, answer: Acceleration) -> None:
        """Store the end of a step, unless only chosen times are wanted."""
        settings = self.context.settings
        if settings.t_eval is None or answer.snapshot.t in (settings.t0, settings.t1):
            self.row(answer)

    def piece(self, piece: Piece, flow: Flow, state: RunState) -> int:
        """Keep dense output and the rows that fall on chosen times; the number of the next one."""
        self.recorder.piece(piece, tuple(flow.held.tolist()), flow.slides)
        context, wanted = self.context, self.context.settings.t_eval
        following = state.next_t_eval
        if wanted is None:
            return following
        while following < len(wanted) and wanted[following] <= piece.t1:
            t = float(wanted[following])
            following += 1
            if piece.t0 < t < piece.t1 or t == piece.t1 != context.settings.t1:
                there = context.on_constraints(context.at(t, piece(t)), flow, state.scales)
                self.row(context.accelerate(there, state.status))
        return following

    def events(self, events: Iterable[Event]) -> None:
        """Note events, in order of time; the row that comes next is on their far side."""
        for event in events:
            self.context.stats.impacts += event.kind == EventKind.IMPACT
            known = event.row >= 0
            self.recorder.events.append(event if known else replace(event, row=self.rows))

    def quality(self, snapshot: Snapshot, off: float, state: RunState) -> None:
        """Keep the worst drift and penetration."""
        stats = self.context.stats
        stats.worst_drift = max(stats.worst_drift, off)
        rows = present_and_open(state.status, snapshot.layout)
        if snapshot.enabled is not None:
            rows = rows[snapshot.enabled[rows]]
        if len(rows) and snapshot.value[rows].min() < 0.0:
            depth = -snapshot.value[rows] / state.scales.lengths(snapshot)[rows]
            stats.worst_penetration = max(stats.worst_penetration, float(depth.max()))

    def lap(self, part: str, since: float) -> float:
        """Book the wall time since a moment on a part of the work; the moment that is now."""
        now = perf_counter()
        seconds = self.context.stats.seconds
        seconds[part] = seconds.get(part, 0.0) + now - since
        return now
