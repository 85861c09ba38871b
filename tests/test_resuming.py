"""Runs that are stopped at an awkward moment and resumed: the same bits as without the stop."""

import json
from dataclasses import asdict

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gauss_opt as go
from gauss_opt.base.record_file import append_record, begin_records, pack_record, read_records
from gauss_opt.simulation.options import DEFAULTS

G = 9.81


ASKED = "qp_solver_calls", "qp_from_active_set"  # who answered, the answers being the same


def bits(result):
    """All numbers of a run that may not differ."""
    counts = {k: v for k, v in asdict(result.stats).items() if k not in (*ASKED, "seconds")}
    events = [
        (e.kind, e.t, e.contacts, e.energy_change, e.constraint_work, e.exact, e.detail,
         *e.q.tolist(), *e.v_before.tolist(), *e.v_after.tolist())
        for e in result.events
    ]  # fmt: skip
    pieces = [(p.t0, p.t1, p.held, p.values.tobytes()) for p in result.pieces]
    forces = {name: force.tobytes() for name, force in result.forces.items()}
    return result.status, result.message, events, pieces, forces, counts


def assert_same_bits(one, other):
    assert_array_equal(one.t, other.t)
    assert_array_equal(one.q, other.q)
    assert_array_equal(one.v, other.v)
    for mine, theirs in zip(bits(one), bits(other), strict=True):
        assert mine == theirs


def stopped_at_every_step(system, start, options, path, steps):
    """Runs stopped after each of these steps, and resumed."""
    kept = {**options, "checkpoint": path, "checkpoint_every": 1}
    for count in steps:
        path.unlink(missing_ok=True)
        left = iter(range(count - 1))
        stopped = go.simulate(
            system, *start, **kept, callback=lambda state, left=left: next(left, None) is None
        )
        yield stopped, go.simulate(system, *start, **kept, resume=True)


def two_balls():
    """Two balls that come to rest one after the other, sliding under a drag."""
    return go.System(
        [1.0, 1.0, 1.0],
        lambda q, v, t: np.array([-G, -G, -0.3 * v[2]]),
        contacts=[
            go.Contact("first", lambda q, t: q[0] - 0.01 * np.sin(t), 0.3),
            go.Contact("second", lambda q, t: q[1], 0.2),
        ],
    )


def stops_before_the_limit(system, start, options, path):
    """Stop everywhere, compare, and count the stops between an announced limit and the limit."""
    whole = go.simulate(system, *start, **options)
    limits = [e.t for e in whole.events if e.kind == "accumulation"]
    blows = [e.t for e in whole.events if e.kind == "impact"]
    announced = [max(t for t in blows if t <= limit) for limit in limits]
    pending = [
        a <= t < limit
        for t in times(system, start, options)
        for a, limit in zip(announced, limits, strict=True)
    ]
    pending = np.reshape(pending, (-1, len(limits))).any(axis=1)
    steps = [i + 1 for i in range(len(pending) - 1) if pending[i] or i % 6 == 0]
    for _, resumed in stopped_at_every_step(system, start, options, path, steps):
        assert_same_bits(resumed, whole)
    return len(limits), pending.sum()


def times(system, start, options):
    """Where each step of a run ends."""
    ends = []
    go.simulate(system, *start, **options, callback=lambda state: ends.append(state.t))
    return ends


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_a_run_stopped_on_its_way_to_the_limit_of_an_accumulation_resumes_exactly(law, tmp_path):
    """Between the announcement of a limit and the limit the contact is held, and says nothing."""
    start = [0.1, 0.2, 0.0], [0.0, 0.0, 1.0], (0.0, 1.0)
    limits, stops = stops_before_the_limit(two_balls(), start, {"law": law}, tmp_path / "c.npz")
    assert limits == 2
    assert stops >= 2


def test_steps_on_the_way_to_the_limit_of_an_accumulation_are_resumed_exactly(tmp_path):
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.2)])
    limit = np.sqrt(2e-4 / G) * (1 + 0.2) / (1 - 0.2)
    start = [1e-4], [0.0], (0.0, limit + 1e-4)
    options = {"breakpoints": limit - np.array([1e-8, 5e-9, 1e-9])}
    limits, stops = stops_before_the_limit(ball, start, options, tmp_path / "c.npz")
    assert limits == 1
    assert stops >= 4


