"""A run that cannot get on says where it is, how small its steps are, and what keeps them so."""

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.simulation.event_driven.diagnosis.pace import Pace
from gauss_opt.simulation.event_driven.guards.happening import Happening, HappeningKind

G = 9.81
METHODS = ("DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA")


def failure(system, q0, v0, t_span, **options):
    with pytest.raises(go.SimulationError) as caught:
        go.simulate(system, q0, v0, t_span, **options)
    return caught.value


def bouncing(e=1.0):
    return go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], e)])


def stiff():
    return go.System(
        [1.0, 1e-6],
        lambda q, v, t: np.array([-q[0], -1e4 * q[1] - v[1]]),
        coordinates=["slow", "fast"],
    )


@pytest.mark.parametrize("options", [{}, {"t_eval": [5.0]}])
def test_a_limit_of_events_names_the_contact_and_the_time(options):
    error = failure(bouncing(), [1.0], [0.0], (0, 1e4), max_events=50, **options)
    at = np.sqrt(2.0 / G) * (1 + 2 * 49)  # the fiftieth impact
    assert f"the limit of 50 events was reached at t = {at:.4f}" in str(error)
    assert "of 10000" in str(error)
    assert "50 events in the last" in str(error)
    assert "impact of 'floor'" in str(error)


@pytest.mark.parametrize("options", [{}, {"t_eval": [5.0]}])
@pytest.mark.parametrize("method", ["DOP853", "RK45", "RK23"])
def test_a_limit_of_steps_names_the_coordinate_whose_error_counts(method, options):
    error = failure(
        stiff(), [1.0, 1.0], [0.0, 0.0], (0, 1e4), max_steps=500, method=method, **options
    )
    assert "the limit of 500 steps was reached at t = " in str(error)
    assert "the error estimate of" in str(error)
    assert "'fast'" in str(error)
    assert "'slow'" not in str(error)


def test_a_limit_of_wall_time_says_the_same():
    error = failure(stiff(), [1.0, 1.0], [0.0, 0.0], (0, 1e4), max_wall_time=0.1)
    assert "the limit of 0.1 s of wall time was reached at t = " in str(error)
    assert "'fast'" in str(error)


def test_a_step_that_the_user_keeps_small_is_named():
    error = failure(bouncing(), [1.0], [0.0], (0, 10), max_steps=200, max_step=1e-3)
    assert "with steps of 0.001 on average: max_step = 0.001" in str(error)
    often = np.linspace(0.0, 1.0, 1001)
    error = failure(bouncing(), [1.0], [0.0], (0, 1), max_steps=200, breakpoints=often)
    assert "ended at breakpoints" in str(error)


def test_phases_say_it_too():
    with pytest.raises(go.SimulationError) as caught:
        go.simulate_phases(
            go.Phase(stiff()), [1.0, 1.0], [0.0, 0.0], (0, 1e4), lambda n, e: None, max_steps=300
        )
    assert "the limit of 300 steps was reached at t = " in str(caught.value)


def resisted(kind, coefficient=3.0):
    """A block that a resistance of constant size stops at t = 1/3."""
    force = {
        "sign": lambda q, v, t: np.array([-coefficient * np.sign(v[0])]),
        "where": lambda q, v, t: np.array([np.where(v[0] > 0, -coefficient, coefficient)]),
        "branch": lambda q, v, t: [-coefficient if v[0] > 0 else coefficient],
        "divided": lambda q, v, t: [-coefficient * v[0] / abs(v[0]) if v[0] else 0.0],
    }[kind]
    return go.System([1.0], force, coordinates=["x"])


@pytest.mark.parametrize("kind", ["sign", "where", "branch", "divided"])
def test_fault_40_a_force_with_the_sign_of_a_velocity_ends_in_seconds(kind):
    error = failure(resisted(kind), [0.0], [1.0], (0, 5))
    assert "the acceleration of 'x' is -3 on one side and 3 on the other" in str(error)
    assert "the velocity of 'x' = 0" in str(error)
    assert "friction" in str(error)
    assert error.result.t[-1] == pytest.approx(1 / 3, rel=1e-6)
    assert error.result.stats.steps < 2000


@pytest.mark.parametrize("method", METHODS)
def test_fault_40_with_every_method(method):
    error = failure(resisted("sign"), [0.0], [1.0], (0, 5), method=method)
    assert "-3 on one side and 3 on the other" in str(error)
    assert "friction" in str(error)


def test_fault_40_a_resistance_by_the_normal_force():
    floor = go.Contact("floor", lambda q, t: q[1])
    block = go.System(
        [1.0, 1.0],
        [0.0, -G],
        contacts=[floor],
        nonideal=lambda q, v, t, ideal: np.array([-0.3 * abs(ideal[1]) * np.sign(v[0]), 0.0]),
    )
    error = failure(block, [0.0, 0.0], [1.0, 0.0], (0, 30))
    assert "is -2.943 on one side and 2.943 on the other of v[0] = 0" in str(error)


