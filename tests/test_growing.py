"""What grows during a run: rows in blocks, items made when looked at, stretches of an engine."""

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gauss_opt as go
from gauss_opt.base.npz import read_npz
from gauss_opt.results.columns import COLUMNS, columns_of
from gauss_opt.results.growing.series import Series
from gauss_opt.results.growing.stretch import (
    KINDS,
    Happened,
    Ragged,
    Steps,
    StoredRows,
    Stretch,
)
from gauss_opt.results.recorder import NOTHING, Recorder

G = 9.81


def ball():
    floor = go.Contact("floor", lambda q, t: q[1], 0.5)
    system = go.System([1.0, 1.0], [0.0, -G], contacts=[floor])
    return go.simulate(system, [0.0, 1.0], [1.0, 0.0], (0, 2))


def bead():
    """A bead with drag on a wire that turns, stopped by two walls that are one contact."""
    system = go.System(
        [1.0, 2.0],
        [0.0, -G],
        [go.Holonomic("wire", lambda q, t: q[1] - np.sin(t) * q[0])],
        contacts=[go.Contact("walls", lambda q, t: [q[0] + 1.0, 1.5 - q[0]], 0.7)],
        nonideal=lambda q, v, t: -0.1 * v * np.sqrt(v @ v + 1.0),
    )
    return go.simulate(system, [0.5, 0.0], [1.0, 0.5], (0, 6))


def sled():
    """A sled with a governor that cannot move sideways."""
    system = go.System(
        [1.0, 1.0, 0.3],
        lambda q, v, t: [np.cos(q[2]), np.sin(q[2]), np.cos(t)],
        [
            go.Nonholonomic("blade", lambda q, v, t: v[1] * np.cos(q[2]) - v[0] * np.sin(q[2])),
            go.VelocityLimit("governor", lambda q, v, t: 1.5 - v[2]),
        ],
        contacts=[go.Contact("wall", lambda q, t: 0.5 - q[0])],
    )
    return go.simulate(system, [0.0, 0.0, 0.1], [0.1 * np.cos(0.1), 0.1 * np.sin(0.1), 1.0], (0, 6))


RUNS = {run.__name__: run() for run in (ball, bead, sled)}


def dynamics_of(result):
    return result.system.dynamics(result.v.shape[1])


def ragged(lists, values=()):
    flat = [row for rows in lists for row in rows]
    ends = np.cumsum([0, *map(len, lists)])
    return Ragged(
        ends.astype(np.int32), np.array(flat, np.int32), np.array([*values], float).ravel()
    )