def thrown_up_late(n=1, speed=1e-7):
    """Balls thrown up so slowly, so late, that they are back in less time than two floats."""
    contacts = [go.Contact(f"floor {i}", lambda q, t, i=i: q[i], 1.0) for i in range(n)]
    balls = go.System(np.ones(n), np.full(n, -G), contacts=contacts)
    return balls, (np.zeros(n), np.full(n, speed), (1e9, 1e9 + 1.0))


def test_a_resumed_run_asks_its_solver_as_often(tmp_path):
    system, start = two_balls(), ([0.1, 0.2, 0.0], [0.0, 0.0, 1.0], (0.0, 1.0))
    options = {"law": "poisson"}
    whole = go.simulate(system, *start, **options)
    for _, resumed in stopped_at_every_step(system, start, options, tmp_path / "c.npz", [4, 10]):
        for name in ASKED:
            assert getattr(resumed.stats, name) == getattr(whole.stats, name)


def test_a_run_stopped_while_time_stands_still_resumes_exactly(tmp_path):
    system, start = thrown_up_late()
    whole = go.simulate(system, *start)
    steps = range(1, whole.stats.steps, 4)
    path = tmp_path / "c.npz"
    for _, resumed in stopped_at_every_step(system, start, {}, path, steps):
        assert_same_bits(resumed, whole)


def test_a_run_is_not_resumed_with_other_constraints(tmp_path):
    def ball(name):
        return go.System([1.0], [-G], contacts=[go.Contact(name, lambda q, t: q[0])])

    start = [1.0], [0.0], (0.0, 1.0)
    kept = {"checkpoint": tmp_path / "c.npz", "checkpoint_every": 1}
    go.simulate(ball("floor"), *start, **kept)
    with pytest.raises(go.InputError, match="another run: the constraints differ"):
        go.simulate(ball("ground"), *start, **kept, resume=True)


def test_forces_that_are_not_unique_are_the_same_after_a_resumption(tmp_path):
    """Which set of redundant rows is found depends on the one that is tried first."""
    beam = go.System(
        [1.0, 1 / 3],
        lambda q, v, t: np.array([-G, 0.5 * G * np.sin(2 * t)]),
        contacts=[
            go.Contact(f"support {i}", lambda q, t, x=x: q[0] + x * q[1], 0.4)
            for i, x in enumerate((-1.0, -0.3, 0.2, 1.0))
        ],
    )
    start = [0.0, 0.0], [0.0, 0.0], (0.0, 3.0)
    options = {"max_step": 0.1, "length_scale": 1.0}
    whole = go.simulate(beam, *start, **options)
    steps = [5, 12, 20]
    for _, resumed in stopped_at_every_step(beam, start, options, tmp_path / "c.npz", steps):
        assert_same_bits(resumed, whole)
        for name in ASKED:
            assert getattr(resumed.stats, name) == getattr(whole.stats, name)


def bell(q, v, t):
    return t - 0.25


def rising(q, v, t):
    return t - 0.25


rising.direction = 1
OTHER_OPTIONS = {
    "closure": (1e-8, 1e-7),
    "law": ("newton", "poisson"),
    "solver": ("daqp", "osqp"),
    "solver_tolerance": (go.GaussSolver("daqp"), go.GaussSolver("daqp", tolerance=1e-6)),
    "solver_fallback": (go.GaussSolver("daqp"), go.GaussSolver("daqp", fallback=())),
    "reuse_active_set": (True, False),
    "method": ("DOP853", "RK45"),
    "rtol": (1e-9, 1e-8),
    "atol": (None, 1e-12),
    "max_step": (0.1, 0.2),
    "first_step": (None, 1e-3),
    "t_eval": (np.linspace(0, 1, 50), np.linspace(0, 1, 50) ** 2),
    "user_events": ({"bell": bell}, {"bell": rising}),
    "breakpoints": ([0.3], [0.4]),
    "dense_output": (True, False),
    "length_scale": (None, 2.0),
    "time_scale": (None, 2.0),
    "project_start": (False, True),
    "refuse_energy_gain": (False, True),
}
OPTION = {"solver_tolerance": "solver", "solver_fallback": "solver", "user_events": "events"}


