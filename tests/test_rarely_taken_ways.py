"""Ways that a good run never takes, each by the public door that leads there."""

import io
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

G = 9.81


def ball(e=0.5):
    return go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], e)])


# Accelerations


def test_the_gauss_function_of_a_singular_mass_is_that_of_its_regular_part():
    """A massless pulley between two weights on a string adds nothing."""
    tie = go.Holonomic("tie", lambda q, t: np.array([q[0] + q[1], q[2] - q[0]]))
    with_pulley = go.System(np.diag([2.0, 1.0, 0.0]), [-2 * G, -G, 0.0], [tie])
    without = go.System([2.0, 1.0], [-2 * G, -G], [go.Holonomic("t", lambda q, t: q[0] + q[1])])
    one = go.accelerate(with_pulley, np.zeros(3), np.zeros(3))
    two = go.accelerate(without, np.zeros(2), np.zeros(2))
    assert_allclose(one.acceleration[:2], two.acceleration, rtol=1e-12)
    assert_allclose(two.gauss, 0.5 * (2 * (G - G / 3) ** 2 + (G + G / 3) ** 2), rtol=1e-12)
    assert_allclose(one.gauss, two.gauss, rtol=1e-12)


def test_ideal_constraints_exert_no_other_force():
    answer = go.accelerate(ball(), [0.0], [0.0])
    assert_allclose(answer.ideal_force, [G])
    assert_allclose(answer.nonideal_force, 0.0)
    assert answer.certificate.worst < 1e-12


def test_a_resistance_that_contradicts_the_pressing_contacts_is_refused():
    """Painleve: pressed, the friction lifts the contact; lifted, the weight presses it."""

    def friction(q, v, t, ideal_force):
        return np.array([0.0, 3.0 * np.sqrt(ideal_force @ ideal_force)])

    system = go.System(
        [1.0, 1.0], [0.0, -G], contacts=[go.Contact("floor", lambda q, t: q[1])], nonideal=friction
    )
    with pytest.raises(go.SolverError, match="did not converge within"):
        go.accelerate(system, [0.0, 0.0], [1.0, 0.0])


# Assembly


def test_a_guess_that_is_not_a_vector_is_refused():
    with pytest.raises(go.InputError, match=r"q must be a vector, got shape \(1, 1\)"):
        go.assemble(ball(), [[1.0]])


def test_velocities_that_no_iteration_makes_consistent_are_refused():
    never = go.Nonholonomic("never", lambda q, v, t: v[0] ** 2 + 1.0)
    with pytest.raises((go.ModelError, go.InfeasibleError), match=r"no consistent velocity|never"):
        go.assemble(go.System([1.0], constraints=[never]), [0.0], [0.7])


# User events that go wrong


def broken(q, v, t):
    raise ZeroDivisionError("oh")


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (broken, r"user event 'bell' raised ZeroDivisionError: oh \(at t="),
        (lambda q, v, t: np.nan, "user event 'bell' is nan at t="),
        (lambda q, v, t: np.zeros(2), "user event 'bell' raised TypeError"),
        (lambda q, v, t: q.__setitem__(0, 1.0), "user event 'bell' raised ValueError"),
    ],
)
def test_a_user_event_that_goes_wrong_is_blamed_by_name(event, words):
    with pytest.raises(go.GaussError, match=words):
        go.simulate(ball(), [1.0], [0.0], (0, 1), events={"bell": event})


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ({"bell": 3.0}, "event 'bell' must be a function"),
        ([3.0], "event 'event 0' must be a function"),
        (3.0, "events must be functions"),
    ],
)
def test_what_is_no_event_is_refused(events, words):
    with pytest.raises(go.InputError, match=words):
        go.simulate(ball(), [1.0], [0.0], (0, 1), events=events)


# Runs that cannot go on


def test_a_motion_that_goes_to_infinity_says_when():
    """x'' = 6 x^2 from x = 1, x' = 2 is 1 / (1 - t)^2."""
    blow_up = go.System([1.0], lambda q, v, t: 6.0 * q**2)
    result = go.simulate(blow_up, [1.0], [2.0], (0, 2), throw=False)
    assert result.status == "failed"
    assert_allclose(result.t[-1], 1.0, rtol=1e-3)
    early = result.t < 0.9
    assert_allclose(result.q[early, 0], 1 / (1 - result.t[early]) ** 2, rtol=1e-6)


def test_a_stepper_knows_its_system():
    system = ball()
    stepper = go.start(system, [1.0], [0.0], (0, 1))
    assert stepper.system is system
    while stepper.status == "running":
        stepper.step()
    with pytest.raises(go.SimulationError, match="the run has ended"):
        stepper.step()


