"""Accumulation of impacts: infinitely many in finite time, recognised and summed.

The list of impacts is searched for a repeating word of contact sets. With D_k the time between
equal letters of successive cycles and r_k = D_k / D_(k-1), the sum of what is still to come is a
geometric series: T_k = t_k + D_k r_k / (1 - r_k).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...base.tolerances.simulation import SHRINKING

__all__ = ["Accumulation", "Bounce", "detect", "repeats"]

MAX_PERIOD = 4
REPEATS = 3
MEMORY = 400


@dataclass(frozen=True)
class Bounce:
    """An impact as the search sees it.

    Attributes
    ----------
    t : float
        Time.
    contacts : frozenset of int
        Contact rows that were struck.
    height : float
        How far its contacts were apart at the most since they were struck before, relative to
        the length scale; an upper bound.
    """

    t: float
    contacts: frozenset[int]
    height: float


class Accumulation(NamedTuple):
    """The limit of a series of impacts.

    Attributes
    ----------
    t : float
        Accumulation time.
    contacts : frozenset of int
        All contacts of the word.
    exact : bool
        False when gaps reached round-off before the limit could be estimated; ``t`` is then the
        time of the last impact.
    """

    t: float
    contacts: frozenset[int]
    exact: bool


def detect(
    bounces: Sequence[Bounce], *, time_tolerance: float, height: float, round_off: float
) -> Accumulation | None:
    """The accumulation that a series of impacts heads for, once it can be told.

    Parameters
    ----------
    bounces : sequence of Bounce
        The impacts so far.
    time_tolerance : float
        Largest spread of three successive estimates of the limit.
    height : float
        Relative gap below which a cycle may be closed.
    round_off : float
        Relative gap that is lost in round-off.

    Examples
    --------
    >>> times = 2.0 - 0.5 ** np.arange(12)
    >>> series = [Bounce(float(t), frozenset({0}), 0.25 ** i) for i, t in enumerate(times)]
    >>> detect(series, time_tolerance=1e-12, height=1e-6, round_off=1e-14).t
    2.0
    """
    for period in range(1, MAX_PERIOD + 1):
        if not _repeats(bounces, period):
            continue
        last = bounces[-period:]
        word = frozenset[int]().union(*(bounce.contacts for bounce in last))
        highest = max(bounce.height for bounce in last)
        if highest <= height:
            limit = _limit([bounce.t for bounce in bounces[::-1][::period]][::-1], time_tolerance)
            if limit is not None:
                return Accumulation(max(limit, bounces[-1].t), word, True)
        if highest <= round_off:
            return Accumulation(bounces[-1].t, word, False)
    return None


def repeats(bounces: Sequence[Bounce]) -> bool:
    """Whether the last impacts are a word, repeated: there may be a limit in time."""
    return any(_repeats(bounces, period) for period in range(1, MAX_PERIOD + 1))


def _repeats(bounces: Sequence[Bounce], period: int) -> bool:
    """Whether the last impacts are a word of this length, repeated."""
    n = REPEATS * period + 1
    if len(bounces) < n:
        return False
    letters = [bounce.contacts for bounce in bounces[-n:]]
    return all(a == b for a, b in zip(letters, letters[period:], strict=False))


def _limit(times: Sequence[float], tolerance: float) -> float | None:
    """The best estimate of the limit: the middle of the three that agree best.

    The latest is not the best: differences of nearly equal times are noisy, and the noise grows
    as 1 / (1 - r)^2.
    """
    t = np.array(times[-MEMORY:])
    d = np.diff(t)
    if len(d) < 4 or (d <= 0.0).any():
        d = d[-4:]
        t = t[-5:]
        if len(d) < 4 or (d <= 0.0).any():
            return None
    ratios = d[1:] / d[:-1]
    shrinking = ratios < 1.0 - SHRINKING
    if not shrinking[-3:].all():
        return None
    start = len(ratios) - int(np.argmin(shrinking[::-1])) if not shrinking.all() else 0
    ratios, d, t = ratios[start:], d[start + 1 :], t[start + 2 :]
    estimates = t + d * ratios / (1.0 - ratios)
    if len(estimates) < 3:
        return None
    windows = np.lib.stride_tricks.sliding_window_view(estimates, 3)
    spreads = windows.max(axis=1) - windows.min(axis=1)
    best = int(spreads.argmin())
    return float(np.median(windows[best])) if spreads[best] <= tolerance else None
