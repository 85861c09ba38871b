"""scipy's solvers stepped by hand: right steps, exact dense output, no secret memory."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.integrate import RK45, OdeSolver

import gauss_opt as go
from gauss_opt.simulation.event_driven.integrator import METHODS, Integrator, find_method

ONE_STEP = ["DOP853", "RK45", "RK23"]
EVERY = [*ONE_STEP, "Radau", "BDF", "LSODA"]


def oscillator(t, y):
    return np.array([y[1], -y[0]])


def exact(t):
    return np.array([np.cos(t), -np.sin(t)])


def integrator(method, t=0.0, y=None, bound=5.0, f=oscillator, rtol=1e-8, **options):
    options = {"max_step": np.inf, "atol": np.full(2, 1e-10), **options}
    y = exact(t) if y is None else y
    return Integrator(find_method(method), f, t, y, bound, rtol=rtol, **options)


def steps(stepped):
    """All steps to the bound as (t, y)."""
    way = []
    while not stepped.finished:
        assert stepped.step() is None
        way.append((stepped.t, stepped.y.copy()))
    return way


# Which method


@pytest.mark.parametrize("name", EVERY)
def test_a_method_is_known_by_name_and_by_class(name):
    assert find_method(name) is METHODS[name]
    assert find_method(METHODS[name]) is METHODS[name]


def test_a_solver_class_of_ones_own_is_taken():
    class Mine(RK45):
        pass

    assert find_method(Mine) is Mine
    assert len(steps(integrator(Mine))) > 3


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("RK4", "unknown method 'RK4'; choose from: DOP853"),
        (4, "got 4"),
        (float, "got <class"),
    ],
)
def test_what_is_no_method_is_refused(method, words):
    with pytest.raises(go.InputError, match=words):
        find_method(method)


# Steps


@pytest.mark.parametrize("method", EVERY)
def test_an_oscillator_is_stepped_to_the_right_place(method):
    stepped = integrator(method)
    way = steps(stepped)
    assert way[-1][0] == stepped.t == 5.0
    assert (np.diff([0.0, *[t for t, _ in way]]) > 0).all()
    for t, y in way:
        assert_allclose(y, exact(t), atol=3e-6)


@pytest.mark.parametrize("method", EVERY)
def test_no_step_passes_the_bound_or_the_largest_step(method):
    bounded = integrator(method, bound=1.0 / 3.0, max_step=0.05)
    times = [0.0, *[t for t, _ in steps(bounded)]]
    assert times[-1] == 1.0 / 3.0
    assert np.diff(times).max() <= 0.05 * (1 + 1e-12)


@pytest.mark.parametrize("method", EVERY)
def test_a_first_step_beyond_the_bound_is_cut(method):
    stepped = integrator(method, bound=1e-3, first_step=10.0)
    assert steps(stepped)[-1][0] == 1e-3
    assert_allclose(stepped.y, exact(1e-3), atol=1e-9)


@pytest.mark.parametrize("method", ONE_STEP)
def test_the_first_step_is_the_one_asked_for(method):
    stepped = integrator(method, first_step=1e-3)
    assert stepped.next_step == 1e-3
    stepped.step()
    assert stepped.t == 1e-3


@pytest.mark.parametrize("method", [*ONE_STEP, "Radau", "BDF"])
def test_a_step_size_that_becomes_too_small_is_said_and_not_raised(method):
    """y' = y^2 from 1 goes to infinity at t = 1."""
    blow_up = integrator(
        method, y=np.ones(2), f=lambda t, y: np.minimum(y * y, 1e200), rtol=1e-6, bound=2.0
    )
    message = None
    for _ in range(5000):
        with np.errstate(all="ignore"):
            message = blow_up.step()
        if message is not None or blow_up.finished:
            break
    assert message is not None
    assert not blow_up.finished
    assert_allclose(blow_up.t, 1.0, rtol=1e-3)


# What comes next


@pytest.mark.parametrize("method", EVERY)
def test_only_runge_kutta_methods_say_how_far_they_would_go_next(method):
    stepped = integrator(method)
    assert stepped.one_step == (method in ONE_STEP)
    stepped.step()
    assert (stepped.next_step is not None) == stepped.one_step


