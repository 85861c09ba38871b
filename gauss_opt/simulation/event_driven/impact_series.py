"""The impacts of a run as a series, and its limit once it has one."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...base.arrays import Array
from ...mechanics.collision import Collision
from ...mechanics.impact import Impact
from ...results.records import Event
from .accumulation import Accumulation, Bounce, detect
from .response import classify, merged
from .run import Run

__all__ = ["Bounces"]

ACCUMULATED = 1e-9  # bounces lower than this, relative, may be summed up
LOST = 1e-15  # bounces lower than this are round-off
LIMIT_SPREAD = 1e-10  # spread of the estimates of an accumulation time, relative
MEMORY = 2000


@dataclass(eq=False)
class Bounces:
    """Impacts so far, when each contact was struck last, and the limit that is being closed.

    Attributes
    ----------
    series : list of Bounce
    struck : (m,) array
        Time of the last impact of each row.
    rates : (m,) array
        Rate at which each row left it.
    pending : (Accumulation, Event) or None
        A limit the run is on its way to, with its contacts held closed.
    """

    struck: Array
    rates: Array
    series: list[Bounce] = field(default_factory=list)
    pending: tuple[Accumulation, Event] | None = None

    @classmethod
    def none(cls, n_rows: int) -> Bounces:
        """No impact yet."""
        return cls(np.full(n_rows, -np.inf), np.zeros(n_rows))

    def note(self, run: Run, collisions: list[Collision]) -> None:
        """Note an event's impacts; when the series has a limit, close its contacts."""
        struck = frozenset(
            int(row)
            for collision in collisions
            for row in collision.contacts
            if collision.row_impulses[row] > 0.0
        )
        if not struck:
            return
        t = run.now.t
        lengths = run.scales.lengths(run.now)
        heights = [self._height(run, row, collisions, float(lengths[row])) for row in struck]
        for row in struck:
            self.struck[row], self.rates[row] = t, abs(float(run.now.rate[row]))
        self.series.append(Bounce(t, struck, max(heights)))
        del self.series[:-MEMORY]
        limit = detect(
            self.series,
            time_tolerance=LIMIT_SPREAD * max(abs(t), run.scales.time),
            height=ACCUMULATED,
            round_off=LOST,
        )
        if limit is not None:
            self._close_contacts(run, limit)

    def _height(self, run: Run, row: int, collisions: list[Collision], length: float) -> float:
        """An upper bound of the gap since the contact was struck before, relative."""
        apart = run.now.t - self.struck[row]
        if apart == np.inf:
            return np.inf
        approach = max(abs(float(c.snapshot.rate[row])) for c in collisions)
        return float(apart * max(self.rates[row], approach) / max(length, 1e-300))

    def _close_contacts(self, run: Run, limit: Accumulation) -> None:
        """Remove the rates of the word's contacts; they rest until the limit."""
        self.series.clear()
        snapshot, state = run.now, run.state
        word = np.array(sorted(limit.contacts), dtype=np.intp)
        resting = merged(word, np.flatnonzero(state.resting))
        impact = Impact.at(snapshot, resting, run.solver)
        jump = impact.solve(np.zeros(len(resting)), equality=True)
        state.resting[resting] = True
        state.carrying[resting] = True
        state.leaving[resting] = False
        run.now = run.with_velocity(snapshot, jump.v)
        stop = Collision(snapshot, resting, jump.v, jump.impulses, run.now.rate, (jump,))
        event = Event(
            "accumulation",
            limit.t,
            run.names(word),
            snapshot.q,
            snapshot.v,
            jump.v,
            energy_change=stop.energy_change,
            constraint_work=stop.work_of_moving_constraints,
            exact=limit.exact,
        )
        self.pending = (limit, event)
        if limit.t <= run.now.t:
            self.reach_limit(run)

    def reach_limit(self, run: Run) -> None:
        """At the limit the contacts rest for good; (G) says which of them carry force."""
        assert self.pending is not None
        event = self.pending[1]
        self.pending = None
        answer = classify(run, run.now)
        run.recorder.events.append(
            Event(
                "accumulation",
                run.now.t,
                event.contacts,
                run.now.q,
                event.v_before,
                run.now.v,
                energy_change=event.energy_change,
                constraint_work=event.constraint_work,
                exact=event.exact,
            )
        )
        run.store(answer, far_side=True)
