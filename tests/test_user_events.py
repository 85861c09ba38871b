"""User events: each zero is found once, and none is lost beside another event."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go


def event(function, direction=0, terminal=False):
    function.direction, function.terminal = direction, terminal
    return function


@pytest.mark.parametrize("rtol", [1e-3, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("direction", [-1, 0, 1])
def test_every_zero_is_found_once(rtol, direction):
    spring = go.System([1.0], lambda q, v, t: -q)
    zero = event(lambda q, v, t: q[0], direction)
    result = go.simulate(spring, [1.0], [0.0], (0, 40), rtol=rtol, events={"zero": zero})
    falling = np.pi / 2 + 2 * np.pi * np.arange(7)
    rising = falling[:6] + np.pi
    expected = {-1: falling, 1: rising, 0: np.sort([*falling, *rising])}[direction]
    expected = expected[expected < 40]
    assert len(result.events) == len(expected)
    assert_allclose([e.t for e in result.events], expected, atol=max(100 * rtol, 1e-9))
    words = {"falling"} if direction < 0 else {"rising"} if direction > 0 else {"falling", "rising"}
    assert {e.detail for e in result.events} == words


def test_two_user_events_at_one_time_are_both_recorded():
    fall = go.System([1.0], [-9.81])
    events = {"height": lambda q, v, t: q[0] - 0.5, "twice": lambda q, v, t: 1.0 - 2 * q[0]}
    result = go.simulate(fall, [1.0], [0.0], (0, 1), events=events)
    assert sorted(e.contacts for e in result.events) == [("height",), ("twice",)]
    assert_allclose([e.t for e in result.events], np.sqrt(1 / 9.81), rtol=1e-12)


def bouncing():
    floor = go.Contact("floor", lambda q, t: q[0], restitution=0.5)
    return go.System([1.0], [-9.81], contacts=[floor])


def test_user_event_at_the_time_of_an_impact_is_recorded_before_it():
    result = go.simulate(
        bouncing(), [1.0], [0.0], (0, 0.8), events={"ground": event(lambda q, v, t: q[0], -1)}
    )
    assert [e.kind for e in result.events] == ["user", "impact"]
    assert result.events[0].t == result.events[1].t
    assert result.events[0].v_after[0] < 0 < result.events[1].v_after[0]


def test_terminal_event_at_the_time_of_an_impact_ends_before_it():
    ground = event(lambda q, v, t: q[0], -1, terminal=True)
    result = go.simulate(bouncing(), [1.0], [0.0], (0, 0.8), events={"ground": ground})
    assert result.status == "terminated"
    assert_allclose(result.v[-1], -np.sqrt(2 * 9.81), rtol=1e-10)
    assert [e.kind for e in result.events] == ["user"]
