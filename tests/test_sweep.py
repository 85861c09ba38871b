"""Parameter studies: the same rows in whatever order, wherever, and after whatever has died."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections import deque
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from multiprocessing import get_context

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.studies.sweeps.points import points_of
from gauss_opt.studies.sweeps.progress import Progress

G = 9.81


def ball():
    contact = go.Contact("floor", lambda q, t: q[0], restitution="e")
    weight = {"force": lambda q, v, t, g: np.array([-g])}
    return go.System([1.0], contacts=[contact], parameters={"e": 0.5, "g": G}, **weight)


def bounce(system, drop=1.0):
    """Height of the first bounce of a ball: e^2 times that of the drop."""
    run = go.simulate(system, [drop], [0.0], (0.0, 1.0), solver="daqp")
    return {"height": run.events[0].v_after[0] ** 2 / (2.0 * system.parameters["g"]),
            "impacts": run.stats.impacts}  # fmt: skip


def numbers(sweep):
    """All that must not depend on where a sweep ran, to the last bit."""
    return [(row.point, row.status, row.values, row.error) for row in sweep]


# What is measured


def test_bounces_are_as_high_as_the_coefficient_says():
    e, drop = np.linspace(0.1, 0.9, 5), [0.5, 1.0]
    sweep = go.sweep(ball, {"e": e, "drop": drop}, bounce)
    assert sweep.status == "finished"
    assert len(sweep) == 10
    np.testing.assert_allclose(sweep["height"], sweep["e"] ** 2 * sweep["drop"], rtol=1e-9)
    assert sweep["impacts"].dtype.kind == "i"


def test_a_system_is_built_once_and_takes_the_parameters_of_each_point():
    built = []

    def build():
        built.append(1)
        return ball()

    go.sweep(build, {"e": [0.1, 0.2, 0.3]}, bounce)
    assert len(built) == 1


def test_names_of_the_build_make_a_new_system_for_each_of_their_values():
    built = []

    def build(e):
        built.append(e)
        return ball().with_parameters(e=e)

    def measure(system):
        return system.parameters["e"] + system.parameters["g"]

    sweep = go.sweep(build, {"e": [0.1, 0.2], "g": [1.0, 2.0, 3.0]}, measure)
    assert built == [0.1, 0.2]
    assert sweep["value"].tolist() == [e + g for e in (0.1, 0.2) for g in (1.0, 2.0, 3.0)]


def test_setups_and_cases_are_measured_as_they_are():
    def end(setup):
        return setup.run().t[-1]

    setup = go.Setup(ball(), [1.0], [0.0], (0.0, 0.2))
    assert go.sweep(setup, {"e": [0.3, 0.4]}, end)["value"].tolist() == [0.2, 0.2]
    case = go.find_case("bouncing_ball")
    fall = go.sweep(case, {"height": [1.0, 4.0]}, lambda setup: setup.q0[1])
    assert fall["value"].tolist() == [1.0, 4.0]
    default = go.sweep(case(), [{}], lambda setup: setup.q0[1])
    assert default["value"].tolist() == [1.0]


def test_a_name_that_nobody_takes_is_refused_before_anything_runs():
    with pytest.raises(go.InputError, match="nobody takes 'w' of the points"):
        go.sweep(ball, {"w": [1.0]}, bounce)
    with pytest.raises(go.InputError, match="nobody takes 'w'"):
        go.sweep(lambda e: ball(), {"e": [0.5], "w": [1.0]}, bounce)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((ball, {"e": [0.5]}, lambda system, height: height), "measure needs 'height'"),
        ((lambda mass: ball(), {"e": [0.5]}, bounce), "build needs 'mass'"),
        ((bounce, {"e": [0.5]}, ball), "measure takes no argument"),
        ((bounce, {"e": [0.5]}, lambda e: ball()), "build needs 'system'"),
        (({"e": [0.5]}, [{}], bounce), "build is a mapping"),
        (({"e": [0.5]}, ball, bounce), r"sweep\(build, grid, measure\)"),
        ((ball, bounce, {"e": [0.5]}), "measure must be a function"),
    ],
)
def test_swapped_arguments_and_names_that_nobody_gives_are_refused(arguments, words, tmp_path):
    with pytest.raises(go.InputError, match=words):
        go.sweep(*arguments, table=tmp_path / "none.db")
    assert not list(tmp_path.iterdir())


def test_a_failing_point_keeps_its_row_and_its_reason(tmp_path):
    def measure(system, drop):
        if drop == 2.0:
            raise ValueError("asked to fail")
        return bounce(system, drop)

    grid = {"drop": [1.0, -1.0, 2.0, 3.0]}
    sweep = go.sweep(ball, grid, measure, table=tmp_path / "t.db")
    assert [row.status for row in sweep] == ["ok", "failed", "failed", "ok"]
    assert "ValueError: asked to fail" in sweep.rows[2].error
    assert "floor" in sweep.rows[1].error  # the start is below it
    assert np.isnan(sweep["height"]).tolist() == [False, True, True, False]
    assert len(sweep.failures) == 2
    assert "2 failed" in str(sweep)


@pytest.mark.parametrize("value", [object(), {1: 2.0}, {"a": 1j}, {"a": object()}])
def test_what_no_table_can_hold_is_the_failure_of_its_point(value):
    sweep = go.sweep(ball(), [{}], lambda system: value)
    assert sweep.rows[0].status == "failed"
    assert "must be" in sweep.rows[0].error


def test_values_come_back_to_the_last_bit():
    values = [0.1, 1e-320, -0.0, np.pi, 1e308, 3]
    sweep = go.sweep(None, {"x": values}, lambda nothing, x: {"y": x, "list": np.array([x, x])})
    assert [row.values["y"] for row in sweep] == values
    assert np.signbit(sweep.rows[2].values["y"])
    assert sweep["list"][3] == [np.pi, np.pi]
    special = go.sweep(None, [{}], lambda nothing: {"a": np.nan, "b": -np.inf})
    assert np.isnan(special["a"][0])
    assert special["b"][0] == -np.inf


# Points and random numbers


def test_points_are_grids_lists_or_draws():
    grid = points_of({"a": range(2), "b": ["x", "y"], "c": 7})
    assert [p.values for p in grid][1] == {"a": 0, "b": "y", "c": 7}
    assert [p.values for p in points_of([{"a": 1}, {"b": [1.0, 2.0]}])] == [
        {"a": 1},
        {"b": [1.0, 2.0]},
    ]
    assert len({p.key for p in points_of([{"a": 1}] * 3)}) == 3
    few = points_of(lambda rng: {"x": rng.normal()}, samples=3, seed=5)
    more = points_of(lambda rng: {"x": rng.normal()}, samples=9, seed=5)
    assert more[:3] == few
    assert len({p.text for p in more}) == 9


@pytest.mark.parametrize(
    ("grid", "words"),
    [({"a": []}, "no values"), ([], "no points"), ([3], "must map names"), ([{1: 2}], "strings"),
     ([{"a": object()}], "object"), (lambda rng: {}, "samples=")],
)  # fmt: skip
def test_points_that_are_none_are_refused(grid, words):
    with pytest.raises(go.InputError, match=words):
        points_of(grid)


def test_random_numbers_belong_to_the_point_and_not_to_its_place():
    def draw(nothing, x, rng):
        return rng.normal()

    def by_point(points, **options):
        return {
            row.point["x"]: row.values["value"] for row in go.sweep(None, points, draw, **options)
        }

    points = [{"x": x} for x in range(6)]
    assert by_point(points) == by_point(points[::-1])
    assert by_point(points[2:4]).items() <= by_point(points).items()
    assert len(set(by_point(points).values())) == 6
    assert by_point(points) != by_point(points, seed=1)
    twice = go.sweep(None, [{"x": 1}, {"x": 1}], draw)["value"]
    assert twice[0] != twice[1]


# The table


def test_a_second_call_computes_only_what_is_missing(tmp_path):
    calls = deque()

    def measure(nothing, x):
        calls.append(x)
        return x * x

    table = tmp_path / "study.db"
    go.sweep(None, {"x": [1, 2, 3]}, measure, table=table)
    wider = go.sweep(None, {"x": [0, 1, 2, 3, 4]}, measure, table=table)
    assert list(calls) == [1, 2, 3, 0, 4]
    assert wider["value"].tolist() == [0, 1, 4, 9, 16]
    opened = go.Sweep.open(table)
    assert opened["x"].tolist() == [1, 2, 3, 0, 4]
    assert opened.path == str(table)


def test_failed_points_are_computed_again_only_when_asked(tmp_path):
    works = deque()

    def measure(nothing, x):
        if x == 2 and not os.path.exists(tmp_path / "mended"):
            raise OSError("the disk was full")
        works.append(x)
        return x

    ask = (None, {"x": [1, 2, 3]}, measure)
    go.sweep(*ask, table=tmp_path / "t.db")
    (tmp_path / "mended").touch()
    assert len(go.sweep(*ask, table=tmp_path / "t.db").failures) == 1
    assert not go.sweep(*ask, table=tmp_path / "t.db", retry_failed=True).failures
    assert list(works) == [1, 3, 2]


def test_a_table_of_something_else_is_refused(tmp_path):
    table = tmp_path / "t.db"

    def study(factor, seed=0, mass=1.0, **options):
        def measure(system, g):
            """How heavy it is: words do not count."""
            return factor * g

        system = go.System([mass], force=lambda q, v, t, g: np.array([-g]), parameters={"g": 1.0})
        return go.sweep(
            lambda: system, {"g": [1.0, 2.0]}, measure, table=table, seed=seed, **options
        )

    study(2.0)
    study(2.0)
    for change, words in [
        ({"factor": 3.0}, "measure has changed"),
        ({"factor": 2.0, "seed": 1}, "seed has changed"),
        ({"factor": 2.0, "mass": 2.0}, "what is built has changed"),
    ]:
        with pytest.raises(go.InputError, match=words):
            study(**change)
    assert study(3.0, trust=True)["value"].tolist() == [2.0, 4.0]


def test_a_file_that_is_no_table_is_refused(tmp_path):
    (tmp_path / "words.db").write_text("once upon a time " * 100)
    with pytest.raises(go.InputError, match="cannot be used as the table"):
        go.sweep(None, [{}], lambda nothing: 1, table=tmp_path / "words.db")
    with pytest.raises(go.InputError, match="cannot be used as the table"):
        go.sweep(None, [{}], lambda nothing: 1, table=tmp_path / "nowhere" / "t.db")
    with pytest.raises(go.InputError, match="there is no table"):
        go.Sweep.open(tmp_path / "missing.db")
    other = sqlite3.connect(tmp_path / "other.db")
    with other:
        other.execute("create table rows (x)")
    other.close()
    with pytest.raises(go.InputError, match="cannot be used as the table"):
        go.sweep(None, [{}], lambda nothing: 1, table=tmp_path / "other.db")


def test_tables_go_to_other_programs(tmp_path):
    import pandas

    sweep = go.sweep(None, {"x": [0.1, 0.2]}, lambda nothing, x: {"y": x / 3.0, "word": "a, b"})
    frame = sweep.to_dataframe()
    assert list(frame.columns) == ["x", "y", "word", "status", "seconds", "error"]
    sweep.to_csv(tmp_path / "t.csv")
    sweep.to_parquet(tmp_path / "t.parquet")
    for read in (pandas.read_csv(tmp_path / "t.csv"),
                 pandas.read_parquet(tmp_path / "t.parquet")):  # fmt: skip
        assert read["y"].tolist() == pytest.approx(sweep["y"].tolist(), rel=1e-15)
        assert read["word"].tolist() == ["a, b", "a, b"]
    with pytest.raises(go.InputError, match="there is no 'z' in this sweep; there is 'x', 'y'"):
        sweep["z"]


# Executors, and what dies


@pytest.fixture(scope="module")
def serial():
    return numbers(go.sweep(ball, {"e": np.linspace(0.1, 0.9, 13)}, bounce))


def test_processes_and_threads_give_the_bits_of_one_process(serial):
    grid = {"e": np.linspace(0.1, 0.9, 13)}
    assert numbers(go.sweep(ball, grid, bounce, executor="threads", workers=3)) == serial
    assert numbers(go.sweep(ball, grid, bounce, executor="processes", workers=2)) == serial
    with ThreadPoolExecutor(2) as given:
        assert numbers(go.sweep(ball, grid, bounce, executor=given, chunk=4)) == serial


def test_the_point_that_kills_its_worker_is_found_and_no_other_row_is_lost():
    def measure(nothing, x):
        if x == 7:
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    options = {"executor": "processes", "workers": 2, "chunk": 5}
    sweep = go.sweep(None, {"x": range(20)}, measure, **options)
    assert [row.point["x"] for row in sweep.failures] == [7]
    assert "the worker died at this point" in sweep.failures[0].error
    assert [row.values["value"] for row in sweep if row.ok] == [x for x in range(20) if x != 7]


def test_a_broken_executor_of_the_user_is_named_and_the_rows_are_kept(tmp_path):
    def measure(nothing, x):
        if x == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        return x

    table = tmp_path / "t.db"
    broken = pytest.raises(go.SimulationError, match="the executor has broken")
    with ProcessPoolExecutor(1, get_context("spawn")) as given, broken:
        go.sweep(None, {"x": range(8)}, measure, executor=given, chunk=1, table=table)
    kept = go.Sweep.open(table)["x"].tolist()
    assert kept == list(range(len(kept)))
    assert 1 <= len(kept) <= 5


SLOW = """
    import time, sys
    import gauss_opt as go

    def measure(nothing, x):
        time.sleep(0.05)
        return x * 0.1

    if __name__ == "__main__":
        print("begun", flush=True)
        sweep = go.sweep(None, {"x": range(60)}, measure, table="t.db", executor=sys.argv[1],
                         workers=2, chunk=2)
        print(sweep.status, len(sweep), flush=True)
