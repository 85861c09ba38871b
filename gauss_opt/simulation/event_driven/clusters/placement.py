"""A state whose closed contacts have a gap of zero, by the least move in the mass metric."""

from __future__ import annotations

import numpy as np

from ....base.tolerances.simulation import ROUND_OFF
from ....mechanics.consistency.projection import Scales, project
from ....model.snapshot import Snapshot
from ..contact_status import Statuses, closed_contacts, present_and_open
from ..response import merged

__all__ = ["on_gaps"]

MAX_ROUNDS = 4


def on_gaps(snapshot: Snapshot, status: Statuses, scales: Scales) -> Snapshot:
    """With the gaps of closed contacts at zero and no other gap below; the velocity stays."""
    layout = snapshot.layout
    holds_position, _ = layout.held(np.arange(layout.equalities.stop))
    rows = merged(holds_position, closed_contacts(status, layout))
    apart = present_and_open(status, layout)
    if snapshot.enabled is not None:
        apart = apart[snapshot.enabled[apart]]
    placed = snapshot
    for _ in range(MAX_ROUNDS):
        placed = project(snapshot, rows, rows, scales, ROUND_OFF).at_velocity(snapshot.v)
        allowed = np.minimum(-10 * ROUND_OFF * scales.lengths(placed), snapshot.value)
        below = apart[placed.value[apart] < allowed[apart]]
        if not len(below):
            break
        rows = merged(rows, below)
    return placed
