"""The first zero inside a step, on functions whose zeros are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import brentq

import gauss_opt as go
from gauss_opt.base.sign_change import sign_change
from gauss_opt.simulation.event_driven.roots import first_crossing, first_sign_change

UNIT = np.array([0.0, 1.0])


def crossing(gap, rate, times=UNIT, noise=1e-15, leaving=False):
    """The first crossing of a gap that is known with its rate."""
    times = np.asarray(times, dtype=float)
    samples = [np.array([function(t) for t in times.tolist()]) for function in (gap, rate)]
    return first_crossing(
        times, *samples, lambda t: (gap(t), rate(t)), noise=noise, leaving=leaving
    )


def polynomial(*roots):
    """The polynomial with these roots that is positive before the first, and its derivative."""
    p = np.polynomial.Polynomial.fromroots(roots) * (-1.0) ** len(roots)
    return p, p.deriv()


# Gaps that are open at first


def test_a_gap_that_stays_open_has_no_crossing():
    assert crossing(lambda t: 1.0 + t, lambda t: 1.0) is None
    assert crossing(lambda t: 1.0 - 0.5 * t, lambda t: -0.5) is None


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("root", [1e-9, 1e-3, 1.0 / 3.0, 0.7, 1.0 - 1e-9])
def test_a_crossing_is_found_to_the_last_digits(root, scale):
    found = crossing(lambda t: scale * (root - t), lambda t: -scale, noise=1e-15 * scale)
    assert not found.graze
    assert_allclose(found.t, root, rtol=1e-15)


@settings(max_examples=200, deadline=None)
@given(st.floats(1e-6, 1e6), st.floats(0.01, 0.99), st.floats(-3.0, 3.0), st.floats(0.1, 10.0))
def test_a_falling_gap_crosses_where_its_logarithm_says(rate, share, offset, span):
    """exp(-k (t - r)) - 1 has its only zero at r, at any steepness."""
    k, r = rate / span / (1.0 + rate), offset + share * span
    found = crossing(
        lambda t: np.expm1(-k * (t - r)),
        lambda t: -k * np.exp(-k * (t - r)),
        [offset, offset + span],
    )
    assert abs(found.t - r) <= 1e-15 * max(abs(offset), abs(offset + span), span) * 4


@pytest.mark.parametrize("seed", range(20))
def test_the_first_of_two_crossings_within_one_interval_is_found(seed):
    low, high = np.sort(np.random.default_rng(seed).uniform(0.02, 0.98, 2))
    found = crossing(*polynomial(low, high))
    assert not found.graze
    assert_allclose(found.t, low, rtol=1e-13)


@pytest.mark.parametrize("seed", range(20))
def test_the_first_of_three_crossings_is_found_with_a_sample_between_the_last_two(seed):
    rng = np.random.default_rng(seed)
    roots = np.sort(rng.uniform(0.05, 0.95, 3))
    for more in (0, 1, 5, 12):
        times = np.sort([0.0, roots[1:].mean(), *rng.uniform(0, 1, more), 1.0])
        assert_allclose(crossing(*polynomial(*roots), times).t, roots[0], rtol=1e-11)


def test_the_first_of_three_crossings_within_one_interval_is_found():
    assert_allclose(crossing(*polynomial(0.3, 0.4, 0.9)).t, 0.3, rtol=1e-12)
    assert_allclose(crossing(*polynomial(0.1, 0.5, 0.6)).t, 0.1, rtol=1e-12)


@pytest.mark.parametrize("apart", [0.2, 0.08])
def test_a_ball_hits_the_floor_where_it_would_pass_it_three_times(apart):
    """Its height without the floor would be (r1 - t) (r2 - t) (r3 - t)."""
    height, speed = polynomial(0.51, 0.51 + 0.75 * apart, 0.51 + apart)
    ball = go.System(
        [1.0],
        lambda q, v, t: np.array([6.0 * (0.51 + 1.75 * apart / 3 - t)]),
        contacts=[go.Contact("floor", lambda q, t: q[0])],
    )
    result = go.simulate(ball, [height(0.0)], [speed(0.0)], (0, 1), first_step=1.0)
    assert_allclose(result.events[0].t, 0.51, rtol=1e-9)


@pytest.mark.parametrize("depth", [1e-12, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("centre", [0.013, 0.4, 0.5, 0.987])
def test_a_dip_between_two_samples_is_found_however_shallow(centre, depth):
    found = crossing(lambda t: (t - centre) ** 2 - depth**2, lambda t: 2 * (t - centre), noise=0.0)
    assert not found.graze
    assert_allclose(found.t, centre - depth, rtol=0, atol=1e-15 / depth)


@pytest.mark.parametrize("centre", [0.01, 0.3, 0.5, 0.99])
def test_a_touch_is_a_graze_and_a_near_miss_is_nothing(centre):
    def shifted(height):
        gap = lambda t: (t - centre) ** 2 + height  # noqa: E731
        return crossing(gap, lambda t: 2 * (t - centre), noise=1e-15)

    assert shifted(0.0).graze
    assert_allclose(shifted(0.0).t, centre, rtol=1e-15)
    assert shifted(5e-13).graze  # noise, times what counts as touching
    assert shifted(-5e-13).graze
    assert shifted(2e-12) is None
    assert not shifted(-2e-12).graze


def test_a_steep_dip_that_its_tangents_rule_out_costs_no_evaluation():
    def never(t):
        raise AssertionError("evaluated")

    times, gaps, rates = UNIT, np.array([1.0, 1.0]), np.array([-1.0, 1.0])
    assert first_crossing(times, gaps, rates, never, noise=1e-15, leaving=False) is None


def test_a_gap_that_is_below_zero_from_the_start_crosses_at_the_start():
    assert crossing(lambda t: -0.1 - t, lambda t: -1.0).t == 0.0
    assert crossing(lambda t: -1e-18 - t, lambda t: -1.0).t == 0.0


def test_a_zero_at_a_sample_is_found_once_and_exactly():
    found = crossing(lambda t: 0.5 - t, lambda t: -1.0, [0.0, 0.25, 0.5, 0.75, 1.0])
    assert found.t == 0.5
    assert not found.graze


def test_a_touch_at_a_sample_is_found():
    found = crossing(lambda t: (t - 0.5) ** 2, lambda t: 2 * (t - 0.5), [0.0, 0.5, 1.0])
    assert found is None or found.t == 0.5
    around = crossing(lambda t: (t - 0.5) ** 2, lambda t: 2 * (t - 0.5), [0.0, 0.4, 0.6, 1.0])
    assert around.graze
    assert around.t == 0.5


@pytest.mark.parametrize("sign", [-1.0, 1.0])
def test_noise_at_the_end_of_the_step_is_a_crossing_only_below_zero(sign):
    end = sign * 1e-17
    found = crossing(lambda t: (1.0 - t) + end, lambda t: -1.0)
    if sign > 0:
        assert found is None
    else:
        assert_allclose(found.t, 1.0, rtol=1e-15)


# Contacts that separate from zero


@pytest.mark.parametrize("speed", [1e-12, 1e-6, 1e-3, 1.0, 1e6])
def test_a_contact_that_leaves_with_a_speed_comes_back_after_its_flight(speed):
    flight = 2 * speed
    for span in (1.5 * flight, 10 * flight, 1e3 * flight):
        found = crossing(
            lambda t: speed * t - t * t / 2,
            lambda t: speed - t,
            [0.0, span],
            noise=1e-15 * speed * speed,
            leaving=True,
        )
        assert_allclose(found.t, flight, rtol=1e-14)


def test_a_contact_that_leaves_and_does_not_come_back_has_no_crossing():
    assert crossing(lambda t: t, lambda t: 1.0, leaving=True) is None
    assert crossing(lambda t: t * t, lambda t: 2 * t, leaving=True) is None
    assert crossing(lambda t: t - t * t / 3, lambda t: 1 - 2 * t / 3, leaving=True) is None


@pytest.mark.parametrize("back", [1e-6, 1e-3, 0.1, 0.5, 0.9])
def test_a_contact_that_leaves_by_its_acceleration_alone_comes_back(back):
    """t^2 (back - t): its rate at the start is zero."""
    found = crossing(
        lambda t: t * t * (back - t), lambda t: t * (2 * back - 3 * t), leaving=True, noise=1e-30
    )
    assert_allclose(found.t, back, rtol=1e-14)


def test_a_contact_that_leaves_from_somewhat_below_zero_has_left():
    below = 1e-17
    found = crossing(lambda t: t - below, lambda t: 1.0, leaving=True)
    assert found is None


def test_a_contact_that_leaves_and_only_falls_has_come_back_at_once():
    assert crossing(lambda t: -t * t, lambda t: -2 * t, leaving=True).t == 0.0


def test_a_contact_that_stays_within_the_noise_has_no_crossing():
    assert crossing(lambda t: -1e-17 * t, lambda t: -1e-17, leaving=True) is None
    assert crossing(lambda t: 0.0, lambda t: 0.0, leaving=True) is None


def test_a_contact_said_to_leave_that_is_well_open_is_searched_like_any_other():
    """Other events may have come since it separated."""
    found = crossing(*polynomial(0.3, 0.6), leaving=True)
    assert_allclose(found.t, 0.3, rtol=1e-14)


def test_the_return_is_found_in_a_later_interval():
    times = np.linspace(0.0, 1.0, 12)
    found = crossing(
        lambda t: 0.4 * t - t * t / 2, lambda t: 0.4 - t, times, noise=1e-15, leaving=True
    )
    assert_allclose(found.t, 0.8, rtol=1e-14)


@pytest.mark.parametrize("back", [0.3, 0.1, 0.01])
def test_a_contact_that_leaves_comes_back_and_leaves_again_within_one_interval(back):
    gap = lambda t: t * (t - back) * (t - 2 * back)  # noqa: E731
    rate = lambda t: 3 * t * t - 6 * back * t + 2 * back * back  # noqa: E731
    found = crossing(gap, rate, leaving=True)
    assert_allclose(found.t, back, rtol=1e-12)


@pytest.mark.parametrize(
    ("back", "first_step"),
    [
        (0.1, 1.0),
        (0.02, 1.0),
        (0.01, 1.0),
        (0.01, None),
    ],
)
def test_a_ball_thrown_up_that_comes_back_at_once_hits_the_floor(back, first_step):
    """Its height without the floor would be t (t - back) (t - 2 back)."""
    ball = go.System(
        [1.0],
        lambda q, v, t, back: np.array([6.0 * (t - back)]),
        contacts=[go.Contact("floor", lambda q, t: q[0], restitution=1.0)],
        parameters={"back": back},
    )
    result = go.simulate(ball, [0.0], [2 * back**2], (0, 1), first_step=first_step)
    assert [event.kind for event in result.events] == ["impact"]
    assert_allclose(result.events[0].t, back, rtol=1e-9)


# Changes of sign


def change(function, times, direction=0):
    times = np.asarray(times, dtype=float)
    return first_sign_change(
        times, np.array([function(t) for t in times.tolist()]), function, direction
    )


@settings(max_examples=200, deadline=None)
@given(st.floats(-1e3, 1e3), st.floats(0.01, 0.99), st.floats(1e-6, 1e3), st.booleans())
def test_a_change_of_sign_is_found_to_the_last_digits(start, share, span, rising):
    zero = start + share * span
    sign = 1.0 if rising else -1.0
    found = change(lambda t: sign * np.sinh((t - zero) / span), [start, start + span])
    assert abs(found - zero) <= 2e-15 * max(abs(start), abs(start + span))


@pytest.mark.parametrize(("direction", "exact"), [(0, np.pi), (-1, np.pi), (1, 2 * np.pi)])
def test_the_direction_chooses_among_the_changes(direction, exact):
    times = np.linspace(0.1, 10.0, 14)
    assert_allclose(change(np.sin, times, direction), exact, rtol=1e-15)


def test_without_a_change_of_sign_there_is_none():
    assert change(lambda t: 1.0 + t * t, [-1.0, 0.0, 1.0]) is None
    assert change(np.sin, [0.1, 3.0], 1) is None
    assert change(lambda t: t, [-1.0, 1.0], -1) is None


def test_a_zero_at_a_sample_is_that_sample_and_is_found_once():
    assert change(lambda t: t, [-1.0, 0.0, 1.0]) == 0.0
    assert change(lambda t: t, [-1.0, 0.0, 1.0], 1) == 0.0
    assert change(lambda t: t, [-1.0, 0.0, 1.0], -1) is None


def test_a_zero_at_the_first_sample_is_not_a_change():
    assert change(lambda t: t, [0.0, 1.0]) is None
    assert change(lambda t: -t, [0.0, 1.0]) is None


def test_a_sample_that_has_the_other_sign_when_asked_again_is_the_zero():
    """Evaluated anew, a value next to zero may be off by round-off."""
    times, values = np.array([0.0, 1.0]), np.array([-1e-17, 1.0])
    assert first_sign_change(times, values, lambda t: t + 1e-17) == 0.0
    values = np.array([1.0, -1e-17])
    assert first_sign_change(times, values, lambda t: 1.0 - t + 1e-17) == 1.0


@pytest.mark.parametrize("power", [3, 5, 7])
@pytest.mark.parametrize("zero", [0.0, 0.1, 1.0, 1e3])
def test_a_flat_change_of_sign_is_found(zero, power):
    found = change(lambda t: (t - zero) ** power, [zero - 1.0, zero + 0.7])
    assert abs(found - zero) <= 1e-4


@pytest.mark.parametrize("zero", [1e-3, 0.3, -0.7, 0.0])
def test_a_jump_from_one_sign_to_the_other_is_found(zero):
    found = change(lambda t: 1.0 if t >= zero else -1.0, [-1.0, 1.3])
    assert_allclose(found, zero, rtol=1e-15, atol=1e-300)


SHAPES = {
    "straight": lambda x: x,
    "bent": lambda x: x + 0.3 * x * x,
    "steep": lambda x: np.expm1(4.0 * x),
    "wave": lambda x: np.sin(2.0 * x),
    "cubic": lambda x: x**3,
    "jump": lambda x: np.sign(x) or 1.0,
    "kink": lambda x: max(x, 0.01 * x),
}


@pytest.mark.parametrize("sign", [-1.0, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_change_of_sign_is_given_from_its_far_side(shape, sign):
    """So that what lets go there has its new sign, and never the last float of the old one."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        start, span, share = rng.uniform(-3, 3), 10.0 ** rng.uniform(-6, 2), rng.uniform(0.01, 0.99)
        zero = start + share * span

        def function(t, zero=zero, span=span):
            return float(sign * SHAPES[shape]((t - zero) / span))

        found = change(function, [start, start + span])
        assert start < found <= start + span
        assert sign * function(found) >= 0.0
        assert abs(found - zero) <= (1e-5 * span if shape == "cubic" else 1e-15 * (3 + span))


