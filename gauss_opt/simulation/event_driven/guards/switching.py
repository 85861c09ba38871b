"""Contacts that come into being or cease to be inside a step: their condition changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ....base.arrays import Array, Indices, Mask
from ....base.tolerances.simulation import CLOSED_AT_START, SLOW, SWITCHING
from ....model.enclosure.partition import Wanted
from ....model.enclosure.together.conditions import Quiet
from ....model.snapshot import Snapshot
from ....model.switches import Switch
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import ABSENT, RESTING
from ..context import Context
from .happening import Happening, HappeningKind
from .sampling import sampled_only
from .watch import exists, watched, way_of

__all__ = ["quiet_parts", "switched"]


class _Flip(NamedTuple):
    """A change of a condition: the first moment at which it is on, or off."""

    t: float
    on: bool


def switched(
    context: Context, state: RunState, now: Snapshot, piece: Piece, quiet: Mask | None = None
) -> Iterator[Happening]:
    """For each condition the first change that matters.

    Closed contacts end with their condition. Open ones begin with it: on their surface they close,
    and what is behind it then is of the kind ``BEHIND``. Those that are ``quiet`` are known to have
    none.
    """
    sizes, speeds = state.scales.lengths(now), state.scales.speeds(now)
    for switch in context.dynamics.switches:
        if quiet is not None and quiet[switch.block.rows].all():
            continue
        rows = np.array(switch.block.indices, dtype=np.intp)
        status = state.status[rows]
        flips = _Flips(context, state, switch, piece, _times(context, switch, piece))
        closed = rows[status >= RESTING]
        if len(closed):
            first = next(flips.since(True), None)
            if first is not None:
                yield Happening(first.t, HappeningKind.SWITCH, closed)
        there, gone = rows[(status < RESTING) & (status != ABSENT)], rows[status == ABSENT]
        if len(there):
            yield from _begun(flips, there, sizes, since=flips.at_start())
        if len(gone):
            yield from _begun(flips, gone, sizes, since=_stays_behind(flips, gone, sizes, speeds))


def quiet_parts(context: Context, state: RunState, now: Snapshot, piece: Piece) -> Quiet | None:
    """In which parts of a step nothing can happen to contacts because of their condition."""
    enclosures, switches = context.dynamics.enclosures, context.dynamics.switches
    if enclosures is None or not switches:
        return None
    near = CLOSED_AT_START * state.scales.lengths(now)
    return enclosures.quiet(way_of(context, piece), switches, near, context.parameters)


def _begun(flips: _Flips, rows: Indices, sizes: Array, *, since: bool) -> Iterator[Happening]:
    """The first time at which contacts begin to exist with the bodies on or behind them."""
    near = CLOSED_AT_START * sizes[rows]
    for flip in flips.since(since):
        if not flip.on:
            continue
        gaps = flips.gaps(rows, flip.t)
        on = rows[np.abs(gaps) <= near]
        if len(on):
            yield Happening(flip.t, HappeningKind.SWITCH, rows[:0], on=on)
            return
        behind = rows[gaps < -near]
        if len(behind) and not flips.switch.passable:
            yield Happening(flip.t, HappeningKind.BEHIND, behind)
            return


def _stays_behind(flips: _Flips, rows: Indices, sizes: Array, speeds: Array) -> bool:
    """Whether absent contacts exist already when the step begins, and have nothing to hold.

    The bodies are behind them; or separate from their surface, on which the contact has just
    begun, from a little below zero: it is absent until they have come up. At rest on the surface
    that does not count: what was switched off there can be on by round-off.
    """
    gaps, rates = flips.gaps_and_rates(rows, flips.piece.t0)
    away = (np.abs(gaps) > CLOSED_AT_START * sizes[rows]).all()
    leaving = (rates > SLOW * speeds[rows]).all()
    return bool(((flips.switch.passable and away) or leaving) and flips.at_start())


class _Flips(NamedTuple):
    """The changes of one condition along a step, between times at which it is asked."""

    context: Context
    state: RunState
    switch: Switch
    piece: Piece
    times: list[float]

    def at_start(self) -> bool:
        """Whether the contact exists when the step begins."""
        return exists(self.context, self.switch, self.piece, self.piece.t0)

    def gaps(self, rows: Indices, t: float) -> Array:
        """Gaps at a time."""
        return self.gaps_and_rates(rows, t)[0]

    def gaps_and_rates(self, rows: Indices, t: float) -> tuple[Array, Array]:
        """Gaps and their rates at a time."""
        y = self.piece(t)
        pairs = np.array([self.context.gap_and_rate(row, t, y) for row in rows.tolist()])
        return pairs[:, 0], pairs[:, 1]

    def since(self, held: bool) -> Iterator[_Flip]:
        """The changes in the order of time; ``held`` is what counts until the step begins."""
        low = self.piece.t0
        for high in self.times:
            now = exists(self.context, self.switch, self.piece, high)
            if now != held:
                yield _Flip(self._first_moment(low, high, there=now), now)
            low, held = high, now

    def _first_moment(self, low: float, high: float, *, there: bool) -> float:
        """The first time at which the condition is what it is at the later of two, by bisection."""
        while high - low > SWITCHING * max(abs(high), self.state.scales.time):
            middle = 0.5 * (low + high)
            if exists(self.context, self.switch, self.piece, middle) == there:
                high = middle
            else:
                low = middle
        return high


def _times(context: Context, switch: Switch, piece: Piece) -> list[float]:
    """Times between which the condition is proved not to change more than once."""
    enclosures = context.dynamics.enclosures
    function = None
    if enclosures is not None:
        # A truth is 0 or 1: with this offset above zero where it is true.
        parameters = context.system.parameters
        function = enclosures.function(switch.condition, parameters, offset=0.5)
    if function is None:
        sampled_only(context, switch.condition.label, "it cannot be traced")
        times: list[float] = piece.times[1:].tolist()
        return times
    samples = watched(context, function, way_of(context, piece), switch.condition.label, Wanted())
    edges: list[float] = samples.with_turning_points().times[1:].tolist()
    return edges if edges and edges[-1] == piece.t1 else [*edges, piece.t1]