def test_a_force_with_the_sign_of_a_relative_velocity():
    def force(q, v, t):
        pull = 2.0 * np.sign(v[0] - v[1])
        return np.array([1.0 - pull, pull])

    error = failure(go.System([1.0, 1.0], force), [0.0, 0.0], [3.0, 1.0], (0, 10))
    assert "a relation between velocities" in str(error)


def test_a_resistance_that_is_only_passed_is_integrated():
    """An oscillator with dry resistance: each half swing is shorter by 2 F/k."""
    swing = go.System([1.0], lambda q, v, t: np.array([-100.0 * q[0] - 0.1 * np.sign(v[0])]))
    result = go.simulate(swing, [1.0], [0.0], (0, 1.1 * np.pi))
    assert result.success
    ends = [result(k * np.pi / 10).q[0] for k in range(1, 11)]
    np.testing.assert_allclose(np.abs(ends), 1.0 - 0.002 * np.arange(1, 11), rtol=1e-7)


def test_a_jump_that_depends_on_the_place_says_so():
    error = failure(
        go.System([1.0], lambda q, v, t: np.array([-np.sign(q[0]) - v[0]])),
        [1.0], [0.0], (0, 100), max_steps=2000,
    )  # fmt: skip
    assert "of a place, or a moment" in str(error)
    assert "breakpoints=" in str(error)


def test_a_pole_is_no_jump():
    error = failure(
        go.System([1.0], lambda q, v, t: np.array([(1 - t) ** -2])), [0.0], [0.0], (0, 2)
    )
    assert "the step size became too small at t = 1 of 2" in str(error)
    assert "the motion may be singular there" in str(error)
    assert "jump" not in str(error)


FLOOR = go.Contact("floor", lambda q, t: q[0])
STARTS = {
    "below the floor": (go.System([1.0], [-G], contacts=[FLOOR]), [-1.0], [0.0], "penetrated by 1"),
    "not finite": (go.System([1.0], lambda q, v, t: [np.log(q[0])]), [-1.0], [0.0], "not finite"),
    "raises": (go.System([1.0], lambda q, v, t: [{}[float(q[0])]]), [-1.0], [0.0], "KeyError"),
    "contradicts itself": (
        go.System(
            [1.0],
            [0.0],
            [go.Holonomic("a", lambda q, t: q[0]), go.Holonomic("b", lambda q, t: q[0] - t**2)],
        ),
        [0.0], [0.0], "contradict each other: 'a', 'b'",
    ),
    "no mass": (go.System([1.0, 0.0], [0.0, -G]), [0.0, 0.0], [0.0, 0.0], "mass is singular"),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:invalid value encountered in log")
@pytest.mark.parametrize("name", STARTS)
def test_a_start_that_fails_is_a_result_when_nothing_shall_be_thrown(name, tmp_path):
    system, q0, v0, what = STARTS[name]
    with pytest.raises(go.GaussError, match=what):
        go.simulate(system, q0, v0, (0, 1))
    phases = go.simulate_phases(go.Phase(system), q0, v0, (0, 1), lambda n, e: None, throw=False)
    for result in (go.simulate(system, q0, v0, (0, 1), throw=False), phases):
        assert (result.success, result.status) == (False, "failed")
        assert result.q.shape == (0, len(q0))
        assert what in result.message
        assert str(result) == f"not successful (failed): {result.message}"
        result.save(tmp_path / "run.npz")
        assert go.load(tmp_path / "run.npz").message == result.message
        for show, argument in ((result.plot, []), (result.report, ["r.html"]), (result, [0.0])):
            with pytest.raises(go.InputError, match="has no rows: the simulation failed at its"):
                show(*argument)


def test_arguments_that_cannot_be_used_are_errors_in_any_case():
    ball = bouncing()
    for bad in ({"rtol": -1.0}, {"solver": "simplex"}, {"no_such": 1}):
        with pytest.raises(go.InputError):
            go.simulate(ball, [1.0], [0.0], (0, 1), throw=False, **bad)
    with pytest.raises(go.InputError, match="shape"):
        go.simulate(ball, [1.0, 2.0], [0.0], (0, 1), throw=False)


@pytest.mark.parametrize(
    ("kind", "remedy"), [(HappeningKind.STOP, True), (HappeningKind.CONTACT, False)]
)
def test_what_is_found_at_one_instant_again_and_again_is_named(kind, remedy):
    stepper = go.start(bouncing(), [1.0], [0.0], (0, 1))
    pace, present = Pace(), stepper.present
    for _ in range(150):
        pace.met(Happening(present.now.t, kind, np.array([0])))
        pace.note(present.now.t)
    words = pace.whereabouts(present)
    assert f"found there again and again ({kind} of 'floor')" in words
    assert ("another rtol= can find a way through" in words) == remedy
