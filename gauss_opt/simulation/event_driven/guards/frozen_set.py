"""Whether the rows that are held, and no others, carry force: the frozen set against (G)."""

from __future__ import annotations

import numpy as np

from ....base.arrays import Array, Indices
from ....base.tolerances.base import FINEST_TIME, TINY
from ....base.tolerances.simulation import SAME_ACCELERATION
from ....mechanics.answer import Acceleration
from ....mechanics.consistency.projection import Scales
from ....mechanics.flow import Flow
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import idle
from ..context import Context
from .happening import Happening, HappeningKind

__all__ = ["changes_at", "jam_inside", "opening_rates", "right_at", "still_right"]


def right_at(context: Context, state: RunState, flow: Flow, piece: Piece, t: float) -> bool:
    """Whether the frozen set is right at a time of a step."""
    snapshot = context.at(t, piece(t))
    answer = context.accelerate_or_jam(snapshot, state.status)
    return answer is not None and still_right(state, answer, flow.accelerate(snapshot)[0])


def changes_at(
    context: Context, state: RunState, flow: Flow, piece: Piece, low: float, high: float
) -> float:
    """The first time, between one where it is right and one where it is not, at which it is not."""
    finest = FINEST_TIME * (high - low)
    while high - low > max(state.resolution(high), finest) and high > np.nextafter(low, high):
        middle = 0.5 * (low + high)
        if right_at(context, state, flow, piece, middle):
            low = middle
        else:
            high = middle
    return high


def jam_inside(context: Context, state: RunState, flow: Flow, piece: Piece) -> Happening:
    """Where, inside a step, contacts that slide come to where no force satisfies Coulomb's law."""
    t = changes_at(context, state, flow, piece, piece.t0, piece.t1)
    return Happening(t, HappeningKind.JAM, np.arange(0))


def still_right(state: RunState, answer: Acceleration, frozen: Array) -> bool:
    """Whether the frozen acceleration solves (G), and idle contacts stay closed."""
    snapshot = answer.snapshot
    size = np.abs(answer.acceleration).max() + np.abs(frozen).max() + _typical(snapshot)
    if np.abs(answer.acceleration - frozen).max() > SAME_ACCELERATION * size:
        return False
    return not opening_rates(snapshot, frozen, idle(state.status), state.scales).any()


def opening_rates(snapshot: Snapshot, a: Array, rows: Indices, scales: Scales) -> Array:
    """gap'' of rows at an acceleration; what is round-off is 0.

    Where nothing forces them, bodies that touch stay together: there the scale is an acceleration
    that would matter within the time of the run.
    """
    if not len(rows):
        return np.zeros(0)
    normals = snapshot.rows_of(rows)
    opening = normals @ a - snapshot.rhs[rows]
    size = np.abs(normals) @ np.abs(a) + np.abs(snapshot.rhs[rows])
    size += _typical(snapshot) + scales.speeds(snapshot)[rows] / scales.time
    return np.where(np.abs(opening) <= SAME_ACCELERATION * size, 0.0, opening)


def _typical(snapshot: Snapshot) -> float:
    """An acceleration of the size that forces can cause: (G) tells none apart that differ less."""
    return float(np.abs(snapshot.force).max() / max(np.abs(snapshot.mass).max(), TINY))
