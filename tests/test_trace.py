"""Traces are compared with the functions they stand for, in no unit at all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go
from gauss_opt.model.tracing.user_function import UserFunction


def test_arguments_after_the_standard_ones_are_parameters():
    known = {"g": 1.0, "k": 2.0}
    user = UserFunction.of("f", lambda q, t, k, *, g, scale=1.0: k * g * scale, ("q", "t"), known)
    assert set(user.parameters) == {"k", "g"}
    assert user.plain({"q": 0.0, "t": 0.0}, known) == 2.0


def test_a_function_with_any_arguments_gets_the_standard_ones():
    seen = []
    user = UserFunction.of("f", lambda *a: seen.append(len(a)) or 0.0, ("q", "t"), {"k": 1.0})
    user.plain({"q": 0.0, "t": 0.0}, {"k": 1.0})
    assert seen == [2]


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_a_frozen_value_is_found_in_any_unit(unit):
    def phi(q, t):
        number = unit if isinstance(q, np.ndarray) and q.dtype == float else 1.001 * unit
        return number * q[0]

    with pytest.raises(go.TraceError, match="when traced"):
        go.System([1.0], constraints=[go.Holonomic("odd", phi)])


@pytest.mark.parametrize("stiffness", [1.0, 1e9, 1e14])
def test_round_off_of_a_stiff_spring_at_rest_is_not_a_difference(stiffness):
    def force(q, v, t, rest):
        length = np.linalg.norm(q)
        return -stiffness * (length - np.sqrt(rest) ** 2) * q / length

    system = go.System([1.0, 1.0], force, parameters={"rest": 2.0})
    for angle in np.linspace(0.1, 3.0, 40):
        q = 2.0 * np.array([np.cos(angle), np.sin(angle)])
        go.evaluate(system, q, [0.0, 0.0])


def test_a_random_force_is_called_directly():
    rng = np.random.default_rng(1)
    system = go.System([1.0], lambda q, v, t: rng.normal(size=1) - q)
    first, second = (go.evaluate(system, [0.0], [0.0]).force[0] for _ in range(2))
    assert first != second


def test_a_potential_that_differs_from_its_trace_is_refused():
    rng = np.random.default_rng(1)
    with pytest.raises(go.TraceError, match="potential gives"):
        go.System([1.0], potential=lambda q, t: rng.normal() * q[0])


def test_a_potential_that_cannot_be_traced_says_what_else_to_give():
    with pytest.raises(go.TraceError, match="or give force= as well"):
        go.System([1.0], potential=lambda q, t: float(q[0]))


def test_a_function_defined_only_in_places_is_accepted():
    root = go.Holonomic("root", lambda q, t: np.sqrt(q[0] - 1e3) - 1.0)
    system = go.System([1.0], None, [root])
    assert_allclose(go.evaluate(system, [1001.0], [2.0]).rate, 1.0)


def test_a_fourth_argument_is_the_ideal_force_unless_it_is_a_parameter():
    mu = {"mu": 0.5}
    drag = go.System([1.0], [0.0], nonideal=lambda q, v, t, mu: -mu * v, parameters=mu)
    assert_allclose(go.accelerate(drag, [0.0], [3.0]).acceleration, -1.5)
    default = go.System([1.0], [0.0], nonideal=lambda q, v, t, c=2.0: -c * v)
    assert_allclose(go.accelerate(default, [0.0], [3.0]).acceleration, -6.0)
    both = go.System(
        [1.0, 1.0], [0.0, -1.0], [go.Holonomic("table", lambda q, t: q[1])], parameters=mu,
        nonideal=lambda q, v, t, reaction, mu: -mu * np.abs(reaction[::-1]) * np.sign(v),
    )  # fmt: skip
    assert_allclose(go.accelerate(both, [0.0, 0.0], [3.0, 0.0]).acceleration, [-0.5, 0.0])
