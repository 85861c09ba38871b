"""Every Python block of the documents runs, and the output shown after it is what it prints."""

from __future__ import annotations

import importlib
import io
import re
import sys
from contextlib import redirect_stdout
from functools import reduce
from pathlib import Path

import numpy as np
import pytest

import gauss_opt as go
import gauss_opt.qp.solvers
from gauss_opt.mechanics.impact_laws import LAWS
from gauss_opt.qp.solvers import registry
from gauss_opt.simulation.event_driven.integrator import METHODS
from gauss_opt.viz.film import shoot

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PAGES = [*DOCUMENTS, ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]
ENTRY_POINTS = {"gauss_opt.impact_laws"}  # a group of entry points, and no module
PLACES = re.compile(r"(gauss_opt|cases|docs|tests|benchmarks)/[\w/.<>]*$")
EXAMPLES = {"gauss_opt/qp/solvers/hildreth.py"}  # which a reader may write
BLOCK = re.compile(r"^```python\n(.*?)^```$(?:\s*^```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def blocks(document: Path) -> list[tuple[str, str | None]]:
    """Code of each Python block, with the output shown right after it or None."""
    found = BLOCK.finditer(document.read_text(encoding="utf-8"))
    return [(match[1], match[2]) for match in found]


def run(document: Path) -> list[tuple[str, str | None]]:
    """Printed and shown output of each block; the blocks of a document share their names."""
    names: dict[str, object] = {"__name__": document.stem.lower()}
    outputs = []
    for number, (code, shown) in enumerate(blocks(document)):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(
                compile(code, f"{document.name}, block {number}", "exec", dont_inherit=True), names
            )
        outputs.append((printed.getvalue(), shown))
    return outputs


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_code_runs_and_prints_what_is_shown(document, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for plugins in (LAWS, METHODS):  # what an example registers is its own
        monkeypatch.setattr(plugins, "_registered", {})
    outputs = run(document)
    assert outputs, "a document without a Python block"
    for printed, shown in outputs:
        if shown is not None:
            assert printed.rstrip() == shown.rstrip()


def resolved(dotted: str) -> bool:
    """Whether a dotted path is a module of the package, or something inside one."""
    path = dotted.split(".")
    for k in range(len(path), 0, -1):
        try:
            found: object = importlib.import_module(".".join(path[:k]))
        except ModuleNotFoundError:
            continue
        return reduce(lambda item, name: getattr(item, name, None), path[k:], found) is not None
    return False


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_every_dotted_path_exists(document):
    named = set(re.findall(r"\bgauss_opt(?:\.\w+)+", document.read_text(encoding="utf-8")))
    assert {path for path in named - ENTRY_POINTS if not resolved(path)} == set()


def test_a_dotted_path_that_does_not_exist_is_found():
    assert resolved("gauss_opt.qp.whitening.whiten")
    assert not resolved("gauss_opt.ladder")
    assert not resolved("gauss_opt.qp.whitening.whitened")


@pytest.mark.parametrize("document", PAGES, ids=lambda path: path.name)
def test_every_file_named_exists_and_every_new_one_has_a_folder(document):
    code = re.findall(r"`([^`\n]+)`", document.read_text(encoding="utf-8"))
    named = {path for path in code if PLACES.match(path)} - EXAMPLES
    places = {re.sub(r"<.*", "", path) for path in named}
    assert {place for place in places if not (ROOT / place).exists()} == set()


def test_the_table_of_changes_names_what_to_touch():
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("| change |")[2]
    rows = table.splitlines()[2:]
    assert len(rows) >= 10
    assert all(PLACES.match(row.split("`")[1]) for row in rows)


@pytest.fixture
def hildreth(tmp_path, monkeypatch):
    """The solver of docs/extending.md, saved where the registry looks for solvers."""
    code = blocks(ROOT / "docs" / "extending.md")[0][0]
    (tmp_path / "hildreth.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(
        gauss_opt.qp.solvers, "__path__", [*gauss_opt.qp.solvers.__path__, str(tmp_path)]
    )
    registry.SOLVERS.refresh()
    yield code
    monkeypatch.undo()
    if sys.modules.pop("gauss_opt.qp.solvers.hildreth", None):
        del gauss_opt.qp.solvers.hildreth
    registry.SOLVERS.refresh()


def test_the_example_case_has_what_every_case_must_have(tmp_path):
    code = next(code for code, _ in blocks(ROOT / "docs" / "extending.md") if "CASE = " in code)
    (tmp_path / "stone.py").write_text(code.split("'''")[1], encoding="utf-8")
    case = go.find_case(str(tmp_path / "stone.py"))()
    assert case.build().system.coordinates == ("height",)
    result = case.run()
    assert [check.ok for check in case.check(result)] == [True]
    film = shoot(result, case.draw, max_frames=5)
    assert np.isfinite(film.bounds).all()
    assert "Reference:" in case.text()


def test_the_example_solver_is_short(hildreth):
    assert len(hildreth.splitlines()) < 60


def test_a_file_dropped_into_solvers_is_taken_up(hildreth):
    assert "hildreth" in go.solvers.available()
    ball = go.System([1.0, 1.0], [0.5, -9.81], contacts=[go.Contact("floor", lambda q, t: q[1])])
    check = go.crosscheck(ball, [0.0, 0.0], [1.0, 0.0])
    assert "solver hildreth" in [route.name for route in check.routes]
    assert check.ok


def test_the_dropped_in_solver_finds_the_active_sets_of_the_others(hildreth):
    rng = np.random.default_rng(1)
    for _ in range(20):
        inside = rng.normal(size=5)
        Ae, Ai = rng.normal(size=(2, 5)), rng.normal(size=(3, 5))
        problem = go.GaussProblem.create(
            np.diag(rng.uniform(0.5, 2.0, size=5)), target=rng.normal(size=5),
            Ae=Ae, be=Ae @ inside, Ai=Ai, bi=Ai @ inside - 0.1,
        )  # fmt: skip
        mine = go.solve(problem, "hildreth", fallback=())
        assert mine.solver == "hildreth"
        np.testing.assert_array_equal(mine.x, go.solve(problem, "daqp", fallback=()).x)
