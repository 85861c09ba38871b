"""How a smooth segment starts, where it stops, and when a run is given up."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gauss_opt as go
from gauss_opt.mechanics.consistency.projection import Scales
from gauss_opt.results.dense_output import Piece
from gauss_opt.simulation.event_driven.segment import (
    absolute_tolerances,
    first_step_after_event,
    next_bound,
)
from gauss_opt.simulation.limits import require_progress, require_within_limits
from gauss_opt.simulation.settings import Settings

STEP = Piece(1.0, 1.25, np.zeros((8, 2)))


def at(t, pending=None):
    return SimpleNamespace(t=t, pending=pending)


def test_a_segment_stops_at_the_next_breakpoint_then_at_the_end():
    settings = Settings.create((0.0, 4.0), breakpoints=[3.0, 1.0])
    assert [next_bound(settings, at(t)) for t in (0.0, 1.0, 2.5, 3.0)] == [1.0, 3.0, 3.0, 4.0]


def test_a_segment_stops_at_the_limit_of_an_accumulation():
    settings = Settings.create((0.0, 4.0), breakpoints=[3.0])
    assert next_bound(settings, at(1.0, SimpleNamespace(t=2.0))) == 2.0
    late = next_bound(settings, at(2.0, SimpleNamespace(t=2.0)))
    assert late == np.nextafter(2.0, 3.0)


@pytest.mark.parametrize(
    ("suggested", "between", "expected"),
    [(None, 1.0, None), (0.1, 1.0, 0.1), (9.0, 0.05, 0.25), (9.0, 2.0, 2.0)],
)
def test_the_step_after_an_event_is_not_longer_than_what_was_seen_to_work(
    suggested, between, expected
):
    assert first_step_after_event(STEP, suggested, between) == expected


def test_absolute_tolerances_follow_the_size_of_each_coordinate():
    settings = Settings.create((0.0, 1.0), rtol=1e-6)
    scales = Scales(np.array([100.0, 0.0]), np.zeros(2), None, 1.0)
    assert_array_equal(
        absolute_tolerances(settings, scales), 1e-8 * np.array([100, 0.1, 1e-3, 1e-3])
    )


def test_absolute_tolerances_of_the_user_are_taken_as_they_are():
    settings = Settings.create((0.0, 1.0), atol=[1e-3, 1e-4])
    scales = Scales(np.array([100.0]), np.zeros(1), None, 1.0)
    assert_array_equal(absolute_tolerances(settings, scales), [1e-3, 1e-4])


def test_a_run_without_progress_is_given_up():
    require_progress(1000, lambda: "at t = 0.5")
    with pytest.raises(go.SimulationError, match=r"no progress after 1000 events at t = 0\.5"):
        require_progress(1001, lambda: "at t = 0.5")


@pytest.mark.parametrize(("steps", "events", "what"), [(5, 0, "5 steps"), (0, 3, "3 events")])
def test_limits_that_are_reached_are_named(steps, events, what):
    settings = Settings.create((0.0, 1.0), max_steps=5, max_events=3)
    require_within_limits(settings, 4, 2, str)
    with pytest.raises(go.SimulationError, match=f"the limit of {what} was reached at noon"):
        require_within_limits(settings, steps, events, lambda: "at noon")
