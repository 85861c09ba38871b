"""The contact state of a run: history, not a threshold on gaps.

A contact is open or resting (closed with gap rate 0); a resting contact carries force or not. An
open contact that was closed an instant ago and separates is leaving: its zero at the start of the
segment is not a crossing. A velocity limit is active (held at psi = 0) or not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...base.arrays import Indices, Mask
from ...model.rows import Layout

__all__ = ["ContactState"]

NO_ROWS: Indices = np.arange(0)


@dataclass(eq=False)
class ContactState:
    """Masks over the rows of the layout.

    Attributes
    ----------
    layout : Layout
    resting : mask
        Contacts that rest.
    carrying : mask
        Resting contacts, and velocity limits, that carry force: held as equalities.
    leaving : mask
        Open contacts that separate from zero.
    """

    layout: Layout
    resting: Mask
    carrying: Mask
    leaving: Mask

    @classmethod
    def open(cls, layout: Layout) -> ContactState:
        """Everything open and inactive."""
        m = layout.n_rows
        return cls(layout, *(np.zeros(m, dtype=bool) for _ in range(3)))

    @property
    def held(self) -> Indices:
        """Rows held as equalities: bilateral ones and those that carry force."""
        held = self.carrying.copy()
        held[self.layout.equalities] = True
        return np.flatnonzero(held)

    @property
    def open_contacts(self) -> Indices:
        """Rows of open contacts."""
        rows = np.arange(self.layout.contacts.start, self.layout.contacts.stop)
        return rows[~self.resting[rows]]

    @property
    def inactive_limits(self) -> Indices:
        """Rows of velocity limits that are not held."""
        limits = self.layout.limits
        if limits.start == limits.stop:
            return NO_ROWS
        rows = np.arange(limits.start, limits.stop)
        return rows[~self.carrying[rows]]

    @property
    def pressing(self) -> Indices:
        """Inequality rows that are held: they may let go."""
        return np.flatnonzero(self.carrying)
