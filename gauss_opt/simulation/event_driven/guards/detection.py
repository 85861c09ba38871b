"""What happens first inside an accepted step: gaps that close, limits reached, user events."""

from __future__ import annotations

from math import inf

import numpy as np

from ....mechanics.flow import Flow
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import closed, pressing
from ..context import Context
from ..friction.stops import stopped_slips
from .gaps import closing_contacts
from .happening import Happening
from .limits import reached_limits
from .regular import require_regular
from .release import release_before
from .switching import quiet_parts, switched
from .user_events import user_zeros

__all__ = ["first_event", "first_happening"]


def first_event(
    context: Context, state: RunState, flow: Flow, now: Snapshot, piece: Piece
) -> Happening | None:
    """The first of all inside a step, also of the contacts that let go before it."""
    found = first_happening(context, state, now, piece)
    if found is None:
        return None
    may_let_go = found.t > piece.t0 and state.pending is None
    if may_let_go and len(pressing(state.status, context.layout)):
        sooner = release_before(context, state, flow, piece, found.t)
        if sooner is not None:
            return sooner
    require_regular(context, state, piece, found)
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
    parts, shut = quiet_parts(context, state, now, piece), closed(state.status)
    quiet = None if parts is None else parts.until(inf, shut)
    found = closing_contacts(context, state, now, piece, quiet)
    found += reached_limits(context, state, now, piece)
    if context.rough is not None and state.pending is None:
        found += stopped_slips(context, state, now, piece)
    if context.settings.events:
        found += user_zeros(context, state, piece)
    if context.dynamics.switches:
        until = min((happening.t for happening in found), default=inf)
        quiet = None if parts is None else parts.until(until + state.resolution(piece.t1), shut)
        found += switched(context, state, now, piece, quiet)
    if not found:
        return None
    first = min(found, key=lambda happening: happening.t)
    near = first.t + state.resolution(first.t)
    together = [h for h in found if h.t <= near]
    same = [h for h in together if h.kind == first.kind]
    users = tuple(user for h in together for user in h.users)
    if len(same) == 1:
        return first._replace(users=users)
    rows = np.unique(np.concatenate([h.rows for h in same]))
    on = np.unique(np.concatenate([h.on for h in same]))
    return first._replace(rows=rows, users=users, on=on)
