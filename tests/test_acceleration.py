"""Accelerations and constraint forces: signs, names, splits, weights and contacts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import gauss_opt as go
from gauss_opt.reference.closed_form import weighted_force

G = 9.81
seeds = st.integers(0, 2**32 - 1)


def ball(gap=lambda q, t: q[0], **options):
    return go.System([2.0], [-2.0 * G], contacts=[go.Contact("floor", gap)], **options)


def test_multiplier_is_the_force_on_the_system():
    answer = go.accelerate(ball(), [0.0], [0.0])
    assert answer.acceleration == pytest.approx(0.0, abs=1e-15)
    assert answer.multipliers["floor"] == pytest.approx(2.0 * G)
    assert_allclose(answer.forces["floor"], [2.0 * G])
    assert_allclose(answer.constraint_force, [2.0 * G])
    assert answer.certificate.worst <= 1e-12


def random_system(seed, nonideal=True):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(5, 5))
    M, Q, C = root @ root.T + np.eye(5), rng.normal(size=5), rng.normal(size=5)
    A, W = rng.normal(size=(3, 5)), rng.normal(size=(2, 5))
    constraints = [
        go.Holonomic("pair", lambda q, t: A[:2] @ q + t**2 * np.array([1.0, -1.0])),
        go.Servo("servo", lambda q, t: A[2] @ q - 0.1, frequency=3.0),
    ]
    contacts = [go.Contact("feet", lambda q, t: W @ q)]
    options = {"nonideal": lambda q, v, t: C + 0.0 * q} if nonideal else {}
    return go.System(M, Q, constraints, contacts, **options), C


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_forces_by_name_sum_to_what_the_constraints_add_without_c(seed):
    system, C = random_system(seed)
    answer = go.accelerate(system, np.zeros(5), np.zeros(5), solver="daqp")
    assert set(answer.forces) == {"pair", "servo", "feet"}
    assert answer.multipliers["pair"].shape == (2,)
    assert np.ndim(answer.multipliers["servo"]) == 0
    total = sum(answer.forces.values())
    scale = np.abs(answer.constraint_force).max() + np.abs(C).max()
    assert_allclose(total, answer.constraint_force - C, atol=1e-10 * scale)
    assert_allclose(answer.control_force, answer.forces["servo"])
    M = answer.snapshot.mass
    assert_allclose(answer.ideal_force + answer.nonideal_force, answer.constraint_force)
    cross = answer.ideal_force @ np.linalg.solve(M, answer.nonideal_force)
    assert abs(cross) <= 1e-9 * scale**2
    free = np.linalg.solve(M, answer.snapshot.force + C)
    miss = answer.acceleration - free
    assert answer.gauss == pytest.approx(0.5 * miss @ M @ miss, rel=1e-9)


def test_servo_force_is_the_control_force_and_the_error_decays():
    servo = go.Servo("height", lambda q, t: q[0] - 1.0, frequency=4.0, damping=0.5)
    answer = go.accelerate(go.System([2.0], [-2.0 * G], [servo]), [1.5], [0.3])
    decay = -2 * 0.5 * 4.0 * 0.3 - 16.0 * 0.5
    assert_allclose(answer.acceleration, [decay])
    assert_allclose(answer.control_force, [2.0 * (decay + G)])
    assert_allclose(go.accelerate(ball(), [0.0], [0.0]).control_force, [0.0])


# --- weighted constraint force ----------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(seeds, st.sampled_from(["inverse mass", "identity", "random"]))
def test_weighted_force_is_the_closed_form(seed, kind):
    system, _ = random_system(seed, nonideal=False)
    M = system.mass
    root = np.random.default_rng(seed + 1).normal(size=(5, 5))
    R = {
        "inverse mass": np.linalg.inv(M),
        "identity": np.eye(5),
        "random": root @ root.T + np.eye(5),
    }[kind]
    answer = go.accelerate(system, np.zeros(5), np.zeros(5), contacts=[], weight=R)
    snapshot = answer.snapshot
    expected = weighted_force(M, snapshot.force, snapshot.rows[:3], snapshot.rhs[:3], R)
    assert_allclose(answer.acceleration, expected.acceleration, rtol=1e-8, atol=1e-8)
    assert_allclose(answer.constraint_force, expected.ideal_force, rtol=1e-8, atol=1e-8)
    assert_allclose(sum(answer.forces.values()), expected.ideal_force, rtol=1e-8, atol=1e-8)
    v = expected.ideal_force
    assert answer.gauss == pytest.approx(0.5 * v @ R @ v, rel=1e-8)


def test_weight_may_be_a_number_or_a_diagonal():
    rail = go.Holonomic("rail", lambda q, t: q[0] + q[1])
    system = go.System([1.0, 3.0], [1.0, 2.0], [rail])
    state = ([0.0, 0.0], [0.0, 0.0])
    full = go.accelerate(system, *state, weight=2.0 * np.eye(2)).acceleration
    for weight in (2.0, [2.0, 2.0]):
        assert_allclose(go.accelerate(system, *state, weight=weight).acceleration, full)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-1.0, "positive definite"),
        ([1.0, 2.0, 3.0], r"got shape \(3, 3\)"),
        (1e-12 * np.array([[2.0, 1.0], [0.0, 2.0]]), r"weight is not symmetric: entry \(0, 1\)"),
        ([np.nan, 1.0], r"weight\[0\] is nan"),
    ],
)
def test_a_bad_weight_is_refused(weight, message):
    with pytest.raises(go.InputError, match=message):
        go.accelerate(go.System([1.0, 1.0]), [0.0, 0.0], [0.0, 0.0], weight=weight)


@pytest.mark.parametrize("nonideal", [lambda q, v, t: -v, lambda q, v, t, ideal: -ideal])
def test_weight_is_not_defined_together_with_a_nonideal_force(nonideal):
    system = go.System([1.0], [0.0], nonideal=nonideal)
    with pytest.raises(go.InputError, match="not defined together with a non-ideal force"):
        go.accelerate(system, [0.0], [0.0], weight=1.0)


def test_weight_needs_a_positive_definite_mass():
    with pytest.raises(go.InputError, match="weight= needs a positive definite mass"):
        go.accelerate(go.System([1.0, 0.0]), [0.0, 0.0], [0.0, 0.0], weight=1.0)


# --- contacts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("height", [0.0, 10.0, -3.0])
def test_contacts_are_classified_alike_in_any_unit_and_at_any_height(unit, height):
    system = go.System(
        [1.0], [-G * unit], contacts=[go.Contact("floor", lambda q, t: q[0] - height * unit)]
    )
    falls, rests = pytest.approx(-G * unit), pytest.approx(0.0, abs=1e-12 * unit)
    at = height * unit
    assert go.accelerate(system, [at], [0.0]).acceleration == rests
    assert go.accelerate(system, [at], [-unit]).acceleration == rests
    assert go.accelerate(system, [at], [unit]).acceleration == falls  # departing
    assert go.accelerate(system, [at + 1e-3 * unit], [0.0]).acceleration == falls
    if height:
        assert go.accelerate(system, [at * (1 + 1e-12)], [0.0]).acceleration == rests


def test_contacts_may_be_chosen_by_name():
    system = ball()
    assert_allclose(go.accelerate(system, [1.0], [0.0], contacts=["floor"]).acceleration, [0.0])
    assert_allclose(go.accelerate(system, [0.0], [0.0], contacts=[]).acceleration, [-G])
    twice = go.accelerate(system, [0.0], [0.0], contacts=["floor", "floor"])
    assert twice.multipliers["floor"] == pytest.approx(2 * G)
    assert go.accelerate(system, [0.0], [0.0], contacts="floor").multipliers["floor"] > 0
    rod = go.Holonomic("rod", lambda q, t: q[0])
    pendulum = go.System([1.0], None, [rod], [go.Contact("c", lambda q, t: q[0])])
    with pytest.raises(go.InputError, match="Holonomic 'rod' is not a contact or a velocity limit"):
        go.accelerate(pendulum, [0.0], [0.0], contacts=["rod"])


def test_only_the_touching_rows_of_a_vector_contact_carry_force():
    feet = go.Contact("feet", lambda q, t: q)
    system = go.System([1.0, 1.0, 1.0], [-1.0, -2.0, -3.0], contacts=[feet])
    answer = go.accelerate(system, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0])
    assert_allclose(answer.acceleration, [0.0, -2.0, 0.0], atol=1e-14)
    assert_allclose(answer.multipliers["feet"], [1.0, 0.0, 3.0])
    assert_allclose(answer.forces["feet"], [1.0, 0.0, 3.0])


def test_a_lifted_contact_does_not_pull():
    system = go.System([1.0], [5.0], contacts=[go.Contact("floor", lambda q, t: q[0])])
    answer = go.accelerate(system, [0.0], [0.0])
    assert_allclose(answer.acceleration, [5.0])
    assert answer.multipliers["floor"] == 0.0


def test_a_velocity_limit_holds_once_it_is_reached():
    limit = go.VelocityLimit("governor", lambda q, v, t: 3.0 - v[0])
    system = go.System([2.0], [8.0], [limit])
    assert_allclose(go.accelerate(system, [0.0], [2.9]).acceleration, [4.0])
    answer = go.accelerate(system, [0.0], [3.0])
    assert_allclose(answer.acceleration, [0.0], atol=1e-14)
    assert_allclose(answer.forces["governor"], [-8.0])
    assert answer.multipliers["governor"] == pytest.approx(8.0)


def test_redundant_contacts_share_the_load_and_say_so():
    legs = [go.Contact(f"leg {i}", lambda q, t: q[0]) for i in range(4)]
    answer = go.accelerate(go.System([4.0], [-4.0 * G], contacts=legs), [0.0], [0.0])
    assert not answer.solution.unique
    assert_allclose(list(answer.multipliers.values()), G)
    assert_allclose(answer.acceleration, [0.0], atol=1e-13)


def test_a_zero_normal_of_an_open_contact_does_no_harm():
    bowl = go.Contact("bowl", lambda q, t: 1.0 + q[0] ** 2)
    assert_allclose(
        go.accelerate(go.System([1.0], [2.0], contacts=[bowl]), [0.0], [0.0]).acceleration, [2.0]
    )


def test_contact_and_constraint_with_a_massless_coordinate():
    tie = go.Holonomic("tie", lambda q, t: q[0] - q[1])
    floor = go.Contact("floor", lambda q, t: q[1])
    system = go.System([2.0, 0.0], [-6.0, 0.0], [tie], [floor])
    answer = go.accelerate(system, [0.0, 0.0], [0.0, 0.0])
    assert_allclose(answer.acceleration, [0.0, 0.0], atol=1e-13)
    assert answer.multipliers["floor"] == pytest.approx(6.0)


# --- resistance that depends on the ideal force -----------------------------------------------


def block(push, mu=0.4):
    """A block on a floor, pushed up by ``push``, sliding in +x against mu |N|."""

    def resistance(q, v, t, ideal_force):
        return np.array([-mu * np.abs(ideal_force[1]) * np.sign(v[0]), 0.0])

    floor = go.Contact("floor", lambda q, t: q[1])
    return go.System([1.0, 1.0], [0.0, push - G], contacts=[floor], nonideal=resistance)


@pytest.mark.parametrize("push", [0.0, 5.0, 20.0])
def test_resistance_follows_the_normal_force_until_the_block_lifts(push):
    answer = go.accelerate(block(push), [0.0, 0.0], [1.0, 0.0])
    normal = max(G - push, 0.0)
    assert_allclose(answer.acceleration, [-0.4 * normal, max(push - G, 0.0)], atol=1e-13)
    assert answer.multipliers["floor"] == pytest.approx(normal, abs=1e-13)
    assert_allclose(answer.ideal_force, [0.0, normal], atol=1e-13)
    assert_allclose(answer.nonideal_force, [-0.4 * normal, 0.0], atol=1e-13)


def test_an_inconsistent_velocity_is_not_refused():
    rod = go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)
    answer = go.accelerate(go.System([1.0, 1.0], [0.0, -G], [rod]), [1.0, 0.0], [3.0, 1.0])
    assert_allclose(answer.acceleration, [-10.0, -G])


def test_everything_is_shown():
    text = str(go.accelerate(ball(), [0.0], [0.0], 2.0))
    for part in ("t = 2", "floor: multiplier 19.62", "Gauss function", "certificate"):
        assert part in text
