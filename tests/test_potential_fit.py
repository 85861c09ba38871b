"""A wrong potential is noticed; forces that are no part of it are not taken for one."""

import numpy as np
import pytest

import gauss_opt as go

G = 9.81
START = [0.3, 1.0], [0.5, 0.2]


def remarks(force, potential, *, mass=(2.0, 2.0), **options):
    system = go.System(list(mass) if isinstance(mass, tuple) else mass, force,
                       potential=potential, nv=2, **options)  # fmt: skip
    result = go.simulate(system, *START, (0, 0.5))
    return result.energy_remarks


def weight(q, v, t):
    return np.array([0.0, -2 * G])


def springs(q, v, t):
    return np.array([-3.0 * q[0] + q[1], q[0] - 5.0 * q[1] - 2 * G])


def of_springs(q, t):
    return 1.5 * q[0] ** 2 - q[0] * q[1] + 2.5 * q[1] ** 2 + 2 * G * q[1]


def bead(q, v, t):
    return np.array([q[0] * v[1] ** 2 - G * np.sin(q[1]),
                     -2 * q[0] * v[0] * v[1] - G * q[0] * np.cos(q[1])])  # fmt: skip


POLAR = {"mass": lambda q, t: np.array([1.0, q[0] ** 2])}

FITS = {
    "weight": (weight, lambda q, t: 2 * G * q[1], {}),
    "springs": (springs, of_springs, {}),
    "springs, and the potential has a constant": (springs, lambda q, t: of_springs(q, t) + 7.0, {}),
    "velocity terms of a mass that varies": (bead, lambda q, t: G * q[0] * np.sin(q[1]), POLAR),
    "drag": (lambda q, v, t: springs(q, v, t) - 0.3 * v - 0.1 * v * np.abs(v), of_springs, {}),
    "drag beside a weight": (
        lambda q, v, t: weight(q, v, t) - 0.3 * v,
        lambda q, t: 2 * G * q[1],
        {},
    ),
    "friction": (lambda q, v, t: springs(q, v, t) - np.tanh(v / 1e-2), of_springs, {}),
    "a belt": (
        lambda q, v, t: springs(q, v, t) + np.array([np.tanh((0.4 - v[0]) / 1e-1), 0.0]),
        of_springs,
        {},
    ),
    "wind": (lambda q, v, t: springs(q, v, t) + np.abs(1.0 - v) * (1.0 - v), of_springs, {}),
    "wind beside a weight": (
        lambda q, v, t: weight(q, v, t) + np.abs(1.0 - v) * (1.0 - v),
        lambda q, t: 2 * G * q[1],
        {},
    ),
    "a drive": (lambda q, v, t: springs(q, v, t) + np.cos(5 * t), of_springs, {}),
    "a drive beside a weight": (
        lambda q, v, t: weight(q, v, t) + np.cos(5 * t),
        lambda q, t: 2 * G * q[1],
        {},
    ),
    "a stiffness that is shaken": (
        lambda q, v, t: springs(q, v, t) * (1.0 + 0.2 * np.sin(9 * t)),
        of_springs,
        {},
    ),
    "a constant torque": (lambda q, v, t: springs(q, v, t) + np.array([0.7, 0.0]), of_springs, {}),
    "a push where the potential does not act": (
        lambda q, v, t: np.array([4.0 - q[0], -2 * G]),
        lambda q, t: 2 * G * q[1],
        {},
    ),
    "a force that turns with the body": (
        lambda q, v, t: springs(q, v, t) + np.array([np.sin(q[1]), 0.0]),
        of_springs,
        {},
    ),
    "a magnetic force": (
        lambda q, v, t: springs(q, v, t) + np.array([v[1], -v[0]]),
        of_springs,
        {},
    ),
    "a potential that moves": (
        lambda q, v, t: np.array([-4.0 * (q[0] - np.sin(t)), 0.0]),
        lambda q, t: 2.0 * (q[0] - np.sin(t)) ** 2,
        {},
    ),
    "parameters": (
        lambda q, v, t, k: -k * q,
        lambda q, t, k: 0.5 * k * (q @ q),
        {"parameters": {"k": 3.0}},
    ),
    "undefined at rest": (lambda q, v, t: -q - v / np.sqrt(v @ v), lambda q, t: q @ q, {}),
}

