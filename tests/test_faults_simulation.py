"""Faults of a run: each gives the right behaviour, and nothing computed is lost."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go

G = 9.81


def ball(e=0.8, force=None, **contact):
    return go.System(
        [1.0],
        [-G] if force is None else force,
        contacts=[go.Contact("floor", lambda q, t: q[0], e, **contact)],
    )


def drop(e=0.8, t1=1.0, **options):
    return go.simulate(ball(e), [1.0], [0.0], (0, t1), **options)


def test_fault_02_a_force_that_is_not_finite_in_mid_run_keeps_what_there_was():
    def force(q, v, t):
        return np.array([-G if t < 0.3 else np.nan])

    with pytest.raises(go.SimulationError, match="force") as caught:
        go.simulate(go.System([1.0], force), [1.0], [0.0], (0, 1))
    partial = caught.value.result
    assert not partial.success
    assert partial.status == "failed"
    assert 0.2 < partial.t[-1] <= 0.3
    assert np.isfinite(partial.q).all()
    assert partial.stats.restarts > 0
    quiet = go.simulate(go.System([1.0], force), [1.0], [0.0], (0, 1), throw=False)
    assert quiet.status == "failed"
    assert_array_equal(quiet.t, partial.t)


def test_fault_03_what_a_function_raises_in_mid_run_is_chained():
    def force(q, v, t):
        if float(t) > 0.3:
            raise ZeroDivisionError("the user's own")
        return np.array([-G])

    with pytest.raises(go.SimulationError, match="force") as caught:
        go.simulate(go.System([1.0], force), [1.0], [0.0], (0, 1))
    causes, error = [], caught.value
    while error is not None:
        causes.append(type(error))
        error = error.__cause__
    assert ZeroDivisionError in causes
    assert caught.value.result.t[-1] <= 0.3


def test_fault_14_a_start_in_penetration_is_refused_or_projected():
    with pytest.raises(go.InputError, match=r"contact 'floor' is penetrated by 0\.1"):
        go.simulate(ball(), [-0.1], [0.0], (0, 1))
    result = go.simulate(ball(0.0), [-0.1], [0.0], (0, 1), project_start=True)
    assert_allclose(result.q, 0.0, atol=1e-9)
    limited = go.System([1.0], [0.0], [go.VelocityLimit("governor", lambda q, v, t: 1.0 - v[0])])
    with pytest.raises(go.InputError, match=r"velocity limit 'governor' is violated: psi = -1"):
        go.simulate(limited, [0.0], [2.0], (0, 1))


@pytest.mark.parametrize(("v0", "kinds"), [(-1.0, ["impact"]), (0.0, []), (1.0, [])])
def test_fault_15_a_start_that_touches_strikes_rests_or_leaves(v0, kinds):
    result = go.simulate(ball(0.5), [0.0], [v0], (0, 0.05))
    assert [event.kind for event in result.events] == kinds
    if v0 < 0:
        assert result.events[0].t == 0.0
        assert_allclose(result.v[result.t == 0.0][-1], 0.5)
    elif v0 == 0:
        assert_allclose(result.multipliers["floor"], G)
    else:
        assert_allclose(result.q[-1], 0.05 - G / 2 * 0.05**2)


def test_fault_15_a_touching_contact_is_free_when_a_force_lifts_it():
    result = go.simulate(ball(0.5, [2.0]), [0.0], [0.0], (0, 1))
    assert result.events == ()
    assert_allclose(result.q[-1], 1.0, rtol=1e-9)


def test_fault_16_a_resting_contact_makes_no_storm_of_events():
    system = go.System(
        [1.0, 1.0],
        lambda q, v, t: np.array([np.sin(5 * t), -G]),
        contacts=[go.Contact("floor", lambda q, t: q[1]), go.Contact("copy", lambda q, t: q[1])],
    )
    result = go.simulate(system, [0.0, 0.0], [1.0, 0.0], (0, 20))
    assert result.events == ()
    total = result.multipliers["floor"] + result.multipliers["copy"]
    assert_allclose(total, G, rtol=1e-12)


def test_fault_17_and_18_no_success_with_a_body_past_a_wall():
    wall = go.Contact("wall", lambda q, t: 1.0 - q[0], 0.5)
    system = go.System([1e-9], [0.0], contacts=[wall])
    result = go.simulate(system, [0.0], [1e9], (0, 1.0))
    assert [event.kind for event in result.events] == ["impact"]
    assert result.q.max() <= 1.0 + 1e-9


def test_fault_19_copies_of_a_contact_change_nothing():
    def system(n):
        return go.System(
            [1.0], [-G],
            contacts=[go.Contact(f"floor {i}", lambda q, t: q[0], 0.5) for i in range(n)],
        )  # fmt: skip

    one, five = (go.simulate(system(n), [1.0], [0.0], (0, 2)) for n in (1, 5))
    assert [event.kind for event in one.events] == [event.kind for event in five.events]
    assert_allclose([e.t for e in one.events], [e.t for e in five.events], rtol=1e-12)
    assert len(five.events[0].contacts) == 5


def test_fault_20_accumulation_neither_loops_nor_falls_through():
    result = drop(0.5, 10.0)
    assert len(result.events) < 100
    assert result.q.min() >= -1e-12


@pytest.mark.parametrize("e", [-0.1, 1.1, np.nan, np.inf, "bouncy", None])
def test_fault_21_a_bad_restitution_is_refused(e):
    with pytest.raises(go.ModelError, match="restitution must be between 0 and 1"):
        ball(e)


def test_fault_22_an_impact_that_raises_the_energy_is_seen_and_refused_when_asked():
    """A block lands on both corners; the equality form pulls at the plastic one."""
    system = go.System(
        [1.0, 0.5],
        [-G, 0.0],
        contacts=[
            go.Contact("left", lambda q, t: q[0] - 0.5 * q[1], 0.0),
            go.Contact("right", lambda q, t: q[0] + 0.5 * q[1], 1.0),
        ],
    )
    law = go.Newton(equality=True)
    start = [0.0, 0.0], [-1.05, -1.9], (0, 0.01)
    result = go.simulate(system, *start, law=law)
    assert result.events[0].gains_energy
    assert result.events[0].energy_change > 0.0
    assert "increased the energy" in str(result.events[0])
    with pytest.raises(go.SimulationError, match="raises the energy"):
        go.simulate(system, *start, law=law, refuse_energy_gain=True)
    honest = go.simulate(system, *start)
    assert not any(event.gains_energy for event in honest.events)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rtol": 0.0}, "rtol must be between 0 and 1"),
        ({"rtol": -1e-3}, "rtol must be"),
        ({"rtol": 1e-16}, "below what double precision can do"),
        ({"atol": 0.0}, "atol must be positive"),
        ({"max_step": 0.0}, "max_step must be positive"),
        ({"first_step": -1.0}, "first_step must be positive"),
        ({"max_steps": 0}, "max_steps must be at least 1"),
        ({"max_wall_time": 0.0}, "max_wall_time must be positive"),
        ({"t_eval": [2.0]}, "t_eval must lie within"),
        ({"t_eval": [np.nan]}, "t_eval"),
        ({"length_scale": np.nan}, "length_scale must be positive"),
        ({"events": 3.0}, "event"),
        ({"breakpoints": [np.nan]}, "breakpoints"),
    ],
)
def test_fault_23_bad_options_are_named(options, message):
    with pytest.raises(go.InputError, match=message):
        drop(**options)


@pytest.mark.parametrize("span", [(1, 0), (0, np.inf), (np.nan, 1), (0,), (0, 1, 2), 5.0])
def test_fault_23_bad_spans_are_refused(span):
    with pytest.raises(go.InputError, match="t_span"):
        go.simulate(ball(), [1.0], [0.0], span)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"max_steps": 3}, "3 steps"), ({"max_events": 2}, "2 events"),
     ({"max_wall_time": 1e-9}, "wall time")],
)  # fmt: skip
def test_fault_23_limits_end_the_run_with_what_there_is(options, message):
    with pytest.raises(go.SimulationError, match=message) as caught:
        drop(1.0, 50.0, **options)
    assert not caught.value.result.success
    assert len(caught.value.result.t) >= 2


def test_fault_24_ctrl_c_returns_the_partial_result():
    def callback(state):
        if state.t > 0.5:
            raise KeyboardInterrupt

    result = drop(t1=3.0, callback=callback)
    assert result.status == "interrupted"
    assert not result.success
    assert 0.5 < result.t[-1] < 3.0


@pytest.mark.parametrize("v0", [0.0, 1.7e-21, -1.7e-21, 1e-17, -1e-15, 1e-13])
@pytest.mark.parametrize("span", [(0.0, 1.0), (0.77, 1.77), (1000.0, 1001.0)])
@pytest.mark.parametrize("height", [0.0, -0.3])
def test_fault_15_a_start_with_round_off_for_velocity_is_at_rest(v0, span, height):
    floor = go.Contact("floor", lambda q, t: q[0] - height, restitution=0.5)
    body = go.System([1.0], [-9.81], contacts=[floor])
    result = go.simulate(body, [height], [v0], span, max_events=100)
    assert result.success
    assert not result.events
    assert result.multipliers["floor"][-1] == pytest.approx(9.81, rel=1e-12)


def test_a_run_goes_on_from_the_end_of_one_that_came_to_rest():
    floor = go.Contact("floor", lambda q, t: q[0] - np.sin(0.3), restitution=0.5)
    body = go.System([1.0], [-9.81], contacts=[floor])
    first = go.simulate(body, [1.0], [0.0], (0.0, 3.0))
    second = go.simulate(body, first.q[-1], first.v[-1], (3.0, 5.0), max_events=100)
    assert second.success
    assert not second.events


@pytest.mark.parametrize(
    ("floor", "v0"),
    [
        (lambda q, t: np.where(q[0] < 0.5, q[1], q[1] - 0.1), [1.0, 0.0]),
        (lambda q, t: np.where(q[0] < 0.5, q[1], q[1] + 0.1), [1.0, 0.0]),
        (lambda q, t: np.where(q[0] < 0.5, q[1], q[1] - 0.5 * (q[0] - 0.5)), [3.0, 0.0]),
        (lambda q, t: np.where(q[0] < 0.5, q[1], q[1] + 0.5 * (q[0] - 0.5)), [1.0, 0.0]),
    ],
)
def test_a_gap_with_a_step_or_a_kink_is_no_success(floor, v0):
    body = go.System([1.0, 1.0], [0.0, -9.81], contacts=[go.Contact("floor", floor)])
    with pytest.raises(go.SimulationError, match=r"'floor' is off by .* kink") as failure:
        go.simulate(body, [0.0, 0.0], v0, (0.0, 1.0))
    assert failure.value.result.q[-1, 0] <= 0.5 + 1e-9


def test_a_slow_start_along_the_floor_is_not_taken_for_rest():
    floor = go.Contact("floor", lambda q, t: q[1])
    block = go.System([1.0, 1.0], [0.0, -9.81], contacts=[floor])
    result = go.simulate(block, [0.0, 0.0], [8e-7, 0.0], (0.0, 86_400.0))
    assert result.q[-1, 0] == pytest.approx(8e-7 * 86_400.0, rel=1e-9)
