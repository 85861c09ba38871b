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
    """What is proved of a step, as masks over all rows.

    Attributes
    ----------
    away : mask
        Contacts that, open, neither close nor begin to exist on or behind their surface.
    stays : mask
        Contacts whose condition is true all the time.
    """

    away: Mask
    stays: Mask


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
        """What is proved of a step: as a whole, then by eighths."""
        away = np.zeros(len(self._passable), dtype=bool)
        stays = away.copy()
        values, edges = way.of(np.arange(self._nq)), [way.t0, way.t1]
        near = near[self._rows]
        done, on = self._at_once(values[None], edges, near, p)
        if not (done | on).all():
            edges = edges_of(way.t0, way.t1)
            finer, finer_on = self._at_once(cut(values, CUTS), edges, near, p)
            done, on = done | finer, on | finer_on
        away[self._rows], stays[self._rows] = done, on
        return Quiet(away, stays)

    def _at_once(
        self, cells: Array, edges: list[float], near: Array, p: Array
    ) -> tuple[Mask, Mask]:
        """Rows that are away, and that stay, in every one of some cells."""
        low, high, _ = bounds(cells)
        times = np.stack([np.array(edges[:-1]), np.array(edges[1:])], axis=1)
        clear = self._above.lower(low, high, times, p) > near
        behind = self._below.lower(low, high, times, p) > near
        clear |= behind & self._passable[self._rows]
        clear |= self._off.lower(low, high, times, p) > 0.0
        stays = self._on.lower(low, high, times, p) > 0.0
        return np.all(clear, axis=0), np.all(stays, axis=0)
