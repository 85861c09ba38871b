"""Interval arithmetic of functions: monotone ones, those on a domain, powers, periodic ones."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import casadi as ca

from ...base.tolerances.model import ENCLOSURE_ULP as ULP
from ...base.tolerances.model import LEAST_LOGARITHM
from .interval import (
    Interval,
    add,
    constant,
    fabs,
    finite,
    inv,
    largest,
    least,
    lowered,
    mul,
    raised,
    sq,
    trusted,
    where,
    widened,
)  # fmt: skip

LARGEST = 1e308


def mono(function: Callable[[Any], Any], ulps: int = 4) -> Callable[[Interval], Interval]:
    """A rising function that is finite wherever its argument is."""

    def bounds(a: Interval) -> Interval:
        a = trusted(a)
        return widened(function(a.lo), function(a.hi), a.tame, ulps)

    return bounds


def on_domain(
    function: Callable[[Any], Any], low: float, high: float, *, falling: bool = False
) -> Callable[[Interval], Interval]:
    """A rising (or falling) function that exists only between two numbers; elsewhere no bounds."""

    def bounds(a: Interval) -> Interval:
        a = trusted(a)
        first = function(ca.fmin(ca.fmax(a.lo, low), high))
        last = function(ca.fmin(ca.fmax(a.hi, low), high))
        found = widened(*((last, first) if falling else (first, last)), False, 4)
        inside = ca.logic_and(a.lo >= low, a.hi <= high)
        return where(inside, found.lo, found.hi)

    return bounds


def sqrt(a: Interval) -> Interval:
    a = trusted(a)
    found = widened(ca.sqrt(ca.fmax(a.lo, 0.0)), ca.sqrt(ca.fmax(a.hi, 0.0)), a.tame)
    return where(a.lo >= 0.0, found.lo, found.hi)


def exp(a: Interval) -> Interval:
    a = trusted(a)
    return Interval(lowered(ca.fmin(ca.exp(a.lo), LARGEST), 4), raised(ca.exp(a.hi), 4), False)


def log(a: Interval) -> Interval:
    a = trusted(a)
    lo, hi = lowered(ca.log(ca.fmax(a.lo, LEAST_LOGARITHM)), 4), raised(ca.log(a.hi), 4)
    # log rises: next to zero its digits are lost against 1.
    slack = 4 * ULP
    return where(a.lo > 0.0, lo - slack, hi + slack)


def cosh(a: Interval) -> Interval:
    size = fabs(a)
    return Interval(
        lowered(ca.fmin(ca.cosh(size.lo), LARGEST), 4), raised(ca.cosh(size.hi), 4), False
    )


def ipow(a: Interval, n: int) -> Interval:
    """A whole power."""
    if n < 0:
        return inv(ipow(a, -n))
    if n == 0:
        return constant(1.0)
    if n == 1:
        return a
    if n == 2:
        return sq(a)
    if n % 2:
        return widened(a.lo**n, a.hi**n, a.tame, 2 * n)
    size = fabs(a)
    return widened(size.lo**n, size.hi**n, a.tame, 2 * n)


def power(a: Interval, b: Interval) -> Interval:
    exponent = b.number
    if exponent is not None and abs(exponent) < 64 and exponent == int(exponent):
        return ipow(a, int(exponent))
    a = trusted(a)
    if exponent is None:  # a negative base has values at whole exponents only: no bounds
        found = exp(mul(b, log(a)))
        return where(a.lo > 0.0, lowered(found.lo, 40), raised(found.hi, 40))
    low, high = (a.lo, a.hi) if exponent > 0.0 else (a.hi, a.lo)
    found = widened(ca.fmax(low, 0.0) ** exponent, ca.fmax(high, 0.0) ** exponent, False, 8)
    known = a.lo >= 0.0 if exponent > 0.0 else a.lo > 0.0
    return where(known, found.lo, found.hi)


# Periodic functions


def _contains(a: Interval, place: float, period: float) -> Any:
    """Whether a point place + period Z may lie in the interval, round-off to the safe side."""
    slack = 4 * ULP * (ca.fabs(a.lo) + ca.fabs(a.hi) + period)
    turn = ca.ceil((a.lo - place - slack) / period)
    return turn * period + place <= a.hi + slack


def _wave(function: Callable[[Any], Any], top: float) -> Callable[[Interval], Interval]:
    """sin or cos, whose maximum is at ``top``."""

    def bounds(a: Interval) -> Interval:
        tame = a.tame
        a = trusted(a)
        first, last = function(a.lo), function(a.hi)
        found = widened(ca.fmin(first, last), ca.fmax(first, last), True, 4)
        low = ca.if_else(_contains(a, top - pi, 2 * pi), -1.0, ca.fmax(found.lo, -1.0))
        high = ca.if_else(_contains(a, top, 2 * pi), 1.0, ca.fmin(found.hi, 1.0))
        if tame:
            return Interval(low, high)
        known = finite(a)
        return Interval(ca.if_else(known, low, -1.0), ca.if_else(known, high, 1.0))

    return bounds


sin, cos = _wave(ca.sin, pi / 2), _wave(ca.cos, 0.0)


def tan(a: Interval) -> Interval:
    a = trusted(a)
    known = ca.logic_and(1.0 - _contains(a, pi / 2, pi), finite(a))
    return where(known, lowered(ca.tan(a.lo), 4), raised(ca.tan(a.hi), 4))


def atan2(y: Interval, x: Interval) -> Interval:
    y, x = trusted(y), trusted(x)
    corners = [ca.atan2(b, a) for b in (y.lo, y.hi) for a in (x.lo, x.hi)]
    found = widened(least(*corners), largest(*corners), True, 4)
    cut = ca.logic_and(x.lo <= 0.0, ca.logic_and(y.lo <= 0.0, y.hi >= 0.0))
    round_trip = pi * (1 + 4 * ULP)
    return Interval(ca.if_else(cut, -round_trip, found.lo), ca.if_else(cut, round_trip, found.hi))


def hypot(a: Interval, b: Interval) -> Interval:
    return sqrt(add(sq(a), sq(b)))
