"""The event-driven time stepper: smooth segments with a frozen active set, strung by events.

Each call of :meth:`Stepper.step` takes one accepted step of the integrator, or the part of it up
to the first event inside and the event itself. At every accepted step the full inequality problem
(G) is solved and certified; when the frozen set is not its minimiser, the event is inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from time import perf_counter

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import GaussError, SimulationError
from ...model.snapshot import Snapshot, evaluate
from ...model.system import System
from ...model.tracing.compiled import Compiled
from ...qp.gauss_solver import Counts, GaussSolver
from ...results.dense_output import Piece
from ...results.recorder import Recorder
from ...results.records import Event, RunStatus, Stats
from ...results.result import Result
from ..initial_state import consistent_start, without_round_off
from ..limits import require_progress, require_within_limits
from ..run_state import RunState
from ..settings import Settings
from .acceptance import end_of_step
from .arrival import arrive
from .contact_status import leaving, pressing, separated
from .context import ROUND_OFF, Context
from .event_impacts import approaches
from .guards.detection import first_happening
from .guards.happening import Happening, HappeningKind
from .guards.release import release_before, set_change
from .guards.user_events import announced, marked
from .impact_series import close_contacts, noted, reach_limit
from .rank_watch import landing, steps_collapse
from .recording import Recording
from .response import Response, hold, let_go, settle, touching_at
from .segment import (
    Segment,
    absolute_tolerances,
    first_step_after_event,
    flow_of,
    step_size_too_small,
)

__all__ = ["Stepper"]

STUCK = 20  # steps in a row that end where they began, before contacts are held


class Stepper:
    """A simulation driven by hand; made by :func:`gauss_opt.start`.

    Attributes
    ----------
    start : Snapshot
        Where it was asked to start.
    settings : Settings
    solver : GaussSolver
    status : RunStatus
        ``"running"``, ``"finished"``, ``"terminated"``, ``"failed"``, or what stopped it.
    message : str
        The same as a sentence.
    """

    def __init__(
        self, system: System, q0: Array, v0: Array, settings: Settings, solver: GaussSolver
    ) -> None:
        asked = evaluate(system, q0, v0, settings.t0)
        self.start = without_round_off(asked, settings.time_scale, solver)
        self.settings = settings
        self.solver = solver
        self.status, self.message = RunStatus.RUNNING, ""
        compiled = self.start.compiled
        recorder = Recorder(system, compiled, dense=settings.dense_output)
        self._state = RunState.at_start(self.start, settings)
        self._context = Context(system, compiled, settings, solver, self._state.stats)
        self._recording = Recording(self._context, recorder)
        self._now = self.start
        self._flow = flow_of(self._context, self._state.status)
        self._segment: Segment | None = None
        self._counted = replace(solver.counts)

    # What can be seen from outside

    @property
    def t(self) -> float:
        """Current time."""
        return self._now.t

    @property
    def q(self) -> Array:
        """Current position."""
        return self._now.q

    @property
    def v(self) -> Array:
        """Current velocity."""
        return self._now.v

    @property
    def events(self) -> list[Event]:
        """Events so far."""
        return self._recording.recorder.events

    @property
    def stats(self) -> Stats:
        """What the run has taken so far."""
        return self._state.stats

    @property
    def system(self) -> System:
        """What is simulated."""
        return self._context.system

    @property
    def compiled(self) -> Compiled:
        """The traced functions of the system."""
        return self._context.compiled

    def result(self) -> Result:
        """What there is so far, frozen."""
        stats = self._counted_stats()
        done = self.status in (RunStatus.FINISHED, RunStatus.TERMINATED)
        return self._recording.recorder.result(
            success=done and stats.worst_residual <= self.solver.tolerance,
            status=self.status,
            message=self.message or f"still running, t = {self.t:g}",
            stats=stats,
            settings={**self.settings.describe(), "solver": self.solver.name},
        )

    def stop(self, status: RunStatus, message: str) -> None:
        """End the run from outside."""
        self.status, self.message = status, message

    # The run as data

    def freeze(self) -> RunState:
        """A copy of the state, to go on from later or elsewhere with the same numbers.

        A method that remembers earlier steps starts afresh from here, in this run as well.
        """
        if self._segment is not None and not self._segment.one_step:
            self._end_segment()
        self._counted_stats()
        return self._state.copy()

    def resume(self, state: RunState, result: Result) -> None:
        """Go on from a state and the result so far instead of from the start."""
        self._state = state
        self._context = replace(self._context, stats=state.stats)
        self._recording = Recording(self._context, self._recording.recorder)
        self._recording.recorder.refill(result)
        counts = {item.name: getattr(state.stats, item.name) for item in fields(Counts)}
        self._counted = self.solver.counts - Counts(**counts)
        self._now = self._context.at(state.t, np.concatenate([state.q, state.v]))
        self._segment = None
        self.status, self.message = RunStatus.RUNNING, ""
        if state.in_segment:
            self._begin_segment(result.pieces[len(result.pieces) - state.recent :])
        if self.t >= self.settings.t1:
            self._at_bound()

    def _counted_stats(self) -> Stats:
        """The statistics with how the problems of this run were solved.

        The solver may have been used before.
        """
        stats = self._state.stats
        for name, count in asdict(self.solver.counts - self._counted).items():
            setattr(stats, name, count)
        stats.events = len(self.events)
        return stats

    # Steps

    def begin(self) -> None:
        """Check the start, and settle what touches already."""
        context, state = self._context, self._state
        now = consistent_start(context, self._flow, state.scales, self._now)
        self._be_at(now)
        state.scales.update(now.q, now.v)
        touching = touching_at(state, now)
        if approaches(now, touching, state.scales):
            # the near side of an impact at the start
            self._recording.row(context.accelerate(now, state.status))
        self._settle(now, touching, HappeningKind.CONTACT)
        if self.settings.t1 == self.settings.t0:
            self.stop(RunStatus.FINISHED, "t_span is one point")

    def step(self) -> None:
        """One accepted step, or the part up to the first event and that event."""
        if self.status != RunStatus.RUNNING:
            raise SimulationError(f"the run has ended: {self.message}", self.result())
        try:
            self._advance()
        except SimulationError as error:
            self.stop(RunStatus.FAILED, str(error))
            error.result = self.result()
            raise
        except (GaussError, ArithmeticError, np.linalg.LinAlgError) as error:
            self.stop(RunStatus.FAILED, str(error))
            raise SimulationError(
                f"the simulation failed at t = {self.t:.9g}: {error}", self.result()
            ) from error

    def _advance(self) -> None:
        clock, t, lap = perf_counter(), self.t, self._recording.lap
        segment = self._segment or self._begin_segment()
        if not segment.step(self._now):
            if not self._leap(segment, last_resort=True):
                raise step_size_too_small(self.t)
            return
        piece = segment.piece()
        clock = lap("integrate", clock)
        found = self._look_for_events(piece)
        clock = lap("guards", clock)
        if found is None:
            found = self._accept(segment, piece)
            clock = lap("qp", clock)
        if found is not None:
            self._to_event(segment, piece, found)
            lap("events", clock)
        elif segment.finished:
            self._end_segment()
            self._at_bound()
        elif steps_collapse(segment, self._now, self.settings.rtol):
            self._leap(segment)
        self._state.standstill = self._state.standstill + 1 if self.t == t else 0
        require_progress(self._state.standstill, self.t)
        if self.status == RunStatus.RUNNING:
            require_within_limits(self.settings, self.stats.steps, len(self.events))

    def _look_for_events(self, piece: Piece) -> Happening | None:
        context, state = self._context, self._state
        found = first_happening(context, state, self._now, piece)
        if found is None or found.t <= piece.t0 or state.pending is not None:
            return found
        if len(pressing(state.status, context.layout)):
            return release_before(context, state, self._flow, piece, found.t) or found
        return found

    def _accept(self, segment: Segment, piece: Piece) -> Happening | None:
        """Accept a step when the frozen set is still right at its end; otherwise say what is."""
        context, state = self._context, self._state
        snapshot = context.at(piece.t1, segment.y)
        state.scales.update(snapshot.q, snapshot.v)
        end = end_of_step(context, segment.flow, state.scales, snapshot, piece)
        snapshot = end.snapshot
        answer = context.accelerate(snapshot, state.status)
        if state.pending is None:
            found = set_change(context, state, segment.flow, piece, answer)
            if found is not None:
                return found
        if end.projected:
            self.stats.projections += 1
            taken = segment.put(np.concatenate([snapshot.q, snapshot.v]))
        self._recording.quality(snapshot, end.drift, state)
        self._keep(piece)
        self._be_at(snapshot)
        segment.recent.append(piece)
        state.recent, state.next_step = len(segment.recent), segment.next_step
        if leaving(state.status).any():
            apart = snapshot.value > ROUND_OFF * state.scales.lengths(snapshot)
            state.status = separated(state.status, apart)
        self._recording.step(answer)
        if end.projected and not taken and not segment.finished:
            self._end_segment()
        return None

    # Segments

    def _begin_segment(self, recent: Sequence[Piece] = ()) -> Segment:
        state = self._state
        if state.atol is None:
            state.atol = absolute_tolerances(self.settings, state.scales)
        segment = Segment(self._context, state, self._now)
        segment.recent.extend(recent)
        self._segment, self._flow = segment, segment.flow
        return segment

    def _end_segment(self) -> None:
        self._segment = None
        self._state.end_segment()

    def _at_bound(self) -> None:
        """The end of the run, of a smooth stretch between breakpoints, or of an accumulation."""
        pending = self._state.pending
        if pending is not None and self.t >= pending.t:
            self._reach_limit()
        if self.t >= self.settings.t1:
            self.stop(RunStatus.FINISHED, f"reached the end, t = {self.settings.t1:g}")

    # Events

    def _to_event(self, segment: Segment, piece: Piece, found: Happening) -> None:
        """Go to an event inside the step, through it, and get ready for a new segment."""
        state, suggested = self._state, segment.next_step
        arrival = arrive(self._context, segment, state.scales, self._now, piece, found)
        for part in arrival.pieces:
            self._keep(part)
        self._through_event(arrival.snapshot, found)
        self._end_segment()
        between = self.t - state.last_event
        state.next_step = first_step_after_event(piece, suggested, between)
        state.last_event = self.t
        if self.t >= self.settings.t1 and self.status == RunStatus.RUNNING:
            self._at_bound()

    def _through_event(self, snapshot: Snapshot, found: Happening) -> None:
        context, state = self._context, self._state
        snapshot = context.on_constraints(snapshot, self._flow, state.scales)
        state.scales.update(snapshot.q, snapshot.v)
        before = context.accelerate(snapshot, state.status)
        self._recording.row(before)
        self._be_at(snapshot)
        self._announce_users(snapshot, found)
        if found.kind == HappeningKind.USER or self.status != RunStatus.RUNNING:
            self._recording.row(before, far_side=True)
        elif found.kind == HappeningKind.RELEASE:
            self._apply(let_go(context, state, snapshot, found.rows))
        elif found.kind == HappeningKind.CONTACT and state.standstill >= STUCK:
            self._apply(hold(context, state, snapshot, found.rows))
        else:
            self._settle(snapshot, found.rows, found.kind)

    def _settle(self, snapshot: Snapshot, triggered: Indices, kind: HappeningKind) -> None:
        """Go through impacts and changes of the active set; close the contacts of a series."""
        context, state = self._context, self._state
        response = settle(context, state, snapshot, triggered, kind)
        self._apply(response)
        state.series, limit = noted(state, self._now, response.collisions)
        if limit is None:
            return
        response, state.pending = close_contacts(context, state, self._now, limit)
        self._apply(response)
        if limit.t <= self.t:
            self._reach_limit()

    def _reach_limit(self) -> None:
        pending, self._state.pending = self._state.pending, None
        assert pending is not None
        self._apply(reach_limit(self._context, self._state, self._now, pending))

    def _announce_users(self, now: Snapshot, found: Happening) -> None:
        if not found.users:
            return
        self._recording.events(announced(self._context, now, found))
        self._state.fired = marked(self._state, now.t, found)
        self._state.fired_at = now.t
        for event in found.terminal(self.settings.events):
            self.stop(RunStatus.TERMINATED, f"user event {event.name!r} at t = {now.t:g}")

    def _leap(self, segment: Segment, *, last_resort: bool = False) -> bool:
        """Step over a configuration at which the rank of the constraints drops, if one is near."""
        context, state = self._context, self._state
        watched = landing(context, state, segment, self._now, last_resort=last_resort)
        state.correction, found = watched.correction, watched.landing
        if found is None:
            return False
        piece = found.piece
        self.stats.rank_drops.append(0.5 * (piece.t0 + piece.t1))
        happening = self._look_for_events(piece)
        if happening is not None and happening.stops(self.settings.events):
            part = piece.until(happening.t)
            self._keep(part)
            self._through_event(context.at(happening.t, part.values[-1]), happening)
        else:
            if happening is not None:  # nothing changes there, so the leap need not end there
                there = context.at(happening.t, piece(happening.t))
                there = context.on_constraints(there, segment.flow, state.scales)
                self._announce_users(there, happening)
            self._keep(piece)
            now = found.snapshot
            self._be_at(now)
            state.scales.update(now.q, now.v)
            self._recording.quality(now, 0.0, state)
            self._recording.step(context.accelerate(now, state.status))
        self._end_segment()
        return True

    # The only places that write the past and the present

    def _keep(self, piece: Piece) -> None:
        """Keep a part of the way."""
        self._state.next_t_eval = self._recording.piece(piece, self._flow, self._state)

    def _be_at(self, snapshot: Snapshot) -> None:
        """Be where a snapshot is."""
        self._now = snapshot
        self._state.put(snapshot)

    def _apply(self, response: Response) -> None:
        """Let be what an event has brought."""
        self._state.status = response.status
        self._be_at(response.snapshot)
        self._recording.events(response.events)
        if response.answer is not None:
            self._recording.row(response.answer, far_side=True)
