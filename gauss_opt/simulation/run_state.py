"""The state of a run as data: numbers and arrays, all that its future depends on.

A checkpoint stores it, a :class:`Stepper` holds and advances it, and it can travel to another
process. Together with the system and the settings it determines everything that comes, to the
last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np

from ..base.arrays import Array, Mask
from ..base.tolerances.simulation import LONG_RUN, SIMULTANEOUS
from ..mechanics.projection import Scales
from ..model.rows import RowTable
from ..model.snapshot import Snapshot
from ..results.records import Stats
from .event_driven.accumulation import Bounce
from .event_driven.contact_status import Statuses, all_open, require_valid
from .known_rank import KnownRank
from .settings import Settings, UserEvent

__all__ = ["ImpactSeries", "PendingLimit", "RunState"]


@dataclass(frozen=True, eq=False)
class PendingLimit:
    """The limit of an accumulation that a run is on its way to, its contacts held closed.

    Attributes
    ----------
    t : float
        Accumulation time.
    rows : tuple of int
        Its contacts.
    exact : bool
        Whether the time is the limit, or that of the last impact before round-off.
    v_before : (nv,) array
        Velocity before the contacts were closed.
    energy_change, constraint_work : float
        What closing them took, and the part of it done by constraints that move.
    """

    t: float
    rows: tuple[int, ...]
    exact: bool
    v_before: Array
    energy_change: float
    constraint_work: float


@dataclass(frozen=True, eq=False)
class ImpactSeries:
    """The impacts so far, as far as the search for accumulations looks back.

    Attributes
    ----------
    struck : (m,) array
        Time of the last impact of each row.
    rates : (m,) array
        Rate at which each row left it.
    bounces : tuple of Bounce
    """

    struck: Array
    rates: Array
    bounces: tuple[Bounce, ...] = ()

    @classmethod
    def none(cls, n_rows: int) -> ImpactSeries:
        """No impact yet."""
        return cls(np.full(n_rows, -np.inf), np.zeros(n_rows))


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
    recent : int
        Number of steps of the segment that the rank watch looks back on.
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
    recent: int = 0
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
        longest = LONG_RUN * max(self.quiet, t - self.last_event)
        return SIMULTANEOUS * min(self.scales.time, longest)

    def ended_by(self, events: Sequence[UserEvent]) -> list[UserEvent]:
        """The terminal user events that had a zero here."""
        if self.fired_at != self.t:
            return []
        return [event for event, fired in zip(events, self.fired, strict=True)
                if fired and event.terminal]  # fmt: skip

    def put(self, snapshot: Snapshot) -> None:
        """Be where a snapshot is."""
        self.t, self.q, self.v = snapshot.t, snapshot.q, snapshot.v

    def end_segment(self) -> None:
        """Forget what belongs to the segment alone."""
        self.atol = self.next_step = None
        self.recent, self.correction = 0, inf

    def copy(self) -> RunState:
        """Another one with the same content, that shares nothing that is written into."""
        scales = self.scales
        return replace(
            self,
            scales=Scales(scales.q, scales.v, scales.fixed_length, scales.time),
            equalities=self.equalities.copy(),
            stats=self.stats.copy(),
        )

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """All of it as arrays by name, and a header that JSON can write."""
        scales, series, pending = self.scales, self.series, self.pending
        times = [self.t, self.last_event, self.fired_at, self.correction, self.quiet, scales.time]
        optional = [self.next_step, scales.fixed_length]
        arrays: dict[str, Any] = {
            "numbers": np.array([*times, *(nan if x is None else x for x in optional)]),
            "q": self.q,
            "v": self.v,
            "status": self.status,
            "scale_q": scales.q.copy(),
            "scale_v": scales.v.copy(),
            "struck": series.struck,
            "rates": series.rates,
            "bounces": np.array([[b.t, b.height] for b in series.bounces]).reshape(-1, 2),
            "fired": self.fired,
            **self.equalities.to_arrays(),
        }
        header: dict[str, Any] = {
            "bounced": [sorted(bounce.contacts) for bounce in series.bounces],
            **{name: getattr(self, name) for name in _COUNTS},
            "stats": asdict(self.stats),
        }
        if self.atol is not None:
            arrays["atol"] = self.atol
        if pending is not None:
            arrays["pending_v"] = pending.v_before
            arrays["pending"] = np.array([getattr(pending, name) for name in _PENDING])
            header["pending"] = {"rows": list(pending.rows), "exact": pending.exact}
        return arrays, header

    @classmethod
    def from_arrays(
        cls, arrays: dict[str, Any], header: dict[str, Any], layout: RowTable
    ) -> RunState:
        """The state that :meth:`to_arrays` wrote; a ValueError or KeyError when it is damaged."""
        numbers = _floats(arrays["numbers"]).tolist()
        t, last_event, fired_at, correction, quiet, time, next_step, length = numbers
        require_valid(arrays["status"], layout)
        return cls(
            float(t),
            _read_only(arrays["q"]),
            _read_only(arrays["v"]),
            arrays["status"],
            _scales(arrays, float(time), None if isnan(length) else float(length)),
            _series(arrays, header, layout),
            last_event=float(last_event),
            fired=_mask(arrays["fired"]),
            next_step=None if isnan(next_step) else float(next_step),
            atol=_floats(arrays["atol"]) if "atol" in arrays else None,
            correction=float(correction),
            quiet=float(quiet),
            fired_at=float(fired_at),
            **{name: int(header[name]) for name in _COUNTS},
            pending=_pending(arrays, header) if "pending" in header else None,
            stats=Stats(**header["stats"]),
            equalities=KnownRank.from_arrays(arrays, layout),
        )


_COUNTS = ("recent", "standstill", "next_t_eval")
_PENDING = ("t", "energy_change", "constraint_work")


def _floats(array: Any) -> Array:
    if array.dtype != np.float64:
        raise ValueError(f"expected floats, got {array.dtype}")
    result: Array = array
    return result


def _read_only(array: Any) -> Array:
    state = _floats(array).copy()
    state.setflags(write=False)
    return state


def _mask(array: Any) -> Mask:
    if array.dtype != bool or array.ndim != 1:
        raise ValueError(f"expected true or false, got {array.dtype}")
    result: Mask = array
    return result


def _scales(arrays: dict[str, Any], time: float, length: float | None) -> Scales:
    sizes = _floats(arrays["scale_q"]), _floats(arrays["scale_v"])
    if sizes[0].shape != arrays["q"].shape or sizes[1].shape != arrays["v"].shape:
        raise ValueError("the scales do not have the size of the state")
    return Scales(*sizes, length, time)


def _series(arrays: dict[str, Any], header: dict[str, Any], layout: RowTable) -> ImpactSeries:
    struck, rates = _floats(arrays["struck"]), _floats(arrays["rates"])
    if not struck.shape == rates.shape == (layout.n_rows,):
        raise ValueError("the series of impacts does not have the size of the rows")
    bounces = zip(_floats(arrays["bounces"]).tolist(), header["bounced"], strict=True)
    return ImpactSeries(
        struck, rates, tuple(Bounce(t, frozenset(rows), height) for (t, height), rows in bounces)
    )


def _pending(arrays: dict[str, Any], header: dict[str, Any]) -> PendingLimit:
    t, change, work = _floats(arrays["pending"]).tolist()
    entry = header["pending"]
    rows = tuple(int(row) for row in entry["rows"])
    v_before = _read_only(arrays["pending_v"])
    return PendingLimit(t, rows, bool(entry["exact"]), v_before, change, work)
