"""What the compiled engine had written when it returned, and the past that is made of it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Array, Indices, Mask
from ...model.tapes.tape import Integers
from ...results.dense_output import Piece
from ...results.growing.stretch import Happened, Ragged, Size, Steps, StoredRows, Stretch
from ..event_driven.accumulation import Bounce
from ..event_driven.contact_status import Status

__all__ = ["HEAD", "NODES", "LastImpact", "Taken"]

NODES = 8
HEAD = 4  # numbers of an event before its position: t, energy change, work, height of the bounce
IMPACT = 0


class LastImpact(NamedTuple):
    """An impact: when, where, the velocities, and the impulses of the rows that took part."""

    t: float
    q: Array
    before: Array
    after: Array
    rows: Indices
    impulses: Array


class Taken(NamedTuple):
    """Lines of the buffers, one for each stored time, step and event.

    Attributes
    ----------
    rows : (k, 1 + nq + 3 nv + m) array
        t, q, v, a, total force, multipliers.
    pieces : (k, 2 + 8 (nq + nv)) array
        t0, t1, values.
    status : (k, m) array of int32
        How each row stood in each step.
    events : (k, 4 + nq + 2 nv + m) array
        Four numbers (see ``HEAD``), q, velocities before and after, impulses.
    event_rows : (k, 2 + m) array of int32
        Kind, first row on the far side, and which rows are concerned.
    bilateral : (m,) mask
        Rows that take part in every impact.
    nq, nv : int
    """

    rows: Array
    pieces: Array
    status: Integers
    events: Array
    event_rows: Integers
    bilateral: Mask
    nq: int
    nv: int

    @property
    def stretch(self) -> Stretch:
        """All of it as a stretch of the past, made when somebody looks."""
        size = Size(len(self.rows), len(self.pieces), len(self.events))
        end = float(self.rows[-1, 0]) if size.rows else None
        return Stretch(size, end, self._stored, self._steps, self._happened)

    @property
    def ends(self) -> list[float]:
        """Where the steps end."""
        ends: list[float] = self.pieces[:, 1].tolist()
        return ends

    def last_pieces(self, most: int) -> list[Piece]:
        """Dense output of the last steps, without the rows held."""
        return [
            Piece(float(line[0]), float(line[1]), self._values(line)[0])
            for line in self.pieces[max(len(self.pieces) - most, 0) :]
        ]

    def last_acceleration(self, t: float) -> Array | None:
        """The acceleration in the last row, where that is at a time."""
        if not len(self.rows) or self.rows[-1, 0] != t:
            return None
        return self.rows[-1, 1 + self.nq + self.nv : 1 + self.nq + 2 * self.nv]

    def last_impact(self) -> LastImpact | None:
        """The last impact, if there was one."""
        impacts = (self.event_rows[:, 0] == IMPACT).nonzero()[0]
        if not len(impacts):
            return None
        line = self.events[impacts[-1]]
        q, before, after, impulses = self._split(line)
        rows = impulses.nonzero()[0]
        return LastImpact(float(line[0]), q, before, after, rows, impulses[rows])

    def bounces(self, most: int) -> list[Bounce]:
        """The last impacts as a series: those of one time are one."""
        found: list[Bounce] = []
        for line in self.events[self.event_rows[:, 0] == IMPACT][::-1]:
            t, struck = float(line[0]), (line[HEAD + self.nq + 2 * self.nv :] > 0.0).nonzero()[0]
            contacts = frozenset(struck.tolist())
            if found and found[-1].t == t:
                found[-1] = replace(found[-1], contacts=contacts | found[-1].contacts)
            elif len(found) == most:
                break
            else:
                found.append(Bounce(t, contacts, float(line[HEAD - 1])))
        return found[::-1]

    def _split(self, events: Array) -> tuple[Array, Array, Array, Array]:
        """Position, velocities and impulses of events, or of one."""
        a, b = HEAD, HEAD + self.nq
        c, d = b + self.nv, b + 2 * self.nv
        return events[..., a:b], events[..., b:c], events[..., c:d], events[..., d:]

    def _values(self, pieces: Array) -> Array:
        return pieces[..., 2:].reshape(-1, NODES, self.nq + self.nv)

    def _stored(self) -> StoredRows:
        n = 1 + self.nq + 3 * self.nv
        multipliers = self.rows[:, n:]
        return StoredRows(self.rows[:, :n], _ragged(multipliers != 0.0, multipliers))

    def _steps(self) -> Steps:
        held = self.status >= Status.CARRYING
        changes = np.ones(len(held), dtype=bool)
        changes[1:] = (held[1:] != held[:-1]).any(axis=1)
        numbers = (np.cumsum(changes) - 1).astype(np.int32)
        return Steps(self.pieces[:, :2], self._values(self.pieces), numbers, _ragged(held[changes]))

    def _happened(self) -> Happened:
        q, before, after, impulses = self._split(self.events)
        kind, row, took_part = (
            self.event_rows[:, 0], self.event_rows[:, 1], self.event_rows[:, 2:] != 0
        )  # fmt: skip
        shares = (took_part | self.bilateral | (impulses != 0.0)) & (kind == IMPACT)[:, None]
        return Happened(
            kind.astype(np.int8),
            self.events[:, :3],
            q,
            before,
            after,
            _ragged(took_part),
            _ragged(shares, impulses),
            np.zeros(len(kind), dtype=np.int8),
            row,
        )


def _ragged(chosen: Mask, values: NDArray[np.float64] | None = None) -> Ragged:
    """The chosen columns of each line, with their values."""
    start = np.zeros(len(chosen) + 1, dtype=np.int32)
    np.cumsum(np.count_nonzero(chosen, axis=1), out=start[1:])
    columns = chosen.nonzero()[1].astype(np.int32)
    return Ragged(start, columns, np.zeros(0) if values is None else values[chosen])
