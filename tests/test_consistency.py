"""Consistent starts: on the constraints, near the guess, explained."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from test_validation_smooth import crank_position, slider_crank

import gauss_opt as go

seeds = st.integers(0, 2**32 - 1)


def quaternion_rates(q):
    """q' = N(q) w for a unit quaternion and the angular velocity in the body."""
    w, x, y, z = q
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def pendulum(length=1.0, mass=(1.0, 1.0)):
    rod = go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - length**2)
    return go.System(mass, [0.0, -9.81], [rod], coordinates=["x", "y"])


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 1e6])
def test_positions_reach_the_constraint_to_round_off_in_any_unit(size):
    q, v = go.assemble(pendulum(size), [0.9 * size, 0.7 * size], [size, 0.0])
    assert abs(q @ q - size**2) <= 1e-14 * size**2
    assert abs(q @ v) <= 1e-14 * size**2
    assert_allclose(q / size, np.array([0.9, 0.7]) / np.hypot(0.9, 0.7), rtol=1e-2)


@settings(max_examples=40, deadline=None)
@given(seeds)
def test_velocity_is_the_nearest_in_the_mass_metric(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    M, A, v0 = root @ root.T + np.eye(4), rng.normal(size=(2, 4)), rng.normal(size=4)
    speed = go.Nonholonomic("rows", lambda q, v, t: A @ v - np.array([1.0, t]))
    _, v = go.assemble(go.System(M, None, [speed]), np.zeros(4), v0, 2.0, solver="daqp")
    assert_allclose(A @ v, [1.0, 2.0], atol=1e-11)
    multipliers = np.linalg.lstsq(A.T, M @ (v - v0), rcond=None)[0]
    assert_allclose(M @ (v - v0), A.T @ multipliers, atol=1e-9)


def test_held_coordinates_stay_and_are_counted():
    result = go.assemble(pendulum(), [0.6, 0.7], [1.0, 0.0], hold_q=["x"], hold_v=[0])
    assert_allclose(result.q, [0.6, 0.8], rtol=1e-14)
    assert_allclose(result.v, [1.0, -0.75], rtol=1e-13)
    assert result.degrees_of_freedom == (0, 0)
    assert "determined by the constraints" in str(result)
    free = go.assemble(pendulum(), [0.6, 0.7])
    assert free.degrees_of_freedom == (1, 1)
    assert "1 degree of freedom is undetermined" in str(free)
    assert_allclose(free.moved, free.q - [0.6, 0.7])


def test_a_slider_crank_is_assembled_from_a_rough_guess():
    exact, slope, _ = crank_position(0.9)
    q, v = go.assemble(
        slider_crank(), exact + np.array([0.02, -0.03, 0.0, 0.05, 0.01, 0.1]), 5.0 * slope + 0.3,
        hold_q=[2], hold_v=["v[2]"],
    )  # fmt: skip
    assert_allclose(q, exact, atol=1e-13)
    assert_allclose(v, slope * 5.3, atol=1e-11)


def test_a_velocity_that_must_vanish_is_found():
    clamp = go.Holonomic("clamp", lambda q, t: np.array([q[0] + q[1], q[0] - np.pi * q[1]]))
    q, v = go.assemble(go.System([1.0, 0.3], None, [clamp]), [0.3, 0.7], [1.0, 2.0])
    assert_allclose([*q, *v], 0.0, atol=1e-15)


def test_nonlinear_velocity_constraints_are_iterated():
    cone = go.Nonholonomic("cone", lambda q, v, t: v[0] ** 2 + v[1] ** 2 - 0.49 * v[2] ** 2)
    _, v = go.assemble(go.System(1.0, None, [cone], nv=3), np.zeros(3), [0.5, 0.5, -1.0])
    assert abs(v[0] ** 2 + v[1] ** 2 - 0.49 * v[2] ** 2) <= 1e-14


def test_a_moving_constraint_gives_its_velocity():
    lift = go.Holonomic("lift", lambda q, t: q[0] - 2.0 * t**2)
    q, v = go.assemble(go.System([1.0], None, [lift]), [0.0], t=3.0)
    assert_allclose([q[0], v[0]], [18.0, 12.0])


def test_a_quaternion_keeps_its_length_on_the_way():
    tilt = go.Holonomic("tilt", lambda q, t: 1 - 2 * (q[1] ** 2 + q[2] ** 2) - np.cos(1.2))
    body = go.System([1.0, 2.0, 3.0], np.zeros(3), [tilt], nq=4, kinematics=quaternion_rates)
    q, _ = go.assemble(body, [np.cos(0.15), np.sin(0.15), 0.0, 0.0])
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-12)
    assert_allclose(q, [np.cos(0.6), np.sin(0.6), 0.0, 0.0], atol=1e-12)


