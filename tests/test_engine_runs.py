"""The compiled engine against the Python one: the same events, times, velocities and impulses."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from engines import both, common_events, compiled, require_close, require_same, same_bits

import gauss_opt as go
from gauss_opt.studies.case_files import case_names, find_case

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from random_scenes import random_scene

pytestmark = compiled
PARTED = 1e-7  # relative: two runs of a chaotic scene that differ by more go their own ways


@pytest.mark.parametrize("name", case_names())
def test_a_case_is_the_same_by_both_engines(name):
    case = find_case(name)()
    try:
        native = case.run(engine="native")
    except go.InputError as error:
        pytest.skip(str(error))
    assert native.stats.engine == "native"
    python = case.run(engine="python")
    pairs = common_events(python, native)
    span = python.t[-1] - python.t[0]
    apart = [k for k, (a, b) in enumerate(pairs) if abs(a.t - b.t) > PARTED * span]
    require_same(python, native, times=1e-10) if not apart else require_close(
        python, pairs[: apart[0] // 2], times=1e-9, velocities=1e-6
    )
    assert [check.name for check in case.check(native) if not check.ok] == []
    assert native.stats.worst_residual <= 1e-9


def test_random_scenes_are_the_same_by_both_engines_until_chaos_parts_them():
    """Several seeds; each pair of runs is compared as far as their events agree closely."""
    compared, parted = 0, 0
    for seed in range(8):
        scene = random_scene(np.random.default_rng([77, seed]))
        options = {"law": scene.law, "max_events": 150, "throw": False}
        one, other = both(scene.system(), scene.q, scene.v, (0.0, min(scene.end, 1.0)), **options)
        pairs = common_events(one, other)
        span = one.t[-1] - one.t[0]
        close = [k for k, (a, b) in enumerate(pairs) if abs(a.t - b.t) > 1e-9 * span]
        pairs = pairs[: close[0]] if close else pairs
        parted += len(pairs) < len(one.events)
        require_close(one, pairs, times=1e-9, velocities=1e-5)
        compared += len(pairs)
        assert len(pairs) >= min(len(one.events), 3)
    assert compared > 100
    assert parted < 8


G = 9.81


def ball(e=0.8):
    return go.System(
        [1.0, 2.0],
        lambda q, v, t, k: np.array([-k * q[0], -2.0 * G]),
        contacts=[go.Contact("floor", lambda q, t: q[1] + 0.1 * np.sin(q[0]), e)],
        parameters={"k": 3.0},
    )


BALL = ([1.0, 1.5], [0.5, 0.0], (0.0, 2.0))
OPTIONS = {
    "chosen times": {"t_eval": np.linspace(0.0, 2.0, 57)},
    "breakpoints": {"breakpoints": [0.3, 0.31, 1.7]},
    "short steps": {"max_step": 0.01},
    "loose": {"rtol": 1e-6},
    "absolute tolerance": {"atol": 1e-12},
    "absolute tolerances": {"atol": [1e-12, 1e-11, 1e-10, 1e-9]},
    "first step": {"first_step": 1e-3},
    "length scale": {"length_scale": 10.0},
    "time scale": {"time_scale": 0.1},
    "no dense output": {"dense_output": False},
    "poisson": {"law": "poisson"},
    "sequential": {"law": "sequential"},
    "no closure": {"closure": 0.0},
    "an event": {"events": lambda q, v, t: q[0] - 0.2},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_mean_the_same(name):
    one, other = both(ball(), *BALL, **OPTIONS[name])
    assert other.stats.engine == "native"
    require_same(one, other)
    if "t_eval" in OPTIONS[name]:
        assert np.array_equal(one.t.round(9), other.t.round(9))
        assert np.abs(one.q - other.q).max() < 1e-8
    assert bool(other.pieces) == bool(one.pieces)


def test_an_event_that_ends_the_run_ends_it():
    def high(q, v, t):
        return q[1] - 1.0

    high.terminal = True
    one, other = both(ball(), *BALL, events=high)
    assert one.status == other.status == "terminated"
    require_same(one, other)


def test_every_column_of_a_result_is_there():
    one, other = both(ball(), *BALL, max_step=0.05, first_step=0.05)
    for name in ("multipliers", "gaps", "rates"):
        found, wanted = getattr(other, name)["floor"], getattr(one, name)["floor"]
        assert np.abs(found - wanted).max() <= 1e-7 * (1.0 + np.abs(wanted).max()), name
    assert np.allclose(other.constraint_force.total, one.constraint_force.total, atol=1e-7)
    assert np.abs(other.energy.residual).max() < 1e-7
    assert np.allclose(one(1.234).q, other(1.234).q, rtol=1e-8)


def test_two_threads_have_the_bits_of_one():
    system = ball()

    def run(_):
        return go.simulate(system, *BALL, engine="native")

    alone = run(0)
    with ThreadPoolExecutor(2) as pool:
        assert all(same_bits(alone, result) for result in pool.map(run, range(8)))


def test_stopping_after_every_step_changes_no_bit():
    """A callback has the run stop after every step: the way does not depend on that."""
    times = []
    whole = go.simulate(ball(), *BALL, engine="native")
    stepwise = go.simulate(
        ball(), *BALL, engine="native", callback=lambda state: times.append(state.t)
    )
    assert same_bits(whole, stepwise)
    assert len(times) >= whole.stats.steps


@pytest.mark.parametrize("stop", [3, 8, 15])
def test_a_run_that_is_resumed_has_the_bits_of_one_that_is_not(stop, tmp_path):
    path = tmp_path / "run.npz"
    whole = go.simulate(ball(), *BALL, engine="native")
    calls = []

    def killed(state):
        calls.append(state.t)
        if len(calls) == stop:
            raise KeyboardInterrupt

    part = go.simulate(
        ball(), *BALL, engine="native", callback=killed, checkpoint=path, checkpoint_every=1
    )
    assert part.status == "interrupted"
    rest = go.simulate(ball(), *BALL, engine="native", checkpoint=path, resume=True)
    assert same_bits(whole, rest)
    assert rest.stats.steps == whole.stats.steps


def test_a_run_can_be_resumed_by_the_other_engine(tmp_path):
    path = tmp_path / "run.npz"
    go.simulate(ball(), *BALL, engine="native", max_events=1, throw=False, checkpoint=path,
                checkpoint_every=1)  # fmt: skip
    rest = go.simulate(ball(), *BALL, engine="python", checkpoint=path, resume=True)
    require_same(go.simulate(ball(), *BALL, engine="python"), rest)


def legs(e):
    """A table that falls flat on four legs: one impulse too many to tell them apart."""
    x, y = np.array([1.0, -1.0, -1.0, 1.0]), np.array([1.0, 1.0, -1.0, -1.0])
    contacts = [
        go.Contact(f"leg {i}", lambda q, t, i=i: q[0] + x[i] * q[1] + y[i] * q[2], e)
        for i in range(4)
    ]
    return go.System([1.0, 0.4, 0.3], [-G, 0.0, 0.0], contacts=contacts)


def test_redundant_legs_have_the_impulses_of_least_norm():
    one, other = both(legs(0.5), [0.3, 0.0, 0.0], [0.0, 0.0, 0.0], (0.0, 0.6))
    require_same(one, other)
    first = other.events[0]
    share = 1.5 * np.sqrt(2 * G * 0.3) / 4
    assert [first.impulses[f"leg {i}"] for i in range(4)] == pytest.approx([share] * 4, rel=1e-9)


def test_limits_of_a_run_hold():
    with pytest.raises(go.SimulationError, match="limit of 1 events"):
        go.simulate(ball(), *BALL, engine="native", max_events=1)
    with pytest.raises(go.SimulationError, match="limit of 7 steps"):
        go.simulate(ball(), *BALL, engine="native", max_steps=7)
