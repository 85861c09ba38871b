"""A run driven by two engines: the compiled one as far as it gets, the other for what is rare."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from ...qp.gauss_solver import GaussSolver
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
        self._left = False  # whether the compiled engine leaves this step to the other
        tolerance = stepper.present.context.solver.tolerance
        self._proof = GaussSolver("daqp", tolerance=tolerance, guess_active_set=True)
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
        self._left = compiled is None or not self._may_go(compiled)
        if compiled is not None and not self._left:
            stepper.attempt(partial(self._go, compiled, stops))
        if self._left and stepper.status == RunStatus.RUNNING:
            stepper.step()

    def _may_go(self, compiled: Compiled) -> bool:
        """Whether the compiled engine can take the next step, and it is not the last allowed.

        Of that one the error may have to tell what keeps it small.
        """
        stepper, settings = self._stepper, self._stepper.settings
        within = stepper.mark.events < settings.max_events
        return (
            within
            and stepper.stats.steps < settings.max_steps - 1
            and compiled.takes(stepper.present)
        )

    def _go(self, compiled: Compiled, stops: Iterable[int]) -> None:
        stepper = self._stepper
        present, stats, settings = stepper.present, stepper.stats, stepper.settings
        context, steps = present.context, stats.steps
        most = min(steps + period - steps % period for period in (ASKED_EVERY, *stops))
        way = compiled.go(present, min(most, settings.max_steps - 1))
        now = context.at(way.state.t, np.concatenate([way.state.q, way.state.v]))
        if not confirmed(context, self._proof, way.state, now, way.taken):
            self._compiled, self._left = None, True
            stats.engine = f"python: an answer of the other at t = {now.t:.9g} was not confirmed"
            return
        compiled.count(stats, context.solver.counts)
        present.take_over(way.state, now, way.taken.stretch)
        ends = list(way.taken.ends)
        stepper.caught_up(ends if way.code in REASONS else ends[:-1])
        if way.code in REASONS:
            reason = REASONS[Code(way.code)]
            stats.handed_over[reason] = stats.handed_over.get(reason, 0) + 1
            self._left = True
        elif stepper.status == RunStatus.RUNNING:
            stepper.require_headway()
