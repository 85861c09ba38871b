"""What happens first inside an accepted step: gaps that close, limits reached, user events."""

from __future__ import annotations

import numpy as np

from ....base.arrays import Array, Indices
from ....mechanics.flow import Flow
from ....model.snapshot import Snapshot
from ....model.switches import Switch
from ....results.dense_output import Piece, differentiation_matrix
from ...run_state import RunState
from ..contact_status import closed_contacts, inactive_limits, leaving, open_contacts, pressing
from ..context import ROUND_OFF, Context
from ..roots import first_crossing
from .happening import Happening, HappeningKind
from .release import release_before
from .user_events import user_zeros

__all__ = ["first_event", "first_happening"]

# Between two samples a gap can fall by half of (time x speed) below the mean of both, where the
# speed may be somewhat larger than at the samples.
REACH = 2.0

# A gap half-way between samples that is off by less than this part of it was predicted.
PREDICTED = 0.05
MAX_HALVINGS = 5


def first_event(
    context: Context, state: RunState, flow: Flow, now: Snapshot, piece: Piece
) -> Happening | None:
    """The first of all inside a step, also of the contacts that let go before it."""
    found = first_happening(context, state, now, piece)
    if found is None or found.t <= piece.t0 or state.pending is not None:
        return found
    if len(pressing(state.status, context.layout)):
        return release_before(context, state, flow, piece, found.t) or found
    return found


def first_happening(
    context: Context, state: RunState, now: Snapshot, piece: Piece
) -> Happening | None:
    """The first of all; contacts, limits or user events at the same time are one.

    Parameters
    ----------
    now : Snapshot
        Where the step begins.
    """
    found = [*_gaps(context, state, now, piece), *_limits(context, state, now, piece)]
    if context.settings.events:
        found += user_zeros(context, state, piece)
    if context.dynamics.switches:
        found += _switched_off(context, state, piece)
    if not found:
        return None
    first = min(found, key=lambda happening: happening.t)
    near = first.t + state.resolution(first.t)
    together = [h for h in found if h.t <= near]
    same = [h.rows for h in together if h.kind == first.kind]
    users = tuple(user for h in together for user in h.users)
    rows = same[0] if len(same) == 1 else np.unique(np.concatenate(same))
    return first._replace(rows=rows, users=users)


def _gaps(context: Context, state: RunState, now: Snapshot, piece: Piece) -> list[Happening]:
    """Open contacts that close or graze."""
    rows = open_contacts(state.status, context.layout)
    if not len(rows):
        return []
    times, gaps, rates = _resolved(context, piece, rows)
    speeds = np.abs(rates)
    reach = (times[1:] - times[:-1])[:, None] * np.maximum(speeds[:-1], speeds[1:])
    in_reach = (gaps[:-1] + gaps[1:] <= REACH * reach).any(axis=0)
    if not in_reach.any():
        return []
    noise = ROUND_OFF * state.scales.lengths(now)[rows]
    found = []
    for j in np.flatnonzero(in_reach):
        samples = (times, gaps[:, j], rates[:, j])
        happening = _first_closing(context, state, piece, int(rows[j]), samples, float(noise[j]))
        if happening is not None:
            found.append(happening)
    return found


def _resolved(context: Context, piece: Piece, rows: Indices) -> tuple[Array, Array, Array]:
    """Times, gaps and rates over a step, fine enough that cubics through them tell the gaps.

    The samples are halved until the gaps half-way are what the samples around them predict.
    """
    times, states = piece.halved()
    gaps, rates = context.sampled(rows, times, states)
    for _ in range(MAX_HALVINGS):
        if _predictable(times, gaps, rates):
            break
        middle = 0.5 * (times[:-1] + times[1:])
        between = context.sampled(rows, middle, piece.many(middle))
        times = _interleaved(times, middle)
        gaps, rates = _interleaved(gaps, between[0]), _interleaved(rates, between[1])
    return times, gaps, rates


def _predictable(times: Array, gaps: Array, rates: Array) -> bool:
    """Whether every other gap is what a cubic through its neighbours says."""
    h = (times[2::2] - times[:-2:2])[:, None]
    before, after = gaps[:-2:2], gaps[2::2]
    predicted = 0.5 * (before + after) + (rates[:-2:2] - rates[2::2]) * (0.125 * h)
    size = np.maximum(np.abs(before), np.abs(after))
    return bool((np.abs(predicted - gaps[1::2]) <= PREDICTED * size).all())


