"""Machines whose constraints change: phase after phase, joined by plastic impacts, as one Result.

A walker stands on one leg until the other touches down; a block rocks about one corner, then about
the other. Within a phase :func:`gauss_opt.simulate` is at work. At its end the constraints of the
next phase close, and :func:`gauss_opt.engage` gives the velocity after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .collision import Collision, engage
from .errors import InputError, ModelError, SimulationError
from .problem import real_array
from .progress import reporter
from .records import Event, Stats
from .result import Result
from .settings import UserEvent, user_events
from .simulate import start
from .stepper import Stepper
from .system import System

__all__ = ["NextPhase", "Phase", "simulate_phases"]


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
    until: Any


NextPhase = Callable[[int, Event], Phase | None]


def simulate_phases(
    first: Phase,
    q0: ArrayLike,
    v0: ArrayLike,
    t_span: Sequence[float],
    next_phase: NextPhase,
    *,
    max_phases: int = 100_000,
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
        the run there. All phases must have constraints of the same names and sizes; a system
        with parameters (``system.with_parameters``) is not traced again.
    max_phases : int
        Limit of phases.
    progress, throw, **options
        As for :func:`gauss_opt.simulate`.

    Returns
    -------
    Result
        ``result.parts`` are the results of the phases. The event between two of them is an
        ``"impact"`` with the impulses of the constraints that closed.

    Examples
    --------
    A bead on a rod about one pin is caught, as it passes, by a rod about another pin:

    >>> import gauss_opt as go
    >>> rod = go.Holonomic("rod", lambda q, t, pin: (q[0] - pin)**2 + q[1]**2 - 1.0)
    >>> bead = go.System([1.0, 1.0], [0.0, 0.0], [rod], parameters={"pin": 0.0})
    >>> def halfway(q, v, t):
    ...     return q[0] - 0.5
    >>> def caught(number, event):
    ...     return go.Phase(bead.with_parameters(pin=1.0), until=())
    >>> run = go.simulate_phases(
    ...     go.Phase(bead, halfway), [0.0, 1.0], [1.0, 0.0], (0, 1), caught)
    >>> len(run.parts), run.events[0].kind, round(run.events[0].t, 9)
    (2, 'impact', 0.523598776)
    """
    options = dict(options)
    if options.get("events") is not None:
        raise InputError("simulate_phases takes the events that end a phase as Phase(until=...)")
    span = real_array("t_span", t_span)
    if span.shape != (2,):
        raise InputError(f"t_span must be (t0, t1), got {t_span!r}")
    t, t1 = span.tolist()
    t_eval = options.pop("t_eval", None)
    phase: Phase | None = first
    q, v = q0, v0
    parts: list[Result] = []
    impacts: list[Event] = []
    while phase is not None:
        if len(parts) >= max_phases:
            message = f"the limit of {max_phases} phases was reached at t = {t:g}"
            return _failed(_joined(parts, impacts, "phase limit", message), throw)
        contacts, events = _endings(phase)
        times = None if t_eval is None else [s for s in np.atleast_1d(t_eval) if t <= s <= t1]
        stepper = start(phase.system, q, v, (t, t1), events=events, t_eval=times, **options)
        try:
            with reporter(progress, stepper) as report:
                ending = _run_until(stepper, {*contacts, *(event.name for event in events)}, report)
        except KeyboardInterrupt:
            stepper.stop("interrupted", f"interrupted at t = {stepper.t:g}")
            return _joined([*parts, stepper.result()], impacts)
        except SimulationError as error:
            part = stepper.result()
            return _failed(_joined([*parts, part], impacts), throw, error)
        part = stepper.result()
        if ending is None:
            return _joined([*parts, part], impacts)
        phase = next_phase(len(parts), ending)
        if phase is None:
            return _joined([*parts, part], impacts)
        closing = engage(phase.system, ending.q, ending.v_before, ending.t, solver=stepper.solver)
        parts.append(_cut(part, ending, closing))
        impacts.append(_impact(ending, closing))
        q, v, t = closing.snapshot.q, closing.v_after, ending.t
    return _joined(parts, impacts)


