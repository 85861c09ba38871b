"""Rows of one form, the distances of many pairs of discs say, bounded by one function together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from ...base.arrays import Array, Indices
from ..tracing.buffered import MappedFunction
from ..tracing.system_graph import SystemGraph
from .extension import extended
from .motion_function import form_of
from .way import Cells

__all__ = ["RowForms", "RowsOfOneForm", "cells_function"]


@dataclass(frozen=True, eq=False)
class RowsOfOneForm:
    """Some rows, and the function that bounds them.

    Attributes
    ----------
    places : (r,) array of int
        Which of the rows asked for.
    inputs : (r, n) array of int
        Coordinates of (q, v) that each depends on.
    columns : (r, k) array of int
        Where its entries are in the row.
    function : MappedFunction
    """

    places: Indices
    inputs: Indices
    columns: Indices
    function: MappedFunction

    def over(self, cells: Cells, p: Array) -> tuple[Array, Array]:
        """Lower and upper bounds of the entries and of the right-hand sides, (c, r, k + 1) each."""
        c, (r, n) = len(cells.low), self.inputs.shape
        out = self.function([
            cells.low[:, self.inputs].reshape(c * r, n),
            cells.high[:, self.inputs].reshape(c * r, n),
            np.repeat(cells.times, r, axis=0),
            np.broadcast_to(p, (c * r, len(p))),
        ])  # fmt: skip
        both: Array = out.reshape(c, r, 2, -1)
        return both[:, :, 0], both[:, :, 1]


class _Row(NamedTuple):
    inputs: list[int]
    columns: Indices
    form: tuple[Any, ...]


class RowForms:
    """The rows of a system by form, each looked at when it is asked for."""

    def __init__(self, graph: SystemGraph) -> None:
        self._graph = graph
        self._y = ca.vertcat(graph.symbols.q, graph.symbols.v)
        self._rows: dict[int, _Row] = {}
        self._functions: dict[tuple[Any, ...], MappedFunction] = {}

    def grouped(self, rows: Indices, places: Indices) -> list[RowsOfOneForm]:
        """Rows, by the places that they are wanted in, form by form."""
        groups: dict[tuple[Any, ...], list[int]] = {}
        for i, row in enumerate(rows.tolist()):
            groups.setdefault(self._row(row).form, []).append(i)
        return [self._group(rows, places, members) for members in groups.values()]

    def _group(self, rows: Indices, places: Indices, members: list[int]) -> RowsOfOneForm:
        known = [self._rows[int(rows[i])] for i in members]
        inputs = np.array([row.inputs for row in known], dtype=np.intp).reshape(len(known), -1)
        columns = np.array([row.columns for row in known], dtype=np.intp).reshape(len(known), -1)
        return RowsOfOneForm(places[members], inputs, columns, self._functions[known[0].form])

    def _row(self, row: int) -> _Row:
        if row not in self._rows:
            rows, s = self._graph.rows, self._graph.symbols
            chosen, _ = rows.pattern.nonzeros(np.array([row]))
            column = ca.vertcat(rows.jacobian[chosen.tolist()], rows.rhs[row])
            nq = s.q.shape[0]
            inputs = s.positions_in(column) + [nq + i for i in s.velocities_in(column)]
            y = self._y[inputs] if inputs else ca.SX(0, 1)
            function = ca.Function("row", [y, s.t, s.p], [ca.cse(ca.densify(column))])
            form = (len(chosen), *form_of(function))
            if form not in self._functions:
                self._functions[form] = cells_function(function)
            self._rows[row] = _Row(inputs, rows.pattern.columns[chosen], form)
        return self._rows[row]


def cells_function(function: Any) -> MappedFunction:
    """From bounds of coordinates, of times, and parameters: lower bounds, then upper bounds.

    Parameters
    ----------
    function : casadi.Function
        Of coordinates, time and parameters, with one column.
    """
    n, n_parameters = function.size1_in(0), function.size1_in(2)
    low, high, times = ca.SX.sym("low", n), ca.SX.sym("high", n), ca.SX.sym("times", 3)
    p = ca.SX.sym("p", n_parameters)
    lower, upper = extended(function, [(low, high), (times[0], times[1]), (p, p)])
    output = ca.cse(ca.vertcat(lower, upper))
    return MappedFunction(ca.Function("bounds", [low, high, times, p], [output]))
