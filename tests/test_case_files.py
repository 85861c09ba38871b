"""Cases are found by name, or in a file of the user's by path."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import gauss_opt as go

ROOT = Path(__file__).parents[1]
MINE = '''"""A weight that hangs still.

Reference: nothing moves.
"""

from dataclasses import dataclass

import gauss_opt as go


@dataclass(frozen=True)
class Still(go.Case):
    """A weight on a rope."""

    reference = "statics"
    weight: float = go.parameter(2.0, "N", "weight")

    def build(self):
        rope = go.Contact("rope", lambda q, t: q[0] + 1.0)
        return go.Setup(go.System([1.0], [-self.weight], contacts=[rope]), [-1.0], [0.0], (0, 1))

    def check(self, result):
        yield go.Check("rope", result.multipliers["rope"][-1], self.weight, 1e-12, "N")
'''


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "still.py"
    path.write_text(MINE, encoding="utf-8")
    return path


def test_a_file_of_the_users_is_a_case(mine):
    case = go.find_case(mine).create({"weight": "3"})
    (check,) = case.check(case.run())
    assert check.ok
    assert check.value == 3.0
    assert (case.name(), case.title()) == ("still", "A weight that hangs still")


def test_fault_28_an_unknown_case_lists_the_known_ones():
    with pytest.raises(go.InputError, match=r"no case is called 'bouncing'; .*bouncing_ball"):
        go.find_case("bouncing")


def test_fault_29_a_built_in_name_is_never_shadowed(tmp_path, monkeypatch):
    (tmp_path / "bouncing_ball.py").write_text(MINE, encoding="utf-8")
    (tmp_path / "still.py").write_text(MINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert go.find_case("bouncing_ball").__name__ == "BouncingBall"
    assert go.find_case("./bouncing_ball.py").__name__ == "Still"
    assert go.find_case("bouncing_ball.py").__name__ == "Still"
    with pytest.raises(go.InputError, match=r"no case is called 'still'.*write \./still\.py"):
        go.find_case("still")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = 1", "must define one subclass of gauss_opt.Case; it defines none"),
        ("1 / 0", "cannot be loaded: ZeroDivisionError"),
        ("def", "cannot be loaded: SyntaxError"),
        (MINE + MINE.replace("Still", "Other"), "it defines Still, Other"),
    ],
)
def test_a_file_that_is_no_case_says_why(tmp_path, code, message):
    path = tmp_path / "broken.py"
    path.write_text(code, encoding="utf-8")
    with pytest.raises(go.InputError, match=message):
        go.find_case(path)


def test_a_missing_file_is_said(tmp_path):
    with pytest.raises(go.InputError, match="there is no case file"):
        go.find_case(tmp_path / "nothing.py")


def test_cases_ship_inside_the_wheel_and_run_from_it(tmp_path):
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    wheel = tmp_path / made.stdout.split()[-1]
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
    shipped = {path.name for path in (installed / "gauss_opt" / "cases").glob("*.py")}
    assert shipped == {path.name for path in (ROOT / "cases").glob("*.py")}
    assert not (installed / "tests").exists()
    code = (
        "import gauss_opt as go; print(go.__file__); case = go.find_case('bouncing_ball')();"
        "result = case.run(); print(all(check.ok for check in case.check(result)));"
        "print(result.report('report.html', drawing=case.draw))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, env={"PYTHONPATH": str(installed)},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    where, verdict, report = shown.stdout.split()
    page = (tmp_path / report).read_text(encoding="utf-8")
    for asset in (ROOT / "gauss_opt" / "viz" / "report" / "assets").glob("*.js"):
        assert asset.read_text(encoding="utf-8") in page
    assert Path(where).is_relative_to(installed)
    assert verdict == "True"
