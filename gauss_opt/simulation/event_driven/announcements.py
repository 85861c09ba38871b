"""What an event is called: impacts, releases, limits, and contacts that stick or slip."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Indices
from ...base.tolerances.simulation import UNANNOUNCED_JUMP
from ...mechanics.collision import Collision
from ...mechanics.consistency.projection import Scales
from ...model.snapshot import Snapshot
from ...results.records import Event, EventKind
from . import contact_status as contact
from .contact_status import FORWARD, STICKING, Statuses
from .context import Context
from .event_impacts import Impacts, remedy

__all__ = [
    "announce",
    "announce_changes",
    "announce_released",
    "announce_rubbing",
    "impact_event",
    "jam_event",
    "notable",
]


def impact_event(collision: Collision, context: Context, jumps: Impacts) -> Event:
    """An impact as an event; one that gains energy names the remedy."""
    stopped = jumps.stopped and collision is jumps.collisions[-1]
    detail = "stopped as a last resort" if stopped else ""
    if collision.gains_energy and context.rough is not None:
        detail = remedy(context)
    return event_of(collision, context, detail)


def jam_event(collision: Collision, context: Context) -> Event:
    """An impact without collision, as an event."""
    return event_of(collision, context, "an impact without collision", EventKind.JAM)


def event_of(
    collision: Collision, context: Context, detail: str, kind: EventKind = EventKind.IMPACT
) -> Event:
    return Event(
        kind,
        collision.snapshot.t,
        context.names(collision.contacts),
        collision.snapshot.q,
        collision.v_before,
        collision.v_after,
        collision.shares,
        collision.energy_change,
        collision.work_of_moving_constraints,
        collision.gains_energy,
        detail=detail,
    )


def notable(context: Context, scales: Scales, stop: Collision | None) -> list[Event]:
    """Contacts stopped, as an impact where it is more than round-off.

    The rates that are removed are next to nothing. But where rows are nearly dependent, as those of
    bodies that fit exactly, it can take a large jump to remove them.
    """
    least = UNANNOUNCED_JUMP * scales.v.max(initial=0.0)
    if stop is None or (np.abs(stop.v_after - stop.v_before) <= least).all():
        return []
    return [event_of(stop, context, "rates of round-off removed")]


def announce_changes(
    context: Context, snapshot: Snapshot, before: Statuses, after: Statuses
) -> list[Event]:
    """Contacts released, that stick or slide otherwise, and limits that switch off or on."""
    if np.array_equal(before, after):
        return []
    on = np.flatnonzero(contact.closed(after) & ~contact.closed(before))
    on = on[on >= context.layout.contacts.stop]
    return [
        *announce_released(context, snapshot, before, after),
        *announce_rubbing(context, snapshot, before, after),
        *announce(context, EventKind.LIMIT, snapshot, on, "on"),
    ]


def announce_released(
    context: Context, snapshot: Snapshot, before: Statuses, after: Statuses
) -> list[Event]:
    """Contacts that are closed no longer, and limits that are held no longer."""
    rows = np.flatnonzero(contact.closed(before) & ~contact.closed(after))
    stop = context.layout.contacts.stop
    return [
        *announce(context, EventKind.RELEASE, snapshot, rows[rows < stop]),
        *announce(context, EventKind.LIMIT, snapshot, rows[rows >= stop], "off"),
    ]


def announce_rubbing(
    context: Context, snapshot: Snapshot, before: Statuses, after: Statuses
) -> list[Event]:
    """Contacts that begin to stick, to slip, or to slide the other way."""
    if context.rough is None:
        return []
    rows = np.flatnonzero(contact.rubbing(before) & contact.rubbing(after) & (before != after))
    now, was = after[rows], before[rows]
    kinds = [
        (EventKind.STICK, now == STICKING, ""),
        (EventKind.SLIP, (was == STICKING) & (now == FORWARD), "forward"),
        (EventKind.SLIP, (was == STICKING) & (now > FORWARD), "backward"),
        (EventKind.REVERSAL, (was > STICKING) & (now == FORWARD), "forward"),
        (EventKind.REVERSAL, (was > STICKING) & (now > FORWARD), "backward"),
    ]
    return [
        event
        for kind, chosen, way in kinds
        for event in announce(context, kind, snapshot, rows[chosen], way)
    ]


def announce(
    context: Context, kind: EventKind, snapshot: Snapshot, rows: Indices, detail: str = ""
) -> list[Event]:
    """An event without a jump, if it has rows."""
    if not len(rows):
        return []
    v = snapshot.v
    return [Event(kind, snapshot.t, context.names(rows), snapshot.q, v, v, detail=detail)]
