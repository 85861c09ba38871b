"""Inactive velocity limits that are reached inside a step."""

from __future__ import annotations

import numpy as np

from ....base.tolerances.simulation import ROUND_OFF, SLOPE_STEP
from ....model.enclosure.partition import Wanted
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import inactive_limits
from ..context import Context
from ..roots import first_crossing
from .happening import Happening, HappeningKind
from .sampling import resolved, sampled_only
from .watch import Samples, watched, way_of

__all__ = ["reached_limits", "samples_of"]


def reached_limits(
    context: Context, state: RunState, now: Snapshot, piece: Piece
) -> list[Happening]:
    """The first zero of each inactive limit."""
    rows = inactive_limits(state.status, context.layout)
    if not len(rows) or piece.t1 <= piece.t0:
        return []
    noise = ROUND_OFF * state.scales.speeds(now)[rows]
    found = []
    for row, zero in zip(rows.tolist(), noise.tolist(), strict=True):
        samples = samples_of(context, row, zero, piece)
        left = bool(samples.values[0] <= 10 * zero)
        if not samples.may_vanish and not left:
            continue
        crossing = first_crossing(
            samples.times, samples.values, samples.rates, samples.at, noise=zero, leaving=left
        )
        if crossing is not None and not crossing.graze:
            found.append(Happening(crossing.t, HappeningKind.LIMIT, np.array([row])))
    return found


def samples_of(context: Context, row: int, noise: float, piece: Piece) -> Samples:
    """A limit, or a slip, over the step, with its slope along the motion."""
    enclosures = context.dynamics.enclosures
    function = None if enclosures is None else enclosures.row(row)
    name = context.layout.names[row]
    if function is not None:
        return watched(context, function, way_of(context, piece), name, Wanted(noise))
    sampled_only(context, name, "derivatives by hand")
    span = piece.t1 - piece.t0

    def at(t: float) -> tuple[float, float]:
        before, after = max(t - SLOPE_STEP * span, piece.t0), min(t + SLOPE_STEP * span, piece.t1)
        low, here, high = (context.gap_and_rate(row, s, piece(s))[0] for s in (before, t, after))
        return here, (high - low) / (after - before)

    times = resolved(context, piece, np.array([row]))[0]
    pairs = np.array([at(t) for t in times.tolist()])
    return Samples(times, pairs[:, 0], pairs[:, 1], at)
