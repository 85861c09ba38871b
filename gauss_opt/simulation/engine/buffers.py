"""The arrays that the compiled engine works in, and what they hold when it returns."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Mask
from ...model.tapes.program import Program
from ...model.tapes.tape import Integers
from ...results.growing.stretch import Happened, Ragged, Steps, StoredRows, Stretch
from ..event_driven.accumulation import Bounce
from ..event_driven.contact_status import Status

__all__ = ["Buffers", "Filled"]

NODES = 8
HEAD = 4  # numbers of an event before its position: t, energy change, work, height of the bounce
LARGEST = 2**22  # numbers in one array, unless a single step takes more
FEWEST, MOST = 16, 640  # steps that there is room for
STATS = 9


class Filled(NamedTuple):
    """How much of the buffers an engine has filled."""

    rows: int
    pieces: int
    events: int


class Buffers:
    """Workspace, rows, pieces and events of one run.

    Parameters
    ----------
    module : module
        The extension.
    program : Program
    """

    def __init__(self, module: ModuleType, program: Program) -> None:
        self.nq, self.nv, self.m = program.nq, program.nv, program.m
        doubles, integers = module.sizes(program.arrays)
        self._workspace = np.zeros(doubles), np.zeros(integers, dtype=np.int32)
        n = self.nq + self.nv
        self.row_width = 1 + n + 2 * self.nv + self.m
        self.piece_width = 2 + NODES * n
        self.event_width = HEAD + n + self.nv + self.m
        widest = max(2 * self.row_width, self.piece_width, 2 * self.event_width)
        self._make(min(MOST, max(FEWEST, LARGEST // widest)))

    def _make(self, steps: int) -> None:
        self._steps = steps
        self.rows = np.empty((2 * steps, self.row_width))
        self.pieces = np.empty((steps, self.piece_width))
        self.status = np.empty((steps, self.m), dtype=np.int32)
        self.events = np.empty((2 * steps, self.event_width))
        self.event_rows = np.empty((2 * steps, 2 + self.m), dtype=np.int32)
        self.stats = np.zeros(STATS)

    def grow(self) -> None:
        """Make room for a step that did not fit."""
        self._make(4 * self._steps)

    @property
    def arrays(self) -> tuple[Array | Integers, ...]:
        """All of them in the order of the engine."""
        return (*self._workspace, self.rows, self.pieces, self.status, self.events,
                self.event_rows, self.stats)  # fmt: skip

    def bounces(self, filled: Filled) -> list[Bounce]:
        """The impacts as a series: those of one time are one."""
        impacts = self.event_rows[: filled.events, 0] == 0
        events = self.events[: filled.events][impacts]
        struck = events[:, self.event_width - self.m :] > 0.0
        found: list[Bounce] = []
        for event, rows in zip(events, struck, strict=True):
            t, contacts = float(event[0]), frozenset(np.flatnonzero(rows).tolist())
            if found and found[-1].t == t:
                contacts |= found.pop().contacts
            found.append(Bounce(t, contacts, float(event[HEAD - 1])))
        return found

    def stretch(self, filled: Filled, bilateral: Mask) -> Stretch:
        """What there is, copied; ``bilateral`` are the rows that take part in every impact."""
        rows, n = self.rows[: filled.rows], self.row_width - self.m
        stored = StoredRows(rows[:, :n].copy(), _ragged(rows[:, n:] != 0.0, rows[:, n:]))
        return Stretch(stored, self._made(filled), self._happened(filled, bilateral))

    def _made(self, filled: Filled) -> Steps:
        pieces = self.pieces[: filled.pieces]
        held = self.status[: filled.pieces] >= Status.CARRYING
        changes = np.ones(len(held), dtype=bool)
        changes[1:] = (held[1:] != held[:-1]).any(axis=1)
        values = pieces[:, 2:].reshape(-1, NODES, self.nq + self.nv).copy()
        numbers = (np.cumsum(changes) - 1).astype(np.int32)
        return Steps(pieces[:, :2].copy(), values, numbers, _ragged(held[changes]))

    def _happened(self, filled: Filled, bilateral: Mask) -> Happened:
        events, rows = self.events[: filled.events], self.event_rows[: filled.events]
        nq, nv = self.nq, self.nv
        q, before, after, impulses = np.split(events[:, HEAD:], [nq, nq + nv, nq + 2 * nv], axis=1)
        took_part = rows[:, 2:] != 0
        shares = (took_part | bilateral | (impulses != 0.0)) & (rows[:, :1] == 0)
        return Happened(
            rows[:, 0].astype(np.int8),
            events[:, :3].copy(),
            q.copy(),
            before.copy(),
            after.copy(),
            _ragged(took_part),
            _ragged(shares, impulses),
            np.zeros(len(rows), dtype=np.int8),
            rows[:, 1].copy(),
        )


def _ragged(chosen: Mask, values: Array | None = None) -> Ragged:
    """The chosen columns of each line, with their values."""
    start = np.zeros(len(chosen) + 1, dtype=np.int32)
    np.cumsum(np.count_nonzero(chosen, axis=1), out=start[1:])
    _, columns = np.nonzero(chosen)
    found = np.zeros(0) if values is None else values[chosen]
    return Ragged(start, columns.astype(np.int32), found)
