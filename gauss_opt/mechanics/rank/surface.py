"""The rank that equality rows have on the constraint surface, asked at a state beside it.

Closed loops in space have rows that are dependent on the surface only. At a distance d from it
their smallest singular values are c d instead of 0, and their right-hand sides contradict each
other by c' d: taken at their word, a multiplier is c'/c and the answer wrong by as much, however
small d is. From the rows at that state alone this cannot be told from a light mass or from a rank
drop near by. What tells them apart is a second look, closer to the surface.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices, Mask
from ...base.errors import UserFunctionError
from ...base.tolerances.mechanics import (
    DISPLACED,
    FALLS,
    LARGEST_ZERO,
    ZERO_BESIDE_SURFACE,
    ZERO_ON_SURFACE,
)
from ...model.snapshot import Snapshot, state_snapshot
from ..consistency.projection import Ranks, Scales, drift, nearer
from .independence import spectrum

__all__ = [
    "Equalities",
    "SurfaceRank",
    "off_surface",
    "rank_at",
    "surface_rank",
    "surface_ranks",
]

STEPS = 2  # towards the surface, before the second look

Rows = Callable[[Snapshot], Array]


class Equalities(NamedTuple):
    """The equalities that a problem begins with, as a function of the state.

    Attributes
    ----------
    rows : array of int
        Rows of the layout.
    fixed : (k, nv) array or None
        Rows after them that do not depend on the state.
    """

    rows: Indices
    fixed: Array | None = None

    @classmethod
    def all_of(cls, snapshot: Snapshot) -> Equalities:
        """All equalities of the layout."""
        return cls(np.arange(snapshot.layout.equalities.stop))

    @property
    def number(self) -> int:
        """How many there are."""
        return len(self.rows) + (0 if self.fixed is None else len(self.fixed))

    def at(self, snapshot: Snapshot) -> Array:
        """The rows at a state."""
        rows = snapshot.rows_of(self.rows)
        return rows if self.fixed is None else np.concatenate([rows, self.fixed])


class SurfaceRank(NamedTuple):
    """What is known about the first equalities of a problem.

    Attributes
    ----------
    rank : int
        Their rank on the surface.
    number : int
        How many they are.
    off : float
        Distance of the state from the surface, relative.
    vanishing : mask or None
        Those that are zero on the surface.
    """

    rank: int
    number: int
    off: float
    vanishing: Mask | None

    def without_vanishing(self, rows: Array) -> Array:
        """The rows with zeros in the place of those that are zero on the surface."""
        return rows if self.vanishing is None else np.where(self.vanishing[:, None], 0.0, rows)


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
    suspicious = _suspicious(off)
    rank = parts.above(suspicious)
    if rank == len(values) or values[rank] <= ZERO_ON_SURFACE:
        return rank
    near = _closer(snapshot, suspicious)
    after = None if near is None else spectrum(near.mass, rows_at(near))
    if after is None:
        return parts.above(ZERO_ON_SURFACE) if near is None else len(rows)
    zero = after.values <= np.maximum(ZERO_ON_SURFACE, FALLS * values)
    return int(np.count_nonzero((values > suspicious) | ~zero))


def vanishing(snapshot: Snapshot, rows_at: Rows, off: float) -> Mask:
    """Which rows are zero on the surface, and round-off beside it.

    The gradient of a product of two constraints is such a row. Its direction at the state means
    nothing, and its right-hand side less. Its length is compared with what it is a little further
    away.
    """
    rows = rows_at(snapshot)
    turn = np.random.default_rng(0).uniform(-1.0, 1.0, len(snapshot.q))
    q = snapshot.q + DISPLACED * np.abs(snapshot.q).max(initial=0.0) * turn
    try:
        there = rows_at(
            state_snapshot(snapshot.system, snapshot.dynamics, q, snapshot.v, snapshot.t)
        )
    except UserFunctionError:  # not defined so far away
        return np.zeros(len(rows), dtype=bool)
    size = np.sqrt(np.abs(snapshot.mass.diagonal()))
    unit = np.divide(1.0, size, out=np.zeros(len(size)), where=size > 0.0)
    lengths = np.linalg.norm(rows * unit, axis=1)
    changes = np.linalg.norm((there - rows) * unit, axis=1) / DISPLACED
    gone: Mask = lengths <= _suspicious(off) * changes
    return gone


def rank_at(snapshot: Snapshot, equalities: Equalities, off: float) -> SurfaceRank:
    """The rank that equalities have on the surface near a state at a distance from it."""
    number = equalities.number
    rank = surface_rank(snapshot, equalities.at, off)
    whole = SurfaceRank(rank, number, off, None)
    if rank == number:
        return whole
    gone = vanishing(snapshot, equalities.at, off)
    rest = whole._replace(vanishing=gone)
    # A row that the others do not imply is not left out, however short it is.
    if (
        not gone.any()
        or surface_rank(snapshot, lambda at: rest.without_vanishing(equalities.at(at)), off) < rank
    ):
        return whole
    return rest


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


def _suspicious(off: float) -> float:
    """What may be zero on the surface at a distance from it, relative."""
    return min(max(ZERO_ON_SURFACE, ZERO_BESIDE_SURFACE * off), LARGEST_ZERO)


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
