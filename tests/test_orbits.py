"""Periodic orbits, branches of them, sections and exponents: against closed forms."""

import numpy as np
import pytest
from scipy.special import ellipk
from test_monodromy import SIGMA, ZETA, oscillator

import gauss_opt as go
from gauss_opt.studies.nonsmooth.periodicity import require_periodic

G, W = 9.81, 2.0 * np.pi


def bouncing(e=0.6):
    """A ball above a table that moves as A sin(W t): one impact in each period of 1 s."""
    return go.System(
        [1.0],
        [-G],
        contacts=[go.Contact("table", lambda q, t, A: q[0] - A * np.sin(W * t), restitution="e")],
        parameters={"A": 0.0, "e": e},
        coordinates=["height"],
    )


def exact_bounce(A, e, up=False):
    """State a quarter period after t = 0 of the orbit that leaves with g T / 2, and its trace.

    The table moves at the impact with g T / 2 (1 - e) / (1 + e); its phase is in the first quarter,
    where the orbit is a node, or before it (``up``), where it is a saddle.
    """
    speed = 0.5 * G * (1 - e) / (1 + e)
    phase = np.arccos(speed / (A * W))
    phase = -phase if up else phase
    hit, height = phase / W, A * np.sin(phase)
    lead = 0.25 - hit if hit < 0.25 else 1.25 - hit
    q = height + 0.5 * G * lead - 0.5 * G * lead**2
    trace = 1 + e**2 - (1 + e) ** 2 * A * W**2 * np.sin(phase) / G
    return q, 0.5 * G - G * lead, trace


def limits(e):
    """Amplitudes at which the orbit begins to exist, and at which its period doubles."""
    least = np.pi * (1 - e) / (1 + e)
    return [gamma * G / W**2 for gamma in (least, np.hypot(least, 2 * (1 + e**2) / (1 + e) ** 2))]


def bounce_orbit(A, e=0.6, **options):
    q, v, _ = exact_bounce(A, e, **options)
    system = bouncing(e).with_parameters(A=A)
    return go.periodic_orbit(system, [1.0001 * q], [v], 1.0, t0=0.25, solver="daqp")


@pytest.mark.parametrize("up", [False, True])
def test_the_period_one_ball_has_its_closed_form_and_its_multipliers(up):
    e = 0.6
    A = float(np.mean(limits(e)))
    orbit = bounce_orbit(A, up=up)
    q, v, trace = exact_bounce(A, e, up)
    assert (orbit.q[0], orbit.v[0]) == pytest.approx((q, v), abs=1e-8)
    assert orbit.word == ("table",)
    exact = np.roots([1.0, -trace, e**2])
    exact = exact[np.argsort(-np.abs(exact))]
    np.testing.assert_allclose(
        np.sort_complex(orbit.multipliers), np.sort_complex(exact), atol=1e-7
    )
    assert orbit.monodromy.determinant == pytest.approx(e**2, rel=1e-9)
    assert orbit.stable is not up
    assert ("unstable" in str(orbit)) is up


def test_the_ball_loses_its_period_where_its_closed_form_says():
    e = 0.6
    least, doubling = limits(e)
    first = bounce_orbit(0.5 * (least + doubling))
    branch = go.continue_orbit(first, "A", to=1.05 * doubling)
    (special,) = branch.special
    assert special.kind == "period doubling"
    assert special.exact
    assert special.value == pytest.approx(doubling, rel=1e-8)
    assert special.orbit.multipliers[0] == pytest.approx(-1.0, abs=1e-6)
    assert [orbit.stable for orbit in branch.orbits] == (branch.values < doubling).tolist()
    assert branch.values[-1] == 1.05 * doubling
    assert "is reached" in branch.ended


def test_the_ball_has_no_orbit_on_a_table_too_slow_the_branch_turns_around():
    e = 0.6
    least, doubling = limits(e)
    first = bounce_orbit(least + 0.1 * (doubling - least))
    # The saddle meets the node where the table is just fast enough.
    branch = go.continue_orbit(first, "A", to=0.5 * least, max_points=60)
    (fold,) = [one for one in branch.special if one.kind == "fold"]
    assert fold.value == pytest.approx(least, rel=1e-4)
    assert branch.values.min() >= least * (1 - 1e-9)
    assert branch.orbits[0].stable
    assert not branch.orbits[-1].stable
    q, v, _ = exact_bounce(branch.values[-1], e, up=True)
    assert (branch.orbits[-1].q[0], branch.orbits[-1].v[0]) == pytest.approx((q, v), abs=1e-7)
    assert "turned back" in branch.ended


def test_the_branch_of_the_impact_oscillator_ends_where_it_grazes():
    # There the motion without impacts just reaches the stop: its amplitude is SIGMA.
    b = 1.0 - 2.0 * ZETA**2
    exact = np.sqrt(b + np.sqrt(b**2 - 1.0 + 1.0 / SIGMA**2))
    free = go.periodic_orbit(oscillator().with_parameters(w=2.2), [-0.2], [0.0], W / 2.2,
                             solver="daqp")  # fmt: skip
    assert free.word == ()
    branch = go.continue_orbit(free, "w", 2.0, period=lambda w: W / w)
    assert branch.grazing == "stop"
    assert branch.values[-1] == pytest.approx(exact, abs=1e-6)
    assert "contact 'stop' grazes at w = 2.08" in str(branch)


