"""The start of a run: consistent, or refused with what is wrong and what to do."""

from __future__ import annotations

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError, ModelError
from ..base.tolerances.simulation import CONSISTENT, DRIFT, PENETRATED, ROUND_OFF, SIMULTANEOUS
from ..mechanics.consistency.assembly import assemble
from ..mechanics.consistency.projection import Drift, Scales, drift, project
from ..mechanics.flow import Flow
from ..mechanics.impact import Impact
from ..mechanics.rank.surface import surface_ranks
from ..model.snapshot import Snapshot, evaluate, state_snapshot
from ..model.system import System
from ..qp.gauss_solver import GaussSolver
from .event_driven.context import Context
from .event_driven.presence import present_at_start
from .settings import Settings

__all__ = ["checked_start", "consistent_start", "refuse_friction_in_space", "without_round_off"]


def checked_start(
    system: System, q: Array, v: Array, settings: Settings, solver: GaussSolver
) -> tuple[Snapshot, Settings]:
    """Where a run is asked to start, without round-off in its rates; settings with its law."""
    asked = evaluate(system, q, v, settings.t0)
    refuse_friction_in_space(asked)
    start = without_round_off(asked, settings.time_scale, solver)
    return start, settings.with_law_for(asked.coefficients)


def consistent_start(context: Context, flow: Flow, scales: Scales, snapshot: Snapshot) -> Snapshot:
    """The start, corrected where it is off by round-off, or by ``project_start``."""
    layout = context.layout
    position, velocity = flow.position_rows, flow.velocity_rows
    off = drift(snapshot, position, velocity, scales)
    contacts, limits = layout.contacts, layout.limits
    depth = -snapshot.value[contacts] - PENETRATED * scales.lengths(snapshot)[contacts]
    there = present_at_start(snapshot, scales)
    if there is not None:
        depth = np.where(there[contacts], depth, 0.0)
    below = -snapshot.value[limits] - PENETRATED * scales.speeds(snapshot)[limits]
    if max(off) > CONSISTENT or (depth > 0).any() or (below > 0).any():
        if not context.settings.project_start:
            raise InputError(_what_is_wrong(flow, snapshot, off, depth, below))
        q, v = assemble(context.system, snapshot.q, snapshot.v, snapshot.t, solver=context.solver)
        return state_snapshot(context.system, context.dynamics, q, v, snapshot.t)
    if max(off) > DRIFT:
        return project(snapshot, position, velocity, scales, ROUND_OFF, surface_ranks(snapshot))
    return snapshot


def without_round_off(snapshot: Snapshot, time: float, solver: GaussSolver) -> Snapshot:
    """A start without the round-off in the rates of contacts that touch.

    A rate is round-off when the applied forces undo it within the resolution of ``time``: no flight
    could be seen after it. Tolerances are relative to the speeds of a run; a body left over by an
    earlier one, that rests at 1e-20 m/s, would have no other scale.
    """
    contacts = snapshot.layout.contacts
    normals, rate = snapshot.rows[contacts], snapshot.rate[contacts]
    if not rate.any() or len(snapshot.q) != len(snapshot.v):
        return snapshot
    touching = snapshot.value[contacts] <= PENETRATED * (np.abs(normals) @ np.abs(snapshot.q))
    free = np.linalg.lstsq(snapshot.mass, snapshot.force, rcond=None)[0]
    unseen = np.abs(rate) <= SIMULTANEOUS * time * np.abs(normals @ free)
    rows = contacts.start + np.flatnonzero(touching & unseen & (rate != 0.0))
    if snapshot.enabled is not None:
        rows = rows[snapshot.enabled[rows]]
    if not len(rows):
        return snapshot
    v = Impact.at(snapshot, rows, solver).solve(np.zeros(len(rows)), equality=True).v
    return snapshot.at_velocity(v)


def _what_is_wrong(flow: Flow, snapshot: Snapshot, off: Drift, depth: Array, below: Array) -> str:
    layout = snapshot.layout
    if len(depth) and depth.max() > 0:
        row = layout.contacts.start + int(depth.argmax())
        what = (
            f"contact {layout.names[row]!r} is penetrated by {-snapshot.value[row]:.6g}. A gap is "
            f"positive while the bodies are apart: if they are apart here, change the sign of its "
            f"function. If they do overlap, use"
        )
    elif len(below) and below.max() > 0:
        row = layout.limits.start + int(below.argmax())
        what = (
            f"velocity limit {layout.names[row]!r} is violated: psi = {snapshot.value[row]:.6g}. "
            f"It must not be negative: if this velocity is allowed, change the sign of psi. If it "
            f"is not, use"
        )
    else:
        position, velocity = flow.position_rows, flow.velocity_rows
        level, rows, values = "position", position, snapshot.value
        if off.position <= CONSISTENT:
            level, rows, values = "velocity", velocity, snapshot.rate
        row = int(rows[np.abs(values[rows]).argmax()])
        what = f"the {level} violates {layout.names[row]!r} by {values[row]:.6g}. Use"
    return (
        f"the start is not consistent: {what} gauss_opt.assemble() to get a consistent start, or "
        f"project_start=True"
    )


def refuse_friction_in_space(start: Snapshot) -> None:
    """An error for contacts that slip in two directions: in the plane there is one."""
    layout = start.layout
    if not len(layout.normal_of):
        return
    rough = start.coefficients.rough
    counts = np.bincount(layout.normal_of, minlength=layout.n_rows)
    rows = np.flatnonzero(rough & (counts > 1))
    if len(rows):
        names = ", ".join(map(repr, dict.fromkeys(layout.names_of(rows))))
        raise ModelError(
            f"friction in space ({names}) is not supported in a simulation: give one slip for each "
            f"row of the gap, as in the plane, or set friction=0"
        )
