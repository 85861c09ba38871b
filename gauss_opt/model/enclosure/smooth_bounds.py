"""The data of the acceleration problem over cells: mass, force, held rows and right-hand side."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ...base.arrays import Array, Indices
from ...base.tolerances.model import ENCLOSURE_ULP
from ..tracing.system_graph import SystemGraph
from .extension import NoEnclosure
from .row_forms import RowForms, cells_function
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

    Parameters
    ----------
    graph : SystemGraph
    held : array of int
        Rows of the layout.
    forms : RowForms
        By which rows that have their form in common with many others are bounded.
    common : set of int
        Those rows.

    Raises
    ------
    NoEnclosure
        Where a part of it is not traced, or has an operation without a rule.
    """

    def __init__(
        self, graph: SystemGraph, held: Indices, forms: RowForms, common: Set[int]
    ) -> None:
        layout = graph.rows.layout
        if graph.direct or graph.wants_ideal is not None:
            raise NoEnclosure("a force or the mass is not traced")
        if any(layout.block_at(row).item.by_hand for row in held.tolist()):
            raise NoEnclosure("derivatives by hand")
        s = graph.symbols
        self._n, self._k = s.v.shape[0], len(held)
        self._mass = graph.constant_mass
        shared = np.array([row in common for row in held.tolist()], dtype=bool)
        self._groups = forms.grouped(held[shared], np.flatnonzero(shared))
        self._alone: Indices = np.flatnonzero(~shared)
        alone = held[self._alone]
        columns = [] if self._mass is not None else [graph.graphs["mass"].T]
        load = graph.graphs["force"]
        if "nonideal" in graph.graphs:
            load = load + graph.graphs["nonideal"]
        columns += [load, graph.rows.written_out(alone), graph.rows.rhs[alone.tolist()]]
        column = ca.vertcat(*(ca.reshape(ca.densify(c), -1, 1) for c in columns))
        y = ca.vertcat(s.q, s.v)
        function = ca.Function("data", [y, s.t, s.p], [ca.cse(ca.densify(column))])
        self._function = cells_function(function)
        self._constant: Array | None = None
        if not ca.symvar(column):
            nothing = np.zeros((1, y.shape[0]))
            p = np.zeros((1, s.p.shape[0]))
            self._constant = self._function([nothing, nothing, np.zeros((1, 3)), p])

    def over(self, cells: Cells, p: Array) -> IntervalData:
        """The data over cells of (q, v)."""
        c, n, k, few = len(cells.low), self._n, self._k, len(self._alone)
        if self._constant is None:
            parameters = np.broadcast_to(p, (c, len(p)))
            out = self._function([cells.low, cells.high, cells.times, parameters])
        else:
            out = np.broadcast_to(self._constant, (c, self._constant.shape[1]))
        half = out.shape[1] // 2
        center, radius = _ball(out[:, :half], out[:, half:])
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
        load, rows, rhs = taken(n), taken(few, n), taken(few)
        if few < k:
            rows, rhs = self._with_groups(cells, p, rows, rhs)
        return IntervalData(*mass, *load, *rows, *rhs)

    def _with_groups(
        self, cells: Cells, p: Array, rows: tuple[Array, Array], rhs: tuple[Array, Array]
    ) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
        """Rows and right-hand sides of all that are held, from those of the ones alone."""
        c = len(cells.low)
        every = np.zeros((2, c, self._k, self._n))
        wanted = np.zeros((2, c, self._k))
        every[:, :, self._alone], wanted[:, :, self._alone] = rows, rhs
        for group in self._groups:
            both = np.array(_ball(*group.over(cells, p)))
            every[:, :, group.places[:, None], group.columns] = both[..., :-1]
            wanted[:, :, group.places] = both[..., -1]
        return (every[0], every[1]), (wanted[0], wanted[1])


def _ball(low: Array, high: Array) -> tuple[Array, Array]:
    """Centre and radius of intervals; the radius allows for the round-off of the centre."""
    with np.errstate(invalid="ignore", over="ignore"):
        center = 0.5 * (low + high)
        radius = 0.5 * (high - low) * (1.0 + 4 * ENCLOSURE_ULP) + ENCLOSURE_ULP * np.abs(low)
    return center, radius
