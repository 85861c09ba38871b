"""What an event does: impacts while a closed contact approaches, then the new active set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import PainleveError
from ...base.tolerances.simulation import (
    CLOSED_AT_START,
    ROUND_OFF,
    SIMULTANEOUS,
    SLOW,
)
from ...mechanics.answer import Acceleration
from ...mechanics.collision import Collision
from ...mechanics.consistency.projection import Scales
from ...model.snapshot import Snapshot
from ...results.records import Event, EventKind
from ..run_state import RunState
from . import contact_status as contact
from .announcements import (
    announce,
    announce_changes,
    announce_released,
    announce_rubbing,
    impact_event,
    jam_event,
    notable,
)
from .contact_status import Statuses, closed_contacts, inactive_limits
from .context import Context
from .event_impacts import impacts
from .friction.jam import impact_without_collision
from .friction.ways import after_problem, begun
from .guards.frozen_set import opening_rates
from .guards.happening import HappeningKind

__all__ = [
    "Response",
    "classify",
    "hold",
    "let_go",
    "limits_left",
    "merged",
    "settle",
    "touching_at",
]


@dataclass(frozen=True, eq=False)
class Response:
    """What is to be after an event.

    Attributes
    ----------
    snapshot : Snapshot
        The state on the far side.
    status : (m,) array of int8
        How each row stands there.
    answer : Acceleration or None
        The solution of (G) there, when a row is to be stored.
    events : tuple of Event
        What has happened.
    collisions : tuple of Collision
        The impacts among it.
    """

    snapshot: Snapshot
    status: Statuses
    answer: Acceleration | None
    events: tuple[Event, ...] = ()
    collisions: tuple[Collision, ...] = ()


class Classified(NamedTuple):
    """The status that goes with (G), and its solution."""

    status: Statuses
    answer: Acceleration


def touching_at(state: RunState, snapshot: Snapshot) -> Indices:
    """Open contacts whose gap is zero, at the start of a run."""
    rows = contact.present_and_open(state.status, snapshot.layout)
    near = snapshot.value[rows] <= CLOSED_AT_START * state.scales.lengths(snapshot)[rows]
    return _existing(snapshot, rows[near])


def settle(
    context: Context, state: RunState, snapshot: Snapshot, triggered: Indices, kind: HappeningKind
) -> Response:
    """Go through an event at which rows are triggered: contacts that close, or limits reached."""
    layout, before, scales = context.layout, state.status, state.scales
    contacts = triggered[triggered < layout.contacts.stop]
    closed = _closing_together(state, snapshot, contacts)
    jammed: list[Event] = []
    touching = merged(closed, closed_contacts(before, layout))
    if not len(touching) and not len(triggered) and layout.limits.start == layout.limits.stop:
        return Response(snapshot, *classify(context, scales, before, snapshot))  # free flight
    jumps = impacts(context, scales, snapshot, touching)
    snapshot = jumps.snapshot
    stay = np.abs(snapshot.rate[touching]) <= jumps.slow[touching]
    status = contact.struck(before, touching, stay)
    new = touching if jumps.collisions else touching[before[touching] < contact.STICKING]
    status = begun(status, context.rough, new, snapshot, jumps.slow)
    if jumps.collisions:
        status = contact.released(status, _limits_left(status, snapshot, jumps.slow), layout)
    status = contact.pressed(status, triggered[triggered >= layout.contacts.stop])
    status = contact.pressed(status, _reached_limits(status, scales, snapshot))
    try:
        status, answer = classify(context, scales, status, snapshot)
    except PainleveError as wedged:
        contacts = closed_contacts(status, layout)
        jam = impact_without_collision(context, snapshot, contacts, wedged)
        snapshot = snapshot.at_velocity(jam.v_after)
        slow = SLOW * scales.speeds(snapshot)
        status = contact.struck(status, contacts, np.abs(snapshot.rate[contacts]) <= slow[contacts])
        status = begun(status, context.rough, contacts, snapshot, slow)
        status, answer = classify(context, scales, status, snapshot)
        jammed = [jam_event(jam, context)]
    risen = _risen(context, status, snapshot, closed)
    if risen is not None:
        snapshot = snapshot.at_velocity(risen.v_after)
        answer = context.accelerate(snapshot, status)
    changed = announce_changes(context, snapshot, before, status)
    events = [impact_event(c, context, jumps) for c in jumps.collisions]
    events += [*jammed, *notable(context, scales, risen)]
    if not events and kind == HappeningKind.GRAZE:
        events += announce(context, EventKind.GRAZE, snapshot, triggered)
    return Response(snapshot, status, answer, (*events, *changed), jumps.collisions)


def let_go(context: Context, state: RunState, snapshot: Snapshot, rows: Indices) -> Response:
    """Rows whose force has reached zero let go; all others are asked again."""
    layout, before = context.layout, state.status
    asked = contact.released(before, rows, layout)
    status, answer = classify(context, state.scales, asked, snapshot)
    if not len(rows) and np.array_equal(before, status):
        # (G) changed by next to nothing: contacts that rest without force are free to go.
        status = contact.released(status, contact.idle(status), layout)
        answer = context.accelerate(snapshot, status)
    gone = announce_released(context, snapshot, before, status)
    gone += announce_rubbing(context, snapshot, before, status)
    snapshot, answer = _taken_up(context, state, snapshot, status, answer)
    return Response(snapshot, status, answer, tuple(gone))


def _taken_up(
    context: Context, state: RunState, snapshot: Snapshot, status: Statuses, answer: Acceleration
) -> tuple[Snapshot, Acceleration]:
    """Contacts that begin to carry force after they have rested without any: at rest exactly.

    Nothing has held them, and until they are seen to press they have moved a little.
    """
    layout = context.layout
    taken = contact.pressing(status, layout)
    taken = taken[(state.status[taken] == contact.RESTING) & (taken < layout.contacts.stop)]
    if not (snapshot.value[taken].any() or snapshot.rate[taken].any()):
        return snapshot, answer
    closed = closed_contacts(status, layout)
    placed = context.onto(snapshot, closed, state.scales)
    return placed, context.accelerate(placed, status)


def hold(context: Context, state: RunState, snapshot: Snapshot, rows: Indices) -> Response:
    """Contacts that come back in less time than there is between two floats: they rest.

    What floats have left of their gaps and their rates is removed; (G) says whether they carry,
    idle or open.
    """
    touching = merged(rows, closed_contacts(state.status, context.layout))
    placed = context.onto(snapshot, touching, state.scales).at_velocity(snapshot.v)
    stop = _stop(context, placed, touching, equality=True)
    snapshot = placed.at_velocity(stop.v_after)
    status = contact.closed_again(state.status, rows)
    status, off = limits_left(context, state.scales, status, snapshot)
    fine = np.spacing(abs(snapshot.t)) <= SIMULTANEOUS * state.scales.time
    events = (*(notable(context, state.scales, stop) if fine else ()), *off)
    return Response(snapshot, *classify(context, state.scales, status, snapshot), events)


def classify(context: Context, scales: Scales, status: Statuses, snapshot: Snapshot) -> Classified:
    """Solve (G) for the closed contacts, and see which carry, stick, slide, idle or open."""
    layout = context.layout
    while True:
        answer = context.accelerate(snapshot, status)
        rows = answer.chosen
        assert rows is not None
        carries = np.zeros(len(rows), dtype=bool)
        carries[answer.working] = True
        carries &= answer.solution.row_multipliers > 0.0
        status = contact.with_forces(status, rows, carries, layout)
        status = after_problem(status, answer, context.rough)
        idle = contact.idle(status)
        opening = idle[opening_rates(answer, idle, scales) > 0.0]
        if not len(opening):
            return Classified(status, answer)
        status = contact.released(status, opening, layout)


def _risen(
    context: Context, status: Statuses, snapshot: Snapshot, closed: Indices
) -> Collision | None:
    """The jump after which no contact that opens by its acceleration is still on its way down.

    Its rate is below zero by what counts as zero. Left there, it would close again before the
    acceleration has turned it, at the same place, and so on without end. None: there is no such
    contact.
    """
    rows = closed[contact.leaving(status)[closed] & (snapshot.rate[closed] < 0.0)]
    if not len(rows):
        return None
    rows = merged(rows, closed_contacts(status, context.layout))
    return _stop(context, snapshot, rows, equality=False)


def _stop(context: Context, at: Snapshot, rows: Indices, *, equality: bool) -> Collision:
    """Contacts that do not approach any more, or have no rate at all."""
    jump = context.stop_contacts(at, rows, equality=equality)
    rates = at.at_velocity(jump.v).rate
    return Collision(at, rows, jump.v, jump.impulses, rates, (jump,))


def merged(rows: Indices, others: Indices) -> Indices:
    """Rows that are in one or the other, ascending; cheap when one has nothing to add."""
    if not len(others) or np.array_equal(rows, others):
        return rows
    if not len(rows):
        return others
    union: Indices = np.union1d(rows, others)
    return union


def _existing(snapshot: Snapshot, rows: Indices) -> Indices:
    """Without contacts that are switched off."""
    return rows if snapshot.enabled is None else rows[snapshot.enabled[rows]]


def _closing_together(state: RunState, snapshot: Snapshot, triggered: Indices) -> Indices:
    """The contacts of an event: those that triggered it, and any that close with them."""
    rows = contact.present_and_open(state.status, snapshot.layout)
    near = np.abs(snapshot.rate[rows]) * state.resolution(snapshot.t)
    near += 10 * ROUND_OFF * state.scales.lengths(snapshot)[rows]
    also = _existing(snapshot, rows[snapshot.value[rows] <= near])
    return merged(triggered, also)


def limits_left(
    context: Context, scales: Scales, status: Statuses, snapshot: Snapshot
) -> tuple[Statuses, tuple[Event, ...]]:
    """Limits that the stop of contacts has moved away from are off: the status and the events."""
    rows = _limits_left(status, snapshot, SLOW * scales.speeds(snapshot))
    off = announce(context, EventKind.LIMIT, snapshot, rows, "off")
    return contact.released(status, rows, snapshot.layout), tuple(off)


def _limits_left(status: Statuses, snapshot: Snapshot, slow: Array) -> Indices:
    """Limits that were held and that a jump has moved away from."""
    rows = contact.pressing(status, snapshot.layout)
    rows = rows[rows >= snapshot.layout.limits.start]
    left: Indices = rows[snapshot.value[rows] > slow[rows]]
    return left


def _reached_limits(status: Statuses, scales: Scales, snapshot: Snapshot) -> Indices:
    rows = inactive_limits(status, snapshot.layout)
    near = 1e3 * ROUND_OFF * scales.speeds(snapshot)[rows]
    reached: Indices = rows[snapshot.value[rows] <= near]
    return reached
