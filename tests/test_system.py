"""Masses, sizes, parameters and forces of a system."""

from dataclasses import replace
from threading import Thread

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

FULL = np.array([[2.0, 0.5], [0.5, 3.0]])
STATE = ([0.3, -0.4], [1.0, 2.0], 0.7)


@pytest.mark.parametrize(
    ("mass", "expected"),
    [
        (2, 2 * np.eye(2)),
        ([2, 3], np.diag([2.0, 3.0])),
        (FULL, FULL),
        (lambda q, t: 2.0, 2 * np.eye(2)),
        (lambda q, t: [2.0, 3.0], np.diag([2.0, 3.0])),
        (lambda q, t: FULL, FULL),
        (lambda q, t: 2.0 + q[0] ** 2 + t, (2.79) * np.eye(2)),
        (lambda q, t: np.array([2.0 + q[0], 3.0 + t]), np.diag([2.3, 3.7])),
        (lambda q, t: FULL * (1.0 + t), 1.7 * FULL),
        (lambda q, t: np.interp(float(t), [0, 1], [1.0, 2.0]), 1.7 * np.eye(2)),
        (lambda q, t: [1.0, float(t)], np.diag([1.0, 0.7])),
        (lambda q, t: FULL if t > 0.5 else 2 * FULL, FULL),
    ],
)
def test_mass_may_be_a_number_a_diagonal_a_matrix_or_a_function(mass, expected):
    system = go.System(mass, [0.0, 1.0], nv=2)
    snapshot = go.evaluate(system, *STATE)
    assert_allclose(snapshot.mass, expected, rtol=1e-14)
    assert not snapshot.mass.flags.writeable
    a = go.accelerate(system, *STATE).acceleration
    assert_allclose(expected @ a, [0.0, 1.0], atol=1e-14)


def test_size_comes_from_the_first_state_when_nothing_else_tells():
    system = go.System(2.0, lambda q, v, t: -q)
    assert "of any size" in str(system)
    for n in (1, 3):
        assert_allclose(go.accelerate(system, np.ones(n), np.zeros(n)).acceleration, -0.5)
    with pytest.raises(go.InputError, match="v must be a vector"):
        go.evaluate(system, 0.0, 0.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mass": [1.0, 1.0], "nv": 3}, "the mass is for 2 velocities but nv=3"),
        ({"mass": [1.0, 1.0], "nq": 3}, "give kinematics="),
        ({"mass": 1.0, "nv": 0}, "nv must be a whole number of at least 1"),
        ({"mass": 1.0, "kinematics": lambda q: np.eye(2)}, "kinematics= needs nq= and nv="),
        ({"mass": 0.0}, "mass must be positive"),
        ({"mass": [1.0, 1.0], "force": [1.0]}, r"force must have shape \(2,\), got \(1,\)"),
        ({"mass": [1.0], "coordinates": ["x", "y"]}, "2 names for nq=1 positions"),
        ({"mass": [1.0, 1.0], "coordinates": ["x", "x"]}, "repeats a name: x"),
        ({"mass": lambda q, t: 1.0, "nv": 2}, "its velocity terms belong there"),
        ({"mass": [1.0], "parameters": {"t": 1.0}}, "parameter cannot be called 't'"),
        ({"mass": [1.0], "force": lambda q, v, t, k: -k * q}, "'k' is not one of its parameters"),
        ({"mass": [1.0], "force": lambda q: q}, r"force must be a function of \(q, v, t\)"),
        ({"mass": [1.0], "potential": lambda q, t: q}, "potential must return a number"),
        (
            {"mass": [1.0], "constraints": go.Holonomic("rod", lambda q, t: q[0])},
            r"constraints= must be a list: write constraints=\[...\] around Holonomic 'rod'",
        ),
        (
            {"mass": [1.0], "constraints": [go.Contact("c", lambda q, t: q[0])]},
            "belongs in contacts=",
        ),
        (
            {"mass": [1.0], "contacts": [go.Holonomic("c", lambda q, t: q[0])]},
            "is not a Contact",
        ),
        ({"mass": [1.0], "constraints": ["rod"]}, "is not a kind of constraint"),
    ],
)
def test_a_contradictory_system_is_refused(options, message):
    with pytest.raises(go.ModelError, match=message):
        go.System(**options)


