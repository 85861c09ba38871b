"""States of runs with random damage: refused with a ValueError or KeyError, or whole."""

import io
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gauss_opt as go
from gauss_opt.results.dense_output import Piece
from gauss_opt.simulation.event_driven.accumulation import Bounce
from gauss_opt.simulation.run_state import ImpactSeries, PendingLimit
from gauss_opt.simulation.state_file import pack_state, unpack_state

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=4,
)
NUMBERS = [np.nan, np.inf, -np.inf, -1.0, 0.0, 1e300, 7.0]
DTYPES = [bool, np.int8, np.int64, np.float32, np.float64, complex, "U3"]


def stepper():
    """Two equalities of which one is enough, two contacts, a limit, and a user event."""
    system = go.System(
        [1.0, 1.0, 1.0],
        [0.0, -9.81, -9.81],
        constraints=[
            go.Holonomic("wall", lambda q, t: q[0]),
            go.Holonomic("same wall", lambda q, t: 2.0 * q[0]),
            go.VelocityLimit("slow", lambda q, v, t: 4.0 + v[1]),
        ],
        contacts=[go.Contact("floor", lambda q, t: q[1:], 0.5)],
    )
    start = [0.0, 1.0, 2.0], [0.0, 0.0, 0.0], (0.0, 2.0)
    return go.start(system, *start, events=lambda q, v, t: t - 0.3, t_eval=np.linspace(0, 2, 9))


RUN = stepper()


def whole():
    """Arrays and header of a state in which everything is there."""
    state = RUN.freeze()
    m = RUN.layout.n_rows
    first = RUN.layout.contacts.start
    state.series = ImpactSeries(
        np.full(m, 0.1),
        np.ones(m),
        np.arange(m),
        np.arange(m) // 2,
        (Bounce(0.1, frozenset({first}), 1.0),),
    )
    state.pending = PendingLimit(0.7, (first,), True, np.zeros(3), -1.5, 0.25, 3)
    state.next_step, state.atol = 0.1, np.full(6, 1e-11)
    state.recent = (Piece(0.0, 0.1, np.ones((3, 6))), Piece(0.1, 0.2, np.ones((4, 6))))
    state.stats.rank_drops += (0.5,)
    arrays, header = pack_state(state)
    return {name: np.array(array) for name, array in arrays.items()}, json.loads(json.dumps(header))


def read(arrays, header):
    return unpack_state(arrays, header, RUN.start, RUN.settings)


def test_the_whole_state_is_read():
    arrays, header = whole()
    assert "held_rows" in arrays
    again, other = pack_state(read(arrays, header))
    assert json.loads(json.dumps(other)) == header
    for name, array in arrays.items():
        np.testing.assert_array_equal(again[name], array)


@st.composite
def damaged_array(draw, array):
    how = draw(st.sampled_from(["value", "type", "shape", "shorter", "scalar"]))
    if how == "type":
        return np.zeros(array.shape, draw(st.sampled_from(DTYPES)))
    if how == "scalar" or not array.size:
        return np.array(draw(st.sampled_from(NUMBERS)))
    if how == "shape":
        return array[None]
    if how == "shorter":
        return array.ravel()[:-1]
    other = array.copy().ravel()
    place = draw(st.integers(0, other.size - 1))
    whole_number = array.dtype.kind in "iu"
    value = draw(st.integers(-100, 100) if whole_number else st.sampled_from(NUMBERS))
    other[place] = value
    return other.reshape(array.shape)


def places(entry, path=()):
    """All places in a header."""
    items = entry.items() if isinstance(entry, dict) else enumerate(entry)
    for key, value in items:
        yield (*path, key)
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))


def put(entry, path, value):
    for key in path[:-1]:
        entry = entry[key]
    entry[path[-1]] = value


@settings(max_examples=600, derandomize=True, deadline=None, database=None)
@given(data=st.data())
def test_a_state_with_random_damage_is_refused_or_whole(data):
    arrays, header = whole()
    how = data.draw(st.sampled_from(["array", "missing array", "entry", "missing entry"]))
    name = data.draw(st.sampled_from(sorted(arrays)))
    path = data.draw(st.sampled_from(list(places(header))))
    if how == "array":
        arrays[name] = data.draw(damaged_array(arrays[name]))
    elif how == "missing array":
        del arrays[name]
    elif how == "entry":
        put(header, path, data.draw(JSON))
    else:
        header.pop(path[0])
    try:
        state = read(arrays, header)
    except (ValueError, KeyError):
        return
    assert_fits(state)


def assert_fits(state):
    """Whatever is accepted has the size of the run, is finite, and can be stored again."""
    m = RUN.layout.n_rows
    assert state.q.shape == state.v.shape == (3,)
    assert state.status.shape == state.series.struck.shape == state.series.rates.shape == (m,)
    assert np.isfinite([state.t, state.last_event, *state.q, *state.v, *state.scales.q]).all()
    assert 0.0 <= state.t <= 2.0
    assert 0 <= state.next_t_eval <= 9
    assert all(piece.values.shape[1] == 6 for piece in state.recent)
    assert all(0 <= row < m for bounce in state.series.bounces for row in bounce.contacts)
    stored, header = pack_state(state.copy())
    np.savez(io.BytesIO(), allow_pickle=False, **stored)
    json.dumps(header)


@pytest.mark.parametrize(
    ("name", "index", "value"),
    [
        ("q", 0, np.nan),
        ("v", 0, np.inf),
        ("scale_q", 0, -1.0),
        ("atol", 0, np.nan),
        ("pending", 0, np.nan),
        ("pending_v", 0, np.inf),
        ("rates", 0, np.nan),
        ("struck", 0, np.inf),
        ("numbers", 0, 3.0),
        ("numbers", 1, np.nan),
        ("numbers", 5, -1.0),
        ("scale", 0, 0.0),
        ("bounces", (0, 1), np.nan),
        ("piece_values", (0, 0), np.nan),
        ("piece_t0", 0, np.nan),
        ("piece_t1", 0, -1.0),
        ("held_combine", (0, 0), np.nan),
        ("held_rows", 0, 5),
        ("held_ranks", 0, -1),
    ],
)
def test_a_value_that_cannot_be_is_refused(name, index, value):
    arrays, header = whole()
    arrays[name][index] = value
    with pytest.raises(ValueError):
        read(arrays, header)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("next_t_eval",), 10),
        (("next_t_eval",), -1),
        (("standstill",), True),
        (("standstill",), 0.5),
        (("bounced", 0), [77]),
        (("pending", "rows"), [0]),
        (("pending", "exact"), 1),
        (("stats", "steps"), "many"),
        (("stats", "seconds"), 3),
        (("stats", "unknown"), 3),
        (("stats",), None),
    ],
)
def test_an_entry_that_cannot_be_is_refused(path, value):
    arrays, header = whole()
    put(header, path, value)
    with pytest.raises(ValueError):
        read(arrays, header)
