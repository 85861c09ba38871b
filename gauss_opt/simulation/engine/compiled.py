"""The compiled engine of a run: how far it gets, and what then is, as data of the run."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...model.tapes.program import Program
from ...qp.solver_sequence import Counts
from ...results.records import Stats
from ..event_driven.contact_status import idle
from ..event_driven.context import Context
from ..event_driven.present import Present
from ..run_state import RunState
from .buffers import Buffers, Filled
from .codes import Code
from .constants import options, tables
from .state_arrays import StateArrays
from .taken import Taken

__all__ = ["Compiled", "Way"]


class Way(NamedTuple):
    """What an engine has done: the state after it, what it has written, why it returned."""

    state: RunState
    taken: Taken
    code: Code


class Compiled:
    """The compiled engine, ready for one run.

    Parameters
    ----------
    module : module
        The extension.
    program : Program
        Of the system.
    context : Context
        Of the run.
    """

    def __init__(self, module: ModuleType, program: Program, context: Context) -> None:
        self._module, self._program = module, program
        self._settings, layout = context.settings, context.layout
        self._tolerance = context.solver.tolerance
        self._buffers = Buffers(module, program)
        self._bilateral = np.zeros(program.m, dtype=bool)
        self._bilateral[layout.bilateral] = True
        coefficients = context.system.coefficients(layout)
        n = program.nq + program.nv
        atol = self._settings.atol
        self._inputs = (
            context.parameters,
            coefficients.restitution[layout.contacts].copy(),
            _times(self._settings.t_eval),
            _times(np.array(self._settings.breakpoints)),
            np.zeros(n) if atol is None else np.ascontiguousarray(np.broadcast_to(atol, (n,))),
        )

    def takes(self, present: Present) -> bool:
        """Whether a present is one that it can go on from."""
        state = present.state
        dependent = state.equalities.among is not None
        return state.pending is None and not dependent and not len(idle(state.status))

    def go(self, present: Present, most_steps: int) -> Way:
        """Go on as far as it gets, but not beyond so many steps in all."""
        state, buffers = present.state, self._buffers
        asked = options(self._settings, self._tolerance, most_steps)
        inputs = (tables(), asked, *self._inputs)
        while True:
            arrays = StateArrays.of(state, len(present.recording.recorder.events))
            code, *counts = self._module.run(self._program.arrays, inputs, arrays, buffers.arrays)
            filled = Filled(*counts)
            if code != Code.FULL or filled.pieces or state.stats.steps >= most_steps:
                break
            buffers.grow()
        taken = buffers.taken(filled, self._bilateral)
        return Way(arrays.state(state, taken), taken, Code(code))

    def count(self, stats: Stats, counts: Counts) -> None:
        """Add what the last call took to the statistics of a run, and of its solver."""
        steps, calls, impacts, problems, projections, cells, *worst = self._buffers.stats.tolist()
        stats.steps += int(steps)
        stats.rhs_calls += int(calls)
        stats.impacts += int(impacts)
        stats.projections += int(projections)
        stats.guard_cells += int(cells)
        counts.qp_total += int(problems)
        counts.qp_from_active_set += int(problems)
        names = ("worst_residual", "worst_drift", "worst_penetration")
        for name, value in zip(names, worst, strict=True):
            setattr(stats, name, max(getattr(stats, name), value))


def _times(times: Array | None) -> Array:
    return np.zeros(0) if times is None else np.ascontiguousarray(times, dtype=float)
