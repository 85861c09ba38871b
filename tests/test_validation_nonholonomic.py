"""Nonholonomic and non-ideal constraints against closed forms; the rod of a pendulum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from test_validation_smooth import G, flow

import gauss_opt as go
from gauss_opt.reference.closed_form import udwadia_kalaba


def test_rod_of_a_pendulum_carries_three_weights_at_the_bottom():
    rod = go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)
    pendulum = go.System([1.0, 1.0], [0.0, -G], [rod])
    quarter = 1.854074677301372 / np.sqrt(G)  # K(1/sqrt 2) sqrt(L/g), from rest at (-1, 0)
    q, v = flow(pendulum, [-1.0, 0.0], [0.0, 0.0], [quarter])
    assert_allclose(q[0], [0.0, -1.0], atol=1e-8)
    answer = go.accelerate(pendulum, q[0], v[0])
    assert_allclose(answer.forces["rod"], [0.0, 3 * G], rtol=1e-8, atol=1e-6)


# --- knife edge, sleigh, Appell-Hamel ---------------------------------------------------------


def knife_edge():
    slope = G * np.sin(np.pi / 6)
    edge = go.Nonholonomic("edge", lambda q, v, t: v[0] * np.sin(q[2]) - v[1] * np.cos(q[2]))
    return go.System([2.0, 2.0, 0.3], [2.0 * slope, 0.0, 0.0], [edge])


def test_knife_edge_accelerates_along_its_heading_and_turns_freely():
    t, w, slope = 0.7, 2.0, G * np.sin(np.pi / 6)
    speed = slope / w * np.sin(w * t)
    heading = np.array([np.cos(w * t), np.sin(w * t)])
    a = go.accelerate(knife_edge(), [0.1, 0.2, w * t], [*(speed * heading), w]).acceleration
    normal = np.array([-heading[1], heading[0]])
    expected = slope * heading[0] * heading + speed * w * normal
    assert_allclose(a, [*expected, 0.0], atol=1e-13)


def test_knife_edge_on_a_slope_does_not_run_away():
    q, _ = flow(knife_edge(), [0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [3.0])
    assert_allclose(q[0, :2], [0.047868520776070, 3.843243135174508], rtol=0, atol=1e-8)


def sleigh(m=1.0, inertia=0.5, a=0.3):
    """Chaplygin's sleigh by its mass centre, which is ``a`` ahead of the blade."""

    def blade(q, v, t):
        return -v[0] * np.sin(q[2]) + v[1] * np.cos(q[2]) - a * v[2]

    return go.System([m, m, inertia], [0.0, 0.0, 0.0], [go.Nonholonomic("blade", blade)])


def test_sleigh_accelerates_by_the_spin_and_loses_the_spin():
    m, inertia, a, speed, w, heading = 1.0, 0.5, 0.3, 0.8, 1.5, 0.4
    along = np.array([np.cos(heading), np.sin(heading)])
    across = np.array([-along[1], along[0]])
    v = np.array([*(speed * along + a * w * across), w])
    acceleration = go.accelerate(sleigh(), [0.0, 0.0, heading], v).acceleration
    spin = -m * a * speed * w / (inertia + m * a**2)
    assert acceleration[2] == pytest.approx(spin, rel=1e-13)
    # the blade's speed: v' = a w^2, and the centre turns with the body
    assert acceleration[:2] @ along == pytest.approx(a * w**2 - a * w**2, abs=1e-13)
    assert acceleration[:2] @ across == pytest.approx(a * spin + w * speed, rel=1e-13)


def test_sleigh_ends_up_sliding_straight():
    q, v = flow(sleigh(), [0.0, 0.0, 0.0], [0.0, 0.45, 1.5], [4.0])
    along = np.array([np.cos(q[0, 2]), np.sin(q[0, 2])])
    reached = [v[0, :2] @ along, v[0, 2], q[0, 2]]
    expected = [1.13112868280774, 0.285371904029706, 3.5317438008646]
    assert_allclose(reached, expected, rtol=0, atol=1e-8)


def appell_hamel(c=0.7):
    cone = go.Nonholonomic("cone", lambda q, v, t: v[0] ** 2 + v[1] ** 2 - c**2 * v[2] ** 2)
    return go.System(1.0, [0.0, 0.0, -G], [cone], nv=3)


def test_appell_hamel_falls_with_constant_acceleration():
    v = np.array([0.42, 0.56, -1.0])
    a = go.accelerate(appell_hamel(), np.zeros(3), v).acceleration
    fall = -G / (1 + 0.7**2)
    assert_allclose(a, [-0.42 * fall, -0.56 * fall, fall], rtol=1e-13)