def stretch_of(result, first=0, last=None):
    """Some rows of a run with what happened there, as an engine would have written them."""
    layout, place = dynamics_of(result).layout, slice(first, last)
    multipliers = result.rows["multipliers"][place]
    carrying = [np.flatnonzero(line).tolist() for line in multipliers]
    rows = StoredRows(
        np.column_stack(
            [result.t, result.q, result.v, result.a, result.forces["total"]]
        )[place],
        ragged(carrying, multipliers[multipliers != 0.0]),
    )  # fmt: skip
    end = len(result.t) if last is None else last
    pieces = [p for p in result.pieces if result.t[first] <= p.t0 < p.t1 <= result.t[end - 1]]
    sets = list(dict.fromkeys(piece.held for piece in pieces))
    points = len(pieces[0].values) if pieces else 2
    steps = Steps(
        np.array([(p.t0, p.t1) for p in pieces]).reshape(-1, 2),
        np.array([p.values for p in pieces]).reshape(-1, points, rows.state.shape[1] // 2),
        np.array([sets.index(p.held) for p in pieces], np.int32),
        ragged(sets),
    )
    events = [e for e in result.events if first < e.row < end and (e.kind, e.detail) in KINDS]
    concerned = [[layout.names.index(name) for name in e.contacts] for e in events]
    parts = [[i for i, name in enumerate(layout.names) if name in e.impulses] for e in events]
    impulses = [number for e in events for v in e.impulses.values() for number in np.atleast_1d(v)]
    return Stretch.of(
        rows,
        steps,
        Happened(
            np.array([KINDS.index((e.kind, e.detail)) for e in events], np.int8),
            np.array([(e.t, e.energy_change, e.constraint_work) for e in events]).reshape(-1, 3),
            np.array([e.q for e in events]),
            np.array([e.v_before for e in events]),
            np.array([e.v_after for e in events]),
            ragged(concerned),
            ragged(parts, impulses),
            np.array([e.gains_energy for e in events], np.int8),
            np.array([e.row - first for e in events], np.int32),
        ),
    )


def recorded(recorder, result, since=NOTHING):
    return recorder.result(
        success=True,
        status="finished",
        message="",
        stats=result.stats,
        settings=dict(result.settings),
        since=since,
    )


def same_event(one, other):
    assert (one.kind, one.t, one.contacts, one.row) == (
        other.kind,
        other.t,
        other.contacts,
        other.row,
    )
    for name in ("q", "v_before", "v_after"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert list(one.impulses) == list(other.impulses)
    for name, impulse in one.impulses.items():
        assert_array_equal(impulse, other.impulses[name])
        assert np.shape(impulse) == np.shape(other.impulses[name])
    assert str(one) == str(other)


@pytest.mark.parametrize("name", RUNS)
def test_a_run_handed_over_as_arrays_is_the_same_result_to_the_last_bit(name, tmp_path):
    result = RUNS[name]
    recorder = Recorder(result.system, dynamics_of(result), dense=True)
    recorder.extend(stretch_of(result))
    again = recorded(recorder, result)
    for key, column in columns_of(result).items():
        assert columns_of(again)[key].tobytes() == column.tobytes(), key
        assert not columns_of(again)[key].flags.writeable
    told = [event for event in result.events if (event.kind, event.detail) in KINDS]
    assert len(told) >= 2
    for one, other in zip(again.events, told, strict=True):
        same_event(one, other)
    for one, other in zip(again.pieces, result.pieces, strict=True):
        assert (one.t0, one.t1, one.held) == (other.t0, other.t1, other.held)
        assert_array_equal(one.values, other.values)
    again.save(tmp_path / "again.npz")
    for back in (pickle.loads(pickle.dumps(again)), go.load(tmp_path / "again.npz")):
        for key, column in columns_of(result).items():
            assert_array_equal(columns_of(back)[key], column)
        assert [str(e) for e in back.events] == [str(e) for e in told]


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("cut", [1, 7])
def test_rows_one_by_one_and_stretches_take_turns(name, cut):
    """And what is new since a mark is the end of what there is."""
    result = RUNS[name]
    columns = columns_of(result)
    recorder = Recorder(result.system, dynamics_of(result), dense=True)
    end = len(result.t) - 2
    for i in range(cut):
        parts = [columns[column.key][i] for column in COLUMNS[1:]]
        recorder.rows.append(float(result.t[i]), parts)
    mark = recorder.mark
    recorder.extend(stretch_of(result, cut, end))
    for i in range(end, len(result.t)):
        parts = [columns[column.key][i] for column in COLUMNS[1:]]
        recorder.rows.append(float(result.t[i]), parts)
    whole, new = recorded(recorder, result), recorded(recorder, result, since=mark)
    for key, column in columns.items():
        assert_array_equal(columns_of(whole)[key], column)
        assert_array_equal(columns_of(new)[key], column[cut:])
    there = [e for e in result.events if cut < e.row < end and (e.kind, e.detail) in KINDS]
    for one, other in zip(whole.events, there, strict=True):
        same_event(one, other)
    assert all(a is b for a, b in zip(new.events, whole.events, strict=True))
    assert recorder.rows.last == result.t[-1]


def test_nothing_is_made_before_somebody_looks():
    made = []
    series = Series(["first"])
    series.extend(2, lambda: made.append(1) or ["second", "third"])
    early = series.since(1)
    series.append("fourth")
    assert (len(series), made) == (4, [])
    assert early() == ("second", "third")
    assert series.since(0)() == ("first", "second", "third", "fourth")
    assert list(series)[1] is early()[0]
    assert made == [1]
    series.extend(0, lambda: made.append(2) or [])
    assert series.since(4)() == ()
    assert made == [1]


def test_a_result_that_nobody_has_looked_at_travels_and_is_let_go():
    result = ball()
    later = vars(result)["_later"]
    assert not {"t", "q", "events", "pieces", "rows", "forces"} & vars(result).keys()
    there = pickle.loads(pickle.dumps(result))
    assert [str(e) for e in there.events] == [str(e) for e in result.events]
    assert result.events is result.events
    assert not hasattr(result, "nothing")
    with pytest.raises(AttributeError, match="'Result' object has no attribute 'gap'"):
        result.gap  # noqa: B018
    gone = weakref.ref(result)
    del result, later
    gc.collect()
    assert gone() is None


def test_what_a_result_is_made_of_is_let_go_once_it_is_made():
    result = ball()
    later = vars(result)["_later"]
    blocks = [c.cell_contents for make in later.values() for c in make.__closure__ or ()]
    gone = [
        weakref.ref(part) for c in blocks if hasattr(c, "__self__") for _, part in c.__self__.parts
    ]
    assert gone
    del blocks
    for name in [*later]:
        assert getattr(result, name) is getattr(result, name)
    assert not later
    gc.collect()
    assert [part() for part in gone] == [None] * len(gone)


def test_two_threads_that_look_at_once_see_the_same():
    for name in ("events", "q", "rows", "pieces"):
        result = ball()
        with ThreadPoolExecutor(4) as pool:
            seen = list(pool.map(getattr, [result] * 8, [name] * 8))
        assert all(one is seen[0] for one in seen)


def test_a_result_of_a_run_under_way_stays_what_it_was():
    """Looked at later than it was asked for, while further rows and events came."""
    floor = go.Contact("floor", lambda q, t: q[0], 0.9)
    stepper = go.start(
        go.System([1.0], [-G], contacts=[floor]), [1.0], [0.0], (0, 30), max_step=0.05
    )
    early = []
    while stepper.status == "running":
        stepper.step()
        early.append((stepper.mark, stepper.result()))
    whole = stepper.result()
    assert len(whole.t) > 300  # more than a block
    assert len(early) > 20
    for mark, result in early:
        assert (len(result.t), len(result.events), len(result.pieces)) == mark
        assert result.events == whole.events[: mark.events]
        assert result.pieces == whole.pieces[: mark.pieces]
        for key, column in columns_of(result).items():
            assert column.tobytes() == columns_of(whole)[key][: mark.rows].tobytes()


def test_a_file_of_a_result_nobody_has_looked_at_is_that_of_one_that_was(tmp_path):
    for name, look in (("blind", False), ("seen", True)):
        result = ball()
        if look:
            str(result.events), result.rows, result.forces, result.pieces
        result.save(tmp_path / f"{name}.npz")
    blind, seen = (read_npz(tmp_path / f"{name}.npz") for name in ("blind", "seen"))
    for name in blind.keys() - {"header"}:
        assert blind[name].tobytes() == seen[name].tobytes()
