"""Gaps that touch zero without changing sign are refused, with what to write instead."""

import numpy as np
import pytest

import gauss_opt as go

AT_ONCE = {
    "abs": lambda q, t: np.abs(q[0]),
    "square": lambda q, t: q[0] ** 2,
    "root of square": lambda q, t: np.sqrt(q[0] ** 2),
    "distance": lambda q, t: np.hypot(q[0], q[1]),
    "fourth power": lambda q, t: q[0] ** 4,
    "sum of squares": lambda q, t: q[0] ** 2 + 3.0 * q[0] ** 2,
    "scaled abs": lambda q, t: 2.0 * np.abs(q[0]),
    "shifted abs": lambda q, t: np.abs(q[0] - 0.3),
}
AT_CONTACT = {
    "maximum": lambda q, t: np.maximum(q[0], -q[0]),
    "difference of squares": lambda q, t: (q[0] + 1.0) ** 2 - 1.0 - 2.0 * q[0],
    "abs less nothing": lambda q, t: np.abs(q[0]) - 0.0 * q[1] - (q[1] - q[1] * 1.0),
    "chosen": lambda q, t: np.where(q[0] > 0.0, q[0], -q[0]),
    "cube": lambda q, t: q[0] ** 3,
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_a_gap_that_can_never_be_negative_is_refused_at_once(name):
    with pytest.raises(go.ModelError, match="can never be negative: write a gap that becomes"):
        go.System([1.0, 1.0], [0.0, 0.0], contacts=[go.Contact("wall", AT_ONCE[name])])


@pytest.mark.parametrize("start", [1.0, 0.37])
@pytest.mark.parametrize("name", AT_CONTACT)
def test_a_gap_with_a_kink_or_without_gradient_is_refused_at_contact(name, start):
    wall = go.Contact("wall", AT_CONTACT[name], restitution=0.5)

    def run():
        system = go.System([1.0, 1.0], [0.0, 0.0], contacts=[wall])
        return go.simulate(system, [start, 0.0], [-1.0, 0.1], (0.0, 2.0))

    with pytest.raises(go.GaussError, match="wall"):
        run()


@pytest.mark.parametrize("gap", [
    lambda q, t: q[0],
    lambda q, t: np.abs(q[0]) + 0.5,  # never reached: harmless
    lambda q, t: np.hypot(q[0], q[1]) - 0.2,
    lambda q, t: q[0] ** 2 + q[1] ** 2 - 0.04,
    lambda q, t: 0.5 - np.abs(q[1]),  # a strip that a body may not leave
])  # fmt: skip
def test_gaps_with_two_sides_are_not(gap):
    system = go.System([1.0, 1.0], [0.0, 0.0], contacts=[go.Contact("it", gap, 1.0)])
    assert go.simulate(system, [1.0, 0.1], [-1.0, 0.02], (0.0, 2.0)).success
