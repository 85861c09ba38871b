"""The impacts of one event: one after the other until no closed contact approaches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import SimulationError
from ...base.tolerances.simulation import SLOW, SLOW_IN_IMPACT
from ...mechanics.collision import Collision, collide_snapshot
from ...mechanics.consistency.projection import Scales
from ...mechanics.impact_laws import Poisson
from ...model.snapshot import Snapshot
from .context import Context

__all__ = ["Impacts", "approaches", "impacts", "remedy"]

MAX_REPEATED_IMPACTS = 100


class Impacts(NamedTuple):
    """What the impacts of an event have done.

    Attributes
    ----------
    snapshot : Snapshot
        The state after.
    collisions : tuple of Collision
    slow : (m,) array
        Rates that count as zero.
    stopped : bool
        Whether the contacts had to be stopped, as a last resort.
    """

    snapshot: Snapshot
    collisions: tuple[Collision, ...]
    slow: Array
    stopped: bool


def approaches(snapshot: Snapshot, contacts: Indices, scales: Scales) -> bool:
    """Whether one of these closed contacts approaches."""
    slow = _slow(snapshot, scales, ())
    return bool((snapshot.rate[contacts] < -slow[contacts]).any())


def impacts(context: Context, scales: Scales, snapshot: Snapshot, touching: Indices) -> Impacts:
    """Solve impacts until none of the ``touching`` contacts approaches."""
    collisions: list[Collision] = []
    for _ in range(MAX_REPEATED_IMPACTS):
        slow = _slow(snapshot, scales, collisions)
        if not (snapshot.rate[touching] < -slow[touching]).any():
            return Impacts(snapshot, tuple(collisions), slow, False)
        taking_part = touching[snapshot.rate[touching] <= slow[touching]]
        law, solver = context.settings.law, context.solver
        collision = collide_snapshot(snapshot, taking_part, law, solver, slow)
        _audit(context, collision)
        collisions.append(collision)
        snapshot = snapshot.at_velocity(collision.v_after)
    # Contacts that pass a motion to and fro without end are stopped together.
    jump = context.stop_contacts(snapshot, touching)
    after = snapshot.at_velocity(jump.v)
    collisions.append(Collision(snapshot, touching, jump.v, jump.impulses, after.rate, (jump,)))
    return Impacts(after, tuple(collisions), _slow(after, scales, collisions), True)


def _slow(snapshot: Snapshot, scales: Scales, collisions: Sequence[Collision]) -> Array:
    """Rates below this are zero: relative to the speeds of the run, and of this impact."""
    slow: Array = SLOW * scales.speeds(snapshot)
    if collisions:
        first = collisions[0]
        fastest = float(np.abs(first.snapshot.rate[first.contacts]).max(initial=0.0))
        slow = np.minimum(slow, SLOW_IN_IMPACT * fastest)
    return slow


def _audit(context: Context, collision: Collision) -> None:
    context.note_residual(collision.certificate.worst)
    if collision.gains_energy and context.settings.refuse_energy_gain:
        raise SimulationError(
            f"the impact at t = {collision.snapshot.t:.9g} raises the energy by "
            f"{collision.dissipation:.6g} under {context.settings.law}; {remedy(context)}, or "
            f"refuse_energy_gain=False"
        )


def remedy(context: Context) -> str:
    """What to do about an impact that gains energy."""
    if context.rough is None:
        return "use Newton() or Poisson()"
    if isinstance(context.settings.law, Poisson):
        return "give all contacts the same restitution, or use law=Sequential(Poisson())"
    return "with friction use law='poisson'"
