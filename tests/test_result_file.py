"""Results, checkpoints and harvested problems in files: exact to the last bit."""

import sys
from dataclasses import asdict

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go

G = 9.81


def tied_balls():
    """Two balls on a rod over a floor: impacts, an accumulation, a constraint, a limit."""
    return go.System(
        [1.0, 1.0, 0.5],
        lambda q, v, t: np.array([np.cos(t), -G, -0.5 * G + 0.1 * np.sin(t)]),
        constraints=[
            go.Holonomic("slope", lambda q, t: q[0] - 0.2 * q[1] ** 2),
            go.VelocityLimit("governor", lambda q, v, t: 6.0 - v[1]),
        ],
        contacts=[
            go.Contact("floor", lambda q, t: np.array([q[1], q[2]]), [0.6, 0.4]),
            go.Contact("ceiling", lambda q, t: 3.0 - q[2], 0.5),
        ],
        potential=lambda q, t: G * q[1] + 0.5 * G * q[2],
    )


START = [0.2, 1.0, 2.0], [0.0, 0.0, 0.0], (0.0, 3.0)


def assert_same_run(a, b, stats=True):
    assert (a.status, a.success, a.message) == (b.status, b.success, b.message)
    for name in ("t", "q", "v", "a"):
        assert_array_equal(getattr(a, name), getattr(b, name))
    for name in a.rows:
        assert_array_equal(a.rows[name], b.rows[name])
    for name in a.forces:
        assert_array_equal(a.forces[name], b.forces[name])
    assert len(a.events) == len(b.events)
    for mine, theirs in zip(a.events, b.events, strict=True):
        assert str(mine) == str(theirs)
        assert (mine.t, mine.energy_change) == (theirs.t, theirs.energy_change)
        assert_array_equal(mine.q, theirs.q)
        assert_array_equal(mine.v_before, theirs.v_before)
        assert_array_equal(mine.v_after, theirs.v_after)
        assert mine.impulses.keys() == theirs.impulses.keys()
        for name, impulse in mine.impulses.items():
            assert_array_equal(impulse, theirs.impulses[name])
    assert len(a.pieces) == len(b.pieces)
    for mine, theirs in zip(a.pieces, b.pieces, strict=True):
        assert (mine.t0, mine.t1, mine.held) == (theirs.t0, theirs.t1, theirs.held)
        assert_array_equal(mine.values, theirs.values)
    if stats:
        counts = [{k: v for k, v in asdict(r.stats).items() if k != "seconds"} for r in (a, b)]
        assert counts[0] == counts[1]


@pytest.fixture(scope="module")
def run():
    return go.simulate(tied_balls(), *START)


def test_what_is_saved_is_loaded_to_the_last_bit(run, tmp_path):
    run.save(tmp_path / "run.npz")
    loaded = go.load(tmp_path / "run.npz")
    assert_same_run(run, loaded)
    assert loaded.system is None
    assert loaded.settings == run.settings
    for name in ("kinetic", "potential", "applied", "impact", "total", "residual"):
        assert_array_equal(getattr(loaded.energy, name), getattr(run.energy, name))
    assert run.multipliers["floor"].shape == (len(run.t), 2)
    assert_array_equal(loaded.multipliers["floor"], run.multipliers["floor"])
    assert_array_equal(loaded.gaps["ceiling"], run.gaps["ceiling"])
    assert str(loaded) == str(run)


def test_dense_output_survives_a_file(tmp_path):
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.8)])
    result = go.simulate(ball, [1.0], [0.0], (0, 1))
    result.save(tmp_path / "ball.npz")
    loaded = go.load(tmp_path / "ball.npz")
    for t in np.linspace(0, 1, 13):
        assert_array_equal(loaded(t).q, result(t).q)
    event = loaded.events[0]
    assert_array_equal(loaded(event.t, side="left").v, event.v_before)


def test_saving_twice_and_saving_a_loaded_result_change_nothing(run, tmp_path):
    path = tmp_path / "run.npz"
    run.save(path)
    first = go.load(path)
    first.save(path)
    assert_same_run(run, go.load(path))
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


@pytest.mark.parametrize("every", [1, 3, 7])
def test_a_run_with_checkpoints_is_the_run_without(every, run, tmp_path):
    kept = go.simulate(tied_balls(), *START, checkpoint=tmp_path / "c.npz", checkpoint_every=every)
    assert_same_run(kept, run)


@pytest.mark.parametrize(
    ("method", "every", "stop"),
    [("DOP853", 1, stop) for stop in (1, 4, 9, 20, 33)]
    + [("RK45", 2, stop) for stop in (3, 30)]
    + [(method, 40, stop) for method in ("LSODA", "BDF", "Radau") for stop in (45, 90)],
)
def test_a_run_that_was_stopped_anywhere_resumes_exactly(method, every, stop, tmp_path):
    options = {
        "method": method, "rtol": 1e-6, "checkpoint": tmp_path / "c.npz",
        "checkpoint_every": every, "t_eval": np.linspace(0, 1.5, 11), "max_steps": 3000,
    }  # fmt: skip
    start = (*START[:2], (0, 1.5))
    whole = go.simulate(tied_balls(), *start, **options)
    (tmp_path / "c.npz").unlink()
    left = iter(range(stop))
    go.simulate(tied_balls(), *start, **options, callback=lambda state: next(left, None) is None)
    assert (tmp_path / "c.npz").exists()
    resumed = go.simulate(tied_balls(), *start, **options, resume=True)
    assert_same_run(resumed, whole)


def test_resuming_with_other_options_is_refused(tmp_path):
    path = tmp_path / "c.npz"
    go.simulate(tied_balls(), *START, checkpoint=path, checkpoint_every=1)
    with pytest.raises(go.InputError, match="another run: rtol differ"):
        go.simulate(tied_balls(), *START, checkpoint=path, resume=True, rtol=1e-6)
    moving = START[0], [0.4, 1.0, 0.0], START[2]
    with pytest.raises(go.InputError, match="the initial state differ"):
        go.simulate(tied_balls(), *moving, checkpoint=path, resume=True)
    with pytest.raises(go.InputError, match="resume=True needs checkpoint="):
        go.simulate(tied_balls(), *START, resume=True)


def test_a_result_is_not_a_checkpoint(run, tmp_path):
    run.save(tmp_path / "run.npz")
    with pytest.raises(go.InputError, match="is a result, not a checkpoint"):
        go.simulate(tied_balls(), *START, checkpoint=tmp_path / "run.npz", resume=True)


@pytest.mark.parametrize("solver", ["daqp", "nnls", "osqp", "active_set", "cvxpy"])
def test_harvested_problems_are_replayed_by_other_solvers(solver, tmp_path):
    path = tmp_path / "problems.npz"
    result = go.simulate(tied_balls(), *START[:2], (0, 0.8), record_problems=path)
    problems = go.load_problems(path)
    assert {"acceleration", "impact"} <= {problem.kind for problem in problems}
    assert len(problems) == result.stats.qp_total
    every = max(1, len(problems) // 25)
    for problem in problems[::every]:
        mine = go.solve(problem, solver)
        theirs = go.solve(problem, "daqp")
        assert_allclose(mine.x, theirs.x, rtol=1e-9, atol=1e-11)
        assert mine.certificate.worst <= 1e-9


def test_a_table_without_pandas_says_how_to_get_it(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(go.MissingPackageError, match="pip install pandas") as caught:
        run.to_dataframe()
    assert "\n" not in str(caught.value)