def test_appell_hamel_reaches_the_quoted_state():
    q, v = flow(appell_hamel(), np.zeros(3), [0.42, 0.56, -1.0], [2.0])
    assert_allclose(v[0], [5.950469798658, 7.933959731544, -14.167785234899], rtol=0, atol=1e-8)
    assert q[0, 2] == pytest.approx(-15.167785234899, abs=1e-8)


# --- non-ideal constraints --------------------------------------------------------------------


def random_nonideal(seed):
    """A system with a matrix mass, two constraints and a non-ideal force, and its pieces."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    M, Q, C = root @ root.T + np.eye(4), rng.normal(size=4), rng.normal(size=4)
    A, b = rng.normal(size=(2, 4)), rng.normal(size=2)
    rows = go.Nonholonomic("rows", lambda q, v, t: A @ v - b * t)  # its derivative: A a = b
    return go.System(M, Q, [rows], nonideal=lambda q, v, t: C + 0.0 * q), M, Q, A, b, C


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_ideal_and_nonideal_parts_are_orthogonal_in_the_mass_metric(seed):
    system, M, *_ = random_nonideal(seed)
    answer = go.accelerate(system, np.zeros(4), np.zeros(4), solver="daqp")
    ideal = np.linalg.solve(M, answer.ideal_force)
    nonideal = np.linalg.solve(M, answer.nonideal_force)
    size = np.sqrt((ideal @ M @ ideal) * (nonideal @ M @ nonideal))
    assert abs(ideal @ M @ nonideal) <= 1e-12 * size


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_nonideal_is_ideal_with_the_free_acceleration_a_plus_c(seed):
    system, M, Q, A, b, C = random_nonideal(seed)
    nonideal = go.accelerate(system, np.zeros(4), np.zeros(4), solver="daqp")
    ideal = go.System(M, Q + C, system.constraints)
    same = go.accelerate(ideal, np.zeros(4), np.zeros(4), solver="daqp")
    assert_allclose(nonideal.acceleration, same.acceleration, rtol=1e-12, atol=1e-12)
    expected = udwadia_kalaba(M, Q, A, b, C)
    assert_allclose(nonideal.acceleration, expected.acceleration, rtol=1e-10, atol=1e-10)
    assert_allclose(nonideal.ideal_force, expected.ideal_force, rtol=1e-10, atol=1e-10)
    assert_allclose(nonideal.nonideal_force, expected.nonideal_force, rtol=1e-10, atol=1e-10)


def test_particle_slides_down_an_incline_against_resistance():
    angle, mu, m = np.pi / 6, 0.2, 3.0
    down = np.array([np.cos(angle), -np.sin(angle)])
    plane = go.Holonomic("plane", lambda q, t: q[0] * np.sin(angle) + q[1] * np.cos(angle))

    def resistance(q, v, t, ideal_force):
        return -mu * np.linalg.norm(ideal_force) * v / np.linalg.norm(v)

    system = go.System([m, m], [0.0, -m * G], [plane], nonideal=resistance)
    answer = go.accelerate(system, [0.0, 0.0], 2.0 * down)
    assert answer.acceleration @ down == pytest.approx(3.205858157775, abs=1e-12)
    assert np.linalg.norm(answer.ideal_force) == pytest.approx(m * G * np.cos(angle), rel=1e-13)
    assert np.linalg.norm(answer.nonideal_force) == pytest.approx(
        mu * m * G * np.cos(angle), rel=1e-13
    )


def test_bead_on_a_wire_slows_down_exponentially_in_the_angle():
    R, mu, v0 = 0.5, 0.3, 4.0
    wire = go.Holonomic("wire", lambda q, t: q[0] ** 2 + q[1] ** 2 - R**2)

    def resistance(q, v, t, ideal_force):
        return -mu * np.linalg.norm(ideal_force) * v / np.linalg.norm(v)

    system = go.System([0.1, 0.1], [0.0, 0.0], [wire], nonideal=resistance)
    times = np.linspace(0.05, 0.4, 8)
    q, v = flow(system, [R, 0.0], [0.0, v0], times)
    angle = np.unwrap(np.arctan2(q[:, 1], q[:, 0]))
    assert angle[-1] > 2.0
    assert_allclose(np.linalg.norm(v, axis=1), v0 * np.exp(-mu * angle), rtol=1e-8)
