"""What simulate() can be asked for: methods, solvers, events, times, units, driving by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go

G = 9.81
METHODS = ["DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"]


def ball(e=0.8):
    return go.System(
        [1.0, 1.0],
        [0.0, -G],
        contacts=[go.Contact("floor", lambda q, t: q[1], e)],
        potential=lambda q, t: G * q[1],
    )


def bounce(e=0.8, t1=1.5, **options):
    return go.simulate(ball(e), [0.0, 1.0], [1.0, 0.0], (0, t1), **options)


def pendulum():
    return go.System(
        [1.0, 1.0],
        [0.0, -G],
        constraints=[go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)],
        potential=lambda q, t: G * q[1],
    )


def impact_times(n, e=0.8):
    fall = np.sqrt(2 / G)
    return fall * (1 + 2 * e * (1 - e ** np.arange(n)) / (1 - e))


def assert_same(a, b):
    assert_array_equal(a.t, b.t)
    for name in ("q", "v", "a"):
        assert_array_equal(getattr(a, name), getattr(b, name))
    assert [str(e) for e in a.events] == [str(e) for e in b.events]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_bounces_a_ball(method):
    result = bounce(method=method, rtol=1e-6)
    assert result.success
    assert_allclose([e.t for e in result.events], impact_times(2), rtol=1e-6)
    assert result.gaps["floor"].min() >= -1e-9


@pytest.mark.parametrize("method", METHODS)
def test_every_method_swings_a_pendulum(method):
    a = 1.0
    result = go.simulate(
        pendulum(), [np.sin(a), -np.cos(a)], [0.0, 0.0], (0, 2.0), method=method, rtol=1e-7
    )
    assert result.success
    assert_allclose(result.energy.total, result.energy.total[0], atol=2e-4)
    assert np.abs(result.values["rod"]).max() < 1e-9
    reference = go.simulate(
        pendulum(), [np.sin(a), -np.cos(a)], [0.0, 0.0], (0, 2.0), rtol=1e-12
    )  # fmt: skip
    assert_allclose(result.q[-1], reference.q[-1], atol=2e-4)


@pytest.mark.parametrize("solver", ["osqp", "daqp", "nnls", "cvxpy", "active_set"])
def test_every_solver_gives_the_same_events(solver):
    reference = bounce(0.5, 2.0, solver="daqp", engine="python")
    result = bounce(0.5, 2.0, solver=solver, reuse_active_set=False)
    assert_same(result, reference)
    assert result.stats.qp_solver_calls > 0


@pytest.mark.parametrize(("length", "mass", "time"), [(1e3, 1.0, 1.0), (1e-3, 1e3, 1.0),
                                                      (1e3, 1e-6, 60.0)])  # fmt: skip
def test_millimetres_and_kilometres_give_the_same_events(length, mass, time):
    def system(unit, kilo, second):
        g = G * unit / second**2
        return go.System(
            [kilo, kilo, 2 * kilo],
            [0.0, -kilo * g, -2 * kilo * g],
            contacts=[
                go.Contact("floor", lambda q, t: q[1], 0.5),
                go.Contact("wall", lambda q, t: 2.0 * unit - q[0], 0.6),
                go.Contact("other", lambda q, t: q[2] - 0.1 * q[0], 0.3),
            ],
        )

    q0, v0 = np.array([0.0, 1.0, 0.7]), np.array([1.5, 0.0, 0.0])
    plain = go.simulate(system(1.0, 1.0, 1.0), q0, v0, (0, 3))
    scaled = go.simulate(system(length, mass, time), q0 * length, v0 * length / time, (0, 3 * time))
    assert [e.kind for e in scaled.events] == [e.kind for e in plain.events]
    assert [e.contacts for e in scaled.events] == [e.contacts for e in plain.events]
    assert_allclose([e.t / time for e in scaled.events], [e.t for e in plain.events], rtol=1e-9)
    assert_allclose(scaled.q[-1] / length, plain.q[-1], rtol=1e-8, atol=1e-9)


def test_the_same_input_gives_the_same_bits():
    assert_same(bounce(0.5, 2.0), bounce(0.5, 2.0))


def test_chosen_times_are_added_to_the_event_times():
    times = np.linspace(0, 1.5, 7)
    result = bounce(t_eval=times)
    assert set(times) <= set(result.t)
    for event in result.events:
        assert np.count_nonzero(result.t == event.t) == 2
    assert len(result.t) == len(times) + 2 * len(result.events)
    exact = 1 - G / 2 * times[1] ** 2
    assert_allclose(result.q[result.t == times[1], 1], exact, rtol=1e-9)


def test_both_sides_of_a_jump_are_kept():
    result = bounce()
    event = result.events[0]
    before, after = np.flatnonzero(result.t == event.t)
    assert_array_equal(result.v[before], event.v_before)
    assert_array_equal(result.v[after], event.v_after)
    assert_array_equal(result(event.t, side="left").v, event.v_before)
    assert_array_equal(result(event.t, side="right").v, event.v_after)
    assert_array_equal(result(event.t).v, event.v_after)
    assert_allclose(event.v_after[1], -0.8 * event.v_before[1], rtol=1e-12)


def test_dense_output_is_the_motion_in_between():
    result = bounce()
    q, v = result(np.array([0.1, 0.2, 0.3]))
    assert_allclose(q[:, 1], 1 - G / 2 * np.array([0.1, 0.2, 0.3]) ** 2, rtol=1e-9)
    assert_allclose(v[:, 1], -G * np.array([0.1, 0.2, 0.3]), rtol=1e-9)
    with pytest.raises(go.InputError, match="outside of the simulated interval"):
        result(7.0)
    with pytest.raises(go.InputError, match="side must be"):
        result(0.5, side="above")


def test_driving_by_hand_is_the_same_as_simulate_in_python():
    stepper = go.start(ball(), [0.0, 1.0], [1.0, 0.0], (0, 1.5))
    last = -1.0
    while stepper.status == "running":
        stepper.step()
        assert stepper.t >= last
        last = stepper.t
    assert_same(stepper.result(), bounce(engine="python"))
    with pytest.raises(go.SimulationError, match="the run has ended"):
        stepper.step()


def test_a_callback_can_stop_the_run():
    result = bounce(callback=lambda state: state.t > 0.5)
    assert result.status == "terminated"
    assert 0.5 < result.t[-1] < 1.5
    assert "callback" in result.message


def test_progress_calls_tell_the_share_done():
    shares = []
    bounce(progress=lambda share, stepper: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


def test_user_events_are_found_and_can_end_the_run():
    def half(q, v, t):
        return q[1] - 0.5

    result = bounce(events=half)
    found = [e for e in result.events if e.kind == "user"]
    assert len(found) == 3
    assert_allclose(found[0].t, np.sqrt(1 / G), rtol=1e-9)
    assert found[0].contacts == ("half",)

    def rising(q, v, t):
        return q[1] - 0.5

    rising.direction = 1
    rising.terminal = True
    ended = bounce(events={"up": rising})
    assert ended.status == "terminated"
    assert ended.success
    assert_allclose(ended.t[-1], found[1].t, rtol=1e-12)
    assert_allclose(ended.q[-1, 1], 0.5, rtol=1e-9)
    assert ended.events[-1].contacts == ("up",)


def test_steps_end_at_breakpoints():
    def force(q, v, t):
        return np.array([0.0 if t < 0.3 else 1.0])

    system = go.System([1.0], force)
    result = go.simulate(system, [0.0], [0.0], (0, 1), breakpoints=[0.3, 5.0])
    assert 0.3 in result.t
    assert_allclose(result.v[-1], 0.7, rtol=1e-9)
    assert_allclose(result.q[-1], 0.7**2 / 2, rtol=1e-9)


def test_a_span_of_one_point_gives_one_row():
    result = bounce(t1=0)
    assert result.success
    assert_array_equal(result.t, [0.0])
    assert_array_equal(result.q, [[0.0, 1.0]])
    assert_allclose(result.a, [[0.0, -G]])


def test_without_dense_output_the_rows_are_the_same():
    lean = bounce(dense_output=False)
    assert_same(lean, bounce())
    with pytest.raises(go.InputError, match="dense_output=False"):
        lean(0.1)


def test_a_time_before_zero_is_as_good_as_any():
    shifted = go.simulate(ball(), [0.0, 1.0], [1.0, 0.0], (-100.0, -98.5))
    assert_allclose([e.t + 100 for e in shifted.events], impact_times(2), rtol=1e-10)


def test_a_result_says_how_it_went():
    text = str(bounce())
    assert text.startswith("success: reached the end, t = 1.5")
    assert "events: 2 impact" in text


def test_a_solver_used_for_several_runs_counts_each_by_itself():
    floor = go.Contact("floor", lambda q, t: q[0], restitution=0.5)
    ball = go.System([1.0], [-9.81], contacts=[floor])
    solver = go.GaussSolver("daqp")
    runs = [go.simulate(ball, [1.0], [0.0], (0, 1), solver=solver) for _ in range(2)]
    assert runs[0].stats.qp_total == runs[1].stats.qp_total > 0
