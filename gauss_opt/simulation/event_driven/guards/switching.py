"""Resting contacts that cease to exist inside a step: their condition becomes false."""

from __future__ import annotations

import numpy as np

from ....base.tolerances.simulation import SWITCHING
from ....model.enclosure.partition import Wanted
from ....model.switches import Switch
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import closed_contacts
from ..context import Context
from .gaps import exists
from .happening import Happening, HappeningKind
from .sampling import sampled_only
from .watch import watched, way_of

__all__ = ["switched_off"]


def switched_off(context: Context, state: RunState, piece: Piece) -> list[Happening]:
    """The first time at which each condition of closed contacts is false."""
    if not context.dynamics.switches:
        return []
    found = []
    closed = closed_contacts(state.status, context.layout)
    for switch in context.dynamics.switches:
        first, last = np.searchsorted(closed, [switch.block.rows.start, switch.block.rows.stop])
        rows = closed[first:last]
        if not len(rows):
            continue
        low = piece.t0
        for high in _times(context, switch, piece):
            if not exists(context, switch, piece, high):
                t = _last_moment(context, state, switch, piece, low, high)
                found.append(Happening(t, HappeningKind.RELEASE, rows))
                break
            low = high
    return found


def _last_moment(
    context: Context, state: RunState, switch: Switch, piece: Piece, low: float, high: float
) -> float:
    """The first time between two at which the condition is false, by bisection."""
    while high - low > SWITCHING * max(abs(high), state.scales.time):
        middle = 0.5 * (low + high)
        if exists(context, switch, piece, middle):
            low = middle
        else:
            high = middle
    return high


def _times(context: Context, switch: Switch, piece: Piece) -> list[float]:
    """Times between which the condition is proved not to change more than once."""
    enclosures = context.dynamics.enclosures
    function = None
    if enclosures is not None:
        # A truth is 0 or 1: above zero where it is true.
        parameters = context.system.parameters
        function = enclosures.function(switch.condition, parameters, offset=0.5)
    if function is None:
        sampled_only(context, switch.condition.label, "it cannot be traced")
        times: list[float] = piece.times[1:].tolist()
        return times
    way = way_of(context, piece)
    name = switch.condition.label
    samples = watched(context, function, way, name, Wanted(first_only=True))
    edges: list[float] = samples.times[1:].tolist()
    return edges if edges and edges[-1] == piece.t1 else [*edges, piece.t1]
