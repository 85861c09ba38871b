"""Where inside a step the frozen active set stops being the answer to (G)."""

from __future__ import annotations

import numpy as np

from ....base.arrays import Array, Indices
from ....base.tolerances.base import FINEST_TIME
from ....base.tolerances.simulation import OPENING_NOISE
from ....mechanics.acceleration import Acceleration
from ....mechanics.caused import caused_accelerations
from ....mechanics.flow import Flow
from ....mechanics.projection import Scales
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import closed, idle, pressing
from ..context import Context
from ..roots import first_sign_change
from .happening import Happening, HappeningKind

__all__ = ["opening_rates", "release_before", "set_change"]

SAME = 1e-9  # accelerations this close, relative, are the same
NO_FORCE = 1e-12  # multipliers this small, relative to those of the step, are zero


def set_change(
    context: Context, state: RunState, flow: Flow, piece: Piece, answer: Acceleration
) -> Happening | None:
    """The first contact or limit of a step that lets go, or takes up force, or None.

    Where multipliers are unique, their first zero is located. Where rows are redundant the
    multipliers mean little: there the time is bisected at which (G) departs from the frozen set.

    Parameters
    ----------
    flow : Flow
        The motion with the frozen set.
    answer : Acceleration
        Of (G) at the end of the step.
    """
    unilateral = slice(context.layout.equalities.stop, None)
    if not closed(state.status[unilateral]).any():
        return None
    frozen, forces, _ = flow.accelerate(answer.snapshot)
    if _unique(flow, answer.snapshot):
        found = _first_zero(context, state, flow, piece, forces)
        if found is not None:
            return found
    if _still_right(state, answer, frozen):
        return None
    t = _bisect(context, state, flow, piece)
    return Happening(t, HappeningKind.RELEASE, np.arange(0))


def release_before(
    context: Context, state: RunState, flow: Flow, piece: Piece, t: float
) -> Happening | None:
    """A contact may let go before the next event at t is reached."""
    part = piece.until(t)
    answer = context.accelerate(context.at(t, piece(t)), state.status)
    found = set_change(context, state, flow, part, answer)
    return found if found is not None and found.t < t else None


def _unique(flow: Flow, snapshot: Snapshot) -> bool:
    rows = snapshot.rows_of(flow.held)
    return not len(rows) or bool(np.linalg.matrix_rank(rows) == len(rows))


def _first_zero(
    context: Context, state: RunState, flow: Flow, piece: Piece, forces: Array
) -> Happening | None:
    """The first multiplier of an inequality that falls to zero inside the step."""

    def spread(values: Array) -> Array:
        multipliers = np.zeros(context.layout.n_rows)
        multipliers[flow.held] = values
        return multipliers

    def multipliers(t: float) -> Array:
        return spread(flow.accelerate(context.at(t, piece(t)))[1])

    times = piece.times[[0, 3, 5, -1]]
    samples = np.array([*(multipliers(float(t)) for t in times[:-1]), spread(forces)])
    found: list[tuple[float, int]] = []
    for row in pressing(state.status, context.layout):
        values = samples[:, row]
        zero = NO_FORCE * np.abs(values).max()
        if values.min() >= -zero:
            continue
        values = np.where(np.abs(values) <= zero, 0.0, values)

        def force(t: float, row: int = int(row)) -> float:
            return float(multipliers(t)[row])

        t = piece.t0 if values[0] <= 0.0 else first_sign_change(times, values, force, -1)
        if t is not None:
            found.append((t, int(row)))
    if not found:
        return None
    first = min(t for t, _ in found)
    near = first + state.resolution(first)
    rows = np.array([row for t, row in found if t <= near])
    return Happening(first, HappeningKind.RELEASE, rows)


def _still_right(state: RunState, answer: Acceleration, frozen: Array) -> bool:
    """Whether the frozen acceleration solves (G), and idle contacts stay closed."""
    snapshot = answer.snapshot
    size = np.abs(answer.acceleration).max() + np.abs(frozen).max() + _typical(snapshot)
    if np.abs(answer.acceleration - frozen).max() > SAME * size:
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
    size += np.abs(normals) @ caused_accelerations(snapshot, np.abs(snapshot.force))
    size += scales.speeds(snapshot)[rows] / scales.time
    # What large forces elsewhere leave of their balance in a row that none of them acts along.
    noise = OPENING_NOISE * _typical(snapshot)
    return np.where(np.abs(opening) <= SAME * size + noise, 0.0, opening)


def _typical(snapshot: Snapshot) -> float:
    """An acceleration of the size that forces can cause: (G) tells none apart that differ less."""
    return float(np.abs(snapshot.force).max() / max(np.abs(snapshot.mass).max(), 1e-300))


def _bisect(context: Context, state: RunState, flow: Flow, piece: Piece) -> float:
    """The first time at which the frozen set is not the answer to (G)."""
    low, high = piece.t0, piece.t1
    finest = FINEST_TIME * (high - low)
    while high - low > max(state.resolution(high), finest) and high > np.nextafter(low, high):
        middle = 0.5 * (low + high)
        snapshot = context.at(middle, piece(middle))
        answer = context.accelerate(snapshot, state.status)
        right = _still_right(state, answer, flow.accelerate(snapshot)[0])
        low, high = (middle, high) if right else (low, middle)
    return high
