"""What the compiled engine leaves to the Python engine, and answers that it must not give."""

import numpy as np
import pytest
from engines import MODULE, both, compiled, require_same, wrapped

import gauss_opt as go
from gauss_opt.simulation.engine.codes import REASONS, Code

pytestmark = compiled
G = 9.81
MOST_STEPS = 11  # place among the options of the engine


def bouncing():
    return go.System(
        [1.0, 2.0],
        lambda q, v, t: np.array([-3.0 * q[0], -2.0 * G]),
        contacts=[go.Contact("floor", lambda q, t: q[1] + 0.1 * np.sin(q[0]), 0.7)],
    )


START = ([1.0, 1.5], [0.5, 0.0], (0.0, 2.0))


def test_every_code_has_a_reason():
    assert set(Code) - set(REASONS) == {Code.DONE, Code.FULL}


@pytest.mark.parametrize("code", REASONS, ids=lambda code: code.name)
def test_each_code_hands_over_where_it_comes(code, monkeypatch):
    """Wherever the engine gives up, the run is that of the Python engine."""

    def around(call, program, inputs, state, out):
        tables, options, *others = inputs
        options = options.copy()
        options[MOST_STEPS] = min(options[MOST_STEPS], state.counts[2] + 3)
        found, *counts = MODULE.run(program, (tables, options, *others), state, out)
        return (code if found == Code.FULL else found, *counts)

    python = go.simulate(bouncing(), *START, engine="python")
    with wrapped(monkeypatch, around) as module:
        native = go.simulate(bouncing(), *START, engine="native")
    require_same(python, native)
    assert module.calls > 2
    assert native.stats.handed_over.keys() == {REASONS[code]}


def block(force):
    """A block that lies on the ground, beside one that is free."""
    return go.System([1.0, 1.0], force, contacts=[go.Contact("ground", lambda q, t: q[0], 0.5)])


