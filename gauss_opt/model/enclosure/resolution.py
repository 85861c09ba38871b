"""What forces, mass and equality constraints may hide from the steps of an integrator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from ...base.arrays import Array, Indices, Mask
from ...base.lazy import lazy
from ..tracing.buffered import MappedFunction
from ..tracing.system_graph import SystemGraph
from .hidden import hidden_parts, smooth_on
from .way import Cells

__all__ = ["HiddenData", "Resolution"]


class HiddenData(NamedTuple):
    """How much may be hidden over c cells of the data of the motion with m rows.

    Attributes
    ----------
    mass : (c, n, n) array
    load : (c, n) array
    rows, rhs : (c, m, n) and (c, m) arrays
    """

    mass: Array
    load: Array
    rows: Array
    rhs: Array


class Resolution:
    """Whether the motion is smooth on the scale of a box, and what it may hide where it is not.

    Looked at are mass, force, non-ideal force and equality constraints, as far as they are traced,
    and other rows that are held.

    Parameters
    ----------
    graph : SystemGraph
    more : sequence of int
        Rows to look at besides the equalities.

    Attributes
    ----------
    rows : array of int
        The rows that are looked at.
    trivial : bool
        Whether nothing can be hidden: sums and products of positions, velocities and time.

    Raises
    ------
    NoEnclosure
        Where an operation has no rule.
    """

    def __init__(self, graph: SystemGraph, more: Sequence[int] = ()) -> None:
        s, layout = graph.symbols, graph.rows.layout
        n = s.v.shape[0]
        self._n, self._with_mass = n, "mass" in graph.graphs
        equalities = range(layout.equalities.stop)
        traced = [row for row in equalities if not layout.block_at(row).item.by_hand]
        rows: Indices = np.array([*traced, *more], dtype=np.intp)
        self.rows = rows
        columns = [graph.graphs["mass"].T] if self._with_mass else []
        load = graph.graphs.get("force", ca.SX.zeros(n))
        if "nonideal" in graph.graphs:
            load = load + graph.graphs["nonideal"]
        columns += [load, graph.rows.written_out(rows), graph.rows.rhs[rows.tolist()]]
        column = ca.vertcat(*(ca.reshape(ca.densify(c), -1, 1) for c in columns))
        y = ca.vertcat(s.q, s.v)
        function = ca.Function("data", [y, s.t, s.p], [ca.cse(ca.densify(column))])
        low, high = ca.SX.sym("low", y.shape[0]), ca.SX.sym("high", y.shape[0])
        times, p = ca.SX.sym("times", 3), ca.SX.sym("p", s.p.shape[0])
        self._inputs = [low, high, times, p]
        self._function = function
        self._boxes = [(low, high), (times[0], times[1]), (p, p)]
        self._condition = smooth_on(function, self._boxes)
        self.trivial = self._condition.is_constant() and bool(float(self._condition))

    @lazy
    def condition(self) -> Any:
        """A CasADi function of (low, high, times, t, p), above 0 where all is smooth on a box."""
        low, high, times, p = self._inputs
        output = ca.cse(ca.densify(self._condition))
        return ca.Function("smooth", [low, high, times, ca.SX.sym("t"), p], [output])

    def is_smooth(self, cells: Cells, p: Array) -> Mask:
        """Over which cells of (q, v) everything is smooth."""
        mask: Mask = self._called(self._smooth, cells, p)[:, 0] > 0.0
        return mask

    def over(self, cells: Cells, p: Array) -> tuple[Mask, HiddenData]:
        """Over which cells everything is smooth, and what may be hidden there."""
        out = self._called(self._parts, cells, p)
        c, n, k = len(cells.low), self._n, len(self.rows)
        smooth: Mask = out[:, 0] > 0.0
        out = out[:, 1:]
        mass = np.zeros((c, n, n))
        if self._with_mass:
            mass, out = out[:, : n * n].reshape(c, n, n), out[:, n * n :]
        load, rows, rhs = np.split(out, [n, n + k * n], axis=1)
        return smooth, HiddenData(mass, load, rows.reshape(c, k, n), rhs)

    @lazy
    def _smooth(self) -> MappedFunction:
        return self._compiled(self._condition)

    @lazy
    def _parts(self) -> MappedFunction:
        return self._compiled(
            ca.vertcat(self._condition, hidden_parts(self._function, self._boxes))
        )

    def _compiled(self, graph: Any) -> MappedFunction:
        return MappedFunction(ca.Function("hidden", self._inputs, [ca.cse(ca.densify(graph))]))

    def _called(self, function: MappedFunction, cells: Cells, p: Array) -> Array:
        parameters = np.broadcast_to(p, (len(cells.low), len(p)))
        return function([cells.low, cells.high, cells.times, parameters])
