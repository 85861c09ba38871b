"""The state of a run in arrays that the compiled engine writes into, and back."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.frozen import frozen_array
from ...mechanics.consistency.projection import Scales
from ...model.tapes.tape import Integers
from ...results.dense_output import Piece
from ..event_driven.impact_series import MEMORY
from ..event_driven.leaps.rank_watch import LOOKED_BACK
from ..impact_history import ImpactSeries
from ..run_state import RunState
from .taken import Taken

__all__ = ["StateArrays"]

LENGTHS = 4  # place among the numbers of the lengths of the last steps


class Counts(NamedTuple):
    """Whole numbers of a state, in the order of ``native/engine.h``."""

    in_segment: int
    next_chosen: int
    steps: int
    events: int
    late_steps: int
    new_pieces: int = 0
    new_segment: int = 0


class StateArrays(NamedTuple):
    """A state, in the order of ``native/engine.h``.

    Attributes
    ----------
    numbers : array
        Time, next step (negative: none), last event, quiet, lengths of the last steps.
    y, scale, atol : (nq + nv,) arrays
    struck, rates : (m,) arrays
        Of the series of impacts.
    counts : array of int32
        :class:`Counts`.
    status, low, closed : (m,) arrays of int32
    """

    numbers: Array
    y: Array
    scale: Array
    atol: Array
    struck: Array
    rates: Array
    counts: Integers
    status: Integers
    low: Integers
    closed: Integers

    @classmethod
    def of(cls, state: RunState, events: int) -> StateArrays:
        """A state, after so many events."""
        numbers = np.zeros(LENGTHS + LOOKED_BACK)
        lengths = [piece.t1 - piece.t0 for piece in state.recent][-LOOKED_BACK:]
        next_step = -1.0 if state.next_step is None else state.next_step
        numbers[:LENGTHS] = state.t, next_step, state.last_event, state.quiet
        numbers[LENGTHS : LENGTHS + len(lengths)] = lengths
        y = np.concatenate([state.q, state.v])
        series, segment = state.series, int(state.in_segment)
        counts = Counts(segment, state.next_t_eval, state.stats.steps, events, len(lengths))
        return cls(
            numbers,
            y,
            np.concatenate([state.scales.q, state.scales.v]),
            np.zeros(len(y)) if state.atol is None else state.atol.copy(),
            series.struck.copy(),
            series.rates.copy(),
            np.array(counts, dtype=np.int32),
            state.status.astype(np.int32),
            series.low.astype(np.int32),
            series.closed.astype(np.int32),
        )

    def state(self, before: RunState, taken: Taken) -> RunState:
        """The state that they say, which came from another by what has been written."""
        nq, counts, series = len(before.q), Counts(*self.counts.tolist()), before.series
        t, next_step, last_event, quiet = self.numbers[:LENGTHS].tolist()
        scales = Scales(self.y[:nq], self.y[nq:], before.scales.fixed_length, before.scales.time)
        scales.q, scales.v = self.scale[:nq].copy(), self.scale[nq:].copy()
        low, closed = self.low.astype(np.intp), self.closed.astype(np.intp)
        past = (*series.bounces, *taken.bounces(MEMORY))[-MEMORY:]
        return replace(
            before,
            t=t,
            q=frozen_array(self.y[:nq]),
            v=frozen_array(self.y[nq:]),
            status=self.status.astype(np.int8),
            scales=scales,
            series=ImpactSeries(self.struck, self.rates, low, closed, past),
            last_event=last_event,
            quiet=quiet,
            next_step=None if next_step < 0.0 else next_step,
            atol=self.atol if counts.in_segment else None,
            recent=_recent(before, counts, taken),
            correction=np.inf if counts.new_segment else before.correction,
            standstill=0 if t > before.t else before.standstill,
            next_t_eval=counts.next_chosen,
        )


def _recent(before: RunState, counts: Counts, taken: Taken) -> tuple[Piece, ...]:
    """The last steps of the segment that the run is in."""
    new = taken.last_pieces(min(counts.new_pieces, LOOKED_BACK))
    old = () if counts.new_segment else before.recent
    return (*old, *new)[-LOOKED_BACK:]
