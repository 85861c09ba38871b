"""The interval extension of a traced function: bounds of its values over any box of its arguments.

It is itself a CasADi graph, so it is evaluated as quickly as the function. Every operation the
tracer lets through has a rule; a graph with any other has no extension, and what depends on it can
only be sampled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any

import casadi as ca

from . import branches, functions, interval
from .interval import Interval, constant

__all__ = [
    "NoEnclosure",
    "Smoothness",
    "argument",
    "bounded",
    "extended",
    "has_rules",
    "smoothness",
]


class NoEnclosure(Exception):  # noqa: N818 (a way out, not an error anybody sees)
    """An operation without a rule."""


class Smoothness(IntEnum):
    """How smooth a graph is certain to be."""

    JUMPS = 0
    KINKS = 1
    SMOOTH = 2


Rule = Callable[..., Interval]

UNARY: dict[int, Rule] = {
    ca.OP_ASSIGN: lambda a: a,
    ca.OP_NEG: interval.neg,
    ca.OP_TWICE: interval.twice,
    ca.OP_SQ: interval.sq,
    ca.OP_INV: interval.inv,
    ca.OP_FABS: interval.fabs,
    ca.OP_SQRT: functions.sqrt,
    ca.OP_EXP: functions.exp,
    ca.OP_LOG: functions.log,
    ca.OP_SIN: functions.sin,
    ca.OP_COS: functions.cos,
    ca.OP_TAN: functions.tan,
    ca.OP_ASIN: functions.on_domain(ca.asin, -1.0, 1.0),
    ca.OP_ACOS: functions.on_domain(ca.acos, -1.0, 1.0, falling=True),
    ca.OP_ATAN: functions.mono(ca.atan),
    ca.OP_SINH: functions.mono(ca.sinh),
    ca.OP_COSH: functions.cosh,
    ca.OP_TANH: functions.mono(ca.tanh),
    ca.OP_ASINH: functions.mono(ca.asinh),
    ca.OP_ACOSH: functions.on_domain(ca.acosh, 1.0, float("inf")),
    ca.OP_ATANH: functions.on_domain(ca.atanh, -1.0, 1.0),
    ca.OP_EXPM1: functions.mono(ca.expm1),
    ca.OP_LOG1P: functions.on_domain(ca.log1p, -1.0, float("inf")),
    ca.OP_ERF: functions.mono(ca.erf),
    ca.OP_SIGN: branches.sign,
    ca.OP_FLOOR: branches.floor,
    ca.OP_CEIL: branches.ceil,
    ca.OP_NOT: branches.negation,
}
BINARY: dict[int, Rule] = {
    ca.OP_ADD: interval.add,
    ca.OP_SUB: interval.sub,
    ca.OP_MUL: interval.mul,
    ca.OP_DIV: interval.div,
    ca.OP_POW: functions.power,
    ca.OP_CONSTPOW: functions.power,
    ca.OP_HYPOT: functions.hypot,
    ca.OP_ATAN2: functions.atan2,
    ca.OP_FMIN: branches.fmin,
    ca.OP_FMAX: branches.fmax,
    ca.OP_LT: branches.less,
    ca.OP_LE: branches.less_equal,
    ca.OP_EQ: branches.equal,
    ca.OP_NE: branches.unequal,
    ca.OP_AND: branches.both,
    ca.OP_OR: branches.either,
    ca.OP_IF_ELSE_ZERO: branches.if_else_zero,
    ca.OP_COPYSIGN: branches.copysign,
    ca.OP_FMOD: branches.fmod,
}
KINKS = {ca.OP_FABS, ca.OP_FMIN, ca.OP_FMAX}
JUMPS = {
    ca.OP_SIGN, ca.OP_FLOOR, ca.OP_CEIL, ca.OP_FMOD, ca.OP_REMAINDER, ca.OP_COPYSIGN,
    ca.OP_IF_ELSE_ZERO, ca.OP_LT, ca.OP_LE, ca.OP_EQ, ca.OP_NE, ca.OP_NOT, ca.OP_AND, ca.OP_OR,
}  # fmt: skip


def smoothness(function: Any) -> Smoothness:
    """What the operations of a CasADi SX Function say of it.

    >>> x = ca.SX.sym("x")
    >>> [smoothness(ca.Function("f", [x], [f])).name for f in (x * x, ca.fabs(x), ca.sign(x))]
    ['SMOOTH', 'KINKS', 'JUMPS']
    """
    operations = {function.instruction_id(k) for k in range(function.n_instructions())}
    if operations & JUMPS:
        return Smoothness.JUMPS
    return Smoothness.KINKS if operations & KINKS else Smoothness.SMOOTH


def has_rules(function: Any) -> bool:
    """Whether every operation of a CasADi SX Function has a rule."""
    operations = {function.instruction_id(k) for k in range(function.n_instructions())}
    return operations <= {*UNARY, *BINARY, ca.OP_CONST, ca.OP_INPUT, ca.OP_OUTPUT}


def extended(function: Any, boxes: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Lower and upper bounds of the only output of an SX Function over boxes of its inputs.

    Parameters
    ----------
    function : casadi.Function
    boxes : sequence of (SX, SX)
        Lower and upper bound of each input; one and the same object for a point.

    Examples
    --------
    >>> x, low, high = ca.SX.sym("x"), ca.SX.sym("low"), ca.SX.sym("high")
    >>> parabola = ca.Function("parabola", [x], [x * x - 2.0])
    >>> bounds = ca.Function("bounds", [low, high], [*extended(parabola, [(low, high)])])
    >>> [round(float(b), 9) for b in bounds(-1.0, 3.0)]
    [-2.0, 7.0]
    """
    work: dict[int, Interval] = {}
    lower: list[Any] = [ca.SX(0.0)] * function.nnz_out(0)
    upper: list[Any] = [ca.SX(0.0)] * function.nnz_out(0)
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        into, operands = function.instruction_output(k), function.instruction_input(k)
        if operation == ca.OP_CONST:
            work[into[0]] = constant(function.instruction_constant(k))
        elif operation == ca.OP_INPUT:
            low, high = boxes[operands[0]]
            work[into[0]] = argument(low, high, operands[1])
        elif operation == ca.OP_OUTPUT:
            lower[into[1]], upper[into[1]] = work[operands[0]][:2]
        else:
            work[into[0]] = bounded(operation, [work[i] for i in operands], operands)
    return ca.vertcat(ca.SX(0, 1), *lower), ca.vertcat(ca.SX(0, 1), *upper)


def argument(low: Any, high: Any, place: int) -> Interval:
    """An entry of an input."""
    bound = low[place]
    return Interval(bound, bound if low is high else high[place])


def bounded(operation: int, arguments: list[Interval], operands: Sequence[int]) -> Interval:
    """The outcome of an operation; ``operands`` tells whether two are one and the same."""
    if operation in UNARY:
        return UNARY[operation](arguments[0])
    if operation not in BINARY:
        raise NoEnclosure(f"operation {operation}")
    if operands[0] == operands[1]:  # one and the same number twice
        if operation == ca.OP_MUL:
            return interval.sq(arguments[0])
        if operation == ca.OP_SUB and arguments[0].tame:
            return constant(0.0)
    return BINARY[operation](*arguments)
