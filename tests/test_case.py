"""Cases: parameters with units, and checks that fail when they should."""

from dataclasses import dataclass

import pytest

import gauss_opt as go
from gauss_opt.studies import case


@dataclass(frozen=True)
class Ramp(go.Case):
    """Something with a parameter of each type."""

    height: float = go.parameter(1.0, "m", "height")
    count: int = go.parameter(3, "", "how many")
    masses: tuple[float, ...] = go.parameter((1.0, 2.0), "kg", "masses")
    smooth: bool = go.parameter(True, "", "whether it is smooth")
    colour: str = go.parameter("blue", "", "its colour")


def test_words_become_the_type_of_the_default():
    words = {"height": "2.5", "count": "4", "masses": "1,2,3.5", "smooth": "no", "colour": "red"}
    assert Ramp.create(words).values == {
        "height": 2.5,
        "count": 4,
        "masses": (1.0, 2.0, 3.5),
        "smooth": False,
        "colour": "red",
    }


def test_values_of_the_right_type_stay():
    values = {"height": 2, "count": 4, "masses": [1, 2], "smooth": True, "colour": "red"}
    assert Ramp.create(values) == Ramp(2.0, 4, (1.0, 2.0), True, "red")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("height", "tall", "'height' is 'tall'; expected a number such as 1"),
        ("count", "2.5", "'count' is '2.5'; expected a whole number such as 3"),
        ("count", 2.5, "'count' is 2.5; expected a whole number"),
        ("masses", "1,heavy", "'masses' is '1,heavy'; expected numbers separated by commas"),
        ("smooth", "perhaps", "'smooth' is 'perhaps'; expected true or false"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_with_an_example(name, value, message):
    with pytest.raises(go.InputError, match=message):
        Ramp.create({name: value})


@pytest.mark.parametrize("value", ["nan", "inf", float("nan")])
def test_fault_01_a_parameter_that_is_not_finite_is_named(value):
    with pytest.raises(go.InputError, match=r"'height' is .*finite"):
        Ramp.create({"height": value})


def test_fault_28_an_unknown_parameter_lists_the_known_ones():
    with pytest.raises(go.InputError, match="no parameter 'hight'; choose from: height, count"):
        Ramp.create({"hight": 1.0})


@pytest.mark.parametrize("default", [9.81, 1e-9, 0.271028680498830, 1 / 3, (0.1, 2 / 3)])
def test_a_default_is_shown_as_one_may_type_it(default):
    parameter = case.Parameter("x", default, "", "")
    assert parameter.convert(parameter.shown) == default


def test_published_figures_apply_at_defaults_only():
    assert Ramp().at_defaults
    assert not Ramp(height=2.0).at_defaults


def test_a_check_compares_with_its_tolerance():
    assert go.Check("t", 1.0 + 1e-9, 1.0, 2e-9).ok
    assert not go.Check("t", 1.0 + 3e-9, 1.0, 2e-9).ok
    assert go.Check.relative("x", 1e6 + 1e-3, 1e6, 2e-9).ok
    assert not go.Check.relative("x", 1e6 + 1e-2, 1e6, 2e-9).ok


def test_a_limit_is_one_sided():
    assert go.Check.at_most("drift", -5.0, 1e-9).ok
    assert not go.Check.at_most("drift", 2e-9, 1e-9).ok


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_figure_that_is_not_finite_never_passes(value):
    assert not go.Check("t", value, 1.0, 1.0).ok
    assert not go.Check.at_most("t", value, 1.0).ok


def test_a_case_without_methods_says_which_is_missing():
    with pytest.raises(NotImplementedError, match="build"):
        Ramp().build()
    with pytest.raises(NotImplementedError, match="check"):
        Ramp().check(None)


def test_a_shorter_end_is_taken():
    result = go.find_case("bouncing_ball")().run(t_end=0.3)
    assert result.t[-1] == 0.3
    assert not result.events


@dataclass(frozen=True)
class Bounded(go.Case):
    count: int = go.parameter(3, least=1, most=20)
    masses: tuple[float, ...] = go.parameter((1.0, 2.0), "kg", least=0.0, size=2)
    height: float = go.parameter(1.0, most=5.0)

    def build(self):
        return go.Setup(go.System([1.0]), [0.0], [0.0], (0.0, 1.0))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("count", 10**8, "'count' is 100000000: it must be between 1 and 20"),
        ("count", 0, "'count' is 0: it must be between 1 and 20"),
        ("masses", (1.0, -2.0), "'masses' is -2.0: it must be at least 0"),
        ("masses", (1.0, 2.0, 3.0), "'masses' has 3 numbers; it needs 2, such as 1,2"),
        ("height", 9.0, "'height' is 9.0: it must be at most 5"),
    ],
)
def test_values_out_of_bounds_are_refused(name, value, message):
    with pytest.raises(go.InputError, match=message):
        Bounded.create({name: value})
    with pytest.raises(go.InputError, match=message):
        Bounded(**{name: value}).run()
    assert Bounded().run().success


def test_a_hundred_million_discs_are_refused_with_a_sentence():
    with pytest.raises(go.InputError, match="'discs' is 100000000: it must be between 1 and 200"):
        go.find_case("discs_in_box").create({"discs": 10**8, "radius": 1e-7})
