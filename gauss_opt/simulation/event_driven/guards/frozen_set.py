"""Whether the rows that are held, and no others, carry force: the frozen set against (G).

The acceleration with the held rows as equalities solves (G) when every held inequality presses and
every other closed contact stays closed: these are the optimality conditions of (G), and no problem
has to be solved to see that they hold. Only where they do not hold is (G) asked.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays import Array, Indices
from ....base.errors import SimulationError
from ....base.tolerances.base import FINEST_TIME
from ....base.tolerances.simulation import BALANCED, JUMP, SAME_ACCELERATION
from ....mechanics.answer import Acceleration
from ....mechanics.consistency.caused import caused_accelerations, least_difference
from ....mechanics.consistency.projection import Scales
from ....mechanics.flow import Flow
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import idle, pressing, rubbing
from ..context import Context
from .happening import Happening, HappeningKind

__all__ = ["changes_at", "jam_inside", "opened_unseen", "opening_rates", "right_at", "still_right"]


def right_at(context: Context, state: RunState, flow: Flow, piece: Piece, t: float) -> bool:
    """Whether the frozen set is right at a time of a step."""
    return still_right(context, state, flow, context.at(t, piece(t)))


def changes_at(
    context: Context, state: RunState, flow: Flow, piece: Piece, low: float, high: float
) -> float:
    """The first time, between one where it is right and one where it is not, at which it is not."""
    finest = FINEST_TIME * (high - low)
    while high - low > max(state.resolution(high), finest) and high > np.nextafter(low, high):
        middle = 0.5 * (low + high)
        if right_at(context, state, flow, piece, middle):
            low = middle
        else:
            high = middle
    return high


def jam_inside(context: Context, state: RunState, flow: Flow, piece: Piece) -> Happening:
    """Where, inside a step, contacts that slide come to where no force satisfies Coulomb's law."""
    t = changes_at(context, state, flow, piece, piece.t0, piece.t1)
    return Happening(t, HappeningKind.JAM, np.arange(0))


def still_right(
    context: Context,
    state: RunState,
    flow: Flow,
    snapshot: Snapshot,
    answer: Acceleration | None = None,
) -> bool:
    """Whether the frozen acceleration solves (G), and idle contacts stay closed.

    Parameters
    ----------
    answer : Acceleration, optional
        Of (G) there, where it is known.
    """
    a, multipliers, there = flow.accelerate(snapshot)
    forces = flow.on_rows(multipliers)
    carrying = np.flatnonzero(forces)
    least = least_difference(there, a, carrying, forces[carrying])
    rates = _opening(there, a, idle(state.status), state.scales, least)
    if (rates > 0.0).any():
        return False
    plain = not (snapshot.dynamics.needs_ideal_force or rubbing(state.status).any())
    if plain and not rates.any():
        presses = multipliers[np.isin(flow.held, pressing(state.status, context.layout))]
        if (presses >= 0.0).all():
            return True
    if answer is None:
        answer = context.accelerate_or_jam(snapshot, state.status)
        if answer is None:
            return False
    asked = answer.acceleration
    if rubbing(state.status).any():  # (C) is as exact as the forces that can be caused allow
        caused = caused_accelerations(there, np.abs(there.force))
        least = least + SAME_ACCELERATION * float(caused.max(initial=0.0))
    return bool((np.abs(asked - a) <= SAME_ACCELERATION * np.abs(asked) + least).all())


def opened_unseen(context: Context, state: RunState, snapshot: Snapshot) -> Indices:
    """Contacts that are thought to rest without force, but are apart.

    Nothing holds them, and a force that is too small beside others on the same bodies is not seen.
    Bodies that it has moved behind the surface are refused.
    """
    rows, scales = idle(state.status), state.scales
    gaps = snapshot.value[rows]
    far = JUMP * scales.lengths(snapshot)[rows]
    if (np.abs(gaps) <= far).all():
        return rows[:0]
    time = min(scales.time, snapshot.t - state.last_event)
    drift = caused_accelerations(snapshot, np.abs(snapshot.force)) * time**2
    far += BALANCED * (np.abs(snapshot.rows_of(rows)) @ drift)
    if (gaps < -far).any():
        worst = int(gaps.argmin())
        raise SimulationError(
            f"the bodies are {-gaps[worst]:.3g} behind the surface of "
            f"{context.layout.names[int(rows[worst])]!r} at t = {snapshot.t:.6g}: what presses "
            f"them onto it is too small to be seen beside other forces on them (up to "
            f"{np.abs(snapshot.force).max():.3g}). Simulate them apart, or leave out what is too "
            f"small to matter"
        )
    opened: Indices = rows[gaps > far]
    return opened


def opening_rates(answer: Acceleration, rows: Indices, scales: Scales) -> Array:
    """gap'' of rows at an answer of (G); what is round-off is 0."""
    if not len(rows):
        return np.zeros(0)
    snapshot, a, chosen = answer.snapshot, answer.acceleration, answer.chosen
    assert chosen is not None
    least = least_difference(snapshot, a, chosen, answer.solution.row_multipliers)
    return _opening(snapshot, a, rows, scales, least)


def _opening(snapshot: Snapshot, a: Array, rows: Indices, scales: Scales, least: Array) -> Array:
    """gap'' of rows at an acceleration, of which ``least`` is none; what is round-off is 0.

    Where nothing forces them, bodies that touch stay together: there the scale is an acceleration
    that would matter within the time of the run.
    """
    if not len(rows):
        return np.zeros(0)
    normals, rhs = snapshot.rows_of(rows), snapshot.rhs[rows]
    opening = normals @ a - rhs
    matters = scales.speeds(snapshot)[rows] / scales.time
    none = np.abs(normals) @ least + SAME_ACCELERATION * (np.abs(rhs) + matters)
    return np.where(np.abs(opening) <= none, 0.0, opening)
