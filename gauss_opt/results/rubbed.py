"""The part of a result that is about contacts with a slip: friction, slips and states."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..base.arrays import Array
from ..base.frozen import Frozen, frozen_in_place
from .columns import STATES

__all__ = ["Rubbed"]


class Rubbed:
    """What :class:`Result` says of friction; its arrays are those of the result."""

    rows: dict[str, Array]
    row_names: tuple[str, ...]
    scalar: frozenset[str]
    normal_of: tuple[int, ...]

    @cached_property
    def friction(self) -> dict[str, Array]:
        """Friction forces by name of contact with a slip; a positive slip has a negative force."""
        return self._by_slip(self.rows["multipliers"][:, self.tangents])

    @cached_property
    def slips(self) -> dict[str, Array]:
        """Velocities along the surface, by name of contact with a slip."""
        return self._by_slip(self.rows["rates"][:, self.tangents])

    @cached_property
    def states(self) -> dict[str, Array]:
        """``"open"``, ``"stick"``, ``"slide+"`` or ``"slide-"``, by name of contact with a slip.

        A contact without force is open.
        """
        words = np.array(STATES)[self.rows["states"].astype(np.intp)]
        return self._by_slip(words)

    @property
    def tangents(self) -> slice:
        """Columns of tangents among the rows."""
        return slice(len(self.row_names) - len(self.normal_of), None)

    def _by_slip(self, columns: Array) -> dict[str, Array]:
        owners: dict[str, list[int]] = {}
        for place, row in enumerate(self.normal_of):
            owners.setdefault(self.row_names[row], []).append(place)
        return Frozen(
            {
                name: columns[:, places[0]]
                if name in self.scalar and len(places) == 1
                else frozen_in_place(np.take(columns, places, axis=1))
                for name, places in owners.items()
            }
        )
