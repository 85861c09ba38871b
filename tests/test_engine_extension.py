"""The compiled extension: whether it is here, and what it refuses before it touches an array."""

import numpy as np
import pytest

from gauss_opt.simulation.engine import Extension, extension
from gauss_opt.simulation.engine import extension as chosen
from gauss_opt.simulation.engine.extension import ABI, SWITCH
from gauss_opt.simulation.engine.sources import fingerprint

FOUND = extension()
compiled = pytest.mark.skipif(not FOUND, reason=str(FOUND))
KINDS = {"double": np.float64, "int64": np.int64, "int32": np.int32, "int8": np.int8}


def test_a_missing_extension_has_a_reason():
    assert bool(FOUND) == (FOUND.module is not None) == (FOUND.reason == "")
    assert str(Extension(None, "no compiler")) == "Python only: no compiler"


def test_a_variable_hides_the_extension(monkeypatch):
    monkeypatch.setenv(SWITCH, "python")
    assert not chosen()
    assert SWITCH in chosen().reason


@compiled
def test_it_was_compiled_from_these_sources():
    assert FOUND.module.abi() == ABI
    assert fingerprint() in (None, FOUND.module.sources())


@compiled
@pytest.mark.parametrize("kind", KINDS)
def test_arrays_of_the_kind_and_length_are_taken(kind):
    for shape in [(0,), (6,), (2, 3), (1, 2, 3)]:
        array = np.zeros(shape, KINDS[kind])
        assert FOUND.module.span(array, "a", kind, array.size, True) == array.size
        assert FOUND.module.span(array, "a", kind, -1, False) == array.size


def _unaligned():
    return np.frombuffer(bytearray(8 * 4 + 1), np.float64, 4, offset=1)


def _frozen():
    array = np.zeros(4)
    array.flags.writeable = False
    return array


REFUSED = {
    "read-only": _frozen(),
    "in one piece": np.zeros((4, 2))[:, 0],
    "in C order": np.zeros((2, 3)).T,
    "not an array of double": np.zeros(4, np.float32),
    "not an array": [0.0] * 4,
    "no data": None,
    "integers": np.zeros(4, np.int64),
    "complex": np.zeros(2, complex),
    "swapped bytes": np.zeros(4, ">f8"),
    "fields": np.zeros(4, [("a", "f8")]),
    "objects": np.zeros(4, object),
    "not aligned": _unaligned(),
    "bytes": bytes(32),
}


@compiled
@pytest.mark.parametrize("what", REFUSED)
def test_other_arrays_are_refused_by_name(what):
    with pytest.raises(TypeError, match="the state: "):
        FOUND.module.span(REFUSED[what], "the state", "double", -1, True)


@compiled
def test_a_wrong_length_is_refused():
    with pytest.raises(ValueError, match="rows: 3 elements, not 4"):
        FOUND.module.span(np.zeros(3), "rows", "double", 4, False)
    with pytest.raises(ValueError, match="no kind of array called float"):
        FOUND.module.span(np.zeros(3), "rows", "float", 4, False)


@compiled
def test_indices_outside_are_refused():
    rng = np.random.default_rng(1)
    for _ in range(200):
        low, high = np.sort(rng.integers(-(2**40), 2**40, 2)) if rng.random() < 0.5 else (-3, 7)
        array = rng.integers(-4, 9, rng.integers(0, 5)).astype(np.int32)
        if ((array >= low) & (array < high)).all():
            assert FOUND.module.indices(array, "tape", int(low), int(high)) == array.size
        else:
            with pytest.raises(ValueError, match=r"tape: -?\d+ at \d is not in "):
                FOUND.module.indices(array, "tape", int(low), int(high))


@compiled
def test_a_refused_array_is_let_go():
    array = bytearray(32)
    with pytest.raises(TypeError):
        FOUND.module.span(array, "a", "double", -1, True)
    array.extend(b"more")  # would raise BufferError while somebody still held it
    assert len(array) == 36
