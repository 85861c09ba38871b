"""Where inside a step the frozen active set stops being the answer to (G)."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array, Indices
from ...mechanics.acceleration import Acceleration
from ...model.snapshot import Snapshot
from ...results.dense_output import Piece
from .detection import Happening
from .roots import first_sign_change
from .run import SIMULTANEOUS, Run

__all__ = ["opening_rates", "release_before", "set_change"]

SAME = 1e-9  # accelerations this close, relative, are the same
NO_FORCE = 1e-12  # multipliers this small, relative to those of the step, are zero


def set_change(run: Run, piece: Piece, answer: Acceleration) -> Happening | None:
    """The first contact or limit of a step that lets go, or takes up force, or None.

    Where multipliers are unique, their first zero is located. Where rows are redundant the
    multipliers mean little: there the time is bisected at which (G) departs from the frozen set.
    """
    if not run.state.resting.any() and not run.state.carrying.any():
        return None
    frozen, forces, _ = run.flow.accelerate(answer.snapshot)
    if _unique(run, answer.snapshot):
        found = _first_zero(run, piece, forces)
        if found is not None:
            return found
    if _still_right(run, answer, frozen):
        return None
    return Happening(_bisect(run, piece), "release", np.arange(0))


def release_before(run: Run, piece: Piece, t: float) -> Happening | None:
    """A contact may let go before the next event at t is reached."""
    part = piece.until(t)
    found = set_change(run, part, run.solve(run.at(t, piece(t))))
    return found if found is not None and found.t < t else None


def _unique(run: Run, snapshot: Snapshot) -> bool:
    rows = snapshot.rows_of(run.flow.held)
    return not len(rows) or bool(np.linalg.matrix_rank(rows) == len(rows))


def _first_zero(run: Run, piece: Piece, forces: Array) -> Happening | None:
    """The first multiplier of an inequality that falls to zero inside the step."""
    flow = run.flow

    def spread(values: Array) -> Array:
        multipliers = np.zeros(run.layout.n_rows)
        multipliers[flow.held] = values
        return multipliers

    def multipliers(t: float) -> Array:
        return spread(flow.accelerate(run.at(t, piece(t)))[1])

    times = piece.times[[0, 3, 5, -1]]
    samples = np.array([*(multipliers(float(t)) for t in times[:-1]), spread(forces)])
    found: list[tuple[float, int]] = []
    for row in run.state.pressing:
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
    near = first + SIMULTANEOUS * run.scales.time
    return Happening(first, "release", np.array([row for t, row in found if t <= near]))


def _still_right(run: Run, answer: Acceleration, frozen: Array) -> bool:
    """Whether the frozen acceleration solves (G), and idle resting contacts stay closed."""
    snapshot = answer.snapshot
    size = np.abs(answer.acceleration).max() + np.abs(frozen).max() + _typical(snapshot)
    if np.abs(answer.acceleration - frozen).max() > SAME * size:
        return False
    idle = np.flatnonzero(run.state.resting & ~run.state.carrying)
    return not opening_rates(run, snapshot, frozen, idle).any()


def opening_rates(run: Run, snapshot: Snapshot, a: Array, rows: Indices) -> Array:
    """gap'' of rows at an acceleration; what is round-off is 0.

    Where nothing forces them, bodies that touch stay together: there the scale is an acceleration
    that would matter within the time of the run.
    """
    if not len(rows):
        return np.zeros(0)
    normals = snapshot.rows_of(rows)
    opening = normals @ a - snapshot.rhs[rows]
    size = np.abs(normals) @ np.abs(a) + np.abs(snapshot.rhs[rows])
    size += _typical(snapshot) + run.scales.speeds(snapshot)[rows] / run.scales.time
    return np.where(np.abs(opening) <= SAME * size, 0.0, opening)


def _typical(snapshot: Snapshot) -> float:
    """An acceleration of the size that forces can cause."""
    return float(np.abs(snapshot.force).max() / max(np.abs(snapshot.mass).max(), 1e-300))


def _bisect(run: Run, piece: Piece) -> float:
    """The first time at which the frozen set is not the answer to (G)."""
    low, high = piece.t0, piece.t1
    while high - low > SIMULTANEOUS * run.scales.time and high > np.nextafter(low, high):
        middle = 0.5 * (low + high)
        snapshot = run.at(middle, piece(middle))
        right = _still_right(run, run.solve(snapshot), run.flow.accelerate(snapshot)[0])
        low, high = (middle, high) if right else (low, middle)
    return high
