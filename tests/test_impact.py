"""Impact laws: what they conserve, what they lose, and what takes part in an impact."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import gauss_opt as go

LAWS = ["newton", "poisson", "sequential"]


def contact(name, row, e=0.0):
    row = np.asarray(row, dtype=float)
    return go.Contact(name, lambda q, t: row @ q, restitution=e)


def rod(e, inertia=1 / 3):
    """A rod with contacts at its ends by height and angle; more inertia couples them otherwise."""
    contacts = [contact("left", [1, -1], e[0]), contact("right", [1, 1], e[1])]
    return go.System([1.0, inertia], [0.0, 0.0], contacts=contacts)


def rod_velocity(left, right):
    return [0.5 * (left + right), 0.5 * (right - left)]


@st.composite
def collisions(draw, same=False):
    """A random mass, one to four random planes through the origin, a velocity into all of them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, k = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    factor = rng.normal(size=(n, n))
    mass = (factor @ factor.T + 0.1 * np.eye(n)) * 10.0 ** draw(st.integers(-6, 6))
    v = rng.normal(size=n)
    rows = rng.normal(size=(k, n))
    rows *= -np.sign(rows @ v)[:, None]
    e = np.full(k, draw(st.floats(0, 1))) if same else rng.uniform(size=k)
    contacts = [
        contact(f"plane {i}", row, float(c)) for i, (row, c) in enumerate(zip(rows, e, strict=True))
    ]
    return go.System(mass, np.zeros(n), contacts=contacts), v, e


def by_contact(values):
    return np.array(list(values.values()))


# --- energy -------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(collisions())
def test_newton_loses_the_energy_that_its_impulses_and_coefficients_say(drawn):
    system, v, e = drawn
    collision = go.collide(system, np.zeros(len(v)), v)
    rates, impulses = by_contact(collision.rates_before), by_contact(collision.impulses)
    lost = 0.5 * ((1 - e) * rates * impulses).sum()
    before = 0.5 * v @ system.mass @ v
    assert collision.energy_change == pytest.approx(lost, rel=1e-9, abs=1e-12 * before)
    assert collision.energy_change <= 1e-12 * before
    assert (impulses >= 0).all()
    assert (by_contact(collision.rates_after) + e * rates >= -1e-10 * np.abs(rates).max()).all()


@settings(max_examples=60, deadline=None)
@given(collisions(), st.sampled_from(LAWS))
def test_no_law_raises_the_energy_or_leaves_an_approach(drawn, law):
    system, v, _ = drawn
    collision = go.collide(system, np.zeros(len(v)), v, law=law)
    before = 0.5 * v @ system.mass @ v
    assert collision.energy_change <= 1e-12 * before
    assert not collision.gains_energy
    speed = np.abs(by_contact(collision.rates_before)).max()
    assert by_contact(collision.rates_after).min() >= -1e-8 * speed
    assert collision.certificate.worst < 1e-9


@settings(max_examples=60, deadline=None)
@given(collisions(), st.sampled_from(["newton", "poisson"]))
def test_impacts_agree_with_the_pseudoinverse(drawn, law):
    system, v, _ = drawn
    collision = go.collide(system, np.zeros(len(v)), v, law=law)
    assert collision.pseudoinverse_difference < 1e-12


@settings(max_examples=60, deadline=None)
@given(collisions(same=True))
def test_poisson_is_newton_when_all_coefficients_are_equal(drawn):
    system, v, _ = drawn
    newton = go.collide(system, np.zeros(len(v)), v, law="newton")
    poisson = go.collide(system, np.zeros(len(v)), v, law="poisson")
    assert_allclose(poisson.v_after, newton.v_after, rtol=0, atol=1e-9 * np.abs(v).max())


def test_poisson_is_newton_when_the_contacts_do_not_feel_each_other():
    system = rod((0.3, 0.9), inertia=1.0)  # G is diagonal: E commutes with it
    v = rod_velocity(-1.0, -0.4)
    newton, poisson = (go.collide(system, [0, 0], v, law=law) for law in ("newton", "poisson"))
    assert_allclose(poisson.v_after, newton.v_after, atol=1e-14)
    assert_allclose(by_contact(newton.rates_after), [0.3, 0.36], atol=1e-14)


