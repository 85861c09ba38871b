"""The energy account closes: every joule is in the motion, in the potential, or booked."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

G = 9.81


def check(result, size=1.0, rtol=1e-7):
    assert_allclose(result.energy.residual, 0.0, atol=rtol * size)


def test_a_falling_ball_trades_potential_for_kinetic_energy_and_loses_at_impacts():
    ball = go.System(
        [2.0],
        [-2 * G],
        contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)],
        potential=lambda q, t: 2 * G * q[0],
    )
    energy = go.simulate(ball, [1.0], [0.0], (0, 3)).energy
    assert_allclose(energy.total[0], 2 * G)
    assert_allclose(energy.total[-1], 0.0, atol=1e-9)
    assert_allclose(energy.impact[-1], -2 * G, rtol=1e-9)
    assert_allclose(energy.applied, 0.0, atol=1e-9)
    assert_allclose(energy.residual, 0.0, atol=1e-8)
    assert (np.diff(energy.impact) <= 1e-15).all()


def test_without_a_potential_weight_is_an_applied_force():
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    result = go.simulate(ball, [1.0], [0.0], (0, 3))
    assert_allclose(result.energy.potential, 0.0)
    assert_allclose(result.energy.applied, G * (1.0 - result.q[:, 0]), atol=1e-8)
    check(result, G)


def test_the_account_closes_with_a_mass_that_depends_on_position():
    """A bead on a turning rod in polar coordinates, with weight."""
    system = go.System(
        lambda q, t: np.array([1.0, q[0] ** 2]),
        lambda q, v, t: np.array(
            [q[0] * v[1] ** 2 - G * np.sin(q[1]), -2 * q[0] * v[0] * v[1] - G * q[0] * np.cos(q[1])]
        ),
        contacts=[go.Contact("stop", lambda q, t: 2.0 - q[0], 0.7)],
        potential=lambda q, t: G * q[0] * np.sin(q[1]),
        nv=2,
    )
    result = go.simulate(system, [1.0, 0.0], [0.0, 3.0], (0, 2))
    assert any(event.kind == "impact" for event in result.events)
    check(result, G, 1e-6)


def test_the_work_of_a_servo_is_booked():
    system = go.System(
        [1.0, 1.0],
        [0.0, -G],
        constraints=[go.Servo("drive", lambda q, t: q[0] - np.sin(t), frequency=5.0)],
        potential=lambda q, t: G * q[1],
    )
    result = go.simulate(system, [0.1, 0.0], [0.0, 0.0], (0, 3))
    energy = result.energy
    check(result, G)
    assert_allclose(energy.constraint, 0.0, atol=1e-9)
    kinetic = 0.5 * result.v[:, 0] ** 2
    assert_allclose(energy.servo, kinetic - kinetic[0], atol=1e-7)


def test_the_work_of_a_nonideal_force_is_booked():
    system = go.System(
        [2.0, 2.0],
        [0.0, -2 * G],
        constraints=[go.Holonomic("rail", lambda q, t: q[1])],
        nonideal=lambda q, v, t: -0.5 * v,
    )
    result = go.simulate(system, [0.0, 0.0], [3.0, 0.0], (0, 4))
    check(result, 9.0)
    lost = 0.5 * 2 * (result.v[:, 0] ** 2 - 9.0)
    assert_allclose(result.energy.nonideal, lost, atol=1e-7)
    assert result.energy.nonideal[-1] < 0


def test_the_work_of_a_moving_constraint_is_booked():
    """A lift: the rail goes up as sin t and carries the weight."""
    system = go.System(
        [1.0, 1.0],
        [0.0, -G],
        constraints=[go.Holonomic("lift", lambda q, t: q[1] - np.sin(t))],
        potential=lambda q, t: G * q[1],
    )
    result = go.simulate(system, [0.0, 0.0], [1.0, 1.0], (0, 3))
    check(result, G)
    assert_allclose(
        result.energy.constraint, result.energy.total - result.energy.total[0], atol=1e-7
    )


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_a_racket_that_moves_does_work_at_the_impact(law):
    system = go.System(
        [1.0],
        [-G],
        contacts=[go.Contact("racket", lambda q, t: q[0] - 0.5 * np.sin(2 * t), 0.6)],
        potential=lambda q, t: G * q[0],
    )
    result = go.simulate(system, [1.0], [0.0], (0, 2), law=law)
    impacts = [event for event in result.events if event.kind == "impact"]
    assert any(event.constraint_work != 0.0 for event in impacts)
    check(result, G)
    assert (np.diff(result.energy.impact) <= 1e-12).all()
    changes = sum(event.energy_change for event in result.events)
    assert_allclose(
        result.energy.impact[-1] + sum(event.constraint_work for event in result.events), changes
    )


def test_works_at_chosen_times_are_those_of_the_steps():
    ball = go.System([1.0], lambda q, v, t: np.array([-G - 0.3 * v[0]]))
    times = np.linspace(0, 1, 5)
    result = go.simulate(ball, [0.0], [2.0], (0, 1), t_eval=times)
    check(result, G)
    kinetic = 0.5 * result.v[:, 0] ** 2
    assert_allclose(result.energy.applied, kinetic - kinetic[0], atol=1e-8)


def test_events_at_one_time_are_booked_each_in_its_own_row():
    """Two balls reach two floors at the same instant, and a user event happens there as well."""
    contacts = [go.Contact(f"floor {i}", lambda q, t, i=i: q[i], 0.5) for i in range(2)]
    system = go.System(
        [1.0, 2.0], [-G, -2 * G], contacts=contacts, potential=lambda q, t: G * (q[0] + 2 * q[1])
    )
    result = go.simulate(system, [1.0, 1.0], [0.0, 0.0], (0, 3), events=lambda q, v, t: q[0] - q[1])
    for event in result.events:
        if event.kind == "impact":
            assert result.t[event.row - 1] == result.t[event.row] == event.t
            assert_allclose(result.v[event.row - 1], event.v_before, atol=1e-12)
            assert_allclose(result.v[event.row], event.v_after, atol=1e-12)
    check(result, 3 * G, rtol=1e-12)


def test_the_rows_of_events_go_with_the_events_into_files(tmp_path):
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    result = go.simulate(ball, [1.0], [0.0], (0, 3))
    result.save(tmp_path / "ball.npz")
    loaded = go.load(tmp_path / "ball.npz")
    assert [event.row for event in loaded.events] == [event.row for event in result.events]
    assert min(event.row for event in result.events) > 0


def traced(mass):
    return mass


def called(mass):
    """The same numbers from a function that cannot be traced."""

    def by_branches(q, t):
        return mass(q, t) if float(q[0]) > -1e300 else None

    return by_branches


@pytest.mark.parametrize("kind", [traced, called])
@pytest.mark.parametrize("length", [1e-6, 1e-3, 1.0, 1e3])
@pytest.mark.parametrize("time", [1e-6, 1.0, 1e3])
def test_the_account_of_a_mass_that_varies_is_the_same_in_every_unit(kind, length, time):
    """A bead on a turning rod whose mass also grows with time: the residual is round-off."""
    growth = 0.2 * time

    def mass(q, t):
        return (1 + growth * t) * np.array([1.0, q[0] ** 2])

    def force(q, v, t):
        g, m = G / length * time**2, 1 + growth * t
        turning = np.array([q[0] * v[1] ** 2, -2 * q[0] * v[0] * v[1]])
        weight = np.array([-g * np.sin(q[1]), -g * q[0] * np.cos(q[1])])
        return m * (turning + weight) - growth * np.array([v[0], q[0] ** 2 * v[1]])

    system = go.System(kind(mass), force, nv=2)
    start = [1.0 / length, 0.0], [0.0, 3.0 * time]
    result = go.simulate(system, *start, (0, 1.0 / time), rtol=1e-11)
    energy = result.energy
    assert np.abs(energy.residual).max() <= 3e-13 * energy.kinetic.max()
