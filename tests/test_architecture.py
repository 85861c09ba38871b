"""Who may import whom, and what the package never does."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from inspect import getdoc
from pathlib import Path

import pytest

import gauss_opt

PACKAGE = Path(gauss_opt.__file__).parent
FILES = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
}
# Modules of the optimisation layer, by their first part; they know no mechanics.
OPTIMISATION = {
    "problem", "whiten", "certificate", "active_set", "infeasibility", "solution", "ladder",
    "solvers", "problem_file", "npz", "proposals",
}  # fmt: skip
BASE = {"errors", "lazy", "npz", "whole_file"}
MODEL = (
    "model", "symbols", "symbol_functions", "layout", "buffered", "trace", "constraint_rows",
    "compiled", "hand_derivatives", "system", "snapshot",
)  # fmt: skip
# What the model may use of that layer: checks of arrays and matrices, no problem and no solver.
MATRICES = {"Array", "real_array", "symmetrised", "require_semidefinite", "factorise"}
CLOSED_FORMS = {"closed_form", "closed_form_algebra", "oracles"}
MAY_PRINT = {"__main__", "cli"}


def imports(name, *, inside_functions=True):
    """Modules of the package that a module imports when it runs, without those for types only."""
    tree = ast.parse(FILES[name].read_text())
    package = name.split(".") if FILES[name].name == "__init__.py" else name.split(".")[:-1]
    if package[-1:] == ["__init__"]:
        package = package[:-1]
    found = set()
    for node in _running(tree, inside_functions):
        if isinstance(node, ast.ImportFrom):
            if node.level:
                base = package[: len(package) - node.level + 1]
            elif (node.module or "").split(".")[0] == "gauss_opt":
                base = []
            else:
                continue
            module = (node.module or "").removeprefix("gauss_opt").strip(".")
            path = [*base, *filter(None, module.split("."))]
            for alias in node.names:
                found.add(_known(".".join([*path, alias.name])) or _known(".".join(path)))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("gauss_opt."):
                    found.add(_known(alias.name.removeprefix("gauss_opt.")))
    return found - {None, name}


def _known(module):
    return next((m for m in (module, f"{module}.__init__".strip(".")) if m in FILES), None)


def _running(node, inside_functions):
    """Nodes of a module, without those under ``if TYPE_CHECKING``."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        if isinstance(child, ast.FunctionDef) and not inside_functions:
            continue
        yield child
        yield from _running(child, inside_functions)


GRAPH = {name: imports(name) for name in FILES}


def first_parts(modules):
    return {module.split(".")[0] for module in modules}


def test_imports_go_one_way():
    graph = {name: imports(name, inside_functions=False) for name in FILES}
    ranks = {}
    for name in TopologicalSorter(graph).static_order():  # raises on a cycle, and shows it
        ranks[name] = 1 + max((ranks[other] for other in graph[name]), default=0)
    assert ranks["errors"] == 1
    assert ranks["problem"] < ranks["ladder"] < ranks["acceleration"] < ranks["crosscheck"]
    assert ranks["model"] < ranks["compiled"] < ranks["system"] < ranks["snapshot"]


@pytest.mark.parametrize("name", [n for n in FILES if n.split(".")[0] in OPTIMISATION])
def test_optimisation_knows_no_mechanics(name):
    assert first_parts(GRAPH[name]) <= OPTIMISATION | BASE


@pytest.mark.parametrize("name", sorted(CLOSED_FORMS))
def test_closed_forms_share_no_algebra_with_the_solvers(name):
    assert first_parts(GRAPH[name]) <= CLOSED_FORMS


@pytest.mark.parametrize("name", MODEL)
def test_the_model_knows_no_optimisation(name):
    for node in ast.walk(ast.parse(FILES[name].read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OPTIMISATION:
            assert {alias.name for alias in node.names} <= MATRICES
    assert first_parts(GRAPH[name]) <= {*MODEL, *BASE, "problem", "whiten"}


def test_import_is_light():
    heavy = ["cvxpy", "matplotlib", "osqp", "qpsolvers", "clarabel", "piqp", "proxsuite"]
    code = f"import sys, gauss_opt; print([m for m in {heavy} if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


@pytest.mark.parametrize("name", gauss_opt.__all__)
def test_every_public_name_exists_and_is_documented(name):
    assert (getdoc(getattr(gauss_opt, name)) or "").strip()


@pytest.mark.parametrize("name", FILES)
def test_every_module_says_its_idea_first(name):
    assert ast.get_docstring(ast.parse(FILES[name].read_text()))


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_executed_from_data_and_nothing_is_printed(name):
    for node in ast.walk(ast.parse(FILES[name].read_text())):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = {alias.name for alias in node.names} | {getattr(node, "module", None)}
            assert not names & {"pickle", "yaml", "marshal", "shelve", "dill", "socket", "urllib"}
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in {"eval", "exec", "compile", "yaml.load", "pickle.loads"}
            assert called != "print" or name in MAY_PRINT
            for keyword in node.keywords:
                if keyword.arg == "allow_pickle":
                    assert ast.unparse(keyword.value) == "False"
