"""The enclosures of a traced system: each is made when it is asked for, and kept."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np

from ...base.arrays import Array, Indices
from ...base.chebyshev import bounds, cut
from ...base.errors import TraceError
from ..dynamics import Parameters
from ..tracing.buffered import MappedFunction
from ..tracing.system_graph import SystemGraph
from ..tracing.user_function import UserFunction, agree, flatten_parameters, probe_points
from .extension import NoEnclosure, extended
from .motion_function import MotionFunction, MotionSymbols
from .smooth_bounds import SmoothBounds
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
        self._smooth: dict[bytes, SmoothBounds | None] = {}
        self._look: MappedFunction | None = None
        self._looked_for = False

    def smooth(self, held: Indices) -> SmoothBounds | None:
        """The data of the motion with these rows held; None where nothing can be proved of it."""
        key = held.tobytes()
        if key not in self._smooth:
            try:
                self._smooth[key] = SmoothBounds(self._graph, held)
            except NoEnclosure:
                self._smooth[key] = None
        return self._smooth[key]

    def row(self, row: int) -> MotionFunction | None:
        """The value of a row; None where nothing can be proved of it."""
        if row not in self._rows:
            by_hand = self._layout.block_at(row).item.by_hand
            self._rows[row] = None if by_hand else self._made(self._values[row])
        return self._rows[row]

    def function(
        self, user: UserFunction, parameters: Parameters, offset: float = 0.0
    ) -> MotionFunction | None:
        """A user function of (q, v, t), less an offset; None where it cannot be traced.

        Its trace must agree with it at trial points.
        """
        key = (user.function, user.label, offset)
        if key not in self._functions:
            self._functions[key] = self._traced(user, parameters, offset)
        return self._functions[key]

    def _traced(
        self, user: UserFunction, parameters: Parameters, offset: float
    ) -> MotionFunction | None:
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
        return self._made(graph - offset) if compared else None

    def _made(self, graph: Any) -> MotionFunction | None:
        try:
            return MotionFunction(self._motion, graph, self._templates)
        except NoEnclosure:
            return None

    # All contacts at once

    def not_clear(self, way: Way, rows: Indices, p: Array) -> Indices:
        """Which of these contact rows are not at once proved to stay above zero, as places in rows.

        First over the whole step, then over eighths of it, by the bounds of the gaps alone.
        """
        left = np.arange(len(rows))
        if len(rows) <= FEW:
            return left
        look = self._first_look()
        if look is None:
            return left
        nq = self._symbols.q.shape[0]
        values = way.of(np.arange(nq))
        places = rows - self._layout.contacts.start
        for count in (1, CUTS):
            edges = edges_of(way.t0, way.t1, count)
            cells = values[None] if count == 1 else cut(values, count)
            low, high, _ = bounds(cells)
            times = np.stack([np.array(edges[:-1]), np.array(edges[1:])], axis=1)
            lower = look([low, high, times, np.broadcast_to(p, (count, len(p)))])
            left = left[~(lower[:, places[left]] > 0.0).all(axis=0)]
            if len(left) <= FEW:
                break
        return left

    def _first_look(self) -> MappedFunction | None:
        """Lower bounds of all gaps over a box, as one function."""
        if not self._looked_for:
            self._looked_for = True
            s, part = self._symbols, self._layout.contacts
            gaps = ca.cse(ca.densify(self._values[part.start : part.stop]))
            function = ca.Function("gaps", [s.q, s.t, s.p], [gaps])
            nq = s.q.shape[0]
            low, high, times = ca.SX.sym("low", nq), ca.SX.sym("high", nq), ca.SX.sym("times", 2)
            box = [(low, high), (times[0], times[1]), (s.p, s.p)]
            try:
                lower, _ = extended(function, box)
            except NoEnclosure:
                return None
            inputs = [low, high, times, s.p]
            self._look = MappedFunction(ca.Function("look", inputs, [ca.cse(lower)]))
        return self._look
