"""A run cut at its events: what was held in between, and what happened at each cut."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from ...base.arrays import Array, Indices
from ...base.errors import InputError
from ...results.records import Event, EventKind
from ...results.result import Result

__all__ = ["Cut", "Segment", "impact_word", "segments"]

QUIET = (EventKind.USER,)  # events that change nothing


@dataclass(frozen=True, eq=False)
class Cut:
    """What happened at an instant.

    Attributes
    ----------
    t : float
    q : (nq,) array
    v_before, v_after : (nv,) arrays
    events : tuple of Event
        In order; none where only the rows that are held changed.
    """

    t: float
    q: Array
    v_before: Array
    v_after: Array
    events: tuple[Event, ...] = ()

    @property
    def impacts(self) -> tuple[Event, ...]:
        """The impacts among them."""
        return tuple(event for event in self.events if event.kind == EventKind.IMPACT)


@dataclass(frozen=True, eq=False)
class Segment:
    """A smooth part of a run.

    Attributes
    ----------
    t0, t1 : float
    start : (n,) array
        y = (q, v) at its start.
    held : array of int
        Rows held as equalities.
    end : Cut or None
        What ended it; None at the end of the run.
    """

    t0: float
    t1: float
    start: Array
    held: Indices
    end: Cut | None


def segments(result: Result) -> Iterator[Segment]:
    """The smooth parts of a run, in order."""
    _require_usable(result)
    cuts = _cuts(result)
    start, t0 = np.concatenate([result.q[0], result.v[0]]), float(result.t[0])
    for cut in [*cuts, None]:
        t1 = float(result.t[-1]) if cut is None else cut.t
        if t1 > t0:
            yield Segment(t0, t1, start, _held(result, 0.5 * (t0 + t1)), cut)
        elif cut is not None:  # at the very start
            yield Segment(t0, t0, start, _held(result, t0), cut)
        if cut is not None:
            t0, start = cut.t, np.concatenate([cut.q, cut.v_after])


def impact_word(result: Result) -> tuple[str, ...]:
    """The contacts of all impacts, in order: those of one impact joined by a plus sign."""
    impacts = (event for event in result.events if event.kind == EventKind.IMPACT)
    return tuple("+".join(sorted(event.contacts)) for event in impacts)


def _require_usable(result: Result) -> None:
    if result.system is None:
        raise InputError("this result came from a file: its system is not known any more")
    if result.parts:
        raise InputError("a run of several phases cannot be differentiated as one: take its parts")
    if not result.success:
        raise InputError(f"the run did not succeed: {result.message}")
    if not result.pieces and result.t[-1] > result.t[0]:
        raise InputError("variations need dense output (dense_output=True)")


def _cuts(result: Result) -> list[Cut]:
    """Events by time, breakpoints, and times at which other rows are held."""
    loud = [event for event in result.events if event.kind not in QUIET]
    found = [_cut(list(events)) for _, events in groupby(loud, key=lambda event: event.t)]
    times = {cut.t for cut in found}
    breaks = result.settings.get("breakpoints") or ()
    others = set(breaks) if isinstance(breaks, Sequence) and not isinstance(breaks, str) else set()
    for before, after in zip(result.pieces, result.pieces[1:], strict=False):
        if before.held != after.held:
            others.add(after.t0)
    for t in others - times:
        state = result(t)
        found.append(Cut(t, state.q, state.v, state.v))
    return sorted(found, key=lambda cut: cut.t)


def _cut(events: list[Event]) -> Cut:
    first, last = events[0], events[-1]
    return Cut(first.t, last.q, first.v_before, last.v_after, tuple(events))


def _held(result: Result, t: float) -> Indices:
    """Rows that were held at a time inside a segment."""
    starts = np.array([piece.t0 for piece in result.pieces])
    if not len(starts):
        return np.zeros(0, dtype=np.intp)
    place = max(int(np.searchsorted(starts, t, side="right")) - 1, 0)
    return np.array(result.pieces[place].held, dtype=np.intp)