"""


def rows_on_disk(folder):
    if not (folder / "t.db").exists():
        return 0
    try:
        with closing(sqlite3.connect(folder / "t.db")) as db:
            return db.execute("select count(*) from rows").fetchone()[0]
    except sqlite3.OperationalError:
        return 0


@pytest.mark.parametrize(("how", "executor"), [("kill", "processes"), ("ctrl-c", "processes"),
                                               ("ctrl-c", "serial")])  # fmt: skip
def test_a_study_that_is_killed_or_interrupted_goes_on_where_it_was(tmp_path, how, executor):
    script = tmp_path / "slow.py"
    script.write_text(textwrap.dedent(SLOW))
    ask = [sys.executable, str(script), executor]
    # A shell that starts jobs in the background has them ignore Ctrl-C, which is inherited.
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        ask, cwd=tmp_path, stdout=subprocess.PIPE, text=True, preexec_fn=heed
    ) as study:
        while rows_on_disk(tmp_path) < 6:
            time.sleep(0.02)
            assert study.poll() is None
        study.send_signal(signal.SIGKILL if how == "kill" else signal.SIGINT)
        said = study.stdout.read()
    kept = rows_on_disk(tmp_path)
    assert 6 <= kept < 60
    if how == "ctrl-c":
        assert f"interrupted {kept}" in said
    # Nothing but the rest is computed, and all of it is there.
    calls = []

    def rest(nothing, x):
        calls.append(x)
        return x * 0.1

    sweep = go.sweep(None, {"x": range(60)}, rest, table=tmp_path / "t.db", trust=True)
    assert len(calls) == 60 - kept
    assert sweep["value"].tolist() == [x * 0.1 for x in range(60)]


@pytest.fixture
def heeding_ctrl_c():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_run_that_ctrl_c_has_cut_short_makes_no_row(tmp_path, heeding_ctrl_c):
    def measure(system, drop):
        if drop == 3.0:  # a run swallows it, and returns what it has
            signal.raise_signal(signal.SIGINT)
        return bounce(system, drop)

    def swallow(system, drop):
        try:
            return measure(system, drop)
        except KeyboardInterrupt:
            return {"height": -1.0, "impacts": 0}

    sweep = go.sweep(ball, {"drop": [1.0, 2.0, 3.0, 4.0]}, swallow, chunk=1)
    assert sweep.status == "interrupted"
    assert sweep["drop"].tolist() == [1.0, 2.0]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.filterwarnings("ignore")  # of the cluster, which loses a worker
def test_killing_a_dask_worker_in_mid_run_changes_no_bit(serial):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    killed = []
    with (
        distributed.LocalCluster(host="127.0.0.1", silence_logs=50, **options) as cluster,
        distributed.Client(cluster) as client,
    ):

        def kill(progress):
            if not killed and progress.done >= 3:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        grid = {"e": np.linspace(0.1, 0.9, 13)}
        sweep = go.sweep(ball, grid, bounce, executor=client, chunk=1, progress=kill)
    assert killed
    assert numbers(sweep) == serial


def test_what_cannot_travel_and_what_is_no_executor_is_said(tmp_path):
    stays = pytest.raises(go.CarryingError, match="what is built and measured cannot be taken")
    with open(tmp_path / "open", "w") as stream, stays:
        go.sweep(None, [{}], lambda nothing: stream.name, executor="processes")
    for wrong in ("cluster", 3, ThreadPoolExecutor):
        with pytest.raises(go.InputError, match="executor must be"):
            go.sweep(None, [{}], lambda nothing: 1, executor=wrong)


def test_progress_says_how_long_it_will_take():
    seen = []
    go.sweep(None, {"x": range(5)}, lambda nothing, x: x, progress=seen.append, chunk=2)
    assert [p.done for p in seen] == [2, 4, 5]
    assert all(isinstance(p, Progress) and p.total == 5 for p in seen)
    assert seen[-1].remaining == 0.0
    assert str(Progress(30, 90, 0, 30, 10.0)) == "30 of 90 points, 3 per second, 20 s left"


# Pictures


def drawn(ax, path):
    ax.figure.savefig(path)
    return path.stat().st_size


def test_pictures_of_one_parameter_of_two_and_of_lists(tmp_path):
    def measure(nothing, x, y=0.0):
        if x == 2:
            raise ValueError
        return {"f": x * x + y, "many": list(range(int(x)))}

    line = go.sweep(None, {"x": range(5)}, measure)
    ax = line.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "f")
    assert "failed (1)" in ax.get_legend().get_texts()[0].get_text()
    dots = line.plot("many").lines[0]
    assert sorted(x for x, y in zip(*dots.get_data(), strict=True) if y >= 0.0) == [
        1,
        3,
        3,
        3,
        4,
        4,
        4,
        4,
    ]
    plane = go.sweep(None, {"x": [0, 1, 3], "y": [0.0, 1.0]}, measure)
    assert (plane.plot().get_xlabel(), plane.plot().get_ylabel()) == ("x", "y")
    assert drawn(plane.plot(), tmp_path / "plane.png")
    cloud = go.sweep(None, [{"x": 1, "y": 0.5}, {"x": 3, "y": 0.1}, {"x": 4, "y": 2.0}], measure)
    assert drawn(cloud.plot(), tmp_path / "cloud.png")
    assert cloud.plot("f", "x").get_ylabel() == "f"
    with pytest.raises(go.InputError, match="no colour"):
        plane.plot("many")
