"""The state of a run as data: it copies, travels, and is all that the future depends on."""

import io
import json
from dataclasses import asdict, fields, replace

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gauss_opt as go
from gauss_opt.results.dense_output import Piece
from gauss_opt.simulation.event_driven.accumulation import Bounce
from gauss_opt.simulation.run_state import ImpactSeries, PendingLimit, RunState
from gauss_opt.simulation.state_file import pack_state, unpack_state

G = 9.81


def tied_balls():
    """Two balls on a rope: impacts on a floor, releases, an accumulation, a velocity limit."""
    return go.System(
        [1.0, 2.0],
        lambda q, v, t: np.array([-G, -2 * G]),
        constraints=[go.VelocityLimit("slow", lambda q, v, t: 4.0 + v[1])],
        contacts=[
            go.Contact("floor", lambda q, t: q, 0.5),
            go.Contact("rope", lambda q, t: 1.0 - (q[1] - q[0]), 0.3),
        ],
    )


def half(q, v, t):
    return q[0] - 0.3


START = ([1.0, 1.5], [0.0, 0.0], (0, 4.0))
OPTIONS = {"rtol": 1e-8, "events": half, "t_eval": np.linspace(0, 4, 23)}


def travelled(state, stepper):
    """What arrives after a way through bytes and JSON alone."""
    arrays, header = pack_state(state)
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    stream.seek(0)
    header = json.loads(json.dumps(header))
    return unpack_state(dict(np.load(stream)), header, stepper.start, stepper.settings)


def assert_same_state(a, b):
    (arrays, header), (others, other_header) = pack_state(a), pack_state(b)
    assert header == other_header
    assert arrays.keys() == others.keys()
    for name, array in arrays.items():
        assert array.dtype == others[name].dtype
        assert_array_equal(array, others[name])
        assert array.tobytes() == others[name].tobytes()


def assert_same_run(a, b):
    for name in ("t", "q", "v", "a"):
        assert_array_equal(getattr(a, name), getattr(b, name))
    assert_array_equal(a.rows["multipliers"], b.rows["multipliers"])
    assert [str(e) for e in a.events] == [str(e) for e in b.events]
    mine, theirs = replace(a.stats, seconds={}), replace(b.stats, seconds={})
    assert mine == theirs


def steps():
    return (Piece(0.0, 0.1, np.arange(12.0).reshape(3, 4)), Piece(0.1, 0.1, np.zeros((2, 4))))


def some_state():
    stepper = go.start(tied_balls(), *START, **OPTIONS)
    state = stepper.freeze()
    state.series = ImpactSeries(
        np.array([0.1, -np.inf, 0.3, 0.0]), np.array([1.0, 0.0, 1e-300, np.pi]),
        np.array([3, 0, 0, 1]), np.array([1, 0, 0, 0]),
        (Bounce(0.1, frozenset({0, 2}), np.inf), Bounce(0.3, frozenset({2}), 1e-17)),
    )  # fmt: skip
    state.pending = PendingLimit(0.7, (0, 2), True, np.array([0.1, -0.0]), -1.5, 0.25)
    state.next_step, state.atol, state.recent = 0.1 + 0.2, np.array([1e-11] * 4), steps()
    state.correction, state.standstill, state.next_t_eval = 1e-7, 3, 5
    state.fired, state.fired_at = np.array([True]), 0.3
    state.stats.rank_drops += (1 / 3,)
    state.stats.seconds["qp"] = 1e-3
    return state, stepper


def test_a_state_arrives_with_every_bit():
    state, stepper = some_state()
    assert_same_state(travelled(state, stepper), state)


def test_a_fresh_state_arrives_with_every_bit():
    stepper = go.start(tied_balls(), *START)
    state = stepper.freeze()
    back = travelled(state, stepper)
    assert_same_state(back, state)
    assert back.next_step is None
    assert back.atol is None
    assert back.pending is None
    assert back.scales.fixed_length is None
    assert not back.in_segment


def test_a_fixed_length_scale_stays_fixed():
    stepper = go.start(tied_balls(), *START, length_scale=3.0)
    back = travelled(stepper.freeze(), stepper)
    back.scales.update(np.array([100.0, 1.0]), np.zeros(2))
    assert_array_equal(back.scales.q, [3.0, 3.0])


