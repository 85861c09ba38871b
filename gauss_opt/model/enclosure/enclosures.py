"""The enclosures of a traced system: each is made when it is asked for, and kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np

from ...base.arrays import Array, Indices, Mask
from ...base.chebyshev import bounds, cut
from ...base.errors import TraceError
from ...base.lazy import lazy
from ..dynamics import Parameters
from ..switches import Switches
from ..tracing.system_graph import SystemGraph
from ..tracing.user_function import UserFunction, agree, flatten_parameters, probe_points
from .extension import NoEnclosure
from .family_functions import FamilyFunctions
from .hidden import can_be_narrow
from .motion_function import MotionFunction, MotionSymbols
from .resolution import Resolution
from .row_forms import RowForms
from .smooth_bounds import SmoothBounds
from .together.all_gaps import AllGaps
from .together.conditions import Conditions, Quiet
from .together.lowest import Lowest
from .way import CUTS, Way, edges_of

__all__ = ["Enclosures"]

FEW = 3  # contacts that are looked at one by one at once


class Enclosures:
    """What can be proved of the functions of a system.

    Parameters
    ----------
    graph : SystemGraph
    """

    def __init__(self, graph: SystemGraph) -> None:
        self._graph = graph
        self._symbols = graph.symbols
        self._motion = MotionSymbols(graph.symbols, graph.graphs.get("qdot", graph.symbols.v))
        self._layout = graph.rows.layout
        self._values = graph.rows.value
        self._templates: dict[Any, Any] = {}
        self._rows: dict[int, MotionFunction | None] = {}
        self._functions: dict[Any, MotionFunction | None] = {}
        self._resolutions: dict[tuple[int, ...], Resolution | None] = {}
        self._narrow: dict[int, bool] = {}
        self._smooth: dict[bytes, SmoothBounds | None] = {}
        self._forms = RowForms(graph)
        self._families = FamilyFunctions(graph.symbols, plain=self._motion.plain)
        self._look: AllGaps | None = None
        self._conditions: Conditions | None = None
        self._lowest = Lowest(graph)

    @lazy
    def resolution(self) -> Resolution | None:
        """What the motion may hide from an integrator; None where nothing, or nothing is known."""
        try:
            found = Resolution(self._graph)
        except NoEnclosure:
            return None
        return None if found.trivial else found

    def resolution_with(self, held: Indices) -> Resolution | None:
        """The same with those contacts and limits that are held and can have narrow features."""
        if not len(held) or held[-1] < self._layout.equalities.stop:
            return self.resolution
        key = tuple([row for row in held.tolist() if self._can_be_narrow(row)])
        if not key:
            return self.resolution
        if key not in self._resolutions:
            try:
                self._resolutions[key] = Resolution(self._graph, key)
            except NoEnclosure:
                self._resolutions[key] = self.resolution
        return self._resolutions[key]

    def _can_be_narrow(self, row: int) -> bool:
        """Whether a row beyond the equalities is more than lengths, ratios, sums and products."""
        if row not in self._narrow:
            item = self._layout.block_at(row).item
            known = row < self._layout.tangents.start
            known = known and not item.by_hand and not self._families.takes(item)
            self._narrow[row] = known and row >= self._layout.equalities.stop and can_be_narrow(
                ca.Function("row", [self._motion.state, self._symbols.t, self._symbols.p],
                            [self._graph.rows.rhs[row]])
            )  # fmt: skip
        return self._narrow[row]

    def smooth(self, held: Indices) -> SmoothBounds | None:
        """The data of the motion with these rows held; None where nothing can be proved of it."""
        key = held.tobytes()
        if key not in self._smooth:
            try:
                self._smooth[key] = SmoothBounds(self._graph, held, self._forms, self._common())
            except NoEnclosure:
                self._smooth[key] = None
        return self._smooth[key]

    def _common(self) -> set[int]:
        """Contact rows whose gap has a form that many have."""
        first, stop = self._layout.contacts.start, self._layout.contacts.stop
        if stop - first <= FEW:
            return set()
        return {first + place for place in self._first_look().common}

    def row(self, row: int) -> MotionFunction | None:
        """The value of a row; None where nothing can be proved of it."""
        if row not in self._rows:
            item = self._layout.block_at(row).item
            if row < self._layout.tangents.start and self._families.takes(item):
                self._rows[row] = self._families.motion(item.phi, f"gap of {item}")
            else:
                self._rows[row] = None if item.by_hand else self._made(self._values[row])
        return self._rows[row]

    def function(
        self, user: UserFunction, parameters: Parameters, offset: float = 0.0
    ) -> MotionFunction | None:
        """A user function of (q, v, t), less an offset; None where it cannot be traced.

        Its trace must agree with it at trial points. A comparison, which is 0 or 1 and has an
        offset between them, becomes the difference of its sides: that is smooth.
        """
        key = (user.function, user.label, offset)
        if key not in self._functions:
            if self._families.has(user.function):
                self._functions[key] = self._families.motion(user.function, user.label, offset)
            else:
                self._functions[key] = self._traced(user, parameters, offset)
        return self._functions[key]

    def _traced(
        self, user: UserFunction, parameters: Parameters, offset: float
    ) -> MotionFunction | None:
        graph = self.graph_of(user, parameters)
        if graph is None:
            return None
        compares = graph.is_op(ca.OP_LT) or graph.is_op(ca.OP_LE)
        return self._made(graph.dep(1) - graph.dep(0) if offset and compares else graph - offset)

    def graph_of(self, user: UserFunction, parameters: Parameters) -> Any:
        """The graph of a user function that returns a number; None where it cannot be traced.

        It must agree with the function at trial points.
        """
        try:
            graph, ndim = user.trace(self._symbols)
        except TraceError:
            return None
        if ndim or graph.shape != (1, 1):
            return None
        s = self._symbols
        plain = ca.Function("f", [s.q, s.v, s.t, s.p], [graph])
        p = flatten_parameters(parameters)
        compared = 0
        for q, v, t in probe_points(s.q.shape[0], s.v.shape[0]):
            value = user.probe({"q": q, "v": v, "t": t}, parameters)
            if value is None:
                continue
            traced = np.array(plain(q, v, t, p)).ravel()
            if not agree(np.asarray(value, dtype=float), traced):
                return None
            compared += 1
        return graph if compared else None

    def _made(self, graph: Any) -> MotionFunction | None:
        try:
            return MotionFunction(self._motion, graph, self._templates)
        except NoEnclosure:
            return None

    def lowest(self, rows: Indices, signs: Array, way: Way, p: Array) -> Array:
        """Lower bounds, over a whole step, of the values of some rows times a sign each, (k,).

        Minus infinity for rows of which nothing can be proved.
        """
        return self._lowest.over(rows, signs, way, p)

    # All contacts at once

    def quiet(self, way: Way, switches: Switches, near: Array, p: Array) -> Quiet:
        """Which contacts with a condition are proved to have no part in a step.

        ``near`` is how small a gap over all rows counts as none.
        """
        if self._conditions is None:
            self._conditions = Conditions(self._symbols, self._families, switches, self._gap)
        return self._conditions.over(way, near, p)

    def candidates(self, way: Way, rows: Indices, p: Array) -> Iterator[tuple[int, float]]:
        """Contact rows that are not at once proved to stay above zero, as places in ``rows``.

        Each comes with a time until which it is proved to be clear, and they come in the order of
        these times: who has found a zero before one of them needs to look no further. First the
        bounds of all gaps are taken over the whole step, then over eighths, then over eighths of
        those in which there are many candidates.
        """
        left = np.arange(len(rows))
        look = self._first_look() if len(rows) > FEW else None
        if look is None:
            yield from ((j, way.t0) for j in left.tolist())
            return
        places = rows - self._layout.contacts.start
        values = way.of(np.arange(self._symbols.q.shape[0]))
        clear = self._clear(look, values[None], [way.t0, way.t1], p)
        left = left[~clear[0, places]]
        if len(left) <= FEW:
            yield from ((j, way.t0) for j in left.tolist())
            return
        edges, parts = edges_of(way.t0, way.t1), cut(values, CUTS)
        clear = self._clear(look, parts, edges, p)[:, places]
        for i, (begin, end) in enumerate(pairwise(edges)):
            near = left[~clear[i, left]]
            finer, inside = [begin, end], np.zeros((1, len(places)), dtype=bool)
            if len(near) > FEW:
                finer = edges_of(begin, end)
                inside = self._clear(look, cut(parts[i], CUTS), finer, p)[:, places]
            for part, since in enumerate(finer[:-1]):
                now = near[~inside[part, near]]
                yield from ((j, since) for j in now.tolist())
                near = np.setdiff1d(near, now)
                left = np.setdiff1d(left, now)

    def _clear(self, look: AllGaps, cells: Array, edges: Sequence[float], p: Array) -> Mask:
        """Which gaps are proved to be positive over cells, (c, contacts)."""
        low, high, _ = bounds(cells)
        times = np.stack([np.array(edges[:-1]), np.array(edges[1:])], axis=1)
        clear: Mask = look.lower(low, high, times, p) > 0.0
        return clear

    def _first_look(self) -> AllGaps:
        """All gaps at once."""
        if self._look is None:
            rows = range(self._layout.contacts.start, self._layout.contacts.stop)
            self._look = AllGaps(self._symbols, [self._gap(row) for row in rows])
        return self._look

    def _gap(self, row: int) -> Any:
        """The gap of a contact row for a look at many: a graph, or a member with its trace."""
        item = self._layout.block_at(row).item
        if item.by_hand:
            return None
        if self._families.takes(item):
            return item.phi, self._families.trace(item.phi, f"gap of {item}")
        return self._values[row]
