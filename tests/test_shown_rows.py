"""Pictures and reports show computed points and all extrema, however many rows a run has."""

import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go
from gauss_opt.results.analysis.choice import ENOUGH, choose, kept_events
from gauss_opt.results.analysis.refinement import refined
from gauss_opt.viz.report.page import report_page

OMEGA, G = 2 * np.pi * 40.0, 9.81


def humming(periods, **options):
    """A fast oscillator beside a ball that bounces: x = 0.6 cos(w t), and impacts."""
    system = go.System(
        [1.0, 1.0],
        lambda q, v, t: np.array([-(OMEGA**2) * q[0], -G]),
        contacts=[go.Contact("floor", lambda q, t: q[1], 0.7)],
        potential=lambda q, t: 0.5 * OMEGA**2 * q[0] ** 2 + G * q[1],
        coordinates=["x", "y"],
        units=["m", "m"],
    )
    end = periods * 2 * np.pi / OMEGA
    return go.simulate(system, [0.6, 0.3], [0.0, 0.0], (0, end), **options)


@pytest.fixture(scope="module")
def long():
    return humming(200, rtol=1e-10, max_step=2 * np.pi / OMEGA / 30)


def data_of(page):
    return json.loads(re.search(r'id="data">(.*?)</script>', page)[1])


def test_of_a_long_run_every_point_shown_is_on_the_motion(long):
    assert len(long.t) > ENOUGH
    data = data_of(report_page(long))
    position = data["charts"][0]
    t = np.array(data["times"][position["t"]])
    x = np.array(position["series"][0]["y"])
    assert len(t) < len(long.t)
    assert_allclose(x, 0.6 * np.cos(OMEGA * t), atol=1e-6)
    for time, value in zip(t[::37], x[::37], strict=True):
        assert_allclose(value, long(time).q[0], atol=1e-7)


def test_of_a_long_run_every_peak_is_shown(long):
    """In every stretch of the run the curve reaches both ends of its swing."""
    data = data_of(report_page(long))
    position = data["charts"][0]
    t, x = np.array(data["times"][position["t"]]), np.array(position["series"][0]["y"])
    for start, end in zip(*(np.linspace(t[0], t[-1], 101)[k:][:100] for k in (0, 1)), strict=True):
        inside = x[(t >= start) & (t <= end)]
        assert inside.max() > 0.5999
        assert inside.min() < -0.5999


def test_peaks_inside_long_steps_are_found_in_short_runs_too():
    """Steps of a third of a period: the rows alone miss the peaks."""
    run = humming(12, rtol=1e-4)
    rows = np.abs(run.q[:, 0])
    fine = refined(run, 5)
    peaks = np.pi / OMEGA * np.arange(1, 24)
    nearest = np.abs(fine.t[:, None] - peaks).min(axis=0)
    assert nearest.max() < 2e-3 * np.pi / OMEGA
    assert np.abs(run.t[:, None] - peaks).min(axis=0).max() > 10 * nearest.max()
    assert rows.max() <= np.abs(fine.q[:, 0]).max() + 1e-15


def test_both_sides_of_events_and_their_energies_survive_thinning(long):
    fine = refined(long, 1000)
    assert len(fine.t) != len(long.t)
    for before, event in zip(long.events, fine.events, strict=True):
        at = fine.t == event.t
        assert at.sum() == (long.t == event.t).sum() >= 2
        assert_array_equal(fine.v[event.row], long.v[before.row])
    assert np.abs(fine.energy.residual).max() < 1e-6 * fine.energy.total[0]
    assert_allclose(fine.energy.impact[-1], long.energy.impact[-1])


def test_what_was_left_out_is_said(long):
    charts = data_of(report_page(long))["charts"]
    count = f"{len(long.t):,}"
    assert all(count in chart["note"] for chart in charts if chart["kind"] == "lines")
    assert f"of {len(long.events):,} events" in charts[0]["note"]
    short = data_of(report_page(humming(2)))["charts"]
    assert not any(chart["note"] for chart in short)


def test_a_loaded_long_run_shows_the_same_states(long, tmp_path):
    long.save(tmp_path / "long.npz")
    loaded = refined(go.load(tmp_path / "long.npz"), 1000)
    assert_allclose(loaded.q[:, 0], 0.6 * np.cos(OMEGA * loaded.t), atol=1e-6)
    for event in loaded.events:
        assert (loaded.t == event.t).sum() >= 2


def test_all_rows_of_a_short_run_stay():
    run = humming(3)
    rows, times = choose(run, 1e-3)
    assert_array_equal(rows, np.arange(len(run.t)))
    assert not np.isin(times, run.t).any()
    assert np.diff(np.unique([*run.t, *times])).max() <= 1e-3 + 1e-15


def test_of_very_many_events_an_even_choice_is_shown():
    times = kept_events(np.linspace(0.0, 1.0, 10_000).tolist())
    assert 1000 <= len(times) <= 1500
    assert np.diff(times).max() < 2 * np.diff(times).min()
    assert len(kept_events([0.5, 0.5, 0.7])) == 2


def test_what_is_computed_for_pictures_does_not_outlive_the_run():
    import gc
    import weakref

    run = humming(2)
    fine = weakref.ref(refined(run))
    assert refined(run) is fine()
    del run
    gc.collect()
    assert fine() is None