def test_a_copy_shares_nothing_that_a_run_writes_into():
    state, stepper = some_state()
    other = state.copy()
    assert_same_state(other, state)
    before = travelled(state, stepper)
    other.scales.update(np.array([50.0, 60.0]), np.array([70.0, 80.0]))
    other.stats.steps += 1
    other.stats.rank_drops += (9.0,)
    other.stats.seconds["qp"] = 5.0
    other.stats.sampled["floor"] = "derivatives by hand"
    other.stats.unsettled["rope"] = 1
    other.end_segment()
    assert_same_state(state, before)


def test_which_rows_are_held_travels():
    setup = go.find_case("bricard")().build()
    stepper = go.start(setup.system, setup.q0, setup.v0, setup.t_span)
    stepper.step()
    state = stepper.freeze()
    among = state.equalities.among
    assert among.rank == 29
    other = travelled(state, stepper)
    assert_same_state(other, state)
    assert other.equalities.among.ranks == among.ranks
    arrays, header = pack_state(state)
    for name, damaged in (
        ("held_rows", arrays["held_rows"] + 2),
        ("held_rows", arrays["held_rows"] * 0),
        ("held_combine", arrays["held_combine"][1:]),
        ("held_ranks", np.array([31, 29])),
        ("held_vanishing", np.ones(3, dtype=bool)),
    ):
        with pytest.raises(ValueError, match=r"equalities|rows that are held"):
            unpack_state({**arrays, name: damaged}, header, stepper.start, stepper.settings)


def test_every_field_travels():
    state, stepper = some_state()
    assert travelled(state, stepper).equalities.among is None
    for item in fields(RunState):
        if item.name in ("scales", "series", "pending", "stats", "equalities", "recent"):
            continue
        value = getattr(state, item.name)
        assert_array_equal(getattr(travelled(state, stepper), item.name), value)


@pytest.mark.parametrize("method", ["DOP853", "RK45"])
def test_a_run_goes_on_from_its_state_wherever_it_is_taken(method):
    options = {**OPTIONS, "method": method}
    whole = go.start(tied_balls(), *START, **options)
    taken = []
    while whole.status == "running":
        taken.append((whole.freeze(), whole.result()))
        whole.step()
    expected = whole.result()
    assert {event.kind for event in expected.events} >= {"impact", "accumulation", "user"}
    for state, result in taken[:: max(1, len(taken) // 8)]:
        other = go.start(tied_balls(), *START, **options)
        other.resume(travelled(state, other), result)
        while other.status == "running":
            other.step()
        assert_same_run(other.result(), expected)


def test_taking_the_state_does_not_change_a_run():
    watched, alone = (go.start(tied_balls(), *START, **OPTIONS) for _ in range(2))
    while watched.status == "running":
        watched.step()
        watched.freeze()
    while alone.status == "running":
        alone.step()
    assert_same_run(watched.result(), alone.result())


def test_a_state_taken_is_not_changed_by_the_run_that_goes_on():
    stepper = go.start(tied_balls(), *START, **OPTIONS)
    stepper.step()
    state = stepper.freeze()
    kept = travelled(state, stepper)
    for _ in range(20):
        stepper.step()
    assert_same_state(state, kept)


def test_a_result_taken_is_not_changed_by_the_run_that_goes_on():
    stepper = go.start(tied_balls(), *START, **OPTIONS)
    stepper.step()
    result = stepper.result()
    kept = asdict(result.stats)
    while stepper.status == "running":
        stepper.step()
    assert asdict(result.stats) == kept
    assert stepper.result().stats.steps > result.stats.steps


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("status", np.zeros(4)),
        ("status", np.full(4, 77, dtype=np.int8)),
        ("status", np.zeros(3, dtype=np.int8)),
        ("numbers", np.zeros(3)),
        ("q", np.zeros(2, dtype=int)),
        ("scale_q", np.zeros(5)),
        ("struck", np.zeros(1)),
        ("bounces", np.zeros((9, 2))),
        ("fired", np.zeros(1)),
    ],
)
def test_a_damaged_state_is_refused(name, value):
    state, stepper = some_state()
    arrays, header = pack_state(state)
    with pytest.raises(ValueError):
        unpack_state({**arrays, name: value}, header, stepper.start, stepper.settings)
