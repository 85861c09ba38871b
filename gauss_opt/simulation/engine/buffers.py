"""The arrays that the compiled engine works in, and what they hold when it returns."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Mask
from ...model.tapes.program import Program
from ...model.tapes.tape import Integers
from .taken import HEAD, NODES, Taken

__all__ = ["Buffers", "Filled"]

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

    def taken(self, filled: Filled, bilateral: Mask) -> Taken:
        """What an engine has written, copied; ``bilateral`` take part in every impact."""
        return Taken(
            self.rows[: filled.rows].copy(),
            self.pieces[: filled.pieces].copy(),
            self.status[: filled.pieces].copy(),
            self.events[: filled.events].copy(),
            self.event_rows[: filled.events].copy(),
            bilateral,
            self.nq,
            self.nv,
        )
