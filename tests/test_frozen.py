"""A result cannot be changed, whatever is tried, and changes with nothing else."""

from dataclasses import FrozenInstanceError, fields, is_dataclass

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.base.frozen import Frozen

G = 9.81


def system():
    return go.System(
        [1.0, 1.0],
        [0.0, -G],
        constraints=[go.Holonomic("wall", lambda q, t: q[0])],
        contacts=[go.Contact("floor", lambda q, t: q[1:], 0.5)],
        potential=lambda q, t: G * q[1],
    )


def run(**options):
    return go.simulate(system(), [0.0, 1.0], [0.0, 0.0], (0, 0.8), **options)


def saved(tmp_path):
    run().save(tmp_path / "run.npz")
    return go.load(tmp_path / "run.npz")


def phases(tmp_path):
    def again(number, event):
        return go.Phase(system(), lambda q, v, t: t - 0.9)

    first = go.Phase(system(), lambda q, v, t: t - 0.2)
    return go.simulate_phases(first, [0.0, 1.0], [0.0, 0.0], (0, 0.8), again)


def arrays(value, path=""):
    """Every array that can be reached from a value, with the way to it."""
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from arrays(item, f"{path}[{key!r}]")
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value):
            yield from arrays(item, f"{path}[{i}]")
    elif is_dataclass(value) and not isinstance(value, go.System):
        for item in fields(value):
            yield from arrays(getattr(value, item.name), f"{path}.{item.name}")


SOURCES = {"run": lambda tmp_path: run(), "file": saved, "phases": phases}
ASKED_FOR = ("multipliers", "gaps", "rates", "values", "constraint_force", "energy")


@pytest.mark.parametrize("source", SOURCES)
def test_every_array_of_a_result_is_read_only(source, tmp_path):
    result = SOURCES[source](tmp_path)
    found = dict(arrays(result))
    for name in ASKED_FOR:
        found |= dict(arrays(getattr(result, name), f".{name}"))
    assert len(found) > 30
    assert [path for path, array in found.items() if array.flags.writeable] == []
    bases = {path: a.base for path, a in found.items() if isinstance(a.base, np.ndarray)}
    assert [path for path, base in bases.items() if base.flags.writeable] == []


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_no_array_cannot_be_changed_either(source, tmp_path):
    result = SOURCES[source](tmp_path)
    for name in ("rows", "forces", "settings", "gaps", "multipliers"):
        with pytest.raises(TypeError, match="cannot be changed"):
            getattr(result, name)["q"] = 1
    with pytest.raises(TypeError):
        result.settings["t_span"][0] = 5.0
    with pytest.raises(TypeError, match="cannot be changed"):
        result.events[0].impulses["floor"] = 0.0
    with pytest.raises(TypeError, match="cannot be changed"):
        result.stats.seconds["qp"] = 0.0
    with pytest.raises(FrozenInstanceError):
        result.stats.steps = 0
    with pytest.raises(FrozenInstanceError):
        result.success = True
    assert all(isinstance(getattr(result, name), tuple) for name in ("events", "pieces", "parts"))


def test_the_events_of_a_stepper_cannot_be_taken_away_from_it():
    stepper = go.start(system(), [0.0, 1.0], [0.0, 0.0], (0, 0.8))
    while stepper.status == "running":
        stepper.step()
        assert isinstance(stepper.events, tuple)
    assert stepper.events == stepper.result().events


def test_states_that_are_asked_for_are_ones_own():
    result = run()
    before = result(0.3).q.copy()
    state = result(0.3)
    state.q[:] = 7.0
    np.testing.assert_array_equal(result(0.3).q, before)


def test_a_frozen_dictionary_refuses_every_change():
    frozen = Frozen({"a": 1})
    for change in (
        lambda: frozen.update(b=2),
        lambda: frozen.pop("a"),
        lambda: frozen.popitem(),
        lambda: frozen.clear(),
        lambda: frozen.setdefault("b", 2),
        lambda: frozen.__delitem__("a"),
        lambda: frozen.__ior__({"b": 2}),
    ):
        with pytest.raises(TypeError, match="cannot be changed"):
            change()
    assert frozen == {"a": 1}
    assert frozen | {"b": 2} == {"a": 1, "b": 2}


@pytest.mark.parametrize("law", ["newton", "poisson", go.Sequential(go.Poisson())])
@pytest.mark.parametrize("project", [False, True])
def test_every_problem_of_a_run_is_recorded(law, project, tmp_path):
    """Those of accumulations, of closings and of the start among them."""
    pile = go.System(
        [1.0, 2.0],
        [-G, -2 * G],
        contacts=[
            go.Contact("floor", lambda q, t: q[0], 0.5),
            go.Contact("upper", lambda q, t: q[1] - q[0] - 0.1, 0.4),
        ],
    )
    start = [-0.01 if project else 0.2, 0.5], [0.0, 0.0], (0, 2)
    path = tmp_path / "problems.npz"
    result = go.simulate(pile, *start, law=law, project_start=project, record_problems=path)
    assert any(event.kind == "accumulation" for event in result.events)
    assert len(go.load_problems(path)) == result.stats.qp_total
