"""How much of a function may be hidden between a few samples: steps, peaks, waves.

A step of an integrator samples the forces at a handful of times. What is smooth on its scale it
integrates to its accuracy; a peak that is narrower than the distance of the samples it can miss.
So each operation is asked whether it is smooth on the scale of a box: the exponential of something
that changes by less than 4, a sine over less than half a wave, a minimum of two numbers of which
one is certainly the smaller. If all are, nothing is hidden. Where one is not, all of its change
over the box may be hidden, and so much of what is computed from it.

This is a measure of what to look at more closely, not a proof: what counts as smooth is a choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Any, NamedTuple

import casadi as ca

from .branches import truth
from .extension import NoEnclosure, argument, bounded
from .interval import Interval, constant, trusted

__all__ = ["can_be_narrow", "hidden_parts", "smooth_on"]

Condition = Callable[..., Any]

PLAIN = {ca.OP_ASSIGN, ca.OP_NEG, ca.OP_TWICE, ca.OP_ADD, ca.OP_SUB, ca.OP_MUL, ca.OP_SQ}
GEOMETRY = {ca.OP_SQRT, ca.OP_HYPOT, ca.OP_DIV, ca.OP_INV}
LARGEST_PLAIN_POWER = 4
FACTOR = 4.0  # by which the argument of a root, a logarithm, a quotient may change
TRUE = ca.SX(1.0)


@dataclass
class _Node:
    """Bounds of a number, and how much of its change may be hidden (None: certainly nothing)."""

    within: Interval
    hidden: Any = None


def _narrower(limit: float) -> Condition:
    return lambda out, a: a.hi - a.lo <= limit


def _inside(low: float, high: float) -> Condition:
    return lambda out, a: ca.logic_and(a.lo >= low, a.hi <= high)


def _signed(out: Interval, a: Interval) -> Any:
    return ca.logic_or(a.lo >= 0.0, a.hi <= 0.0)


def _strictly_signed(out: Interval, a: Interval) -> Any:
    return ca.logic_or(a.lo == a.hi, ca.logic_or(a.lo > 0.0, a.hi < 0.0))


def _grows_little(a: Interval, factor: float = FACTOR, signs: int = 2) -> Any:
    """Whether a number keeps its sign (or is positive) and changes by no more than a factor."""
    up = ca.logic_and(a.lo > 0.0, a.hi <= factor * a.lo)
    if signs == 1:
        return ca.logic_or(ca.logic_and(a.lo == a.hi, a.lo >= 0.0), up)
    down = ca.logic_and(a.hi < 0.0, a.lo >= factor * a.hi)
    return ca.logic_or(a.lo == a.hi, ca.logic_or(up, down))


def _certain(out: Interval, *arguments: Interval) -> Any:
    return out.lo == out.hi


def _apart(out: Interval, a: Interval, b: Interval) -> Any:
    return ca.logic_or(a.hi <= b.lo, b.hi <= a.lo)


def _power(out: Interval, a: Interval, b: Interval) -> Any:
    exponent = b.number
    if exponent is None:
        return ca.logic_and(out.lo > 0.0, out.hi <= exp(FACTOR) * out.lo)
    if 0.0 <= exponent <= LARGEST_PLAIN_POWER and exponent == int(exponent):
        return TRUE
    whole = exponent == int(exponent)
    return _grows_little(a, exp(min(FACTOR / abs(exponent), FACTOR)), signs=2 if whole else 1)


def _remainder(out: Interval, a: Interval, b: Interval) -> Any:
    same = ca.floor(a.lo / b.lo) == ca.floor(a.hi / b.lo)
    return ca.logic_and(b.lo == b.hi, same)


def _chosen(out: Interval, condition: Interval, a: Interval) -> Any:
    known = truth(condition)
    return known.lo == known.hi


SMOOTH: dict[int, Condition] = {
    ca.OP_EXP: _narrower(4.0),
    ca.OP_EXPM1: _narrower(4.0),
    ca.OP_SINH: _narrower(4.0),
    ca.OP_COSH: _narrower(4.0),
    ca.OP_SIN: _narrower(3.0),
    ca.OP_COS: _narrower(3.0),
    ca.OP_TAN: _narrower(1.0),
    ca.OP_TANH: _narrower(2.0),
    ca.OP_ATAN: _narrower(2.0),
    ca.OP_ERF: _narrower(2.0),
    ca.OP_ASINH: _narrower(2.0),
    ca.OP_ASIN: _inside(-0.9, 0.9),
    ca.OP_ACOS: _inside(-0.9, 0.9),
    ca.OP_ATANH: _inside(-0.9, 0.9),
    ca.OP_ACOSH: lambda out, a: _grows_little(Interval(a.lo - 1.0, a.hi - 1.0), signs=1),
    ca.OP_LOG1P: lambda out, a: _grows_little(Interval(a.lo + 1.0, a.hi + 1.0), signs=1),
    ca.OP_SQRT: lambda out, a: _grows_little(a, signs=1),
    ca.OP_LOG: lambda out, a: _grows_little(a, signs=1),
    ca.OP_INV: lambda out, a: _grows_little(a),
    ca.OP_DIV: lambda out, a, b: _grows_little(b),
    ca.OP_HYPOT: lambda out, a, b: _grows_little(out),
    ca.OP_ATAN2: lambda out, a, b: out.hi - out.lo <= 1.0,
    ca.OP_POW: _power,
    ca.OP_CONSTPOW: _power,
    ca.OP_FABS: _signed,
    ca.OP_SIGN: _strictly_signed,
    ca.OP_FLOOR: _certain,
    ca.OP_CEIL: _certain,
    ca.OP_NOT: _certain,
    ca.OP_LT: _certain,
    ca.OP_LE: _certain,
    ca.OP_EQ: _certain,
    ca.OP_NE: _certain,
    ca.OP_AND: _certain,
    ca.OP_OR: _certain,
    ca.OP_FMIN: _apart,
    ca.OP_FMAX: _apart,
    ca.OP_IF_ELSE_ZERO: _chosen,
    ca.OP_COPYSIGN: lambda out, a, b: _strictly_signed(out, b),
    ca.OP_FMOD: _remainder,
}


Boxes = Sequence[tuple[Any, Any]]


def smooth_on(function: Any, boxes: Boxes) -> Any:
    """A truth as a graph: whether all operations of an SX Function are smooth on boxes' scale.

    Parameters
    ----------
    function : casadi.Function
    boxes : sequence of (SX, SX)
        Lower and upper bound of each input; one and the same object for a point.

    Raises
    ------
    NoEnclosure
        Where an operation has no rule.
    """
    smooth = TRUE
    for step in _steps(function, boxes, _looked_at(function)):
        if step.condition is not None:
            smooth = ca.logic_and(smooth, step.condition)
    return smooth


def hidden_parts(function: Any, boxes: Boxes) -> Any:
    """How much of each entry of an SX Function's only output may be hidden over boxes.

    Infinite where no bound is known. Parameters are those of :func:`smooth_on`.

    Examples
    --------
    >>> t, low, high = ca.SX.sym("t"), ca.SX.sym("low"), ca.SX.sym("high")
    >>> pulse = ca.Function("pulse", [t], [t + 3.0 * ca.exp(-t * t)])
    >>> box = [(low, high)]
    >>> found = ca.Function("f", [low, high], [smooth_on(pulse, box), hidden_parts(pulse, box)])
    >>> [[round(float(x), 6) for x in found(*box)] for box in ((-0.5, 0.5), (-100, 100), (10, 20))]
    [[1.0, 0.0], [0.0, 3.0], [0.0, 0.0]]
    """
    parts: list[Any] = [ca.SX(0.0)] * function.nnz_out(0)
    for step in _steps(function, boxes):
        if step.operation == ca.OP_OUTPUT:
            hidden = step.taken[0].hidden
            if hidden is not None:
                parts[step.into[1]] = ca.if_else(hidden >= 0.0, hidden, inf)
        elif step.operation not in (ca.OP_CONST, ca.OP_INPUT):
            step.node.hidden = _hidden(step.operation, step.node.within, step.taken, step.condition)
    return ca.vertcat(ca.SX(0, 1), *parts)


class _Step(NamedTuple):
    """One instruction: what it takes, its outcome, and when that is smooth (None: always)."""

    operation: int
    into: Sequence[int]
    taken: list[_Node]
    node: _Node
    condition: Any


def _steps(function: Any, boxes: Boxes, chosen: Sequence[int] | None = None) -> Iterator[_Step]:
    """Go through the instructions of a function, or through some of them."""
    work: dict[int, _Node] = {}
    for k in range(function.n_instructions()) if chosen is None else chosen:
        operation = function.instruction_id(k)
        into, operands = function.instruction_output(k), function.instruction_input(k)
        taken: list[_Node] = []
        condition = None
        if operation == ca.OP_CONST:
            node = _Node(constant(function.instruction_constant(k)))
        elif operation == ca.OP_INPUT:
            low, high = boxes[operands[0]]
            node = _Node(argument(low, high, operands[1]))
        else:
            taken = [work[i] for i in operands]
            if operation == ca.OP_OUTPUT:
                yield _Step(operation, into, taken, taken[0], None)
                continue
            node = _Node(bounded(operation, [one.within for one in taken], operands))
            if operation not in PLAIN:
                if operation not in SMOOTH:
                    raise NoEnclosure(f"operation {operation}")
                within = [trusted(one.within) for one in taken]
                condition = SMOOTH[operation](node.within, *within)
        work[into[0]] = node
        yield _Step(operation, into, taken, node, condition)


def can_be_narrow(function: Any) -> bool:
    """Whether an SX Function is more than sums, products, lengths and ratios: narrow features."""
    operations = {function.instruction_id(k) for k in range(function.n_instructions())}
    return not operations <= PLAIN | GEOMETRY | {ca.OP_CONST, ca.OP_INPUT, ca.OP_OUTPUT}


def _looked_at(function: Any) -> list[int]:
    """The instructions that the arguments of operations with a condition come from, and these."""
    chosen: list[int] = []
    live: set[int] = set()
    for k in reversed(range(function.n_instructions())):
        operation = function.instruction_id(k)
        if operation == ca.OP_OUTPUT:
            continue
        into = function.instruction_output(k)[0]
        simple = operation in PLAIN or operation in (ca.OP_CONST, ca.OP_INPUT)
        if simple and into not in live:
            continue
        live.discard(into)
        chosen.append(k)
        if operation not in (ca.OP_CONST, ca.OP_INPUT):
            live.update(function.instruction_input(k))
    return chosen[::-1]


def _hidden(operation: int, out: Interval, taken: list[_Node], condition: Any) -> Any:
    """How much of the outcome of an operation may be hidden."""
    before = [node.hidden for node in taken if node.hidden is not None]
    if operation in PLAIN:
        return _carried(operation, taken) if before else None
    if condition.is_constant() and float(condition) and not before:
        return None
    nothing = condition
    for hidden in before:
        nothing = ca.logic_and(nothing, hidden == 0.0)
    if operation == ca.OP_DIV and taken[1].hidden is None:
        return ca.if_else(condition, _times(taken[0], _size_of_inverse(taken[1])), _width(out))
    return ca.if_else(nothing, 0.0, _width(out))


def _carried(operation: int, taken: list[_Node]) -> Any:
    """The same for sums and products."""
    if operation == ca.OP_SQ:
        return 2.0 * _times(taken[0], _size(taken[0]))
    if operation == ca.OP_MUL:
        first, second = taken
        return _times(first, _size(second)) + _times(second, _size(first))
    total = sum(node.hidden for node in taken if node.hidden is not None)
    return 2.0 * total if operation == ca.OP_TWICE else total


def _times(node: _Node, factor: Any) -> Any:
    if node.hidden is None:
        return ca.SX(0.0)
    return ca.if_else(node.hidden == 0.0, 0.0, node.hidden * factor)


def _size(node: _Node) -> Any:
    a = trusted(node.within)
    return ca.fmax(ca.fabs(a.lo), ca.fabs(a.hi))


def _size_of_inverse(node: _Node) -> Any:
    return 1.0 / ca.fmin(ca.fabs(node.within.lo), ca.fabs(node.within.hi))


def _width(out: Interval) -> Any:
    """Of an interval; infinite where a bound is not known."""
    width = out.hi - out.lo
    return ca.if_else(width >= 0.0, width, inf)