def counted(calls):
    def force(q, v, t, k, center):
        calls.append(type(q))
        return -k * (q - center)

    return force


def test_parameters_change_without_tracing_again():
    calls = []
    parameters = {"k": 2.0, "center": [0.0, 1.0]}
    system = go.System([1.0, 1.0], counted(calls), parameters=parameters)
    traced = [kind for kind in calls if kind is not np.ndarray]
    assert len(traced) == 1
    stiffer = system.with_parameters(k=8.0)
    moved = stiffer.with_parameters(center=[1.0, 1.0])
    q = [1.0, 3.0]
    for variant, expected in (
        (system, [-2.0, -4.0]),
        (stiffer, [-8.0, -16.0]),
        (moved, [0.0, -16.0]),
        (system, [-2.0, -4.0]),
    ):
        assert_allclose(go.evaluate(variant, q, [0.0, 0.0]).force, expected)
    assert len([kind for kind in calls if kind is not np.ndarray]) == 1


def test_parameters_cannot_be_changed_behind_the_traced_functions():
    system = go.System([1.0], lambda q, v, t, k: -k * q, parameters={"k": np.array([1.0])})
    with pytest.raises(TypeError):
        system.parameters["k"] = np.array([2.0])
    with pytest.raises(ValueError, match="read-only"):
        system.parameters["k"][0] = 2.0


def test_a_copy_with_another_force_does_not_keep_the_old_one():
    system = go.System([1.0], lambda q, v, t: -q)
    other = replace(system, force=lambda q, v, t: -5.0 * q)
    assert go.evaluate(other, [1.0], [0.0]).force == -5.0
    assert go.evaluate(system, [1.0], [0.0]).force == -1.0


def test_variants_may_run_in_threads():
    system = go.System([1.0], lambda q, v, t, k: -k * q, parameters={"k": 1.0})
    wrong = []

    def work(k):
        variant = system.with_parameters(k=k)
        for i in range(2000):
            if go.evaluate(variant, [i], [0.0]).force[0] != -k * i:
                wrong.append((k, i))

    threads = [Thread(target=work, args=(float(k),)) for k in (2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_potential_gives_the_force_and_the_energy():
    def potential(q, t, g):
        return g * q[1] + 0.5 * np.exp(-t) * q[0] ** 2

    system = go.System([1.0, 2.0], potential=potential, parameters={"g": 9.81})
    assert_allclose(go.evaluate(system, *STATE).force, [-np.exp(-0.7) * 0.3, -9.81])
    assert go.potential_energy(system, STATE[0], 0.0) == pytest.approx(-9.81 * 0.4 + 0.045)
    with pytest.raises(go.ModelError, match="no potential="):
        go.potential_energy(go.System([1.0]), [0.0])


def test_potential_force_is_projected_by_the_kinematics():
    N = np.array([[1.0], [2.0]])
    system = go.System(
        [1.0], potential=lambda q, t: q[0] + 3.0 * q[1], kinematics=lambda q: N, nq=2
    )
    assert_allclose(go.evaluate(system, [0.0, 0.0], [1.0]).force, [-7.0])


@pytest.mark.parametrize(
    "force",
    [
        lambda q, v, t: np.array([np.interp(q[0], [0.0, 1.0], [0.0, 5.0]), -q[1]]),
        lambda q, v, t: np.array([5.0 * q[0], -q[1]]) if q[0] > 0 else np.zeros(2),
        lambda q, v, t: [5.0 * float(q[0]), -float(q[1])],
    ],
)
def test_a_force_that_cannot_be_traced_is_called_directly(force):
    system = go.System([1.0, 1.0], force)
    snapshot = go.evaluate(system, *STATE)
    assert_allclose(snapshot.force, [1.5, 0.4])
    assert not snapshot.force.flags.writeable


def test_names_and_values_are_shown():
    rod = go.Holonomic("rod", lambda q, t: q[0])
    text = str(go.System([1.0, 1.0], None, [rod], parameters={}))
    assert text == "System of 2 coordinates: constraints 'rod' (holonomic)"
    assert go.System([1.0], coordinates=["x"]).coordinate_name(0) == "x"
