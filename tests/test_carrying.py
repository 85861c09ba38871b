"""Systems, results, cases and errors go to other processes and back, whatever their functions."""

import copy
import os
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from dataclasses import fields, is_dataclass
from multiprocessing import get_context

import cloudpickle
import numpy as np
import pytest
from numpy.testing import assert_array_equal

import gauss_opt as go
import gauss_opt.planar as pl
from gauss_opt.base import errors
from gauss_opt.model import system as system_module
from gauss_opt.model.fingerprint import fingerprint

SPAN = [1.0], [0.0], (0.0, 1.2)
WAYS = {
    "pickle": lambda item: pickle.loads(pickle.dumps(item)),
    "protocol 2": lambda item: pickle.loads(pickle.dumps(item, protocol=2)),
    "cloudpickle": lambda item: cloudpickle.loads(cloudpickle.dumps(item)),
}


def ball(e=0.6, calls=None):
    """Lambdas and closures, as in a notebook."""
    floor = 0.1 * np.ones(1)

    def weight(q, v, t, g):
        if calls is not None and type(q) is not np.ndarray:
            calls.append(1)
        return np.array([-g])

    contact = go.Contact("floor", lambda q, t: q[0] - floor[0], restitution="e")
    options = {"parameters": {"g": 9.81, "e": e}, "potential": lambda q, t, g: g * q[0]}
    return go.System([1.0], weight, contacts=[contact], coordinates=["height"], **options)


def arm_of(angle=0.3):
    mechanism = pl.Mechanism(gravity=9.81)
    arm = mechanism.body("arm", pl.Rod(1.0), mass=2.0)
    mechanism.pin("pin", mechanism.ground.at(0, 0), arm.start)
    mechanism.turning_spring("spring", mechanism.ground, arm, law=lambda angle, rate: 0.1 * angle)
    wall = mechanism.moved("table", motion=lambda t: (0.0, -2.0 + 0.01 * t, 0.0))
    return mechanism, arm, wall, {arm.angle: angle}


@pytest.fixture(scope="module", params=["fork", "spawn"])
def pool(request):
    with ProcessPoolExecutor(1, mp_context=get_context(request.param)) as workers:
        yield workers


# What goes there and comes back


def examples():
    system = ball()
    result = go.simulate(system, *SPAN)
    snapshot = go.evaluate(system, [0.1], [-1.0])
    problem = go.build_acceleration(snapshot)
    mechanism, arm, _, start = arm_of()
    swing = mechanism.simulate(start, t_span=(0, 0.2))
    case = go.find_case("bouncing_ball")(restitution=0.7)
    return {
        "system": system, "result": result, "event": result.events[0], "energy": result.energy,
        "stats": result.stats, "state": result(0.5), "force": result.constraint_force,
        "snapshot": snapshot, "problem": problem, "solution": go.solve(problem),
        "acceleration": go.accelerate(system, [0.1], [0.0]),
        "collision": go.collide(system, [0.1], [-1.0]), "law": go.Sequential(go.Poisson()),
        "crosscheck": go.crosscheck(system, [0.1], [0.0]), "case": case, "setup": case.build(),
        "check": go.Check("height", 1.0, 1.0, 0.0), "phase": go.Phase(system, "floor"),
        "contact": system.contacts, "mechanism": mechanism, "swing": swing, "body": arm,
        "reaction": swing.reaction("pin"), "quantity": arm.angle, "joint": mechanism.joints,
        "forces": mechanism.forces, "start": mechanism.assemble(start),
    }  # fmt: skip


EXAMPLES = examples()


def arrays(item, seen=None):
    """Every array within an object, by the way to it; lazy values and traces left out."""
    seen = set() if seen is None else seen
    if isinstance(item, np.ndarray):
        yield "", item
        return
    if id(item) in seen:
        return
    seen.add(id(item))
    inner = {}
    if isinstance(item, dict):
        inner = item
    elif isinstance(item, tuple | list):
        inner = dict(enumerate(item))
    elif is_dataclass(item):
        names = [field.name for field in fields(item)]
        inner = {n: getattr(item, n) for n in names if n != "dynamics" and n[0] != "_"}
    for name, part in inner.items():
        for way, array in arrays(part, seen):
            yield f"{name}.{way}", array