@pytest.mark.parametrize("name", OTHER_OPTIONS)
def test_a_run_is_not_resumed_with_another_option_that_matters(name, tmp_path):
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    start = [1.0], [0.0], (0.0, 1.0)
    kept = {"checkpoint": tmp_path / "c.npz", "checkpoint_every": 3}
    option = OPTION.get(name, name)
    one, other = ({option: value} for value in OTHER_OPTIONS[name])
    whole = go.simulate(ball, *start, **kept, **one)
    assert_same_bits(go.simulate(ball, *start, **kept, **one, resume=True), whole)
    with pytest.raises(go.InputError, match=f"another run: .*{name}.* differ"):
        go.simulate(ball, *start, **kept, **other, resume=True)


def test_a_run_is_resumed_with_other_limits(tmp_path):
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    start = [1.0], [0.0], (0.0, 2.0)
    kept = {"checkpoint": tmp_path / "c.npz", "checkpoint_every": 1}
    few = go.simulate(ball, *start, **kept, max_events=3, throw=False)
    assert len(few.events) == 3
    resumed = go.simulate(
        ball, *start, **kept, resume=True, max_events=100, max_steps=1000, max_wall_time=60.0
    )
    assert_same_bits(resumed, go.simulate(ball, *start))


def test_every_option_either_matters_or_is_a_limit():
    limits = {"max_steps", "max_events", "max_wall_time", "sampled_guards"}
    assert {OPTION.get(name, name) for name in OTHER_OPTIONS} | limits == set(DEFAULTS)


def reached(q, v, t):
    return q[0] - 0.5


def late(q, v, t):
    return t - 2.0


reached.terminal = True
late.terminal = True


@pytest.mark.parametrize("event", [reached, late])
def test_a_run_that_a_user_event_has_ended_stays_ended(event, tmp_path):
    """Inside the span, and at its end."""
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    start = [1.0], [0.0], (0.0, 2.0 if event is late else 1.0)
    kept = {"checkpoint": tmp_path / "c.npz", "checkpoint_every": 1, "events": event}
    ended = go.simulate(ball, *start, **kept)
    resumed = go.simulate(ball, *start, **kept, resume=True)
    assert_same_bits(resumed, ended)
    assert ended.status == "terminated"


def test_a_run_that_a_callback_has_ended_goes_on(tmp_path):
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    start = [1.0], [0.0], (0.0, 1.0)
    kept = {"checkpoint": tmp_path / "c.npz", "checkpoint_every": 1}
    stopped = go.simulate(ball, *start, **kept, callback=lambda state: state.t > 0.2)
    assert stopped.status == "terminated"
    resumed = go.simulate(ball, *start, **kept, resume=True)
    assert_same_bits(resumed, go.simulate(ball, *start))


@pytest.mark.parametrize("version", [None, 0, 1, 1_000_000, "2"])
def test_a_checkpoint_of_another_version_is_a_result_and_cannot_be_resumed(version, tmp_path):
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    path = tmp_path / "c.npz"
    whole = go.simulate(ball, [1.0], [0.0], (0.0, 1.0), checkpoint=path, checkpoint_every=1)
    (first, *others), _ = read_records(path)
    first[1]["checkpoint_version"] = version
    if version is None:
        del first[1]["checkpoint_version"]
    end = begin_records(path, pack_record(*first))
    for record in others:
        end = append_record(path, end, pack_record(*record))
    assert_array_equal(go.load(path).q, whole.q)
    with pytest.raises(go.InputError, match="another version of gauss_opt: it can be loaded as a"):
        go.simulate(ball, [1.0], [0.0], (0.0, 1.0), checkpoint=path, resume=True)


def test_a_checkpoint_from_before_they_grew_is_a_result_and_cannot_be_resumed(tmp_path):
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    path = tmp_path / "c.npz"
    whole = go.simulate(ball, [1.0], [0.0], (0.0, 1.0))
    whole.save(path)
    with pytest.raises(go.InputError, match="is a result, not a checkpoint"):
        go.simulate(ball, [1.0], [0.0], (0.0, 1.0), checkpoint=path, resume=True)
    with np.load(path) as file:
        arrays = dict(file)
    header = json.loads(arrays["header"].tobytes()) | {"checkpoint": {}, "checkpoint_version": 1}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    assert_array_equal(go.load(path).q, whole.q)
    with pytest.raises(go.InputError, match="another version of gauss_opt: it can be loaded as a"):
        go.simulate(ball, [1.0], [0.0], (0.0, 1.0), checkpoint=path, resume=True)