def test_checkpoints_are_written_every_so_many_steps_and_not_less():
    with pytest.raises(go.InputError, match="checkpoint_every must be at least 1, got 0"):
        go.simulate(ball(), [1.0], [0.0], (0, 1), checkpoint_every=0)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_is_shown_on_a_terminal_and_nowhere_else(monkeypatch):
    shown, hidden = Terminal(), io.StringIO()
    for stream in (shown, hidden):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        assert go.simulate(ball(), [1.0], [0.0], (0, 3), progress=True).success
    assert "simulating" in shown.getvalue()
    assert hidden.getvalue() == ""


# Contacts that do not exist all the time


@pytest.mark.parametrize("first_step", [0.9, None])
@pytest.mark.parametrize("end", [0.19, 0.3, 0.9])
def test_a_ball_passes_below_where_there_is_no_table(end, first_step):
    """Its height 0.05 - t + 4 t^2 is below zero from t = 0.069 to 0.181, where x < 1."""
    table = go.Contact("table", lambda q, t: q[1], 0.0, active_when=lambda q, v, t: q[0] > 1.0)
    thrown = go.System([1.0, 1.0], [0.0, 8.0], contacts=[table])
    result = go.simulate(thrown, [1.0, 0.05], [-1.0, -1.0], (0, end), first_step=first_step)
    assert result.events == ()
    assert result(0.125).q[1] < 0.0
    assert_allclose(result.q[-1, 1], 0.05 - end + 4 * end**2, rtol=1e-9)


@pytest.mark.parametrize("first_step", [0.5, None])
def test_a_ball_that_comes_up_where_the_table_is_again_lands_on_it(first_step):
    """Below the table's plane for x < 1, above it before x = 1, then down on it."""

    def height(q, t):
        return q[1]

    table = go.Contact("table", height, 0.0, active_when=lambda q, v, t: q[0] > 1.0)
    push = 4.0
    thrown = go.System(
        [1.0, 1.0], lambda q, v, t: np.array([0.0, push if t < 1.0 else -push]), contacts=[table]
    )
    # y = 0.1 - t + 2 t^2 until t = 1, where y = 1.1 and y' = 3; then down.
    result = go.simulate(
        thrown, [0.5, 0.1], [1.0, -1.0], (0, 4), breakpoints=[1.0], first_step=first_step
    )
    flight = (3.0 + np.sqrt(9.0 + 8.0 * 1.1)) / 4.0
    assert [event.kind for event in result.events][:1] == ["impact"]
    assert_allclose(result.events[0].t, 1.0 + flight, rtol=1e-9)
    assert_allclose(result.q[-1, 1], 0.0, atol=1e-12)


def test_a_projected_step_of_a_method_of_ones_own_is_begun_anew():
    """A solver class that cannot take a state put in goes on from a new start."""
    from scipy.integrate import OdeSolver
    from scipy.integrate._ivp.base import DenseOutput

    class Cubic(DenseOutput):
        def __init__(self, t0, t1, y0, y1, f0, f1):
            super().__init__(t0, t1)
            self.parts = y0, y1, f0, f1

        def _call_impl(self, t):
            y0, y1, f0, f1 = (part[:, None] for part in self.parts)
            h = self.t - self.t_old
            s = (np.atleast_1d(t) - self.t_old) / h
            value = (
                y0 * (1 + 2 * s) * (1 - s) ** 2 + y1 * s * s * (3 - 2 * s)
                + h * (f0 * s * (1 - s) ** 2 - f1 * s * s * (1 - s))
            )  # fmt: skip
            return value if np.ndim(t) else value[:, 0]

    class Fixed(OdeSolver):
        """The classical Runge-Kutta method with steps of 1 ms."""

        def __init__(self, fun, t0, y0, t_bound, **options):
            super().__init__(fun, t0, y0, t_bound, vectorized=False)

        def _step_impl(self):
            f, t, y, h = self.fun, self.t, self.y, min(1e-3, self.t_bound - self.t)
            k1 = f(t, y)
            k2 = f(t + h / 2, y + h / 2 * k1)
            k3 = f(t + h / 2, y + h / 2 * k2)
            k4 = f(t + h, y + h * k3)
            self.before = y, k1
            self.y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
            self.t = t + h if t + h < self.t_bound else self.t_bound
            return True, None

        def _dense_output_impl(self):
            y0, f0 = self.before
            return Cubic(self.t_old, self.t, y0, self.y, f0, self.fun(self.t, self.y))

    rod = go.Holonomic("rod", lambda q, t: q @ q - 1.0)
    floor = go.Contact("floor", lambda q, t: q[1] + 0.5, 1.0)
    pendulum = go.System([1.0, 1.0], [0.0, -G], [rod], [floor], potential=lambda q, t: G * q[1])
    result = go.simulate(pendulum, [1.0, 0.0], [0.0, 0.0], (0, 1), method=Fixed)
    assert result.stats.projections > 10
    assert result.events[0].kind == "impact"
    assert_allclose((result.q**2).sum(axis=1), 1.0, rtol=1e-12)
    assert_allclose(result.energy.total, 0.0, atol=1e-5)