def test_a_linear_oscillator_has_the_orbit_of_its_frequency_response():
    k = np.linspace(1.5, 3.0, 4)
    forced = go.System([1.0], lambda q, v, t, k: np.array([np.cos(t) - 0.2 * v[0] - k * q[0]]),
                       parameters={"k": 1.5})  # fmt: skip
    for stiffness in k:
        orbit = go.periodic_orbit(forced.with_parameters(k=stiffness), [0.0], [0.0], W)
        response = 1.0 / (stiffness - 1.0 + 0.2j)
        assert orbit.q[0] == pytest.approx(response.real, abs=1e-9)
        assert orbit.v[0] == pytest.approx(-response.imag, abs=1e-9)
        assert orbit.iterations <= 2


def test_a_step_into_an_obstacle_is_halved():
    # Newton's first step from rest would start beyond the stop.
    system = oscillator().with_parameters(w=2.0)
    orbit = go.periodic_orbit(system, [0.29], [2.0], np.pi, solver="daqp")
    assert orbit.result.gaps["stop"].min() > -1e-9
    assert orbit.residual < 1e-9


def test_guesses_without_an_orbit_and_wrong_arguments_are_refused():
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    with pytest.raises((go.OrbitError, go.NotSmoothError)):
        go.periodic_orbit(ball, [1.0], [0.0], 0.7, max_iterations=4)
    with pytest.raises(go.InputError, match="inside of contact"):
        go.periodic_orbit(ball, [-1.0], [0.0], 0.7)
    orbit = go.periodic_orbit(oscillator().with_parameters(w=2.2), [-0.2], [0.0], W / 2.2)
    with pytest.raises(go.InputError, match="'k' is no parameter"):
        go.continue_orbit(orbit, "k", 1.0)
    with pytest.raises(go.InputError, match=r"is at w = 2\.2 already"):
        go.continue_orbit(orbit, "w", 2.2)
    with pytest.raises(go.InputError, match="that of the orbit is"):
        go.continue_orbit(orbit, "w", 2.0, period=1.0)


# The period of the system


def walled(e=0.7, w=2.9):
    """An oscillator with a wall, driven with the frequency w."""
    wall = go.Contact("wall", lambda q, t: q[0], restitution=e)
    return go.System([1.0], lambda q, v, t, w: np.array([-1.69 * q[0] + np.cos(w * t)]),
                     contacts=[wall], parameters={"w": w})  # fmt: skip


@pytest.mark.parametrize("times", [1.1, 0.5, 1.0 + 1e-5])
def test_a_period_that_the_system_does_not_have_is_refused(times):
    with pytest.raises(go.InputError, match=r"not the same one period later.*its force at t = "):
        go.periodic_orbit(walled(), [1.0], [0.0], times * W / 2.9)


@pytest.mark.parametrize("t0", [0.0, 0.3, 1e4])
def test_round_off_of_phases_is_no_other_period(t0):
    # A rail that holds the mass: its values on the orbit are round-off, no measure of anything.
    rail = go.Holonomic("rail", lambda q, t: q[1] - 0.1 * np.sin(3.0 * t))

    def square(q, v, t):
        return np.array([np.sign(np.cos(3.0 * t)) - 4.0 * q[0] - v[0], -9.81])

    for times in (1, 2):
        run = go.simulate(go.System([1.0, 1.0], square, [rail]), [0.0, 0.1 * np.sin(3.0 * t0)],
                          [0.0, 0.3 * np.cos(3.0 * t0)], (t0, t0 + times * W / 3.0))  # fmt: skip
        require_periodic(run.system, run, times * W / 3.0)
        with pytest.raises(go.InputError, match="one period later"):
            require_periodic(run.system, run, 1.2 * times * W / 3.0)


def test_a_branch_over_the_frequency_needs_the_period_as_a_function():
    orbit = go.periodic_orbit(oscillator().with_parameters(w=2.2), [-0.2], [0.0], W / 2.2)
    with pytest.raises(go.InputError, match="not the same one period later"):
        go.continue_orbit(orbit, "w", 2.15)


# Neither stable nor unstable


def test_orbits_among_others_like_them_are_neutral():
    free = go.System([1.0], lambda q, v, t: np.array([-q[0]]))
    pendulum = go.System([1.0], lambda q, v, t: np.array([-np.sin(q[0])]))
    orbits = [
        go.periodic_orbit(free, [1.0], [0.0], W),
        go.periodic_orbit(pendulum, [1.2], [0.0], 4.0 * ellipk(np.sin(0.6) ** 2)),
    ]
    for orbit in orbits:
        assert orbit.stability == orbit.monodromy.stability == "neutral"
        assert not orbit.stable
        assert str(orbit).startswith("neutral orbit")