def _endings(phase: Phase) -> tuple[tuple[str, ...], tuple[UserEvent, ...]]:
    """Names of contacts, and functions, that end a phase."""
    until = phase.until
    if isinstance(until, str) or callable(until):
        until = [until]
    if isinstance(until, Sequence):
        contacts = tuple(item for item in until if isinstance(item, str))
        until = [item for item in until if not isinstance(item, str)]
    else:
        contacts = ()
    known = {contact.name for contact in phase.system.contacts}
    for name in contacts:
        if name not in known:
            listed = ", ".join(sorted(known)) or "none"
            raise ModelError(f"until={name!r} is not a contact of the phase; there are: {listed}")
    return contacts, tuple(replace(event, terminal=True) for event in user_events(until))


def _run_until(stepper: Stepper, endings: set[str], report: Callable[[], None]) -> Event | None:
    """Step to the first event that ends the phase, or to the end of the run."""
    seen = 0
    while True:
        for event in stepper.events[seen:]:
            if event.kind in ("impact", "user") and endings.intersection(event.contacts):
                return event
        seen = len(stepper.events)
        if stepper.status != "running":
            return None
        stepper.step()
        report()


def _cut(part: Result, ending: Event, closing: Collision) -> Result:
    """A phase up to the near side of the event that ends it, without that event."""
    keep = int(np.searchsorted(part.t, ending.t, side="left")) + 1
    stats = replace(
        part.stats,
        impacts=part.stats.impacts + (ending.kind == "user"),
        worst_residual=max(part.stats.worst_residual, closing.certificate.worst),
    )
    return replace(
        part,
        **{name: getattr(part, name)[:keep] for name in ("t", "q", "v", "a")},
        rows={name: rows[:keep] for name, rows in part.rows.items()},
        forces={name: rows[:keep] for name, rows in part.forces.items()},
        events=tuple(e for e in part.events if e is not ending and e.t <= ending.t),
        stats=stats,
    )


def _impact(ending: Event, closing: Collision) -> Event:
    """The impact with which the constraints of the next phase close."""
    return Event(
        "impact",
        ending.t,
        ending.contacts,
        ending.q,
        ending.v_before,
        closing.v_after,
        impulses=closing.impulses,
        energy_change=closing.energy_change,
        constraint_work=closing.work_of_moving_constraints,
        gains_energy=closing.gains_energy,
        detail="the next phase begins",
    )


def _joined(
    parts: Sequence[Result], impacts: Sequence[Event], status: str = "", message: str = ""
) -> Result:
    """All phases as one result; the last says how it ended, unless told otherwise."""
    first, last = parts[0], parts[-1]
    for part in parts:
        if part.row_names != first.row_names or part.contacts != first.contacts:
            raise ModelError(
                f"all phases must have the same constraints: {', '.join(first.row_names)} in the "
                f"first, {', '.join(part.row_names)} in another"
            )
    status = status or last.status

    def rows(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    return replace(
        last,
        success=last.success and all(part.stats.worst_residual <= 1e-9 for part in parts),
        status=status,
        message=message or last.message,
        t=rows("t"),
        q=rows("q"),
        v=rows("v"),
        a=rows("a"),
        rows={k: np.concatenate([part.rows[k] for part in parts]) for k in first.rows},
        forces={k: np.concatenate([part.forces[k] for part in parts]) for k in first.forces},
        events=tuple(_in_turn([part.events for part in parts], impacts)),
        pieces=tuple(piece for part in parts for piece in part.pieces),
        stats=_total([part.stats for part in parts]),
        settings={**last.settings, "t_span": [first.settings["t_span"][0],
                                              last.settings["t_span"][1]]},
        parts=tuple(parts) if len(parts) > 1 else (),
    )  # fmt: skip


def _in_turn(events: Sequence[Sequence[Event]], impacts: Sequence[Event]) -> Iterator[Event]:
    """The events of each phase, and the impact after it."""
    for number, within in enumerate(events):
        yield from within
        yield from impacts[number : number + 1]


def _total(stats: Sequence[Stats]) -> Stats:
    """Counts and times added up, the worst of what is worst."""
    total: dict[str, Any] = {}
    for item in fields(Stats):
        values = [getattr(part, item.name) for part in stats]
        if item.name.startswith("worst"):
            total[item.name] = max(values)
        elif item.name == "rank_drops":
            total[item.name] = [t for times in values for t in times]
        elif item.name == "seconds":
            parts = {part for times in values for part in times}
            total[item.name] = {p: sum(times.get(p, 0.0) for times in values) for p in parts}
        else:
            total[item.name] = sum(values)
    return Stats(**total)


def _failed(result: Result, throw: bool, error: SimulationError | None = None) -> Result:
    result = replace(result, success=False)
    if throw:
        raise SimulationError(str(error) if error else result.message, result) from error
    return result
