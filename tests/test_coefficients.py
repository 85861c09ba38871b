"""Restitution and friction as parameters: sweeps without tracing, within the same bounds."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go
from gauss_opt.model.fingerprint import fingerprint


def ball(restitution="e", calls=None, **parameters):
    def weight(q, v, t):
        if calls is not None:
            calls.append(type(q))
        return np.array([-9.81])

    floor = go.Contact("floor", lambda q, t: q[0], restitution)
    return go.System([1.0], weight, contacts=[floor], parameters=parameters)


def test_restitution_is_swept_without_tracing_again():
    calls = []
    system = ball(calls=calls, e=0.5)
    traced = len(calls)
    fall = np.sqrt(2.0 / 9.81)
    for e in np.linspace(0.0, 1.0, 11):
        result = go.simulate(system.with_parameters(e=e), [1.0], [0.0], (0, 1.5 * fall))
        assert_allclose(result.events[0].v_after, [9.81 * fall * e], atol=1e-12)
        assert result.success
    assert len([kind for kind in calls[traced:] if kind is not np.ndarray]) == 0
    assert go.collide(system, [0.0], [-2.0]).v_after == 1.0  # it still has its own


def test_a_named_coefficient_gives_the_bits_of_a_number():
    span = [1.0], [0.0], (0, 1.2)
    named, number = go.simulate(ball(e=0.63), *span), go.simulate(ball(0.63), *span)
    assert_array_equal(named.q, number.q)
    assert_array_equal(named.t, number.t)


def test_one_parameter_has_a_value_for_each_row_and_serves_functions_as_well():
    feet = go.Contact("feet", lambda q, t, e: q + 0.0 * e[0], restitution="e")
    system = go.System([1.0, 1.0], contacts=[feet], parameters={"e": [0.2, 0.9]})
    assert_allclose(go.collide(system, [0, 0], [-1, -1]).v_after, [0.2, 0.9])
    changed = system.with_parameters(e=[1.0, 0.0])
    assert_allclose(go.collide(changed, [0, 0], [-1, -1]).v_after, [1.0, 0.0])
    with pytest.raises(go.ModelError, match="has 2 rows but 3 values of restitution"):
        go.System([1.0, 1.0], contacts=[feet], parameters={"e": [0.2, 0.9, 0.1]})


def block(**coefficients):
    floor = go.Contact("floor", lambda q, t: q[1], slip=lambda q, v, t: v[0], **coefficients)
    parameters = {"mu": 0.0, "mu_s": 0.0, "turned": 0.0, "pull": 3.0}
    return go.System(
        [1.0, 1.0], lambda q, v, t, pull: np.array([pull, -10.0]), contacts=[floor],
        parameters=parameters,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("mu", "mu_s", "expected"), [(0.0, 0.0, 3.0), (0.1, 0.1, 2.0), (0.1, 0.4, 0.0), (0.5, 0.5, 0.0)]
)
def test_friction_is_swept_through_none_sliding_and_sticking(mu, mu_s, expected):
    system = block(friction="mu", static_friction="mu_s").with_parameters(mu=mu, mu_s=mu_s)
    answer = go.accelerate(system, [0.0, 0.0], [0.0, 0.0])
    assert_allclose(answer.acceleration, [expected, 0.0], atol=1e-12)


def test_tangential_restitution_and_static_friction_left_out_follow_their_parameters():
    system = block(friction="mu", tangential_restitution="turned")
    struck = go.collide(system.with_parameters(mu=1.0, turned=1.0), [0.0, 0.0], [0.5, -2.0])
    assert_allclose(struck.v_after, [-0.5, 0.0], atol=1e-12)
    coefficients = system.with_parameters(mu=0.3).coefficients(system.dynamics(2).layout)
    assert coefficients.static_friction.max() == 0.3
    assert coefficients.has_friction
    assert not system.coefficients(system.dynamics(2).layout).has_friction


@pytest.mark.parametrize("bad", [-0.1, 1.1])
def test_bounds_hold_for_parameters(bad):
    message = rf"Contact 'floor': restitution \(parameter 'e'\) must be between 0 and 1, got {bad}"
    with pytest.raises(go.ModelError, match=message):
        ball(e=bad)
    with pytest.raises(go.ModelError, match=message):
        ball(e=0.5).with_parameters(e=bad)
    system = block(friction="mu", static_friction="mu_s")
    with pytest.raises(go.ModelError, match=r"friction \(parameter 'mu'\) must be a finite number"):
        system.with_parameters(mu=-0.5)
    with pytest.raises(go.ModelError, match=r"must be at least friction, got 0.1 and 0.2"):
        system.with_parameters(mu=0.2, mu_s=0.1)
    with pytest.raises(go.ModelError, match=r"must be between 0 and 1, got array"):
        go.System([1.0], contacts=ball(e=0.5).contacts, parameters={"e": np.eye(2)})


def test_a_name_that_is_no_parameter_is_refused_with_those_that_are():
    with pytest.raises(go.ModelError, match=re.escape("System(parameters=...) has: 'g'")):
        ball("high", g=9.81)
    with pytest.raises(
        go.ModelError, match=re.escape("got 'high', and System(parameters=...) has: none")
    ):
        ball("high")
    with pytest.raises(go.ModelError, match="friction needs slip="):
        go.Contact("floor", lambda q, t: q[0], friction="mu")


def test_the_fingerprint_has_names_and_values():
    one, other = ball(e=0.5), ball(e=0.6)
    assert fingerprint(one, 1, 1)["the restitution of Contact 'floor'"] == "e"
    assert fingerprint(one, 1, 1) == fingerprint(other.with_parameters(e=0.5), 1, 1)
    assert fingerprint(one, 1, 1) != fingerprint(other, 1, 1)
    low, high = (block(friction=mu) for mu in (0.1, 0.2))
    changed = fingerprint(low, 2, 2).items() - fingerprint(high, 2, 2).items()
    assert dict(changed) == {"the friction of Contact 'floor'": "0.1"}
