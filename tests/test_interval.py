"""Interval extensions of graphs: no value of a function may lie outside of its bounds."""

import casadi as ca
import numpy as np
import pytest

from gauss_opt.model.enclosure.extension import (
    BINARY,
    UNARY,
    NoEnclosure,
    Smoothness,
    extended,
    smoothness,
)

SEEDS = range(6)
POINTS = 60  # values in each box that are compared with its bounds

X, Y = ca.SX.sym("x"), ca.SX.sym("y")
ONE = {
    "neg": -X, "sq": X * X, "sqrt": ca.sqrt(X), "fabs": ca.fabs(X), "exp": ca.exp(X),
    "log": ca.log(X), "sin": ca.sin(X), "cos": ca.cos(X), "tan": ca.tan(X), "inv": 1 / X,
    "twice": X + X, "asin": ca.asin(X), "acos": ca.acos(X), "atan": ca.atan(X),
    "sinh": ca.sinh(X), "cosh": ca.cosh(X), "tanh": ca.tanh(X), "asinh": ca.asinh(X),
    "acosh": ca.acosh(X), "atanh": ca.atanh(X), "expm1": ca.expm1(X), "log1p": ca.log1p(X),
    "erf": ca.erf(X), "sign": ca.sign(X), "floor": ca.floor(X), "ceil": ca.ceil(X),
    "cube": X**3, "fifth": X**5, "fourth": X**4, "root": X**1.5, "negative power": X**-3,
    "inverse root": X**-0.5, "not": ca.logic_not(X), "truth": ca.logic_and(X, X),
    "shifted": X - 2.0, "scaled": -3.0 * X,
    "quotient": X / -3.0, "over": 2.0 / X, "minus one": X - 1.0,
}  # fmt: skip
TWO = {
    "add": X + Y, "sub": X - Y, "mul": X * Y, "div": X / Y, "pow": X**Y, "fmin": ca.fmin(X, Y),
    "fmax": ca.fmax(X, Y), "atan2": ca.atan2(X, Y), "hypot": ca.hypot(X, Y), "lt": X < Y,
    "le": X <= Y, "eq": X == Y, "ne": X != Y, "and": ca.logic_and(X > 0, Y > 0),
    "or": ca.logic_or(X > 0, Y > 0), "if": ca.if_else(X > 0, Y, 0.0),
    "choice": ca.if_else(X > Y, X * Y, X - 1), "copysign": ca.copysign(X, Y),
    "fmod": ca.fmod(X, Y),
}  # fmt: skip


def compiled(graph):
    """The function of (x, y), and its bounds over a box."""
    function = ca.Function("f", [X, Y], [graph])
    low, high = (ca.SX.sym(name, 2) for name in ("low", "high"))
    lo, hi = extended(function, [(low[0], high[0]), (low[1], high[1])])
    return function, ca.Function("bounds", [low, high], [lo, hi])


def boxes(rng, count):
    """Boxes of all sizes: points, thin, wide, with ends at zero, at whole numbers, far out."""
    for _ in range(count):
        kind = rng.integers(0, 6)
        middle = rng.normal(size=2) * 10.0 ** rng.uniform(-3, 3)
        if kind == 0:
            middle = np.round(rng.normal(size=2) * 3)
        half = np.abs(rng.normal(size=2)) * 10.0 ** rng.uniform(-12, 2)
        half[rng.random(2) < 0.15] = 0.0
        low, high = middle - half, middle + half
        if kind == 1:
            low = np.where(rng.random(2) < 0.5, 0.0, low)
            high = np.maximum(low, high)
        if kind == 2:
            high = np.where(rng.random(2) < 0.5, 0.0, high)
            low = np.minimum(low, high)
        if kind == 3:
            low, high = rng.uniform(-1, 0, 2), rng.uniform(0, 1, 2)
        yield low, high


