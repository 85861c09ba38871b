"""Contacts that begin or cease to exist during a run: what comes of it."""

from __future__ import annotations

from dataclasses import replace

from ...base.arrays import Array, Indices, Mask
from ...base.errors import SimulationError
from ...base.tolerances.simulation import PENETRATED, ROUND_OFF
from ...mechanics.consistency.projection import Scales
from ...model.snapshot import Snapshot
from ..run_state import RunState
from .announcements import announce_released
from .contact_status import Statuses, as_switched, switched_off
from .context import Context
from .guards.happening import Happening, HappeningKind
from .response import Response, settle

__all__ = ["present_at_start", "present_contacts", "refuse_behind", "switch"]


def present_at_start(snapshot: Snapshot, scales: Scales) -> Mask | None:
    """Which contacts are there at the start, as a mask over all rows; None: all of them."""
    if snapshot.enabled is None:
        return None
    return _there(snapshot, PENETRATED * scales.lengths(snapshot))


def switch(context: Context, state: RunState, snapshot: Snapshot, found: Happening) -> Response:
    """Some contacts cease to exist, others begin to, with the bodies on their surface.

    Both at once is a body that slides from one piece of ground to the next.
    """
    before = state.status
    remaining = replace(state, status=switched_off(before, found.rows))
    response = settle(context, remaining, snapshot, found.on, HappeningKind.SWITCH)
    gone = announce_released(context, snapshot, before, remaining.status)
    return replace(response, events=(*gone, *response.events))


def refuse_behind(context: Context, snapshot: Snapshot, rows: Indices) -> None:
    """Contacts that begin to exist with the bodies behind their surface end the run."""
    row = int(rows[snapshot.value[rows].argmin()])
    raise SimulationError(
        f"contact {context.layout.names[row]!r} is switched on at t = {snapshot.t:.6g} while its "
        f"gap is {snapshot.value[row]:.3g}: the bodies are behind its surface already. Let "
        f"active_when= become true while the gap is not below zero; or, if bodies may pass from "
        f"behind, give the contact passable=True: it holds nothing until they have come up"
    )


def present_contacts(state: RunState, snapshot: Snapshot) -> Statuses:
    """Which of the open contacts are there at a state: history, and what their conditions say."""
    if snapshot.enabled is None:
        return state.status
    noise = ROUND_OFF * state.scales.lengths(snapshot)
    there = _there(snapshot, noise)
    return as_switched(state.status, there, snapshot.value > noise)


def _there(snapshot: Snapshot, noise: Array) -> Mask:
    """Contacts that exist; passable ones are not there while the bodies are behind them."""
    assert snapshot.enabled is not None
    behind = snapshot.dynamics.switches.passable & (snapshot.value < -noise)
    there: Mask = snapshot.enabled & ~behind
    return there