@pytest.mark.parametrize("start", [0.0, 0.1, 1e3])
@pytest.mark.parametrize("method", ONE_STEP)
def test_state_and_step_size_alone_determine_what_comes_next(method, start):
    """A one-step method started afresh anywhere takes the same steps to the last bit."""

    def forced(t, y):
        return np.array([y[1], -y[0] + 0.3 * np.sin(7.0 * t) - 0.1 * y[1] ** 3])

    options = {"f": forced, "bound": start + 3.0, "rtol": 1e-6}
    whole = integrator(method, t=start, y=np.array([1.0, 0.0]), **options)
    whole.step()
    while not whole.finished:
        again = integrator(
            method, t=whole.t, y=whole.y.copy(), first_step=whole.next_step, **options
        )
        whole.step()
        again.step()
        assert (again.t, again.next_step) == (whole.t, whole.next_step)
        assert_array_equal(again.y, whole.y)
        assert_array_equal(again.piece().values, whole.piece().values)


# Dense output


@pytest.mark.parametrize("method", EVERY)
def test_a_piece_is_scipys_dense_output(method):
    options = {"rtol": 1e-8, "atol": np.full(2, 1e-10)}
    mine = integrator(method)
    theirs = METHODS[method](oscillator, 0.0, exact(0.0), 5.0, max_step=np.inf, **options)
    for _ in range(8):
        mine.step()
        theirs.step()
        if mine.t != theirs.t:  # rounded time: f is asked for anew, what follows may differ
            break
        piece, dense = mine.piece(), theirs.dense_output()
        assert (piece.t0, piece.t1) == (theirs.t_old, theirs.t)
        times = np.linspace(piece.t0, piece.t1, 41)
        assert_allclose(piece.many(times), dense(times).T, rtol=0, atol=2e-13)
        assert_array_equal(piece(piece.t1), mine.y)


@pytest.mark.parametrize("method", EVERY)
def test_pieces_join_and_follow_the_motion(method):
    stepped = integrator(method)
    end = stepped.y.copy()
    while not stepped.finished:
        stepped.step()
        piece = stepped.piece()
        assert_allclose(piece.values[0], end, rtol=0, atol=1e-12)
        for t in np.linspace(piece.t0, piece.t1, 7).tolist():
            assert_allclose(piece(t), exact(t), atol=1e-4 if method == "RK23" else 2e-5)
        end = stepped.y.copy()


def test_the_piece_of_a_free_fall_is_the_parabola():
    fall = integrator("DOP853", y=np.array([1.0, 2.0]), f=lambda t, y: np.array([y[1], -9.81]))
    while not fall.finished:
        fall.step()
        piece = fall.piece()
        t = np.linspace(piece.t0, piece.t1, 9)
        assert_allclose(piece.many(t)[:, 0], 1 + 2 * t - 9.81 / 2 * t * t, rtol=1e-13, atol=1e-13)


# A state put in


@pytest.mark.parametrize("method", EVERY)
def test_a_state_put_in_is_where_it_goes_on_from(method):
    """After a small move along the circle the motion is ahead by that much."""
    moved = integrator(method)
    for _ in range(6):
        moved.step()
    ahead = 1e-7
    assert moved.put(exact(moved.t + ahead))
    assert_allclose(moved.y, exact(moved.t + ahead), rtol=1e-15)
    t = moved.t
    way = steps(moved)
    assert way[0][0] > t
    untouched = integrator(method)
    steps(untouched)
    error = np.abs(untouched.y - exact(5.0)).max()
    assert_allclose(moved.y, exact(5.0 + ahead), atol=2 * error + 2e-9)


@pytest.mark.parametrize("method", ONE_STEP)
def test_a_one_step_method_goes_on_from_a_state_put_in_as_from_a_start(method):
    moved = integrator(method)
    moved.step()
    state = moved.y + np.array([1e-3, -2e-3])
    moved.put(state)
    afresh = integrator(method, t=moved.t, y=state, first_step=moved.next_step)
    for _ in range(3):
        moved.step()
        afresh.step()
        assert moved.t == afresh.t
        assert_array_equal(moved.y, afresh.y)


def test_a_method_that_cannot_take_a_state_says_so():
    class Euler(OdeSolver):
        """Fixed steps, and nothing scipy knows about."""

        def __init__(self, fun, t0, y0, t_bound, **options):
            super().__init__(fun, t0, y0, t_bound, vectorized=False)

        def _step_impl(self):
            h = min(0.01, self.t_bound - self.t)
            self.y = self.y + h * self.fun(self.t, self.y)
            self.t = self.t + h
            return True, None

    stepped = integrator(Euler)
    stepped.step()
    before = stepped.y.copy()
    assert not stepped.put(np.array([5.0, 5.0]))
    assert_array_equal(stepped.y, before)
    assert not stepped.one_step
    assert stepped.next_step is None
