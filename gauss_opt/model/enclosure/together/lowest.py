"""Lower bounds of the values of some rows over a whole step, by one call for all of them."""

from __future__ import annotations

import casadi as ca
import numpy as np

from ....base.arrays import Array, Indices
from ...tracing.buffered import MappedFunction
from ...tracing.system_graph import SystemGraph
from ..extension import NoEnclosure
from ..row_forms import cells_function
from ..way import Way, whole

__all__ = ["Lowest"]


class Lowest:
    """What the rows of a system are certain not to fall below."""

    def __init__(self, graph: SystemGraph) -> None:
        self._symbols = graph.symbols
        self._layout, self._values = graph.rows.layout, graph.rows.value
        self._functions: dict[bytes, MappedFunction | None] = {}

    def over(self, rows: Indices, signs: Array, way: Way, p: Array) -> Array:
        """Lower bounds of the values of rows times a sign each; minus infinity: not known."""
        key = rows.tobytes()
        if key not in self._functions:
            self._functions[key] = self._made(rows)
        function = self._functions[key]
        if function is None:
            return np.full(len(rows), -np.inf)
        s = self._symbols
        state = way.of(np.arange(s.q.shape[0] + s.v.shape[0]))
        cells = whole(state, way.t0, way.t1)
        both = function([cells.low, cells.high, cells.times, p[None]])[0]
        least: Array = np.where(signs > 0.0, both[: len(rows)], -both[len(rows) :])
        return least

    def _made(self, rows: Indices) -> MappedFunction | None:
        if any(self._layout.block_at(row).item.by_hand for row in rows.tolist()):
            return None
        s, values = self._symbols, self._values[rows.tolist()]
        inputs = [ca.vertcat(s.q, s.v), s.t, s.p]
        try:
            return cells_function(ca.Function("values", inputs, [ca.cse(ca.densify(values))]))
        except NoEnclosure:
            return None
