"""Where, inside an accepted step, something reaches zero: gaps, multipliers, limits, user events.

A gap is known with its rate at the Chebyshev points of the step. A dip below zero and back between
two of them shows in the tangents there, however large the step.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, sqrt
from typing import NamedTuple

from ...base.arrays import Array
from ...base.sign_change import Scalar, sign_change
from ...base.tolerances.simulation import GRAZE, INSIDE, NEWTON_STEP

__all__ = ["Crossing", "first_crossing", "first_sign_change"]

Sampler = Callable[[float], tuple[float, float]]

MAX_DEPTH = 6
MAX_HALVINGS = 40  # from a step down to round-off of the time
STALLED = 0.25  # Newton's method squares its errors, so a gap that shrinks less is noise


class Crossing(NamedTuple):
    """A zero of a gap inside a step.

    Attributes
    ----------
    t : float
        Its time.
    graze : bool
        Whether the gap only touches zero there.
    """

    t: float
    graze: bool = False


def first_crossing(
    times: Array,
    gaps: Array,
    rates: Array,
    gap_and_rate: Sampler,
    *,
    noise: float,
    leaving: bool,
) -> Crossing | None:
    """The first time a gap goes from positive to negative, or touches zero.

    Parameters
    ----------
    times, gaps, rates : (k,) arrays
        Samples over the step.
    gap_and_rate : callable
        The gap and its rate at any time of the step.
    noise : float
        Gaps of this size are zero.
    leaving : bool
        Whether the contact is closed at the start of the step and separates: the zero at the
        start is then not a crossing.

    Examples
    --------
    A dip between two samples is found:

    >>> import numpy as np
    >>> dip = lambda t: ((t - 0.4) ** 2 - 1e-4, 2 * (t - 0.4))
    >>> times = np.array([0.0, 1.0])
    >>> round(first_crossing(times, *dip(times), dip, noise=1e-14, leaving=False).t, 9)
    0.39
    """
    leaving = leaving and gaps[0] <= noise  # other events may have come since it separated
    t, g, r = times.tolist(), gaps.tolist(), rates.tolist()
    pieces = zip(t, t[1:], g, g[1:], r, r[1:], strict=False)
    for t0, t1, g0, g1, r0, r1 in pieces:
        if leaving:
            if g1 <= noise and r0 <= 0.0 and r1 <= 0.0 and g1 > -noise:
                continue
            found = _leaving(t0, t1, g0, g1, r0, r1, gap_and_rate, noise)
            leaving = found is None and g1 <= noise
        else:
            found = _in_interval(t0, t1, g0, g1, r0, r1, gap_and_rate, noise, 0)
        if found is not None:
            return found
    return None


def _leaving(
    t0: float, t1: float, g0: float, g1: float, r0: float, r1: float, gap_and_rate: Sampler,
    noise: float, depth: int = 0,
) -> Crossing | None:  # fmt: skip
    """The return of a gap that starts at zero with a positive rate."""
    if g1 > noise and r1 >= 0.0:
        low = _lowest_inside(t1 - t0, g0, g1, r0, r1)
        if low is None or low.gap > noise or depth >= MAX_DEPTH:
            return None
        # It may have come back meanwhile.
        t = t0 + low.s
        return _leaving_in_two(t0, t, t1, g0, g1, r0, r1, gap_and_rate, noise, depth + 1)
    # Between leaving and returning the gap has a maximum, where its rate changes sign.
    if r0 > 0.0 and r1 < 0.0:
        top = sign_change(lambda t: gap_and_rate(t)[1], t0, t1, r0, r1)
        height, rate = gap_and_rate(top)
        if height > 0.0 and g1 <= 0.0:
            return _falling(top, t1, height, g1, rate, r1, gap_and_rate, noise, depth)
        if height > 0.0:
            return None
        # It has not been above zero at any time that floats can tell from the start.
        return Crossing(t0) if g1 < -noise else None
    rising = r0 > 0.0 and r1 >= 0.0  # from somewhat below zero, by the round-off of the impact
    if rising and g1 < g0 - noise and depth < MAX_DEPTH:  # up, down and on its way up again
        t = 0.5 * (t0 + t1)
        return _leaving_in_two(t0, t, t1, g0, g1, r0, r1, gap_and_rate, noise, depth + 1)
    if g1 >= -noise or rising:
        return None
    soon = _rises_soon(gap_and_rate, t0, t1)
    if soon is None:
        # It never rose above round-off: it is already on its way down.
        return Crossing(t0)
    g, r = gap_and_rate(soon)
    return _leaving(soon, t1, g, g1, r, r1, gap_and_rate, noise)


def _leaving_in_two(
    t0: float, t: float, t1: float, g0: float, g1: float, r0: float, r1: float,
    gap_and_rate: Sampler, noise: float, depth: int,
) -> Crossing | None:  # fmt: skip
    """The return of a gap that starts at zero, looked for before a time, then after it."""
    g, r = gap_and_rate(t)
    found = _leaving(t0, t, g0, g, r0, r, gap_and_rate, noise, depth)
    if found is not None:
        return found
    search = _leaving if g <= noise else _in_interval
    return search(t, t1, g, g1, r, r1, gap_and_rate, noise, depth)


def _rises_soon(gap_and_rate: Sampler, t0: float, t1: float) -> float | None:
    """A time soon after t0 at which the gap rises, or None.

    A contact can open by its acceleration alone, with a rate that is round-off, and be brought
    back before the next sample.
    """
    for _ in range(MAX_HALVINGS):
        t1 = 0.5 * (t0 + t1)
        if gap_and_rate(t1)[1] > 0.0:
            return t1
    return None


def _in_interval(
    t0: float, t1: float, g0: float, g1: float, r0: float, r1: float, gap_and_rate: Sampler,
    noise: float, depth: int,
) -> Crossing | None:  # fmt: skip
    """The first crossing between two samples."""
    if g0 <= 0.0 and g1 <= 0.0 and r0 <= 0.0:
        return Crossing(t0)
    if g1 < 0.0:
        if g0 <= 0.0:
            return Crossing(t0)
        return _falling(t0, t1, g0, g1, r0, r1, gap_and_rate, noise, depth)
    if r0 < 0.0 < r1:
        touching = GRAZE * noise
        if _tangents_meet(t1 - t0, g0, g1, r0, r1) > touching:
            return None
        bottom = sign_change(lambda t: gap_and_rate(t)[1], t0, t1, r0, r1)
        lowest = gap_and_rate(bottom)[0]
        if lowest > touching:
            return None
        if lowest >= -touching:
            return Crossing(bottom, graze=True)
        return Crossing(_zero(gap_and_rate, t0, bottom, noise))
    if depth < MAX_DEPTH and _cubic_minimum(t1 - t0, g0, g1, r0, r1) <= noise:
        middle = 0.5 * (t0 + t1)
        g, r = gap_and_rate(middle)
        return _in_interval(
            t0, middle, g0, g, r0, r, gap_and_rate, noise, depth + 1
        ) or _in_interval(middle, t1, g, g1, r, r1, gap_and_rate, noise, depth + 1)
    return None


def _falling(
    t0: float, t1: float, g0: float, g1: float, r0: float, r1: float, gap_and_rate: Sampler,
    noise: float, depth: int,
) -> Crossing | None:  # fmt: skip
    """The first crossing of a gap that is positive at first and not in the end.

    It may have fallen below zero and come back before: then a cubic has its lowest point there.
    """
    low = _lowest_inside(t1 - t0, g0, g1, r0, r1)
    if low is None or low.gap > noise or depth >= MAX_DEPTH:
        return Crossing(_zero(gap_and_rate, t0, t1, noise))
    t = t0 + low.s
    g, r = gap_and_rate(t)
    return _in_interval(t0, t, g0, g, r0, r, gap_and_rate, noise, depth + 1) or _in_interval(
        t, t1, g, g1, r, r1, gap_and_rate, noise, depth + 1
    )


def _zero(gap_and_rate: Sampler, above: float, below: float, noise: float) -> float:
    """The zero between a time with a positive and a time with a negative gap.

    Newton's method, which the rate makes cheap, kept inside the bracket by bisection. Where it does
    not bring a gap of the size of noise any nearer to zero, it has come to the noise itself.
    """
    t, least = below, inf
    for _ in range(100):
        gap, rate = gap_and_rate(t)
        if gap == 0.0 or (abs(gap) <= noise and abs(gap) >= STALLED * least):
            break
        least = abs(gap)
        above, below = (t, below) if gap > 0.0 else (above, t)
        newton = t - gap / rate if rate else above
        if abs(newton - t) <= NEWTON_STEP * abs(t):
            break
        inside = min(above, below) < newton < max(above, below)
        t = newton if inside else 0.5 * (above + below)
        if t in (above, below):
            break
    return t


def _tangents_meet(h: float, g0: float, g1: float, r0: float, r1: float) -> float:
    """Height at which the tangents of both ends meet: below a convex gap's minimum."""
    s = (g1 - g0 - r1 * h) / (r0 - r1)
    return g0 + r0 * min(max(s, 0.0), h)


