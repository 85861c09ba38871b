"""Where inside a step the frozen active set stops being the answer to (G)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ....base.arrays import Indices
from ....mechanics.answer import Acceleration
from ....mechanics.flow import Flow
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece
from ...run_state import RunState
from .. import contact_status as contact
from ..contact_status import closed, idle, pressing
from ..context import Context
from ..friction.margins import first_margin
from .frozen_set import changes_at, opened_unseen, right_at, still_right
from .happening import Happening, HappeningKind
from .pressing import Held, first_release
from .sampled_forces import first_sampled_release
from .sampling import sampled_only

__all__ = ["release_before", "set_change"]


def set_change(
    context: Context, state: RunState, flow: Flow, piece: Piece, end: Snapshot,
    answer: Acceleration | None = None,
) -> Happening | None:  # fmt: skip
    """The first contact or limit of a step that lets go, or takes up force, or None.

    That held rows press is proved over parts of the step, where their forces can be enclosed. What
    rests without force is asked at the end of the step, and at the ends of those parts.

    Parameters
    ----------
    flow : Flow
        The motion with the frozen set.
    end : Snapshot
        Where the step ends.
    answer : Acceleration, optional
        Of (G) there, where it is known.
    """
    unilateral = slice(context.layout.equalities.stop, None)
    if not closed(state.status[unilateral]).any():
        return None
    pressed = pressing(state.status, context.layout)
    if len(pressed) and piece.t1 > piece.t0:
        held = Held(flow, pressed, _unique(flow, end))
        found = _while_pressing(context, state, held, piece)
        if found is not None:
            return found
    resting = idle(state.status)
    if len(resting) and piece.t1 > piece.t0:
        found = _idle_before_the_end(context, state, flow, piece, resting)
        if found is not None:
            return found
    if still_right(context, state, flow, end, answer):
        opened = opened_unseen(context, state, end)
        return Happening(end.t, HappeningKind.RELEASE, opened) if len(opened) else None
    return _released(changes_at(context, state, flow, piece, piece.t0, piece.t1))


def _while_pressing(
    context: Context, state: RunState, held: Held, piece: Piece
) -> Happening | None:
    """The first held row that lets go: by enclosures, or by samples where there are none."""
    if contact.rubbing(state.status).any():
        return first_margin(context, state, held, piece)
    enclosures = context.dynamics.enclosures
    bounds = None if enclosures is None else enclosures.smooth(held.flow.held)
    if bounds is None:
        return first_sampled_release(context, state, held, piece)
    return first_release(context, state, held, piece, bounds)


def _idle_before_the_end(
    context: Context, state: RunState, flow: Flow, piece: Piece, resting: Indices
) -> Happening | None:
    """Contacts that rest without force are asked inside the step too: nothing can be proved."""
    for name in context.names(resting.tolist()):
        sampled_only(context, f"rest of {name}", "it rests without force")
    for low, high in pairwise(piece.times[:-1].tolist()):
        if not right_at(context, state, flow, piece, high):
            return _released(changes_at(context, state, flow, piece, low, high))
    return None


def release_before(
    context: Context, state: RunState, flow: Flow, piece: Piece, t: float
) -> Happening | None:
    """A contact may let go before the next event at t is reached."""
    part = piece.until(t)
    found = set_change(context, state, flow, part, context.at(t, part.values[-1]))
    return found if found is not None and found.t < t else None


def _unique(flow: Flow, snapshot: Snapshot) -> bool:
    rows = flow.independent_rows(snapshot)
    return not len(rows) or bool(np.linalg.matrix_rank(rows) == len(rows))


def _released(t: float) -> Happening:
    return Happening(t, HappeningKind.RELEASE, np.arange(0))
