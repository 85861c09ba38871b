"""A cluster closed at once: its contacts brought together and to rest, within stated bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ....base.arrays import Array, Indices, Mask
from ....base.errors import GaussError
from ....base.tolerances.base import TINY
from ....base.tolerances.simulation import NO_GAP, SLOW
from ....mechanics.answer import Acceleration
from ....mechanics.collision import Collision
from ....mechanics.coupling import coupling
from ....mechanics.impact import Jump
from ....model.snapshot import Snapshot
from ....results.records import Event, EventKind
from ...run_state import RunState
from ..announcements import announce_released
from ..contact_status import Statuses, closed, closed_again, closed_contacts, present_and_open
from ..context import Context
from ..response import Response, classify, merged
from .candidates import energy_scale, nearly_closed
from .placement import on_gaps

__all__ = ["Closing", "close_cluster"]

MAX_ROUNDS = 8
# Gaps in a chain add up, and a body between moves by all of them: then those with larger gaps than
# this share of the bound are left out.
NEARER = (1.0, 0.25, 0.05)
FAMILIAR = 2  # low strikes in a row of a contact that is not asked how far it would fly


@dataclass(frozen=True, eq=False)
class Closing:
    """A cluster that has been closed.

    Attributes
    ----------
    response : Response
    rows : array of int
        Its contacts.
    removed : float
        Energy taken out.
    """

    response: Response
    rows: Indices
    removed: float


class _Proposal(NamedTuple):
    """Contacts to close, and how everything would stand with them closed where they are."""

    rows: Indices
    status: Statuses


def close_cluster(
    context: Context, state: RunState, now: Snapshot, rows: Indices
) -> Closing | None:
    """Close contacts, without those that their forces open again; None: not within the bounds.

    Positions come first onto gaps of zero, then velocities onto rates of zero. No gap moves by more
    than ``closure`` of its length scale, and no contact costs more than ``closure`` of the energy
    scale of the run.
    """
    sizes = np.abs(now.value) / np.maximum(state.scales.lengths(now), TINY)
    for share in NEARER:
        rows = rows[sizes[rows] <= share * context.settings.closure]
        try:
            proposal = _agreed(context, state, now, rows)
            if proposal is None:
                return None
            placed = on_gaps(now, proposal.status, state.scales)
            moved = _largest_move(state, now, placed)
            if moved <= context.settings.closure:
                return _carried_out(context, state, now, proposal, placed, moved)
        except GaussError:  # rates of zero contradict each other: they go on bouncing
            return None
    return None


def _agreed(context: Context, state: RunState, now: Snapshot, rows: Indices) -> _Proposal | None:
    """The contacts that can be closed together, found in rounds.

    A contact nearby that the jump itself would strike is closed with them. One that (G) opens, or
    that would fly high although it has no history of low strikes, is left out for good.
    """
    closure = context.settings.closure
    near = nearly_closed(state.scales, now, closure) & ~closed(state.status)
    left_out = np.zeros(len(near), dtype=bool)
    for _ in range(MAX_ROUNDS):
        if not len(rows):
            return None
        jump = _stopped(context, state.status, now, rows)
        after = now.at_velocity(jump.v)
        pushed = near & ~left_out & (after.rate < -SLOW * state.scales.speeds(after))
        pushed[rows] = False
        if pushed.any():
            rows = merged(rows, np.flatnonzero(pushed))
            continue
        status, answer = classify(context, state.scales, closed_again(state.status, rows), after)
        opened = ~closed(status)[rows] | _would_fly(context, state, now, rows, answer)
        if not opened.any():
            return _Proposal(rows, status)
        left_out[rows[opened]] = True
        rows = rows[~opened]
    return None


def _stopped(context: Context, status: Statuses, snapshot: Snapshot, rows: Indices) -> Jump:
    """The least jump after which these and all closed contacts have no rate.

    Neither may separate: what separates ever so slowly is brought back by its weight.
    """
    touching = merged(rows, closed_contacts(status, context.layout))
    return context.stop_contacts(
        snapshot, touching, equality=True, status=closed_again(status, rows)
    )


def _would_fly(
    context: Context, state: RunState, now: Snapshot, rows: Indices, answer: Acceleration
) -> Mask:
    """Contacts without a history of low strikes that their forces would not bring back low."""
    rates = np.abs(now.rate[rows])
    forces = np.zeros(context.layout.n_rows)
    forces[answer.chosen] = answer.solution.row_multipliers
    pull = forces[rows] * coupling(now, rows).mobility
    low = context.settings.closure * state.scales.lengths(now)[rows]
    high = rates * rates > 2.0 * pull * low
    moving = rates > SLOW * state.scales.speeds(now)[rows]
    fly: Mask = high & moving & (state.series.low[rows] < FAMILIAR)
    return fly


def _carried_out(
    context: Context,
    state: RunState,
    now: Snapshot,
    proposal: _Proposal,
    placed: Snapshot,
    moved: float,
) -> Closing | None:
    """The closing with everything in its place, if it keeps within its bounds.

    ``placed`` is the state with gaps of zero, and ``moved`` the largest change of a gap.
    """
    jump = _stopped(context, proposal.status, placed, proposal.rows)
    after = placed.at_velocity(jump.v)
    touching = jump.contacts
    stop = Collision(placed, touching, jump.v, jump.impulses, after.rate, (jump,))
    change = stop.energy_change + 0.5 * now.v @ (placed.mass - now.mass) @ now.v
    removed = stop.work_of_moving_constraints - change
    most = context.settings.closure * energy_scale(state.scales, now)
    if abs(removed) > most * len(proposal.rows):
        return None
    if _strikes_another(context, state, proposal.status, now, after):
        return None
    context.note_residual(jump.solution.certificate.worst)
    status, answer = classify(context, state.scales, proposal.status, after)
    event = Event(
        EventKind.ACCUMULATION,
        now.t,
        context.names(proposal.rows),
        now.q,
        now.v,
        after.v,
        energy_change=float(change),
        constraint_work=stop.work_of_moving_constraints,
        exact=False,
        detail=f"closed early: energy {-removed:.1e}, gaps moved by up to {moved:.1e}, relative",
    )
    gone = announce_released(context, after, state.status, status)
    response = Response(after, status, answer, (event, *gone))
    return Closing(response, proposal.rows, float(removed))


def _strikes_another(
    context: Context, state: RunState, status: Statuses, now: Snapshot, after: Snapshot
) -> bool:
    """Whether an open contact nearby approaches because of the closing: an impact that nobody saw.

    It may just have been struck, and its zero of an instant ago is no crossing.
    """
    rows = present_and_open(status, context.layout)
    if now.enabled is not None:
        rows = rows[now.enabled[rows]]
    near = context.settings.closure * state.scales.lengths(now)[rows]
    slow = SLOW * state.scales.speeds(after)[rows]
    struck = (np.abs(after.value[rows]) <= near) & (after.rate[rows] < -slow)
    on_its_way = (now.value[rows] > NO_GAP * near) & (now.rate[rows] < -slow)
    return bool((struck & ~on_its_way).any())


def _largest_move(state: RunState, now: Snapshot, placed: Snapshot) -> float:
    """The largest change of a gap, relative to its length scale."""
    rows = present_and_open(state.status, now.layout)
    if now.enabled is not None:
        rows = rows[now.enabled[rows]]
    sizes: Array = state.scales.lengths(now)[rows]
    moves = np.abs(placed.value - now.value)[rows]
    return float((moves / np.maximum(sizes, TINY)).max(initial=0.0))
