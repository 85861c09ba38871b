"""What the compiled engine answers, looked at by the Python engine now and then.

Every step and every impact has its certificate in the compiled engine. Here the last of them in a
stretch are certified once more, from numbers that are evaluated anew: an engine that computes
something else, whatever the reason, does not get further than that.
"""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array
from ...base.errors import InfeasibleError, SolverError
from ...base.tolerances.base import TINY
from ...base.tolerances.mechanics import FOLLOWS
from ...base.tolerances.simulation import PENETRATED, SAME_ACCELERATION
from ...mechanics.acceleration import accelerate_rows
from ...mechanics.consistency.projection import drift
from ...model.snapshot import Snapshot
from ...qp.gauss_solver import GaussSolver
from ..event_driven.contact_status import in_problem, present_and_open
from ..event_driven.context import Context
from ..event_driven.segment import flow_of
from ..run_state import RunState
from .taken import Taken

__all__ = ["confirmed"]


def confirmed(
    context: Context, solver: GaussSolver, state: RunState, now: Snapshot, taken: Taken
) -> bool:
    """Whether the end of a stretch, and its last impact, are what (G) says.

    Parameters
    ----------
    solver : GaussSolver
        One of its own: that of the run must not remember what was asked here.
    state : RunState
        At the end.
    now : Snapshot
        The same, evaluated.
    """
    if not (_on_surfaces(context, state, now) and _balanced(context, taken)):
        return False
    try:
        answer = accelerate_rows(now, solver, in_problem(state.status))
    except (InfeasibleError, SolverError):
        return False
    a = taken.last_acceleration(now.t)
    if a is None:
        return True
    return _same(a, answer.acceleration, np.abs(now.force).max() / np.abs(now.mass).max())


def _same(found: Array, wanted: Array, typical: float) -> bool:
    size = np.abs(wanted).max() + np.abs(found).max() + typical
    return bool(np.abs(found - wanted).max() <= SAME_ACCELERATION * size)


def _on_surfaces(context: Context, state: RunState, now: Snapshot) -> bool:
    """No drift from what is held, and no open contact behind its surface."""
    flow = flow_of(context, state.status)
    if not max(drift(now, flow.position_rows, flow.velocity_rows, state.scales)) <= FOLLOWS:
        return False
    rows = present_and_open(state.status, now.layout)
    depths = -now.value[rows] / (state.scales.lengths(now)[rows] + TINY)
    return bool(depths.max(initial=0.0) <= PENETRATED)


def _balanced(context: Context, taken: Taken) -> bool:
    """Whether the impulses of the last impact are the change of momentum."""
    last = taken.last_impact()
    if last is None:
        return True
    there = context.at(last.t, np.concatenate([last.q, last.before]))
    given = last.impulses @ there.rows_of(last.rows)
    change = there.mass @ (last.after - last.before)
    size = np.abs(there.mass) @ (np.abs(last.before) + np.abs(last.after))
    return bool((np.abs(given - change) <= FOLLOWS * (size + np.abs(given))).all())
