"""The state at an event inside a step, with the integrator's own accuracy.

Dense output is less accurate than the steps it lies between. So the last part is integrated afresh
up to the event, unless dense output solves the equation to round-off, as it does in free flight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.tolerances.simulation import EXACT_OUTPUT, ROUND_OFF
from ....mechanics.consistency.projection import Scales
from ....mechanics.flow import Flow
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ..context import Context
from ..friction.ways import tangents_of
from ..segment import Segment
from .happening import Happening, HappeningKind

__all__ = ["Arrival", "arrive"]


class Arrival(NamedTuple):
    """The state at an event, and the dense output up to it."""

    snapshot: Snapshot
    pieces: tuple[Piece, ...]


def arrive(
    context: Context, segment: Segment, scales: Scales, now: Snapshot, piece: Piece,
    found: Happening,
) -> Arrival:  # fmt: skip
    """From the last accepted state, ``now``, to an event inside the step after it."""
    if found.t <= piece.t0:
        return Arrival(now, ())
    part = piece.until(found.t)
    way = None if _exact(segment.flow, part) else segment.pieces_to(found.t, now)
    if way is None:
        return Arrival(context.at(found.t, part.values[-1]), (part,))
    end = context.at(found.t, way[-1].values[-1])
    if found.kind in (HappeningKind.CONTACT, HappeningKind.STOP):
        correct = _corrected if found.kind == HappeningKind.CONTACT else _stopped
        t = correct(end, int(found.rows[0]), scales, piece, segment.flow)
        again = segment.pieces_to(t, now) if t != found.t else None
        if again is not None:
            way, end = again, context.at(t, again[-1].values[-1])
    return Arrival(end, way)


def _exact(flow: Flow, part: Piece) -> bool:
    """Whether dense output solves the equation to round-off."""
    defect = part.end_slope() - flow(part.t1, part.values[-1])
    size = np.abs(part.values).max(axis=0)
    return bool((np.abs(defect) * (part.t1 - part.t0) <= EXACT_OUTPUT * size).all())


def _corrected(end: Snapshot, row: int, scales: Scales, piece: Piece, flow: Flow) -> float:
    """One Newton step on the time at which a gap is zero."""
    gap, rate = float(end.value[row]), float(end.rate[row])
    noise = 4 * ROUND_OFF * float(scales.lengths(end)[row])
    if abs(gap) <= noise or rate >= 0.0:
        return end.t
    t = end.t - gap / rate
    return t if piece.t0 < t <= piece.t1 else end.t


def _stopped(end: Snapshot, row: int, scales: Scales, piece: Piece, flow: Flow) -> float:
    """One Newton step on the time at which the slip of a contact is zero."""
    tangent = tangents_of(end.layout, np.array([row]))
    slip = float(end.rate[tangent][0])
    slope = float((end.rows_of(tangent) @ flow.accelerate(end)[0] - end.rhs[tangent])[0])
    noise = 4 * ROUND_OFF * float(scales.speeds(end)[tangent][0])
    if abs(slip) <= noise or slope == 0.0:
        return end.t
    t = end.t - slip / slope
    return t if piece.t0 < t <= piece.t1 else end.t