@pytest.mark.parametrize(("mu", "period", "start"), [(1.0, 6.663286859323, 2.008619860875)])
def test_a_limit_cycle_is_stable_whatever_its_multiplier_along_the_flow(mu, period, start):
    # Van der Pol; published period and amplitude. Backwards in time the cycle repels.
    for sign, stability in ((1.0, "stable"), (-1.0, "unstable")):

        def force(q, v, t, s=sign):
            return np.array([s * mu * (1.0 - q[0] ** 2) * v[0] - q[0]])

        orbit = go.periodic_orbit(go.System([1.0], force), [start], [0.0], period)
        assert np.abs(orbit.multipliers - 1.0).min() < 1e-5
        assert orbit.stability == stability


def test_weak_damping_is_stable_and_weak_growth_is_not():
    for damping, stability in ((1e-6, "stable"), (-1e-6, "unstable")):

        def force(q, v, t, d=damping):
            return np.array([np.cos(2.0 * t) - d * v[0] - q[0]])

        orbit = go.periodic_orbit(go.System([1.0], force), [-1.0 / 3.0], [0.0], np.pi)
        assert orbit.stability == orbit.monodromy.stability == stability


# Exponents


def test_the_sum_of_lyapunov_exponents_is_what_damping_and_impacts_take_from_areas():
    system = oscillator().with_parameters(w=1.7)
    run = go.simulate(system, [0.0], [0.3], (0.0, 12 * W / 1.7), rtol=1e-11, solver="daqp")
    impacts = run.stats.impacts
    assert impacts >= 5
    found = go.lyapunov(run)
    exact = -2.0 * ZETA + impacts * np.log(0.8**2) / run.t[-1]
    assert found.sum == pytest.approx(exact, abs=1e-9)
    assert found.exponents[0] >= found.exponents[1]
    assert found.history[-1] == pytest.approx(found.exponents)


def test_exponents_of_an_orbit_are_the_logarithms_of_its_multipliers():
    orbit = bounce_orbit(float(np.mean(limits(0.6))), up=True)
    run = go.simulate(orbit.system, orbit.q, orbit.v, (0.25, 1.25), rtol=1e-11, solver="daqp")
    # Over one period only: the orbit is unstable. Their sum is exact, the first near.
    found = go.lyapunov(run)
    assert found.sum == pytest.approx(np.log(0.36), abs=1e-9)
    assert found.chaotic


def test_a_plastic_impact_takes_a_direction_away():
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0])])
    found = go.lyapunov(go.simulate(ball, [1.0], [0.0], (0.0, 1.0)))
    assert found.exponents[-1] == -np.inf


# Sections


def test_a_section_is_taken_at_every_period_or_at_every_event():
    def crossing(q, v, t):
        return q[0]

    run = go.simulate(oscillator(), [0.0], [0.3], (0.0, 20.0), events={"middle": crossing})
    strobe = go.section(run, period=np.pi, phase=0.5)
    np.testing.assert_allclose(strobe.t, 0.5 + np.pi * np.arange(7))
    assert strobe.q[2] == run(0.5 + 2 * np.pi).q
    late = go.section(run, period=np.pi, phase=0.5, since=10.0)
    np.testing.assert_array_equal(late.t, strobe.t[4:])
    hits = go.section(run, at="stop", side="before")
    assert len(hits) == run.stats.impacts
    np.testing.assert_allclose(hits.q, SIGMA)
    np.testing.assert_allclose(go.section(run, at="stop").v, -0.8 * hits.v)
    middle = go.section(run, at="middle")
    np.testing.assert_allclose(middle.q, 0.0, atol=1e-9)
    for wrong, words in [
        ({"at": "floor"}, "no contact and no event"),
        ({}, "exactly one"),
        ({"period": -1.0}, "positive"),
        ({"at": "stop", "side": "up"}, "side"),
    ]:
        with pytest.raises(go.InputError, match=words):
            go.section(run, **wrong)


def test_everything_can_be_drawn(tmp_path):
    orbit = go.periodic_orbit(oscillator().with_parameters(w=2.0), [-1.7], [0.45], np.pi,
                              solver="daqp")  # fmt: skip
    branch = go.continue_orbit(orbit, "w", 2.1, period=lambda w: W / w, max_points=4)
    assert "the limit of 4 orbits" in branch.ended
    run = go.simulate(oscillator(), [0.0], [0.3], (0.0, 6.0))
    pictures = {
        "orbit": orbit.plot(), "branch": branch.plot(), "multipliers": orbit.monodromy.plot(),
        "exponents": go.lyapunov(run).plot(), "section": go.section(run, period=1.0).plot(),
    }  # fmt: skip
    for name, ax in pictures.items():
        ax.figure.savefig(tmp_path / f"{name}.png")
        assert ax.get_xlabel()
        assert ax.get_ylabel()
    assert "impact" in [text.get_text() for text in pictures["orbit"].get_legend().get_texts()]
