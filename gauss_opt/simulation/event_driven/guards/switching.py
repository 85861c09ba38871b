"""Contacts that come into being or cease to be inside a step: their condition changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ....base.arrays import Indices
from ....base.tolerances.simulation import CLOSED_AT_START, SWITCHING
from ....model.enclosure.partition import Wanted
from ....model.snapshot import Snapshot
from ....model.switches import Switch
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import RESTING, absent
from ..context import Context
from .happening import Happening, HappeningKind
from .sampling import sampled_only
from .watch import exists, watched, way_of

__all__ = ["switched"]


class _Flip(NamedTuple):
    """A change of a condition: the first moment at which it is on, or off."""

    t: float
    on: bool


def switched(context: Context, state: RunState, now: Snapshot, piece: Piece) -> Iterator[Happening]:
    """For each condition the first change that matters.

    Closed contacts end with their condition. Open ones begin with it: on their surface they close,
    and what is behind it then is of the kind ``BEHIND``.
    """
    for switch in context.dynamics.switches:
        rows = np.array(switch.block.indices, dtype=np.intp)
        status = state.status[rows]
        closed, open_rows = rows[status >= RESTING], rows[status < RESTING]
        times = _times(context, switch, piece)
        if len(closed):
            first = next(_flips(context, state, switch, piece, times, since=True), None)
            if first is not None:
                yield Happening(first.t, HappeningKind.SWITCH, closed)
        if len(open_rows):
            yield from _begun(context, state, now, switch, piece, times, open_rows)


def _begun(
    context: Context, state: RunState, now: Snapshot, switch: Switch, piece: Piece,
    times: list[float], rows: Indices,
) -> Iterator[Happening]:  # fmt: skip
    """The first time at which contacts begin to exist with the bodies on or behind them."""
    since = exists(context, switch, piece, piece.t0) and not absent(state.status)[rows].any()
    near = CLOSED_AT_START * state.scales.lengths(now)[rows]
    for flip in _flips(context, state, switch, piece, times, since=since):
        if not flip.on:
            continue
        gaps = [context.gap_and_rate(row, flip.t, piece(flip.t))[0] for row in rows.tolist()]
        on = rows[np.abs(gaps) <= near]
        if len(on):
            yield Happening(flip.t, HappeningKind.SWITCH, rows[:0], on=on)
            return
        behind = rows[np.array(gaps) < -near]
        if len(behind) and not switch.passable:
            yield Happening(flip.t, HappeningKind.BEHIND, behind)
            return


def _flips(
    context: Context, state: RunState, switch: Switch, piece: Piece, times: list[float],
    *, since: bool,
) -> Iterator[_Flip]:  # fmt: skip
    """The changes of a condition, in the order of time; ``since`` is what held until the step.

    What it is at the very start of the step does not count: a contact that was switched off there
    can be on again by round-off.
    """
    low, held = piece.t0, since
    for high in times:
        now = exists(context, switch, piece, high)
        if now != held:
            yield _Flip(_first_moment(context, state, switch, piece, low, high), now)
        low, held = high, now


def _first_moment(
    context: Context, state: RunState, switch: Switch, piece: Piece, low: float, high: float
) -> float:
    """The first time at which the condition is what it is at the later of two, by bisection."""
    there = exists(context, switch, piece, high)
    while high - low > SWITCHING * max(abs(high), state.scales.time):
        middle = 0.5 * (low + high)
        if exists(context, switch, piece, middle) == there:
            high = middle
        else:
            low = middle
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
    samples = watched(context, function, way_of(context, piece), switch.condition.label, Wanted())
    edges: list[float] = samples.times[1:].tolist()
    return edges if edges and edges[-1] == piece.t1 else [*edges, piece.t1]
