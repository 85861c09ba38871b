"""Which way contacts with friction slide: history where there is one, slips where there is none."""

from __future__ import annotations

import numpy as np

from ....base.arrays import Array, Indices, Mask
from ....mechanics.answer import Acceleration
from ....mechanics.friction.problem import Slide, slides_at
from ....model.rows import RowTable
from ....model.snapshot import Snapshot
from ....qp.friction.solution import FrictionSolution
from ....qp.friction.states import ContactState
from ....results.columns import by_slip
from ..contact_status import BACKWARD, CARRYING, FORWARD, RESTING, Statuses, closed, rubs

__all__ = ["after_problem", "begun", "slides_at_status", "slip_states", "tangents_of"]


def tangents_of(layout: RowTable, rows: Indices) -> Indices:
    """The tangent row of each of some contact rows with a slip, in the plane."""
    found: Indices = layout.tangents.start + np.searchsorted(layout.normal_of, rows)
    return found


def slides_at_status(status: Statuses, snapshot: Snapshot) -> Slide:
    """Direction of sliding on every tangent; 0 for contacts that may stick or slide.

    A contact that has no force yet slides as its slip says.
    """
    states = status[snapshot.layout.normal_of]
    slide: Array = np.where(states == FORWARD, 1.0, np.where(states == BACKWARD, -1.0, 0.0))
    undecided = (states == RESTING) | (states == CARRYING)
    if undecided.any():
        slide = np.where(undecided, slides_at(snapshot), slide)
    return slide


def begun(
    status: Statuses, rough: Mask | None, rows: Indices, snapshot: Snapshot, slow: Array
) -> Statuses:
    """Contacts ``rows`` begin to stick or to slide, as their slips say; ``slow`` ones are zero."""
    if rough is None:
        return status
    rows = rows[rough[rows] & closed(status)[rows]]
    tangents = tangents_of(snapshot.layout, rows)
    slips = snapshot.rate[tangents]
    ways = np.where(np.abs(slips) <= slow[tangents], 0.0, np.sign(slips)).astype(np.intp)
    return rubs(status, rows, ways)


def after_problem(status: Statuses, answer: Acceleration, rough: Mask | None) -> Statuses:
    """The status with what (C) says of the contacts with friction that carry force."""
    solution = answer.solution
    if rough is None or not isinstance(solution, FrictionSolution):
        return status
    assert answer.chosen is not None
    rows = answer.chosen[solution.problem.normals]
    told = rough[rows] & (status[rows] >= CARRYING)
    state = solution.set[told]
    ways = np.where(state == ContactState.FORWARD, 1, 0)
    return rubs(status, rows[told], np.where(state == ContactState.BACKWARD, -1, ways))


def slip_states(answer: Acceleration) -> Array | None:
    """How contacts with a slip stand, by tangent, as a result stores it; None without any.

    Those without friction that carry force slide as their slip says.
    """
    layout = answer.snapshot.layout
    if not len(layout.normal_of):
        return None
    states = np.zeros(layout.n_rows)
    rows = answer.chosen if answer.chosen is not None else np.arange(layout.n_rows)
    solution = answer.solution
    if isinstance(solution, FrictionSolution):
        states[rows[solution.problem.normals]] = solution.set
    else:
        states[rows[answer.working]] = ContactState.STICK
    states = states[layout.normal_of]
    slips = answer.snapshot.rate[layout.tangents]
    rough = answer.snapshot.coefficients.rough[layout.normal_of]
    found: Array = np.where(rough, states, by_slip(states > 0.0, slips))
    return found