class _Lowest(NamedTuple):
    """A local minimum of a cubic: how far after the start, and its value."""

    s: float
    gap: float


def _local_minimum(h: float, g0: float, g1: float, r0: float, r1: float) -> _Lowest | None:
    """The local minimum inside the interval of the cubic with these ends."""
    c2 = 3.0 * (g1 - g0) - h * (2.0 * r0 + r1)
    c3 = h * (r0 + r1) - 2.0 * (g1 - g0)
    # g(s) = g0 + s (h r0 + s (c2 + s c3)); its minimum is where g' = 0 and g'' > 0.
    discriminant = c2 * c2 - 3.0 * c3 * h * r0
    if discriminant < 0.0:
        return None
    root = sqrt(discriminant)
    divisor = c2 + root if c2 > 0.0 else 3.0 * c3
    if divisor == 0.0:
        return None
    s = -h * r0 / divisor if c2 > 0.0 else (root - c2) / divisor
    if not 0.0 < s < 1.0:
        return None
    return _Lowest(s * h, g0 + s * (h * r0 + s * (c2 + s * c3)))


def _cubic_minimum(h: float, g0: float, g1: float, r0: float, r1: float) -> float:
    """Least value inside the interval of the cubic with these ends."""
    low = _local_minimum(h, g0, g1, r0, r1)
    return min(g0, g1) if low is None else min(g0, g1, low.gap)


def _lowest_inside(h: float, g0: float, g1: float, r0: float, r1: float) -> _Lowest | None:
    """The local minimum of that cubic, if it is not at an end."""
    low = _local_minimum(h, g0, g1, r0, r1)
    return low if low is not None and INSIDE * h < low.s < (1.0 - INSIDE) * h else None


def first_sign_change(
    times: Array, values: Array, function: Scalar, direction: int = 0
) -> float | None:
    """The first time a sampled function changes sign, rising (1), falling (-1) or either (0)."""
    t, f = times.tolist(), values.tolist()
    for t0, t1, f0, f1 in zip(t, t[1:], f, f[1:], strict=False):
        rising, falling = f0 < 0.0 <= f1, f0 > 0.0 >= f1
        if (rising and direction >= 0) or (falling and direction <= 0):
            if f1 == 0.0:
                return float(t1)
            return sign_change(function, t0, t1, f0, f1)
    return None
