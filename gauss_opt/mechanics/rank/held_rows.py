"""Which equalities a run holds, where they are dependent on the constraint surface.

Every stage of an integrator is off the surface by a little, where dependent rows contradict each
other. So the rank is decided once, on the surface, and a choice of that many rows is held; the
others follow from them. The rank may rise later, never fall.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import lapack

from ...base.arrays import Array, Indices, Mask
from ...base.tolerances.mechanics import RISEN, STILL_GOOD
from ...model.snapshot import Snapshot
from ..consistency.projection import Ranks
from .independence import Spectrum, spectrum
from .surface import Equalities, SurfaceRank, off_surface, rank_at, surface_ranks

__all__ = ["HeldRows", "held_rows", "reexamined"]


@dataclass(frozen=True, eq=False)
class HeldRows:
    """Independent equalities, chosen from all of them.

    Attributes
    ----------
    chosen : (r,) array of int
        The equalities that are held.
    combine : (r, r) array
        T: the rows T A of the chosen ones are orthonormal, whitened, where they were chosen. That
        saves a pivoted factorisation in every stage.
    n_equality : int
        How many equalities there are.
    ranks : Ranks
        Ranks of those of positions, and of those of velocities.
    vanishing : mask or None
        Equalities that are zero on the surface.
    """

    chosen: Indices
    combine: Array
    n_equality: int
    ranks: Ranks
    vanishing: Mask | None = None

    def surface(self, off: float) -> SurfaceRank:
        """What is known about the equalities at a distance from their surface."""
        return SurfaceRank(self.rank, self.n_equality, off, self.vanishing)

    @property
    def rank(self) -> int:
        """How many equalities are held."""
        return len(self.chosen)

    @property
    def left_out(self) -> int:
        """How many follow from those."""
        return self.n_equality - self.rank

    def reduced(self, rows: Array) -> Array:
        """Rows, or right-hand sides, with the combinations in the place of the equalities."""
        held = self.combine @ rows[self.chosen]
        return np.concatenate([held, rows[self.n_equality :]])

    def spread(self, multipliers: Array) -> Array:
        """Multipliers of all rows from those of the reduced ones; 0 for what is left out."""
        equalities = np.zeros(self.n_equality)
        equalities[self.chosen] = multipliers[: self.rank] @ self.combine
        return np.concatenate([equalities, multipliers[self.rank :]])


def held_rows(snapshot: Snapshot) -> HeldRows | None:
    """The choice at a state; None when all equalities are independent."""
    equalities = Equalities.all_of(snapshot)
    if spectrum(snapshot.mass, equalities.at(snapshot)) is None:
        return None
    off = off_surface(snapshot)
    surface = rank_at(snapshot, equalities, off)
    if surface.rank == surface.number:
        return None
    return _chosen(snapshot, surface, _ranks(snapshot, off))


def reexamined(held: HeldRows, snapshot: Snapshot, *, follow: bool) -> HeldRows | None:
    """The choice at a later state: the same as long as it is good; None when all are independent.

    ``follow`` says whether the rows that are left out have followed from the others so far. Where
    they have not, the rank is decided afresh.
    """
    if not follow:
        return held_rows(snapshot)
    off = off_surface(snapshot)
    surface = held.surface(off)
    parts = _spectrum(snapshot, surface)
    if parts is None:
        return None
    rank = max(parts.above(RISEN), held.rank)
    if rank == held.rank:
        return held if _still_good(held, parts) else _chosen(snapshot, surface, held.ranks)
    if rank == held.n_equality:
        return None
    return _chosen(snapshot, surface._replace(rank=rank), _ranks(snapshot, off))


def _spectrum(snapshot: Snapshot, surface: SurfaceRank) -> Spectrum | None:
    rows = snapshot.rows_of(np.arange(surface.number))
    return spectrum(snapshot.mass, surface.without_vanishing(rows))


def _ranks(snapshot: Snapshot, off: float) -> Ranks:
    position, velocity = snapshot.layout.held(np.arange(snapshot.layout.equalities.stop))
    return surface_ranks(snapshot, off) or Ranks(len(position), len(velocity))


def _leading(parts: Spectrum, rank: int) -> Array:
    """Unit whitened rows without what is below the rank, as columns."""
    columns: Array = (parts.right[:rank].T * parts.values[:rank]) @ parts.left[:, :rank].T
    return columns


def _still_good(held: HeldRows, parts: Spectrum) -> bool:
    packed, _, _, _ = lapack.dgeqrf(_leading(parts, held.rank)[:, held.chosen])
    smallest = parts.values[held.rank - 1]
    return bool(np.abs(packed.diagonal()).min() >= STILL_GOOD * smallest)


def _chosen(snapshot: Snapshot, surface: SurfaceRank, ranks: Ranks) -> HeldRows | None:
    """The most independent rows, as pivoting finds them, and what makes them orthonormal."""
    rank, parts = surface.rank, _spectrum(snapshot, surface)
    if parts is None:
        return None
    packed, order, _, _, _ = lapack.dgeqp3(_leading(parts, rank))
    chosen = order[:rank] - 1
    inverse = lapack.dtrtri(np.triu(packed[:rank, :rank]))[0]
    combine = inverse.T / parts.lengths[chosen]
    return HeldRows(chosen, combine, surface.number, ranks, surface.vanishing)
