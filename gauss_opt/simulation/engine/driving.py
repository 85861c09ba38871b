"""A run driven by two engines: the compiled one as far as it gets, the other for what is rare."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from ...results.records import RunStatus
from ..event_driven.diagnosis.force_jumps import ASKED_EVERY
from ..event_driven.stepper import Stepper
from .choice import Chosen, choose
from .codes import REASONS, Code
from .compiled import Compiled
from .confirmation import confirmed

__all__ = ["Driver"]


class Driver:
    """The engines of one run.

    Parameters
    ----------
    stepper : Stepper
        The Python engine, which has the run.
    chosen : Chosen
        The compiled engine, or none.
    """

    def __init__(self, stepper: Stepper, chosen: Chosen) -> None:
        self._stepper = stepper
        self._compiled = chosen.compiled
        self._left = False  # the compiled engine has left this step to the other
        stepper.stats.engine = str(chosen)

    @classmethod
    def of(cls, engine: str, stepper: Stepper, *, saves_problems: bool = False) -> Driver:
        """The engines by name: ``"auto"``, ``"native"`` or ``"python"``."""
        if engine == "auto" and saves_problems:
            return cls(stepper, Chosen(None, "record_problems= saves what it builds"))
        return cls(stepper, choose(engine, stepper.present.context))

    def go(self, stops: Iterable[int] = ()) -> None:
        """One step, or as many as the compiled engine takes by itself.

        It stops where the number of steps is a multiple of one of ``stops``.
        """
        stepper, compiled = self._stepper, self._compiled
        if compiled is None or self._left or not compiled.takes(stepper.present):
            self._left = False
            stepper.step()
        else:
            stepper.attempt(partial(self._go, compiled, stops))

    def _go(self, compiled: Compiled, stops: Iterable[int]) -> None:
        stepper = self._stepper
        present, stats, settings = stepper.present, stepper.stats, stepper.settings
        context, steps = present.context, stats.steps
        most = min(steps + period - steps % period for period in (ASKED_EVERY, *stops))
        way = compiled.go(present, min(most, settings.max_steps))
        now = context.at(way.state.t, np.concatenate([way.state.q, way.state.v]))
        if not confirmed(context, way.state, now, way.taken):
            self._compiled = None
            stats.engine = f"python: an answer of the other at t = {now.t:.9g} was not confirmed"
            return
        compiled.count(stats, context.solver.counts)
        present.take_over(way.state, now, way.taken.stretch)
        stepper.caught_up(way.taken.ends)
        if way.code in REASONS:
            reason = REASONS[Code(way.code)]
            stats.handed_over[reason] = stats.handed_over.get(reason, 0) + 1
            self._left = True
        elif stepper.status == RunStatus.RUNNING:
            stepper.require_headway()
