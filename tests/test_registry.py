"""One registry for all plug-ins: names, errors, lazy loading, own entries."""

import sys

import pytest

from gauss_opt import ImpactLaw, InputError, Outcome
from gauss_opt.base.registry import Entry, Registry, modules_of
from gauss_opt.mechanics.impact_laws import LAWS
from gauss_opt.qp.solvers.registry import SOLVERS
from gauss_opt.simulation.event_driven.integrator import METHODS

REGISTRIES = {"solver": SOLVERS, "impact law": LAWS, "method": METHODS}


def is_text(item):
    return isinstance(item, str)


class Shapes:
    """A registry of strings with one source, which counts how often it is looked at."""

    def __init__(self, **entries):
        self.looked = 0
        self.entries = entries
        self.registry = Registry("shape", "a text", is_text, {"ball": "o"}, [self.listed])

    def listed(self):
        self.looked += 1
        return {name: Entry("of a test", load) for name, load in self.entries.items()}


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_registry_lists_names_and_offers_the_nearest(kind):
    registry = REGISTRIES[kind]
    name = next(iter(registry))
    with pytest.raises(InputError) as caught:
        registry.find(name.upper() + "x")
    assert str(caught.value).startswith(f"unknown {kind} {name.upper() + 'x'!r}; choose from: ")
    assert str(caught.value).endswith(f"; did you mean {name!r}?")
    assert all(known in str(caught.value) for known in registry)


@pytest.mark.parametrize("kind", REGISTRIES)
def test_every_plugin_of_every_registry_passes_through_and_nothing_else_does(kind):
    registry = REGISTRIES[kind]
    for name, plugin in registry.items():
        assert name in registry
        assert registry.find(name) is plugin
        assert registry.find(plugin) is plugin
    with pytest.raises(
        InputError, match=rf"{kind} must be a name \({next(iter(registry))}.*\) or a.*, got 3"
    ):
        registry.find(3)


def test_a_name_that_is_far_from_all_others_gets_no_hint():
    with pytest.raises(InputError) as caught:
        LAWS.find("coulomb")
    names = "newton, poisson, sequential, newton-equality"
    assert str(caught.value) == f"unknown impact law 'coulomb'; choose from: {names}"


def test_an_entry_is_loaded_when_it_is_first_asked_for_and_once():
    loads = []
    shapes = Shapes(box=lambda: loads.append("box") or "[]")
    assert list(shapes.registry) == ["ball", "box"]
    assert loads == []
    assert [shapes.registry.find("box") for _ in range(2)] == ["[]", "[]"]
    assert (loads, shapes.looked) == (["box"], 1)


def test_sources_are_not_looked_at_for_what_is_ready():
    shapes = Shapes()
    assert shapes.registry.find("ball") == "o"
    assert shapes.looked == 0


def test_what_is_ready_takes_precedence_and_is_listed_once():
    shapes = Shapes(ball=lambda: "another")
    assert dict(shapes.registry) == {"ball": "o"}
    assert len(shapes.registry) == 1


def test_an_entry_that_cannot_be_loaded_hides_only_itself():
    shapes = Shapes(broken=lambda: 1 / 0, odd=lambda: 3, box=lambda: "[]")
    with pytest.raises(InputError, match="'broken' of a test cannot be loaded: ZeroDivisionError"):
        shapes.registry.find("broken")
    with pytest.raises(InputError, match="shape 'odd' is not a text"):
        shapes.registry.find("odd")
    assert shapes.registry.find("box") == "[]"
    assert set(shapes.registry) == {"ball", "broken", "odd", "box"}


def test_refreshing_finds_what_has_come_and_drops_what_has_gone():
    shapes = Shapes(box=lambda: "[]")
    assert shapes.registry.find("box") == "[]"
    shapes.entries = {"rod": lambda: "--"}
    shapes.registry.refresh()
    assert dict(shapes.registry) == {"ball": "o", "rod": "--"}
    with pytest.raises(KeyError):
        shapes.registry["box"]


def test_a_module_of_a_package_is_a_plugin_called_like_its_file(tmp_path, monkeypatch):
    (tmp_path / "their_shapes").mkdir()
    for name, text in (("__init__", ""), ("rod", "SHAPE = '--'"), ("helper", "")):
        (tmp_path / "their_shapes" / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    registry = Registry(
        "shape", "a text", is_text, sources=[modules_of("their_shapes", "SHAPE", but={"helper"})]
    )
    assert list(registry) == ["rod"]
    assert "their_shapes.rod" not in sys.modules
    assert registry["rod"] == "--"
    for module in ("their_shapes", "their_shapes.rod"):
        monkeypatch.delitem(sys.modules, module)


class Plastic(ImpactLaw):
    def apply(self, impact):
        return Outcome.of(impact.solve([0.0] * len(impact.contacts)))


def test_a_law_of_your_own_can_be_registered_and_is_then_called_by_its_name(monkeypatch):
    monkeypatch.setattr(LAWS, "_registered", {})
    law = Plastic()
    assert str(law) == "Plastic()"
    LAWS.register("plastic", law)
    assert LAWS.find("plastic") is law
    assert str(law) == "plastic"
    LAWS.register("plastic", Plastic())  # as a notebook does whose cell is run again
    assert LAWS.find("plastic") is not law


def test_a_name_that_comes_with_the_package_cannot_be_registered_nor_can_a_wrong_type():
    with pytest.raises(InputError, match="'newton' already exists; choose another name"):
        LAWS.register("newton", Plastic())
    with pytest.raises(InputError, match="is not an instance of"):
        LAWS.register("plastic", Plastic)
