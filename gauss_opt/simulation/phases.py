"""Machines whose constraints change: phase after phase, joined by plastic impacts, as one Result.

A walker stands on one leg until the other touches down; a block rocks about one corner, then about
the other. Within a phase :func:`gauss_opt.simulate` is at work. At its end the constraints of the
next phase close, and :func:`gauss_opt.engage` gives the velocity after.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from numpy.typing import ArrayLike

from ..base.arguments import function, whole_number
from ..base.errors import GaussError, InputError, SimulationError
from ..results.records import RunStatus, State
from ..results.result import Result
from .driver import require_watchers
from .event_driven.stepper import Stepper
from .options import Options, require_known, with_options
from .phase import NextPhase, Phase, ask_for_next
from .phase_chain import PhaseChain

__all__ = ["NextPhase", "Phase", "simulate_phases"]

ELSEWHERE = {
    "events": "simulate_phases takes the events that end a phase as Phase(until=)",
    **{
        word: f"simulate_phases has no {word}=: simulate() does"
        for word in ("checkpoint", "checkpoint_every", "resume", "record_problems")
    },
}


@with_options("events")
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
    **options: Unpack[Options],
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
    callback, progress, throw
        As for :func:`gauss_opt.simulate`.
    **options

    Limits of steps, events and wall time are for all phases together.

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
    _require_options(options)
    max_phases = whole_number("max_phases", max_phases)
    require_watchers(callback, progress, throw)
    if not isinstance(first, Phase):
        raise InputError(f"the first argument must be a Phase, got {first!r}")
    function("next_phase", next_phase, "number, event")
    chain = PhaseChain.create(t_span, callback, progress, options)
    begun = chain.first(first, q0, v0, throw=throw)
    if isinstance(begun, Result):
        return begun
    stepper, phase = begun, first
    try:
        while True:
            ending = chain.run(stepper, phase)
            if ending is None:
                break
            following = ask_for_next(next_phase, len(chain.parts), ending)
            if following is None:
                break
            if len(chain.parts) + 1 >= max_phases:
                stepper.stop(RunStatus.PHASE_LIMIT, f"the limit of {max_phases} phases was reached")
                raise SimulationError(f"{stepper.message} at t = {ending.t:g}")
            stepper = chain.follow(stepper, following, ending)
            phase = following
    except KeyboardInterrupt:
        stepper.stop(RunStatus.INTERRUPTED, f"interrupted at t = {stepper.t:g}")
    except GaussError as error:
        if stepper.status in (RunStatus.RUNNING, RunStatus.TERMINATED):
            stepper.stop(RunStatus.FAILED, str(error))
        result = chain.result(stepper)
        if throw:
            raise SimulationError(str(error), result) from error
        return result
    return chain.result(stepper)


def _require_options(options: Mapping[str, Any]) -> None:
    """Refuse what phases do not have; what is found elsewhere is said."""
    for word, sentence in ELSEWHERE.items():
        if options.get(word) is not None:
            raise InputError(sentence)
    require_known(simulate_phases, {k: v for k, v in options.items() if k != "events"})
