"""The event-driven time stepper: smooth segments with a frozen active set, strung by events.

Each call of :meth:`Stepper.step` takes one accepted step of the integrator, or the part of it up
to the first event inside and the event itself. At every accepted step the full inequality problem
(G) is solved and certified; when the frozen set is not its minimiser, the event is inside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter

import numpy as np

from ...base.arrays import Array
from ...base.errors import GaussError, SimulationError
from ...model.rows import RowTable
from ...model.snapshot import Snapshot
from ...model.system import System
from ...qp.gauss_solver import GaussSolver
from ...results.dense_output import Piece
from ...results.recorder import NOTHING, Mark
from ...results.records import Event, RunStatus, Stats
from ...results.result import Result
from ..initial_state import checked_start, consistent_start
from ..limits import require_progress, require_within_limits
from ..run_state import RunState
from ..settings import Settings
from .acceptance import end_of_step
from .context import Context
from .diagnosis.force_jumps import chatter
from .diagnosis.pace import Pace
from .event_impacts import approaches
from .guards.arrival import arrive
from .guards.frozen_set import jam_inside
from .guards.happening import Happening, HappeningKind
from .guards.release import set_change
from .guards.user_events import sooner
from .leaps.rank_watch import landing, steps_collapse
from .present import Present
from .response import touching_at
from .segment import Segment

__all__ = ["Stepper"]


class Stepper:
    """A simulation driven by hand; made by :func:`gauss_opt.start`.

    Attributes
    ----------
    start : Snapshot
        Where it was asked to start.
    status : RunStatus
        ``"running"``, ``"finished"``, ``"terminated"``, ``"failed"``, or what stopped it.
    message : str
        The same as a sentence.
    """

    def __init__(
        self, system: System, q0: Array, v0: Array, settings: Settings, solver: GaussSolver
    ) -> None:
        self.start, self.settings = checked_start(system, q0, v0, settings, solver)
        self.solver = solver
        self.status, self.message = RunStatus.RUNNING, ""
        state = RunState.at_start(self.start, self.settings)
        context = Context.of_run(system, self.start.dynamics, self.settings, solver, state)
        self.present = Present(context, state, self.start)
        self._pace = Pace()

    @property
    def t(self) -> float:
        """Current time."""
        return self.present.now.t

    @property
    def q(self) -> Array:
        """Current position."""
        return self.present.now.q

    @property
    def v(self) -> Array:
        """Current velocity."""
        return self.present.now.v

    @property
    def events(self) -> tuple[Event, ...]:
        """Events so far."""
        return self.present.recording.events_so_far

    @property
    def stats(self) -> Stats:
        """What the run has taken so far."""
        return self.present.state.stats

    @property
    def system(self) -> System:
        """What is simulated."""
        return self.present.context.system

    @property
    def layout(self) -> RowTable:
        """Rows of the constraints."""
        return self.present.context.layout

    def whereabouts(self) -> str:
        """Where it is, how large its steps are, and what keeps them so: for errors of limits."""
        return self._pace.whereabouts(self.present)

    def result(self, since: Mark = NOTHING) -> Result:
        """What there is so far, or what is new since a mark, frozen."""
        message = self.message or f"still running, t = {self.t:g}"
        return self.present.recording.result(self.status, message, since)

    @property
    def mark(self) -> Mark:
        """How much there is so far."""
        return self.present.recording.recorder.mark

    def stop(self, status: RunStatus, message: str) -> None:
        """End the run from outside."""
        self.status, self.message = status, message

    def freeze(self) -> RunState:
        """A copy of the state, to go on from later or elsewhere with the same numbers.

        A method that remembers earlier steps starts afresh from here, in this run as well.
        """
        segment = self.present.segment
        if segment is not None and not segment.one_step:
            self.present.end_segment()
        self.present.recording.count()
        return self.present.state.copy()

    def resume(self, state: RunState, result: Result) -> None:
        """Go on from a state and the result so far instead of from the start.

        A run that a terminal user event has ended stays ended; one that a callback, a limit or
        :meth:`stop` has ended goes on.
        """
        self.present.resume(state, result)
        self.status, self.message = RunStatus.RUNNING, ""
        self._stop_at_users()
        if self.t >= self.settings.t1 and self.status == RunStatus.RUNNING:
            self._at_bound()

    def begin(self) -> None:
        """Check the start, and settle what touches already."""
        present = self.present
        context, state = present.context, present.state
        present.start_at(consistent_start(context, present.flow, state.scales, present.now))
        touching = touching_at(state, present.now)
        if len(touching) and approaches(present.now, touching, state.scales):  # the near side
            present.recording.row(context.accelerate(present.now, state.status))
        present.settle(touching, HappeningKind.CONTACT)
        if self.settings.t1 == self.settings.t0:
            self.stop(RunStatus.FINISHED, "t_span is one point")

    def step(self) -> None:
        """One accepted step, or the part up to the first event and that event."""
        if self.status != RunStatus.RUNNING:
            raise SimulationError(f"the run has ended: {self.message}", self.result())
        self.attempt(self._advance)

    def attempt(self, work: Callable[[], None]) -> None:
        """Do what may fail: then the run has failed, and the error has its result."""
        try:
            work()
        except (GaussError, ArithmeticError, np.linalg.LinAlgError) as error:
            self.stop(RunStatus.FAILED, str(error))
            if isinstance(error, SimulationError):
                error.result = self.result()
                raise
            message = f"the simulation failed at t = {self.t:.9g}: {error}"
            raise SimulationError(message, self.result()) from error

    def caught_up(self, times: Iterable[float]) -> None:
        """Another engine has gone on from here, in steps that ended at these times."""
        for t in times:
            self._pace.note(t)
        self._at_bound()

    @np.errstate(over="ignore", invalid="ignore")  # a step can be tried far off; that is named
    def _advance(self) -> None:
        present, lap = self.present, self.present.recording.lap
        clock, t = perf_counter(), self.t
        segment = present.segment or present.begin_segment()
        if not segment.step(present.now):
            if not self._leap(segment, last_resort=True):
                where = self._pace.whereabouts(present, stuck=True)
                raise SimulationError(f"the step size became too small {where}")
            return
        piece = segment.piece()
        clock = lap("integrate", clock)
        found = present.look_for_events(piece)
        clock = lap("guards", clock)
        if found is None:
            found = self._accept(segment, piece)
            clock = lap("qp", clock)
        if found is not None:
            self._to_event(segment, piece, found)
            lap("events", clock)
        elif segment.finished:
            present.end_segment()
            self._at_bound()
        elif steps_collapse(present.state, segment, present.now, self.settings.rtol):
            self._leap(segment)
        present.state.standstill = present.state.standstill + 1 if self.t == t else 0
        self.require_headway()

    def require_headway(self) -> None:
        """Raise when a limit is reached, or the run cannot get on."""
        self._pace.note(self.t)
        require_progress(self.present.state.standstill, self.whereabouts)
        if self.status != RunStatus.RUNNING:
            return
        require_within_limits(self.settings, self.stats.steps, self.mark.events, self.whereabouts)
        if chatter(self.present, self._pace.size) is not None:
            raise SimulationError(f"no progress {self.whereabouts()}")

    def _accept(self, segment: Segment, piece: Piece) -> Happening | None:
        """Accept a step when the frozen set is still right at its end; otherwise say what is."""
        present = self.present
        context, state = present.context, present.state
        snapshot = context.at(piece.t1, segment.y)
        state.scales.update(snapshot.q, snapshot.v)
        end = end_of_step(context, segment.flow, state.scales, snapshot, piece, segment.atol)
        answer = context.accelerate_or_jam(end.snapshot, state.status)
        found = None
        if answer is None:
            found = jam_inside(context, state, segment.flow, piece)
        elif state.pending is None:
            found = set_change(context, state, segment.flow, piece, answer.snapshot, answer)
        if answer is None or found is not None:
            return found
        present.accept(segment, piece, end)
        present.recording.step(answer)
        return None

    def _at_bound(self) -> None:
        """The end of the run, of a smooth stretch between breakpoints, or of an accumulation."""
        pending = self.present.state.pending
        if pending is not None and self.t >= pending.t:
            self.present.reach_limit()
        if self.t >= self.settings.t1:
            self.stop(RunStatus.FINISHED, f"reached the end, t = {self.settings.t1:g}")

    def _to_event(self, segment: Segment, piece: Piece, found: Happening) -> None:
        """Go to an event inside the step, through it, and get ready for a new segment."""
        present, suggested = self.present, segment.next_step
        context, state = present.context, present.state
        found = self._pace.met(sooner(context, state, piece, found))
        there, way = arrive(context, segment, state.scales, present.now, piece, found)
        present.keep(*way)
        self._through_event(there, found)
        present.end_at_event(piece, suggested)
        if self.t >= self.settings.t1 and self.status == RunStatus.RUNNING:
            self._at_bound()

    def _through_event(self, snapshot: Snapshot, found: Happening) -> None:
        present = self.present
        context, state = present.context, present.state
        snapshot = context.on_constraints(snapshot, present.flow, state.scales)
        present.reach(snapshot)
        before = present.near_side(found, snapshot)
        present.announce_users(found, snapshot)
        self._stop_at_users()
        ended = found.kind == HappeningKind.USER or self.status != RunStatus.RUNNING
        if ended and before is not None:
            present.recording.row(before, far_side=True)
        else:
            present.respond(found, snapshot)

    def _stop_at_users(self) -> None:
        for event in self.present.state.ended_by(self.settings.events):
            self.stop(RunStatus.TERMINATED, f"user event {event.name!r} at t = {self.t:g}")

    def _leap(self, segment: Segment, *, last_resort: bool = False) -> bool:
        """Step over a configuration at which the rank of the constraints drops, if one is near."""
        present = self.present
        context, state, now = present.context, present.state, present.now
        found, state.correction = landing(context, state, segment, now, last_resort=last_resort)
        if found is None:
            return False
        piece = found.piece
        self.stats.rank_drops += (0.5 * (piece.t0 + piece.t1),)
        happening = present.look_for_events(piece)
        if happening is not None and happening.stops(self.settings.events):
            part = piece.until(happening.t)
            present.keep(part)
            self._through_event(context.at(happening.t, part.values[-1]), happening)
        else:
            if happening is not None:  # nothing changes there, so the leap need not end there
                there = context.at(happening.t, piece(happening.t))
                there = context.on_constraints(there, segment.flow, state.scales)
                present.announce_users(happening, there)
                self._stop_at_users()
            present.land(found)
        present.end_segment()
        return True
