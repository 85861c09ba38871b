"""The data of the acceleration problem over cells: mass, force, held rows and right-hand side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ...base.arrays import Array, Indices
from ...base.tolerances.model import ENCLOSURE_ULP
from ..tracing.buffered import MappedFunction
from ..tracing.system_graph import SystemGraph
from .extension import NoEnclosure, extended
from .way import Cells

__all__ = ["IntervalData", "SmoothBounds"]


@dataclass(frozen=True, eq=False)
class IntervalData:
    """Centres and radii over c cells; k rows are held.

    Attributes
    ----------
    mass, mass_radius : (c, n, n) arrays
    load, load_radius : (c, n) arrays
    rows, rows_radius : (c, k, n) arrays
    rhs, rhs_radius : (c, k) arrays
    """

    mass: Array
    mass_radius: Array
    load: Array
    load_radius: Array
    rows: Array
    rows_radius: Array
    rhs: Array
    rhs_radius: Array


class SmoothBounds:
    """Bounds of everything that the motion with some rows held depends on.

    Raises
    ------
    NoEnclosure
        Where a part of it is not traced, or has an operation without a rule.
    """

    def __init__(self, graph: SystemGraph, held: Indices) -> None:
        layout = graph.rows.layout
        if graph.direct or graph.wants_ideal is not None:
            raise NoEnclosure("a force or the mass is not traced")
        if any(layout.block_at(row).item.by_hand for row in held.tolist()):
            raise NoEnclosure("derivatives by hand")
        s = graph.symbols
        self._n, self._k = s.v.shape[0], len(held)
        self._mass = graph.constant_mass
        columns = [] if self._mass is not None else [graph.graphs["mass"].T]
        load = graph.graphs["force"]
        if "nonideal" in graph.graphs:
            load = load + graph.graphs["nonideal"]
        columns += [load, graph.rows.written_out(held), graph.rows.rhs[held.tolist()]]
        column = ca.vertcat(*(ca.reshape(ca.densify(c), -1, 1) for c in columns))
        y = ca.vertcat(s.q, s.v)
        function = ca.Function("data", [y, s.t, s.p], [ca.cse(ca.densify(column))])
        low, high = ca.SX.sym("low", y.shape[0]), ca.SX.sym("high", y.shape[0])
        times, p = ca.SX.sym("times", 3), ca.SX.sym("p", s.p.shape[0])
        lower, upper = extended(function, [(low, high), (times[0], times[1]), (p, p)])
        output = ca.cse(ca.vertcat(lower, upper))
        self._function = MappedFunction(ca.Function("bounds", [low, high, times, p], [output]))

    def over(self, cells: Cells, p: Array) -> IntervalData:
        """The data over cells of (q, v)."""
        c, n, k = len(cells.low), self._n, self._k
        parameters = np.broadcast_to(p, (c, len(p)))
        out = self._function([cells.low, cells.high, cells.times, parameters])
        half = out.shape[1] // 2
        low, high = out[:, :half], out[:, half:]
        with np.errstate(invalid="ignore", over="ignore"):
            center = 0.5 * (low + high)
            radius = 0.5 * (high - low) * (1.0 + 4 * ENCLOSURE_ULP) + ENCLOSURE_ULP * np.abs(low)
        place = 0

        def taken(*shape: int) -> tuple[Any, Any]:
            nonlocal place
            part = slice(place, place + int(np.prod(shape)))
            place = part.stop
            return center[:, part].reshape(c, *shape), radius[:, part].reshape(c, *shape)

        if self._mass is None:
            mass = taken(n, n)
        else:
            mass = np.broadcast_to(self._mass, (c, n, n)), np.zeros((c, n, n))
        return IntervalData(*mass, *taken(n), *taken(k, n), *taken(k))
