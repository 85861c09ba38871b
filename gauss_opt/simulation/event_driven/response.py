"""What an event does: impacts while a closed contact approaches, then the new active set."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array, Indices, Mask
from ...base.errors import SimulationError
from ...mechanics.acceleration import Acceleration
from ...mechanics.collision import Collision, collide_snapshot
from ...mechanics.impact import Impact
from ...model.snapshot import Snapshot
from ...results.records import Event
from .release import opening_rates
from .run import ROUND_OFF, SIMULTANEOUS, Run

__all__ = ["approaches", "classify", "hold", "let_go", "merged", "settle", "touching_at"]

SLOW = 1e-10  # a rate this small, relative to the speeds of the run, is zero
CLOSED = 1e-9  # a gap this small, relative, is closed at the start of a run
MAX_REPEATED_IMPACTS = 100


def touching_at(run: Run, snapshot: Snapshot) -> Indices:
    """Open contacts whose gap is zero, at the start of a run."""
    rows = run.state.open_contacts
    closed = snapshot.value[rows] <= CLOSED * run.scales.lengths(snapshot)[rows]
    return _existing(snapshot, rows[closed])


def approaches(run: Run, snapshot: Snapshot, rows: Indices) -> bool:
    """Whether one of these closed contacts approaches."""
    slow = _slow(run, snapshot, [])
    return bool((snapshot.rate[rows] < -slow[rows]).any())


def settle(run: Run, snapshot: Snapshot, triggered: Indices, kind: str) -> list[Collision]:
    """Go through an event at which rows are triggered; the run is then ready for a new segment.

    Parameters
    ----------
    triggered : array of int
        Contacts that close, or velocity limits that are reached.
    kind : str
        ``"contact"``, ``"graze"`` or ``"limit"``.
    """
    state = run.state
    before = state.resting | state.carrying
    contacts = triggered[triggered < run.layout.contacts.stop]
    closed = _closing_together(run, snapshot, contacts)
    snapshot, collisions, slow, stopped = _impacts(run, snapshot, closed)
    run.now = snapshot
    for row in merged(closed, np.flatnonzero(state.resting)):
        stays = bool(abs(snapshot.rate[row]) <= slow[row])
        state.resting[row], state.leaving[row] = stays, not stays
        state.carrying[row] &= stays
    limits = triggered[triggered >= run.layout.contacts.stop]
    state.carrying[limits] = True
    state.carrying[_reached_limits(run, snapshot)] = True
    answer = _opened(run, classify(run, snapshot), closed)
    snapshot = run.now
    after = state.resting | state.carrying
    for collision in collisions:
        _announce_impact(run, collision, stopped and collision is collisions[-1])
    if not collisions and kind == "graze":
        _announce(run, "graze", snapshot, triggered)
    if not np.array_equal(before, after):
        _announce_released(run, snapshot, before & ~after)
        on = np.flatnonzero(after & ~before)
        _announce(run, "limit", snapshot, on[on >= run.layout.contacts.stop], "on")
    run.store(answer, far_side=True)
    return collisions


def let_go(run: Run, snapshot: Snapshot, rows: Indices) -> None:
    """Rows whose force has reached zero let go; all others are asked again."""
    state = run.state
    before = state.resting | state.carrying
    contacts = rows[rows < run.layout.contacts.stop]
    state.carrying[rows] = False
    state.resting[contacts] = False
    state.leaving[contacts] = True
    carrying = state.carrying.copy()
    answer = classify(run, snapshot)
    after = state.resting | state.carrying
    if not len(rows) and np.array_equal(before, after) and np.array_equal(carrying, state.carrying):
        # (G) changed by next to nothing: contacts that rest without force are free to go.
        idle = state.resting & ~state.carrying
        state.resting &= ~idle
        state.leaving |= idle
        answer = run.solve(snapshot)
    _announce_released(run, snapshot, before & ~(state.resting | state.carrying))
    run.store(answer, far_side=True)


def hold(run: Run, snapshot: Snapshot, rows: Indices) -> None:
    """Contacts that come back in less time than there is between two floats: they rest.

    Their rates are removed; (G) says whether they carry, idle or open.
    """
    state = run.state
    touching = merged(rows, np.flatnonzero(state.resting))
    jump = Impact.at(snapshot, touching, run.solver).solve(np.zeros(len(touching)), equality=True)
    run.now = run.with_velocity(snapshot, jump.v)
    state.resting[rows] = True
    state.leaving[rows] = False
    run.store(classify(run, run.now), far_side=True)


def classify(run: Run, snapshot: Snapshot) -> Acceleration:
    """Solve (G) for the resting contacts, and see which of them carry, idle or open."""
    state, contacts = run.state, run.layout.contacts
    while True:
        answer = run.solve(snapshot)
        rows = run.problem_rows()
        carries = np.zeros(len(rows), dtype=bool)
        carries[answer.solution.working] = True
        carries &= answer.solution.row_multipliers > 0.0
        inequality = rows >= contacts.start
        state.carrying[rows[inequality]] = carries[inequality]
        idle = np.flatnonzero(state.resting & ~state.carrying)
        opening = idle[opening_rates(run, snapshot, answer.acceleration, idle) > 0.0]
        if not len(opening):
            return answer
        state.resting[opening] = False
        state.leaving[opening] = True


def _opened(run: Run, answer: Acceleration, closed: Indices) -> Acceleration:
    """The answer, with no closed contact that opens by its acceleration still on its way down.

    Its rate is below zero by what counts as zero. Left there, it would close again before the
    acceleration has turned it, at the same place, and so on without end.
    """
    state, snapshot = run.state, run.now
    rows = closed[state.leaving[closed] & (snapshot.rate[closed] < 0.0)]
    if not len(rows):
        return answer
    rows = merged(rows, np.flatnonzero(state.resting))
    jump = Impact.at(snapshot, rows, run.solver).solve(np.zeros(len(rows)))
    run.now = run.with_velocity(snapshot, jump.v)
    return run.solve(run.now)


def merged(rows: Indices, others: Indices) -> Indices:
    """Rows that are in one or the other, ascending; cheap when one has nothing to add."""
    if not len(others) or np.array_equal(rows, others):
        return rows
    if not len(rows):
        return others
    union: Indices = np.union1d(rows, others)
    return union


def _existing(snapshot: Snapshot, rows: Indices) -> Indices:
    """Without contacts that are switched off."""
    return rows if snapshot.enabled is None else rows[snapshot.enabled[rows]]


def _closing_together(run: Run, snapshot: Snapshot, triggered: Indices) -> Indices:
    """The contacts of an event: those that triggered it, and any that close with them."""
    rows = run.state.open_contacts
    near = np.abs(snapshot.rate[rows]) * SIMULTANEOUS * run.scales.time
    near += 10 * ROUND_OFF * run.scales.lengths(snapshot)[rows]
    also = _existing(snapshot, rows[snapshot.value[rows] <= near])
    return merged(triggered, also)


def _reached_limits(run: Run, snapshot: Snapshot) -> Indices:
    rows = run.state.inactive_limits
    reached: Indices = rows[
        snapshot.value[rows] <= 1e3 * ROUND_OFF * run.scales.speeds(snapshot)[rows]
    ]
    return reached


def _impacts(
    run: Run, snapshot: Snapshot, closed: Indices
) -> tuple[Snapshot, list[Collision], Array, bool]:
    """Solve impacts until no closed contact approaches.

    Returns the state after, the collisions, the rates that count as zero, and whether the contacts
    had to be stopped.
    """
    collisions: list[Collision] = []
    touching = merged(closed, np.flatnonzero(run.state.resting))
    for _ in range(MAX_REPEATED_IMPACTS):
        slow = _slow(run, snapshot, collisions)
        if not (snapshot.rate[touching] < -slow[touching]).any():
            return snapshot, collisions, slow, False
        taking_part = touching[snapshot.rate[touching] <= slow[touching]]
        collision = collide_snapshot(snapshot, taking_part, run.settings.law, run.solver, slow)
        _audit(run, collision)
        collisions.append(collision)
        snapshot = run.with_velocity(snapshot, collision.v_after)
    # Contacts that pass a motion to and fro without end are stopped together.
    jump = Impact.at(snapshot, touching, run.solver).solve(np.zeros(len(touching)))
    after = run.with_velocity(snapshot, jump.v)
    collisions.append(Collision(snapshot, touching, jump.v, jump.impulses, after.rate, (jump,)))
    return after, collisions, _slow(run, after, collisions), True


def _audit(run: Run, collision: Collision) -> None:
    run.note_residual(collision.certificate.worst)
    if run.harvest is not None:
        run.harvest += [jump.solution.problem for jump in collision.jumps]
    if collision.gains_energy and run.settings.refuse_energy_gain:
        raise SimulationError(
            f"the impact at t = {collision.snapshot.t:.9g} raises the energy by "
            f"{collision.dissipation:.6g} under {run.settings.law}; use Newton() or Poisson(), or "
            f"refuse_energy_gain=False"
        )


def _slow(run: Run, snapshot: Snapshot, collisions: list[Collision]) -> Array:
    """Rates below this are zero: relative to the speeds of the run, and of this impact."""
    slow: Array = SLOW * run.scales.speeds(snapshot)
    if collisions:
        first = collisions[0]
        fastest = float(np.abs(first.snapshot.rate[first.contacts]).max(initial=0.0))
        slow = np.minimum(slow, 1e-3 * fastest)
    return slow


def _announce_impact(run: Run, collision: Collision, stopped: bool) -> None:
    run.stats.impacts += 1
    run.recorder.events.append(
        Event(
            "impact",
            collision.snapshot.t,
            run.names(collision.contacts),
            collision.snapshot.q,
            collision.v_before,
            collision.v_after,
            dict(collision.impulses),
            collision.energy_change,
            collision.work_of_moving_constraints,
            collision.gains_energy,
            detail="stopped as a last resort" if stopped else "",
        )
    )


def _announce_released(run: Run, snapshot: Snapshot, gone: Mask) -> None:
    rows = np.flatnonzero(gone)
    _announce(run, "release", snapshot, rows[rows < run.layout.contacts.stop])
    _announce(run, "limit", snapshot, rows[rows >= run.layout.contacts.stop], "off")


def _announce(run: Run, kind: str, snapshot: Snapshot, rows: Indices, detail: str = "") -> None:
    """An event without a jump."""
    if len(rows):
        v = snapshot.v
        run.recorder.events.append(
            Event(kind, snapshot.t, run.names(rows), snapshot.q, v, v, detail=detail)
        )
