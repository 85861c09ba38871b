"""Interval arithmetic on CasADi scalars: bounds of an operation as graphs of the bounds before it.

Results are widened outwards, by two units in the last place after arithmetic and by four after a
library function, relative to their size, so that an exact zero stays exact. (Where products
underflow, below some 1e-300, this is no bound any more.)

Whoever uses a bound must ask in the form ``lower > 0``: a bound that is not known is infinite, or
not a number, and proves nothing.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Any, NamedTuple

import casadi as ca

from ...base.tolerances.model import ENCLOSURE_ULP as ULP

__all__ = ["Interval", "constant", "hull_with_zero", "trusted", "where", "widened"]


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


def lowered(x: Any, ulps: int) -> Any:
    if x.is_constant():
        value = float(x)
        return ca.SX(value - ulps * ULP * abs(value)) if isfinite(value) else x
    return x - (ulps * ULP) * ca.fabs(x)


def raised(x: Any, ulps: int) -> Any:
    if x.is_constant():
        value = float(x)
        return ca.SX(value + ulps * ULP * abs(value)) if isfinite(value) else x
    return x + (ulps * ULP) * ca.fabs(x)


def widened(lo: Any, hi: Any, tame: bool, ulps: int = 2) -> Interval:
    """Bounds with the round-off of what gave them."""
    return Interval(lowered(lo, ulps), raised(hi, ulps), tame)


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


def least(*values: Any) -> Any:
    found = values[0]
    for value in values[1:]:
        found = ca.fmin(found, value)
    return found


def largest(*values: Any) -> Any:
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
    return widened(least(*ends), largest(*ends), tame)


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
    quotient = widened(least(*ends), largest(*ends), False)
    # An infinite dividend over an infinite divisor is not a number either.
    known = ca.logic_or(b.lo > 0.0, b.hi < 0.0)
    if not (a.tame and b.tame):
        known = ca.logic_and(known, finite(a, b))
    return where(known, quotient.lo, quotient.hi)


def finite(*intervals: Interval) -> Any:
    """Condition that all bounds are finite."""
    found: Any = ca.SX(1.0)
    for a in intervals:
        found = ca.logic_and(found, ca.logic_and(a.lo > -inf, a.hi < inf))
    return found


def fabs(a: Interval) -> Interval:
    a = trusted(a)
    return Interval(largest(a.lo, -a.hi, ca.SX(0.0)), largest(-a.lo, a.hi), a.tame)