def test_equality_form_of_newton_can_pull_and_gain_energy_and_says_so():
    system, v = rod((1.0, 0.0), inertia=2.0), rod_velocity(-1.0, -0.1)
    collision = go.collide(system, [0, 0], v, law="newton-equality")
    assert collision.impulses["right"] == pytest.approx(-0.425)
    assert collision.energy_change == pytest.approx(0.02125)
    assert collision.gains_energy
    assert "increased the energy" in str(collision)
    inequality = go.collide(system, [0, 0], v)
    assert inequality.impulses["right"] == 0.0
    assert not inequality.gains_energy


def test_energy_gain_in_a_run_is_an_event_the_user_sees_or_an_error():
    system, v = rod((1.0, 0.0), inertia=2.0), rod_velocity(-1.0, -0.1)
    law = go.Newton(equality=True)
    result = go.simulate(system, [0, 0], v, (0, 0.1), law=law)
    assert result.events[0].gains_energy
    assert result.events[0].energy_change == pytest.approx(0.02125)
    with pytest.raises(go.SimulationError, match="energy"):
        go.simulate(system, [0, 0], v, (0, 0.1), law=law, refuse_energy_gain=True)


# --- constraints that move by themselves --------------------------------------------------------


@pytest.mark.parametrize("law", LAWS)
def test_moving_floor_does_work_beside_the_loss(law):
    m, e, u, before = 2.0, 0.6, 1.5, -3.0
    floor = go.Contact("floor", lambda q, t: q[0] - u * t, restitution=e)
    collision = go.collide(go.System([m], [0.0], contacts=[floor]), [0.6], [before], 0.4, law=law)
    after = u + e * (u - before)
    impulse = m * (after - before)
    assert_allclose(collision.v_after, [after], rtol=1e-13)
    assert collision.work_of_moving_constraints == pytest.approx(impulse * u, rel=1e-12)
    lost = -0.5 * m * (1 - e**2) * (u - before) ** 2
    assert collision.dissipation == pytest.approx(lost, rel=1e-12)
    assert collision.energy_change == pytest.approx(impulse * u + lost, rel=1e-12)
    assert not collision.gains_energy


def test_belt_that_grips_does_work_and_loses_as_much():
    belt = go.Nonholonomic("belt", lambda q, v, t: v[0] - 2.0)
    caught = go.engage(go.System([3.0, 3.0], [0.0, 0.0], [belt]), [0, 0], [0.0, 1.0])
    assert_allclose(caught.v_after, [2.0, 1.0], atol=1e-14)
    assert caught.work_of_moving_constraints == pytest.approx(12.0)
    assert caught.dissipation == pytest.approx(-6.0)
    assert not caught.gains_energy


def test_energy_account_of_a_run_closes_over_a_moving_floor():
    floor = go.Contact("floor", lambda q, t: q[0] - 0.1 * np.sin(7 * t), restitution=0.7)
    ball = go.System([1.0], [-9.81], contacts=[floor], potential=lambda q, t: 9.81 * q[0])
    result = go.simulate(ball, [0.5], [0.0], (0, 1.5), rtol=1e-11)
    impacts = [event for event in result.events if event.kind == "impact"]
    assert any(event.constraint_work > 0 for event in impacts)
    assert all(event.energy_change <= event.constraint_work for event in impacts)
    assert np.abs(result.energy.residual).max() < 1e-8


# --- what else takes part -----------------------------------------------------------------------


@pytest.mark.parametrize("law", LAWS)
def test_velocity_limit_holds_after_an_impact(law):
    slope = contact("slope", np.array([1, 1]) / np.sqrt(2), 1.0)
    limit = go.VelocityLimit("limit", lambda q, v, t: 1.0 - v[0])
    free = go.System([1.0, 1.0], [0.0, 0.0], contacts=[slope])
    held = go.System([1.0, 1.0], [0.0, 0.0], [limit], contacts=[slope])
    assert_allclose(go.collide(free, [0, 0], [0, -2], law=law).v_after, [2, 0], atol=1e-12)
    collision = go.collide(held, [0, 0], [0, -2], law=law)
    assert collision.v_after[0] == pytest.approx(1.0, abs=1e-12)
    assert collision.impulses["limit"] > 0
    assert not collision.gains_energy
    if law != "poisson":
        assert_allclose(collision.v_after, [1.0, 1.0], atol=1e-12)


