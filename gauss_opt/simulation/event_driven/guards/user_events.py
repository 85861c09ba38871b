"""Zeros of the user's functions inside a step."""

from __future__ import annotations

import numpy as np

from ....base.arrays import Mask
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ....results.records import Event, EventKind
from ...run_state import RunState
from ...settings import UserEvent
from ..context import Context
from ..roots import first_sign_change
from .happening import Happening, HappeningKind

__all__ = ["announced", "marked", "sooner", "user_zeros"]


def user_zeros(context: Context, state: RunState, piece: Piece) -> list[Happening]:
    """The first zero of each user event inside a step."""
    found = []
    for number, event in enumerate(context.settings.events):

        def value(t: float, event: UserEvent = event) -> float:
            q, v = context.split(piece(t))
            q.setflags(write=False)
            v.setflags(write=False)
            return event(q, v, t)

        times = piece.times
        values = np.array([value(float(t)) for t in times])
        if state.fired[number] and state.fired_at == piece.t0:
            values[0] = 0.0  # what is left of the zero the segment starts from
        t = first_sign_change(times, values, value, event.direction)
        if t is not None and t > piece.t0:
            before = values[np.searchsorted(times, t) - 1]
            way = "rising" if before < 0.0 else "falling" if before > 0.0 else ""
            found.append(Happening(t, HappeningKind.USER, np.arange(0), ((number, way),)))
    return found


def sooner(context: Context, state: RunState, piece: Piece, found: Happening) -> Happening:
    """What is found inside a step, or user events before it that only its own part shows.

    A step that tries much more than what comes of it is sampled too far apart for what is kept.
    """
    if not context.settings.events or not piece.t0 < found.t < piece.t1:
        return found
    users = user_zeros(context, state, piece.until(found.t))
    near = state.resolution(found.t)
    first = min((user.t for user in users), default=found.t)
    if first < found.t - near:
        found = Happening(first, HappeningKind.USER, np.arange(0))
    elif found.kind == HappeningKind.USER:
        return found
    also = [number for user in users if user.t <= found.t + near for number in user.users]
    known = dict((*found.users, *also))
    return found._replace(users=tuple(known.items()))


def announced(context: Context, now: Snapshot, found: Happening) -> tuple[Event, ...]:
    """The user events of a happening."""
    names = [event.name for event in context.settings.events]
    q, v = now.q, now.v
    return tuple(
        Event(EventKind.USER, now.t, (names[number],), q, v, v, detail=way)
        for number, way in found.users
    )


def marked(state: RunState, t: float, found: Happening) -> Mask:
    """Which user events have had a zero at a time, with those of a happening."""
    fired = state.fired.copy() if state.fired_at == t else np.zeros_like(state.fired)
    fired[[number for number, _ in found.users]] = True
    return fired
