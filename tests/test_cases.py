"""Every case in cases/ runs, checks itself against its reference, and can be drawn."""

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.viz.film import shoot


@pytest.fixture(scope="module")
def runs():
    """Results by name of case, each made once."""
    kept = {}

    def run(name):
        if name not in kept:
            case = go.find_case(name)()
            kept[name] = case, case.run()
        return kept[name]

    return run


@pytest.mark.parametrize("name", go.case_names())
def test_case_agrees_with_its_reference(name, runs):
    case, result = runs(name)
    assert result.success, result.message
    checks = list(case.check(result))
    assert checks, "a case without a check"
    assert [str(check) for check in checks if not check.ok] == []
    assert result.stats.worst_residual <= 1e-9


@pytest.mark.parametrize(
    ("name", "law"),
    [(name, law) for name in go.case_names() for law in go.find_case(name).laws[1:]],
)
def test_case_agrees_under_every_law_it_names(name, law):
    case = go.find_case(name)()
    assert [str(check) for check in case.check(case.run(law=law)) if not check.ok] == []


@pytest.mark.parametrize("name", go.case_names())
def test_case_says_what_it_teaches_and_whose_figures_it_meets(name):
    kind = go.find_case(name)
    assert kind.name() == name
    assert 10 < len(kind.title()) <= 90
    assert "Reference:" in kind.text()
    assert kind.reference
    for parameter in kind.parameters():
        assert parameter.meaning, parameter.name
        assert parameter.convert(parameter.shown) == pytest.approx(parameter.default)
    kind.create({parameter.name: parameter.default for parameter in kind.parameters()})


@pytest.mark.parametrize("name", go.case_names())
def test_case_names_its_coordinates(name):
    system = go.find_case(name)().build().system
    assert system.coordinates is not None


@pytest.mark.parametrize("name", go.case_names())
def test_case_can_be_drawn(name, runs):
    case, result = runs(name)
    film = shoot(result, case.draw, max_frames=5)
    assert film.shapes
    assert np.isfinite(film.bounds).all()
    contacts = set(result.contacts) | {name for event in result.events for name in event.contacts}
    for shape in film.shapes:
        assert set(shape.contacts) <= contacts


@pytest.mark.parametrize("name", go.case_names())
def test_case_figures_can_be_drawn(name, runs):
    case, result = runs(name)
    for figure in case.figures(result).values():
        figure().draw_without_rendering()