def _interleaved(ends: Array, middles: Array) -> Array:
    """Samples with the ones half-way between them put in."""
    merged = np.empty((len(ends) + len(middles), *ends.shape[1:]))
    merged[::2], merged[1::2] = ends, middles
    return merged


def _first_closing(
    context: Context, state: RunState, piece: Piece, row: int,
    samples: tuple[Array, Array, Array], noise: float,
) -> Happening | None:  # fmt: skip
    """The first zero of one gap at which its contact exists."""
    times, gaps, rates = samples
    switch = context.dynamics.switches.of_row(row)

    def gap_and_rate(t: float) -> tuple[float, float]:
        return context.gap_and_rate(row, t, piece(t))

    left = bool(leaving(state.status)[row])
    start, leaves = 0, left
    if leaves and switch is not None:
        leaves = _exists(context, switch, piece, piece.t0)
    while start < len(times) - 1:
        if switch is not None and not leaves:
            # A contact that did not exist may be below zero; it must come up before it can close.
            above = np.flatnonzero(gaps[start:] > 0.0)
            if not len(above):
                return None
            start += int(above[0])
        found = first_crossing(
            times[start:], gaps[start:], rates[start:], gap_and_rate, noise=noise, leaving=leaves
        )
        if found is None:
            return None
        again = found.graze and left
        if again and found.t <= piece.t0 + state.resolution(piece.t1):
            # The touch that the segment starts from.
            start = int(np.searchsorted(times, found.t, side="right"))
            continue
        if switch is None or _exists(context, switch, piece, found.t):
            kind = HappeningKind.GRAZE if found.graze else HappeningKind.CONTACT
            return Happening(found.t, kind, np.array([row]))
        start, leaves = int(np.searchsorted(times, found.t, side="right")), False
    return None


def _exists(context: Context, switch: Switch, piece: Piece, t: float) -> bool:
    q, v = context.split(piece(t))
    return switch.is_on(q, v, t, context.system.parameters)


def _switched_off(context: Context, state: RunState, piece: Piece) -> list[Happening]:
    """Resting contacts that cease to exist: their condition becomes false."""
    found = []
    for switch in context.dynamics.switches:
        block = switch.block
        rows = closed_contacts(state.status, context.layout)
        rows = rows[(rows >= block.rows.start) & (rows < block.rows.stop)]
        if not len(rows):
            continue
        low = piece.t0
        for high in piece.times[1:].tolist():
            if not _exists(context, switch, piece, high):
                while high - low > 1e-15 * max(abs(high), state.scales.time):
                    middle = 0.5 * (low + high)
                    exists = _exists(context, switch, piece, middle)
                    low, high = (middle, high) if exists else (low, middle)
                found.append(Happening(high, HappeningKind.RELEASE, rows))
                break
            low = high
    return found


def _limits(context: Context, state: RunState, now: Snapshot, piece: Piece) -> list[Happening]:
    """Inactive velocity limits that are reached."""
    rows = inactive_limits(state.status, context.layout)
    if not len(rows):
        return []
    times, span = piece.times, piece.t1 - piece.t0
    values = context.sampled(rows, times, piece.values)[0]
    slopes = differentiation_matrix(len(times)) @ values / span
    noise = ROUND_OFF * state.scales.speeds(now)[rows]
    found = []
    for j, row in enumerate(rows):

        def value_and_slope(t: float, row: int = int(row)) -> tuple[float, float]:
            before, after = max(t - 1e-6 * span, piece.t0), min(t + 1e-6 * span, piece.t1)
            low, here, high = (
                context.gap_and_rate(row, s, piece(s))[0] for s in (before, t, after)
            )
            return here, (high - low) / (after - before)

        crossing = first_crossing(
            times,
            values[:, j],
            slopes[:, j],
            value_and_slope,
            noise=float(noise[j]),
            leaving=bool(values[0, j] <= 10 * noise[j]),
        )
        if crossing is not None and not crossing.graze:
            found.append(Happening(crossing.t, HappeningKind.LIMIT, np.array([row])))
    return found