# --- contacts, limits, servos -----------------------------------------------------------------


def ball():
    floor = go.Contact("floor", lambda q, t: q[1])
    return go.System([1.0, 1.0], [0.0, -9.81], contacts=[floor])


def test_penetration_is_projected_away_and_approach_is_left_alone():
    q, v = go.assemble(ball(), [0.3, -0.2], [1.0, -4.0])
    assert_allclose(q, [0.3, 0.0], atol=1e-15)
    assert_allclose(v, [1.0, -4.0])
    assert_allclose(go.assemble(ball(), [0.3, 0.2])[0], [0.3, 0.2])


@pytest.mark.parametrize("resting", ["floor", ["floor"]])
def test_a_resting_contact_is_closed_and_its_rate_removed(resting):
    q, v = go.assemble(ball(), [0.3, 0.2], [1.0, -4.0], resting=resting)
    assert_allclose([*q, *v], [0.3, 0.0, 1.0, 0.0], atol=1e-15)


def test_a_velocity_limit_is_respected_and_a_servo_is_not_imposed():
    limit = go.VelocityLimit("limit", lambda q, v, t: 2.0 - v[0])
    servo = go.Servo("servo", lambda q, t: q[0] - 7.0, frequency=1.0)
    q, v = go.assemble(go.System([1.0], None, [limit, servo]), [1.0], [5.0])
    assert_allclose([q[0], v[0]], [1.0, 2.0])


def test_a_massless_coordinate_follows():
    tie = go.Holonomic("tie", lambda q, t: q[0] - q[1])
    q, v = go.assemble(go.System([1.0, 0.0], None, [tie]), [1.0, 1.0], [2.0, 2.0])
    assert_allclose([*q, *v], [1.0, 1.0, 2.0, 2.0])


# --- what cannot be assembled -----------------------------------------------------------------


def test_contradictions_name_the_constraints_and_what_is_held():
    with pytest.raises(go.InfeasibleError) as caught:
        go.assemble(pendulum(), [0.6, 0.7], hold_q=["x", "y"])
    assert set(caught.value.constraints) == {"rod", "hold x", "hold y"}


def test_parts_that_are_too_short_are_reported():
    arms = go.Holonomic(
        "arms", lambda q, t: np.array([q[0] ** 2 + q[1] ** 2 - 1, (q[0] - 3) ** 2 + q[1] ** 2 - 1])
    )
    with pytest.raises(go.GaussError, match="arms"):
        go.assemble(go.System([1.0, 1.0], None, [arms]), [1.4, 0.5])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"hold_q": ["z"]}, r"hold_q names 'z'; choose from: x, y \(0 to 1\)"),
        ({"hold_q": [5]}, "hold_q names 5"),
        ({"hold_v": [-1]}, r"hold_v names -1; choose from: v\[0\], v\[1\]"),
        ({"resting": ["rod"]}, "Holonomic 'rod', which is not a contact"),
    ],
)
def test_unknown_coordinates_and_contacts_are_refused(options, message):
    with pytest.raises(go.InputError, match=message):
        go.assemble(pendulum(), [0.6, 0.7], **options)