WRONG = {
    "sign of the weight": (weight, lambda q, t: -2 * G * q[1], {}, ["q[1]"]),
    "the mass forgotten": (weight, lambda q, t: G * q[1], {}, ["q[1]"]),
    "another gravity": (weight, lambda q, t: 2 * 9.80665 * q[1], {}, ["q[1]"]),
    "beside drag": (lambda q, v, t: weight(q, v, t) - 0.3 * v, lambda q, t: G * q[1], {}, ["q[1]"]),
    "factor of a half": (springs, lambda q, t: 2 * of_springs(q, t), {}, ["q[0]", "q[1]"]),
    "one spring of two": (springs, lambda q, t: of_springs(q, t) + 0.1 * q[0] ** 2, {}, ["q[0]"]),
    "the coupling": (
        springs,
        lambda q, t: of_springs(q, t) + 0.1 * q[0] * q[1],
        {},
        ["q[0]", "q[1]"],
    ),
    "beside a drive": (
        lambda q, v, t: springs(q, v, t) + np.cos(5 * t),
        lambda q, t: of_springs(q, t) + q[1] ** 2,
        {},
        ["q[1]"],
    ),
    "beside friction": (
        lambda q, v, t: springs(q, v, t) - np.tanh(v / 1e-2),
        lambda q, t: of_springs(q, t) + q[1] ** 2,
        {},
        ["q[1]"],
    ),
    "a sine for a cosine": (bead, lambda q, t: G * q[0] * np.cos(q[1]), POLAR, ["q[0]", "q[1]"]),
    "a parameter": (
        lambda q, v, t, k: -k * q,
        lambda q, t, k: 0.5 * k * q[0] ** 2 + q[1] ** 2,
        {"parameters": {"k": 3.0}},
        ["q[1]"],
    ),
}


@pytest.mark.parametrize("name", FITS)
def test_what_fits_or_is_no_part_of_the_potential_is_not_remarked(name):
    force, potential, options = FITS[name]
    assert remarks(force, potential, **options) == ()


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_potential_is_named_with_its_coordinates(name):
    force, potential, options, names = WRONG[name]
    found = remarks(force, potential, **options)
    assert [remark.partition(" on ")[2].partition(":")[0] for remark in found] == names
    assert all("the difference counts as applied work" in remark for remark in found)


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_the_remark_does_not_depend_on_the_unit(unit):
    """Lengths in another unit: forces and potential change with it."""

    def force(q, v, t):
        return unit**2 * np.array([-3.0 * q[0] - 0.1 * v[0], -G / unit])

    def right(q, t):
        return unit**2 * (1.5 * q[0] ** 2 + G / unit * q[1])

    for potential, count in ((right, 0), (lambda q, t: right(q, t) * (1 + 1e-6), 2)):
        system = go.System([unit**2, unit**2], force, potential=potential)
        result = go.simulate(system, np.array(START[0]) / unit, np.array(START[1]) / unit, (0, 0.5))
        assert len(result.energy_remarks) == count


def test_both_values_are_said_and_go_with_the_result_into_files(tmp_path):
    system = go.System([2.0], [-2 * G], potential=lambda q, t: G * q[0], coordinates=["height"])
    constant = go.simulate(system, [1.0], [0.0], (0, 0.4))
    assert constant.energy_remarks == (
        "the potential does not fit the force on height: the force at rest is -19.62, -grad V is "
        "-9.81; the difference counts as applied work",
    )
    assert "does not fit (the potential" in str(constant)
    constant.save(tmp_path / "run.npz")
    assert go.load(tmp_path / "run.npz").energy_remarks == constant.energy_remarks


def test_what_cannot_be_traced_is_not_compared():
    system = go.System([1.0], lambda q, v, t: np.array([-5.0 if t < 1e-3 else -4.0]),
                       potential=lambda q, t: G * q[0])  # fmt: skip
    assert go.simulate(system, [1.0], [0.0], (0, 0.2)).energy_remarks == ()


def test_phases_say_it_once():
    ball = go.System([1.0], [-G], potential=lambda q, t: q[0])
    run = go.simulate_phases(
        go.Phase(ball, lambda q, v, t: t - 0.1), [1.0], [0.0], (0, 0.3),
        lambda number, event: go.Phase(ball),
    )  # fmt: skip
    assert len(run.parts) == 2
    assert len(run.energy_remarks) == 1
