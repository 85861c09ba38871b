"""Contacts that exist while a condition is true: those that have no part in a step, found at once.

A contact has no part in a part of a step when its gap is proved to stay away from zero there, or
its condition to be false. (One that cannot be passed from behind must also not begin to exist with
a gap below zero, so of that only a gap above zero is no part.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ....base.arrays import Array, Mask
from ....base.chebyshev import bounds, cut
from ....base.errors import TraceError
from ...switches import Switches
from ...tracing.user_function import Symbols
from ..family_functions import FamilyFunctions
from ..way import CUTS, Way, edges_of
from .all_gaps import AllGaps

__all__ = ["Conditions", "Quiet"]


class Quiet(NamedTuple):
    """What is proved of the parts of a step, as masks over all rows, (c, m).

    Attributes
    ----------
    begins : (c,) array
        When each part begins.
    away : mask
        Contacts that, open, neither close nor begin to exist on or behind their surface.
    stays : mask
        Contacts whose condition is true all the time.
    """

    begins: Array
    away: Mask
    stays: Mask

    def until(self, t: float, closed: Mask) -> Mask:
        """Contacts that have no part in the step up to a time, given which are closed."""
        parts = self.begins < t
        away, stays = self.away[parts].all(axis=0), self.stays[parts].all(axis=0)
        quiet: Mask = np.where(closed, stays, away)
        return quiet


class Conditions:
    """Bounds of the gaps and conditions of all contacts with a condition.

    Parameters
    ----------
    gap : function of a row
        Its graph, or its member and trace; None where nothing can be proved.
    """

    def __init__(
        self, symbols: Symbols, families: FamilyFunctions, switches: Switches,
        gap: Callable[[int], Any],
    ) -> None:  # fmt: skip
        self._rows = np.array([row for s in switches for row in s.block.indices], dtype=np.intp)
        self._passable = switches.passable
        self._nq = symbols.q.shape[0]
        gaps = [gap(row) for row in self._rows.tolist()]
        truths = [self._truth(symbols, families, switches, row) for row in self._rows.tolist()]
        self._above, self._below = AllGaps(symbols, gaps), AllGaps(symbols, gaps, sign=-1.0)
        self._on = AllGaps(symbols, truths, offset=-0.5)
        self._off = AllGaps(symbols, truths, sign=-1.0, offset=0.5)

    @staticmethod
    def _truth(symbols: Symbols, families: FamilyFunctions, switches: Switches, row: int) -> Any:
        """The condition of a row, if it is one on positions that can be traced."""
        switch = switches.of_row(row)
        assert switch is not None
        user = switch.condition
        if families.has(user.function):
            return user.function, families.trace(user.function, user.label)
        try:
            graph, ndim = user.trace(symbols)
        except TraceError:
            return None
        return None if ndim or symbols.velocities_in(graph) else graph

    def over(self, way: Way, near: Array, p: Array) -> Quiet:
        """What is proved of a step: as a whole, then by eighths, then by eighths of these."""
        values, near = way.of(np.arange(self._nq)), near[self._rows]
        edges = [way.t0, way.t1]
        clear, stays = self._at_once(values[None], edges, near, p)
        if not (clear | stays).all():
            edges, pieces = edges_of(way.t0, way.t1), cut(values, CUTS)
            clear, stays = self._at_once(pieces, edges, near, p)
            for i in np.flatnonzero(~(clear | stays).all(axis=1)).tolist():
                finer = edges_of(edges[i], edges[i + 1])
                part = self._at_once(cut(pieces[i], CUTS), finer, near, p)
                clear[i] |= part[0].all(axis=0)
                stays[i] |= part[1].all(axis=0)
        every = np.zeros((2, len(clear), len(self._passable)), dtype=bool)
        every[0][:, self._rows], every[1][:, self._rows] = clear, stays
        return Quiet(np.array(edges[:-1]), every[0], every[1])

    def _at_once(
        self, cells: Array, edges: list[float], near: Array, p: Array
    ) -> tuple[Mask, Mask]:
        """Rows that are away, and that stay, in each of some cells, (c, rows)."""
        low, high, _ = bounds(cells)
        times = np.stack([np.array(edges[:-1]), np.array(edges[1:])], axis=1)
        clear = self._above.lower(low, high, times, p) > near
        behind = self._below.lower(low, high, times, p) > near
        clear |= behind & self._passable[self._rows]
        clear |= self._off.lower(low, high, times, p) > 0.0
        stays = self._on.lower(low, high, times, p) > 0.0
        return np.asarray(clear), np.asarray(stays)