READ_ONLY = {"system", "result", "event", "energy", "force", "snapshot", "swing", "setup", "phase"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_all_of_it_arrives_and_what_was_read_only_stays_so(name, way):
    item = EXAMPLES[name]
    if name == "contact" and way != "cloudpickle":
        pytest.skip("a contact alone is not packed: its lambda has no name")
    there = WAYS[way](item)
    assert type(there) is type(item)
    if name not in ("quantity", "joint", "forces", "contact"):
        assert str(there) == str(item) or "object at" in str(item)
    sent, arrived = dict(arrays(item)), dict(arrays(there))
    assert sent.keys() == arrived.keys()
    for place, array in sent.items():
        assert_array_equal(arrived[place], array)
        if name in READ_ONLY:
            assert arrived[place].flags.writeable <= array.flags.writeable, place


@pytest.mark.parametrize("way", WAYS)
def test_a_system_gives_the_same_bits_and_has_the_same_fingerprint(way):
    system = ball().with_parameters(e=0.45)
    there = WAYS[way](system)
    assert_array_equal(go.simulate(there, *SPAN).q, go.simulate(system, *SPAN).q)
    assert fingerprint(there, 1, 1) == fingerprint(system, 1, 1)
    with pytest.raises(TypeError):
        there.parameters["e"] = 2.0
    assert there.with_parameters(e=0.1).parameters == {"g": 9.81, "e": 0.1}


@pytest.mark.parametrize("way", WAYS)
def test_a_result_that_has_arrived_can_do_all_it_could(way, tmp_path):
    result = EXAMPLES["result"]
    there = WAYS[way](result)
    assert_array_equal(there.energy.total, result.energy.total)
    assert_array_equal(there(0.77).q, result(0.77).q)
    assert_array_equal(there.multipliers["floor"], result.multipliers["floor"])
    with pytest.raises(ValueError, match="read-only"):
        there.pieces[3].values[0] = 1.0
    with pytest.raises(TypeError):
        there.settings["law"] = "mine"
    there.save(tmp_path / "run.npz")
    assert_array_equal(go.load(tmp_path / "run.npz").q, result.q)


# Traces


def test_a_system_that_returns_is_not_traced_again_and_its_kin_share_traces(monkeypatch):
    calls = []
    system = ball(calls=calls)
    assert len(calls) == 1
    result = pickle.loads(pickle.dumps(go.simulate(system, *SPAN)))
    assert result.system.dynamics(1) is system.dynamics(1)
    kin = pickle.dumps([system.with_parameters(e=e) for e in (0.1, 0.2)])
    monkeypatch.setattr("gauss_opt.model.traces._KNOWN", {})  # as in another process
    low, high = pickle.loads(kin)
    assert low.dynamics(1) is high.dynamics(1) is not system.dynamics(1)
    assert (low.parameters["e"], high.parameters["e"]) == (0.1, 0.2)
    assert len(calls) == 1  # the traced function is a copy


def traced_there(system):
    counts = []
    trace = system_module.trace_system

    def counted(*arguments):
        counts.append(1)
        return trace(*arguments)

    system_module.trace_system = counted
    try:
        return len(counts), go.simulate(system, *SPAN), len(counts)
    finally:
        system_module.trace_system = trace


def test_a_sweep_through_a_pool_traces_once(pool):
    """And gives the bits of a run at home, with lambdas and by plain pickle."""
    system = ball()
    values = (0.2, 0.4, 0.6)
    answers = list(pool.map(traced_there, [system.with_parameters(e=e) for e in values]))
    assert sum(count for *_, count in answers) <= 1
    for e, (_, result, _) in zip(values, answers, strict=True):
        assert_array_equal(result.q, go.simulate(system.with_parameters(e=e), *SPAN).q)
        assert result.system.dynamics(1) is system.dynamics(1)


def swing_there(mechanism, start, on):
    result = mechanism.simulate(start, t_span=(0, 0.3))
    return result, result.reaction("pin", on=on).force


def test_mechanisms_and_their_results_pass_through_pools(pool):
    """Bodies that are held here are the bodies of what comes back."""
    mechanism, arm, _, start = arm_of()
    result, force = pool.submit(swing_there, mechanism, start, arm).result()
    assert_array_equal(result.reaction("pin", on=arm).force, force)
    assert_array_equal(result.value(arm.angle), mechanism.simulate(start, t_span=(0, 0.3)).q[:, 2])
    assert_array_equal(mechanism.read(result).force("spring"), result.force("spring"))


def test_joblib_takes_them_too():
    joblib = pytest.importorskip("joblib")
    system = ball()
    run = joblib.delayed(lambda e: go.simulate(system.with_parameters(e=e), *SPAN))
    results = joblib.Parallel(n_jobs=2, backend="loky")(run(e) for e in (0.3, 0.5))
    for e, result in zip((0.3, 0.5), results, strict=True):
        assert_array_equal(result.q, go.simulate(system.with_parameters(e=e), *SPAN).q)
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


# Copies


def test_a_copy_of_what_cannot_change_is_itself():
    for name in ("system", "result", "swing"):
        assert copy.copy(EXAMPLES[name]) is copy.deepcopy(EXAMPLES[name]) is EXAMPLES[name]
    assert copy.deepcopy([EXAMPLES["system"]])[0] is EXAMPLES["system"]


def test_a_copy_of_a_mechanism_is_one_of_its_own():
    mechanism, arm, wall, start = arm_of()
    other = copy.deepcopy(mechanism)
    assert_array_equal(other.simulate(start).q, mechanism.simulate(start).q)
    other.lock("brake", arm.angle, 0.3)
    assert [joint.name for joint in mechanism.joints] == ["pin"]
    assert (mechanism.freedom(start).degrees, other.freedom(start).degrees) == (1, 0)
    assert wall in other.bodies


def test_bodies_of_mechanisms_made_alike_are_not_the_same():
    (one, arm, *_), (other, twin, *_) = arm_of(), arm_of()
    assert arm != twin
    with pytest.raises(go.ModelError, match="is not part of this mechanism"):
        one.assemble({twin.angle: 0.1})
    left, right = copy.deepcopy(other), copy.deepcopy(other)
    left.body("a", pl.Rod(1.0), mass=1.0)
    wheel = left.body("wheel", pl.Rod(1.0), mass=1.0)
    right.body("wheel", pl.Rod(1.0), mass=1.0)  # of the same name, at another place in q
    with pytest.raises(go.ModelError, match="is not part of this mechanism"):
        right.pin("pin 2", right.ground.at(0, 0), wheel.start)


# Errors


def every_error(cls=errors.GaussError):
    yield cls
    for kind in cls.__subclasses__():
        yield from every_error(kind)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", dict.fromkeys(every_error()), ids=lambda kind: kind.__name__)
def test_every_error_arrives_with_what_it_carries(kind, way):
    problem = EXAMPLES["problem"]
    extra = {"problem": problem} if issubclass(kind, errors.ProblemError) else {}
    if issubclass(kind, errors.UserFunctionError):
        extra = {"function": "force", "t": 1.5}
    if issubclass(kind, errors.SimulationError):
        extra = {"result": EXAMPLES["result"]}
    if issubclass(kind, errors.NotSmoothError):
        extra = {"t": 1.5, "contacts": ("stop",)}
    if issubclass(kind, errors.OrbitError):
        extra = {"residual": 0.5}
    error = kind("what, where, what to try", **extra)
    error.add_note("a note")
    there = WAYS[way](error)
    assert type(there) is kind
    assert str(there) == "what, where, what to try"
    assert vars(there).keys() == vars(error).keys() >= extra.keys()
    assert str(vars(there)) == str(vars(error)) or "object at" in str(vars(error))


def fail_there(system, start, options):
    return go.simulate(system, *start, **options)


def test_errors_of_workers_say_what_happened_and_carry_the_result(pool):
    with pytest.raises(go.SimulationError, match="the limit of 5 steps") as info:
        pool.submit(fail_there, ball(), SPAN, {"max_steps": 5}).result()
    assert info.value.result.stats.steps == 5
    broken = go.System([1.0], lambda q, v, t: -q / (t < 0.5))
    with pytest.raises(go.GaussError) as info:
        pool.submit(fail_there, broken, SPAN, {}).result()
    assert "force" in str(info.value)


def test_what_cannot_travel_is_named():
    lock = threading.Lock()

    def gap(q, t):
        with lock:
            return q[0]

    system = go.System([1.0], [-9.81], contacts=[go.Contact("floor", gap)])
    with pytest.raises(TypeError, match=r"Contact 'floor' cannot be taken to another"):
        pickle.dumps(system)
    with pytest.raises(go.CarryingError, match=r"cannot pickle '_thread.lock' object"):
        pickle.dumps(go.simulate(system, *SPAN))


# Cases

CASE = '''"""A ball with a helper of its own."""
from dataclasses import dataclass
import numpy as np
import gauss_opt as go

WEIGHT = 9.81


def weight(q, v, t):
    return np.array([-WEIGHT])


@dataclass(frozen=True)
class Ball(go.Case):
    height: float = go.parameter(1.0, "m", "where it starts")

    def build(self):
        floor = go.Contact("floor", lambda q, t: q[0] - 0.0 * self.height, 0.5)
        return go.Setup(go.System([1.0], weight, contacts=[floor]), [self.height], [0.0], (0, 1))
'''


def run_there(case):
    return type(case).__module__, case.run()


def system_there(system):
    return go.simulate(system, *SPAN).q


def test_cases_from_files_and_their_functions_pass_through_pools(pool, tmp_path):
    path = tmp_path / "ball.py"
    path.write_text(CASE)
    case = go.find_case(path)(height=1.3)
    module, result = pool.submit(run_there, case).result()
    assert module == type(case).__module__
    assert_array_equal(result.q, case.run().q)
    system = case.build().system
    assert_array_equal(pool.submit(system_there, system).result(), go.simulate(system, *SPAN).q)


def test_a_case_that_was_pickled_can_be_read_by_any_other_process(tmp_path):
    path = tmp_path / "ball.py"
    path.write_text(CASE)
    kept = tmp_path / "case.pkl"
    cases = [go.find_case(path)(height=1.3), go.find_case("simple_pendulum")()]
    kept.write_bytes(pickle.dumps(cases))
    read = f"import pickle; print(pickle.load(open({str(kept)!r}, 'rb')))"
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", read], env=environment, capture_output=True, text=True,
            check=True, timeout=120,
        )  # fmt: skip
        assert done.stdout.strip() == str(cases)
    path.unlink()
    go.studies.case_files._from_file.cache_clear()
    with pytest.raises(go.InputError, match="there is no case file"):
        pickle.loads(kept.read_bytes())