@pytest.mark.parametrize("law", LAWS)
def test_blade_takes_the_impulse_across_it(law):
    tilt, e = 0.5, 0.8
    blade = go.Nonholonomic("blade", lambda q, v, t: v[1])
    wall = contact("wall", [np.cos(tilt), np.sin(tilt)], e)
    collision = go.collide(
        go.System([2.0, 2.0], [0.0, 0.0], [blade], contacts=[wall]), [0, 0], [-1, 0], law=law
    )
    assert_allclose(collision.v_after, [e, 0.0], atol=1e-13)
    blow = 2.0 * (1 + e) / np.cos(tilt)
    assert collision.impulses["wall"] == pytest.approx(blow)
    assert collision.impulses["blade"] == pytest.approx(-blow * np.sin(tilt))


@pytest.mark.parametrize("law", ["newton", "sequential"])
def test_constraint_nonlinear_in_velocity_holds_at_the_nearest_velocity(law):
    c, e = 0.7, 0.6
    cone = go.Nonholonomic("cone", lambda q, v, t: v[0] ** 2 + v[1] ** 2 - c**2 * v[2] ** 2)
    system = go.System(1.0, np.zeros(3), [cone], contacts=[contact("floor", [0, 0, 1], e)], nv=3)
    after = go.collide(system, np.zeros(3), [0.42, 0.56, -1.0], law=law).v_after
    # reversing the horizontal velocity too would be on the cone, but further away
    assert_allclose(after, [e * 0.42, e * 0.56, e], atol=1e-11)


@pytest.mark.parametrize("law", LAWS)
def test_particle_of_constant_speed_keeps_it_in_an_impact(law):
    speed = go.Nonholonomic("speed", lambda q, v, t: v @ v - 1.0)
    floor = contact("floor", [0, 1], 0.5)
    system = go.System([1.0, 1.0], [0.0, 0.0], [speed], contacts=[floor])
    collision = go.collide(system, [0, 0], [0.6, -0.8], law=law)
    assert collision.v_after @ collision.v_after == pytest.approx(1.0, abs=1e-11)
    assert collision.v_after[0] > 0
    assert not collision.gains_energy
    if law == "poisson":
        # compression to (1, 0) takes (0.6 - 1, -0.8) + L (0, 1) + s (1, 0): L = 0.8
        assert collision.jumps[0].impulses[1] == pytest.approx(0.8, abs=1e-9)
    else:
        assert_allclose(collision.v_after, [np.sqrt(1 - 0.16), 0.4], atol=1e-11)


@pytest.mark.parametrize("law", LAWS)
def test_servo_takes_no_impulse(law):
    servo = go.Servo("servo", lambda q, t: q[0] - q[1], frequency=50.0)
    floor = contact("floor", [1, 0], 0.5)
    system = go.System([1.0, 1.0], [0.0, 0.0], [servo], contacts=[floor])
    collision = go.collide(system, [0, 0], [-1, -1], law=law)
    assert_allclose(collision.v_after, [0.5, -1.0], atol=1e-14)
    assert collision.impulses["servo"] == 0.0


@pytest.mark.parametrize("law", LAWS)
def test_redundant_contacts_give_one_velocity_and_say_that_impulses_are_not_unique(law):
    single = go.System([2.0], [0.0], contacts=[contact("a", [1], 0.5)])
    double = go.System([2.0], [0.0], contacts=[contact("a", [1], 0.5), contact("b", [1], 0.5)])
    one, two = (go.collide(s, [0], [-1], law=law) for s in (single, double))
    assert_allclose(two.v_after, one.v_after, atol=1e-14)
    assert_allclose(by_contact(two.impulses), one.impulses["a"] / 2, atol=1e-13)
    assert one.unique
    assert not two.unique


def test_only_contacts_that_touch_and_do_not_separate_take_part():
    planes = [contact("hit", [1, 0]), contact("leaving", [0, 1])]
    far = go.Contact("far", lambda q, t: q[0] + 1.0)
    system = go.System([1.0, 1.0], [0.0, 0.0], contacts=[*planes, far])
    collision = go.collide(system, [0, 0], [-1, 2])
    assert_allclose(collision.v_after, [0, 2], atol=1e-15)
    assert collision.impulses == {"hit": pytest.approx(1.0), "leaving": 0.0, "far": 0.0}


# --- laws by name and of one's own --------------------------------------------------------------


def test_coefficient_too_small_for_floating_point_is_plastic():
    system = go.System([22.0], [0.0], contacts=[contact("floor", [1], 5e-324)])
    assert_allclose(go.collide(system, [0], [-0.8], law="poisson").v_after, 0.0, atol=1e-15)


class Sticky(go.ImpactLaw):
    """Every contact stops, whatever its coefficient."""

    def apply(self, impact):
        return go.Outcome.of(impact.solve(rates=np.zeros(len(impact.contacts))))


