"""Open contacts that close, or graze, inside a step."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np

from ....base.arrays import Array, Indices, Mask
from ....base.tolerances.simulation import ROUND_OFF
from ....model.enclosure.partition import Wanted
from ....model.enclosure.way import Way
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import leaving, open_contacts
from ..context import Context
from ..roots import first_crossing
from .happening import Happening, HappeningKind
from .sampling import in_reach, resolved, sampled_only
from .watch import Samples, exists, watched, way_of

__all__ = ["closing_contacts"]


def closing_contacts(
    context: Context, state: RunState, now: Snapshot, piece: Piece, quiet: Mask | None = None
) -> list[Happening]:
    """Each open contact's first zero inside a step; of those after the first of all, maybe none.

    Those that are ``quiet`` are known to have none.
    """
    rows = open_contacts(state.status, context.layout)
    if not len(rows):
        return []
    rows = rows[_by_approach(now, rows)]
    enclosures = context.dynamics.enclosures
    way = way_of(context, piece)
    if quiet is not None:
        rows = rows[~quiet[rows]]
    candidates: Iterable[tuple[int, float]] = ((j, piece.t0) for j in range(len(rows)))
    if enclosures is not None:
        candidates = enclosures.candidates(way, rows, context.parameters)
    sizes = state.scales.lengths(now)
    away = leaving(state.status)
    found: list[Happening] = []
    unproved: list[int] = []
    until = inf
    for j, since in candidates:
        if since > until:
            break
        row = int(rows[j])
        if enclosures is None or enclosures.row(row) is None:
            unproved.append(row)
            continue
        noise = ROUND_OFF * float(sizes[row])
        left = bool(away[row])
        samples = _proved(context, piece, way, row, Wanted(noise, until), left)
        if samples is None:
            continue
        # What closes later than others does not matter: its zero need not be known.
        samples = samples.before(until)
        happening = _first_closing(context, state, piece, row, samples, noise, left)
        if happening is not None:
            found.append(happening)
            until = min(until, happening.t + state.resolution(happening.t))
    if unproved:
        rows = np.array(unproved, dtype=np.intp)
        found += _sampled(context, state, piece, rows, ROUND_OFF * sizes[rows])
    return found


def _by_approach(now: Snapshot, rows: Indices) -> Indices:
    """Places of rows in the order in which they would close at their present rates."""
    rates = now.rate[rows]
    falling = rates < 0.0
    times = np.divide(now.value[rows], -rates, out=np.full(len(rows), inf), where=falling)
    order: Indices = times.argsort(kind="stable")
    return order


def _proved(
    context: Context, piece: Piece, way: Way, row: int, wanted: Wanted, left: bool
) -> Samples | None:
    """A gap at the ends of parts on which it is proved what it does; None when it stays open."""
    enclosures = context.dynamics.enclosures
    assert enclosures is not None
    function = enclosures.row(row)
    assert function is not None
    plain = not left and context.dynamics.switches.of_row(row) is None
    wanted = wanted._replace(first_only=plain)
    name = context.layout.names[row]
    samples = watched(
        context, function, way, name, wanted, lambda t: context.gap_and_rate(row, t, piece(t))
    )
    if plain and not samples.may_vanish and samples.values[0] > 0.0:
        return None
    return samples


def _sampled(
    context: Context, state: RunState, piece: Piece, rows: Indices, noise: Array
) -> list[Happening]:
    """The same for gaps of which nothing can be proved."""
    for row in rows.tolist():
        block = context.layout.block_at(row)
        why = "derivatives by hand" if block.item.by_hand else "an operation without bounds"
        sampled_only(context, block.name, why)
    times, gaps, rates = resolved(context, piece, rows)
    away = leaving(state.status)
    found: list[Happening] = []
    for j in in_reach(times, gaps, rates).tolist():
        row = int(rows[j])

        def at(t: float, row: int = row) -> tuple[float, float]:
            return context.gap_and_rate(row, t, piece(t))

        samples = Samples(times, gaps[:, j], rates[:, j], at)
        happening = _first_closing(
            context, state, piece, row, samples, float(noise[j]), bool(away[row])
        )
        if happening is not None:
            found.append(happening)
    return found


def _first_closing(
    context: Context,
    state: RunState,
    piece: Piece,
    row: int,
    samples: Samples,
    noise: float,
    left: bool,
) -> Happening | None:
    """The first zero of one gap at which its contact exists; ``left`` if it starts from zero."""
    switch = context.dynamics.switches.of_row(row)
    if switch is not None:
        samples = samples.with_turning_points()
    times, gaps, rates = samples.times, samples.values, samples.rates
    start, leaves = 0, left
    if leaves and switch is not None:
        leaves = exists(context, switch, piece, piece.t0)
    while start < len(times) - 1:
        if switch is not None and not leaves:
            # A contact that did not exist may be below zero; it must come up before it can close.
            above = np.flatnonzero(gaps[start:] > noise)
            if not len(above):
                return None
            start += int(above[0])
        found = first_crossing(
            times[start:], gaps[start:], rates[start:], samples.at, noise=noise, leaving=leaves
        )
        if found is None:
            return None
        again = found.graze and left
        if again and found.t <= piece.t0 + state.resolution(piece.t1):
            # The touch that the segment starts from.
            start = int(np.searchsorted(times, found.t, side="right"))
            continue
        if switch is None or exists(context, switch, piece, found.t):
            kind = HappeningKind.GRAZE if found.graze else HappeningKind.CONTACT
            return Happening(found.t, kind, np.array([row]))
        start, leaves = int(np.searchsorted(times, found.t, side="right")), False
    return None
