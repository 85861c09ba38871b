"""A function of the motion, such as a gap, enclosed with its first two time derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np

from ...base.arrays import Array, Indices
from ..tracing.buffered import MappedFunction
from ..tracing.user_function import Symbols
from .extension import Smoothness, extended, smoothness
from .way import Cells, Way

__all__ = ["Bounds", "MemberFunction", "MotionFunction", "MotionSymbols", "form_of"]


class MotionSymbols:
    """The symbols of a system, with the derivatives of v, and how they change in time."""

    def __init__(self, symbols: Symbols, q_dot: Any) -> None:
        self.base = symbols
        self.t, self.p = symbols.t, symbols.p
        nv = symbols.v.shape[0]
        self.first, self.second = ca.SX.sym("a", nv), ca.SX.sym("j", nv)
        self.state = ca.vertcat(symbols.q, symbols.v, self.first, self.second)
        self.plain = q_dot is symbols.v  # q' = v
        self._q_dot = q_dot
        rates = ca.vertcat(q_dot, self.first, self.second, ca.SX(nv, 1))
        self._rates = rates
        self._places = {self.state[i].element_hash(): i for i in range(self.state.shape[0])}

    def occurring(self, graph: Any) -> list[int]:
        """Places in the state (q, v, v', v'') that a graph depends on, ascending."""
        hashes = [variable.element_hash() for variable in ca.symvar(graph)]
        return sorted(self._places[h] for h in hashes if h in self._places)

    def needed(self, graph: Any) -> list[int]:
        """Places that a graph and its first two time derivatives can depend on, ascending."""
        if not self.plain:
            rate = self.along(graph)
            return self.occurring(ca.vertcat(graph, rate, self.along(rate)))
        nv = self.first.shape[0]
        found = self.occurring(graph)
        positions = {i for i in found if i < nv}
        velocities = {i - nv for i in found if i >= nv}
        moving = positions | velocities
        return sorted(
            positions
            | {nv + i for i in moving}
            | {2 * nv + i for i in moving}
            | {3 * nv + i for i in velocities}
        )

    def along(self, graph: Any) -> Any:
        """The time derivative of a graph along the motion."""
        slope = ca.jacobian(graph, self.t)
        places = self.occurring(graph)
        if not places:
            return slope
        return ca.jtimes(graph, self.state[places], self._rates[places]) + slope


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds of a function over cells, (c,) each, and its values in their middles.

    ``rate`` and ``bend`` are its first and second derivative in time; None where the function has
    kinks or jumps. Bounds may be infinite or no numbers: ask in the form ``low > 0``.
    """

    low: Array
    high: Array
    middle: Array
    rate_low: Array | None = None
    rate_high: Array | None = None
    rate_middle: Array | None = None
    bend_low: Array | None = None
    bend_high: Array | None = None


class _Template:
    """The compiled functions of all rows of one form, whatever coordinates they are on."""

    def __init__(self, motion: MotionSymbols, graph: Any, y: Any) -> None:
        self.smoothness = smoothness(ca.Function("f", [y, motion.t, motion.p], [graph]))
        columns = [graph]
        rate = motion.along(graph)
        if self.smoothness >= Smoothness.KINKS:
            columns.append(rate)
        if self.smoothness == Smoothness.SMOOTH:
            columns.append(motion.along(rate))
        self.columns = len(columns)
        n, n_parameters = y.shape[0], motion.p.shape[0]
        output = ca.cse(ca.densify(ca.vertcat(*columns)))
        function = ca.Function("derivatives", [y, motion.t, motion.p], [output])
        low, high, middle = (ca.SX.sym(name, n) for name in ("low", "high", "middle"))
        times = ca.SX.sym("times", 3)
        p = ca.SX.sym("p", n_parameters)
        lower, upper = extended(function, [(low, high), (times[0], times[1]), (p, p)])
        at_middle = function(middle, times[2], p)
        output = ca.cse(ca.vertcat(lower, upper, at_middle))
        cells = ca.Function("bounds", [low, high, middle, times, p], [output])
        self.bounds = MappedFunction(cells)
        point = ca.densify(ca.vertcat(graph, rate))
        self.point = MappedFunction(ca.Function("point", [y, motion.t, motion.p], [point]))


class MotionFunction:
    """A function f(q, v, t) along the motion.

    Parameters
    ----------
    motion : MotionSymbols
    graph : SX
        Its value.
    templates : dict
        What has been compiled for functions of the same form; looked into and added to.
    """

    def __init__(self, motion: MotionSymbols, graph: Any, templates: dict[Any, Any]) -> None:
        places = motion.needed(graph)
        y = motion.state[places]
        self._columns: Indices = np.array(places, dtype=np.intp)
        key = form_of(ca.Function("f", [y, motion.t, motion.p], [graph])) if motion.plain else None
        template = templates.get(key) if key is not None else None
        if template is None:
            template = _Template(motion, graph, y)
            if key is not None:
                templates[key] = template
        self._template: _Template = template

    @property
    def smoothness(self) -> Smoothness:
        """How smooth it is certain to be."""
        found: Smoothness = self._template.smoothness
        return found

    def values_on(self, way: Way) -> Array:
        """The coordinates it depends on, at the Chebyshev points of a step."""
        return way.of(self._columns)

    def value_and_rate(self, y: Array, t: float, p: Array) -> tuple[float, float]:
        """Its value and rate at coordinates of :meth:`values_on` and a time."""
        value, rate = self._template.point([y[None], np.array([[t]]), p[None]])[0].tolist()
        return value, rate

    def over(self, cells: Cells, p: Array) -> Bounds:
        """Its bounds over cells."""
        count = len(cells.low)
        parameters = np.broadcast_to(p, (count, len(p)))
        out = self._template.bounds([cells.low, cells.high, cells.middle, cells.times, parameters])
        n = self._template.columns
        low, high, middle = out[:, :n], out[:, n : 2 * n], out[:, 2 * n :]
        if n == 1:
            return Bounds(low[:, 0], high[:, 0], middle[:, 0])
        if n == 2:
            return Bounds(low[:, 0], high[:, 0], middle[:, 0], low[:, 1], high[:, 1], middle[:, 1])
        return Bounds(low[:, 0], high[:, 0], middle[:, 0], low[:, 1], high[:, 1], middle[:, 1],
                      low[:, 2], high[:, 2])  # fmt: skip


class MemberFunction(MotionFunction):
    """A member of a family along the motion: the function of all members, on its coordinates.

    Parameters
    ----------
    shared : MotionFunction
        In a system that has the coordinates of one member only, with constants as parameters.
    coordinates : sequence of int
    constants : sequence of float
    nv : int
        Velocities of the system; they are the rates of its positions.
    """

    def __init__(
        self,
        shared: MotionFunction,
        coordinates: Sequence[int],
        constants: Sequence[float],
        nv: int,
    ) -> None:
        self._template = shared._template
        self._numbers = np.array(constants, dtype=float)
        level, which = np.divmod(shared._columns, max(len(coordinates), 1))
        self._columns = level * nv + np.array(coordinates, dtype=np.intp)[which]

    def value_and_rate(self, y: Array, t: float, p: Array) -> tuple[float, float]:
        return super().value_and_rate(y, t, self._numbers)

    def over(self, cells: Cells, p: Array) -> Bounds:
        return super().over(cells, self._numbers)


def form_of(function: Any) -> tuple[Any, ...]:
    """What a function does, instruction by instruction, whatever its inputs are called."""
    steps = []
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        number = function.instruction_constant(k) if operation == ca.OP_CONST else 0.0
        steps.append((operation, *function.instruction_input(k), *function.instruction_output(k),
                      number))  # fmt: skip
    return (function.size1_in(0), *steps)
