"""What happens first inside an accepted step: gaps that close, limits reached, user events."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .active_set import Indices
from .guards import first_crossing, first_sign_change
from .interpolate import Piece, differentiation_matrix
from .problem import Array
from .run import ROUND_OFF, SIMULTANEOUS, Run
from .settings import UserEvent
from .trace import UserFunction

__all__ = ["Happening", "first_happening"]


# Between two samples a gap can fall by half of (time x speed) below the mean of both, where the
# speed may be somewhat larger than at the samples.
REACH = 2.0


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
    event : UserEvent or None
        The user's event, if it is one.
    """

    t: float
    kind: str
    rows: Indices
    event: UserEvent | None = None


def first_happening(run: Run, piece: Piece) -> Happening | None:
    """The first of all; contacts or limits reached at the same time are one."""
    found = [*_gaps(run, piece), *_limits(run, piece), *_user_events(run, piece)]
    if not found:
        return None
    first = min(found, key=lambda happening: happening.t)
    if first.event is not None:
        return first
    near = first.t + SIMULTANEOUS * run.scales.time
    same = [h.rows for h in found if h.t <= near and h.kind == first.kind]
    return first._replace(rows=np.unique(np.concatenate(same)))


def _gaps(run: Run, piece: Piece) -> list[Happening]:
    """Open contacts that close or graze."""
    rows = run.state.open_contacts
    if not len(rows):
        return []
    times = piece.times
    values, slopes = run.sampled(piece)
    gaps, rates = values[:, rows], slopes[:, rows]
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


def _first_closing(
    run: Run, piece: Piece, row: int, samples: tuple[Array, Array, Array], noise: float
) -> Happening | None:
    """The first zero of one gap at which its contact exists."""
    times, gaps, rates = samples
    switch = _switch(run, row)

    def gap_and_rate(t: float) -> tuple[float, float]:
        value, rate = run.values(t, piece(t))
        return float(value[row]), float(rate[row])

    start, leaving = 0, bool(run.state.leaving[row])
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
        if switch is None or _exists(run, switch, piece, found.t):
            return Happening(found.t, "graze" if found.graze else "contact", np.array([row]))
        start, leaving = int(np.searchsorted(times, found.t, side="right")), False
    return None


def _switch(run: Run, row: int) -> UserFunction | None:
    for block, condition in run.compiled.switches:
        if block.rows.start <= row < block.rows.stop:
            return condition
    return None


def _exists(run: Run, switch: UserFunction, piece: Piece, t: float) -> bool:
    q, v = run.split(piece(t))
    return bool(switch.plain({"q": q, "v": v, "t": t}, run.system.parameters))


def _limits(run: Run, piece: Piece) -> list[Happening]:
    """Inactive velocity limits that are reached."""
    rows = run.state.inactive_limits
    if not len(rows):
        return []
    times, span = piece.times, piece.t1 - piece.t0
    values = run.sampled(piece)[0][:, rows]
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
        t = first_sign_change(times, values, value, event.direction)
        if t is not None and t > piece.t0:
            found.append(Happening(t, "user", np.arange(0), event))
    return found
