"""Result and problem files with random damage: refused with a reason, or read whole; never run."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gauss_opt as go

SETTINGS = settings(
    max_examples=300,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)


def ball():
    floor = go.Contact("floor", lambda q, t: q[0], restitution=0.5)
    return go.System([1.0], [-9.81], contacts=[floor])


@pytest.fixture(scope="module")
def originals(tmp_path_factory):
    """Bytes of a result file and of a problem file."""
    folder = tmp_path_factory.mktemp("originals")
    go.simulate(ball(), [1.0], [0.0], (0, 0.8)).save(folder / "run.npz")
    problem = go.build_acceleration(go.evaluate(ball(), [0.0], [0.0]))
    go.save_problem(problem, folder / "problem.npz")
    return {name: (folder / f"{name}.npz").read_bytes() for name in ("run", "problem")}


def use_result(path):
    result = go.load(path)
    assert str(result)
    assert all(str(event) for event in result.events)
    assert np.isfinite(result(float(result.t[0])).q).all()
    assert all(len(gap) == len(result.t) for gap in result.gaps.values())


def use_problem(path):
    problem = go.load_problem(path)
    assert str(problem)
    go.solve(problem, "daqp")


USE = {"run": use_result, "problem": use_problem}


def read_or_refuse(kind, path):
    """Use a file; the only way to fail is an error of the package."""
    try:
        USE[kind](path)
    except go.GaussError:
        return False
    return True


@pytest.mark.parametrize("kind", USE)
@SETTINGS
@given(data=st.data())
def test_fault_25_bytes_changed_at_random_are_refused_or_harmless(kind, originals, tmp_path, data):
    content = bytearray(originals[kind])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    if data.draw(st.booleans()):
        del content[data.draw(st.integers(0, len(content) - 1)) :]
    path = tmp_path / "damaged.npz"
    path.write_bytes(content)
    read_or_refuse(kind, path)


@pytest.mark.parametrize("kind", USE)
@SETTINGS
@given(data=st.data())
def test_fault_25_a_header_that_lies_is_refused_or_harmless(kind, originals, tmp_path, data):
    path = tmp_path / "lying.npz"
    path.write_bytes(originals[kind])
    with np.load(path) as loaded:
        arrays = {name: loaded[name] for name in loaded.files}
    header = json.loads(arrays["header"].tobytes())
    place = header
    while True:  # walk down to a random entry, and replace it
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(place[key], dict | list) or not place[key] or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(JSON)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    read_or_refuse(kind, path)


@pytest.mark.parametrize("kind", USE)
@SETTINGS
@given(data=st.data())
def test_fault_25_arrays_of_another_shape_or_type_are_refused_or_harmless(
    kind, originals, tmp_path, data
):
    path = tmp_path / "other.npz"
    path.write_bytes(originals[kind])
    with np.load(path) as loaded:
        arrays = {name: loaded[name] for name in loaded.files}
    name = data.draw(st.sampled_from(sorted(set(arrays) - {"header"})))
    shape = data.draw(st.lists(st.integers(0, 3), max_size=3))
    dtype = data.draw(st.sampled_from(["f8", "f4", "i8", "c16", "U3", "?", "M8[s]"]))
    fill = data.draw(st.sampled_from([0, 1, -1]))
    arrays[name] = np.full(shape, fill).astype(dtype)
    np.savez(path, **arrays)
    read_or_refuse(kind, path)


@pytest.mark.parametrize("kind", USE)
def test_the_files_themselves_are_read(kind, originals, tmp_path):
    path = tmp_path / "whole.npz"
    path.write_bytes(originals[kind])
    assert read_or_refuse(kind, path)
