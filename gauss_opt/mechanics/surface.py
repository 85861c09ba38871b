"""The rank that equality rows have on the constraint surface, asked at a state beside it.

Closed loops in space have rows that are dependent on the surface only. At a distance d from it
their smallest singular values are c d instead of 0, and their right-hand sides contradict each
other by c' d: taken at their word, a multiplier is c'/c and the answer wrong by as much, however
small d is. From the rows at that state alone this cannot be told from a light mass or from a rank
drop near by. What tells them apart is a second look, closer to the surface.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..base.arrays import Array, Indices
from ..base.tolerances.mechanics import (
    FALLS,
    LARGEST_ZERO,
    ZERO_BESIDE_SURFACE,
    ZERO_ON_SURFACE,
)
from ..model.snapshot import Snapshot
from .independence import spectrum
from .projection import Ranks, Scales, drift, nearer

__all__ = ["off_surface", "surface_rank", "surface_ranks"]

STEPS = 2  # towards the surface, before the second look

Rows = Callable[[Snapshot], Array]


def off_surface(snapshot: Snapshot, *, positions_only: bool = False) -> float:
    """How far a state is off its equalities, relative; servos do not count."""
    position, velocity = _levels(snapshot)
    scales = Scales(snapshot.q, snapshot.v, None, 1.0)
    off = drift(snapshot, position, velocity, scales)
    return off.position if positions_only else max(off)


def surface_rank(snapshot: Snapshot, rows_at: Rows, off: float) -> int:
    """Rank on the surface of rows that are a function of the state.

    Parameters
    ----------
    snapshot : Snapshot
        A state at a distance ``off`` from the surface.
    rows_at : callable
        From a snapshot to the rows.
    off : float
        Relative distance from the surface.
    """
    rows = rows_at(snapshot)
    parts = spectrum(snapshot.mass, rows)
    if parts is None:
        return len(rows)
    values = parts.values
    suspicious = min(max(ZERO_ON_SURFACE, ZERO_BESIDE_SURFACE * off), LARGEST_ZERO)
    rank = parts.above(suspicious)
    if rank == len(values) or values[rank] <= ZERO_ON_SURFACE:
        return rank
    near = _closer(snapshot, suspicious)
    after = None if near is None else spectrum(near.mass, rows_at(near))
    if after is None:
        return parts.above(ZERO_ON_SURFACE) if near is None else len(rows)
    zero = after.values <= np.maximum(ZERO_ON_SURFACE, FALLS * values)
    return int(np.count_nonzero((values > suspicious) | ~zero))


def surface_ranks(snapshot: Snapshot, off: float | None = None) -> Ranks | None:
    """Ranks of all equalities of positions and of velocities; None when all are independent."""
    position, velocity = _levels(snapshot)
    if len(velocity) < 2 or spectrum(snapshot.mass, snapshot.rows_of(velocity)) is None:
        return None
    off = off_surface(snapshot) if off is None else off
    in_q, in_v = (
        surface_rank(snapshot, lambda at, rows=rows: at.rows_of(rows), off)  # type: ignore[misc]
        for rows in (position, velocity)
    )
    if in_q == len(position) and in_v == len(velocity):
        return None
    return Ranks(in_q, in_v)


def _closer(snapshot: Snapshot, suspicious: float) -> Snapshot | None:
    """The state some steps nearer to the surface; None when there are none to take."""
    position, _ = _levels(snapshot)
    if not len(position):
        return None
    parts = spectrum(snapshot.mass, snapshot.rows_of(position))
    rank = None if parts is None else parts.above(suspicious)
    for _ in range(STEPS):
        snapshot = nearer(snapshot, position, rank)
    return snapshot


def _levels(snapshot: Snapshot) -> tuple[Indices, Indices]:
    """Equalities that hold positions, and all that hold velocities."""
    layout = snapshot.layout
    return layout.held(np.arange(layout.equalities.stop))
