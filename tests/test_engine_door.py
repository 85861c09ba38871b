"""What the compiled engine refuses before it begins: damaged programs, arrays that do not fit."""

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from tapes import program

import gauss_opt as go
from gauss_opt.simulation.engine import extension
from gauss_opt.simulation.engine.buffers import Buffers
from gauss_opt.simulation.engine.codes import Code
from gauss_opt.simulation.engine.constants import options, tables
from gauss_opt.simulation.engine.state_arrays import StateArrays
from gauss_opt.simulation.settings import Settings

NATIVE = Path(__file__).parents[1] / "gauss_opt" / "simulation" / "engine" / "native"
MODULE = extension().module
pytestmark = pytest.mark.skipif(MODULE is None, reason=str(extension()))


def pendulum():
    """A pendulum in two coordinates with a wall, a speed limit and a force of a parameter."""
    return go.System(
        [1.0, 2.0],
        lambda q, v, t, g: np.array([np.sin(t), -g]),
        constraints=[
            go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0),
            go.VelocityLimit("slow", lambda q, v, t: 4.0 - v[0]),
        ],
        contacts=[go.Contact("wall", lambda q, t: 0.9 - q[0], 0.5)],
        parameters={"g": 9.81},
    )


@cache
def made():
    """All that a run of it is called with."""
    stepper = go.start(pendulum(), [0.6, -0.8], [0.0, 0.0], (0.0, 1.0))
    whole = program(stepper.system, 2)
    asked = options(stepper.settings, 1e-9, 100)
    none = np.zeros(0)
    inputs = (tables(), asked, np.array([9.81]), np.array([0.5]), none, none, np.zeros(4))
    state = StateArrays.of(stepper.present.state, 0)
    return whole.arrays, inputs, state, Buffers(MODULE, whole).arrays


def call():
    """The same, fresh."""
    return [tuple(array.copy() for array in group) for group in made()]


def test_a_run_that_is_whole_runs():
    code, rows, pieces, events = MODULE.run(*call())
    assert code in list(Code)
    assert min(rows, pieces) > 0
    assert events >= 0


@pytest.mark.parametrize("seed", range(8))
def test_a_program_with_wrong_numbers_is_refused_or_runs_within_its_arrays(seed):
    """Whatever is put in the place of some integers: an error, or a run that ends."""
    rng = np.random.default_rng(seed)
    refused = 0
    for _ in range(60):
        arrays = call()
        broken = [array.copy() for array in arrays[0]]
        for _ in range(int(rng.integers(1, 4))):
            which = int(rng.integers(0, len(broken)))
            array = broken[which]
            if not array.size:
                continue
            wrong = rng.choice([-1, 0, 1, 2, 3, 7, 60, 1000, 2**20, 2**31 - 1, -(2**31)])
            array.flat[int(rng.integers(0, array.size))] = wrong
        arrays[0] = tuple(broken)
        try:
            MODULE.run(*arrays)
        except ValueError as error:
            refused += "the program is damaged" in str(error) or "elements, not" in str(error)
    assert refused > 20


@pytest.mark.parametrize("group", range(4))
def test_arrays_of_another_length_or_kind_are_refused(group):
    arrays = call()
    any_length = {1: (4, 5), 3: (2, 3, 5)}.get(group, ())  # times; rows, pieces and events
    for place, array in enumerate(arrays[group]):
        others = [np.zeros(array.shape, np.float32)]
        if place not in any_length and array.size:
            others.append(array.ravel()[:-1].copy())
        for other in others:
            wrong = list(arrays[group])
            wrong[place] = other
            with pytest.raises((ValueError, TypeError)):
                MODULE.run(*arrays[:group], tuple(wrong), *arrays[group + 1 :])


def test_a_tuple_of_another_length_is_refused():
    arrays = call()
    with pytest.raises(TypeError, match="not a tuple of 12 arrays"):
        MODULE.run(arrays[0][:-1], *arrays[1:])
    with pytest.raises(TypeError, match="not a tuple of 12 arrays"):
        MODULE.sizes(list(arrays[0]))


def test_arrays_that_are_written_must_lie_apart():
    arrays = call()
    state = list(arrays[2])
    state[1] = state[2]
    with pytest.raises(ValueError, match="share memory"):
        MODULE.run(arrays[0], arrays[1], tuple(state), arrays[3])


def test_arrays_that_are_read_only_are_not_written():
    arrays = call()
    arrays[2][1].setflags(write=False)
    with pytest.raises(TypeError, match="y: the array is read-only"):
        MODULE.run(*arrays)


def test_settings_of_a_run_are_numbers_in_the_order_of_the_engine():
    text = (NATIVE / "engine.h").read_text(encoding="utf-8")
    names = text.partition("In the order of engine/constants.py")[2].partition("} Settings;")[0]
    names = names.partition("typedef struct {")[2].replace("double", "").replace(";", ",")
    listed = [name.strip() for name in names.split(",") if name.strip()]
    asked = options(Settings.create((0.0, 2.0), rtol=1e-7, max_step=0.5), 1e-9, 77)
    assert len(listed) == len(asked)
    found = dict(zip(listed, asked.tolist(), strict=True))
    assert (found["t1"], found["rtol"], found["max_step"], found["max_steps"]) == (2, 1e-7, 0.5, 77)
    from gauss_opt.base.tolerances import base, mechanics, model, qp, results, simulation

    for name, value in found.items():
        rooms = (base, mechanics, model, qp, results, simulation)
        known = [getattr(room, name.upper()) for room in rooms if hasattr(room, name.upper())]
        assert not known or value in known, name
    assert found["ulp"] == model.ENCLOSURE_ULP
