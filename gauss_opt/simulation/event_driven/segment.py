"""One smooth segment under way: a frozen set of rows, its right-hand side, and the integrator."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array
from ...base.errors import NonFiniteError
from ...base.tolerances.simulation import (
    ATOL_BY_RTOL,
    ATOL_FLOOR,
    FORCE_ROUND_OFF,
    NEXT_TO_NOTHING,
    SHORTEST_RETRY,
)
from ...mechanics.consistency.caused import coupled_accelerations
from ...mechanics.consistency.projection import Scales
from ...mechanics.flow import Flow
from ...model.snapshot import Snapshot
from ...results.dense_output import Piece
from ..run_state import RunState
from ..settings import Settings
from .contact_status import Statuses, held, slides, stuck
from .context import Context
from .guards.hiding import passed_over, resolution_of
from .integrator import Integrator

__all__ = [
    "Segment",
    "absolute_tolerances",
    "first_step_after_event",
    "flow_of",
    "next_bound",
    "tolerances_at",
]

MAX_RETRIES = 8


class Segment:
    """The motion from an event on, with the rows that carry force held as equalities.

    Parameters
    ----------
    context : Context
    state : RunState
        Its absolute tolerances and next step are used as they are.
    now : Snapshot
        Where it starts.

    Attributes
    ----------
    flow : Flow
        The right-hand side.
    bound : float
        Where it must stop.
    """

    def __init__(self, context: Context, state: RunState, now: Snapshot) -> None:
        assert state.atol is not None
        self.context = context
        self.flow = flow_of(context, state.status)
        self.bound = next_bound(context.settings, state)
        self._atol = state.atol
        self._integrator = self._new(now, self.bound, state.next_step)
        self._piece: Piece | None = None

    @property
    def y(self) -> Array:
        """The state at the end of the last step."""
        return self._integrator.y

    @property
    def atol(self) -> Array:
        """Absolute tolerances of (q, v)."""
        return self._atol

    @property
    def one_step(self) -> bool:
        """Whether the method keeps nothing but its state and step size."""
        return self._integrator.one_step

    @property
    def next_step(self) -> float | None:
        """Step size it would try next; None where the method does not say."""
        return self._integrator.next_step

    @property
    def finished(self) -> bool:
        """Whether the bound was reached."""
        return self._integrator.finished

    def largest_error(self) -> int | None:
        """The entry of (q, v) whose error sets the step size; None where it is not known."""
        return self._integrator.largest_error()

    def put(self, y: Array) -> bool:
        """Replace the state by a projected one; False when the method must start afresh."""
        return self._integrator.put(y)

    def piece(self) -> Piece:
        """The last step as a polynomial."""
        if self._piece is None:
            self._piece = self._integrator.piece()
        return self._piece

    def step(self, now: Snapshot) -> bool:
        """One step; again from ``now`` with a smaller one where it has passed over something.

        False when the step size became too small.
        """
        resolution = resolution_of(self.context, self.flow.held)
        shortest = SHORTEST_RETRY * self.context.settings.time_scale
        while self._try(now):
            if resolution is None:
                return True
            size = passed_over(self.context, self.flow, self._atol, resolution, self.piece())
            if size is None or size < shortest:
                return True
            self.context.stats.restarts += 1
            self._integrator = self._new(now, self.bound, size)
        return False

    def _try(self, now: Snapshot) -> bool:
        """One step; where a function is not finite, again with a smaller one."""
        self._piece = None
        stats, scale = self.context.stats, self.context.settings.time_scale
        for retry in range(MAX_RETRIES + 1):
            before = self.flow.calls
            try:
                failure = self._integrator.step()
                break
            except NonFiniteError:
                if retry == MAX_RETRIES:
                    raise
                stats.restarts += 1
                size = (self._integrator.next_step or scale) * 0.1 ** (retry + 1)
                self._integrator = self._new(now, self.bound, max(size, SHORTEST_RETRY * scale))
            finally:
                stats.rhs_calls += self.flow.calls - before
        if failure is None:
            stats.steps += 1
        return failure is None

    def pieces_to(self, t: float, now: Snapshot) -> tuple[Piece, ...] | None:
        """The way from the last accepted state to a time (one-step methods only)."""
        before = self.flow.calls
        integrator = self._new(now, t, t - now.t)
        if not integrator.one_step:
            return None
        pieces = []
        while not integrator.finished:
            if integrator.step() is not None:
                return None
            pieces.append(integrator.piece())
        self.context.stats.rhs_calls += self.flow.calls - before
        return tuple(pieces)

    def _new(self, now: Snapshot, bound: float, first_step: float | None) -> Integrator:
        settings = self.context.settings
        return Integrator(
            settings.method,
            self.flow,
            now.t,
            np.concatenate([now.q, now.v]),
            bound,
            rtol=settings.rtol,
            atol=self._atol,
            max_step=settings.max_step,
            first_step=first_step,
        )


def flow_of(context: Context, status: Statuses) -> Flow:
    """The smooth motion with the rows that carry force held."""
    among, layout = context.equalities.among, context.layout
    if context.rough is None:
        return Flow(context.system, context.dynamics, held(status), among)
    rows = np.concatenate([held(status), stuck(status, layout)])
    return Flow(context.system, context.dynamics, rows, among, slides(status, layout))


def next_bound(settings: Settings, state: RunState) -> float:
    """Where a segment must stop: a breakpoint, the limit of an accumulation, or the end."""
    bounds = [b for b in settings.breakpoints if b > state.t]
    if state.pending is not None:
        bounds.append(max(state.pending.t, float(np.nextafter(state.t, np.inf))))
    return min([*bounds, settings.t1])


def absolute_tolerances(settings: Settings, scales: Scales) -> Array:
    """The user's, or far below rtol times the size of each coordinate."""
    n = len(scales.q) + len(scales.v)
    if settings.atol is not None:
        return np.broadcast_to(settings.atol, (n,)).copy()
    sizes = []
    for part in (scales.q, scales.v):
        largest = part.max(initial=0.0)
        largest = largest if largest > NEXT_TO_NOTHING else 1.0
        sizes.append(np.maximum(part, ATOL_FLOOR * largest))
    return ATOL_BY_RTOL * settings.rtol * np.concatenate(sizes)


def tolerances_at(settings: Settings, state: RunState, now: Snapshot) -> Array:
    """The same, but not below the round-off of forces: where nothing moves, nothing has a size."""
    atol = absolute_tolerances(settings, state.scales)
    if settings.atol is not None:
        return atol
    time, nq = state.time_scale(now.t), len(now.q)
    around = coupled_accelerations(now, np.abs(now.force), held(state.status))
    speeds = FORCE_ROUND_OFF * time * around
    np.maximum(atol[nq:], speeds, out=atol[nq:])
    if nq == len(speeds):
        np.maximum(atol[:nq], time * speeds, out=atol[:nq])
    return atol


def first_step_after_event(piece: Piece, suggested: float | None, between: float) -> float | None:
    """A first step for the next segment; error control rejects it should it be too large.

    A jump leaves the time scales of the forces as they were. So: the last step, or as much
    as lay ``between`` this event and the one before, but not more than the method suggested.
    """
    if suggested is None:
        return None
    return min(suggested, max(piece.t1 - piece.t0, between))