@pytest.mark.parametrize("shape", ["straight", "bent", "steep", "wave"])
def test_a_change_of_sign_costs_less_than_with_brents_method(shape):
    rng = np.random.default_rng(5)
    ours = theirs = 0
    for _ in range(50):
        start, share = rng.uniform(-3, 3), rng.uniform(0.01, 0.99)
        asked = []

        def function(t, start=start, share=share, asked=asked):
            asked.append(t)
            return float(SHAPES[shape](t - start - share))

        change(function, [start, start + 1.0])
        ours += len(asked) - 2  # the samples are known
        asked.clear()
        brentq(function, start, start + 1.0, xtol=1e-300, rtol=1e-15)
        theirs += len(asked)
    assert ours <= theirs


def test_no_function_keeps_the_search_from_its_end():
    rng = np.random.default_rng(7)
    calls = []

    def wild(t):
        calls.append(t)
        return float(rng.normal())

    for _ in range(50):
        found = sign_change(wild, 0.0, 1.0, -1.0, 1.0)
        assert 0.0 <= found <= 1.0
    assert len(calls) <= 50 * 300
    assert sign_change(wild, 1.0, 1.0, -1.0, 1.0) == 1.0
    tiny = sign_change(lambda t: 1e-200 * (t - 0.3), 0.0, 1.0, -0.3e-200, 0.7e-200)
    assert_allclose(tiny, 0.3, rtol=1e-15)


def cube(q, v, t):
    return q[0] ** 3


def jump(q, v, t):
    return 1.0 if q[0] > 0.0 else -1.0


@pytest.mark.parametrize(
    ("function", "start"),
    [
        (cube, 0.0),
        (cube, -1.0),
        (jump, 0.0),
        (jump, -1.0),
    ],
)
def test_a_user_event_with_a_flat_zero_or_a_jump_is_found(function, start):
    body = go.System([1.0], [0.0])
    result = go.simulate(body, [-1.0], [1.0], (start, start + 1.7), events={"passing": function})
    assert_allclose([event.t for event in result.events], start + 1.0, atol=1e-4)


def test_a_motion_that_touches_to_fourth_order_grazes():
    def power(t):  # y = t^4, a body that is driven so
        return go.Servo("drive", lambda q, t: q[0] - t**4, frequency=10.0)

    floor = go.Contact("floor", lambda q, t: q[0])
    body = go.System([1.0], [0.0], [power(0.0)], [floor])
    result = go.simulate(body, [1.0], [-4.0], (-1, 0.7))
    assert {event.kind for event in result.events} <= {"graze"}
    assert_allclose(result.q[-1], 0.7**4, rtol=1e-7)
