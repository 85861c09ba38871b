"""The state of a run as data: numbers and arrays, all that its future depends on.

A checkpoint stores it, a :class:`Stepper` holds and advances it, and it can travel to another
process. Together with the system, the settings, and the active sets that the solver remembers it
determines everything that comes, to the last bit: forces that are not unique depend on the set
that is tried first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf

import numpy as np

from ..base.arrays import Array, Mask
from ..base.tolerances.simulation import LONG_RUN, SIMULTANEOUS
from ..mechanics.consistency.projection import Scales
from ..model.snapshot import Snapshot
from ..results.dense_output import Piece
from ..results.records import Stats
from .event_driven.contact_status import Statuses, all_open
from .impact_history import ImpactSeries, PendingLimit
from .known_rank import KnownRank
from .settings import Settings, UserEvent

__all__ = ["ImpactSeries", "PendingLimit", "RunState"]


@dataclass(eq=False)
class RunState:
    """Where a run is, and what it must remember to go on.

    Attributes
    ----------
    t, q, v
        The present.
    status : (m,) array of int8
        How each row stands, see :class:`Status`.
    scales : Scales
        Sizes of positions and velocities seen so far, the time scale, the fixed length scale.
    series : ImpactSeries
    pending : PendingLimit or None
    last_event : float
        Time of the last event.
    next_step : float or None
        Size of the next step; None where the method chooses it.
    atol : array or None
        Absolute tolerances of the present segment; None between two segments.
    recent : tuple of Piece
        The last steps of the segment, which the rank watch looks back on.
    correction : float
        Of the best landing beyond a rank drop that was tried in the segment.
    standstill : int
        Steps in a row that ended where they began.
    quiet : float
        The longest time between two events so far; infinite where the user has given a time scale.
    fired : mask
        Which of the user events had a zero at the time ``fired_at``.
    fired_at : float
        Time of the last user event.
    next_t_eval : int
        Number of the chosen time that comes next.
    stats : Stats
        What the run has taken so far.
    equalities : KnownRank
        Which of the equalities are held, where they are dependent.
    """

    t: float
    q: Array
    v: Array
    status: Statuses
    scales: Scales
    series: ImpactSeries
    last_event: float
    fired: Mask
    next_step: float | None = None
    atol: Array | None = None
    recent: tuple[Piece, ...] = ()
    correction: float = inf
    quiet: float = 0.0
    standstill: int = 0
    fired_at: float = -inf
    next_t_eval: int = 0
    pending: PendingLimit | None = None
    stats: Stats = field(default_factory=Stats)
    equalities: KnownRank = field(default_factory=KnownRank)

    @classmethod
    def at_start(cls, start: Snapshot, settings: Settings) -> RunState:
        """Before anything has happened."""
        return cls(
            start.t,
            start.q,
            start.v,
            all_open(start.layout),
            Scales(start.q, start.v, settings.length_scale, settings.time_scale),
            ImpactSeries.none(start.layout.n_rows),
            last_event=settings.t0,
            fired=np.zeros(len(settings.events), dtype=bool),
            next_step=settings.first_step,
            quiet=inf if settings.fixed_time else 0.0,
        )

    @property
    def in_segment(self) -> bool:
        """Whether the run is within a smooth segment, and not between two."""
        return self.atol is not None

    def resolution(self, t: float) -> float:
        """Events closer in time than this to one at a time are one with it.

        A run can be much longer than anything that happens in it: then the time between events
        counts.
        """
        return SIMULTANEOUS * self.time_scale(t)

    def time_scale(self, t: float) -> float:
        """The time scale of the run, or of what has happened in it so far where it is longer."""
        longest = LONG_RUN * max(self.quiet, t - self.last_event)
        return min(self.scales.time, longest)

    def ended_by(self, events: Sequence[UserEvent]) -> list[UserEvent]:
        """The terminal user events that had a zero here."""
        if self.fired_at != self.t:
            return []
        fired = zip(events, self.fired, strict=True)
        return [event for event, has_fired in fired if has_fired and event.terminal]

    def put(self, snapshot: Snapshot) -> None:
        """Be where a snapshot is."""
        if snapshot.t != self.t:
            self.standstill = 0
        self.t, self.q, self.v = snapshot.t, snapshot.q, snapshot.v

    def end_segment(self) -> None:
        """Forget what belongs to the segment alone."""
        self.atol = self.next_step = None
        self.recent, self.correction = (), inf

    def copy(self) -> RunState:
        """Another one with the same content, that shares nothing that is written into."""
        scales = self.scales
        return replace(
            self,
            scales=Scales(scales.q, scales.v, scales.fixed_length, scales.time),
            equalities=self.equalities.copy(),
            stats=self.stats.copy(),
        )
