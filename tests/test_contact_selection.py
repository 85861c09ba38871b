"""Which rows of a contact are in the problem, and whose force is reported."""

from __future__ import annotations

import numpy as np

import gauss_opt as go


def corner() -> go.System:
    """A particle between a wall and a floor, as one contact with two rows, and a far ceiling."""
    return go.System(
        [1.0, 1.0],
        [-1.0, -9.0],
        contacts=[
            go.Contact("corner", lambda q, t: np.array([q[0], q[1]])),
            go.Contact("ceiling", lambda q, t: 5.0 - q[1]),
        ],
    )


def test_a_row_that_does_not_touch_carries_no_force():
    answer = go.accelerate(corner(), [0.0, 1.0], [0.0, 0.0])
    np.testing.assert_allclose(answer.multipliers["corner"], [1.0, 0.0])
    np.testing.assert_allclose(answer.forces["corner"], [1.0, 0.0])
    assert answer.multipliers["ceiling"] == 0.0
    np.testing.assert_allclose(answer.acceleration, [0.0, -9.0])


def test_one_contact_may_be_given_by_its_name_alone():
    answer = go.accelerate(corner(), [0.0, 0.0], [0.0, 0.0], contacts="corner")
    np.testing.assert_allclose(answer.forces["corner"], [1.0, 9.0])


def test_a_contact_named_twice_is_in_the_problem_once():
    snapshot = go.evaluate(corner(), [0.0, 0.0], [0.0, 0.0])
    once = go.build_acceleration(snapshot, contacts=["ceiling"])
    twice = go.build_acceleration(snapshot, contacts=["ceiling", "ceiling", "ceiling"])
    assert once.names == twice.names == ("ceiling",)
