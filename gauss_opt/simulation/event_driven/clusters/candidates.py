"""Contacts that could be closed: near, slow and inelastic; and the cluster that they belong to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.arrays import Indices, Mask
from ....mechanics.consistency.projection import Scales
from ....mechanics.coupling import coupling
from ....model.snapshot import Snapshot
from ...run_state import RunState
from ..contact_status import closed

__all__ = ["Cluster", "cluster_of", "energy_scale", "nearly_closed"]


class Cluster(NamedTuple):
    """Contacts that hang together.

    Attributes
    ----------
    open : array of int
        Those that bounce and could be closed.
    all : array of int
        These, and the closed contacts among them.
    """

    open: Indices
    all: Indices


def energy_scale(scales: Scales, snapshot: Snapshot) -> float:
    """Kinetic energy of all coordinates at the largest speeds that the run has seen."""
    return float(0.5 * snapshot.mass.diagonal() @ (scales.v * scales.v))


def nearly_closed(scales: Scales, snapshot: Snapshot, closure: float) -> Mask:
    """Contacts that lose energy when struck, and whose gaps are zero within ``closure``.

    A contact that loses nothing bounces for ever and is never closed.
    """
    contacts = snapshot.layout.contacts
    near: Mask = np.zeros(snapshot.layout.n_rows, dtype=bool)
    gaps = np.abs(snapshot.value[contacts])
    near[contacts] = gaps <= closure * scales.lengths(snapshot)[contacts]
    near[contacts] &= snapshot.coefficients.restitution[contacts] < 1.0
    return near if snapshot.enabled is None else near & snapshot.enabled


def cluster_of(
    state: RunState, snapshot: Snapshot, struck: Indices, closure: float
) -> Cluster | None:
    """The cluster that contacts just struck belong to, unless they still bounce high or fast."""
    resting = closed(state.status)
    ripe = nearly_closed(state.scales, snapshot, closure) & ~resting
    ripe &= state.series.struck > -np.inf
    if not ripe[struck].any():
        return None
    rows = np.flatnonzero(ripe | _contacts_only(resting, snapshot))
    between = coupling(snapshot, rows)
    most = closure * energy_scale(state.scales, snapshot)
    ripe[rows] &= 0.5 * snapshot.rate[rows] ** 2 <= most * between.mobility
    first = ripe[rows] & np.isin(rows, struck)
    if not first.any():
        return None
    takes_part = ripe[rows] | resting[rows]
    between = between._replace(linked=between.linked & takes_part)
    together = rows[between.together(first)]
    return Cluster(together[ripe[together]], together)


def _contacts_only(mask: Mask, snapshot: Snapshot) -> Mask:
    """A mask over all rows without those of other constraints."""
    contacts = snapshot.layout.contacts
    only: Mask = np.zeros(len(mask), dtype=bool)
    only[contacts] = mask[contacts]
    return only
