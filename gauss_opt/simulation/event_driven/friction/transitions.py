"""What becomes of contacts that come to a stop, or whose friction reaches its limit.

At such an event the acceleration along the surface is zero, or nearly so, whichever way it will
go: what holds just after decides. So the motion is followed for a moment, and (C) is solved there
with these contacts free to stick or to slide.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays import Array, Indices
from ....base.errors import SolverError
from ....base.tolerances.simulation import JUST_AFTER
from ....model.snapshot import Snapshot
from ...run_state import RunState
from ..announcements import announce_released, announce_rubbing
from ..contact_status import STICKING, Statuses, rubs
from ..context import Context
from ..response import Response, classify
from ..segment import flow_of
from .ways import after_problem

__all__ = ["slip", "stop"]


def slip(
    context: Context, state: RunState, snapshot: Snapshot, rows: Indices, slides: tuple[int, ...]
) -> Response:
    """Contacts slip against their friction, unless what holds just after says otherwise."""
    status = state.status
    if len(rows):
        forced = rubs(status, rows, np.sign(np.array(slides)))
    else:  # redundant forces: it is not known which
        rows = np.flatnonzero(status == STICKING)
        forced = status
    try:
        forced = classify(context, state.scales, forced, snapshot)[0]
    except SolverError:
        forced = status
    return _response(context, state, snapshot, forced, rows)


def stop(context: Context, state: RunState, snapshot: Snapshot, rows: Indices) -> Response:
    """Contacts have come to a stop: they stick, slide back, or slide on."""
    free = rubs(state.status, rows, np.zeros(len(rows), dtype=np.intp))
    status = classify(context, state.scales, free, snapshot)[0]
    return _response(context, state, snapshot, status, rows)


def _response(
    context: Context, state: RunState, snapshot: Snapshot, status: Statuses, rows: Indices
) -> Response:
    """The status that holds just after, with ``rows`` free to choose."""
    before = state.status
    status = _just_after(context, state, snapshot, status, rows)
    status = classify(context, state.scales, status, snapshot)[0]
    snapshot = context.on_constraints(snapshot, flow_of(context, status), state.scales)
    answer = context.accelerate(snapshot, status)
    events = announce_released(context, snapshot, before, status)
    events += announce_rubbing(context, snapshot, before, status)
    return Response(snapshot, status, answer, tuple(events))


def _just_after(
    context: Context, state: RunState, snapshot: Snapshot, status: Statuses, rows: Indices
) -> Statuses:
    """What (C) says a moment later, on the way that goes with a status."""
    later = _moved(context, snapshot, status, JUST_AFTER * _moment(state))
    rows = rows[status[rows] >= STICKING]
    free = rubs(status, rows, np.zeros(len(rows), dtype=np.intp))
    try:
        answer = context.accelerate(later, free)
    except SolverError:
        return status
    return after_problem(status, answer, context.rough)


def _moment(state: RunState) -> float:
    """A time in which the motion changes: the last step, or the time scale."""
    recent = state.recent[-1:]
    return recent[0].t1 - recent[0].t0 if recent else state.scales.time


def _moved(context: Context, snapshot: Snapshot, status: Statuses, time: float) -> Snapshot:
    """The state a moment later."""
    flow = flow_of(context, status)
    y: Array = np.concatenate([snapshot.q, snapshot.v])
    first = flow(snapshot.t, y)
    second = flow(snapshot.t + time, y + time * first)
    return context.at(snapshot.t + time, y + 0.5 * time * (first + second))
