"""A stretch of a run as arrays: the form in which a compiled engine hands over what it has done.

An engine that runs without Python for many steps and events writes rows, dense output and events
into arrays; :meth:`Recorder.extend` takes them as a :class:`Stretch`, between rows and events that
the Python engine adds one by one. Nothing is made of it until somebody looks: not an
:class:`Event`, not a :class:`Piece`, not the gaps of a row.

With nq positions, nv velocities and m rows in the layout, for n stored rows, k steps and e events::

    rows.state         (n, 1 + nq + 3 nv)  t, q, v, a, total constraint force M a - Q
    rows.multipliers   Ragged of n         multiplier of each row of the layout that carries
    steps.span         (k, 2)              t0, t1
    steps.values       (k, points, nq+nv)  (q, v) at ``t0 + (t1 - t0) nodes(points)``
    steps.held         (k,)                number of the held set
    steps.sets         Ragged              the held sets: rows of the layout, ascending
    events.kind        (e,)                number in ``KINDS``
    events.numbers     (e, 3)              t, energy_change, constraint_work of :class:`Event`
    events.q           (e, nq)
    events.before      (e, nv)             velocity before
    events.after       (e, nv)             velocity after
    events.contacts    Ragged of e         rows concerned
    events.impulses    Ragged of e         impulse of every row that took part, zeros as well
    events.gains       (e,)                whether the law itself increased the energy
    events.row         (e,)                first row on the far side, counted from the stretch

Values and rates of all rows of the layout are not handed over: they are computed from the states
when they are looked at. Arrays are double, int32 or int8, and are read-only from here on: whoever
hands them over does not write into them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Array
from ...base.frozen import frozen_in_place
from ...base.lazy import lazy
from ...model.rows import RowTable
from ..dense_output import Piece
from ..records import Event, EventKind

__all__ = ["KINDS", "Happened", "Ragged", "Size", "Steps", "StoredRows", "Stretch"]

Numbers = NDArray[np.int32]
Marks = NDArray[np.int8]

KINDS = (
    (EventKind.IMPACT, ""),
    (EventKind.RELEASE, ""),
    (EventKind.LIMIT, "on"),
    (EventKind.LIMIT, "off"),
    (EventKind.GRAZE, ""),
)
"""Kind and detail of an event by number."""


class Ragged(NamedTuple):
    """Lists of different lengths, one after another.

    Attributes
    ----------
    start : (n + 1,) array of int32
        List i is ``rows[start[i]:start[i + 1]]``; ``start[0]`` is 0.
    rows : array of int32
        Rows of the layout.
    values : array
        A number for each of ``rows``; empty where the lists are of rows alone.
    """

    start: Numbers
    rows: Numbers
    values: Array

    def dense(self, width: int) -> Array:
        """The values as an array with a line for each list, 0 where there is none."""
        lines = np.zeros((len(self.start) - 1, width))
        lines[np.repeat(np.arange(len(lines)), np.diff(self.start)), self.rows] = self.values
        return lines

    def lists(self) -> list[list[int]]:
        """The rows of each list."""
        rows, start = self.rows.tolist(), self.start.tolist()
        return [rows[a:b] for a, b in pairwise(start)]


class StoredRows(NamedTuple):
    """Rows, see the table of this module."""

    state: Array
    multipliers: Ragged


class Steps(NamedTuple):
    """Dense output, see the table of this module."""

    span: Array
    values: Array
    held: Numbers
    sets: Ragged

    def pieces(self) -> Iterator[Piece]:
        """One for each step."""
        sets = [tuple(rows) for rows in self.sets.lists()]
        spans, numbers = self.span.tolist(), self.held.tolist()
        for (t0, t1), values, number in zip(spans, self.values, numbers, strict=True):
            yield Piece(t0, t1, values, sets[number])


class Happened(NamedTuple):
    """Events, see the table of this module."""

    kind: Marks
    numbers: Array
    q: Array
    before: Array
    after: Array
    contacts: Ragged
    impulses: Ragged
    gains: Marks
    row: Numbers

    def events(self, layout: RowTable, first_row: int) -> Iterator[Event]:
        """One for each; ``first_row`` is the row of the result at which the stretch begins."""
        contacts, taking_part = self.contacts.lists(), self.impulses.lists()
        start, all_rows = self.impulses.start, np.zeros(layout.n_rows)
        for i, (t, energy_change, constraint_work) in enumerate(self.numbers.tolist()):
            kind, detail = KINDS[self.kind[i]]
            all_rows[taking_part[i]] = self.impulses.values[start[i] : start[i + 1]]
            numbers = sorted(set(layout.block_of[taking_part[i]].tolist()))
            blocks = [layout.blocks[number] for number in numbers]
            yield Event(
                kind,
                t,
                tuple(dict.fromkeys(layout.names[row] for row in contacts[i])),
                self.q[i],
                self.before[i],
                self.after[i],
                {block.name: block.of(all_rows) for block in blocks},
                energy_change,
                constraint_work,
                gains_energy=bool(self.gains[i]),
                detail=detail,
                row=first_row + int(self.row[i]),
            )
            all_rows[taking_part[i]] = 0.0


class Size(NamedTuple):
    """How much there is in a stretch."""

    rows: int
    steps: int
    events: int


class Stretch:
    """Rows, dense output and events of a stretch of a run, in order of time.

    Parameters
    ----------
    size : Size
    end : float or None
        Time of the last row; None without one.
    rows, steps, events : callables
        What makes them; called when somebody looks, once.
    """

    def __init__(
        self,
        size: Size,
        end: float | None,
        rows: Callable[[], StoredRows],
        steps: Callable[[], Steps],
        events: Callable[[], Happened],
    ) -> None:
        self.size, self.end = size, end
        self._rows, self._steps, self._events = rows, steps, events

    @classmethod
    def of(cls, rows: StoredRows, steps: Steps, events: Happened) -> Stretch:
        """One whose arrays are there."""
        size = Size(len(rows.state), len(steps.span), len(events.kind))
        end = float(rows.state[-1, 0]) if size.rows else None
        return cls(size, end, lambda: rows, lambda: steps, lambda: events)

    @lazy
    def rows(self) -> StoredRows:
        """The stored times."""
        return StoredRows(*_finished(self._rows()))

    @lazy
    def steps(self) -> Steps:
        """The dense output."""
        return Steps(*_finished(self._steps()))

    @lazy
    def events(self) -> Happened:
        """What has happened."""
        return Happened(*_finished(self._events()))


def _finished(parts: Any) -> Any:
    """Arrays, however nested, that nobody can write into: copies of those that are parts."""
    if isinstance(parts, tuple):
        return type(parts)(*map(_finished, parts))
    return frozen_in_place(parts if parts.base is None else parts.copy())
