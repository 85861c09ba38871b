"""The impacts of a run as a series, and its limit once it has one."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...base.tolerances.base import TINY
from ...base.tolerances.simulation import ACCUMULATED, LIMIT_SPREAD, LOST, SIMULTANEOUS, SLOW
from ...mechanics.collision import Collision
from ...model.snapshot import Snapshot
from ...results.records import Event, EventKind
from ..run_state import ImpactSeries, PendingLimit, RunState
from .accumulation import Accumulation, Bounce, detect
from .contact_status import closed_again, closed_contacts, pressed
from .context import Context
from .friction.ways import begun
from .response import Response, classify, limits_left, merged

__all__ = [
    "Noted",
    "close_contacts",
    "limit_of",
    "noted",
    "overtaken",
    "reach_limit",
    "struck_in",
    "taken_up",
]

MEMORY = 2000


class Noted(NamedTuple):
    """The series with the impacts of an event, and the limit it has, if any."""

    series: ImpactSeries
    limit: Accumulation | None


def noted(
    state: RunState, now: Snapshot, collisions: Sequence[Collision], closure: float = 0.0
) -> Noted:
    """Note an event's impacts; ``now`` is the state after them.

    Bounces are low that are not above ``closure``, relative.
    """
    struck = struck_in(collisions)
    if not struck:
        return Noted(state.series, None)
    series = _with(state, now, collisions, struck, closure)
    limit = limit_of(state, series.bounces, now.t)
    return Noted(series if limit is None else taken_up(series, limit.contacts), limit)


def struck_in(collisions: Sequence[Collision]) -> frozenset[int]:
    """Contacts that impacts have given an impulse."""
    return frozenset(
        int(row)
        for collision in collisions
        for row in collision.contacts
        if collision.row_impulses[row] > 0.0
    )


def limit_of(state: RunState, bounces: Sequence[Bounce], t: float) -> Accumulation | None:
    """The limit of a series, if it has one, with the tolerances of a run."""
    return detect(
        bounces,
        time_tolerance=LIMIT_SPREAD * max(abs(t), state.resolution(t) / SIMULTANEOUS),
        height=ACCUMULATED,
        round_off=LOST,
    )


def taken_up(series: ImpactSeries, contacts: Collection[int]) -> ImpactSeries:
    """The series after contacts were closed: nothing but what each of them remembers."""
    closed = series.closed.copy()
    closed[sorted(contacts)] += 1
    return replace(series, closed=closed, bounces=())


def _with(
    state: RunState,
    now: Snapshot,
    collisions: Sequence[Collision],
    struck: frozenset[int],
    closure: float,
) -> ImpactSeries:
    """The series with one impact more."""
    old, lengths = state.series, state.scales.lengths(now)
    times, rates = old.struck.copy(), old.rates.copy()
    low, closed = old.low.copy(), old.closed.copy()
    highest = 0.0
    for row in struck:
        height = _height(old, now.t, row, collisions, float(lengths[row]))
        low[row] = low[row] + 1 if height <= closure else 0
        closed[row] = closed[row] if height <= closure else 0
        highest = max(highest, height)
        times[row], rates[row] = now.t, abs(float(now.rate[row]))
    bounce = Bounce(now.t, struck, highest)
    return ImpactSeries(times, rates, low, closed, (*old.bounces[1 - MEMORY :], bounce))


def _height(
    series: ImpactSeries, t: float, row: int, collisions: Sequence[Collision], length: float
) -> float:
    """An upper bound of the gap since the contact was struck before, relative."""
    apart = t - series.struck[row]
    if apart == np.inf:
        return np.inf
    approach = max(abs(float(c.snapshot.rate[row])) for c in collisions)
    return float(apart * max(series.rates[row], approach) / max(length, TINY))


def close_contacts(
    context: Context, state: RunState, snapshot: Snapshot, limit: Accumulation
) -> tuple[Response, PendingLimit]:
    """Remove the rates of the word's contacts; they rest until the limit."""
    word = np.array(sorted(limit.contacts), dtype=np.intp)
    resting = merged(word, closed_contacts(state.status, context.layout))
    status = begun(
        closed_again(state.status, word),
        context.rough,
        word,
        snapshot,
        SLOW * state.scales.speeds(snapshot),
    )
    jump = context.stop_contacts(snapshot, resting, equality=True, status=status)
    after = snapshot.at_velocity(jump.v)
    stop = Collision(snapshot, resting, jump.v, jump.impulses, after.rate, (jump,))
    pending = PendingLimit(
        limit.t,
        tuple(word.tolist()),
        limit.exact,
        snapshot.v,
        stop.energy_change,
        stop.work_of_moving_constraints,
    )
    status, off = limits_left(context, state.scales, pressed(status, resting), after)
    return Response(after, status, None, off), pending


def reach_limit(
    context: Context, state: RunState, now: Snapshot, pending: PendingLimit
) -> Response:
    """At the limit the contacts rest for good; (G) says which of them carry force."""
    status, answer = classify(context, state.scales, state.status, now)
    return Response(now, status, answer, (_event(context, now, pending),))


def overtaken(context: Context, now: Snapshot, pending: PendingLimit) -> Event:
    """The event of a limit that is announced before its time, because others are closed first."""
    return _event(context, now, pending, f"before others, its limit is t = {pending.t:.12g}")


def _event(context: Context, now: Snapshot, pending: PendingLimit, detail: str = "") -> Event:
    return Event(
        EventKind.ACCUMULATION,
        now.t,
        context.names(pending.rows),
        now.q,
        pending.v_before,
        now.v,
        energy_change=pending.energy_change,
        constraint_work=pending.constraint_work,
        exact=pending.exact,
        detail=detail,
        row=pending.row,
    )
