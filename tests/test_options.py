"""Options are spelled out once: help, signatures, docstrings and defaults agree."""

import inspect
import pydoc
import typing

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.simulation.options import DEFAULTS, Options
from gauss_opt.simulation.settings import Settings

FLOOR = go.Contact("floor", lambda q, t: q[0], restitution=0.5)
BALL = go.System([1.0], [-9.81], contacts=[FLOOR])
START = (BALL, [1.0], [0.0], (0, 1))
NAMES = tuple(Options.__annotations__)
DOORS = {go.simulate: (), go.start: (), go.simulate_phases: ("events",)}


def described(function):
    """Parameters with a description in the docstring of a function."""
    text = inspect.getdoc(function).partition("----------\n")[2].partition("\n\n")[0]
    lines = text.splitlines()
    names = [line.partition(" : ")[0] for line in lines if not line.startswith(" ")]
    indented = [line.startswith("    ") for line in lines]
    assert indented[-1]
    return [name for entry in names for name in entry.split(", ")]


def test_every_option_has_a_default_and_a_type():
    assert tuple(DEFAULTS) == NAMES
    assert typing.get_type_hints(Options)["rtol"] is float


@pytest.mark.parametrize("function", DOORS)
def test_the_signature_shows_every_option_with_its_default(function):
    parameters = inspect.signature(function).parameters
    expected = [name for name in NAMES if name not in DOORS[function]]
    assert [name for name in parameters if name in NAMES] == expected
    for name in expected:
        assert parameters[name].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters[name].default is DEFAULTS[name]
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())


@pytest.mark.parametrize("function", DOORS)
def test_help_shows_every_option(function):
    text = pydoc.plain(pydoc.render_doc(function))
    for name in NAMES:
        if name not in DOORS[function]:
            shown = repr(DEFAULTS[name])
            assert f"{name}: " in text
            assert f"= {shown}" in text
            assert f"\n    {name} : " in text


@pytest.mark.parametrize("function", DOORS)
def test_the_docstring_describes_every_parameter(function):
    named = described(function)
    for name in inspect.signature(function).parameters:
        assert name in named
    assert "**options" not in inspect.getdoc(function)


def test_each_option_is_described_by_a_sentence():
    entries = inspect.getdoc(Options).partition("----------\n")[2]
    for name in NAMES:
        head, _, rest = entries.partition(f"{name} : ")[2].partition("\n")
        assert head.strip()
        assert len(rest.strip().splitlines()[0]) > 10


@pytest.mark.parametrize(
    ("option", "nearest"),
    [("rtoll", "rtol"), ("max_stepps", "max_steps"), ("dense_ouput", "dense_output"),
     ("checkpont", "checkpoint"), ("breakpoint", "breakpoints")],
)  # fmt: skip
def test_an_unknown_option_is_refused_with_the_nearest(option, nearest):
    with pytest.raises(go.InputError, match=rf"no option '{option}'; .*did you mean '{nearest}'"):
        go.simulate(*START, **{option: 1})


@pytest.mark.parametrize("function", [go.simulate, go.start])
def test_an_unknown_option_is_refused_with_all_there_are(function):
    with pytest.raises(go.InputError) as caught:
        function(*START, xyzzy=1)
    message = str(caught.value)
    assert message.startswith(f"{function.__name__}() has no option 'xyzzy'")
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            assert name in message


def test_start_does_not_know_the_options_of_simulate_alone():
    with pytest.raises(go.InputError, match=r"start\(\) has no option 'checkpoint'"):
        go.start(*START, checkpoint="run.npz")


def test_an_unknown_option_of_phases_is_refused():
    with pytest.raises(go.InputError, match=r"no option 'max_phase'; .*did you mean 'max_phases'"):
        go.simulate_phases(
            go.Phase(BALL, "floor"), [1.0], [0.0], (0, 1), lambda number, event: None, max_phase=3
        )


def test_settings_without_options_have_the_defaults():
    settings = Settings.create((0.0, 2.0))
    assert settings.rtol == DEFAULTS["rtol"]
    assert settings.max_steps == DEFAULTS["max_steps"]
    assert settings.max_step == np.inf
    assert settings.time_scale == 2.0
    assert str(settings.law) == str(go.Newton())


NUMBERS = (
    "rtol", "max_step", "first_step", "length_scale", "time_scale", "max_wall_time", "closure",
    "max_steps", "max_events", "checkpoint_every",
)  # fmt: skip
FLAGS = (
    "dense_output", "project_start", "refuse_energy_gain", "sampled_guards", "reuse_active_set",
    "throw", "resume",
)  # fmt: skip
OTHERS = ("law", "solver", "method", "events", "callback", "progress", "checkpoint",
          "record_problems", "atol", "t_eval", "breakpoints")  # fmt: skip


@pytest.mark.parametrize("wrong", ["much", {}, [[1.0], [2.0, 3.0]], 1j, object(), lambda: None])
@pytest.mark.parametrize("name", [*NUMBERS, *FLAGS, *OTHERS])
def test_an_option_of_the_wrong_type_is_named(name, wrong):
    if (name in ("events", "callback", "progress") and callable(wrong)) or (
        (name in ("checkpoint", "record_problems") and wrong == "much")
        or (name == "events" and wrong == {})
    ):
        pytest.skip("that is one")
    with pytest.raises(go.InputError) as caught:
        go.simulate(*START, **{name: wrong})
    assert name in str(caught.value)


@pytest.mark.parametrize("name", NUMBERS)
def test_a_truth_value_is_no_number(name):
    with pytest.raises(go.InputError, match=f"{name} must be a number, got True"):
        go.simulate(*START, **{name: True})


def test_a_limit_may_be_written_as_a_float():
    assert go.simulate(*START, max_steps=1e6, max_events=np.int64(7)).success
    with pytest.raises(go.InputError, match=r"max_steps must be a whole number, got 1000\.5"):
        go.simulate(*START, max_steps=1000.5)


def test_options_of_phases_and_solvers_of_the_wrong_type_are_named():
    phases = (go.Phase(BALL), *START[1:], lambda number, event: None)
    for name, wrong in (("max_phases", "ten"), ("callback", 3), ("throw", "no")):
        with pytest.raises(go.InputError, match=name):
            go.simulate_phases(*phases, **{name: wrong})
    with pytest.raises(go.InputError, match="must be a Phase"):
        go.simulate_phases(BALL, *phases[1:])
    with pytest.raises(go.InputError, match="next_phase must be a function of"):
        go.simulate_phases(*phases[:-1], "next")
    for name, wrong in (("tolerance", "small"), ("reuse_active_set", 1), ("time_limit", [3])):
        with pytest.raises(go.InputError, match=name):
            go.GaussSolver("daqp", **{name: wrong})
    with pytest.raises(go.InputError, match="solver must be a name"):
        go.GaussSolver(go.solvers.Adapter)
