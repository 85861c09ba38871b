"""One function of the motion over a step: the places to look at, so that no zero is missed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ....base.arrays import Array
from ....base.sign_change import sign_change
from ....model.enclosure.motion_function import MotionFunction
from ....model.enclosure.partition import Wanted, partition
from ....model.enclosure.way import Way
from ....model.switches import Switch
from ....results.dense_output import Piece
from ..context import Context

__all__ = ["Samples", "exists", "watched", "way_of"]

ValueAndRate = Callable[[float], tuple[float, float]]


class Samples(NamedTuple):
    """A function between whose samples nothing is hidden.

    Attributes
    ----------
    times, values, rates : (k,) arrays
    at : callable
        Value and rate at any time of the step.
    may_vanish : bool
        Whether it may have a zero at all.
    """

    times: Array
    values: Array
    rates: Array
    at: ValueAndRate
    may_vanish: bool = True

    def before(self, until: float) -> Samples:
        """The same as far as a time, if it ends later."""
        if self.times[-1] <= until or until <= self.times[0]:
            return self
        value, rate = self.at(until)
        kept = int(np.searchsorted(self.times, until))
        return self._replace(
            times=np.append(self.times[:kept], until),
            values=np.append(self.values[:kept], value),
            rates=np.append(self.rates[:kept], rate),
        )

    def with_turning_points(self) -> Samples:
        """The same, also at the times between them at which the function turns round."""
        times = [float(self.times[0])]
        for i in range(len(self.times) - 1):
            begin, end = float(self.times[i]), float(self.times[i + 1])
            r0, r1 = float(self.rates[i]), float(self.rates[i + 1])
            if self.may_vanish and r0 * r1 < 0.0:
                times.append(sign_change(lambda t: self.at(t)[1], begin, end, r0, r1))
            times.append(end)
        if len(times) == len(self.times):
            return self
        pairs = np.array([self.at(t) for t in times])
        return self._replace(times=np.array(times), values=pairs[:, 0], rates=pairs[:, 1])


def way_of(context: Context, piece: Piece) -> Way:
    """The motion over a step, for enclosures."""
    return Way(piece.t0, piece.t1, piece.values, context.dynamics.nq)


def watched(
    context: Context,
    function: MotionFunction,
    way: Way,
    name: str,
    wanted: Wanted,
    value_and_rate: ValueAndRate | None = None,
) -> Samples:
    """A function at the ends of parts on which it is proved what it does.

    Parts of which nothing could be proved are counted under the name.

    Parameters
    ----------
    value_and_rate : callable, optional
        A quicker way to its value and rate at a time.
    """
    stats, p = context.stats, context.parameters
    found = partition(function, way, p, wanted)
    stats.guard_cells += found.cells
    if found.unsettled:
        stats.unsettled[name] = stats.unsettled.get(name, 0) + found.unsettled
    at = value_and_rate
    if at is None:
        values = function.values_on(way)

        def at(t: float) -> tuple[float, float]:
            return function.value_and_rate(way.at(values, t), t, p)

    if not found.may_vanish:
        found.edges[1:-1] = []
    pairs = np.array([at(t) for t in found.edges])
    return Samples(np.array(found.edges), pairs[:, 0], pairs[:, 1], at, found.may_vanish)


def exists(context: Context, switch: Switch, piece: Piece, t: float) -> bool:
    """Whether a contact exists at a time of a step."""
    q, v = context.split(piece(t))
    return switch.is_on(q, v, t, context.system.parameters)