def violations(graph, rng, count):
    """Boxes with a value outside of the bounds, and how many boxes were looked at."""
    function, bounds = compiled(graph)
    found = []
    for low, high in boxes(rng, count):
        lo, hi = (float(b) for b in bounds(low, high))
        points = low + (high - low) * rng.uniform(0, 1, (POINTS, 2))
        points = np.clip(points, low, high)
        points[:4] = [low, high, [low[0], high[1]], [high[0], low[1]]]
        values = np.array(function(points[:, :1].T, points[:, 1:].T)).ravel()
        values = values[np.isfinite(values)]
        # Not "value < lo": a bound that is no number must count as none.
        if len(values) and ((lo > values.min()) or (hi < values.max())):
            found.append((low, high, lo, hi, values.min(), values.max()))
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_no_value_is_outside_of_the_bounds(name, seed):
    rng = np.random.default_rng([seed, len(name)])
    assert violations({**ONE, **TWO}[name], rng, 60) == []


def random_graph(rng, depth):
    """A graph of operations drawn at random, with shared parts."""
    pool = [X, Y, ca.SX(float(np.round(rng.normal(), 1)))]
    for _ in range(depth):
        if rng.random() < 0.5:
            name = rng.choice(list(ONE))
            argument = pool[rng.integers(0, len(pool))]
            made = ca.substitute(ONE[name], X, argument)
        else:
            name = rng.choice(list(TWO))
            a, b = (pool[rng.integers(0, len(pool))] for _ in range(2))
            made = ca.substitute(TWO[name], ca.vertcat(X, Y), ca.vertcat(a, b))
        pool.append(made)
    return pool[-1]


@pytest.mark.parametrize("seed", range(40))
def test_no_value_of_a_random_graph_is_outside_of_the_bounds(seed):
    rng = np.random.default_rng([7, seed])
    for _ in range(6):
        graph = random_graph(rng, int(rng.integers(2, 9)))
        assert violations(graph, rng, 15) == [], graph


def test_a_bound_that_is_not_known_never_proves_anything():
    """A part outside of the domain must not hide behind a minimum, as C's fmin would have it."""
    for hidden in (ca.sqrt(X), ca.log(X), ca.asin(X), X**0.5, 1 / X):
        _, bounds = compiled(ca.fmin(hidden, 3.0))
        lo, _ = bounds([-2.0, 0.0], [2.0, 0.0])
        assert not float(lo) > -1e300
        _, bounds = compiled(ca.fmax(hidden - hidden * 2.0, -3.0))
        _, hi = bounds([-2.0, 0.0], [2.0, 0.0])
        assert not float(hi) < 1e300


def test_exact_zeros_stay_exact():
    _, bounds = compiled(X * Y + 0.0)
    assert [float(b) for b in bounds([0.0, -1.0], [0.0, 2.0])] == [0.0, 0.0]
    _, bounds = compiled(X * X)
    assert [float(b) for b in bounds([0.0, 0.0], [0.0, 0.0])] == [0.0, 0.0]


def test_bounds_of_monotone_functions_are_tight():
    for graph in (ca.exp(X), ca.atan(X), ca.sqrt(X), X**3, 2.0 * X - 1.0):
        function, bounds = compiled(graph)
        lo, hi = (float(b) for b in bounds([0.5, 0.0], [1.5, 0.0]))
        assert lo == pytest.approx(float(function(0.5, 0.0)), rel=1e-14)
        assert hi == pytest.approx(float(function(1.5, 0.0)), rel=1e-14)


def test_smoothness_is_read_off_the_operations():
    def of(graph):
        return smoothness(ca.Function("f", [X, Y], [graph]))

    assert of(ca.sqrt(X) * Y) == Smoothness.SMOOTH
    assert of(ca.fmax(X, Y) + 1.0) == Smoothness.KINKS
    assert of(ca.if_else(X > 0, Y, X)) == Smoothness.JUMPS


def test_an_operation_without_a_rule_has_no_extension():
    function = ca.Function("f", [X, Y], [ca.remainder(X, Y)])
    with pytest.raises(NoEnclosure):
        extended(function, [(X, X), (Y, Y)])


def test_every_operation_that_is_traced_has_a_rule():
    from gauss_opt.model.tracing.numpy_rules import RULES

    for name, rule in RULES.items():
        count = getattr(np, name).nin
        function = ca.Function("f", [X, Y], [rule(*[X, Y][:count])])
        for k in range(function.n_instructions()):
            operation = function.instruction_id(k)
            known = operation in UNARY or operation in BINARY
            plumbing = (ca.OP_CONST, ca.OP_INPUT, ca.OP_OUTPUT)
            assert known or operation in plumbing, name
