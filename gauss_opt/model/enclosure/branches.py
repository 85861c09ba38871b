"""Interval arithmetic of what jumps or has kinks: minima, steps, comparisons, choices.

A truth is a number between 0 (certainly false) and 1 (certainly true) at both ends. Comparisons are
written so that bounds that are not numbers leave it open.
"""

from __future__ import annotations

import casadi as ca

from .interval import Interval, fabs, hull_with_zero, trusted, where


def fmin(a: Interval, b: Interval) -> Interval:
    a, b = trusted(a), trusted(b)
    return Interval(ca.fmin(a.lo, b.lo), ca.fmin(a.hi, b.hi), a.tame and b.tame)


def fmax(a: Interval, b: Interval) -> Interval:
    a, b = trusted(a), trusted(b)
    return Interval(ca.fmax(a.lo, b.lo), ca.fmax(a.hi, b.hi), a.tame and b.tame)


def sign(a: Interval) -> Interval:
    a = trusted(a)
    return Interval(ca.sign(a.lo), ca.sign(a.hi))


def floor(a: Interval) -> Interval:
    return Interval(ca.floor(a.lo), ca.floor(a.hi), a.tame)


def ceil(a: Interval) -> Interval:
    return Interval(ca.ceil(a.lo), ca.ceil(a.hi), a.tame)


def less(a: Interval, b: Interval) -> Interval:
    return Interval(a.hi < b.lo, 1.0 - (b.hi <= a.lo))


def less_equal(a: Interval, b: Interval) -> Interval:
    return Interval(a.hi <= b.lo, 1.0 - (b.hi < a.lo))


def equal(a: Interval, b: Interval) -> Interval:
    certainly = ca.logic_and(a.lo == b.hi, a.hi == b.lo)
    apart = ca.logic_or(a.hi < b.lo, b.hi < a.lo)
    return Interval(certainly, 1.0 - apart)


def truth(a: Interval) -> Interval:
    """Whether a number is not zero."""
    a = trusted(a)
    nothing = ca.logic_and(a.lo == 0.0, a.hi == 0.0)
    return Interval(ca.logic_or(a.lo > 0.0, a.hi < 0.0), 1.0 - nothing)


def negation(a: Interval) -> Interval:
    a = truth(a)
    return Interval(1.0 - a.hi, 1.0 - a.lo)


def unequal(a: Interval, b: Interval) -> Interval:
    return negation(equal(a, b))


def both(a: Interval, b: Interval) -> Interval:
    a, b = truth(a), truth(b)
    return Interval(ca.logic_and(a.lo, b.lo), ca.logic_and(a.hi, b.hi))


def either(a: Interval, b: Interval) -> Interval:
    a, b = truth(a), truth(b)
    return Interval(ca.logic_or(a.lo, b.lo), ca.logic_or(a.hi, b.hi))


def if_else_zero(condition: Interval, a: Interval) -> Interval:
    """The value where the condition holds, otherwise 0."""
    hull, known = hull_with_zero(a), truth(condition)
    return Interval(
        ca.if_else(known.lo, a.lo, ca.if_else(known.hi, hull.lo, 0.0)),
        ca.if_else(known.lo, a.hi, ca.if_else(known.hi, hull.hi, 0.0)),
        a.tame,
    )


def copysign(a: Interval, b: Interval) -> Interval:
    size = fabs(a)
    # The sign of a zero counts, and no bound knows it.
    return Interval(
        ca.if_else(b.lo > 0.0, size.lo, -size.hi),
        ca.if_else(b.hi < 0.0, -size.lo, size.hi),
        a.tame,
    )


def fmod(a: Interval, b: Interval) -> Interval:
    """The remainder with the sign of a; bounded by both operands."""
    a, divisor = trusted(a), fabs(b)
    inside = ca.fmax(ca.fabs(a.lo), ca.fabs(a.hi)) < divisor.lo
    low = ca.if_else(a.lo >= 0.0, 0.0, ca.fmax(a.lo, -divisor.hi))
    high = ca.if_else(a.hi <= 0.0, 0.0, ca.fmin(a.hi, divisor.hi))
    return where(divisor.lo > 0.0, ca.if_else(inside, a.lo, low), ca.if_else(inside, a.hi, high))
