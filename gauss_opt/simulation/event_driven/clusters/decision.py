"""What is to be done about a cluster of contacts that bounce low: wait, sum up, or close it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....mechanics.collision import Collision
from ....model.snapshot import Snapshot
from ...run_state import RunState
from ..accumulation import Accumulation, Bounce, repeats
from ..context import Context
from ..impact_series import limit_of, struck_in
from .candidates import Cluster, cluster_of
from .closing import Closing, close_cluster

__all__ = ["Decision", "decide"]

LOW_STRIKES = 3  # of the contacts of a cluster together, before it is looked at
PATIENCE = 30  # low bounces of a cluster in which a word with an exact limit may appear


class Decision(NamedTuple):
    """The exact limit of a cluster, or its closing; neither: it goes on bouncing."""

    limit: Accumulation | None = None
    closing: Closing | None = None


WAIT = Decision()


def decide(
    context: Context, state: RunState, now: Snapshot, collisions: Sequence[Collision]
) -> Decision:
    """Look at the cluster that an event has struck, when the whole series has no limit."""
    closure = context.settings.closure
    if closure == 0.0 or not struck_in(collisions):
        return WAIT
    # Also those that took part without an impulse: the others have thrown them open.
    taking_part = np.unique(np.concatenate([collision.contacts for collision in collisions]))
    cluster = cluster_of(state, now, taking_part, closure)
    if cluster is None or state.series.low[cluster.all].sum() < LOW_STRIKES:
        return WAIT
    if not state.series.closed[cluster.open].any():
        # An exact limit is better. A contact that was closed before and has opened again is part
        # of what has no word.
        bounces = _of_cluster(state, cluster)
        limit = limit_of(state, bounces, now.t)
        if limit is not None:
            return Decision(limit)
        low = sum(bounce.height <= closure for bounce in bounces)
        if low < PATIENCE or repeats(bounces):
            return WAIT
    return Decision(closing=close_cluster(context, state, now, cluster.open))


def _of_cluster(state: RunState, cluster: Cluster) -> list[Bounce]:
    """The series of impacts as it is for the contacts of a cluster alone."""
    rows = frozenset(cluster.all.tolist())
    return [
        Bounce(bounce.t, bounce.contacts & rows, bounce.height)
        for bounce in state.series.bounces
        if not rows.isdisjoint(bounce.contacts)
    ]
