"""Stored times as they come, and the columns of a result that are made of them.

The Python engine stores one after another: they are written into blocks of a fixed size, so that
none is ever moved. What a compiled engine stores comes as a whole, see :mod:`.stretch`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.frozen import frozen_in_place
from ...model.system import System
from ..columns import shapes
from .sources import Block, Columns, EngineRows, Source

if TYPE_CHECKING:
    from ...model.dynamics import Dynamics
    from .stretch import Stretch

__all__ = ["Range", "Rows"]


class Rows:
    """All rows of a run so far.

    Attributes
    ----------
    count : int
        How many there are.
    last : float or None
        Time of the last.
    """

    def __init__(self, system: System, dynamics: Dynamics) -> None:
        self.system, self.dynamics = system, dynamics
        self.count = 0
        self.last: float | None = None
        layout = dynamics.layout
        self._widths = {
            "nq": dynamics.nq,
            "nv": dynamics.nv,
            "m": layout.n_rows,
            "slips": len(layout.normal_of),
        }
        self._parts: list[tuple[int, Source]] = []  # each with the number of rows before it
        self._block: Block | None = None

    def append(self, t: float, parts: Iterable[Array]) -> None:
        """A row: the time, and all other columns in the order of ``COLUMNS``."""
        if self._block is None or self._block.full:
            self._block = Block(self._widths, self.count)
            self._parts.append((self.count, self._block))
        self._block.put(t, parts)
        self.count, self.last = self.count + 1, t

    def extend(self, stretch: Stretch) -> None:
        """The rows that a compiled engine has stored."""
        self._take(EngineRows(self.system, self.dynamics, stretch), stretch.size.rows)
        self.last = self.last if stretch.end is None else stretch.end

    def refill(self, columns: Mapping[str, Array]) -> None:
        """The rows of a result, in place of all there are."""
        self.count, self._parts = 0, []
        times = columns["t"]
        self._take(Columns(columns), len(times))
        self.last = float(times[-1]) if len(times) else None

    def _take(self, source: Source, count: int) -> None:
        if count:
            self._parts.append((self.count, source))
            self.count += count
            self._block = None

    def since(self, first: int) -> Range:
        """The rows from one on to the present end."""
        return Range(first, self.count, tuple(self._parts), self._widths)


class Range(NamedTuple):
    """A range of rows that stays what it is while further ones are added."""

    first: int
    end: int
    parts: tuple[tuple[int, Source], ...]
    widths: dict[str, int]

    def column(self, key: str) -> Array:
        """A column by key, read-only."""
        found = []
        for number, (before, source) in enumerate(self.parts):
            after = self.parts[number + 1][0] if number + 1 < len(self.parts) else self.end
            rows = slice(max(self.first - before, 0), min(self.end, after) - before)
            if rows.start < rows.stop:
                found.append(source.column(key, rows))
        if not found:
            return frozen_in_place(np.zeros(shapes(0, **self.widths)[key]))
        return frozen_in_place(np.concatenate(found))
