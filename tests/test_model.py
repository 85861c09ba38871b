"""What the user writes is checked when it is written."""

import numpy as np
import pytest

import gauss_opt as go

KINDS = [
    lambda **by_hand: go.Holonomic("it", lambda q, t: q[0], **by_hand),
    lambda **by_hand: go.Nonholonomic("it", lambda q, v, t: v[0], **by_hand),
    lambda **by_hand: go.VelocityLimit("it", lambda q, v, t: v[0], **by_hand),
    lambda **by_hand: go.Servo("it", lambda q, t: q[0], frequency=1.0, **by_hand),
    lambda **by_hand: go.Contact("it", lambda q, t: q[0], **by_hand),
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_says_what_it_is_and_its_name(kind):
    item = kind()
    assert str(item) == f"{type(item).__name__} 'it'"
    assert callable(item.phi)
    assert not item.by_hand


@pytest.mark.parametrize("kind", KINDS)
def test_jacobian_and_bias_come_together(kind):
    with pytest.raises(go.ModelError, match="'it': give jacobian= and bias= together"):
        kind(jacobian=lambda q, t: [1.0])
    with pytest.raises(go.ModelError, match="time_derivative= needs jacobian= and bias= as well"):
        kind(time_derivative=lambda q, t: 0.0)
    assert kind(jacobian=lambda *a: [1.0], bias=lambda *a: 0.0).by_hand


@pytest.mark.parametrize("name", ["", None, 3])
def test_a_constraint_needs_a_name(name):
    with pytest.raises(go.ModelError, match="non-empty string"):
        go.Holonomic(name, lambda q, t: q[0])


@pytest.mark.parametrize("word", ["frequency", "damping"])
@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "fast", None])
def test_a_servo_needs_finite_error_dynamics(word, value):
    options = {"frequency": 1.0, "damping": 1.0, word: value}
    with pytest.raises(go.ModelError, match=f"Servo 'arm': {word} must be a number >= 0"):
        go.Servo("arm", lambda q, t: q[0], **options)


def test_restitution_cannot_change_after_the_contact_is_made():
    values = [0.2, 0.4]
    contact = go.Contact("feet", lambda q, t: q, restitution=values)
    values[0] = 5.0
    assert contact.restitution == (0.2, 0.4)


def test_restitution_may_be_one_for_each_row():
    contact = go.Contact("feet", lambda q, t: q, restitution=[0.2, 0.4])
    go.System([1.0, 1.0], contacts=[contact])
    with pytest.raises(go.ModelError, match=r"Contact 'feet' has 3 rows but 2 values"):
        go.System([1.0, 1.0, 1.0], contacts=[contact])


def test_models_cannot_be_changed():
    with pytest.raises(AttributeError):
        go.Contact("floor", lambda q, t: q[0]).restitution = 2.0
