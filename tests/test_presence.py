"""Contacts that come into being and cease to be: ground in pieces, platforms, doors."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go

G = 9.81


def height(q, t):
    return q[1]


def ball(*contacts, force=(0.0, -G)):
    return go.System([1.0, 1.0], list(force), contacts=list(contacts))


def kinds(result):
    return [event.kind for event in result.events]


def two_floors(step):
    """One piece of ground up to x = 1, and one from there on, higher by ``step``."""
    left = go.Contact("left", height, active_when=lambda q, v, t: q[0] < 1.0)
    right = go.Contact("right", lambda q, t: q[1] - step, active_when=lambda q, v, t: q[0] >= 1.0)
    return ball(left, right)


def test_a_body_slides_from_one_piece_of_ground_to_the_next():
    result = go.simulate(two_floors(0.0), [0.0, 0.0], [2.0, 0.0], (0, 1))
    assert kinds(result) == ["release"]
    assert_allclose(result.events[0].t, 0.5, rtol=1e-12)
    assert_allclose(result.q[-1], [2.0, 0.0], atol=1e-12)
    assert_allclose(result.multipliers["left"][result.t < 0.4], G)
    assert_allclose(result.multipliers["right"][result.t > 0.6], G)


def test_a_step_up_is_refused_with_the_contact_and_how_far_the_body_is_behind_it():
    with pytest.raises(go.SimulationError, match=r"'right' is switched on at t = 0\.5 while its "
                       r"gap is -0\.2: .*passable=True") as caught:  # fmt: skip
        go.simulate(two_floors(0.2), [0.0, 0.0], [2.0, 0.0], (0, 1))
    assert_allclose(caught.value.result.t[-1], 0.5)


@pytest.mark.parametrize("first_step", [None, 0.3])
def test_a_floor_that_comes_back_above_a_body_gives_the_right_reason(first_step):
    """Off from t = 0.1 to 0.4: the block has fallen 0.5 g 0.3^2 = 0.44145 m by then."""
    floor = go.Contact("floor", height, active_when=lambda q, v, t: np.abs(t - 0.25) > 0.15)
    with pytest.raises(go.SimulationError, match=r"'floor' is switched on at t = 0\.4 .* -0\.441"):
        go.simulate(ball(floor), [0.0, 0.0], [0.0, 0.0], (0, 1), first_step=first_step)


def test_one_can_jump_on_a_platform_from_below():
    """Thrown up from y = -1 with 6 m/s: through at once, down on it with sqrt(36 - 2 g) m/s."""
    platform = go.Contact("platform", height, 0.5, passable=True)
    result = go.simulate(ball(platform), [0.0, -1.0], [0.0, 6.0], (0, 1.5))
    assert result.stats.sampled == {}
    speed = np.sqrt(36.0 - 2.0 * G)
    assert_allclose(result.events[0].t, (6.0 + speed) / G, rtol=1e-12)
    assert_allclose(result.events[0].v_after, [0.0, 0.5 * speed], rtol=1e-9)


def test_one_who_jumps_too_low_falls_again():
    platform = go.Contact("platform", height, 0.5, lambda q, v, t: v[1] < 0.0, passable=True)
    start = [0.0, -1.0], [0.0, 4.0]
    result = go.simulate(ball(platform), *start, (0, 1.5))
    assert result.events == ()
    assert_allclose(result.q[-1, 1], -1.0 + 4.0 * 1.5 - 0.5 * G * 1.5**2, rtol=1e-9)
    hidden = go.Contact("platform", height, 0.5, lambda q, v, t: v[1] < 0.0)
    with pytest.raises(go.SimulationError, match=r"switched on at t = 0\.40"):
        go.simulate(ball(hidden), *start, (0, 1.5))


def test_a_start_below_a_passable_platform_is_no_penetration():
    def start(passable):
        platform = go.Contact("platform", height, passable=passable)
        return ball(platform, force=(0.0, 8.0)), [0.0, -1.0], [0.0, -2.0], (0, 3)

    result = go.simulate(*start(True))
    assert result.events == ()
    assert_allclose(result.q[-1, 1], -1.0 - 2.0 * 3.0 + 4.0 * 9.0)
    with pytest.raises(go.InputError, match="'platform' is penetrated by 1"):
        go.simulate(*start(False))


def test_a_floor_that_begins_just_where_the_ball_is_stops_it():
    floor = go.Contact("floor", height, 0.5, active_when=lambda q, v, t: q[1] <= 0.0)
    result = go.simulate(ball(floor), [0.0, 1.0], [0.0, 0.0], (0, 0.6))
    assert kinds(result) == ["impact"]
    assert_allclose(result.events[0].t, np.sqrt(2.0 / G), rtol=1e-12)


def test_a_condition_of_time_that_cannot_be_traced_is_sampled_and_named():
    floor = go.Contact("floor", height, active_when=lambda q, v, t: bool(t < 0.5), passable=True)
    result = go.simulate(ball(floor), [0.0, 0.0], [0.0, 0.0], (0, 1), max_step=0.1)
    assert kinds(result) == ["release"]
    assert_allclose(result.events[0].t, 0.5, rtol=1e-9)
    assert_allclose(result.q[-1, 1], -0.5 * G * 0.25, rtol=1e-9)


def test_a_ball_that_passed_while_the_floor_was_off_stays_below_it():
    """Bounces at 0.1624 s, comes down at 0.3249 s; the floor is off from 0.1967 s to 0.3576 s."""
    w, phase, top = 19.534309, 5.581566, 0.129416
    floor = go.Contact("floor", height, 0.5, lambda q, v, t: np.sin(w * t + phase) > 0, True)
    result = go.simulate(ball(floor), [0.0, top], [0.0, 0.0], (0, 1.3))
    assert kinds(result) == ["impact"]
    hit = np.sqrt(2.0 * top / G)
    rest = 1.3 - hit
    assert_allclose(result.q[-1, 1], 0.5 * G * hit * rest - 0.5 * G * rest**2, rtol=1e-9)


def stairs(heights, restitution):
    """Pieces of ground one metre long, each at its height, with the last without end."""
    pieces = []
    for k, y in enumerate(heights):
        last = k == len(heights) - 1

        def there(q, v, t, k=k, last=last):
            return q[0] >= k if last else np.logical_and(q[0] >= k, q[0] < k + 1)

        pieces.append(go.Contact(f"step {k}", lambda q, t, y=y: q[1] - y, restitution, there))
    return ball(*pieces)


def by_hand(heights, speed, end):
    """Where a plastic body is that slides down stairs: the closed form, from edge to edge."""
    y, vy, x, t, rests = heights[0], 0.0, 0.0, 0.0, True
    while True:
        k = min(int(np.floor(x + 1e-12)), len(heights) - 1)
        edge = (k + 1 - x) / speed if k + 1 < len(heights) else np.inf
        if rests:
            step = min(edge, end - t)
        else:
            fall = (vy + np.sqrt(vy * vy + 2.0 * G * (y - heights[k]))) / G
            step = min(edge, fall, end - t)
            y, vy = y + vy * step - 0.5 * G * step**2, vy - G * step
            if step == fall:
                y, vy, rests = heights[k], 0.0, True
        x, t = x + speed * step, t + step
        if t >= end:
            return np.array([x, y])
        if step == edge:
            k = round(x)
            rests = rests and heights[k] == y


@pytest.mark.parametrize("seed", range(8))
def test_a_body_slides_down_stairs(seed):
    random = np.random.default_rng([707, seed])
    drops = random.choice([0.0, 0.02, 0.3, 1.0], size=6)
    heights = [0.0, *-np.cumsum(drops)]
    speed, end = random.uniform(0.5, 4.0), random.uniform(1.0, 5.0)
    result = go.simulate(stairs(heights, 0.0), [0.0, 0.0], [speed, 0.0], (0, end), rtol=1e-10)
    assert_allclose(result.q[-1], by_hand(heights, speed, end), rtol=1e-9, atol=1e-9)


def test_a_run_resumes_with_the_same_bits_while_a_contact_is_absent(tmp_path):
    system = stairs([0.0, -0.3, -0.3, -1.0], 0.4)
    scene = system, [0.0, 0.0], [1.0, 0.0], (0, 4)
    whole = go.simulate(*scene)
    path = tmp_path / "half.npz"
    for steps in range(5, whole.stats.steps, 7):
        part = go.simulate(
            *scene, checkpoint=path, checkpoint_every=1, max_steps=steps, throw=False
        )
        assert not part.success
        again = go.simulate(*scene, checkpoint=path, resume=True)
        assert_array_equal(again.q, whole.q)
        assert kinds(again) == kinds(whole)
        path.unlink()


@pytest.mark.parametrize("passable", [True, False])
def test_a_contact_that_begins_a_little_below_zero_lets_go_who_separates(passable):
    """The gap is -5e-11 when it begins, and grows: nothing happens until the ball comes back."""
    floor = go.Contact(
        "floor", lambda q, t: q[1], 0.5, lambda q, v, t: q[0] >= 0.1, passable=passable
    )
    ball = go.System([1.0, 1.0], [0.0, -9.81], contacts=[floor])
    up = 2.0
    start = [0.0, -0.1 * up + 0.5 * 9.81 * 0.1**2 - 5e-11]
    run = go.simulate(ball, start, [1.0, up], (0.0, 0.5))
    assert run.success
    assert run.stats.steps < 20
    landing = next(event for event in run.events if event.kind == "impact")
    assert landing.t == pytest.approx(0.1 + 2.0 * (up - 9.81 * 0.1) / 9.81, abs=1e-9)
    speed = np.sqrt(up**2 - 2 * 9.81 * (0.0 - start[1]))
    assert landing.v_before[1] == pytest.approx(-speed, rel=1e-9)
