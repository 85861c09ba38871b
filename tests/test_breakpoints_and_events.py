"""Breakpoints, user events and velocity limits while contacts rest, bounce and let go."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

G = 9.81


def kinds(result):
    return [event.kind for event in result.events]


def ball(force=None, e=0.5):
    floor = go.Contact("floor", lambda q, t: q[0], e)
    return go.System([1.0], [-G] if force is None else force, contacts=[floor])


# Breakpoints


def lifted(times_weight, strict):
    """A ball at rest; from t = 1 on a force of so many times its weight lifts it."""

    def force(q, v, t):
        on = t > 1.0 if strict else t >= 1.0
        return np.array([(times_weight - 1.0) * G if on else -G])

    return go.simulate(ball(force), [0.0], [0.0], (0, 2), breakpoints=[1.0])


@pytest.mark.parametrize(
    ("times_weight", "strict"),
    [
        (1.1, False),
        (1.5, False),
        (2.0, False),
        (3.0, False),
        (10.0, False),
        (1.1, True),
        (2.0, True),
        (3.0, True),
        (10.0, True),
    ],
)
def test_a_force_that_sets_in_at_a_breakpoint_lifts_a_resting_ball(times_weight, strict):
    result = lifted(times_weight, strict)
    assert kinds(result) == ["release"]
    assert_allclose(result.events[0].t, 1.0, rtol=1e-12)
    assert_allclose(result.q[-1], (times_weight - 1.0) * G / 2, rtol=1e-9)


def test_a_force_that_sets_in_at_a_breakpoint_lifts_a_pile():
    def force(q, v, t):
        return np.array([4.0 * G if t >= 1.0 else -G, -G])

    pile = go.System(
        [1.0, 1.0],
        force,
        contacts=[
            go.Contact("floor", lambda q, t: q[0]),
            go.Contact("between", lambda q, t: q[1] - q[0] - 1.0),
        ],
    )
    result = go.simulate(pile, [0.0, 1.0], [0.0, 0.0], (0, 2), breakpoints=[1.0])
    assert [(e.kind, e.contacts) for e in result.events] == [("release", ("floor",))]
    assert_allclose(result.q[-1], [0.75 * G, 1.0 + 0.75 * G], rtol=1e-9)


def test_a_force_that_turns_round_at_a_breakpoint_takes_a_body_off_its_velocity_limit():
    cart = go.System(
        [1.0],
        lambda q, v, t: np.array([10.0 if t < 1.0 else -10.0]),
        constraints=[go.VelocityLimit("governor", lambda q, v, t: 3.0 - v[0])],
    )
    result = go.simulate(cart, [0.0], [0.0], (0, 2), breakpoints=[1.0])
    assert [event.detail for event in result.events] == ["on", "off"]
    assert_allclose([event.t for event in result.events], [0.3, 1.0], rtol=1e-9)
    assert_allclose(result.v[-1], -7.0, rtol=1e-9)


@pytest.mark.parametrize("strict", [False, True])
def test_a_force_that_does_not_lift_a_ball_changes_nothing_but_the_pressure(strict):
    result = lifted(0.5, strict)
    assert kinds(result) == []
    assert_allclose(result.q, 0.0, atol=1e-14)
    before, after = result.t < 1.0, result.t > 1.0
    assert_allclose(result.multipliers["floor"][before], G, rtol=1e-12)
    assert_allclose(result.multipliers["floor"][after], G / 2, rtol=1e-12)
    assert (result.t == 1.0).any()


def test_a_breakpoint_in_flight_changes_nothing():
    plain = go.simulate(ball(), [1.0], [0.0], (0, 2))
    broken = go.simulate(ball(), [1.0], [0.0], (0, 2), breakpoints=np.linspace(0.1, 1.9, 17))
    ends = [[e for e in run.events if e.kind == "accumulation"] for run in (plain, broken)]
    assert_allclose(ends[1][0].t, ends[0][0].t, rtol=1e-9)
    first = [[e.t for e in run.events[:8]] for run in (plain, broken)]
    assert_allclose(first[1], first[0], rtol=1e-11)


def test_a_breakpoint_at_an_impact_changes_nothing():
    hit = float(np.sqrt(2 / G))
    for t in (hit, np.nextafter(hit, 0), np.nextafter(hit, 9)):
        result = go.simulate(ball(), [1.0], [0.0], (0, 0.7), breakpoints=[t])
        assert kinds(result) == ["impact"]
        assert_allclose(result.events[0].t, hit, rtol=1e-12)
        assert_allclose(result.events[0].v_after, 0.5 * G * hit, rtol=1e-10)


# User events


@pytest.mark.parametrize("height", [0.4, 0.1, 1e-3])
def test_user_events_inside_an_accumulation_are_found(height):
    """Every time the ball passes a height, up and down, while its bounces get lower."""
    result = go.simulate(
        ball(e=0.7), [1.0], [0.0], (0, 4), events={"low": lambda q, v, t: q[0] - height}
    )
    users = [event for event in result.events if event.kind == "user"]
    tops = 0.7 ** (2 * np.arange(40))  # heights of the bounces, the first of 1 m
    assert len(users) == 2 * int((tops > height).sum()) - 1
    assert [u.detail for u in users] == ["falling"] + ["rising", "falling"] * (len(users) // 2)
    assert_allclose([u.q[0] for u in users], height, rtol=1e-9)
    assert kinds(result)[-1] == "accumulation"


def test_a_user_event_between_the_announcement_of_a_limit_and_the_limit_is_found():
    e = 0.2
    limit = np.sqrt(2e-4 / G) * (1 + e) / (1 - e)
    near = limit - 5e-9
    result = go.simulate(
        ball(e=e), [1e-4], [0.0], (0, 2 * limit), events={"bell": lambda q, v, t: t - near}
    )
    assert kinds(result)[-2:] == ["user", "accumulation"]
    assert_allclose(result.events[-2].t, near, rtol=1e-12)
    assert_allclose(result.events[-1].t, limit, rtol=1e-9)


@pytest.mark.parametrize("share", [0.3, 0.9999, 1.5])
def test_a_terminal_event_ends_an_accumulation_where_it_is(share):
    e = 0.2
    limit = np.sqrt(2e-4 / G) * (1 + e) / (1 - e)

    def bell(q, v, t):
        return t - share * limit

    bell.terminal = True
    result = go.simulate(ball(e=e), [1e-4], [0.0], (0, 2 * limit), events={"bell": bell})
    assert result.status == "terminated"
    assert_allclose(result.t[-1], share * limit, rtol=1e-12)
    assert ("accumulation" in kinds(result)) == (share > 1.0)


# Velocity limits


def governed(e=0.5, limit=3.0, force=None):
    """A ball above a floor that is pushed sideways, and may not be faster than the limit."""
    return go.System(
        [1.0, 1.0],
        (lambda q, v, t: np.array([10 * np.cos(t), -G])) if force is None else force,
        constraints=[go.VelocityLimit("governor", lambda q, v, t: limit - v[0])],
        contacts=[go.Contact("floor", lambda q, t: q[1], e)],
    )


def test_a_limit_and_the_bounces_of_a_ball_do_not_disturb_each_other():
    result = go.simulate(governed(), [0.0, 1.0], [0.0, 0.0], (0, 3))
    free = go.simulate(ball(), [1.0], [0.0], (0, 3))
    on, off = [event for event in result.events if event.kind == "limit"]
    assert_allclose([on.t, off.t], [np.arcsin(0.3), np.pi / 2], rtol=1e-9)
    limits = [[e.t for e in run.events if e.kind == "accumulation"] for run in (result, free)]
    assert_allclose(limits[0], limits[1], rtol=1e-9)
    assert result.v[:, 0].max() <= 3.0 + 1e-9


def test_user_events_at_a_limit_are_found_beside_it():
    events = {
        "fast": lambda q, v, t: v[0] - 2.999999,
        "middle": lambda q, v, t: t - 1.0,
    }
    result = go.simulate(governed(), [0.0, 1.0], [0.0, 0.0], (0, 3), events=events)
    fast = [event for event in result.events if event.contacts == ("fast",)]
    assert [event.detail for event in fast] == ["rising", "falling"]
    assert_allclose(fast[0].t, np.arcsin(0.2999999), rtol=1e-9)
    assert [e.t for e in result.events if e.contacts == ("middle",)] == pytest.approx([1.0])


def test_a_resting_contact_goes_on_pressing_when_a_limit_is_reached():
    result = go.simulate(governed(), [0.0, 0.0], [0.0, 0.0], (0, 3))
    assert kinds(result) == ["limit", "limit"]
    assert_allclose([e.t for e in result.events], [np.arcsin(0.3), np.pi / 2], rtol=1e-9)
    assert_allclose(result.multipliers["floor"], G, rtol=1e-12)
    assert_allclose(result.q[:, 1], 0.0, atol=1e-14)


@pytest.mark.parametrize("speed", [3.0, 2.0])
def test_a_run_may_start_at_its_limit(speed):
    result = go.simulate(governed(), [0.0, 1.0], [speed, 0.0], (0, 1.0))
    assert result.v[:, 0].max() <= 3.0 + 1e-9
    reached = 0.0 if speed == 3.0 else np.arcsin(0.1)
    held = (result.t > reached + 1e-9) & (result.t < 1.0)
    assert_allclose(result.multipliers["governor"][held], 10 * np.cos(result.t[held]), rtol=1e-9)


# A start that is refused


def refused(system, q, v):
    with pytest.raises(go.InputError) as error:
        go.simulate(system, q, v, (0, 1))
    message = str(error.value)
    assert message.startswith("the start is not consistent: ")
    assert "gauss_opt.assemble()" in message
    assert "project_start=True" in message
    projected = go.simulate(system, q, v, (0, 0.1), project_start=True)
    assert projected.success
    return message


PENDULUM = go.System(
    [1.0, 1.0],
    [0.0, -G],
    constraints=[
        go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0),
    ],
)


def test_a_start_off_its_constraints_is_refused_by_name_and_amount():
    assert "the position violates 'rod' by 0.21" in refused(PENDULUM, [1.1, 0.0], [0.0, 1.0])


def test_a_start_with_a_velocity_off_its_constraints_is_refused_by_name_and_amount():
    assert "the velocity violates 'rod' by 0.5." in refused(PENDULUM, [1.0, 0.0], [0.25, 1.0])


def test_a_start_off_a_velocity_constraint_is_refused_by_name_and_amount():
    skate = go.Nonholonomic("skate", lambda q, v, t: v[1] - 2.0 * v[0])
    sled = go.System([1.0, 1.0], constraints=[skate])
    assert "the velocity violates 'skate' by -0.75." in refused(sled, [0.0, 0.0], [0.5, 0.25])


def test_a_start_inside_a_contact_is_refused_by_name_and_amount():
    assert "contact 'floor' is penetrated by 0.125." in refused(ball(), [-0.125], [0.0])


def test_the_deepest_contact_is_the_one_that_is_named():
    box = go.System(
        [1.0, 1.0],
        contacts=[go.Contact("left", lambda q, t: q[0]), go.Contact("under", lambda q, t: q[1])],
    )
    assert "contact 'under' is penetrated by 0.5." in refused(box, [-0.25, -0.5], [0.0, 0.0])


def test_a_start_faster_than_its_limit_is_refused_by_name_and_amount():
    message = refused(governed(), [0.0, 1.0], [3.5, 0.0])
    assert "velocity limit 'governor' is violated: psi = -0.5." in message


def test_a_contact_that_does_not_exist_at_the_start_is_not_penetrated():
    table = go.Contact("table", lambda q, t: q[1], active_when=lambda q, v, t: q[0] > 5.0)
    result = go.simulate(go.System([1.0, 1.0], contacts=[table]), [0.0, -1.0], [1.0, 0.0], (0, 1))
    assert result.success
