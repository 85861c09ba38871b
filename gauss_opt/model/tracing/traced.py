"""The traced system: a :class:`Dynamics` whose numbers all come from CasADi graphs.

One call gives everything at a state, in one flat column. Where things are in that column is known
to this module alone. Parameters are arguments of the traced functions, so changing them costs
nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from ...base.arrays import Array, Indices, surely_finite
from ...base.lazy import lazy
from ...base.matrices import factorise, require_semidefinite
from ...base.row_matrix import DenseRows, RowMatrix, SparseRows
from ..derivatives.variation_graphs import VariationGraphs
from ..dynamics import Motion, Parameters, Smooth, SmoothPart, Values
from ..enclosure.enclosures import Enclosures
from ..mass import full_mass, symmetric
from ..not_finite import WORDS, not_finite
from ..rows import RowTable
from ..switches import Switches
from ..tapes.programs import Programs
from .agreement import Agreement, NowAndThen
from .buffered import BufferedFunction, RowFunctions, SampledFunction
from .energy_graphs import EnergyGraphs
from .system_graph import SystemGraph, free_motion
from .user_function import UserFunction

__all__ = ["TracedDynamics"]

# Up to so many numbers in the column, one call for all of them is cheaper than functions for parts.
FEW_NUMBERS = 256

MANY_MEMBERS = 1000  # rows of families; to look for what they share takes longer than it saves


class TracedDynamics:
    """The traced functions of a system of one size, with the buffers they write into.

    Systems that differ in nothing but parameters share one.
    """

    def __init__(self, graph: SystemGraph, known: Parameters) -> None:
        self.nq, self.nv = graph.symbols.q.shape[0], graph.symbols.v.shape[0]
        self.layout: RowTable = graph.rows.layout
        self.constant_mass = graph.constant_mass
        self.switches = Switches(self.layout, known)
        self.needs_ideal_force = graph.wants_ideal is not None
        self._graph = graph
        self._inputs = [graph.symbols.q, graph.symbols.v, graph.symbols.t, graph.symbols.p]
        self._pattern = graph.rows.pattern
        self._sparse = self._pattern.worthwhile
        self._slices: dict[str, slice] = {}
        self._column = self._stacked()
        self._function = self._own_function("system", self._column)
        self._samples: SampledFunction | None = None
        self._row_rates = RowFunctions()
        self._parts: dict[bytes, SmoothPart] = {}
        self._kinematics: BufferedFunction | None = None
        self._free: list[Motion | None] = []
        self._now_and_then = NowAndThen()
        self._agreement = Agreement(self._function, self._functions())

    def _stacked(self) -> Any:
        """All graphs in one column, with the place of each noted."""
        rows, every = self._graph.rows, np.arange(self.layout.n_rows)
        named = {k: g.T if g.shape[1] > 1 else g for k, g in self._graph.graphs.items()}
        jacobian = rows.jacobian if self._sparse else rows.written_out(every)
        named |= {"value": rows.value, "rate": rows.rate, "rows": jacobian, "rhs": rows.rhs}
        end, columns = 0, [ca.SX(0, 1)]
        for name, value in named.items():
            columns.append(ca.reshape(ca.densify(value), -1, 1))
            self._slices[name] = slice(end, end := end + columns[-1].shape[0])
        column = ca.densify(ca.vertcat(*columns))
        # cse: mass, force and every derivative share their sines, cosines and differences.
        return column if rows.members > MANY_MEMBERS else ca.cse(column)

    def _functions(self) -> list[tuple[UserFunction, slice]]:
        """Every traced function, and where its value is in the column."""
        found = [(user, self._slices[name]) for name, user in self._graph.traced.items()]
        start, rows = self._slices["value"].start, self._graph.rows.traced
        return found + [(u, slice(start + part.start, start + part.stop)) for u, part in rows]

    def evaluate(self, q: Array, v: Array, t: float, parameters: Parameters) -> Values:
        out = self._function(q, v, t, parameters)
        if not surely_finite(out):
            self._refuse_non_finite(out, q, v, t)
        out.setflags(write=False)
        slices = self._slices
        return Values(
            self._mass(out, q, t, parameters),
            self._force("force", out, q, v, t, parameters),
            self._nonideal(out, q, v, t, parameters),
            self._rows(out[slices["rows"]]),
            out[slices["rhs"]],
            out[slices["value"]],
            out[slices["rate"]],
            out[slices["qdot"]] if "qdot" in slices else v,
        )

    def rows(self, q: Array, v: Array, t: float, parameters: Parameters) -> RowMatrix:
        """The rows J alone, which may not be finite; those given by hand are zero."""
        return self._rows(self._function(q, v, t, parameters)[self._slices["rows"]])

    def _rows(self, entries: Array) -> RowMatrix:
        if self._sparse:
            return SparseRows(self._pattern, entries)
        return DenseRows(entries.reshape(-1, self.nv))

    def _mass(self, out: Array, q: Array, t: float, parameters: Parameters) -> Array:
        if self.constant_mass is not None:
            return self.constant_mass
        direct = self._graph.direct.get("mass")
        if direct is None:
            mass: Array = out[self._slices["mass"]].reshape(self.nv, self.nv)
            if self._graph.symmetric_mass:
                return mass
        else:
            arguments = {"q": q, "t": t}
            raw = direct.checked(direct.plain(arguments, parameters), None, arguments)
            mass = full_mass(raw, self.nv)
            mass.setflags(write=False)
        return symmetric(mass, t)

    def _force(
        self, name: str, out: Array, q: Array, v: Array, t: float, parameters: Parameters
    ) -> Array:
        direct = self._graph.direct.get(name)
        if direct is not None:
            return direct.array({"q": q, "v": v, "t": t}, parameters, (self.nv,))
        force: Array = out[self._slices[name]]
        return force

    def _nonideal(
        self, out: Array, q: Array, v: Array, t: float, parameters: Parameters
    ) -> Array | None:
        if "nonideal" not in self._slices and "nonideal" not in self._graph.direct:
            return None
        return self._force("nonideal", out, q, v, t, parameters)

    def nonideal_force(
        self, q: Array, v: Array, t: float, ideal_force: Array, parameters: Parameters
    ) -> Array:
        function = self._graph.wants_ideal
        assert function is not None
        arguments = {"q": q, "v": v, "t": t, "ideal_force": ideal_force}
        return function.array(arguments, parameters, (self.nv,))

    def velocity_map(self, q: Array, t: float, parameters: Parameters) -> Array | None:
        if "N" not in self._slices:
            return None
        if self._kinematics is None:
            self._kinematics = self._own_function("kinematics", self._column[self._slices["N"]])
        out = self._kinematics(q, np.zeros(self.nv), t, parameters)
        return out.reshape(self.nq, self.nv)

    def potential(self, q: Array, t: float, parameters: Parameters) -> float:
        function = self._graph.potential
        assert function is not None
        return float(function.array({"q": q, "t": t}, parameters, ()))

    def watch(self, q: Array, v: Array, t: float, parameters: Parameters) -> None:
        if not self._now_and_then.due():
            return
        self._agreement.require(q, v, t, parameters)
        if self.constant_mass is None:
            mass = self.evaluate(q, v, t, parameters).mass
            if factorise(mass) is None:
                require_semidefinite(mass, f"mass (at t={t:g})", self._graph.coordinates)

    def disagreement(
        self, q: Array, v: Array, t: float, parameters: Parameters
    ) -> tuple[UserFunction, str] | None:
        """The first traced function whose plain value differs at a state, and how."""
        return self._agreement.disagreement(q, v, t, parameters)

    def smooth(self, held: Indices) -> SmoothPart | None:
        if self._graph.direct or self.needs_ideal_force:
            return None
        key = held.tobytes()
        if key not in self._parts:
            if len(self._parts) > 1000:
                self._parts.clear()
            self._parts[key] = self._smooth(held)
        return self._parts[key]

    def _smooth(self, held: Indices) -> SmoothPart:
        names = [n for n in ("mass", "force", "nonideal", "qdot") if n in self._slices]
        few = self._column.shape[0] <= FEW_NUMBERS
        if few and len(held) == self.layout.n_rows:
            function, slices = self._function, self._slices
        else:
            function, slices = self._selected(names, held)
        at, nq, nv, constant = function.at, self.nq, self.nv, self.constant_mass
        shape, rows, rhs, force = (len(held), nv), slices["rows"], slices["rhs"], slices["force"]
        nonideal, qdot = slices.get("nonideal"), slices.get("qdot")

        def part(y: Array, t: float, parameters: Parameters) -> Smooth:
            out = at(y, t, parameters)
            mass = constant
            if mass is None:
                mass = out[slices["mass"]].reshape(nv, nv)
                mass = mass if self._graph.symmetric_mass else symmetric(mass, t)
            load = out[force] if nonideal is None else out[force] + out[nonideal]
            moving = y[nq:] if qdot is None else out[qdot]
            return Smooth(mass, load, out[rows].reshape(shape), out[rhs], moving)

        return part

    def _selected(
        self, names: Sequence[str], held: Indices
    ) -> tuple[BufferedFunction, dict[str, slice]]:
        """A function for some of the graphs and for the rows that are held, written out."""
        chosen, owners = self._pattern.nonzeros(held)
        stored = chosen if self._sparse else self._pattern.places[chosen]
        entries = self._column[self._slices["rows"]][stored.tolist()]
        rows = ca.SX(len(held) * self.nv, 1)
        if len(chosen):
            rows[(owners * self.nv + self._pattern.columns[chosen]).tolist()] = entries
        # Of a single row CasADi takes nothing as (1, 0), which would count as a row.
        rhs = self._column[self._slices["rhs"]][held.tolist()] if len(held) else ca.SX(0, 1)
        parts = {name: self._column[self._slices[name]] for name in names}
        parts |= {"rows": rows, "rhs": rhs}
        slices, end = {}, 0
        for name, part in parts.items():
            slices[name] = slice(end, end := end + part.shape[0])
        output = ca.densify(ca.vertcat(*parts.values()))
        return self._own_function("smooth", output), slices

    def free_motion(self) -> Motion | None:
        if not self._free:
            graph = free_motion(self._graph)
            self._free.append(None if graph is None else self._own_function("free", graph).at)
        return self._free[0]

    @lazy
    def enclosures(self) -> Enclosures:
        """What can be proved of the traced functions."""
        return Enclosures(self._graph)

    @lazy
    def programs(self) -> Programs:
        """What a compiled engine takes."""
        return Programs(self._graph, self.enclosures)

    @lazy
    def energy_graphs(self) -> EnergyGraphs:
        """What the energy account needs of the graphs."""
        return EnergyGraphs(self._graph)

    @lazy
    def variation_graphs(self) -> VariationGraphs | None:
        """Derivatives of everything; None where a function has no trace."""
        return VariationGraphs.of(self._graph)

    def gap_and_rate(
        self, row: int, y: Array, t: float, parameters: Parameters
    ) -> tuple[float, float]:
        gap, rate = self._row_rates.get(row, self._row_rate)(y, t, parameters).tolist()
        return gap, rate

    def _row_rate(self, row: int) -> Motion:
        places = [self._slices["value"].start + row, self._slices["rate"].start + row]
        return self._own_function("row", self._column[places]).at

    def sample(
        self, rows: Indices, states: Array, times: Array, parameters: Parameters
    ) -> tuple[Array, Array]:
        if self._samples is None:
            graphs = self._graph.rows
            output = ca.densify(ca.vertcat(graphs.value, graphs.rate))
            self._samples = SampledFunction(ca.Function("samples", self._inputs, [output]), self.nq)
        both, m = self._samples(states, times, parameters), self.layout.n_rows
        return (both[:, :m], both[:, m:]) if len(rows) == m else (both[:, rows], both[:, m + rows])

    def _own_function(self, name: str, output: Any) -> BufferedFunction:
        return BufferedFunction(ca.Function(name, self._inputs, [output]))

    def _refuse_non_finite(self, out: Array, q: Array, v: Array, t: float) -> None:
        """Name the function behind an entry that is not finite; large finite numbers may pass."""
        bad = np.flatnonzero(~np.isfinite(out))
        if not len(bad):
            return
        first = int(bad[0])
        name = next(n for n, part in self._slices.items() if part.start <= first < part.stop)
        row = self._row_of(name, first) if name in WORDS else 0
        raise not_finite(self.layout, name, row, out[first], (q, v, t))

    def _row_of(self, name: str, place: int) -> int:
        """The constraint row that a place in the column belongs to."""
        place -= self._slices[name].start
        if name == "rows":
            return int(self._pattern.rows[place]) if self._sparse else place // self.nv
        return place
