"""Faults around files and solvers: killed runs, full disks, hostile files, lying solvers."""

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gauss_opt as go

G = 9.81
ROOT = Path(__file__).resolve().parents[1]


def ball(e=0.8):
    return go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], e)])


def drop(e=0.8, t1=1.0, **options):
    return go.simulate(ball(e), [1.0], [0.0], (0, t1), **options)


def test_fault_24_a_killed_run_resumes_with_the_same_numbers(tmp_path):
    path = tmp_path / "c.npz"
    code = f"""
        import time
        import gauss_opt as go
        ball = go.System([1.0], [-9.81],
                         contacts=[go.Contact("floor", lambda q, t: q[0], 0.8)])
        go.simulate(ball, [1.0], [0.0], (0, 3.0), checkpoint={str(path)!r}, checkpoint_every=1,
                    callback=lambda state: time.sleep(0.05))
    """
    victim = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not path.exists() and time.monotonic() < deadline and victim.poll() is None:
        time.sleep(0.01)
    time.sleep(0.3)
    victim.send_signal(signal.SIGKILL)
    assert victim.wait() == -signal.SIGKILL
    assert 0.0 < go.load(path).t[-1] < 3.0
    resumed = drop(t1=3.0, checkpoint=path, checkpoint_every=1, resume=True)
    whole = drop(t1=3.0)
    assert_array_equal(resumed.t, whole.t)
    assert_array_equal(resumed.q, whole.q)
    assert_array_equal(resumed.v, whole.v)
    assert [str(e) for e in resumed.events] == [str(e) for e in whole.events]


@pytest.mark.parametrize("broken", ["replace", "fsync"])
def test_fault_24_a_full_disk_leaves_the_old_file(broken, tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    drop(t1=0.5).save(path)
    before = path.read_bytes()

    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken, full)
    with pytest.raises(OSError, match="No space left"):
        drop().save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.npz"]


def test_fault_24_a_disk_that_is_full_at_a_checkpoint_loses_nothing(tmp_path, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    try:
        result = drop(checkpoint=tmp_path / "c.npz", checkpoint_every=1, throw=False)
    except go.SimulationError as error:
        result = error.result
    assert result is not None
    assert len(result.t) >= 2


@pytest.fixture
def saved(tmp_path):
    drop().save(tmp_path / "run.npz")
    return tmp_path / "run.npz"


def rewrite(path, **changes):
    with np.load(path) as data:
        arrays = {name: data[name] for name in data.files}
    header = json.loads(arrays["header"].tobytes())
    for name, value in changes.items():
        if name == "header":
            header.update(value)
        elif value is None:
            del arrays[name]
        else:
            arrays[name] = value
    if "header" in arrays:
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    "changes",
    [
        {"t": None},
        {"q": np.zeros(3)},
        {"q": np.zeros((1, 1))},
        {"t": np.array(["a", "b"])},
        {"piece_sizes": np.array([10**9])},
        {"piece_sizes": np.array([-8])},
        {"header": {"version": 99}},
        {"header": {"version": "1"}},
        {"header": {"format": "something else"}},
        {"header": {"events": [{}]}},
        {"header": {"events": None}},
        {"header": {"stats": {"unknown": 1}}},
        {"header": {"row_names": 5}},
        {"header": {"settings": None}},
    ],
)
def test_fault_25_a_damaged_or_newer_file_gives_the_reason(saved, changes):
    rewrite(saved, **changes)
    with pytest.raises(go.InputError, match=r"run\.npz"):
        go.load(saved)


@pytest.mark.parametrize("keep", [0, 10, 200, -30])
def test_fault_25_a_truncated_file_is_refused(saved, keep):
    saved.write_bytes(saved.read_bytes()[:keep])
    with pytest.raises(go.InputError, match="cannot be read"):
        go.load(saved)


