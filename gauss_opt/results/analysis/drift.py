"""How far the rows of a run are off their constraints, and how deep contacts penetrate."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array
from ...mechanics.consistency.projection import Scales
from ...model.rows import Kind
from ...model.snapshot import state_snapshot
from ..result import Result

__all__ = ["drift_by_name"]


def drift_by_name(result: Result) -> dict[str, Array]:
    """Relative drift of each constraint and penetration of each contact at the rows.

    Servos and velocity limits are left out: a servo may be off its trajectory, a limit is not held.
    Nothing for a result from a file: the sizes of the terms are known only with the system.
    """
    if result.parts:
        parts = [drift_by_name(part) for part in result.parts]
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    if result.system is None:
        return {}
    system = result.system
    dynamics = system.dynamics(result.v.shape[1])
    layout = dynamics.layout
    scales = Scales(np.abs(result.q).max(axis=0), np.abs(result.v).max(axis=0), None, 1.0)
    position, velocity = layout.held(np.arange(layout.equalities.stop))
    on_velocity = np.setdiff1d(velocity, position)
    off = np.zeros((len(result.t), layout.n_rows))
    for k, t in enumerate(result.t.tolist()):
        snapshot = state_snapshot(system, dynamics, result.q[k], result.v[k], t)
        lengths, speeds = scales.lengths(snapshot), scales.speeds(snapshot)
        off[k, position] = _relative(np.abs(snapshot.value), lengths)[position]
        off[k, on_velocity] = _relative(np.abs(snapshot.rate), speeds)[on_velocity]
        depth = _relative(np.maximum(0.0, -snapshot.value), lengths)
        if snapshot.enabled is not None:
            depth[~snapshot.enabled] = 0.0
        off[k, layout.contacts] = depth[layout.contacts]
    return {
        block.name: off[:, block.rows].max(axis=1)
        for block in layout.blocks
        if block.kind not in (Kind.SERVO, Kind.LIMIT)
    }


def _relative(values: Array, sizes: Array) -> Array:
    relative: Array = values / np.where(sizes > 0.0, sizes, 1.0)
    return relative
