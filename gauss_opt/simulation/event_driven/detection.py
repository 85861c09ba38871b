"""What happens first inside an accepted step: gaps that close, limits reached, user events."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...model.tracing.user_function import UserFunction
from ...results.dense_output import Piece, differentiation_matrix
from ..settings import UserEvent
from .roots import first_crossing, first_sign_change
from .run import ROUND_OFF, SIMULTANEOUS, Run

__all__ = ["Happening", "first_happening"]


# Between two samples a gap can fall by half of (time x speed) below the mean of both, where the
# speed may be somewhat larger than at the samples.
REACH = 2.0

# A gap half-way between samples that is off by less than this part of it was predicted.
PREDICTED = 0.05
MAX_HALVINGS = 5


class Happening(NamedTuple):
    """Something found inside a step.

    Attributes
    ----------
    t : float
        When.
    kind : str
        ``"contact"``, ``"graze"``, ``"limit"``, ``"release"`` or ``"user"``.
    rows : array of int
        Constraint rows concerned.
    users : tuple of (UserEvent, str)
        The user's events at that time, ``"rising"`` or ``"falling"``.
    """

    t: float
    kind: str
    rows: Indices
    users: tuple[tuple[UserEvent, str], ...] = ()


def first_happening(run: Run, piece: Piece) -> Happening | None:
    """The first of all; contacts, limits or user events at the same time are one."""
    found = [*_gaps(run, piece), *_limits(run, piece), *_user_events(run, piece)]
    found += _switched_off(run, piece)
    if not found:
        return None
    first = min(found, key=lambda happening: happening.t)
    near = first.t + SIMULTANEOUS * run.scales.time
    together = [h for h in found if h.t <= near]
    same = [h.rows for h in together if h.kind == first.kind]
    users = tuple(user for h in together for user in h.users)
    return first._replace(rows=np.unique(np.concatenate(same)), users=users)


def _gaps(run: Run, piece: Piece) -> list[Happening]:
    """Open contacts that close or graze."""
    rows = run.state.open_contacts
    if not len(rows):
        return []
    times, gaps, rates = _resolved(run, piece, rows)
    speeds = np.abs(rates)
    reach = np.diff(times)[:, None] * np.maximum(speeds[:-1], speeds[1:])
    in_reach = (gaps[:-1] + gaps[1:] <= REACH * reach).any(axis=0)
    if not in_reach.any():
        return []
    noise = ROUND_OFF * run.scales.lengths(run.now)[rows]
    found = []
    for j in np.flatnonzero(in_reach):
        samples = (times, gaps[:, j], rates[:, j])
        happening = _first_closing(run, piece, int(rows[j]), samples, float(noise[j]))
        if happening is not None:
            found.append(happening)
    return found


def _resolved(run: Run, piece: Piece, rows: Indices) -> tuple[Array, Array, Array]:
    """Times, gaps and rates over a step, fine enough that cubics through them tell the gaps.

    The samples are halved until the gaps half-way are what the samples around them predict.
    """
    times, states = piece.halved()
    values, slopes = run.sampled(times, states)
    gaps, rates = values[:, rows], slopes[:, rows]
    for _ in range(MAX_HALVINGS):
        if _predictable(times, gaps, rates):
            break
        middle = 0.5 * (times[:-1] + times[1:])
        values, slopes = run.sampled(middle, piece.many(middle))
        times = _interleaved(times, middle)
        gaps, rates = _interleaved(gaps, values[:, rows]), _interleaved(rates, slopes[:, rows])
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
    run: Run, piece: Piece, row: int, samples: tuple[Array, Array, Array], noise: float
) -> Happening | None:
    """The first zero of one gap at which its contact exists."""
    times, gaps, rates = samples
    switch = _switch(run, row)

    def gap_and_rate(t: float) -> tuple[float, float]:
        return run.compiled.gap_and_rate(row, piece(t), t, run.system.parameters)

    start, leaving = 0, bool(run.state.leaving[row])
    if leaving and switch is not None:
        leaving = _exists(run, switch, piece, piece.t0)
    while start < len(times) - 1:
        if switch is not None and not leaving:
            # A contact that did not exist may be below zero; it must come up before it can close.
            above = np.flatnonzero(gaps[start:] > 0.0)
            if not len(above):
                return None
            start += int(above[0])
        found = first_crossing(
            times[start:], gaps[start:], rates[start:], gap_and_rate, noise=noise, leaving=leaving
        )
        if found is None:
            return None
        again = found.graze and bool(run.state.leaving[row])
        if again and found.t <= piece.t0 + SIMULTANEOUS * run.scales.time:
            # The touch that the segment starts from.
            start = int(np.searchsorted(times, found.t, side="right"))
            continue
        if switch is None or _exists(run, switch, piece, found.t):
            return Happening(found.t, "graze" if found.graze else "contact", np.array([row]))
        start, leaving = int(np.searchsorted(times, found.t, side="right")), False
    return None


def _switch(run: Run, row: int) -> UserFunction | None:
    switch = run.compiled.switches.of_row(row)
    return None if switch is None else switch.condition


def _exists(run: Run, switch: UserFunction, piece: Piece, t: float) -> bool:
    q, v = run.split(piece(t))
    return bool(switch.plain({"q": q, "v": v, "t": t}, run.system.parameters))


def _switched_off(run: Run, piece: Piece) -> list[Happening]:
    """Resting contacts that cease to exist: their condition becomes false."""
    found = []
    for block, condition in run.compiled.switches:
        rows = np.arange(block.rows.start, block.rows.stop)
        rows = rows[run.state.resting[rows]]
        if not len(rows):
            continue
        low = piece.t0
        for high in piece.times[1:].tolist():
            if not _exists(run, condition, piece, high):
                while high - low > 1e-15 * max(abs(high), run.scales.time):
                    middle = 0.5 * (low + high)
                    exists = _exists(run, condition, piece, middle)
                    low, high = (middle, high) if exists else (low, middle)
                found.append(Happening(high, "release", rows))
                break
            low = high
    return found


def _limits(run: Run, piece: Piece) -> list[Happening]:
    """Inactive velocity limits that are reached."""
    rows = run.state.inactive_limits
    if not len(rows):
        return []
    times, span = piece.times, piece.t1 - piece.t0
    values = run.sampled(times, piece.values)[0][:, rows]
    slopes = differentiation_matrix(len(times)) @ values / span
    noise = ROUND_OFF * run.scales.speeds(run.now)[rows]
    found = []
    for j, row in enumerate(rows):

        def value_and_slope(t: float, row: int = int(row)) -> tuple[float, float]:
            before, after = max(t - 1e-6 * span, piece.t0), min(t + 1e-6 * span, piece.t1)
            low, here, high = (float(run.values(s, piece(s))[0][row]) for s in (before, t, after))
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
            found.append(Happening(crossing.t, "limit", np.array([row])))
    return found


def _user_events(run: Run, piece: Piece) -> list[Happening]:
    found = []
    for event in run.settings.events:

        def value(t: float, event: UserEvent = event) -> float:
            q, v = run.split(piece(t))
            q.setflags(write=False)
            v.setflags(write=False)
            return event(q, v, t)

        times = piece.times
        values = np.array([value(float(t)) for t in times])
        if _just_happened(run, event):
            values[0] = 0.0  # what is left of the zero the segment starts from
        if _way(values[0], values[1]) == _just_fired(run, event, piece.t0) != "":
            values[0] = 0.0  # the zero that ended the last segment, found again by round-off
        t = first_sign_change(times, values, value, event.direction)
        if t is not None and t > piece.t0:
            before = values[np.searchsorted(times, t) - 1]
            found.append(Happening(t, "user", np.arange(0), ((event, _way(before, -before)),)))
    return found


def _way(before: float, after: float) -> str:
    """How a function goes through zero; empty when it does not."""
    if before < 0.0 <= after:
        return "rising"
    return "falling" if before > 0.0 >= after else ""


def _just_fired(run: Run, event: UserEvent, t: float) -> str:
    """How a user event went through zero at this very time; empty when it did not."""
    for past in reversed(run.recorder.events):
        if past.t < t:
            break
        if past.kind == "user" and past.contacts == (event.name,):
            return past.detail
    return ""


def _just_happened(run: Run, event: UserEvent) -> bool:
    """Whether the present segment starts from a zero of this very event."""
    for past in reversed(run.recorder.events):
        if past.t != run.now.t:
            return False
        if past.kind == "user" and event.name in past.contacts:
            return True
    return False
