"""What a run knows about the rank of its equalities: decided once, on their surface, and held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..mechanics.consistency.projection import Ranks
from ..mechanics.rank.held_rows import HeldRows, held_rows, reexamined
from ..model.rows import RowTable
from ..model.snapshot import Snapshot

__all__ = ["KnownRank"]


@dataclass(eq=False)
class KnownRank:
    """Which of the equalities are held.

    Attributes
    ----------
    among : HeldRows or None
        The choice, where they are dependent on the constraint surface; None when all are held.
    """

    among: HeldRows | None = None

    @property
    def ranks(self) -> Ranks | None:
        """Ranks of the equalities of positions and of velocities; None when all are held."""
        return None if self.among is None else self.among.ranks

    def decide(self, snapshot: Snapshot) -> None:
        """Decide at a state on the constraints."""
        self.among = held_rows(snapshot)

    def look_again(self, snapshot: Snapshot, *, follow: bool) -> bool:
        """Look again at a later state; True when rows that were left out are independent now.

        ``follow`` says whether they have followed from the others so far.
        """
        if self.among is None:
            return False
        before = self.among
        self.among = reexamined(before, snapshot, follow=follow)
        return self.among is None or self.among.rank > before.rank

    def copy(self) -> KnownRank:
        """Another one with the same content."""
        return KnownRank(self.among)

    def to_arrays(self) -> dict[str, Array]:
        """All of it as arrays by name."""
        if self.among is None:
            return {}
        return {
            "held_rows": np.asarray(self.among.chosen, dtype=np.int64),
            "held_combine": self.among.combine,
            "held_ranks": np.array(self.among.ranks),
        } | ({} if self.among.vanishing is None else {"held_vanishing": self.among.vanishing})

    @classmethod
    def from_arrays(cls, arrays: dict[str, Any], layout: RowTable) -> KnownRank:
        """What :meth:`to_arrays` wrote; a ValueError or KeyError when it is damaged."""
        if "held_rows" not in arrays:
            return cls()
        chosen, combine, ranks = (arrays[f"held_{name}"] for name in ("rows", "combine", "ranks"))
        ne = layout.equalities.stop
        whole = chosen.dtype == np.int64 and chosen.ndim == 1
        if (
            not whole
            or len(set(chosen.tolist())) != chosen.size
            or not ((chosen >= 0) & (chosen < ne)).all()
        ):
            raise ValueError("the rows that are held are not rows of equalities")
        if combine.dtype != np.float64 or combine.shape != (len(chosen), len(chosen)):
            raise ValueError("the combinations do not have the size of the rows that are held")
        if not np.isfinite(combine).all():
            raise ValueError("the combinations are not finite")
        if (
            ranks.dtype != np.int64
            or ranks.shape != (2,)
            or not ((ranks >= 0) & (ranks <= ne)).all()
        ):
            raise ValueError("the ranks do not fit the equalities")
        vanishing = arrays.get("held_vanishing")
        if vanishing is not None and (vanishing.dtype != bool or vanishing.shape != (ne,)):
            raise ValueError("the rows that vanish do not fit the equalities")
        in_q, in_v = (int(rank) for rank in ranks)
        return cls(HeldRows(chosen.astype(np.intp), combine, ne, Ranks(in_q, in_v), vanishing))
