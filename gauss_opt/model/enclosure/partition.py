"""A step cut into parts on each of which it is certain what a function does.

A part is settled when the function is proved to be positive there, or negative, or monotone, or
convex or concave, or not to leave what counts as zero. Then its ends decide, and a root finder that
looks at the ends cannot miss a zero. Other parts are cut into eight, in the order of time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Mask
from ...base.tolerances.model import ENCLOSURE_ULP, SHORTEST_PART
from .extension import Smoothness
from .motion_function import Bounds, MotionFunction
from .way import CUTS, Way, edges_of, parts, whole

__all__ = ["Partition", "Wanted", "partition"]

MAX_LEVEL = 14  # 8**-14: parts of 2e-13 of the step
MAX_CELLS = 4000  # of one function in one step
STAYS_ZERO = 1e3  # a function that stays within this many times the noise is zero all along


class Wanted(NamedTuple):
    """What is asked of a partition.

    Attributes
    ----------
    noise : float
        Values of this size are zero.
    until : float
        What comes after this time does not matter.
    first_only : bool
        Whether nothing matters behind the first place where the function is proved negative.
    """

    noise: float = 0.0
    until: float = inf
    first_only: bool = False


@dataclass
class Partition:
    """The outcome.

    Attributes
    ----------
    edges : list of float
        Ends of the parts, from the begin of the step as far as it mattered.
    may_vanish : bool
        Whether the function may have a zero there at all.
    unsettled : int
        Parts of which nothing could be proved however small they were.
    cells : int
        Parts that were looked at.
    """

    edges: list[float]
    may_vanish: bool = False
    unsettled: int = 0
    cells: int = 0
    _stopped: bool = field(default=False, repr=False)

    @property
    def proved(self) -> bool:
        """Whether every part is settled."""
        return not self.unsettled


class _Verdict(NamedTuple):
    """Of each part: settled or not, proved to hold no zero, and the value in its middle."""

    settled: Mask
    clear: Mask
    middle: Array


def partition(function: MotionFunction, way: Way, p: Array, wanted: Wanted) -> Partition:
    """Cut a step until every part that matters is settled."""
    values = function.values_on(way)
    found = Partition([way.t0])
    bounds = function.over(whole(values, way.t0, way.t1), p)
    verdict = _judged(bounds, way.t1 - way.t0, wanted.noise)
    found.cells = 1
    if verdict.settled[0]:
        found.may_vanish = not verdict.clear[0]
        found.edges.append(way.t1)
        return found
    _cut(function, p, wanted, found, values, way.t0, way.t1, 0)
    return found


def _cut(
    function: MotionFunction, p: Array, wanted: Wanted, found: Partition, values: Array, t0: float,
    t1: float, level: int,
) -> None:  # fmt: skip
    """Cut a part that is not settled, and go through the pieces in the order of time."""
    edges = edges_of(t0, t1)
    pieces, cells = parts(values, edges)
    length = (t1 - t0) / CUTS
    verdict = _judged(function.over(cells, p), length, wanted.noise)
    found.cells += CUTS
    for i, (begin, end) in enumerate(pairwise(edges)):
        if begin > wanted.until:
            found._stopped = True
        if found._stopped:
            return
        if not verdict.settled[i]:
            tiny = level >= MAX_LEVEL or length <= SHORTEST_PART * max(abs(t0), abs(t1))
            if found.cells <= MAX_CELLS and not tiny:
                _cut(function, p, wanted, found, pieces[i], begin, end, level + 1)
                continue
            # A part that cannot be made smaller is the place of a jump, if there may be any.
            if not (tiny and function.smoothness == Smoothness.JUMPS):
                found.unsettled += 1
        found.may_vanish |= not verdict.clear[i]
        if end > found.edges[-1]:
            found.edges.append(end)
        if wanted.first_only and verdict.settled[i] and verdict.middle[i] < -wanted.noise:
            found._stopped = True


def _judged(bounds: Bounds, length: float, noise: float) -> _Verdict:
    """What the bounds over parts of this length prove."""
    low, high, middle = bounds.low, bounds.high, bounds.middle
    half = 0.5 * length * (1.0 + 4 * ENCLOSURE_ULP)
    settled = np.zeros(len(low), dtype=bool)
    with np.errstate(invalid="ignore", over="ignore"):
        if bounds.rate_low is not None:
            assert bounds.rate_high is not None
            assert bounds.rate_middle is not None
            rate_low, rate_high, rate = bounds.rate_low, bounds.rate_high, bounds.rate_middle
            slack = 2 * ENCLOSURE_ULP * np.abs(middle) + noise
            if bounds.bend_low is not None:
                assert bounds.bend_high is not None
                bend_low, bend_high = bounds.bend_low, bounds.bend_high
                settled |= (bend_low > 0.0) | (bend_high < 0.0)
                bend = np.maximum(-bend_low, bend_high) * half
                rate_low = np.fmax(rate_low, rate - bend)
                rate_high = np.fmin(rate_high, rate + bend)
                way = np.abs(rate) * half + slack
                low = np.fmax(low, middle - way + np.minimum(bend_low, 0.0) * (0.5 * half * half))
                high = np.fmin(
                    high, middle + way + np.maximum(bend_high, 0.0) * (0.5 * half * half)
                )
            settled |= (rate_low > 0.0) | (rate_high < 0.0)
            way = np.maximum(-rate_low, rate_high) * half + slack
            low, high = np.fmax(low, middle - way), np.fmin(high, middle + way)
        clear = (low > 0.0) | (high < 0.0)
        settled |= clear | ((low >= -STAYS_ZERO * noise) & (high <= STAYS_ZERO * noise))
    return _Verdict(settled, clear, middle)
