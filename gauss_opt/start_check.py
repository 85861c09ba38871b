"""The start of a run: consistent, or refused with what is wrong and what to do."""

from __future__ import annotations

import numpy as np

from .consistency import assemble
from .errors import InputError
from .problem import Array
from .projection import Drift, drift, project, state_snapshot
from .run import ROUND_OFF, SIMULTANEOUS, Run
from .snapshot import Snapshot

__all__ = ["at_rest_or_moving", "consistent_start"]

PENETRATED = 1e-9  # relative depth that is not yet a penetration
CONSISTENT = 1e-8  # a start this far off its constraints is corrected without a word
DRIFT = 1e-12


def consistent_start(run: Run) -> Snapshot:
    """The start, corrected where it is off by round-off, or by ``project_start``."""
    snapshot, layout, scales = run.now, run.layout, run.scales
    position, velocity = run.flow.position_rows, run.flow.velocity_rows
    off = drift(snapshot, position, velocity, scales)
    contacts, limits = layout.contacts, layout.limits
    depth = -snapshot.value[contacts] - PENETRATED * scales.lengths(snapshot)[contacts]
    if snapshot.enabled is not None:
        depth = np.where(snapshot.enabled[contacts], depth, 0.0)
    below = -snapshot.value[limits] - PENETRATED * scales.speeds(snapshot)[limits]
    if max(off) > CONSISTENT or (depth > 0).any() or (below > 0).any():
        if not run.settings.project_start:
            raise InputError(_what_is_wrong(run, off, depth, below))
        q, v = assemble(run.system, snapshot.q, snapshot.v, snapshot.t, solver=run.solver)
        return state_snapshot(run.system, run.compiled, q, v, snapshot.t)
    if max(off) > DRIFT:
        return project(snapshot, position, velocity, scales, ROUND_OFF)
    return snapshot


def at_rest_or_moving(snapshot: Snapshot, time: float) -> Snapshot:
    """A start whose velocity is nothing but round-off, with velocity zero; any other as it is.

    It is round-off when the applied forces make as much of it within the resolution of ``time``.
    Tolerances are relative to the speeds of a run: those of a body left over by an earlier run, at
    1e-20 m/s, would be its only scale.
    """
    v, force = snapshot.v, snapshot.force
    if not v.any():
        return snapshot
    free = np.linalg.lstsq(snapshot.mass, force, rcond=None)[0]
    if v @ snapshot.mass @ v > (SIMULTANEOUS * time) ** 2 * (free @ force):
        return snapshot
    still = np.zeros(len(v))
    return state_snapshot(snapshot.system, snapshot.compiled, snapshot.q, still, snapshot.t)


def _what_is_wrong(run: Run, off: Drift, depth: Array, below: Array) -> str:
    snapshot, layout = run.now, run.layout
    if len(depth) and depth.max() > 0:
        row = layout.contacts.start + int(depth.argmax())
        what = f"contact {layout.names[row]!r} is penetrated by {-snapshot.value[row]:.6g}"
    elif len(below) and below.max() > 0:
        row = layout.limits.start + int(below.argmax())
        what = f"velocity limit {layout.names[row]!r} is violated: psi = {snapshot.value[row]:.6g}"
    else:
        position, velocity = run.flow.position_rows, run.flow.velocity_rows
        level, rows, values = "position", position, snapshot.value
        if off.position <= CONSISTENT:
            level, rows, values = "velocity", velocity, snapshot.rate
        row = int(rows[np.abs(values[rows]).argmax()])
        what = f"the {level} violates {layout.names[row]!r} by {values[row]:.6g}"
    return (
        f"the start is not consistent: {what}. Use gauss_opt.assemble() to get a consistent "
        f"start, or project_start=True"
    )
