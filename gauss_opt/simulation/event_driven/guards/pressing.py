"""The first held row of a step that ceases to press, proved by enclosed multipliers.

The step is cut until over each part every held inequality is proved to press, in the order of time.
In the smallest part of which that cannot be proved, the zero is located. Where rows depend on each
other the multipliers of minimum norm are enclosed, and if they do not all press, those of which the
least is largest; if they do not either, (G) is asked at the ends of parts and the time is bisected
at which it departs from the frozen set.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ....base.arrays import Array, Indices, Mask
from ....base.tolerances.simulation import NO_FORCE
from ....mechanics.consistency.caused import caused_accelerations
from ....mechanics.flow import Flow
from ....mechanics.pressing import evened_out, least_multipliers, row_space
from ....model.enclosure.smooth_bounds import SmoothBounds
from ....model.enclosure.way import CUTS, edges_of, parts, whole
from ....model.snapshot import Snapshot
from ....qp.parts import coupled_unknowns
from ....results.dense_output import Piece
from ...run_state import RunState
from ..context import Context
from ..roots import first_sign_change
from .frozen_set import changes_at, right_at
from .happening import Happening, HappeningKind
from .sampling import sampled_only

__all__ = ["Held", "first_release"]

MAX_LEVEL = 5
MAX_CELLS = 4000
NO_FORCE_FROM_LEVEL = 1  # parts this deep at whose ends nothing pushes or pulls are not cut further
ASK_FROM_LEVEL = 2  # redundant rows: (G) is asked at the ends of parts this deep
REDUNDANT_CELLS = 64  # and parts are not cut further beyond so many


class Held(NamedTuple):
    """Rows that are held in a step.

    Attributes
    ----------
    flow : Flow
        The motion that holds them.
    pressed : array of int
        Those of them that are inequalities.
    unique : bool
        Whether the rows are independent, so that each multiplier means something by itself.
    """

    flow: Flow
    pressed: Indices
    unique: bool


@dataclass(eq=False)
class _Search:
    """What one search through a step needs, and what it has taken so far."""

    context: Context
    state: RunState
    held: Held
    piece: Piece
    bounds: SmoothBounds
    cells: int = 0
    unsettled: int = 0
    _last: tuple[float, Array] | None = None

    @cached_property
    def pressing(self) -> Mask:
        """Which of the held rows must press."""
        mask: Mask = np.isin(self.held.flow.held, self.held.pressed)
        return mask

    @cached_property
    def basis(self) -> Array | None:
        """Of the range of dependent rows, as they are at the end of the step."""
        if self.held.unique:
            return None
        snapshot = self.context.at(self.piece.t1, self.piece.values[-1])
        return row_space(snapshot.rows_of(self.held.flow.held))

    @cached_property
    def _coupled(self) -> tuple[Indices, Array]:
        """Which held rows are coupled, and what the applied forces could press on each."""
        snapshot = self.context.at(self.piece.t1, self.piece.values[-1])
        rows = snapshot.rows_of(self.held.flow.held)
        labels = coupled_unknowns(snapshot.mass, rows)[(rows != 0.0).argmax(axis=1)]
        return labels, _applied_forces(snapshot, np.abs(rows))

    def no_force(self, sizes: Array) -> Array:
        """Which force of each held row is none, where they have these sizes.

        It is relative to the largest that is coupled to it, and to what the applied forces could
        press on it: where they balance, as between balls that swing side by side, round-off is
        left.
        """
        labels, applied = self._coupled
        largest = np.zeros(labels.max(initial=0) + 1)
        np.maximum.at(largest, labels, sizes)
        zero: Array = NO_FORCE * np.maximum(largest[labels], applied)
        return zero

    def forces(self, t: float) -> Array:
        """Multipliers of the held rows at a time; the last are kept, since parts share ends."""
        if self._last is None or self._last[0] != t:
            self._last = t, self.held.flow.accelerate(self.context.at(t, self.piece(t)))[1]
        return self._last[1]


def first_release(
    context: Context, state: RunState, held: Held, piece: Piece, bounds: SmoothBounds
) -> Happening | None:
    """The first row that lets go, or None when all are proved to press all through the step."""
    search = _Search(context, state, held, piece, bounds)
    data = bounds.over(whole(piece.values, piece.t0, piece.t1), context.parameters)
    search.cells = 1
    found = None
    if not _all_press(search, least_multipliers(data, search.basis))[0]:
        found = _cut(search, piece.values, piece.t0, piece.t1, 0)
    context.stats.guard_cells += search.cells
    if search.unsettled:
        for name in context.names(held.pressed):
            sampled_only(context, f"force of {name}", "too near to zero, or of redundant rows")
    return found


def _all_press(search: _Search, least: Array) -> Mask:
    """Over which cells every held inequality is proved to press."""
    mask: Mask = np.all(least[:, search.pressing] > 0.0, axis=1)
    return mask


def _cut(search: _Search, values: Array, t0: float, t1: float, level: int) -> Happening | None:
    """Go through the eighths of a part in the order of time."""
    edges = edges_of(t0, t1)
    pieces, cells = parts(values, edges)
    data = search.bounds.over(cells, search.context.parameters)
    least = least_multipliers(data, search.basis)
    fine = _all_press(search, least)
    search.cells += CUTS
    for i, (begin, end) in enumerate(pairwise(edges)):
        if fine[i]:
            continue
        if search.held.unique:
            open_rows = search.pressing & ~(least[i] > 0.0)
            found = _within(search, pieces[i], begin, end, level, open_rows)
        else:
            found = _within_redundant(search, pieces[i], begin, end, level)
        if found is not None:
            return found
    return None


def _within(
    search: _Search, values: Array, begin: float, end: float, level: int, open_rows: Mask
) -> Happening | None:
    """A part over which some rows are not proved to press: cut it, or look for the zero in it.

    Where those rows carry no force at either end, as balls that swing side by side, smaller parts
    would not prove more.
    """
    deepest = level >= MAX_LEVEL or search.cells > MAX_CELLS
    if not deepest and level < NO_FORCE_FROM_LEVEL:
        return _cut(search, values, begin, end, level + 1)
    before, after = search.forces(begin), search.forces(end)
    sizes = np.maximum(np.abs(before), np.abs(after))
    zero = search.no_force(sizes)
    if not deepest and np.any(sizes[open_rows] > zero[open_rows]):
        return _cut(search, values, begin, end, level + 1)
    falling = np.flatnonzero(search.pressing & (after < -zero))
    if len(falling):
        return _first_root(search, falling, begin, end, before, after)
    search.unsettled += 1
    return None


def _applied_forces(snapshot: Snapshot, rows: Array) -> Array:
    """What the applied forces alone could press on each row, given by the sizes of its entries."""
    pushed = rows @ caused_accelerations(snapshot, np.abs(snapshot.force))
    inertia = np.array([row @ caused_accelerations(snapshot, row) for row in rows])
    forces: Array = np.divide(pushed, inertia, out=np.zeros(len(rows)), where=inertia > 0.0)
    return forces


def _within_redundant(
    search: _Search, values: Array, begin: float, end: float, level: int
) -> Happening | None:
    """The same where rows depend on each other."""
    if level <= ASK_FROM_LEVEL and _press_evenly(search, values, begin, end):
        return None
    ask = (search.context, search.state, search.held.flow, search.piece)
    deep = level >= MAX_LEVEL or search.cells > MAX_CELLS
    enough = deep or (level >= 1 and search.cells > REDUNDANT_CELLS)
    if (enough or level >= ASK_FROM_LEVEL) and not right_at(*ask, end):
        t = changes_at(*ask, begin, end)
        return Happening(t, HappeningKind.RELEASE, np.arange(0))
    if enough:
        search.unsettled += 1
        return None
    return _cut(search, values, begin, end, level + 1)


def _press_evenly(search: _Search, values: Array, begin: float, end: float) -> bool:
    """Whether other multipliers than those of minimum norm are proved to press over a part."""
    assert search.basis is not None
    multipliers = search.forces(0.5 * (begin + end))
    shift = evened_out(search.basis, multipliers, search.pressing)
    if not (multipliers + shift)[search.pressing].min() > 0.0:
        return False
    data = search.bounds.over(whole(values, begin, end), search.context.parameters)
    search.cells += 1
    return bool(_all_press(search, least_multipliers(data, search.basis, shift))[0])


def _first_root(
    search: _Search, places: Indices, begin: float, end: float, before: Array, after: Array
) -> Happening:
    """The first of some multipliers that reaches zero between two times."""
    found = []
    for place in places.tolist():

        def force(t: float, place: int = place) -> float:
            return float(search.forces(t)[place])

        ends = np.array([before[place], after[place]])
        t = begin if ends[0] <= 0.0 else first_sign_change(np.array([begin, end]), ends, force, -1)
        found.append((end if t is None else t, place))
    first = min(t for t, _ in found)
    near = first + search.state.resolution(first)
    rows = search.held.flow.held[[place for t, place in found if t <= near]]
    return Happening(first, HappeningKind.RELEASE, rows)
