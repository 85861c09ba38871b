"""Pictures show the numbers of the result: lines, jumps, events, forces and energies."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go
from gauss_opt.results.analysis.drift import drift_by_name
from gauss_opt.results.analysis.refinement import refined
from gauss_opt.results.records import EventKind
from gauss_opt.viz import report
from gauss_opt.viz.plots import (
    accuracy,
    constraint_forces,
    contact_forces,
    energy,
    gaps,
    impulses,
    phase_portrait,
    pictures,
    positions,
    velocities,
)
from gauss_opt.viz.style import DARK, EVENTS, LIGHT, LINES

G = 9.81
DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def ball():
    system = go.System(
        [1.0, 1.0],
        [0.0, -G],
        contacts=[go.Contact("floor", lambda q, t: q[1], 0.5)],
        potential=lambda q, t: G * q[1],
        coordinates=["x", "y"],
    )
    return go.simulate(system, [0.0, 1.0], [0.5, 0.0], (0, 2))


@pytest.fixture(scope="module")
def sliding():
    """A bead on a curved wire with a resistance that depends on the normal force."""
    system = go.System(
        [2.0, 2.0],
        [0.0, -2 * G],
        [go.Holonomic("wire", lambda q, t: q[1] - 0.3 * q[0] ** 2)],
        nonideal=lambda q, v, t: -0.5 * v,
        potential=lambda q, t: 2 * G * q[1],
        coordinates=["x", "y"],
    )
    return go.simulate(system, [1.0, 0.3], [0.0, 0.0], (0, 1))


def line(ax, label):
    """The data of the line with a label."""
    (found,) = (drawn for drawn in ax.get_lines() if drawn.get_label() == label)
    return found.get_xdata(), found.get_ydata()


def labels(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def contains(t, y, times, values):
    """Whether all rows (times, values) are among the points of a line."""
    points = set(zip(t.tolist(), y.tolist(), strict=True))
    return all(row in points for row in zip(times.tolist(), values.tolist(), strict=True))


def test_every_row_of_the_result_is_on_the_lines(ball):
    for ax, names, columns in (
        (positions(ball), ("x", "y"), ball.q),
        (velocities(ball), ("rate of x", "rate of y"), ball.v),
    ):
        for name, column in zip(names, columns.T, strict=True):
            assert contains(*line(ax, name), ball.t, column)
    assert contains(*line(gaps(ball), "floor"), ball.t, ball.gaps["floor"])
    assert contains(*line(contact_forces(ball), "floor"), ball.t, ball.multipliers["floor"])


def test_between_the_rows_the_lines_follow_the_motion(ball):
    t, y = line(positions(ball), "y")
    first = ball.events[0].t
    flight = t < first
    assert flight.sum() > 50
    assert_allclose(y[flight], 1.0 - 0.5 * G * t[flight] ** 2, atol=1e-9)


def test_both_sides_of_a_jump_are_drawn(ball):
    t, v = line(velocities(ball), "rate of y")
    event = ball.events[0]
    assert_array_equal(v[t == event.t], [event.v_before[1], event.v_after[1]])


def test_every_event_has_a_marker_and_every_kind_one_name(ball):
    ax = positions(ball)
    count = sum(event.kind == "impact" for event in ball.events)
    t, _ = line(ax, f"impact ({count})")
    assert_array_equal(t, [event.t for event in ball.events if event.kind == "impact"])
    assert len(line(ax, "accumulation")[0]) == 1
    assert len(set(labels(ax))) == len(labels(ax))


def test_upright_lines_of_crowded_events_keep_their_distance(ball):
    ax = positions(ball)
    width = ball.t[-1] - ball.t[0]
    for collection in ax.collections:
        times = [segment[0, 0] for segment in collection.get_segments()]
        assert (np.diff(times) >= 0.99 * width / 150).all()


def test_the_legend_is_beside_the_data(ball):
    ax = positions(ball)
    ax.figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    assert legend.x0 >= ax.get_window_extent().x1
    assert legend.x1 <= ax.figure.bbox.x1


def test_more_coordinates_than_lines_are_counted():
    many = go.System(np.ones(11), lambda q, v, t: -q)
    result = go.simulate(many, np.arange(11.0), np.zeros(11), (0, 1))
    shown = labels(positions(result))
    assert len(shown) == len(LINES) + 1
    assert shown[-1] == "and 3 more"
    assert shown[0] == "q[3]"  # those that vary most


def test_chosen_coordinates(ball):
    assert labels(positions(ball, which=["y"], events=False)) == ["y"]
    assert labels(velocities(ball, which=[1], events=False)) == ["rate of y"]
    with pytest.raises(go.InputError, match="no coordinate is called 'z'; choose from: x, y"):
        positions(ball, which=["z"])


def test_a_portrait_breaks_at_jumps_and_shows_them(ball):
    ax = phase_portrait(ball, "y")
    same_time = np.diff(ball.t) == 0.0
    jumps = np.flatnonzero(same_time & (np.diff(ball.v[:, 1]) != 0.0))
    assert len(jumps) >= sum(event.kind == "impact" for event in ball.events)
    x, y = line(ax, f"jumps ({len(jumps)})")
    assert_array_equal(y[0::3], ball.v[jumps, 1])
    assert_array_equal(y[1::3], ball.v[jumps + 1, 1])
    assert np.isnan(line(ax, "motion")[0]).sum() == len(jumps)
    x, y = line(phase_portrait(ball, ("x", "y")), "motion")
    assert contains(x, y, ball.q[:, 0], ball.q[:, 1])


def test_a_coordinate_that_does_not_vary_is_drawn_flat(ball):
    low, high = phase_portrait(ball, "x").get_ylim()
    assert high - low > 0.1


def test_impulses_are_stems_at_the_impacts(ball):
    t, size = line(impulses(ball), "floor")
    struck = [event for event in ball.events if event.impulses]
    assert_array_equal(t, [event.t for event in struck])
    assert_array_equal(size, [event.impulses["floor"] for event in struck])


def test_constraint_forces_are_split(sliding):
    ax = constraint_forces(sliding)
    for i, name in enumerate("xy"):
        force = sliding.constraint_force
        assert contains(*line(ax, f"{name}, ideal"), sliding.t, force.ideal[:, i])
        assert contains(*line(ax, f"{name}, non-ideal"), sliding.t, force.nonideal[:, i])
    fine = refined(sliding).constraint_force
    assert_allclose(fine.ideal + fine.nonideal, fine.total, atol=1e-12)


def test_energy_and_losses(ball, sliding):
    ax = energy(ball)
    assert contains(*line(ax, "kinetic"), ball.t, ball.energy.kinetic)
    _, total = line(ax, "total")
    _, lost = line(ax, "lost at impacts")
    assert_allclose(total + lost, G + 0.125, rtol=1e-9)
    assert "work of non-ideal forces" in labels(energy(sliding))
    assert "lost at impacts" not in labels(energy(sliding))


def test_the_accuracy_picture_agrees_with_the_counts_of_the_run(sliding):
    ax = accuracy(sliding)
    _, drift = line(ax, "wire")
    assert drift.max() <= max(sliding.stats.worst_drift, 1e-12)
    assert_array_equal(drift, np.maximum(drift_by_name(sliding)["wire"], 1e-18))
    assert ax.get_yscale() == "log"


def test_pictures_are_those_that_make_sense(ball, sliding):
    assert list(pictures(ball)) == [
        "motion", "phase", "path", "gaps", "contact_forces", "energy", "accuracy",
    ]  # fmt: skip
    assert "gaps" not in pictures(sliding)
    assert "constraint_forces" in pictures(sliding)
    drawn = pictures(ball, drawing=lambda q, t: [go.scene.trail(q), go.scene.dot(q)])
    assert list(drawn)[-2:] == ["scene", "stroboscope"]
    for draw in drawn.values():
        picture = draw()
        assert isinstance(picture, Figure)
        picture.draw_without_rendering()


def test_pictures_are_drawn_only_when_called(ball):
    def refuse(q, t):
        raise AssertionError("drawn too early")

    pictures(ball, drawing=refuse)


def test_a_film_strip_has_a_panel_for_each_state(ball):
    picture = pictures(ball, drawing=lambda q, t: [go.scene.dot(q)])["scene"]()
    titles = [ax.get_title() for ax in picture.axes]
    assert titles[0] == "t = 0 s"
    assert titles[-1] == "t = 2 s"
    assert len(titles) == 6


def test_the_overview_has_all_panels(ball):
    picture = ball.plot()
    assert [ax.get_ylabel() for ax in picture.axes] == [
        "position (m, rad)", "velocity (m/s, rad/s)", "gap (as defined)",
        "contact force (N, N m)", "impulse (N s, N m s)", "energy (J)",
    ]  # fmt: skip
    explained = [any(label.startswith("impact") for label in labels(ax)) for ax in picture.axes]
    assert explained == [True, False, False, False, False, False]


@pytest.mark.parametrize("kind", EventKind)
def test_every_kind_of_event_has_a_marker_in_pictures_and_in_reports(kind):
    assets = Path(report.__file__).parent / "assets"
    assert kind in EVENTS
    assert f"  {kind}: " in (assets / "clock.js").read_text(encoding="utf-8")
    assert f"\n.{kind} " in (assets / "report.css").read_text(encoding="utf-8")
    assert f"| `{kind}` |" in (DOCS / "simulation.md").read_text(encoding="utf-8")


def test_a_result_from_a_file_has_pictures(ball, tmp_path):
    ball.save(tmp_path / "ball.npz")
    loaded = go.load(tmp_path / "ball.npz")
    assert list(pictures(loaded)) == list(pictures(ball))
    fine, exact = refined(loaded), refined(ball)
    assert_array_equal(fine.t, exact.t)
    assert_allclose(fine.q, exact.q, atol=1e-12)
    assert_allclose(fine.gaps["floor"], exact.gaps["floor"], atol=1e-12)
    for draw in pictures(loaded).values():
        draw().draw_without_rendering()


def test_without_dense_output_the_rows_are_drawn(ball):
    result = go.simulate(ball.system, [0, 1], [0, 0], (0, 1), dense_output=False)
    assert refined(result) is result
    assert_array_equal(line(positions(result), "y")[1], result.q[:, 1])
    assert "energy" not in pictures(result)
    result.plot().draw_without_rendering()


def test_phases_are_refined_each_with_its_own_system():
    rod = go.Holonomic("rod", lambda q, t, pin: (q[0] - pin) ** 2 + q[1] ** 2 - 1.0)
    bead = go.System([1.0, 1.0], [0.0, 0.0], [rod], parameters={"pin": 0.0})

    def halfway(q, v, t):
        return q[0] - 0.5

    result = go.simulate_phases(
        go.Phase(bead, halfway),
        [0.0, 1.0],
        [1.0, 0.0],
        (0, 1),
        lambda number, event: go.Phase(bead.with_parameters(pin=1.0), until=()),
    )
    fine = refined(result)
    assert (np.diff(fine.t) >= 0).all()
    assert_allclose(fine.values["rod"], 0.0, atol=1e-6)
    assert drift_by_name(result)["rod"].max() < 1e-9
    for draw in pictures(result).values():
        draw().draw_without_rendering()


def test_a_run_without_duration_has_pictures():
    result = go.simulate(go.System([1.0], [0.0]), [0.0], [0.0], (0, 1e-12))
    result.plot().draw_without_rendering()


def test_all_roles_and_kinds_have_colours():
    for theme in (LIGHT, DARK):
        assert set(theme.roles) == set(go.scene.ROLES)
        assert len(set(theme.roles.values())) == len(go.scene.ROLES)
    assert len({style.marker for style in EVENTS.values()}) == len(EVENTS)


def test_pictures_leave_no_global_state():
    code = (
        "import sys, gauss_opt as go\n"
        "assert 'matplotlib' not in sys.modules\n"
        "result = go.simulate(go.System([1.0], [-9.81]), [1.0], [0.0], (0, 1))\n"
        "assert 'matplotlib' not in sys.modules\n"
        "result.plot()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_forces_of_round_off_are_not_shown():
    """Two balls at rest side by side touch without a force."""
    contacts = [
        go.Contact("left", lambda q, t: q[0], 0.5),
        go.Contact("pair", lambda q, t: q[1] - q[0] - 1.0, 0.5),
        go.Contact("never", lambda q, t: q[1] + 9.0, 0.5),
    ]
    system = go.System([1.0, 1.0], [-1.0, 0.0], contacts=contacts)
    result = go.simulate(system, [0.0, 1.0], [0.0, 0.0], (0, 1))
    assert labels(contact_forces(result)) == ["left", "2 without force"]


def test_impulses_of_constraints_are_shown_beside_those_of_contacts():
    rod = go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)
    wall = go.Contact("wall", lambda q, t: q[0] + 0.1, 0.7)
    result = go.simulate(
        go.System([1.0, 1.0], [0.0, -G], [rod], [wall]), [0.8, -0.6], [0.0, 0.0], (0, 1)
    )
    first, second = impulses(result).figure.axes  # what the rod exerts on its point is not known
    assert labels(first) == ["wall"]
    assert labels(second) == ["rod"]
    assert second.get_ylabel() == "impulse multiplier\n(impulse per unit of gradient)"


def test_redundant_contacts_never_pull_between_the_rows_either():
    result = go.find_case("redundant_table")().run()
    fine = refined(result)
    assert len(fine.t) > len(result.t)
    for force in fine.multipliers.values():
        assert force.min() >= 0.0
    total, stored = sum(fine.multipliers.values()), sum(result.multipliers.values())
    assert total.max() <= stored.max() * (1.0 + 1e-9)


@pytest.mark.parametrize("name", ["_floor", "$\\bad{$", "price in $", "half \ud800"])
def test_names_are_shown_letter_by_letter(name):
    floor = go.Contact(name, lambda q, t: q[0], restitution=0.5)
    ball = go.System([1.0], [-9.81], contacts=[floor], coordinates=[name])
    figure = go.simulate(ball, [1.0], [0.0], (0, 1)).plot()
    figure.draw_without_rendering()
    words = [text.get_text() for ax in figure.axes for text in ax.get_legend().get_texts()]
    assert any(name.strip("_$")[:4] in word for word in words)
