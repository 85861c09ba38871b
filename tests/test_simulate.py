"""Contact, impact and release along a motion: nothing missed, nothing invented."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go

G = 9.81


def kinds(result):
    return [event.kind for event in result.events]


def of_kind(result, kind):
    return [event for event in result.events if event.kind == kind]


def test_a_contact_stays_closed_after_bouncing_and_opens_when_a_later_force_lifts_it():
    def force(q, v, t):
        return np.array([-2 * G + 10.0 * t])

    system = go.System([2.0], force, contacts=[go.Contact("floor", lambda q, t: q[0], 0.2)])
    result = go.simulate(system, [0.1], [0.0], (0, 3))
    closed = of_kind(result, "accumulation")[0]
    (release,) = of_kind(result, "release")
    assert_allclose(release.t, 2 * G / 10.0, rtol=1e-9)
    resting = (result.t > closed.t) & (result.t < release.t)
    assert resting.any()
    assert_allclose(result.multipliers["floor"][resting], 2 * G - 10 * result.t[resting], rtol=1e-9)
    assert_allclose(result.gaps["floor"][resting], 0.0, atol=1e-12)
    flight = 3 - release.t
    assert_allclose(result.q[-1, 0], 10.0 / 2.0 * flight**3 / 6, rtol=1e-7)


def test_a_ball_at_rest_presses_with_its_weight_and_nothing_happens():
    system = go.System([2.0], [-2 * G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    result = go.simulate(system, [0.0], [0.0], (0, 10))
    assert result.events == ()
    assert_allclose(result.multipliers["floor"], 2 * G, rtol=1e-13)
    assert_allclose(result.q, 0.0, atol=1e-14)


def three_balls(order):
    heights = [("a", 0), ("b", 1), ("c", 2)]
    contacts = [
        go.Contact(name, lambda q, t, i=i: q[i] - 0.1 * i, 0.4 + 0.1 * i) for name, i in heights
    ]
    contacts.append(go.Contact("wall", lambda q, t: 5.0 - q[3], 0.9))
    return go.System(
        [1.0, 2.0, 3.0, 1.0],
        [-G, -2 * G, -3 * G, 0.0],
        constraints=[go.Holonomic("tie", lambda q, t: q[0] - q[1] + 0.1)],
        contacts=[contacts[i] for i in order],
    )


@pytest.mark.parametrize("law", ["newton", "poisson", "sequential"])
def test_simultaneous_impacts_are_one_event_whatever_the_order_of_contacts(law):
    start = [1.0, 1.1, 1.2, 0.0], [0.0, 0.0, 0.0, 2.0]
    results = [
        go.simulate(three_balls(order), *start, (0, 1.0), law=law)
        for order in [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)]
    ]
    first = results[0].events[0]
    assert set(first.contacts) == {"a", "b", "c"}
    assert_allclose(first.t, np.sqrt(2 / G), rtol=1e-12)
    for other in results[1:]:
        assert kinds(other) == kinds(results[0])
        for mine, theirs in zip(results[0].events, other.events, strict=True):
            assert set(mine.contacts) == set(theirs.contacts)
            assert_allclose(theirs.t, mine.t, rtol=1e-12)
            assert_allclose(theirs.v_after, mine.v_after, atol=1e-12)
        assert_allclose(other.q[-1], results[0].q[-1], atol=1e-12)


def bumps(e=1.0):
    """A ball that flies over a row of bumps: the gap dips and comes back."""
    return go.System(
        [1.0, 1.0],
        None,
        contacts=[go.Contact("bumps", lambda q, t: q[1] - 1e-2 * np.cos(q[0]) ** 40, e)],
    )


@pytest.mark.parametrize("method", ["DOP853", "RK45", "RK23"])
def test_a_dip_that_comes_and_goes_within_one_step_is_found(method):
    """A free flight is exact in one step of any size; the bump is passed within a tenth of it."""
    result = go.simulate(
        bumps(),
        [-1.0, 0.005],
        [1.0, 0.0],
        (0, 1.0),
        rtol=0.1,
        first_step=1.0,
        method=method,
    )
    assert kinds(result)[0] == "impact"
    exact = 1.0 - np.arccos(0.5 ** (1 / 40))
    assert_allclose(result.events[0].t, exact, rtol=1e-9)
    assert result.gaps["bumps"].min() >= -1e-9


def test_the_first_of_two_dips_within_one_step_is_found():
    centre = np.array([3.0, 7.0])
    system = go.System(
        [1.0],
        None,
        contacts=[
            go.Contact(
                "posts",
                lambda q, t: 1.0 - 1.5 * np.exp(-8.0 * (q[0] - 3.0) ** 2)
                - 1.5 * np.exp(-8.0 * (q[0] - 7.0) ** 2),
                1.0,
            )
        ],
    )  # fmt: skip
    result = go.simulate(system, [0.0], [1.0], (0, 10), rtol=0.1, first_step=10.0)
    assert_allclose(result.events[0].t, centre[0] - np.sqrt(np.log(1.5) / 8.0), rtol=1e-9)
    assert result.q[-1, 0] < 0.0
    fast = go.simulate(system, [10.0], [-1.0], (0, 10), rtol=0.1, first_step=10.0)
    assert_allclose(fast.events[0].t, 3.0 - np.sqrt(np.log(1.5) / 8.0), rtol=1e-9)


@pytest.mark.parametrize("speed", [1e2, 1e4, 1e6])
def test_a_fast_light_body_does_not_pass_a_thin_wall(speed):
    wall, thickness = 10.0, 0.05

    def gap(q, t):
        return (q[0] - wall) ** 2 / (2 * thickness) - thickness / 2

    system = go.System([1e-6], None, contacts=[go.Contact("wall", gap, 1.0)])
    result = go.simulate(system, [0.0], [speed], (0, 1.0))
    assert kinds(result) == ["impact"]
    assert_allclose(result.events[0].t, (wall - thickness) / speed, rtol=1e-9)
    assert result.q.max() <= wall - thickness + 1e-9
    assert_allclose(result.v[-1], -speed, rtol=1e-9)


def test_grazing_is_an_event_without_a_jump():
    system = go.System(
        [1.0, 1.0],
        [0.0, 2.0],
        contacts=[go.Contact("floor", lambda q, t: q[1], 0.5)],
    )
    result = go.simulate(system, [0.0, 1.0], [1.0, -2.0], (0, 3))
    assert kinds(result) == ["graze"]
    (graze,) = result.events
    assert_allclose(graze.t, 1.0, rtol=1e-6)
    assert_array_equal(graze.v_before, graze.v_after)
    assert_allclose(result.q[-1], [3.0, 4.0], rtol=1e-9)
    assert result.gaps["floor"].min() >= -1e-12


def test_a_near_miss_is_no_event():
    system = go.System([1.0], [2.0], contacts=[go.Contact("floor", lambda q, t: q[0] + 1e-9)])
    result = go.simulate(system, [1.0], [-2.0], (0, 3))
    assert result.events == ()


def test_a_bead_leaves_a_sphere_where_its_force_vanishes():
    """Down a smooth sphere of radius 1 from the top: it leaves at cos(angle) = 2/3."""
    system = go.System(
        [1.0, 1.0],
        [0.0, -G],
        contacts=[go.Contact("sphere", lambda q, t: np.sqrt(q[0] ** 2 + q[1] ** 2) - 1.0)],
        potential=lambda q, t: G * q[1],
    )
    a = 0.1
    result = go.simulate(system, [np.sin(a), np.cos(a)], [0.0, 0.0], (0, 1.5))
    (release,) = result.events
    assert release.kind == "release"
    assert_allclose(release.q[1], 2 * np.cos(a) / 3, rtol=1e-7)
    assert_allclose(result.energy.total, result.energy.total[0], rtol=1e-8)
    flying = result.t > release.t
    assert_array_equal(result.multipliers["sphere"][flying], 0.0)
    assert result.gaps["sphere"].min() >= -1e-12


def test_a_velocity_limit_switches_on_and_off():
    """A cart driven by 10 cos t may go no faster than 3."""
    system = go.System(
        [1.0],
        lambda q, v, t: np.array([10 * np.cos(t)]),
        constraints=[go.VelocityLimit("governor", lambda q, v, t: 3.0 - v[0])],
    )
    result = go.simulate(system, [0.0], [0.0], (0, 3))
    assert [(e.kind, e.detail) for e in result.events] == [("limit", "on"), ("limit", "off")]
    on, off = result.events
    assert_allclose(on.t, np.arcsin(0.3), rtol=1e-9)
    assert_allclose(off.t, np.pi / 2, rtol=1e-9)
    assert result.v.max() <= 3.0 + 1e-9
    held = (result.t > on.t) & (result.t < off.t)
    assert_allclose(result.multipliers["governor"][held], 10 * np.cos(result.t[held]), rtol=1e-9)
    assert_allclose(result.v[-1, 0], 3.0 + 10 * (np.sin(3) - 1), rtol=1e-8)


def test_an_impact_respects_a_velocity_limit():
    """A slope throws the ball sideways faster than allowed: the limit pushes in the same blow."""
    system = go.System(
        [1.0, 1.0],
        [0.0, -G],
        constraints=[go.VelocityLimit("governor", lambda q, v, t: 1.0 - v[0])],
        contacts=[go.Contact("slope", lambda q, t: (q[0] + q[1]) / np.sqrt(2), 0.9)],
    )
    result = go.simulate(system, [0.0, 1.0], [0.0, 0.0], (0, 0.6))
    impact = result.events[0]
    assert_allclose(impact.v_after[0], 1.0, rtol=1e-12)
    assert_allclose(impact.v_after.sum(), 0.9 * np.sqrt(2 * G), rtol=1e-9)
    assert impact.impulses["governor"] > 0.0
    assert result.v[:, 0].max() <= 1.0 + 1e-9


def test_a_contact_that_is_switched_off_lets_a_body_pass():
    def system(active):
        return go.System(
            [1.0, 1.0],
            [0.0, -G],
            contacts=[go.Contact("table", lambda q, t: q[1], 0.5, active_when=active)],
        )

    start = [0.0, 1.0], [2.0, 0.0]
    missed = go.simulate(system(lambda q, v, t: q[0] < 0.5), *start, (0, 1))
    assert missed.events == ()
    assert_allclose(missed.q[-1, 1], 1 - G / 2, rtol=1e-9)
    hit = go.simulate(system(lambda q, v, t: q[0] < 1.0), *start, (0, 0.5))
    assert kinds(hit) == ["impact"]


def test_a_ball_rolls_off_a_table_that_ends():
    system = go.System(
        [1.0, 1.0],
        [0.0, -G],
        contacts=[
            go.Contact("table", lambda q, t: q[1], 0.5, active_when=lambda q, v, t: q[0] < 1.0)
        ],
    )
    result = go.simulate(system, [0.0, 0.0], [2.0, 0.0], (0, 1))
    assert_allclose(result.q[-1], [2.0, -G / 2 * 0.5**2], rtol=1e-6)
    assert kinds(result) == ["release"]
    assert_allclose(result.events[0].t, 0.5, rtol=1e-9)
