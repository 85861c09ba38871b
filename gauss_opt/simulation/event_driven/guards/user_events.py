"""Zeros of the user's functions inside a step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ....base.arrays import Array, Mask
from ....model.enclosure.partition import Wanted
from ....model.snapshot import Snapshot
from ....model.tracing.user_function import UserFunction
from ....results.dense_output import Piece
from ....results.records import Event, EventKind
from ...run_state import RunState
from ...settings import UserEvent
from ..context import Context
from ..roots import first_sign_change
from .happening import Happening, HappeningKind
from .sampling import MAX_HALVINGS, PREDICTED, interleaved, sampled_only
from .watch import watched, way_of

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

        times, values = _samples(context, event, value, piece)
        if state.fired[number] and state.fired_at == piece.t0:
            values[0] = 0.0  # what is left of the zero the segment starts from
        t = first_sign_change(times, values, value, event.direction)
        if t is not None and t > piece.t0:
            before = values[np.searchsorted(times, t) - 1]
            way = "rising" if before < 0.0 else "falling" if before > 0.0 else ""
            found.append(Happening(t, HappeningKind.USER, np.arange(0), ((number, way),)))
    return found


def _samples(
    context: Context, event: UserEvent, value: Callable[[float], float], piece: Piece
) -> tuple[Array, Array]:
    """An event's function at times between which it has one zero or none."""
    enclosures = context.dynamics.enclosures
    function = None
    if enclosures is not None and piece.t1 > piece.t0:
        user = UserFunction.of(f"event {event.name!r}", event.function, ("q", "v", "t"), {})
        function = enclosures.function(user, context.system.parameters)
    if function is None:
        sampled_only(context, event.name, "it cannot be traced")
        return _predicted(value, piece)
    samples = watched(context, function, way_of(context, piece), event.name, Wanted())
    times = samples.with_turning_points().times
    return times, np.array([value(t) for t in times.tolist()])


def _predicted(value: Callable[[float], float], piece: Piece) -> tuple[Array, Array]:
    """Samples halved until those half-way are what their neighbours say."""
    times = piece.halved()[0]
    values = np.array([value(t) for t in times.tolist()])
    for _ in range(MAX_HALVINGS):
        mean = 0.5 * (values[:-2:2] + values[2::2])
        bend = np.abs(values[1:-1:2] - mean)
        nearest = np.minimum(np.abs(values[:-2:2]), np.abs(values[2::2]))
        if (bend <= np.maximum(PREDICTED * np.abs(values).max(), 0.25 * nearest)).all():
            break
        middle = 0.5 * (times[:-1] + times[1:])
        times = interleaved(times, middle)
        values = interleaved(values, np.array([value(t) for t in middle.tolist()]))
    return times, values


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
