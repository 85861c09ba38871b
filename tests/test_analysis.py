"""What is computed from a finished run: drift, forces above round-off, routes, zero sets."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go
from gauss_opt.results.analysis.crosschecks import notable_crosschecks, states_along
from gauss_opt.results.analysis.drift import drift_by_name
from gauss_opt.results.analysis.loads import loads
from gauss_opt.results.analysis.zero_sets import Grid, PhaseRows, contours, zeros

G = 9.81


def ball(restitution=0.0, height=1.0, end=1.0):
    floor = go.Contact("floor", lambda q, t: q[0], restitution)
    return go.simulate(go.System([1.0], [-G], contacts=[floor]), [height], [0.0], (0, end))


@pytest.fixture(scope="module")
def pendulum():
    rod = go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)
    system = go.System([1.0, 1.0], [0.0, -G], [rod])
    return go.simulate(system, [1.0, 0.0], [0.0, 0.0], (0, 1))


def test_a_pendulum_stays_on_its_circle(pendulum):
    drift = drift_by_name(pendulum)["rod"]
    assert drift.shape == pendulum.t.shape
    assert drift.max() < 1e-12


def test_drift_of_a_state_that_was_moved_off_is_relative_to_the_terms(pendulum):
    moved = replace(pendulum, q=pendulum.q * 1.001)
    assert 1e-4 < drift_by_name(moved)["rod"].max() < 1e-2


def test_a_result_from_a_file_has_no_drift_to_show(pendulum, tmp_path):
    pendulum.save(tmp_path / "run.npz")
    assert drift_by_name(go.load(tmp_path / "run.npz")) == {}


def test_a_ball_on_the_floor_is_carried_and_one_in_the_air_is_not():
    assert [load.name for load in loads(ball(height=0.0))] == ["floor"]
    assert not loads(ball(height=10.0))


def test_a_ball_that_only_bounces_is_never_carried():
    assert not loads(ball(restitution=1.0, end=2.0))


def test_start_largest_force_and_end_are_checked_by_other_routes(pendulum):
    labels, checks = zip(*notable_crosschecks(pendulum), strict=True)
    assert [label.partition(",")[0] for label in labels][:2] == [
        "start",
        "largest constraint force",
    ]
    assert labels[-1].endswith("s")
    assert all(check.ok for check in checks)


def test_a_result_from_a_file_has_no_other_routes(pendulum, tmp_path):
    pendulum.save(tmp_path / "run.npz")
    assert list(notable_crosschecks(go.load(tmp_path / "run.npz"))) == []


def test_states_along_a_run_have_both_sides_of_impacts():
    run = ball(restitution=0.5, end=0.9)
    struck = run.events[0].t
    states = states_along(run, 6)
    assert len(states) <= 6
    before, after = (v for _, _, v, t in states if t == struck)
    assert after == pytest.approx(-0.5 * before)
    assert [t for *_, t in states] == sorted(t for *_, t in states)
    assert (states[0][3], states[-1][3]) == (0.0, 0.9)


def square(points):
    return Grid((np.linspace(-2, 2, points), np.linspace(-2, 2, points)))


def test_the_zero_set_of_a_rod_is_a_circle(pendulum):
    rows = PhaseRows(pendulum, square, fine=81, coarse=21)
    assert rows.still
    assert len(rows.grid.axes[0]) == 81
    ((block, values),) = rows.values(0.0)
    (circle, *others) = contours(rows.grid, values)
    assert block.name == "rod"
    assert others == []
    assert_allclose(np.hypot(*circle.T), 1.0, atol=1e-3)


def test_a_floor_that_rises_moves_its_zero():
    floor = go.Contact("floor", lambda q, t: q[0] - 0.5 * t)
    run = go.simulate(go.System([1.0], [-G], contacts=[floor]), [5.0], [0.0], (0, 0.5))
    rows = PhaseRows(run, lambda n: Grid((np.linspace(-1, 1, n),)), fine=41, coarse=21)
    assert not rows.still
    for t in (0.0, 0.4):
        ((_, values),) = rows.values(t)
        assert zeros(rows.grid.axes[0], values) == pytest.approx([0.5 * t], abs=1e-12)
