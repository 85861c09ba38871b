"""Where inside a step a contact that slides comes to a stop.

A slip that only touches zero, within the accuracy of the run, is no stop: whether a contact sticks
there for a moment is beyond what can be told, and changes nothing.
"""

from __future__ import annotations

import numpy as np

from ....base.sign_change import sign_change
from ....base.tolerances.simulation import ROUND_OFF, SLOPE_STEP, TOUCHED_BY_RTOL
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import slides
from ..context import Context
from ..guards.happening import Happening, HappeningKind
from ..guards.limits import samples_of
from ..guards.watch import Samples, way_of

__all__ = ["stopped_slips"]


def stopped_slips(
    context: Context, state: RunState, now: Snapshot, piece: Piece
) -> list[Happening]:
    """The first stop of each contact that slides."""
    signed = slides(state.status, context.layout)
    if not signed or piece.t1 <= piece.t0:
        return []
    signed = _may_stop(context, signed, piece)
    if not signed:
        return []
    speeds = state.scales.speeds(now)
    touch = max(ROUND_OFF, TOUCHED_BY_RTOL * context.settings.rtol)
    found = []
    for tangent in signed:
        row, way = abs(tangent), float(np.sign(tangent))
        size = float(speeds[row])
        samples = samples_of(context, row, ROUND_OFF * size, piece)
        if not samples.may_vanish and way * samples.values[0] > 0.0:
            continue
        t = _first_stop(samples, way, touch * size)
        if t is not None:
            normal = context.layout.normal_of[row - context.layout.tangents.start]
            found.append(Happening(t, HappeningKind.STOP, np.array([normal])))
    return found


def _may_stop(context: Context, signed: tuple[int, ...], piece: Piece) -> tuple[int, ...]:
    """Those of some slips that are not at once proved to stay above zero."""
    enclosures = context.dynamics.enclosures
    if enclosures is None:
        return signed
    tangents = np.array(signed, dtype=np.intp)
    ways = np.sign(tangents)
    least = enclosures.lowest(np.abs(tangents), ways, way_of(context, piece), context.parameters)
    return tuple(tangents[~(least > 0.0)].tolist())


def _first_stop(samples: Samples, way: float, depth: float) -> float | None:
    """The first time from which on a slip goes below zero by more than a touch.

    Samples lie so that the slip is monotone between them.
    """
    samples = samples.with_turning_points()
    times, slips = samples.times.tolist(), (way * samples.values).tolist()
    below = [i for i, slip in enumerate(slips) if slip < -depth]
    last = len(times) - 1
    if not below and not (slips[last] < 0.0 and _goes_on(samples, way, depth)):
        return None
    place = below[0] if below else last
    above = [i for i in range(place) if slips[i] > 0.0]
    if not above:
        return float(times[0]) if below else None
    i = above[-1]
    if slips[i + 1] == 0.0:
        return float(times[i + 1])
    found: float = sign_change(
        lambda t: way * samples.at(t)[0], times[i], times[i + 1], slips[i], slips[i + 1]
    )
    return found


def _goes_on(samples: Samples, way: float, depth: float) -> bool:
    """Whether a slip that is just below zero at the end of a step is to fall further.

    Not if it will have turned round before it is lower than a touch.
    """
    end, span = float(samples.times[-1]), float(samples.times[-1] - samples.times[0])
    slip, slope = (way * part for part in samples.at(end))
    before = way * samples.at(end - SLOPE_STEP * span)[1]
    bend = (slope - before) / (SLOPE_STEP * span)
    if slope >= 0.0:
        return False
    return bend <= 0.0 or slip - 0.5 * slope * slope / bend < -depth
