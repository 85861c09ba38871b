"""Machines whose constraints change: phase after phase, joined by plastic impacts, as one Result.

A walker stands on one leg until the other touches down; a block rocks about one corner, then about
the other. Within a phase :func:`gauss_opt.simulate` is at work. At its end the constraints of the
next phase close, and :func:`gauss_opt.engage` gives the velocity after.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base.arrays import real_array
from ..base.errors import GaussError, InputError, ModelError, SimulationError, UserFunctionError
from ..mechanics.collision import engage
from ..model.rows import Layout
from ..model.system import System
from ..qp.gauss_solver import Counts, GaussSolver
from ..results.joining import closing_impact, cut, join
from ..results.records import Event, State
from ..results.result import Result
from .driver import start
from .event_driven.stepper import Stepper
from .progress import reporter
from .settings import UserEvent, user_events

__all__ = ["NextPhase", "Phase", "simulate_phases"]

NOT_FOR_PHASES = ("checkpoint", "checkpoint_every", "resume", "record_problems")


@dataclass(frozen=True, eq=False)
class Phase:
    """A system, and what ends its phase.

    Attributes
    ----------
    system : System
    until : str, callable, or sequence or mapping of them
        Names of contacts whose impact ends the phase, or functions of (q, v, t) whose zero does
        (with the attribute ``direction`` as in scipy).
    """

    system: System
    until: Any = ()


NextPhase = Callable[[int, Event], Phase | None]


def simulate_phases(
    first: Phase,
    q0: ArrayLike,
    v0: ArrayLike,
    t_span: Sequence[float],
    next_phase: NextPhase,
    *,
    max_phases: int = 100_000,
    callback: Callable[[State], Any] | None = None,
    progress: bool | Callable[[float, Stepper], Any] = False,
    throw: bool = True,
    **options: Any,
) -> Result:
    """Simulate phase after phase, as one result.

    Parameters
    ----------
    first : Phase
        The phase to begin with.
    q0, v0, t_span
        As for :func:`gauss_opt.simulate`.
    next_phase : function of (number, event)
        The phase that follows the event which ended phase ``number`` (from 0), or None to end
        the run there. All phases must have constraints of the same names, kinds and sizes; a
        system with parameters (``system.with_parameters``) is not traced again.
    max_phases : int
        Limit of phases.
    callback, progress, throw, **options
        As for :func:`gauss_opt.simulate`, without checkpoints and recorded problems. Limits of
        steps, events and wall time are for all phases together.

    Returns
    -------
    Result
        ``result.parts`` are the results of the phases. The event between two of them is an
        ``"impact"`` with the impulses of the constraints that closed, in place of the event that
        ended the phase.

    Raises
    ------
    SimulationError
        When it cannot go on; the phases so far are in ``error.result``.

    Examples
    --------
    A bead on a rod about one pin is caught, as it passes, by a rod about another pin:

    >>> import gauss_opt as go
    >>> rod = go.Holonomic("rod", lambda q, t, pin: (q[0] - pin)**2 + q[1]**2 - 1.0)
    >>> bead = go.System([1.0, 1.0], [0.0, 0.0], [rod], parameters={"pin": 0.0})
    >>> def halfway(q, v, t):
    ...     return q[0] - 0.5
    >>> def caught(number, event):
    ...     return go.Phase(bead.with_parameters(pin=1.0))
    >>> run = go.simulate_phases(
    ...     go.Phase(bead, halfway), [0.0, 1.0], [1.0, 0.0], (0, 1), caught)
    >>> len(run.parts), run.events[0].kind, round(run.events[0].t, 9)
    (2, 'impact', 0.523598776)
    """
    if max_phases < 1:
        raise InputError(f"max_phases must be at least 1, got {max_phases}")
    chain = _Chain.create(t_span, callback, progress, options)
    stepper = chain.start(first, q0, v0, chain.t0, chain.t_eval)
    phase = first
    try:
        while True:
            ending = chain.run(stepper, phase)
            if ending is None:
                break
            following = _ask(next_phase, len(chain.parts), ending)
            if following is None:
                break
            if len(chain.parts) + 1 >= max_phases:
                stepper.stop("phase limit", f"the limit of {max_phases} phases was reached")
                raise SimulationError(f"{stepper.message} at t = {ending.t:g}")
            stepper = chain.follow(stepper, following, ending)
            phase = following
    except KeyboardInterrupt:
        stepper.stop("interrupted", f"interrupted at t = {stepper.t:g}")
    except GaussError as error:
        if stepper.status in ("running", "terminated"):
            stepper.stop("failed", str(error))
        result = chain.result(stepper)
        if throw:
            raise SimulationError(str(error), result) from error
        return result
    return chain.result(stepper)


def _ask(next_phase: NextPhase, number: int, ending: Event) -> Phase | None:
    """The phase that the user wants next; what goes wrong in there is blamed on it."""
    try:
        following = next_phase(number, ending)
    except Exception as error:
        raise UserFunctionError(
            f"next_phase raised {type(error).__name__}: {error} (after phase {number}, at "
            f"t={ending.t:g})",
            function="next_phase",
            t=ending.t,
        ) from error
    if following is not None and not isinstance(following, Phase):
        raise InputError(f"next_phase must return a Phase or None, got {following!r}")
    return following


@dataclass
class _Chain:
    """The phases so far, and what the whole run was asked for."""

    t0: float
    t1: float
    t_eval: ArrayLike | None
    callback: Callable[[State], Any] | None
    progress: bool | Callable[[float, Stepper], Any]
    options: Mapping[str, Any]
    solver: GaussSolver
    deadline: float = np.inf
    parts: list[Result] = field(default_factory=list)
    impacts: list[Event] = field(default_factory=list)
    counted: Counts = field(default_factory=Counts)

    @classmethod
    def create(
        cls, t_span: Sequence[float], callback: Any, progress: Any, options: Mapping[str, Any]
    ) -> _Chain:
        chosen = dict(options)
        if chosen.pop("events", None) is not None:
            raise InputError("simulate_phases takes the events that end a phase as Phase(until=)")
        for word in NOT_FOR_PHASES:
            if word in chosen:
                raise InputError(f"simulate_phases has no {word}=: simulate() does")
        span = real_array("t_span", t_span)
        if span.shape != (2,):
            raise InputError(f"t_span must be (t0, t1), got {t_span!r}")
        t0, t1 = span.tolist()
        if chosen.get("time_scale") is None and t1 > t0:
            chosen["time_scale"] = t1 - t0  # one for all phases, however late they begin
        solver = chosen.pop("solver", "osqp")
        reuse = chosen.pop("reuse_active_set", True)
        if not isinstance(solver, GaussSolver):
            solver = GaussSolver(solver, reuse_active_set=reuse, guess_active_set=reuse)
        t_eval = chosen.pop("t_eval", None)
        chain = cls(t0, t1, t_eval, callback, progress, chosen, solver)
        chain.counted = replace(solver.counts)
        return chain

    def start(
        self, phase: Phase, q: ArrayLike, v: ArrayLike, t: float, t_eval: ArrayLike | None
    ) -> Stepper:
        """A phase from its first state on."""
        _, events = _endings(phase)
        stepper = start(
            phase.system,
            q,
            v,
            (t, self.t1),
            events=events,
            t_eval=t_eval,
            solver=self.solver,
            **self.options,
        )
        if self.deadline == np.inf:  # the first phase
            self.deadline = monotonic() + stepper.settings.max_wall_time
        return stepper

    def run(self, stepper: Stepper, phase: Phase) -> Event | None:
        """Step to the event that ends the phase, or to the end of the run."""
        contacts, _ = _endings(phase)
        seen = 0
        with reporter(self.progress, stepper, since=self.t0) as report:
            while True:
                for event in stepper.events[seen:]:
                    if event.kind == "user" or (
                        event.kind == "impact" and contacts.intersection(event.contacts)
                    ):
                        number = len(self.parts)
                        words = f"{event.kind} {', '.join(event.contacts)!r} ended phase {number}"
                        stepper.stop("terminated", f"{words} at t = {event.t:g}")
                        return event
                seen = len(stepper.events)
                if stepper.status != "running":
                    return None
                stepper.step()
                report()
                if self._stopped(stepper):
                    return None

    def _stopped(self, stepper: Stepper) -> bool:
        """Whether the callback ends the run; limits of all phases together are looked at too."""
        if self.callback is not None and self.callback(State(stepper.t, stepper.q, stepper.v)):
            stepper.stop("terminated", f"the callback stopped the run at t = {stepper.t:g}")
            return True
        if stepper.status != "running":
            return False
        settings = stepper.settings
        steps = stepper.stats.steps + sum(part.stats.steps for part in self.parts)
        events = len(stepper.events) + sum(part.stats.events for part in self.parts)
        for count, limit, what in (
            (steps, settings.max_steps, "steps"),
            (events, settings.max_events, "events"),
        ):
            if count >= limit:
                raise SimulationError(f"the limit of {limit} {what} was reached")
        if monotonic() > self.deadline:
            seconds = settings.max_wall_time
            stepper.stop("wall time", f"the limit of {seconds:g} s of wall time was reached")
            raise SimulationError(stepper.message)
        return False

    def follow(self, stepper: Stepper, phase: Phase, ending: Event) -> Stepper:
        """Close the constraints of the next phase, and start it."""
        _require_alike(stepper.compiled.layout, phase.system.compiled(len(ending.v_before)).layout)
        ending = next(
            e for e in stepper.events if e is ending or (e.kind == "impact" and e.t == ending.t)
        )
        closing = engage(phase.system, ending.q, ending.v_before, ending.t, solver=self.solver)
        t_eval = self.t_eval
        if t_eval is not None:
            t_eval = [s for s in np.atleast_1d(t_eval) if s >= ending.t]
        following = self.start(phase, ending.q, closing.v_after, ending.t, t_eval)
        self.parts.append(cut(self._counted(stepper), ending, closing))
        self.impacts.append(closing_impact(ending, closing))
        return following

    def _counted(self, stepper: Stepper) -> Result:
        """The result of a phase, with the problems that were solved since the one before."""
        result = stepper.result()
        own = self.solver.counts - self.counted
        self.counted = replace(self.solver.counts)
        return replace(result, stats=replace(result.stats, **asdict(own)))

    def result(self, stepper: Stepper) -> Result:
        """All phases as one result; the last says how it ended."""
        return join([*self.parts, self._counted(stepper)], self.impacts)


def _endings(phase: Phase) -> tuple[frozenset[str], tuple[UserEvent, ...]]:
    """Names of contacts, and functions, that end a phase."""
    until = phase.until
    contacts: frozenset[str] = frozenset()
    if isinstance(until, str) or callable(until):
        until = [until]
    if isinstance(until, Sequence):
        contacts = frozenset(item for item in until if isinstance(item, str))
        until = [item for item in until if not isinstance(item, str)]
    known = [contact.name for contact in phase.system.contacts]
    for name in contacts:
        if name not in known:
            listed = ", ".join(known) or "none"
            raise ModelError(f"until={name!r} is not a contact of the phase; there are: {listed}")
    return contacts, tuple(replace(event, terminal=True) for event in user_events(until))


def _require_alike(one: Layout, other: Layout) -> None:
    """Refuse a phase whose constraints have other names, kinds or sizes."""

    def listed(layout: Layout) -> list[str]:
        return [f"{block.item} ({block.size})" for block in layout.blocks]

    if listed(one) != listed(other):
        raise ModelError(
            f"all phases must have constraints of the same names, kinds and sizes: "
            f"{', '.join(listed(one)) or 'none'} in the first, "
            f"{', '.join(listed(other)) or 'none'} in the next"
        )
