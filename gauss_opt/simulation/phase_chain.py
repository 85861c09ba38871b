"""Phase after phase: each run to its end, closed by a plastic impact, and joined to the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.errors import SimulationError
from ..mechanics.collision import Collision
from ..mechanics.consistency.projection import Scales
from ..mechanics.engagement import engage_snapshot
from ..model.snapshot import evaluate
from ..qp.gauss_solver import Counts, GaussSolver
from ..results.joining import closing_impact, cut, join
from ..results.records import Event, EventKind, RunStatus, State
from ..results.result import Result
from .driver import begun
from .event_driven.stepper import Stepper
from .limits import require_within_limits
from .options import Options, make_solver
from .phase import Phase, endings, require_alike
from .progress import reporter
from .settings import Settings, time_span

__all__ = ["PhaseChain"]


@dataclass
class PhaseChain:
    """The phases so far, and what the whole run was asked for."""

    t0: float
    t1: float
    t_eval: ArrayLike | None
    callback: Callable[[State], Any] | None
    progress: bool | Callable[[float, Stepper], Any]
    options: Options
    solver: GaussSolver
    deadline: float = np.inf
    parts: list[Result] = field(default_factory=list)
    impacts: list[Event] = field(default_factory=list)
    counted: Counts = field(default_factory=Counts)

    @classmethod
    def create(
        cls, t_span: Sequence[float], callback: Any, progress: Any, options: Options
    ) -> PhaseChain:
        """A chain without a phase yet."""
        chosen = options.copy()
        chosen.pop("events", None)
        t0, t1 = time_span(t_span)
        if chosen.get("time_scale") is None and t1 > t0:
            chosen["time_scale"] = t1 - t0  # one for all phases, however late they begin
        solver = chosen["solver"] = make_solver(chosen)
        t_eval = chosen.pop("t_eval", None)
        counted = replace(solver.counts)
        return cls(t0, t1, t_eval, callback, progress, chosen, solver, counted=counted)

    def first(self, phase: Phase, q: ArrayLike, v: ArrayLike, *, throw: bool) -> Stepper | Result:
        """The first phase at its start; or a result that says why there is none."""
        return self._begun(phase, q, v, self.t0, self.t_eval, throw=throw)

    def _begun(
        self,
        phase: Phase,
        q: ArrayLike,
        v: ArrayLike,
        t: float,
        t_eval: ArrayLike | None,
        *,
        throw: bool = True,
    ) -> Stepper | Result:
        """A phase from its first state on."""
        _, events = endings(phase)
        asked: Options = {**self.options, "events": events, "t_eval": t_eval}
        settings = Settings.create((t, self.t1), **asked)
        if self.deadline == np.inf:  # the first phase
            self.deadline = monotonic() + settings.max_wall_time
        return begun(phase.system, q, v, settings, self.solver, throw=throw)

    def run(self, stepper: Stepper, phase: Phase) -> Event | None:
        """Step to the event that ends the phase, or to the end of the run."""
        contacts, _ = endings(phase)
        seen = 0
        with reporter(self.progress, stepper, since=self.t0) as report:
            while True:
                for event in stepper.events[seen:]:
                    if event.kind == EventKind.USER or (
                        event.kind == EventKind.IMPACT and contacts.intersection(event.contacts)
                    ):
                        number = len(self.parts)
                        words = f"{event.kind} {', '.join(event.contacts)!r} ended phase {number}"
                        stepper.stop(RunStatus.TERMINATED, f"{words} at t = {event.t:g}")
                        return event
                seen = len(stepper.events)
                if stepper.status != RunStatus.RUNNING:
                    return None
                stepper.step()
                report()
                if self._stopped(stepper):
                    return None

    def _stopped(self, stepper: Stepper) -> bool:
        """Whether the callback ends the run; limits of all phases together are looked at too."""
        if self.callback is not None and self.callback(State(stepper.t, stepper.q, stepper.v)):
            stepper.stop(RunStatus.TERMINATED, f"the callback stopped the run at t = {stepper.t:g}")
            return True
        if stepper.status != RunStatus.RUNNING:
            return False
        settings = stepper.settings
        steps = stepper.stats.steps + sum(part.stats.steps for part in self.parts)
        events = len(stepper.events) + sum(part.stats.events for part in self.parts)
        require_within_limits(settings, steps, events, stepper.whereabouts)
        if monotonic() > self.deadline:
            limit = f"the limit of {settings.max_wall_time:g} s of wall time was reached"
            stepper.stop(RunStatus.WALL_TIME, f"{limit} {stepper.whereabouts()}")
            raise SimulationError(stepper.message)
        return False

    def follow(self, stepper: Stepper, phase: Phase, ending: Event) -> Stepper:
        """Close the constraints of the next phase, and start it."""
        require_alike(stepper.layout, phase.system.dynamics(len(ending.v_before)).layout)
        ending = next(
            e
            for e in stepper.events
            if e is ending or (e.kind == EventKind.IMPACT and e.t == ending.t)
        )
        closing = self._engaged(stepper, phase, ending)
        t_eval = self.t_eval
        if t_eval is not None:
            t_eval = [s for s in np.atleast_1d(t_eval) if s >= ending.t]
        following = self._begun(phase, ending.q, closing.v_after, ending.t, t_eval)
        assert isinstance(following, Stepper)
        self.parts.append(cut(self._counted(stepper), ending, closing))
        self.impacts.append(closing_impact(ending, closing))
        return following

    def _engaged(self, stepper: Stepper, phase: Phase, ending: Event) -> Collision:
        """The impact onto the constraints of the next phase, with the sizes of the run."""
        snapshot = evaluate(phase.system, ending.q, ending.v_before, ending.t)
        settings = stepper.settings
        scales = Scales(snapshot.q, snapshot.v, settings.length_scale, settings.time_scale)
        scales.update(np.abs(stepper.result().q).max(axis=0, initial=0.0), snapshot.v)
        return engage_snapshot(snapshot, self.solver, scales)

    def _counted(self, stepper: Stepper) -> Result:
        """The result of a phase, with the problems that were solved since the one before."""
        result = stepper.result()
        own = self.solver.counts - self.counted
        self.counted = replace(self.solver.counts)
        return replace(result, stats=replace(result.stats, **asdict(own)))

    def result(self, stepper: Stepper) -> Result:
        """All phases as one result; the last says how it ended."""
        return join([*self.parts, self._counted(stepper)], self.impacts)
