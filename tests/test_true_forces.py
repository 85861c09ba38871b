"""Forces that are shown act on a known body or one coordinate; what is a multiplier says so."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go
from gauss_opt.results.analysis.loads import MULTIPLIER, impulses, loads
from gauss_opt.results.analysis.quantities import gap_families, impulse_families
from gauss_opt.viz.plots import contact_forces, pictures

G = 9.81
POINT = {"coordinates": ["x", "y"], "units": ["m", "m"], "bodies": {"bob": ["x", "y"]}}


def string(gap, **options):
    return go.System([1.0, 1.0], [0.0, -G], contacts=[go.Contact("string", gap, 0.5)], **options)


SQUARES = string(lambda q, t: 4.0 - q[0] ** 2 - q[1] ** 2, **POINT)
LENGTHS = string(lambda q, t: 2.0 - np.hypot(q[0], q[1]), **POINT)


@pytest.mark.parametrize("system", [SQUARES, LENGTHS], ids=["squares", "lengths"])
def test_a_string_of_two_metres_holds_the_weight_however_it_is_written(system):
    result = go.simulate(system, [0.0, -2.0], [0.0, 0.0], (0, 1))
    (load,) = loads(result)
    assert (load.name, load.kind, load.unit) == ("string", "force", "N")
    assert_allclose(load.values, G, rtol=1e-9)


@pytest.mark.parametrize("system", [SQUARES, LENGTHS], ids=["squares", "lengths"])
def test_the_tension_of_a_swing_is_that_of_a_pendulum(system):
    """On the taut string m v^2/L + m g cos(angle), whatever the multiplier is."""
    result = go.simulate(system, [2.0 * np.sin(0.5), -2.0 * np.cos(0.5)], [0, 0], (0, 2))
    (load,) = loads(result)
    expected = (result.v**2).sum(axis=1) / 2.0 - G * result.q[:, 1] / 2.0
    assert_allclose(load.values, expected, rtol=1e-7)


def test_without_bodies_a_multiplier_is_called_a_multiplier():
    system = string(lambda q, t: 4.0 - q[0] ** 2 - q[1] ** 2, units=["m", "m"])
    result = go.simulate(system, [2.0 * np.sin(0.5), -2.0 * np.cos(0.5)], [0, 0], (0, 1))
    (load,) = loads(result)
    assert (load.kind, load.unit) == ("multiplier", MULTIPLIER)
    assert contact_forces(result).get_ylabel() == f"contact multiplier ({MULTIPLIER})"


def test_a_slope_at_45_degrees_is_not_mistaken_for_a_force_and_its_reaction():
    slope = go.Contact("slope", lambda q, t: (q[0] + q[1]) / np.sqrt(2.0))
    for options, kind, size in (
        ({}, "multiplier", G / np.sqrt(2)),
        (POINT, "force", G / np.sqrt(2)),
    ):
        system = go.System([1.0, 1.0], [0.0, -G], contacts=[slope], **options)
        (load,) = loads(go.simulate(system, [0.0, 0.0], [0.0, 0.0], (0, 0.1)))
        assert load.kind == kind
        assert_allclose(load.values, size, rtol=1e-9)


def test_a_contact_of_one_coordinate_pushes_with_the_weight_in_any_scale():
    for scale in (1.0, 2.0, -3.0):
        floor = go.Contact("floor", lambda q, t, s=scale: abs(s) * q[0])
        system = go.System([2.0], [-2.0 * G], contacts=[floor], units=["m"])
        (load,) = loads(go.simulate(system, [0.0], [0.0], (0, 0.1)))
        assert (load.kind, load.unit) == ("force", "N")
        assert_allclose(load.values, 2.0 * G, rtol=1e-12)


def test_without_units_the_force_on_a_coordinate_may_be_a_couple():
    system = go.System([2.0], [-2.0 * G], contacts=[go.Contact("floor", lambda q, t: q[0])])
    (load,) = loads(go.simulate(system, [0.0], [0.0], (0, 0.1)))
    assert (load.kind, load.unit) == ("force", "N, N m")


def pinned_rod(**options):
    """A rod of 2 m and 3 kg that swings about a pin at its upper end; I = m L^2 / 12."""
    pin = go.Holonomic("pin", lambda q, t: np.array([q[0] - np.sin(q[2]), q[1] + np.cos(q[2])]))
    return go.System(
        [3.0, 3.0, 1.0],
        [0.0, -3.0 * G, 0.0],
        [pin],
        coordinates=["x", "y", "angle"],
        units=["m", "m", "rad"],
        bodies={"rod": ["x", "y", "angle"]},
        potential=lambda q, t: 3.0 * G * q[1],
        **options,
    )


def test_the_reaction_of_a_pin_is_that_of_the_text_book():
    """From rest at a0: radial m g (5 cos a - 3 cos a0)/2, across m g sin(a)/4."""
    result = go.simulate(pinned_rod(), [np.sin(1.0), -np.cos(1.0), 1.0], [0, 0, 0], (0, 2))
    (load,) = loads(result)
    angle = result.q[:, 2]
    radial = 1.5 * G * (5.0 * np.cos(angle) - 3.0 * np.cos(1.0))
    across = 0.75 * G * np.sin(angle)
    assert (load.name, load.kind, load.unit) == ("pin", "force", "N")
    assert_allclose(load.values, np.hypot(radial, across), rtol=1e-7)


def test_pin_reactions_are_in_the_overview_and_in_the_pictures():
    wall = go.Contact("wall", lambda q, t: q[0] + 0.1, 0.5)
    result = go.simulate(
        pinned_rod(contacts=[wall]), [np.sin(1.0), -np.cos(1.0), 1.0], [0, 0, 0], (0, 1)
    )
    labels = [ax.get_ylabel() for ax in result.plot().axes]
    assert "reaction force (N)" in labels
    assert "reactions" in pictures(result)
    names = [load.name for load in impulses(result)]
    assert names == ["pin", "wall"]
    (family,) = impulse_families(result)
    assert (family.title, family.unit) == ("impulse", "N s")
    assert list(family.lines) == ["wall", "pin"]


def test_impulses_of_the_pin_and_the_wall_stop_the_rod_together():
    """Momentum: the change of m v is the impulse of the wall and of the pin."""
    wall = go.Contact("wall", lambda q, t: 5.0 * (q[0] + 0.1), 0.5)  # of no unit length
    result = go.simulate(
        pinned_rod(contacts=[wall]), [np.sin(1.0), -np.cos(1.0), 1.0], [0, 0, 0], (0, 1)
    )
    event = result.events[0]
    change = 3.0 * (event.v_after - event.v_before)[:2]
    by_name = {load.name: load.values[0] for load in impulses(result)}
    pin = change - [by_name["wall"], 0.0]
    assert_allclose(by_name["pin"], np.linalg.norm(pin), rtol=1e-9)


def test_a_pair_of_bodies_gets_a_force_and_its_reaction_as_one():
    pair = go.Contact("pair", lambda q, t: np.hypot(q[2] - q[0], q[3] - q[1]) - 1.0)
    system = go.System(
        np.ones(4), [1.0, 0.0, -1.0, 0.0], contacts=[pair], units=["m"] * 4,
        bodies={"left": [0, 1], "right": [2, 3]},
    )  # fmt: skip
    (load,) = loads(go.simulate(system, [0, 0, 1, 0], np.zeros(4), (0, 0.1)))
    assert load.name == "pair"
    assert_allclose(load.values, 1.0)


def test_a_lever_gives_its_bodies_different_forces():
    """a = -3 b: a load of 1 N on b is held by a third of it on a."""
    lever = go.Holonomic("lever", lambda q, t: q[0] + 3.0 * q[1])
    system = go.System(
        [1.0, 1.0], [-1.0, -3.0], [lever], units=["m", "m"], bodies={"a": [0], "b": [1]}
    )
    result = go.simulate(system, [0.0, 0.0], [0.0, 0.0], (0, 0.1))
    assert {load.name: load.values[0] for load in loads(result)} == pytest.approx(
        {"lever on a": 1.0, "lever on b": 3.0}
    )


def test_a_servo_of_an_angle_is_a_couple():
    servo = go.Servo("motor", lambda q, t: q[0] - 0.1, frequency=5.0)
    system = go.System([2.0], [0.0], [servo], units=["rad"])
    result = go.simulate(system, [0.0], [0.0], (0, 0.5))
    (load,) = loads(result)
    assert (load.kind, load.unit) == ("couple", "N m")
    assert_allclose(load.values, 2.0 * result.a[:, 0], rtol=1e-9)


def test_a_gap_is_in_metres_only_where_it_is_a_distance():
    for system, unit in ((SQUARES, "as defined"), (LENGTHS, "m")):
        result = go.simulate(system, [1.0, -1.0], [0.0, 0.0], (0, 1))
        (family,) = gap_families(result)
        assert family.unit == unit


def test_a_result_from_a_file_does_not_claim_newtons(tmp_path):
    result = go.simulate(SQUARES, [0.0, -2.0], [0.0, 0.0], (0, 0.1))
    result.save(tmp_path / "string.npz")
    (load,) = loads(go.load(tmp_path / "string.npz"))
    assert load.unit == MULTIPLIER
    assert_allclose(load.values, G / 4.0)


def test_forces_of_phases_are_those_of_their_own_systems():
    rod = go.Holonomic("rod", lambda q, t, pin: 2.0 * ((q[0] - pin) ** 2 + q[1] ** 2 - 1.0))
    bead = go.System([1.0, 1.0], [0.0, 0.0], [rod], parameters={"pin": 0.0}, **POINT)
    result = go.simulate_phases(
        go.Phase(bead, lambda q, v, t: q[0] - 0.5),
        [0.0, 1.0],
        [1.0, 0.0],
        (0, 1),
        lambda number, event: go.Phase(bead.with_parameters(pin=1.0), until=()),
    )
    (load,) = loads(result)
    speed = (result.v**2).sum(axis=1)
    assert_allclose(load.values, speed, rtol=1e-6)  # m v^2 / r
