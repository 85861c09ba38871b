"""Every tolerance has one name, one value and one place."""

import ast
import importlib.util
from pathlib import Path

import pytest

import gauss_opt
from gauss_opt.base import tolerances
from gauss_opt.base.tolerances import TOLERANCES
from gauss_opt.base.tolerances.table import Room

ROOT = Path(__file__).parents[1]
PACKAGE = Path(gauss_opt.__file__).parent
TABLES = PACKAGE / "base" / "tolerances"
SMALL = 1e-3
# Rooms whose tolerances are still where they are used. To be emptied.
TO_COME = {"simulation"}
# Small numbers that are no tolerances: (module, value) and why.
NO_TOLERANCES: dict[tuple[str, float], str] = {}
FILES = {
    path.relative_to(PACKAGE).as_posix(): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.relative_to(PACKAGE).parts[0] != "cases" and TABLES not in path.parents
}


def room(file):
    return file.partition("/")[0].removesuffix(".py")


def small_numbers(file):
    """Small floats written out in a module, with their lines."""
    for node in ast.walk(ast.parse(FILES[file].read_text(encoding="utf-8"))):
        value = node.value if isinstance(node, ast.Constant) else None
        if type(value) is not float or not 0.0 < abs(value) < SMALL:
            continue
        if (file, value) not in NO_TOLERANCES:
            yield f"{file}:{node.lineno}: {value:g}"


@pytest.mark.parametrize("file", [file for file in FILES if room(file) not in TO_COME])
def test_no_small_number_is_written_outside_the_table(file):
    assert list(small_numbers(file)) == []


def test_the_list_of_rooms_to_come_holds_only_those_that_are():
    assert {room(file) for file in FILES for _ in small_numbers(file)} == TO_COME


def test_every_exception_is_still_there():
    for file, value in NO_TOLERANCES:
        assert str(value) in FILES[file].read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TOLERANCES)
def test_a_tolerance_is_a_constant_of_its_room_and_says_what_it_is(name):
    known = TOLERANCES[name]
    assert getattr(getattr(tolerances, known.room), name) is known.value
    assert name == name.upper()
    assert known.relative_to
    assert known.used_for
    assert not known.used_for.endswith(".")


def test_every_constant_of_a_table_is_in_it():
    written = {
        name
        for path in TABLES.glob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for name in (target.id for target in node.targets)
        if name.isupper() and not name.startswith("_")
    }
    assert written == set(TOLERANCES)


def test_every_table_is_that_of_a_room_and_is_loaded():
    tables = {path.stem for path in TABLES.glob("*.py")} - {"__init__", "table"}
    assert tables == {known.room for known in TOLERANCES.values()}
    assert tables <= {path.name for path in PACKAGE.iterdir()}


def imported_tolerances():
    """Names that the modules of the package import from a table."""
    for path in FILES.values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and "tolerances" in (node.module or ""):
                yield from (alias.name for alias in node.names)


def test_every_tolerance_is_used():
    assert set(imported_tolerances()) >= set(TOLERANCES)


def test_a_word_cannot_have_two_values():
    with pytest.raises(ValueError, match="WEAK is a tolerance of qp already"):
        Room("mechanics")("WEAK", 1e-6, "nothing", "something else")
    assert TOLERANCES["WEAK"].value == 1e-9


def test_the_page_of_tolerances_is_up_to_date():
    spec = importlib.util.spec_from_file_location(
        "make_tolerances", ROOT / "docs/make_tolerances.py"
    )
    maker = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(maker)
    assert maker.PAGE.read_text(encoding="utf-8") == maker.page(), "run `make tolerances`"
