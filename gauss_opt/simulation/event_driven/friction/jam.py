"""An impact without collision: contacts slide where no force satisfies Coulomb's law (Painleve).

The force draws the contact together faster than it holds: impulses act without an approach. They
are the limit, for a time that goes to zero, of (C) for the velocities at the end of that time. At
the limit itself no impulse would be an answer as well, so it is approached.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays import Array, Indices
from ....base.errors import PainleveError
from ....base.tolerances.simulation import JAM_TIME
from ....mechanics.collision import Collision
from ....mechanics.impact import Impact, Jump
from ....model.snapshot import Snapshot
from ....qp.friction.solution import FrictionSolution
from ....qp.friction.states import States
from ..context import Context
from .ways import tangents_of

__all__ = ["impact_without_collision"]

ROUNDS = 4


def impact_without_collision(
    context: Context, snapshot: Snapshot, contacts: Indices, wedged: PainleveError
) -> Collision:
    """What the closed ``contacts`` do to the velocities where their forces have no solution."""
    free: Array = np.asarray(np.linalg.solve(snapshot.mass, _load(snapshot)), dtype=float)
    rows = np.concatenate([contacts, _rough_tangents(context, contacts)])
    gathered = np.abs(snapshot.rows_of(rows) @ free - snapshot.rhs[rows]).max()
    slips = np.abs(snapshot.rate[rows]).max()
    if not slips > 0.0:
        raise wedged
    time = JAM_TIME * slips / gathered
    for _ in range(ROUNDS):
        jump, half = (_after(context, snapshot, contacts, free, t) for t in (time, 0.5 * time))
        if np.array_equal(_set(jump), _set(half)):
            v = 2.0 * half.v - jump.v  # linear in the time, on one set
            impulses = 2.0 * half.impulses - jump.impulses
            if impulses[contacts].max() <= 0.0:
                raise wedged
            after = snapshot.at_velocity(v)
            return Collision(snapshot, contacts, v, impulses, after.rate, (half,))
        time *= 0.1
    raise wedged


def _after(
    context: Context, snapshot: Snapshot, contacts: Indices, free: Array, time: float
) -> Jump:
    """The velocity at the end of a short time, with the impulses in it."""
    impact = Impact.at(snapshot, contacts, context.solver)
    return impact.solve(
        time * snapshot.rhs[contacts],
        velocity=snapshot.v + time * free,
        reversed_slips=-time * snapshot.rhs,
    )


def _set(jump: Jump) -> States:
    assert isinstance(jump.solution, FrictionSolution)
    return jump.solution.set


def _load(snapshot: Snapshot) -> Array:
    return snapshot.force if snapshot.nonideal is None else snapshot.force + snapshot.nonideal


def _rough_tangents(context: Context, contacts: Indices) -> Indices:
    assert context.rough is not None
    return tangents_of(context.layout, contacts[context.rough[contacts]])
