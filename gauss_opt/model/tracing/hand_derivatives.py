"""Derivatives by hand: a :class:`Dynamics` with rows that the user differentiated.

All other numbers are those of the traced system underneath.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices, surely_finite
from ...base.errors import NonFiniteError
from ..constraints import Servo
from ..dynamics import Motion, Parameters, SmoothPart, Values
from ..enclosure.enclosures import Enclosures
from ..rows import Block, RowTable
from ..switches import Switches
from ..tapes.programs import Programs
from .agreement import NowAndThen
from .energy_graphs import EnergyGraphs
from .hand_checks import check_derivatives
from .traced import TracedDynamics
from .user_function import UserFunction

__all__ = ["HandDynamics", "HandRows"]


class HandRows(NamedTuple):
    """The functions of one constraint with derivatives by hand.

    Attributes
    ----------
    block : Block
    functions : dict
        ``phi``, ``jacobian``, ``bias``, and ``time_derivative`` where it is given.
    """

    block: Block
    functions: Mapping[str, UserFunction]

    def rates(
        self, N: Array | None, q: Array, v: Array, t: float, parameters: Parameters
    ) -> tuple[Array, Array, Array]:
        """Value (k,), rate (k,), and Jacobian in v (k, nv)."""
        block, k = self.block, self.block.size
        arguments = {"q": q, "v": v, "t": t}
        columns = len(v) if block.on_velocity else len(q)
        value = self._vector("phi", arguments, parameters)
        jacobian = self.functions["jacobian"].array(
            arguments, parameters, (columns,) if block.scalar else (k, columns)
        )
        jacobian = jacobian.reshape(k, columns)
        if block.on_velocity:
            return value, value, jacobian
        jacobian = jacobian if N is None else jacobian @ N
        rate = jacobian @ v
        if "time_derivative" in self.functions:
            rate = rate + self._vector("time_derivative", arguments, parameters)
        return value, rate, jacobian

    def bias(self, q: Array, v: Array, t: float, parameters: Parameters) -> Array:
        """The second time derivative without the term that holds the acceleration, (k,)."""
        return self._vector("bias", {"q": q, "v": v, "t": t}, parameters)

    def _vector(self, name: str, arguments: Mapping[str, object], parameters: Parameters) -> Array:
        flat = () if self.block.scalar else (self.block.size,)
        vector = self.functions[name].array(arguments, parameters, flat)
        return vector.reshape(self.block.size)


class HandDynamics:
    """A traced system with the rows of some constraints by hand.

    Parameters
    ----------
    traced : TracedDynamics
        Its rows for these constraints are blank.
    functions : mapping
        The functions of each of these constraints by name.
    """

    def __init__(
        self, traced: TracedDynamics, functions: Mapping[str, Mapping[str, UserFunction]]
    ) -> None:
        self._traced = traced
        self.nq, self.nv = traced.nq, traced.nv
        self.layout: RowTable = traced.layout
        self.constant_mass = traced.constant_mass
        self.needs_ideal_force = traced.needs_ideal_force
        self.switches: Switches = traced.switches
        self._by_hand = tuple(HandRows(self.layout.block(k), f) for k, f in functions.items())
        self._of_row = {row: hand for hand in self._by_hand for row in hand.block.indices}
        self._now_and_then = NowAndThen()

    def evaluate(self, q: Array, v: Array, t: float, parameters: Parameters) -> Values:
        values = self._traced.evaluate(q, v, t, parameters)
        N = self.velocity_map(q, t, parameters)
        value, rate, rhs = values.value.copy(), values.rate.copy(), values.rhs.copy()
        blocks = []
        for hand in self._by_hand:
            rows = hand.block.rows
            value[rows], rate[rows], entries = hand.rates(N, q, v, t, parameters)
            rhs[rows] = -hand.bias(q, v, t, parameters) - _servo(hand, value[rows], rate[rows])
            blocks.append((rows, entries))
        self._require_finite(rate, rhs, t)
        for array in (value, rate, rhs):
            array.setflags(write=False)
        jacobian = values.jacobian.replaced(blocks)
        return values._replace(value=value, rate=rate, rhs=rhs, jacobian=jacobian)

    def smooth(self, held: Indices) -> SmoothPart | None:
        by_hand = any(row in self._of_row for row in held.tolist())
        return None if by_hand else self._traced.smooth(held)

    def free_motion(self) -> Motion | None:
        return self._traced.free_motion()

    @property
    def enclosures(self) -> Enclosures:
        """What can be proved of the traced functions; nothing of those by hand."""
        return self._traced.enclosures

    @property
    def programs(self) -> Programs:
        """Of the traced system: it says that rows by hand have no program."""
        return self._traced.programs

    @property
    def energy_graphs(self) -> EnergyGraphs:
        """What the energy account needs: no row has a part in it."""
        return self._traced.energy_graphs

    @property
    def variation_graphs(self) -> None:
        """Second derivatives, which are not given by hand."""
        return None

    def gap_and_rate(
        self, row: int, y: Array, t: float, parameters: Parameters
    ) -> tuple[float, float]:
        hand = self._of_row.get(row)
        if hand is None:
            return self._traced.gap_and_rate(row, y, t, parameters)
        value, rate = self._rates(hand, y, t, parameters)
        place = row - hand.block.rows.start
        return float(value[place]), float(rate[place])

    def sample(
        self, rows: Indices, states: Array, times: Array, parameters: Parameters
    ) -> tuple[Array, Array]:
        values, rates = self._traced.sample(rows, states, times, parameters)
        for hand in self._by_hand:
            columns = np.flatnonzero(
                (rows >= hand.block.rows.start) & (rows < hand.block.rows.stop)
            )
            if not len(columns):
                continue
            places = rows[columns] - hand.block.rows.start
            for k, (y, t) in enumerate(zip(states, times.tolist(), strict=True)):
                value, rate = self._rates(hand, y, t, parameters)
                values[k, columns], rates[k, columns] = value[places], rate[places]
        return values, rates

    def _rates(
        self, hand: HandRows, y: Array, t: float, parameters: Parameters
    ) -> tuple[Array, Array]:
        q, v = y[: self.nq].copy(), y[self.nq :].copy()
        for array in (q, v):
            array.setflags(write=False)
        value, rate, _ = hand.rates(self.velocity_map(q, t, parameters), q, v, t, parameters)
        return value, rate

    def nonideal_force(
        self, q: Array, v: Array, t: float, ideal_force: Array, parameters: Parameters
    ) -> Array:
        return self._traced.nonideal_force(q, v, t, ideal_force, parameters)

    def velocity_map(self, q: Array, t: float, parameters: Parameters) -> Array | None:
        return self._traced.velocity_map(q, t, parameters)

    def potential(self, q: Array, t: float, parameters: Parameters) -> float:
        return self._traced.potential(q, t, parameters)

    def watch(self, q: Array, v: Array, t: float, parameters: Parameters) -> None:
        self._traced.watch(q, v, t, parameters)
        if not self._now_and_then.due():
            return
        for hand in self._by_hand:
            if not hand.block.item.check_derivatives:
                continue

            def at(q: Array, v: Array, t: float, hand: HandRows = hand) -> tuple[Array, ...]:
                for array in (q, v):
                    array.setflags(write=False)
                N = self.velocity_map(q, t, parameters)
                return (*hand.rates(N, q, v, t, parameters), hand.bias(q, v, t, parameters))

            check_derivatives(hand.block, at, self.velocity_map(q, t, parameters), q, v, t)

    def _require_finite(self, rate: Array, rhs: Array, t: float) -> None:
        """Products of finite numbers can overflow."""
        if surely_finite(rate) and surely_finite(rhs):
            return
        for word, array in (("rate", rate), ("second derivative", rhs)):
            bad = np.flatnonzero(~np.isfinite(array))
            if len(bad):
                label = str(self.layout.block_at(int(bad[0])).item)
                raise NonFiniteError(
                    f"the {word} of {label} is not finite ({array[bad[0]]}) at t={t:g}",
                    function=label,
                    t=t,
                )


def _servo(hand: HandRows, value: Array, rate: Array) -> Array | float:
    """What the error dynamics of a servo add."""
    item = hand.block.item
    if not isinstance(item, Servo):
        return 0.0
    return 2.0 * item.damping * item.frequency * rate + item.frequency**2 * value
