"""Infinitely many impacts in finite time: the limit is found, and what was bouncing rests."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go
from gauss_opt.simulation.event_driven.accumulation import Bounce, detect

G = 9.81


def ball(e, height=0.0, mass=1.0):
    return go.System(
        [mass], [-mass * G], contacts=[go.Contact("floor", lambda q, t: q[0] - height, e)]
    )


def limit_of(result):
    events = [event for event in result.events if event.kind == "accumulation"]
    assert len(events) == 1
    return events[0]


def check_no_fall(result, tolerance=1e-9):
    for gaps in result.gaps.values():
        assert gaps.min() >= -tolerance


@pytest.mark.parametrize("floor", [0.0, 10.0])
@pytest.mark.parametrize("e", [0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95])
def test_a_dropped_ball_comes_to_rest_at_the_exact_time(e, floor):
    exact = np.sqrt(2 / G) * (1 + e) / (1 - e)
    result = go.simulate(ball(e, floor), [floor + 1.0], [0.0], (0, exact + 1.0))
    event = limit_of(result)
    assert event.exact
    assert_allclose(event.t, exact, rtol=1e-9)
    check_no_fall(result)
    after = result.t > event.t
    assert_allclose(result.multipliers["floor"][after], G, rtol=1e-12)
    assert_allclose(result.q[after], floor, atol=1e-12 * (1 + floor))
    assert_allclose(result.v[after], 0.0, atol=1e-12)
    assert result.success


def test_the_lost_energy_is_all_that_was_there():
    result = go.simulate(ball(0.6, mass=3.0), [2.0], [0.0], (0, 4))
    assert_allclose(sum(event.energy_change for event in result.events), -3 * G * 2, rtol=1e-9)
    assert_allclose(result.energy.residual, 0.0, atol=1e-8)


def test_bounces_before_the_limit_are_all_there_and_in_time_order():
    e, result = 0.5, go.simulate(ball(0.5), [1.0], [0.0], (0, 3))
    fall = np.sqrt(2 / G)
    impacts = [event for event in result.events if event.kind == "impact"]
    exact = [fall * (1 + 2 * e * (1 - e**k) / (1 - e)) for k in range(len(impacts))]
    assert_allclose([event.t for event in impacts], exact, rtol=1e-10)
    times = [event.t for event in result.events]
    assert times == sorted(times)


@pytest.mark.parametrize("law", ["newton", "poisson", "sequential"])
def test_horizontal_speed_is_not_lost(law):
    system = go.System(
        [2.0, 2.0],
        [0.0, -2 * G],
        contacts=[go.Contact("floor", lambda q, t: q[1], 0.8)],
    )
    result = go.simulate(system, [0.0, 1.0], [3.0, 0.0], (0, 6), law=law)
    assert_allclose(limit_of(result).t, np.sqrt(2 / G) * 9, rtol=1e-9)
    assert_allclose(result.v[:, 0], 3.0, rtol=1e-12)
    assert_allclose(result.q[:, 0], 3.0 * result.t, rtol=1e-9)
    assert_allclose(result.multipliers["floor"][-1], 2 * G, rtol=1e-12)
    check_no_fall(result)


def test_a_ball_in_a_box_rests_on_the_floor_and_not_at_the_ceiling():
    system = go.System(
        [1.0],
        [-G],
        contacts=[
            go.Contact("floor", lambda q, t: q[0], 0.7),
            go.Contact("ceiling", lambda q, t: 1.0 - q[0], 0.7),
        ],
    )
    result = go.simulate(system, [0.5], [9.0], (0, 6))
    event = limit_of(result)
    assert event.contacts == ("floor",)
    assert "ceiling" in {name for e in result.events for name in e.contacts}
    assert_allclose(result.q[-1], 0.0, atol=1e-12)
    assert_allclose(result.multipliers["floor"][-1], G, rtol=1e-12)
    assert result.multipliers["ceiling"][-1] == 0.0
    check_no_fall(result)
    # From the last blow at the ceiling on, it is a ball thrown down.
    last = [e for e in result.events if "ceiling" in e.contacts][-1]
    u = float(last.v_after[0])
    fall = (np.sqrt(u * u + 2 * G) - abs(u)) / G
    hit = abs(u) + G * fall
    assert_allclose(event.t, last.t + fall + 2 * hit / G * 0.7 / 0.3, rtol=1e-9)


def rocking_block():
    """A block (height of its base, small angle) on two corners, stocky enough to rock."""
    b, inertia = 0.5, 0.5
    return go.System(
        [1.0, inertia],
        [-G, 0.0],
        contacts=[
            go.Contact("left", lambda q, t: q[0] - b * q[1], 0.0),
            go.Contact("right", lambda q, t: q[0] + b * q[1], 0.0),
        ],
    )


def test_two_corners_that_alternate_come_to_rest_together():
    result = go.simulate(rocking_block(), [0.05, 0.1], [0.0, 0.0], (0, 3))
    event = limit_of(result)
    assert set(event.contacts) == {"left", "right"}
    impacts = [e for e in result.events if e.kind == "impact"]
    struck = [e.contacts for e in impacts[:6]]
    assert all("right" in names for names in struck[0::2])
    assert all("left" in names for names in struck[1::2])
    # Rotation about a corner: it falls with a constant angular acceleration, the blow leaves a
    # constant share of the angular speed.
    b, inertia = 0.5, 0.5
    alpha = G * b / (inertia + b * b)
    keep = (inertia - b * b) / (inertia + b * b)
    first = np.sqrt(2 * 0.1 / alpha)
    assert_allclose(impacts[0].t, first, rtol=1e-9)
    assert_allclose(event.t, first * (1 + keep) / (1 - keep), rtol=1e-9)
    for name in ("left", "right"):
        assert_allclose(result.multipliers[name][-1], G / 2, rtol=1e-9)
    assert_allclose(result.v[-1], 0.0, atol=1e-12)
    check_no_fall(result)


def test_floor_and_string_in_turn_come_to_rest():
    """Two weights over a pulley by a one-way string: the heavy one falls on the floor."""
    m1, m2 = 2.0, 1.0
    system = go.System(
        [m1, m2],
        [-m1 * G, -m2 * G],
        contacts=[
            go.Contact("floor", lambda q, t: q[0], 0.0),
            go.Contact("string", lambda q, t: q[0] + q[1] - 1.0, 0.0),
        ],
    )
    result = go.simulate(system, [0.5, 0.5], [0.0, 0.0], (0, 20))
    event = limit_of(result)
    assert set(event.contacts) == {"floor", "string"}
    assert {name for e in result.events if e.kind == "impact" for name in e.contacts} == {
        "floor",
        "string",
    }
    # The weights meet the floor with u, m2 flies for 2 u / g and jerks m1 up with u m2 / (m1 + m2):
    # each cycle is a third of the one before, in speed and in time.
    fall = np.sqrt(2 * 0.5 / (G / 3))
    cycle = 2 * (G / 3) * fall / G + 2 * fall / 3
    assert_allclose(event.t, fall + cycle / (1 - 1 / 3), rtol=1e-9)
    assert_allclose(result.q[-1], [0.0, 1.0], atol=1e-9)
    assert_allclose(result.v[-1], 0.0, atol=1e-9)
    assert_allclose(result.multipliers["string"][-1], m2 * G, rtol=1e-9)
    assert_allclose(result.multipliers["floor"][-1], (m1 - m2) * G, rtol=1e-9)
    check_no_fall(result)


def test_a_column_of_two_balls_comes_to_rest_with_the_right_forces():
    system = go.System(
        [1.0, 0.5],
        [-G, -0.5 * G],
        contacts=[
            go.Contact("floor", lambda q, t: q[0], 0.3),
            go.Contact("between", lambda q, t: q[1] - q[0] - 0.2, 0.3),
        ],
    )
    result = go.simulate(system, [1.0, 1.5], [0.0, 0.0], (0, 4))
    assert result.success
    assert any(e.kind == "accumulation" for e in result.events)
    assert len(result.events) < 1000
    assert_allclose(result.q[-1], [0.0, 0.2], atol=1e-9)
    assert_allclose(result.v[-1], 0.0, atol=1e-9)
    assert_allclose(result.multipliers["floor"][-1], 1.5 * G, rtol=1e-9)
    assert_allclose(result.multipliers["between"][-1], 0.5 * G, rtol=1e-9)
    check_no_fall(result)


def test_an_elastic_ball_never_accumulates():
    result = go.simulate(ball(1.0), [1.0], [0.0], (0, 60))
    assert {event.kind for event in result.events} == {"impact"}
    assert_allclose(result.energy.kinetic[-1] + G * result.q[-1, 0], G, rtol=1e-7)
    period = 2 * np.sqrt(2 / G)
    assert len(result.events) == int((60 + period / 2) / period)


def test_a_ball_that_has_come_to_rest_is_thrown_up_by_a_later_force_and_rests_again():
    def force(q, v, t):
        return np.array([-G + (3 * G if 3.0 <= t < 3.1 else 0.0)])

    system = go.System([1.0], force, contacts=[go.Contact("floor", lambda q, t: q[0], 0.4)])
    result = go.simulate(system, [0.5], [0.0], (0, 8), breakpoints=[3.0, 3.1])
    kinds = [event.kind for event in result.events]
    assert kinds.count("accumulation") == 2
    assert kinds.count("release") == 1
    release = next(event for event in result.events if event.kind == "release")
    assert_allclose(release.t, 3.0, atol=1e-9)
    assert_allclose(result.multipliers["floor"][-1], G, rtol=1e-12)
    # thrown with 2 g for 0.1 s
    v, h = 2 * G * 0.1, G * 0.1**2
    flight = (v + np.sqrt(v * v + 2 * G * h)) / G
    hit = np.sqrt(v * v + 2 * G * h)
    assert_allclose(result.events[-1].t, 3.1 + flight + 2 * hit / G * 0.4 / 0.6, rtol=1e-9)


def test_the_limit_of_a_geometric_series_is_found_and_a_steady_rhythm_has_none():
    shrinking = [Bounce(2.0 - 0.5**k, frozenset({0}), 0.25**k) for k in range(20)]
    found = detect(shrinking, time_tolerance=1e-12, height=1e-6, round_off=1e-14)
    assert found.t == 2.0
    assert found.exact
    steady = [Bounce(float(k), frozenset({0}), 1e-9) for k in range(20)]
    assert detect(steady, time_tolerance=1e-12, height=1e-6, round_off=1e-14) is None


def test_round_off_closes_a_series_without_a_limit_and_says_so():
    noisy = [Bounce(1.0 + 1e-16 * k * (1 + k % 3), frozenset({0}), 1e-16) for k in range(20)]
    found = detect(noisy, time_tolerance=1e-30, height=1e-6, round_off=1e-15)
    assert found is not None
    assert not found.exact


def test_an_accumulation_of_accumulations_ends_with_everything_at_rest():
    """The weight on the floor bounces to rest before every jerk of the string."""
    system = go.System(
        [2.0, 1.0],
        [-2 * G, -G],
        contacts=[
            go.Contact("floor", lambda q, t: q[0], 0.5),
            go.Contact("string", lambda q, t: q[0] + q[1] - 1.0, 0.0),
        ],
    )
    result = go.simulate(system, [0.5, 0.5], [0.0, 0.0], (0, 4), max_events=3000)
    assert result.success
    assert_allclose(result.q[-1], [0.0, 1.0], atol=1e-8)
    assert_allclose(result.multipliers["string"][-1], G, rtol=1e-9)
    assert_allclose(result.multipliers["floor"][-1], G, rtol=1e-9)
    check_no_fall(result)
