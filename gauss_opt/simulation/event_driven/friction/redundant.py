"""The time at which redundant contacts begin to slip or to open, beyond the tolerance of (C).

Where forces are redundant no margin tells it. But with the set that comes after, some contact has
an acceleration along or off its surface that grows from zero: that zero is the time.
"""

from __future__ import annotations

import numpy as np

from ....base.errors import GaussError
from ....base.sign_change import sign_change
from ....base.tolerances.simulation import JUST_AFTER
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import RESTING, STICKING, Statuses
from ..context import Context
from ..response import classify
from ..segment import flow_of
from .ways import tangents_of

__all__ = ["sharpened"]


def sharpened(context: Context, state: RunState, piece: Piece, low: float, high: float) -> float:
    """The time at which the set changes, from a time just after at which it is seen to have."""
    seen = min(high + JUST_AFTER * (piece.t1 - piece.t0), piece.t1)
    try:
        there = context.at(seen, piece(seen))
        after = classify(context, state.scales, state.status, there)[0]
        found = [
            _zero(context, piece, after, *what, low, seen) for what in _begins(state.status, after)
        ]
    except GaussError:
        return high
    times = [t for t in found if t is not None]
    return min(times) if times else high


def _begins(before: Statuses, after: Statuses) -> list[tuple[int, int]]:
    """Contacts that open (0), or slip forward (1) or backward (-1), each with the way."""
    rows = np.flatnonzero((before >= RESTING) & (before != after))
    found = []
    for row in rows.tolist():
        if after[row] < RESTING:
            found.append((row, 0))
        elif before[row] == STICKING and after[row] > STICKING:
            found.append((row, 1 if after[row] == STICKING + 1 else -1))
    return found


def _zero(
    context: Context, piece: Piece, after: Statuses, row: int, way: int, low: float, high: float
) -> float | None:
    """Where the acceleration of a contact that begins to move is zero, in the set after."""
    flow = flow_of(context, after)
    asked = np.array([row]) if way == 0 else tangents_of(context.layout, np.array([row]))

    def opening(t: float) -> float:
        there = context.at(t, piece(t))
        a = flow.accelerate(there)[0]
        return float((way or 1) * (there.rows_of(asked) @ a - there.rhs[asked])[0])

    end, back = opening(high), JUST_AFTER * (piece.t1 - piece.t0)
    if end <= 0.0:
        return None
    while high - back > low:
        begin = opening(high - back)
        if begin <= 0.0:
            return sign_change(opening, high - back, high, begin, end)
        back *= 8.0
    return None
