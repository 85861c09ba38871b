"""Functions that would be silently wrong: traced ones, and derivatives given by hand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

HERE = ([0.5, 0.25], [1.0, 2.0], 3.0)


def with_phi(phi, **by_hand):
    return go.System([1.0, 1.0], None, [go.Holonomic("link", phi, **by_hand)])


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("wrong", ["jacobian", "bias", "time_derivative"])
def test_fault_13_derivatives_by_hand_are_checked_by_differences(wrong, size):
    right = {
        "jacobian": lambda q, t: 2 * q,
        "bias": lambda q, v, t: 2 * v @ v - 2.0 * size**2,
        "time_derivative": lambda q, t: -2.0 * t * size**2,
    }
    off = {**right, wrong: lambda *a: right[wrong](*a) * 1.01}
    state = (size * np.array([0.5, 0.25]), size * np.array([1.0, 2.0]), 3.0)

    def rod(q, t):
        return float(q[0]) ** 2 + float(q[1]) ** 2 - t**2 * size**2

    go.evaluate(with_phi(rod, **right), *state)
    with pytest.raises(
        go.ModelError, match=f"hand-given {wrong}.*Holonomic 'link' is .* but finite diff"
    ):
        go.evaluate(with_phi(rod, **off), *state)
    go.evaluate(with_phi(rod, **off, check_derivatives=False), *state)


def assigned(q, t):
    z = np.zeros(3)
    z[0] = q[0]
    return z


def in_place(q, t):
    q[0] = q[0] - 1.0
    return q[0]


UNTRACEABLE = {
    "assignment": (assigned, "np.array"),
    "math": (lambda q, t: math.sin(q[0]), "np.sin, not math.sin"),
    "float": (lambda q, t: float(q[0]) - 1.0, "use numpy functions"),
    "in place": (in_place, "read-only"),
    "branch": (lambda q, t: q[0] if q[0] > 0 else -q[0], "np.where"),
    "interp": (lambda q, t: np.interp(q[0], [0, 1], [0, 1]), "cannot be traced"),
}


@pytest.mark.parametrize("name", UNTRACEABLE)
def test_fault_31_a_constraint_that_would_be_silently_wrong_is_refused(name):
    phi, advice = UNTRACEABLE[name]
    with pytest.raises(go.TraceError, match="phi of Holonomic 'link' cannot be traced") as caught:
        with_phi(phi)
    assert advice in str(caught.value)
    assert "or give jacobian= and bias= by hand" in str(caught.value)


def test_fault_31_the_same_in_a_force_is_right():
    def force(q, v, t):
        z = np.zeros(2)
        z[0] = math.sin(q[0])
        z[1] = float(q[1])
        return z

    assert_allclose(go.evaluate(go.System([1.0, 1.0], force), *HERE).force, [math.sin(0.5), 0.25])
