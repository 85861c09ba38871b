"""The present of a run and its past, and the one place where they are written."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...base.arrays import Indices
from ...base.tolerances.mechanics import FOLLOWS
from ...base.tolerances.simulation import ROUND_OFF
from ...mechanics.answer import Acceleration
from ...model.snapshot import Snapshot
from ...results.dense_output import Piece
from ...results.growing.stretch import Stretch
from ...results.records import EventKind
from ...results.result import Result
from ..run_state import RunState
from .acceptance import StepEnd
from .accumulation import Accumulation
from .clusters.closing import Closing
from .clusters.decision import decide
from .contact_status import all_open, leaving, separated
from .context import Context
from .friction.transitions import slip, stop
from .guards.detection import first_event
from .guards.happening import Happening, HappeningKind
from .guards.user_events import announced, marked
from .impact_series import close_contacts, noted, overtaken, reach_limit, taken_up
from .leaps.rank_drop import Landing
from .leaps.rank_watch import LOOKED_BACK
from .presence import present_at_start, present_contacts, refuse_behind, switch
from .recording import Recording
from .response import Response, hold, let_go, settle
from .segment import Segment, first_step_after_event, flow_of, tolerances_at

__all__ = ["Present"]

STUCK = 20  # steps in a row that end where they began, before contacts are held


class Present:
    """Where a run is. Everything else answers what is to be; here it comes to be.

    Attributes
    ----------
    context : Context
    state : RunState
        The present as data.
    now : Snapshot
        The same, evaluated.
    segment : Segment or None
        The smooth segment under way; None between two.
    flow : Flow
        The smooth motion of the last segment.
    recording : Recording
        The past.
    """

    def __init__(self, context: Context, state: RunState, now: Snapshot) -> None:
        self.context = context
        self.state = state
        self.now = now
        self.segment: Segment | None = None
        self.flow = flow_of(context, state.status)
        self.recording = Recording.empty(context)

    def resume(self, state: RunState, result: Result) -> None:
        """Go on from another state, with the past that led to it."""
        self.state = state.copy()
        self.context = replace(
            self.context,
            stats=self.state.stats,
            scales=self.state.scales,
            equalities=self.state.equalities,
        )
        self.recording = self.recording.resumed(self.context, result)
        self.now = self.context.at(state.t, np.concatenate([state.q, state.v]))
        self.flow = flow_of(self.context, self.state.status)
        self.segment = None
        if state.in_segment:
            self.begin_segment()

    def start_at(self, snapshot: Snapshot) -> None:
        """Start at a consistent state, and decide there which of the equalities are held."""
        self.reach(snapshot)
        context, state = self.context, self.state
        state.status = all_open(context.layout, present_at_start(self.now, state.scales))
        context.equalities.decide(self.now)
        if context.equalities.among is not None:
            self.flow = flow_of(context, state.status)
            self.reach(context.on_constraints(self.now, self.flow, state.scales))

    def take_over(self, state: RunState, now: Snapshot, stretch: Stretch) -> None:
        """Go on from where another engine has led to; a segment under way goes on there."""
        scales = self.state.scales  # the context has them too
        scales.q, scales.v = state.scales.q, state.scales.v
        self.state, self.now = state, now
        self.state.scales = scales
        self.recording.recorder.extend(stretch)
        self.flow = flow_of(self.context, state.status)
        self.segment = None

    def be_at(self, snapshot: Snapshot) -> None:
        """Be where a snapshot is."""
        self.now = snapshot
        self.state.put(snapshot)

    def reach(self, snapshot: Snapshot) -> None:
        """Be where the motion has led to; sizes seen there count from now on."""
        self.be_at(snapshot)
        self.state.scales.update(snapshot.q, snapshot.v)

    def keep(self, *pieces: Piece) -> None:
        """Keep parts of the way."""
        for piece in pieces:
            self.state.next_t_eval = self.recording.piece(piece, self.flow, self.state)

    def apply(self, response: Response) -> None:
        """Let be what an event has brought."""
        if any(event.kind == EventKind.JAM for event in response.events):
            self.recording.near_jam(self.now, self.flow)
        self.state.status = response.status
        self.be_at(response.snapshot)
        self.state.status = present_contacts(self.state, self.now)
        self.recording.events(response.events)
        if response.answer is not None:
            self.recording.row(response.answer, far_side=True)

    def near_side(self, found: Happening, snapshot: Snapshot) -> Acceleration | None:
        """Store the near side of an event; None where the forces are not to be had: at a jam."""
        if found.kind == HappeningKind.JAM:
            return None
        before = self.context.accelerate(snapshot, self.state.status)
        self.recording.row(before)
        return before

    def respond(self, found: Happening, snapshot: Snapshot) -> None:
        """Change contacts as an event asks for, at the snapshot where it is."""
        context, state, kind, rows = self.context, self.state, found.kind, found.rows
        if kind == HappeningKind.RELEASE:
            self.apply(let_go(context, state, snapshot, rows))
        elif kind == HappeningKind.SLIP:
            self.apply(slip(context, state, snapshot, rows, found.slides))
        elif kind == HappeningKind.STOP:
            self.apply(stop(context, state, snapshot, rows))
        elif kind == HappeningKind.SWITCH:
            self.apply(switch(context, state, snapshot, found))
        elif kind == HappeningKind.BEHIND:
            refuse_behind(context, snapshot, rows)
        elif kind == HappeningKind.CONTACT and state.standstill >= STUCK:
            self.apply(hold(context, state, snapshot, rows))
        else:
            self.settle(rows, kind)

    def settle(self, triggered: Indices, kind: HappeningKind) -> None:
        """Go through impacts and changes of the active set; close the contacts of a series."""
        context, state = self.context, self.state
        response = settle(context, state, self.now, triggered, kind)
        self.apply(response)
        collisions = response.collisions
        state.series, limit = noted(state, self.now, collisions, context.settings.closure)
        if limit is None:
            limit, closing = decide(context, state, self.now, collisions)
            if closing is not None:
                self._close(closing)
            elif limit is not None:
                state.series = taken_up(state.series, limit.contacts)
        if limit is not None:
            self._close_until(limit)

    def _close_until(self, limit: Accumulation) -> None:
        """Hold the contacts of an accumulation until its limit, which is to come, or is now."""
        response, pending = close_contacts(self.context, self.state, self.now, limit)
        self._announce_pending()
        self.state.pending = replace(pending, row=self.recording.rows)
        self.apply(response)
        if limit.t <= self.now.t:
            self.reach_limit()

    def reach_limit(self) -> None:
        """The limit of an accumulation, which the run was on its way to, is reached."""
        pending, self.state.pending = self.state.pending, None
        assert pending is not None
        self.apply(reach_limit(self.context, self.state, self.now, pending))

    def _close(self, closing: Closing) -> None:
        """Let a cluster be closed."""
        state, stats = self.state, self.context.stats
        self._announce_pending()
        self.apply(closing.response)
        state.series = taken_up(state.series, closing.rows.tolist())
        stats.closings += 1
        stats.closing_loss += closing.removed
        stats.worst_closing_loss = max(stats.worst_closing_loss, closing.removed)

    def _announce_pending(self) -> None:
        """A limit that the run was on its way to is not waited for."""
        pending, self.state.pending = self.state.pending, None
        if pending is not None:
            self.recording.events([overtaken(self.context, self.now, pending)])

    def announce_users(self, found: Happening, there: Snapshot) -> None:
        """Note the user events of a happening."""
        if found.users:
            self.recording.events(announced(self.context, there, found))
            self.state.fired = marked(self.state, there.t, found)
            self.state.fired_at = there.t

    def look_for_events(self, piece: Piece) -> Happening | None:
        """The first event inside a step."""
        return first_event(self.context, self.state, self.flow, self.now, piece)

    def land(self, landing: Landing) -> None:
        """Go to the state beyond a rank drop."""
        self.keep(landing.piece)
        self.reach(landing.snapshot)
        self.recording.quality(landing.snapshot, 0.0, self.state)
        self.recording.step(self.context.accelerate(landing.snapshot, self.state.status))

    # Segments

    def begin_segment(self) -> Segment:
        """Start a smooth segment, or go on with one that has some steps behind it."""
        context, state = self.context, self.state
        if state.atol is None:
            state.atol = tolerances_at(context.settings, state, self.now)
        segment = Segment(context, state, self.now)
        self.segment, self.flow = segment, segment.flow
        return segment

    def accept(self, segment: Segment, piece: Piece, end: StepEnd) -> None:
        """Go to the end of a step."""
        state, snapshot = self.state, end.snapshot
        self.recording.quality(snapshot, end.drift, state)
        self.keep(piece)
        self.be_at(snapshot)
        state.recent = (*state.recent, piece)[-LOOKED_BACK:]
        state.next_step = segment.next_step
        if leaving(state.status).any():
            apart = snapshot.value > ROUND_OFF * state.scales.lengths(snapshot)
            state.status = separated(state.status, apart)
        state.status = present_contacts(state, snapshot)
        risen = self.context.equalities.look_again(snapshot, follow=end.drift <= FOLLOWS)
        segment.flow.among = self.context.equalities.among
        if end.projected:
            self.context.stats.projections += 1
            taken = segment.put(np.concatenate([snapshot.q, snapshot.v]))
            if not taken and not segment.finished:
                self.end_segment()
        if risen and not segment.finished:
            self.end_segment()

    def end_segment(self) -> None:
        """The smooth motion ends here."""
        self.segment = None
        self.state.end_segment()

    def end_at_event(self, piece: Piece, suggested: float | None) -> None:
        """The smooth motion ends at an event inside a step; choose a step to go on with."""
        state = self.state
        self.end_segment()
        between = state.t - state.last_event
        state.next_step = first_step_after_event(piece, suggested, between)
        state.quiet, state.last_event = max(state.quiet, between), state.t