NATURAL = {
    Code.GRAZE: (
        lambda: go.System([1.0, 1.0], [0.0, 0.0], contacts=[go.Contact("hill", lambda q, t: (
            q[1] + (q[0] - 1.0) ** 2), 0.5)]),
        ([0.0, 0.0], [1.0, 0.0], (0.0, 2.0)), {},
    ),
    Code.ACCUMULATION: (bouncing, ([1.0, 0.1], [0.0, 0.0], (0.0, 2.5)), {}),
    Code.LIMIT_REACHED: (
        bouncing, START, {"events": lambda q, v, t: q[0] - 0.2},
    ),
    Code.HIDDEN: (
        lambda: block(lambda q, v, t: np.array([-G + 3.0 * G * np.exp(-(((t - 0.5) / 0.01) ** 2)),
                                                0.0])),
        ([0.0, 0.0], [0.0, 1.0], (0.0, 1.0)), {"first_step": 0.9},
    ),
    Code.RANK: (
        lambda: go.System([1.0, 1.0], lambda q, v, t: np.array([-G, np.sin(t)]), contacts=[
            go.Contact(name, lambda q, t: q[0], 0.5) for name in ("one", "same")]),
        ([0.0, 0.0], [0.0, 1.0], (0.0, 1.0)), {},
    ),
    Code.NOT_FINITE: (
        lambda: go.System([1.0], lambda q, v, t: -G * np.sqrt(q),
            contacts=[go.Contact("floor", lambda q, t: q[0] - 0.01, 0.9)]),
        ([1.0], [0.0], (0.0, 2.0)), {"first_step": 0.8},
    ),
    Code.NONLINEAR: (
        lambda: go.System([1.0, 1.0], lambda q, v, t: np.array([0.0, -G]),
            constraints=[go.VelocityLimit("speed", lambda q, v, t: 3000.0 - v @ v)],
            contacts=[go.Contact("floor", lambda q, t: q[1] - 0.3 * q[0], 0.7)]),
        ([0.0, 1.0], [1.0, 0.0], (0.0, 0.8)), {},
    ),
    Code.MANY_ROWS: (
        lambda: go.System(np.ones(70), np.full(70, -G),
            contacts=[go.Contact("floor", lambda q, t: q, 0.5)]),
        (np.ones(70), np.zeros(70), (0.0, 0.5)), {},
    ),
    Code.ACTIVE_SET: (
        lambda: go.System([1.0], [0.0], contacts=[go.Contact("wall", lambda q, t: 1.0 - q[0])]),
        ([0.0], [1.0], (0.0, 2.0)), {},
    ),
    Code.MASS: (
        lambda: go.System(lambda q, t: np.array([[1.0, np.tanh(9.0 * t)],
                                                 [np.tanh(9.0 * t), 1.0]]),
                          lambda q, v, t: np.array([0.1, 0.1])),
        ([0.0, 0.0], [0.0, 0.0], (0.0, 1.1)), {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("code", NATURAL, ids=lambda code: code.name)
def test_what_is_rare_is_left_to_the_python_engine(code):
    make, start, options = NATURAL[code]
    python, native = both(make(), *start, **options)
    assert REASONS[code] in native.stats.handed_over
    require_same(python, native, times=1e-10)


LIFTED = {
    "at the end of a step": (lambda q, v, t: np.array([-G + 2.0 * G * t, 0.0]), {}),
    "inside a step": (
        lambda q, v, t: np.array([-G + 1.02 * G * np.sin(2.8 * t), 0.0]), {"first_step": 1.0},
    ),
    "again and again": (lambda q, v, t: np.array([-G + 1.5 * G * np.sin(30.0 * t), 0.0]), {}),
}  # fmt: skip


@pytest.mark.parametrize("name", LIFTED)
def test_a_contact_lets_go_without_the_python_engine(name):
    force, options = LIFTED[name]
    python, native = both(block(force), [0.0, 0.0], [0.0, 1.0], (0.0, 1.0), **options)
    require_same(python, native)
    assert "release" in {event.kind for event in native.events}
    assert REASONS[Code.RELEASE_FIRST] not in native.stats.handed_over


def test_a_limit_that_is_held_lets_go():
    """A drive up to a speed limit, then against it: on, and off when the force turns."""
    driven = go.System(
        [1.0],
        lambda q, v, t: 2.0 * np.cos(t),
        constraints=[go.VelocityLimit("speed", lambda q, v, t: 1.0 - v[0])],
    )
    python, native = both(driven, [0.0], [0.0], (0.0, 3.0))
    require_same(python, native)
    assert [(e.kind, e.detail) for e in native.events] == [("limit", "on"), ("limit", "off")]
    assert native.events[1].t == pytest.approx(np.pi / 2, rel=1e-9)


def lies(change):
    """An extension whose answers are changed before they are read."""

    def around(call, program, inputs, state, out):
        code, rows, pieces, events = MODULE.run(program, inputs, state, out)
        change(state, out, rows, events)
        return code, rows, pieces, events

    return around


def _accelerates(state, out, rows, events):
    out[2][:rows, 5:7] *= 1.0 + 1e-6


def _gives_impulse(state, out, rows, events):
    out[5][:events, -1] *= 1.0 + 1e-6


def _sinks(state, out, rows, events):
    state.y[1] -= 3.0


def _holds(state, out, rows, events):
    state.status[0] = 4


@pytest.mark.parametrize("lie", [_accelerates, _gives_impulse, _sinks, _holds])
def test_a_wrong_answer_is_not_believed(lie, monkeypatch):
    python = go.simulate(bouncing(), *START, engine="python")
    with wrapped(monkeypatch, lies(lie)):
        native = go.simulate(bouncing(), *START, engine="native")
    assert native.stats.engine.startswith("python: an answer of the other at t = ")
    assert native.success
    require_same(python, native)


def test_a_run_says_which_engine_it_had_and_why():
    python = go.simulate(bouncing(), *START, engine="python")
    assert python.stats.engine == "python: it was asked for"
    assert go.simulate(bouncing(), *START, engine="auto").stats.engine == "native"
    radau = go.simulate(bouncing(), *START, engine="auto", method="Radau")
    assert radau.stats.engine == "python: the method Radau is not in it, only DOP853"
    with pytest.raises(go.InputError, match="engine='native' is not possible here: the method"):
        go.simulate(bouncing(), *START, engine="native", method="Radau")
    with pytest.raises(go.InputError, match="engine must be one of 'auto', 'native', 'python'"):
        go.simulate(bouncing(), *START, engine="quick")


def test_problems_that_are_to_be_saved_are_built_in_python(tmp_path):
    path = tmp_path / "problems.npz"
    result = go.simulate(bouncing(), *START, engine="auto", record_problems=path)
    assert result.stats.engine.startswith("python: record_problems=")
    assert len(go.load_problems(path)) > 10


def test_a_function_whose_trace_differs_is_refused_by_this_engine_too():
    def force(q, v, t):
        return np.array([1.0 if isinstance(t, float) and t > 20.0 else 0.0])

    with pytest.raises(go.SimulationError, match="force"):
        go.simulate(go.System([1.0], force), [0.0], [1.0], (0.0, 50.0), engine="native",
                    max_step=0.002)  # fmt: skip
