"""Problems in files: exact, complete or absent, and never able to run code."""

import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest

from gauss_opt import (
    GaussProblem,
    InputError,
    load_problem,
    load_problems,
    save_problem,
    save_problems,
    solve,
)
from gauss_opt.base.npz import read_npz
from gauss_opt.qp import problem_file


def example(seed=0, how="load"):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(4, 4))
    return GaussProblem.create(
        root @ root.T,
        **{how: rng.normal(size=4)},
        Ae=rng.normal(size=(1, 4)),
        be=rng.normal(size=1),
        Ai=rng.normal(size=(3, 4)),
        bi=[-1, -2, -0.0],
        equality_names=["Stange <b>ü</b>"],
        inequality_names=["\ud800", "", "wall"],
        kind="impact",
    )


def same(one, other):
    arrays = ("metric", "load", "rows", "rhs")
    exact = all(getattr(one, a).tobytes() == getattr(other, a).tobytes() for a in arrays)
    targets = [None if p.target is None else p.target.tobytes() for p in (one, other)]
    rest = [(p.n_equality, p.names, p.kind) for p in (one, other)]
    return exact and targets[0] == targets[1] and rest[0] == rest[1]


@pytest.mark.parametrize("how", ["load", "target"])
def test_save_and_load_are_exact(tmp_path, how):
    problem = example(how=how)
    save_problem(problem, tmp_path / "p.npz")
    loaded = load_problem(tmp_path / "p.npz")
    assert same(problem, loaded)
    assert solve(problem).x.tobytes() == solve(loaded).x.tobytes()


def test_a_series_keeps_its_order(tmp_path):
    series = [example(seed, how) for seed in range(3) for how in ("load", "target")]
    save_problems(series, tmp_path / "series.npz")
    loaded = load_problems(tmp_path / "series.npz")
    assert len(loaded) == 6
    assert all(map(same, series, loaded))
    with pytest.raises(InputError, match="6 problems"):
        load_problem(tmp_path / "series.npz")


def test_a_problem_without_rows_is_saved_too(tmp_path):
    bare = GaussProblem.create([1.0], load=[2.0])
    save_problem(bare, tmp_path / "bare.npz")
    assert same(bare, load_problem(tmp_path / "bare.npz"))


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(tmp_path, monkeypatch):
    path = tmp_path / "p.npz"
    save_problem(example(0), path)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_problem(example(1), path)
    assert os.listdir(tmp_path) == ["p.npz"]
    assert same(example(0), load_problem(path))


def test_a_missing_file_is_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_problem(tmp_path / "nothing.npz")


def refuse(path, words):
    with pytest.raises(InputError, match=words) as caught:
        load_problems(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9, 0.999])
def test_a_truncated_file_is_refused(tmp_path, part):
    path = tmp_path / "p.npz"
    save_problem(example(), path)
    data = path.read_bytes()
    path.write_bytes(data[: int(part * len(data))])
    refuse(path, "cannot be read")


def test_a_flipped_bit_is_found(tmp_path):
    path = tmp_path / "p.npz"
    save_problem(example(), path)
    data = bytearray(path.read_bytes())
    data[data.find(b"NUMPY") + 140] ^= 1
    path.write_bytes(bytes(data))
    refuse(path, "CRC")


def test_something_else_is_refused(tmp_path):
    path = tmp_path / "p.npz"
    path.write_text("not a zip")
    refuse(path, "cannot be read")
    np.savez(path, a=np.zeros(3))
    refuse(path, "no valid header")


class Bomb:
    def __reduce__(self):
        return (os.mkdir, ("executed",))


def test_an_object_array_is_refused_and_not_executed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "p.npz"
    np.savez(path, allow_pickle=True, header=np.array([Bomb()], dtype=object))
    refuse(path, "cannot be read")
    path.write_bytes(pickle.dumps(Bomb()))
    refuse(path, "cannot be read")
    assert not (tmp_path / "executed").exists()


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path):
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(8 << 20))
    assert path.stat().st_size < 1 << 16
    with pytest.raises(InputError, match="unpacks to 8388608 bytes"):
        read_npz(path, 1 << 20)


def npy(shape, data=b""):
    stream = io.BytesIO()
    description = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(stream, description)
    return stream.getvalue() + data


def test_an_array_that_claims_to_be_huge_is_refused(tmp_path):
    path = tmp_path / "p.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.npy", npy((1 << 60,), b"tiny"))
    refuse(path, "cannot be read")


def test_a_huge_array_header_is_refused(tmp_path):
    path = tmp_path / "p.npz"
    with zipfile.ZipFile(path, "w") as archive:
        text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (" + b"1," * 40_000 + b")}"
        lead = b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little")
        archive.writestr("header.npy", lead + text)
    refuse(path, "cannot be read")


def write(path, header, **arrays):
    text = header if isinstance(header, str) else json.dumps(header)
    np.savez(path, header=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)


def header(version=1, **entry):
    entry = {"kind": "k", "n_equality": 0, "names": ["a"], **entry}
    return {"format": problem_file.FORMAT, "version": version, "problems": [entry]}


ARRAYS = {"0_metric": np.eye(1), "0_load": np.ones(1), "0_rows": np.ones((1, 1))}
GOOD = {**ARRAYS, "0_rhs": np.ones(1)}


def test_a_newer_version_asks_for_an_upgrade(tmp_path):
    path = tmp_path / "p.npz"
    write(path, header(version=3), **GOOD)
    refuse(path, "version 3, .* up to 2: upgrade")
    write(path, header(), **GOOD)
    assert load_problem(path).names == ("a",)


@pytest.mark.parametrize("version", [0, -1, True, "1", None, 1.0])
def test_a_strange_version_is_refused(tmp_path, version):
    write(tmp_path / "p.npz", header(version=version), **GOOD)
    refuse(tmp_path / "p.npz", "version")


def test_a_file_of_another_format_is_refused(tmp_path):
    write(tmp_path / "p.npz", {**header(), "format": "a result"}, **GOOD)
    refuse(tmp_path / "p.npz", "holds 'a result'")


@pytest.mark.parametrize("text", ["[" * 200_000, "{", "[]", "null", "\x00"])
def test_a_hostile_header_is_refused(tmp_path, text):
    write(tmp_path / "p.npz", text, **GOOD)
    refuse(tmp_path / "p.npz", "no valid header")


@pytest.mark.parametrize(
    ("entry", "arrays"),
    [
        ({"n_equality": 2}, GOOD),
        ({"n_equality": -1}, GOOD),
        ({"n_equality": float("inf")}, GOOD),
        ({"n_equality": "x"}, GOOD),
        ({"names": ["a", "b"]}, GOOD),
        ({"names": "a"}, GOOD),
        ({}, ARRAYS),
        ({}, {**GOOD, "0_metric": np.array([[np.nan]])}),
        ({}, {**GOOD, "0_metric": np.ones((2, 2))}),
        ({}, {**GOOD, "0_rhs": np.array(1.0)}),
        ({}, {**GOOD, "0_rows": np.array(["1"])}),
        ({}, {**GOOD, "0_load": np.ones(3)}),
        ({}, {**GOOD, "0_target": np.ones(3)}),
        ({}, {**GOOD, "0_target": 5 * np.ones(1)}),
    ],
)
def test_contents_that_do_not_fit_are_refused(tmp_path, entry, arrays):
    write(tmp_path / "p.npz", header(**entry), **arrays)
    refuse(tmp_path / "p.npz", "damaged: problem 0")
