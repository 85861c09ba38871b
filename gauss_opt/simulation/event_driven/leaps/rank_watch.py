"""Whether a run gets stuck before a rank drop, and when to step over it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.arrays import Array
from ....base.tolerances.simulation import EXACT_LANDING, NEAR_RANK_DROP
from ....mechanics.rank.independence import independence
from ....model.snapshot import Snapshot
from ...run_state import RunState
from ..context import Context
from ..segment import Segment
from .rank_drop import Landing, leap

__all__ = ["Watched", "landing", "steps_collapse"]

COLLAPSED = 0.02  # a step this much smaller than the longest of late
LOOKED_BACK = 40  # steps at the most
FEWEST_STEPS = 4  # that are looked back on
NOISE = 30.0  # times the root of round-off over rtol: here round-off keeps the steps small
WORSE = 1.5  # a landing gets worse when its correction grows by this


class Watched(NamedTuple):
    """Where to land, if it is time to, and the correction of the best landing so far."""

    landing: Landing | None
    correction: float


def steps_collapse(state: RunState, segment: Segment, now: Snapshot, rtol: float) -> bool:
    """Whether steps have become far smaller than they were, with rows nearly dependent."""
    next_step, recent = segment.next_step, state.recent
    if next_step is None or not len(segment.flow.held) or len(recent) < FEWEST_STEPS:
        return False
    longest = max(piece.t1 - piece.t0 for piece in recent)
    if next_step > COLLAPSED * longest:
        return False
    noise = NOISE * float(np.sqrt(np.finfo(float).eps / rtol))
    here = independence(now, segment.flow.held, segment.flow.left_out)
    return here < max(NEAR_RANK_DROP, noise)


def landing(
    context: Context, state: RunState, segment: Segment, now: Snapshot, *, last_resort: bool
) -> Watched:
    """The state beyond a rank drop ahead, if there is one and it is time to go there.

    The nearer, the shorter the leap, but the more round-off is in what it starts from. So not
    before the landing is exact, or gets worse, or there is no other way.
    """
    if len(state.recent) < FEWEST_STEPS:
        return Watched(None, state.correction)

    def arrive(t: float, y: Array) -> Snapshot:
        return context.on_constraints(context.at(t, y), segment.flow, state.scales)

    found = leap(state.recent, now, segment.flow, arrive, segment.bound)
    if found is None:
        return Watched(None, state.correction)
    best = min(state.correction, found.correction)
    right = found.correction <= EXACT_LANDING or found.correction > WORSE * best or last_resort
    return Watched(found if right else None, best)
