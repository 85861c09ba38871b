"""Units of coordinates: checked, derived, kept in files, and never two of them on one axis."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import gauss_opt as go
from gauss_opt.model.units import energy_unit, force_unit, impulse_unit, rate_unit
from gauss_opt.results.names import force_units, velocity_units
from gauss_opt.viz.plots import phase_portrait, pictures, positions, velocities

G = 9.81


def cart(**options):
    """A cart with a pendulum that hits a buffer."""
    buffer = go.Contact("buffer", lambda q, t: 1.0 - q[0], 0.5)
    return go.System(
        lambda q, t: np.array([[2.0, np.cos(q[1])], [np.cos(q[1]), 1.0]]),
        lambda q, v, t: np.array([np.sin(q[1]) * v[1] ** 2, -G * np.sin(q[1])]),
        contacts=[buffer],
        nv=2,
        coordinates=["x", "angle"],
        **options,
    )


@pytest.fixture(scope="module")
def result():
    return go.simulate(cart(units=["m", "rad"]), [0.0, 0.5], [1.0, 0.0], (0, 2))


@pytest.mark.parametrize(
    ("unit", "units", "expected"),
    [
        ("m", ["m", "rad"], ("m/s", "m/s²", "N", "N s", "J")),
        ("rad", ["m", "rad"], ("rad/s", "rad/s²", "N m", "N m s", "J")),
        ("mm", ["mm", "rad"], ("mm/s", "mm/s²", "kg mm/s²", "kg mm/s", "kg mm²/s²")),
        ("rad", ["mm", "rad"], ("rad/s", "rad/s²", "kg mm²/s²", "kg mm²/s", "kg mm²/s²")),
        ("deg", ["deg"], ("deg/s", "deg/s²", "J/deg", "J s/deg", "J")),
        ("1", ["1", "m"], ("1/s", "1/s²", "J", "J s", "J")),
        ("rad", ["rad"], ("rad/s", "rad/s²", "N m", "N m s", "J")),
    ],
)
def test_units_follow_from_those_of_the_coordinates(unit, units, expected):
    force = force_unit(unit, units)
    assert (rate_unit(unit), rate_unit(unit, 2), force, impulse_unit(force)) == expected[:4]
    assert energy_unit(units) == expected[4]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"units": ["m"]}, "units= has 1 entries for nq=2 positions"),
        ({"units": "m"}, r"units= must be a list with a unit for each coordinate"),
        ({"units": ["m", ""]}, "a unit is a word such as 'm' or 'rad', and '1' for a number"),
        ({"units": ["m", None]}, "units= has None"),
        ({"bodies": {"cart": ["x"]}}, "bodies= needs units="),
        (
            {"units": ["m", "rad"], "bodies": {"cart": ["z"]}},
            "no coordinate 'z'; choose from: x, a",
        ),
        ({"units": ["m", "rad"], "bodies": {"cart": "x"}}, "must have a list of coordinates"),
        (
            {"units": ["m", "rad"], "bodies": {"a": ["x"], "b": [0]}},
            "coordinate x is in two bodies, 'a' and 'b'",
        ),
    ],
)
def test_units_and_bodies_that_cannot_be_are_refused(options, message):
    with pytest.raises(go.ModelError, match=message):
        cart(**options)


def test_units_of_a_system_without_sizes_are_checked_when_they_are_known():
    system = go.System(2.0, units=["m", "m"])
    with pytest.raises(go.ModelError, match="units= has 2 entries for 3 positions"):
        go.evaluate(system, np.zeros(3), np.zeros(3))


def axes_of(picture):
    picture.draw_without_rendering()
    return [(ax.get_ylabel(), [line.get_label() for line in ax.get_lines()]) for ax in picture.axes]


def test_coordinates_of_different_units_never_share_an_axis(result):
    drawn = dict(axes_of(positions(result).figure))
    assert [label for label in drawn["position (m)"] if not label.startswith(("_", "imp"))] == ["x"]
    assert drawn["position (rad)"][0] == "angle"
    labels = [label for label, _ in axes_of(result.plot())]
    assert labels[:4] == [
        "position (m)", "position (rad)", "velocity (m/s)", "velocity (rad/s)",
    ]  # fmt: skip
    for draw in pictures(result).values():
        draw().draw_without_rendering()


def test_into_given_axes_only_one_unit_can_be_drawn(result):
    ax = Figure().add_subplot()
    with pytest.raises(
        go.InputError, match=r"in m/s and in rad/s cannot share an axis.*unit='m/s'"
    ):
        velocities(result, ax)
    assert velocities(result, ax, unit="rad/s") is ax
    assert ax.get_ylabel() == "velocity (rad/s)"
    assert positions(result, Figure().add_subplot(), which=["x"]).get_ylabel() == "position (m)"
    with pytest.raises(go.InputError, match="nothing here is in 'mm'; choose from: m, rad"):
        positions(result, unit="mm")


def test_portraits_have_the_unit_of_each_axis(result):
    ax = phase_portrait(result, "angle")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("angle (rad)", "rate of angle (rad/s)")
    ax = phase_portrait(result, ("x", "angle"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x (m)", "angle (rad)")


def test_units_come_back_from_a_file(result, tmp_path):
    result.save(tmp_path / "cart.npz")
    loaded = go.load(tmp_path / "cart.npz")
    assert loaded.units == result.units == ("m", "rad")
    assert velocity_units(loaded) == ["m/s", "rad/s"]
    assert velocity_units(loaded, order=2) == ["m/s²", "rad/s²"]
    assert force_units(loaded) == ["N", "N m"]


def test_where_positions_are_not_the_velocities_integrals_units_of_these_are_unknown():
    system = go.System(
        [1.0], [0.0], nq=2, kinematics=lambda q: np.array([[-q[1]], [q[0]]]), units=["1", "1"]
    )
    result = go.simulate(system, [1.0, 0.0], [1.0], (0, 1))
    assert velocity_units(result) == ["m/s, rad/s"]
    assert axes_of(positions(result).figure)[0][0] == "position (1)"