def test_law_of_ones_own_is_a_few_lines():
    assert_allclose(go.collide(rod((1, 1)), [0, 0], [-1, 0], law=Sticky()).v_after, 0, atol=1e-15)
    ball = go.System([1.0], [-9.81], contacts=[contact("floor", [1], 0.9)])
    result = go.simulate(ball, [1.0], [0.0], (0, 1), law=Sticky())
    assert [event.kind for event in result.events] == ["impact"]
    assert_allclose(result.multipliers["floor"][-1], 9.81)


@pytest.mark.parametrize("law", ["newtonn", 3, [], go.Newton])
def test_unknown_law_is_answered_with_the_names_there_are(law):
    with pytest.raises(go.InputError, match="newton, poisson, sequential"):
        go.collide(rod((1, 1)), [0, 0], [-1, 0], law=law)


def test_sequential_takes_any_law_for_its_single_collisions():
    v = go.collide(rod((0.5, 0.5)), [0, 0], [-1, 0], law=go.Sequential(Sticky())).v_after
    assert_allclose(v, [0, 0], atol=1e-12)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_sequential_that_runs_out_of_collisions_stops_what_still_approaches(limit):
    rows = [[1, 0], [-1, 0.2]]  # a narrow wedge: many collisions
    wedge = [contact(f"side {i}", row, 0.9) for i, row in enumerate(rows)]
    system = go.System([1.0, 1.0], [0.0, 0.0], contacts=wedge)
    law = go.Sequential(max_collisions=limit)
    collision = go.collide(system, [0, 0], [-0.1, -1.0], law=law)
    assert by_contact(collision.rates_after).min() >= -1e-12
    assert len(collision.jumps) == limit + 1
    assert not collision.gains_energy


# Exact fits


def slot(*restitution):
    """Two bodies that fill the space between two walls."""
    gaps = {
        "left": lambda q, t: q[0],
        "pair": lambda q, t: q[1] - q[0] - 1.0,
        "right": lambda q, t: 1.0 - q[1],
    }
    contacts = [
        go.Contact(name, gap, e) for (name, gap), e in zip(gaps.items(), restitution, strict=True)
    ]
    return go.System([1.0, 1.0], [0.0, 0.0], contacts=contacts)


def test_an_exact_fit_that_is_asked_to_open_everywhere_says_so():
    asked = (slot(0.9, 0.1, 0.5), [0.0, 1.0], [-1.0, 0.0])
    everything = ["left", "pair", "right"]
    with pytest.raises(go.InfeasibleError, match=r"(?s)no solution.*exact fit") as failed:
        go.collide(*asked, contacts=everything)
    assert set(failed.value.constraints) == set(everything)
    assert failed.value.certificate is not None
    assert failed.value.problem.kind == "impact"
    after = go.collide(*asked, contacts=everything, law="poisson").v_after
    assert_allclose(after, 0.0, atol=1e-12)
    assert go.simulate(*asked, (0, 1)).success


# One contact after the other, in closed form


class ByProblems(go.Newton):
    """Newton's law, which the sequential law does not know to have a closed form."""


@pytest.mark.parametrize("seed", range(5))
def test_collisions_one_by_one_are_those_of_problems_solved_one_by_one(seed):
    rng = np.random.default_rng(seed)
    n = 6
    contacts = [go.Contact("wall", lambda q, t: q[0], rng.uniform(0, 1))] + [
        go.Contact(f"{i}", lambda q, t, i=i: q[i + 1] - q[i] - 1.0, rng.uniform(0, 1))
        for i in range(n - 1)
    ]
    system = go.System(10.0 ** rng.uniform(-2, 2, n), np.zeros(n), contacts=contacts)
    start = (system, np.arange(float(n)), -np.sort(rng.uniform(0, 1, n)))
    quick = go.collide(*start, law=go.Sequential())
    plain = go.collide(*start, law=go.Sequential(ByProblems()))
    assert len(quick.jumps) == len(plain.jumps)
    assert [jump.contacts.tolist() for jump in quick.jumps] == [
        jump.contacts.tolist() for jump in plain.jumps
    ]
    assert_allclose(quick.v_after, plain.v_after, rtol=1e-9, atol=1e-12)
    assert_allclose(quick.row_impulses, plain.row_impulses, rtol=1e-9, atol=1e-12)
    assert quick.certificate.passes(1e-9)
    # The last may stop together what would collide for ever.
    assert {jump.solution.solver for jump in quick.jumps[:-1]} <= {"one row"}
