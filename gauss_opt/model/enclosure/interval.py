"""Interval arithmetic on CasADi scalars: bounds of an operation as graphs of the bounds before it.

Results are widened outwards, by two units in the last place after arithmetic and by four after a
library function, relative to their size, so that an exact zero stays exact. (Where products
underflow, below some 1e-300, this is no bound any more.)

Whoever uses a bound must ask in the form ``lower > 0``: a bound that is not known is infinite, or
not a number, and proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, pi
from typing import Any, NamedTuple

import casadi as ca

from ...base.tolerances.model import ENCLOSURE_ULP as ULP
from ...base.tolerances.model import LEAST_LOGARITHM

__all__ = ["Interval", "constant", "hull_with_zero", "mono", "trusted", "whole", "widened"]

LARGEST = 1e308


class Interval(NamedTuple):
    """Lower and upper bound, as CasADi scalars.

    Attributes
    ----------
    lo, hi : SX
    tame : bool
        Whether both are certainly finite numbers, short of overflow. Bounds that may be infinite
        must be looked at before C's fmin and fmax, which pass over what is not a number.
    """

    lo: Any
    hi: Any
    tame: bool = True

    @property
    def is_point(self) -> bool:
        """Whether both bounds are one graph: a parameter, a constant, the middle of a cell."""
        return self.lo is self.hi

    @property
    def number(self) -> float | None:
        """The value of a constant."""
        return float(self.lo) if self.is_point and self.lo.is_constant() else None


def constant(value: float) -> Interval:
    """A number."""
    graph = ca.SX(value)
    return Interval(graph, graph)


def whole() -> Interval:
    """Nothing is known."""
    return Interval(ca.SX(-inf), ca.SX(inf), False)


def _down(x: Any, ulps: int) -> Any:
    if x.is_constant():
        value = float(x)
        return ca.SX(value - ulps * ULP * abs(value)) if isfinite(value) else x
    return x - (ulps * ULP) * ca.fabs(x)


def _up(x: Any, ulps: int) -> Any:
    if x.is_constant():
        value = float(x)
        return ca.SX(value + ulps * ULP * abs(value)) if isfinite(value) else x
    return x + (ulps * ULP) * ca.fabs(x)


def widened(lo: Any, hi: Any, tame: bool, ulps: int = 2) -> Interval:
    """Bounds with the round-off of what gave them."""
    return Interval(_down(lo, ulps), _up(hi, ulps), tame)


def trusted(a: Interval) -> Interval:
    """The same with infinities in place of bounds that are not numbers."""
    if a.tame:
        return a
    return Interval(ca.if_else(a.lo < inf, a.lo, -inf), ca.if_else(a.hi > -inf, a.hi, inf), False)


def where(known: Any, lo: Any, hi: Any) -> Interval:
    """Bounds that hold only where a condition does."""
    return Interval(ca.if_else(known, lo, -inf), ca.if_else(known, hi, inf), False)


def hull_with_zero(a: Interval) -> Interval:
    """The smallest interval around a and 0."""
    a = trusted(a)
    return Interval(ca.fmin(a.lo, 0.0), ca.fmax(a.hi, 0.0), a.tame)


# Arithmetic


def neg(a: Interval) -> Interval:
    if a.is_point:
        minus = -a.lo
        return Interval(minus, minus, a.tame)
    return Interval(-a.hi, -a.lo, a.tame)


def add(a: Interval, b: Interval) -> Interval:
    for x, y in ((a, b), (b, a)):
        if x.number == 0.0:
            return y
    return widened(a.lo + b.lo, a.hi + b.hi, a.tame and b.tame)


def sub(a: Interval, b: Interval) -> Interval:
    if b.number == 0.0:
        return a
    return widened(a.lo - b.hi, a.hi - b.lo, a.tame and b.tame)


def twice(a: Interval) -> Interval:
    return Interval(2.0 * a.lo, 2.0 * a.hi, a.tame)


def _least(*values: Any) -> Any:
    found = values[0]
    for value in values[1:]:
        found = ca.fmin(found, value)
    return found


def _largest(*values: Any) -> Any:
    found = values[0]
    for value in values[1:]:
        found = ca.fmax(found, value)
    return found


def mul(a: Interval, b: Interval) -> Interval:
    for x, y in ((a, b), (b, a)):
        number = x.number
        if number is not None:
            return _scaled(y, number)
    tame = a.tame and b.tame
    if a.is_point or b.is_point:
        point, other = (a, b) if a.is_point else (b, a)
        ends: tuple[Any, ...] = (point.lo * other.lo, point.lo * other.hi)
    else:
        ends = (a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi)
    # Zero times infinity is not a number, and fmin passes over it: the zero bound times the other
    # end of the same factor is among the ends too, unless both ends are infinite.
    return widened(_least(*ends), _largest(*ends), tame)


def _scaled(a: Interval, factor: float) -> Interval:
    if factor == 0.0:
        return constant(0.0) if a.tame else Interval(0.0 * a.lo, 0.0 * a.hi, False)
    if abs(factor) == 1.0:
        return a if factor > 0.0 else neg(a)
    if factor > 0.0:
        return widened(factor * a.lo, factor * a.hi, a.tame)
    return widened(factor * a.hi, factor * a.lo, a.tame)


def sq(a: Interval) -> Interval:
    size = fabs(a)
    return widened(size.lo * size.lo, size.hi * size.hi, a.tame)


def inv(a: Interval) -> Interval:
    return div(constant(1.0), a)


def div(a: Interval, b: Interval) -> Interval:
    number = b.number
    if number:
        lo, hi = (a.lo, a.hi) if number > 0.0 else (a.hi, a.lo)
        return widened(lo / number, hi / number, a.tame)
    if a.number is not None:
        ends: tuple[Any, ...] = (a.lo / b.lo, a.lo / b.hi)
    else:
        ends = (a.lo / b.lo, a.lo / b.hi, a.hi / b.lo, a.hi / b.hi)
    quotient = widened(_least(*ends), _largest(*ends), False)
    # An infinite dividend over an infinite divisor is not a number either.
    known = ca.logic_or(b.lo > 0.0, b.hi < 0.0)
    if not (a.tame and b.tame):
        known = ca.logic_and(known, _finite(a, b))
    return where(known, quotient.lo, quotient.hi)


def _finite(*intervals: Interval) -> Any:
    """Condition that all bounds are finite."""
    found: Any = ca.SX(1.0)
    for a in intervals:
        found = ca.logic_and(found, ca.logic_and(a.lo > -inf, a.hi < inf))
    return found


def fabs(a: Interval) -> Interval:
    a = trusted(a)
    return Interval(_largest(a.lo, -a.hi, ca.SX(0.0)), _largest(-a.lo, a.hi), a.tame)


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


# Functions without extrema


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
    return Interval(_down(ca.fmin(ca.exp(a.lo), LARGEST), 4), _up(ca.exp(a.hi), 4), False)


def log(a: Interval) -> Interval:
    a = trusted(a)
    lo, hi = _down(ca.log(ca.fmax(a.lo, LEAST_LOGARITHM)), 4), _up(ca.log(a.hi), 4)
    # log rises: next to zero its digits are lost against 1.
    slack = 4 * ULP
    return where(a.lo > 0.0, lo - slack, hi + slack)


def cosh(a: Interval) -> Interval:
    size = fabs(a)
    return Interval(_down(ca.fmin(ca.cosh(size.lo), LARGEST), 4), _up(ca.cosh(size.hi), 4), False)


def power(a: Interval, b: Interval) -> Interval:
    exponent = b.number
    if exponent is not None and abs(exponent) < 64 and exponent == int(exponent):
        return ipow(a, int(exponent))
    a = trusted(a)
    if exponent is None:  # a negative base has values at whole exponents only: no bounds
        found = exp(mul(b, log(a)))
        return where(a.lo > 0.0, _down(found.lo, 40), _up(found.hi, 40))
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
        known = a.tame
        a = trusted(a)
        first, last = function(a.lo), function(a.hi)
        found = widened(ca.fmin(first, last), ca.fmax(first, last), True, 4)
        low = ca.if_else(_contains(a, top - pi, 2 * pi), -1.0, ca.fmax(found.lo, -1.0))
        high = ca.if_else(_contains(a, top, 2 * pi), 1.0, ca.fmin(found.hi, 1.0))
        if known:
            return Interval(low, high)
        finite = _finite(a)
        return Interval(ca.if_else(finite, low, -1.0), ca.if_else(finite, high, 1.0))

    return bounds


sin, cos = _wave(ca.sin, pi / 2), _wave(ca.cos, 0.0)


def tan(a: Interval) -> Interval:
    a = trusted(a)
    known = ca.logic_and(1.0 - _contains(a, pi / 2, pi), _finite(a))
    return where(known, _down(ca.tan(a.lo), 4), _up(ca.tan(a.hi), 4))


def atan2(y: Interval, x: Interval) -> Interval:
    y, x = trusted(y), trusted(x)
    corners = [ca.atan2(b, a) for b in (y.lo, y.hi) for a in (x.lo, x.hi)]
    found = widened(_least(*corners), _largest(*corners), True, 4)
    cut = ca.logic_and(x.lo <= 0.0, ca.logic_and(y.lo <= 0.0, y.hi >= 0.0))
    round_trip = pi * (1 + 4 * ULP)
    return Interval(ca.if_else(cut, -round_trip, found.lo), ca.if_else(cut, round_trip, found.hi))


def hypot(a: Interval, b: Interval) -> Interval:
    return sqrt(add(sq(a), sq(b)))
