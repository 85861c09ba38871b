"""Derivatives of the equations of motion, for variations of a run: by state, time and parameters.

With z = (q, v, t, p) the equations of motion with multipliers l on the rows are

    M a - Q - C - A'l = 0,   A a - b = 0,   q' = N v.

What is needed of them are the derivatives by z at given a and l, and those of values and rates of
the rows.
"""

from __future__ import annotations

from threading import Lock
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from ...base.arrays import Array
from ...base.lazy import lazy
from ..dynamics import Parameters
from ..tracing.system_graph import SystemGraph
from ..tracing.user_function import flatten_parameters

__all__ = ["Slopes", "VariationGraphs"]


class Slopes(NamedTuple):
    """Derivatives by z = (q, v, t, p) at a state, at given a and l.

    Attributes
    ----------
    balance : (nv, nz) array
        Of M a - Q - C - A'l.
    inertia : (nv, nz) array
        Of M a - A'l: what an impulse balance consists of.
    rows : (m, nz) array
        Of A a - b.
    qdot : (nq, nz) array
    value, rate : (m, nz) arrays
    """

    balance: Array
    inertia: Array
    rows: Array
    qdot: Array
    value: Array
    rate: Array


class VariationGraphs:
    """The derivatives of a traced system."""

    def __init__(self, graph: SystemGraph) -> None:
        self._graph = graph
        self._lock = Lock()  # systems that differ in parameters share it

    @classmethod
    def of(cls, graph: SystemGraph) -> VariationGraphs | None:
        """Of the graphs of a system; None where a function has no trace to be differentiated."""
        if graph.direct or graph.wants_ideal is not None or graph.rows.by_hand:
            return None
        return cls(graph)

    def slopes(
        self, q: Array, v: Array, t: float, parameters: Parameters, a: Array, multipliers: Array
    ) -> Slopes:
        """All derivatives at a state with acceleration a and multipliers on all rows."""
        (call, _), arguments, out, shapes = self._function
        given: tuple[Any, ...] = (q, v, t, flatten_parameters(parameters), a, multipliers)
        with self._lock:
            for place, value in zip(arguments, given, strict=True):
                place[:] = value
            call()
            flat = out.copy()
        ends = np.cumsum([rows * columns for rows, columns in shapes])[:-1]
        parts = zip(np.split(flat, ends), shapes, strict=True)
        return Slopes(*(part.reshape(shape) for part, shape in parts))

    @lazy
    def _function(self) -> tuple[Any, list[Array], Array, list[tuple[int, int]]]:
        """The call, the arrays it reads and writes, and the shapes in what it writes."""
        graph, symbols, rows = self._graph, self._graph.symbols, self._graph.rows
        nv, m = symbols.v.shape[0], rows.layout.n_rows
        a, multipliers = ca.SX.sym("a", nv), ca.SX.sym("l", m)
        z = ca.vertcat(symbols.q, symbols.v, symbols.t, symbols.p)
        A = ca.reshape(rows.written_out(np.arange(m)), nv, m).T
        mass = graph.graphs.get("mass")
        if mass is None:
            assert graph.constant_mass is not None
            mass = ca.SX(graph.constant_mass)
        inertia = mass @ a - A.T @ multipliers
        load = graph.graphs["force"]
        if "nonideal" in graph.graphs:
            load = load + graph.graphs["nonideal"]
        q_dot = graph.graphs.get("qdot", symbols.v)
        parts = (inertia - load, inertia, A @ a - rows.rhs, q_dot, rows.value, rows.rate)
        slopes = [ca.densify(ca.jacobian(part, z)) for part in parts]
        column = ca.cse(ca.vertcat(*(ca.reshape(slope.T, -1, 1) for slope in slopes)))
        inputs = [symbols.q, symbols.v, symbols.t, symbols.p, a, multipliers]
        function = ca.Function("slopes", inputs, [ca.densify(column)])
        made: Any = function
        buffer, call = made.buffer()
        arguments = [np.zeros(each.shape[0]) for each in inputs]
        out = np.zeros(column.shape[0])
        for i, argument in enumerate(arguments):
            buffer.set_arg(i, argument.data)
        buffer.set_res(0, out.data)
        return (call, buffer), arguments, out, [(s.shape[0], s.shape[1]) for s in slopes]
