"""Where a function changes its sign, and always from the far side.

What lets go at a zero must find its new sign there, so what is returned is never the last float
before the change. Bisection stands behind the interpolation: a jump or a flat zero takes more
evaluations, but is found.
"""

from __future__ import annotations

from collections.abc import Callable

from .tolerances.base import ADJACENT_TIMES, ASKED_AGAIN, FINEST_TIME

__all__ = ["Scalar", "sign_change"]

Scalar = Callable[[float], float]

PATIENCE = 3  # evaluations that may fail to halve the interval


def sign_change(function: Scalar, t0: float, t1: float, f0: float, f1: float) -> float:
    """A time of the new sign (or a zero) with the old one next to it.

    Inverse quadratic interpolation where three values say that it can be trusted, and bisection
    otherwise (Chandrupatla's method). It comes to its end for any function.

    Parameters
    ----------
    function : callable
    t0, t1 : float
        Where it has different signs.
    f0, f1 : float
        Its values there as sampled. Evaluated anew, one that is next to nothing can have the
        other sign; then the change is there.

    Examples
    --------
    >>> sign_change(lambda t: t * t - 2.0, 1.0, 2.0, -1.0, 2.0)
    1.4142135623730951
    >>> sign_change(lambda t: 1.0 if t >= 0.3 else -1.0, 0.0, 1.0, -1.0, 1.0) >= 0.3
    True
    """
    if abs(f0) <= ASKED_AGAIN * abs(f1):
        f0 = function(t0)
        if f0 == 0.0 or (f0 > 0.0) == (f1 > 0.0):
            return t0
    elif abs(f1) <= ASKED_AGAIN * abs(f0):
        f1 = function(t1)
        if f1 == 0.0 or (f0 > 0.0) == (f1 > 0.0):
            return t1
    finest = FINEST_TIME * (t1 - t0)
    share, width, tries = f0 / (f0 - f1), t1 - t0, 0
    while True:
        shortest = max(ADJACENT_TIMES * max(abs(t0), abs(t1)), finest)
        if t1 - t0 <= shortest:
            return t1
        least = 0.5 * shortest / (t1 - t0)
        t = _inside(t0, t1, min(max(share, least), 1.0 - least))
        if not t0 < t < t1:
            return t1
        f = function(t)
        if f == 0.0:
            return t
        if (f > 0.0) == (f0 > 0.0):
            given_up, t0, f0 = (t0, f0), t, f
            share = _interpolated(t0, f0, t1, f1, *given_up)
        else:
            given_up, t1, f1 = (t1, f1), t, f
            share = 1.0 - _interpolated(t1, f1, t0, f0, *given_up)
        tries += 1
        if t1 - t0 <= 0.5 * width:
            width, tries = t1 - t0, 0
        if tries >= PATIENCE:
            share = 0.5


def _inside(t0: float, t1: float, share: float) -> float:
    """A time inside an interval; the middle of one with zero inside is zero."""
    if share == 0.5 and t0 < 0.0 < t1:
        return 0.0
    return t0 + share * (t1 - t0)


def _interpolated(a: float, fa: float, b: float, fb: float, c: float, fc: float) -> float:
    """Share of the way from a to b at which a parabola through three inverse values is zero.

    Half of it where the values do not look like those of an inverse that is nearly a parabola.
    """
    if fc in (fa, fb):
        return 0.5
    xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
    if not (phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi):
        return 0.5
    return fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
