"""The first contact of a step that slips, or lets go, where contacts with friction are closed.

The step is cut, in the order of time, until over each part all margins are proved to be positive:
the multipliers of the motion are enclosed. In the smallest part of which that cannot be proved the
zero is located. Where forces are redundant, a margin says nothing by itself: contacts that stick
slip only when no forces within the cones are left, and that is asked of (C).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ....base.arrays import Array
from ....base.tolerances.simulation import NO_FORCE, TIP_OF_CONE
from ....mechanics.flow import Flow
from ....mechanics.friction.margins import Margins, least_margins
from ....mechanics.pressing import row_space
from ....model.enclosure.smooth_bounds import SmoothBounds
from ....model.enclosure.way import CUTS, edges_of, parts, whole
from ....results.dense_output import Piece
from ...run_state import RunState
from ..contact_status import STICKING, Statuses, pressing
from ..context import Context
from ..guards.frozen_set import changes_at, right_at
from ..guards.happening import Happening, HappeningKind
from ..guards.sampling import sampled_only
from ..roots import first_sign_change
from .redundant import sharpened
from .ways import tangents_of

if TYPE_CHECKING:
    from ..guards.pressing import Held

__all__ = ["first_margin", "margins_of"]

MAX_LEVEL = 5
MAX_CELLS = 4000
NEXT_TO_ZERO = 1e-3  # of the step: just before its zero a margin is too small to be proved


def margins_of(context: Context, status: Statuses, flow: Flow) -> Margins:
    """The margins of everything that carries force and may let go or slip."""
    layout, held = context.layout, flow.held
    place = {row: i for i, row in enumerate(held.tolist())}
    static = context.system.coefficients(layout).static_friction
    lines, rows, slides = [], [], []
    for row in pressing(status, layout).tolist():
        line = np.zeros(len(held))
        line[place[row]] = 1.0
        if status[row] != STICKING:
            lines.append(line)
            rows.append(row)
            slides.append(0)
            continue
        tangent = int(tangents_of(layout, np.array([row]))[0])
        for way in (-1, 1):
            both = line * static[row]
            both[place[tangent]] = way
            lines.append(both)
            rows.append(row)
            slides.append(way * tangent)
    matrix = np.array(lines).reshape(len(lines), len(held))
    return Margins(matrix, np.array(rows, dtype=np.intp), np.array(slides, dtype=np.intp))


def first_margin(context: Context, state: RunState, held: Held, piece: Piece) -> Happening | None:
    """The first margin that falls to zero, or None when all are positive all through the step."""
    flow = held.flow
    if flow.margins is None:  # a flow is that of one set
        flow.margins = margins_of(context, state.status, flow)
    margins = flow.margins
    enclosures = context.dynamics.enclosures
    bounds = None
    if enclosures is not None and flow.among is None:
        bounds = enclosures.smooth(flow.asked)
    search = _Search(context, state, flow, margins, piece, bounds, held.unique)
    if bounds is not None and search.proves(bounds):
        return None
    if not held.unique:
        return _asked(search)
    found = search.cut(piece.values, piece.t0, piece.t1, 0)
    context.stats.guard_cells += search.cells
    if search.doubtful_without(found):
        unsettled = context.stats.unsettled
        for name in (f"friction of {name}" for name in context.names(margins.rows.tolist())):
            unsettled[name] = unsettled.get(name, 0) + len(search.doubtful)
    return found


def _asked(search: _Search) -> Happening | None:
    """Redundant forces: (C) is asked at the ends of parts."""
    context, state, flow, piece = search.context, search.state, search.flow, search.piece
    for name in context.names(search.margins.rows.tolist()):
        sampled_only(context, f"friction of {name}", "redundant forces")
    for low, high in pairwise(edges_of(piece.t0, piece.t1)):
        if not right_at(context, state, flow, piece, high):
            t = changes_at(context, state, flow, piece, low, high)
            t = sharpened(context, state, piece, low, t)
            return Happening(t, HappeningKind.SLIP, np.arange(0))
    return None


@dataclass(eq=False)
class _Search:
    """One search through a step, and what it has taken so far."""

    context: Context
    state: RunState
    flow: Flow
    margins: Margins
    piece: Piece
    bounds: SmoothBounds | None
    unique: bool
    cells: int = 0
    doubtful: list[float] = field(default_factory=list)

    @cached_property
    def basis(self) -> Array | None:
        """Of the range of dependent rows, as they are at the end of the step."""
        if self.unique:
            return None
        snapshot = self.context.at(self.piece.t1, self.piece.values[-1])
        return row_space(snapshot.rows_of(self.flow.held))

    def proves(self, bounds: SmoothBounds) -> bool:
        """Whether all margins are proved to be positive over the whole step at once."""
        if not self.unique and self.flow.slides:
            return False
        piece = self.piece
        data = bounds.over(whole(piece.values, piece.t0, piece.t1), self.context.parameters)
        self.cells += 1
        least = least_margins(data, self.margins, self.flow.sliding, self.basis)
        return bool((least > 0.0).all())

    def at(self, t: float) -> Array:
        """The margins at a time, and last the largest multiplier."""
        snapshot = self.context.at(t, self.piece(t))
        forces = self.flow.accelerate(snapshot)[1]
        return np.append(self.margins.matrix @ forces, np.abs(forces).max(initial=0.0))

    def cut(self, values: Array, t0: float, t1: float, level: int) -> Happening | None:
        """Go through the eighths of a part in the order of time."""
        edges = edges_of(t0, t1)
        pieces, cells = parts(values, edges)
        fine = np.zeros(CUTS, dtype=bool)
        if self.bounds is not None:
            data = self.bounds.over(cells, self.context.parameters)
            least = least_margins(data, self.margins, self.flow.sliding)
            fine = np.all(least > 0.0, axis=1)
            self.cells += CUTS
        for i, (begin, end) in enumerate(pairwise(edges)):
            if fine[i]:
                continue
            last = level >= MAX_LEVEL or self.cells > MAX_CELLS or self.bounds is None
            if last:
                found = self.within(begin, end)
            else:
                found = self.cut(pieces[i], begin, end, level + 1)
            if found is not None:
                return found
        return None

    def doubtful_without(self, found: Happening | None) -> bool:
        """Whether a part is left in doubt, unless it is just before the zero that was found."""
        near = NEXT_TO_ZERO * (self.piece.t1 - self.piece.t0)
        return any(found is None or found.t - begin > near for begin in self.doubtful)

    def within(self, begin: float, end: float) -> Happening | None:
        """A part of which nothing is proved: look for a zero in it."""
        before, after = self.at(begin), self.at(end)
        zero = NO_FORCE * max(before[-1], after[-1])
        falling = np.flatnonzero(after[:-1] < -zero)
        if len(falling):
            return self.first_root(falling.tolist(), begin, end, before, after)
        names = self.context.names(self.margins.rows.tolist())
        if self.bounds is None:
            for name in names:
                sampled_only(self.context, f"friction of {name}", _why_sampled(self.flow))
        elif begin == self.piece.t0:  # it starts at its limit, and goes away from it
            for name in names:
                sampled_only(self.context, f"friction of {name}", "it starts at its limit")
        else:
            self.doubtful.append(begin)
        return None

    def first_root(
        self, places: list[int], begin: float, end: float, before: Array, after: Array
    ) -> Happening:
        """The first of some margins that reaches zero between two times."""
        found = []
        for place in places:

            def margin(t: float, place: int = place) -> float:
                return float(self.at(t)[place])

            ends = np.array([before[place], after[place]])
            times = np.array([begin, end])
            t = begin if ends[0] <= 0.0 else first_sign_change(times, ends, margin, -1)
            found.append((end if t is None else t, place))
        first = min(t for t, _ in found)
        near = first + self.state.resolution(first)
        return self.happening(first, [place for t, place in found if t <= near])

    def happening(self, t: float, places: list[int]) -> Happening:
        """Rows let go at a time, or contacts slip; of a cone at its tip, the contact lets go."""
        forces = self.flow.on_rows(self.flow.accelerate(self.context.at(t, self.piece(t)))[1])
        largest = np.abs(forces).max()
        rows, slides = self.margins.rows[places], self.margins.slides[places]
        lets_go = (slides == 0) | (np.abs(forces[rows]) <= TIP_OF_CONE * largest)
        if lets_go.any():
            return Happening(t, HappeningKind.RELEASE, np.unique(rows[lets_go]))
        return Happening(t, HappeningKind.SLIP, rows, slides=tuple(slides.tolist()))


def _why_sampled(flow: Flow) -> str:
    """Why nothing can be enclosed."""
    if flow.among is not None:
        return "constraints that depend on each other"
    return "a force or a constraint cannot be traced"