def test_fault_25_a_header_that_is_no_json_is_refused(saved):
    for header in (b"\xff\xfe", b"[" * 100_000, b"[]", b"null", b'{"format": 1}'):
        with np.load(saved) as data:
            arrays = {name: data[name] for name in data.files}
        arrays["header"] = np.frombuffer(header, dtype=np.uint8)
        np.savez(saved, **arrays)
        with pytest.raises(go.InputError, match=r"run\.npz"):
            go.load(saved)


class Bomb:
    def __reduce__(self):
        return (os.system, ("touch exploded",))


def test_fault_25_nothing_in_a_file_is_ever_executed(saved, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with np.load(saved) as data:
        arrays = {name: data[name] for name in data.files}
    arrays["q"] = np.array([Bomb()], dtype=object)
    np.savez(saved, allow_pickle=True, **arrays)
    with pytest.raises(go.InputError, match="cannot be read"):
        go.load(saved)
    assert not (tmp_path / "exploded").exists()


def test_fault_25_a_zip_bomb_and_a_huge_array_are_refused(saved):
    with zipfile.ZipFile(saved, "w", zipfile.ZIP_DEFLATED) as archive, archive.open(
        "t.npy", "w", force_zip64=True
    ) as stream:  # fmt: skip
        zeros = bytes(1 << 24)
        for _ in range(65):
            stream.write(zeros)
    with pytest.raises(go.InputError, match="are refused"):
        go.load(saved)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        head, {"descr": "<f8", "fortran_order": False, "shape": (1 << 50,)}
    )
    with zipfile.ZipFile(saved, "w") as archive:
        archive.writestr("t.npy", head.getvalue())
    with pytest.raises(go.InputError, match="cannot be read"):
        go.load(saved)


def test_fault_25_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        go.load(tmp_path / "none.npz")


class Liar(go.solvers.Adapter):
    def __init__(self, lie):
        super().__init__()
        self.lie = lie

    def propose(self, problem):
        n, ni = problem.n, problem.n_inequality
        if self.lie == "raises":
            raise RuntimeError("no")
        if self.lie == "infeasible":
            return go.solvers.Proposal("infeasible")
        if self.lie == "sleeps":
            time.sleep(0.3)
        z = np.full(n, np.nan if self.lie == "nan" else 7.0)
        return go.solvers.Proposal("solved", z, np.zeros(ni))


@pytest.mark.parametrize("lie", ["wrong", "nan", "raises", "infeasible", "sleeps"])
def test_fault_27_a_lying_solver_is_caught_and_the_run_is_right(lie):
    system = go.System(
        [1.0, 2.0],
        [-G, -2 * G],
        contacts=[
            go.Contact("floor", lambda q, t: q[0], 0.5),
            go.Contact("other", lambda q, t: q[1] - q[0] - 0.1, 0.5),
        ],
    )
    start = [1.0, 1.5], [0.0, 0.0], (0, 0.8)
    limit = 0.05 if lie == "sleeps" else None
    solver = go.GaussSolver(Liar(lie), reuse_active_set=False, time_limit=limit)
    result = go.simulate(system, *start, solver=solver, max_events=60, throw=False)
    honest = go.simulate(system, *start, solver="daqp", max_events=60, throw=False)
    assert [e.kind for e in result.events] == [e.kind for e in honest.events]
    assert_array_equal(result.q, honest.q)
    assert result.stats.qp_fallbacks > 0
    assert result.settings["solver"] == solver.name


@pytest.mark.parametrize(
    ("options", "known"),
    [({"solver": "magic"}, "daqp"), ({"law": "magic"}, "poisson"), ({"method": "magic"}, "RK45")],
)
def test_fault_28_unknown_names_list_the_known_ones(options, known):
    with pytest.raises(go.InputError, match=known):
        drop(**options)


def test_fault_28_an_unknown_option_is_refused():
    with pytest.raises(go.InputError, match="no option 'magic'"):
        drop(magic=1)
