"""The command line: what it prints and writes, its exit codes, and what it refuses."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.cli import main

MODEL = '''"""A mass on a rail[red] that {teaches}."""
from dataclasses import dataclass
import numpy as np
import gauss_opt as go

@dataclass(frozen=True)
class Mass(go.Case):
    reference = "thought"
    mass: float = go.parameter(1.0, "kg", "of the [bold]body[/bold]")
    widths: tuple = go.parameter((1.0, 2.0), "m", "widths")

    def build(self):
        if self.mass <= 0:
            raise go.InputError("mass must be positive")
        wall = go.Contact("[red]wall[/red]", lambda q, t: 1.0 - q[0])
        system = go.System([self.mass], {force}, contacts=[wall])
        return go.Setup(system, [0.0], [1.0], (0.0, 2.0))

    def check(self, result):
        {check}
'''


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "150")


@pytest.fixture
def command(capsys):
    """Run the command: exit code, stdout, stderr."""

    def run(*words):
        code = main([str(word) for word in words])
        return (code, *capsys.readouterr())

    return run


@pytest.fixture
def data(command):
    """Run the command with --json: exit code and the object it prints."""

    def run(*words):
        code, out, _ = command(*words, "--json")
        assert "NaN" not in out
        found = json.loads(out)
        assert found["exit_code"] == code
        return code, found

    return run


def write_case(name="mass.py", *, force="[0.0]", check="return []", teaches="stops"):
    path = Path(name)
    path.write_text(MODEL.format(force=force, check=check, teaches=teaches), encoding="utf-8")
    return f"./{name}"


def quick_run(command, folder="out", *words):
    code, *_ = command("run", "bouncing_ball", "--no-pictures", "--out", folder, *words)
    assert code == 0
    return Path(folder, "bouncing_ball", "result.npz")


def test_version_and_help(command):
    assert command("--version") == (0, f"gauss-opt {go.__version__}\n", "")
    code, out, err = command()
    assert code == 0
    assert "crosscheck" in out
    assert not err


def test_python_m_is_the_same_command():
    words = [sys.executable, "-m", "gauss_opt", "run", "nothing"]
    shown = subprocess.run(words, capture_output=True, text=True, check=False)
    assert shown.returncode == 2
    assert shown.stdout == ""
    assert shown.stderr.startswith("gauss-opt: no case is called 'nothing'; choose from: ")
    assert shown.stderr.count("\n") == 1


def test_importing_the_package_imports_neither_typer_nor_rich_nor_matplotlib():
    code = "import sys, gauss_opt; print({'typer', 'rich', 'matplotlib'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "set()"


def test_list_names_every_case(command, data):
    code, out, _ = command("list")
    assert code == 0
    assert all(name in out for name in go.case_names())
    assert [case["name"] for case in data("list")[1]["cases"]] == list(go.case_names())


def test_list_of_one_case_shows_its_parameters(command, data):
    code, out, _ = command("list", "bouncing_ball")
    assert code == 0
    assert all(word in out for word in ("restitution", "0.8", "m/s^2", "height it is dropped from"))
    (case,) = data("list", "bouncing_ball")[1]["cases"]
    assert case["parameters"][0] == {
        "name": "height", "default": 1.0, "unit": "m", "meaning": "height it is dropped from",
        "least": None, "most": None, "size": None,
    }  # fmt: skip
    assert "coefficient of restitution" in command("list", "--long")[1]


def test_run_checks_and_writes_result_pictures_and_report(command):
    code, out, err = command("run", "bouncing_ball")
    assert code == 0, err
    assert not err
    assert "success" in out
    assert "the impacts accumulate" in out
    folder = Path("out/bouncing_ball")
    written = {path.name for path in folder.iterdir()}
    assert {"result.npz", "report.html", "motion.png", "scene.png"} <= written
    assert all(str(folder / name) in out for name in written)
    assert go.load(folder / "result.npz").success
    assert (folder / "motion.png").read_bytes().startswith(b"\x89PNG")


def test_pictures_of_the_case_itself_are_written(command):
    names = [name for name in go.case_names() if (case := go.find_case(name))]
    own = [n for n in names if go.find_case(n).figures is not go.Case.figures]
    if not own:
        pytest.skip("no case has pictures of its own")
    case = go.find_case(own[0])()
    code, _, err = command("run", own[0])
    assert code == 0, err
    assert not err
    pngs = {path.stem for path in Path("out", own[0]).glob("*.png")}
    assert len(case.figures(go.load(f"out/{own[0]}/result.npz"))) < len(pngs)


def test_run_as_json_is_one_object_and_nothing_else(data):
    code, found = data("run", "bouncing_ball", "--no-pictures", "-p", "height=0.5", "--out", "here")
    assert code == 0
    assert found["ok"]
    assert found["parameters"]["height"] == 0.5
    assert found["events"][0]["t"] == pytest.approx(np.sqrt(1 / 9.81), abs=1e-10)
    assert found["stats"]["worst_residual"] < 1e-9
    assert all(check["ok"] for check in found["checks"])
    assert found["files"] == ["here/bouncing_ball/result.npz"]


def test_what_a_case_prints_stays_out_of_the_json(data):
    path = write_case(check="print('hello'); return []")
    assert data("run", path, "--no-pictures")[0] == 0


def test_an_animation_is_written_when_asked_for(command):
    words = ("--t-end", "0.5", "--speed", "2", "--no-pictures", "--animation", "ball.gif")
    code, out, err = command("run", "bouncing_ball", *words)
    assert code == 0, err
    assert "ball.gif" in out
    assert Path("ball.gif").read_bytes().startswith(b"GIF8")


def test_a_film_that_fails_does_not_lose_the_run(command):
    words = ("--no-pictures", "--animation", "no/such/folder/ball.gif")
    code, _, err = command("run", "bouncing_ball", *words)
    assert code == 0
    assert "ball.gif was not written: " in err
    assert Path("out/bouncing_ball/result.npz").exists()


def test_parameters_come_from_a_file_and_words_go_before_them(data):
    Path("values.toml").write_text("height = 2.0\nrestitution = 0.5\n", encoding="utf-8")
    words = ("--params", "values.toml", "-p", "height=0.5", "--no-pictures")
    _, found = data("run", "bouncing_ball", *words)
    assert (found["parameters"]["height"], found["parameters"]["restitution"]) == (0.5, 0.5)


def test_options_reach_the_simulation(data):
    words = ("--law", "poisson", "--solver", "daqp", "--rtol", "1e-8", "--no-pictures")
    _, found = data("run", "bouncing_ball", *words)
    settings = found["settings"]
    assert settings["law"] == "poisson"
    assert (settings["solver"], settings["rtol"]) == ("daqp", 1e-8)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("run", "nothing"), "choose from: "),
        (("run", "./nothing.py"), "there is no case file"),
        (("run", "bouncing_ball", "-p", "hight=1"), "choose from: height, restitution"),
        (("run", "bouncing_ball", "-p", "height=tall"), "expected a number such as 1"),
        (("run", "bouncing_ball", "-p", "height=nan"), "must be finite"),
        (("run", "bouncing_ball", "-p", "height"), "name=value"),
        (("run", "bouncing_ball", "--params", "none.toml"), "none.toml: No such file"),
        (("run", "bouncing_ball", "--law", "hooke"), "newton, poisson, sequential"),
        (("run", "bouncing_ball", "--solver", "simplex"), "choose from: "),
        (("run", "bouncing_ball", "--rtol", "0"), "rtol"),
        (("run", "bouncing_ball", "--t-end", "-1"), "reversed"),
        (("run", "bouncing_ball", "--t-end", "soon"), "--t-end"),
        (("run",), "CASE"),
        (("jump",), "choose from: list, run, sweep, show, compare, crosscheck"),
        (("show", "none.npz"), "none.npz: No such file"),
        (("crosscheck", "bouncing_ball", "--solver", "simplex"), "choose from: "),
    ],
    ids=lambda item: " ".join(item) if isinstance(item, tuple) else "",
)  # fmt: skip
def test_wrong_usage_is_one_sentence_and_exit_code_2(command, words, says):
    code, out, err = command(*words)
    assert code == 2
    assert out == ""
    assert says in err
    assert err.count("\n") == 1
    assert "Traceback" not in err


def test_an_error_as_json_is_an_object_too(data):
    code, found = data("run", "nothing")
    assert code == 2
    assert "no case is called" in found["error"]


def test_debug_shows_the_traceback(command):
    for words in (("--debug", "run", "nothing"), ("run", "nothing", "--debug")):
        code, _, err = command(*words)
        assert code == 2
        assert "Traceback" in err


@pytest.mark.parametrize("text", ["height = ", "[table]\nheight = 1.0", "height = [1.0, 2.0]"])
def test_a_bad_file_of_parameters_is_refused(command, text):
    Path("values.toml").write_text(text, encoding="utf-8")
    code, _, err = command("run", "bouncing_ball", "--params", "values.toml")
    assert code == 2
    assert err.count("\n") == 1


def test_a_file_never_shadows_a_case(command, data):
    write_case("bouncing_ball.py")
    assert data("run", "bouncing_ball", "--no-pictures")[1]["parameters"]["height"] == 1.0
    assert "mass" in data("run", "./bouncing_ball.py", "--no-pictures")[1]["parameters"]
    write_case("other.py")
    assert "write ./other.py" in command("run", "other")[2]


def test_markup_and_control_characters_in_names_are_shown_as_they_are(command):
    path = write_case("odd.py", teaches="\\x1b[2J steers")
    for words in (("run", path, "--no-pictures"), ("list", path)):
        code, out, _ = command(*words)
        assert code == 0
        assert "A mass on a rail[red] that" in out
        assert "\x1b" not in out
    assert "of the [bold]body[/bold]" in out
    assert "[red]wall[/red]" in command("show", "out/odd/result.npz")[1]


def test_a_failed_check_is_exit_code_1(command, data):
    path = write_case(check='return [go.Check("x", 1.0, 2.0, 1e-3), go.Check("y", np.nan, 0, 1)]')
    code, out, _ = command("run", path, "--no-pictures")
    assert code == 1
    assert "FAILED" in out
    assert "0 of 2 within tolerance" in out
    _, found = data("run", path, "--no-pictures")
    assert [check["value"] for check in found["checks"]] == [1.0, None]


def test_checks_that_raise_have_failed(command):
    code, _, err = command("run", write_case(check="return [][0]"), "--no-pictures")
    assert code == 1
    assert err.startswith("gauss-opt: the checks could not be run: IndexError")


@pytest.mark.parametrize("words", [("--law", "sequential"), ("--t-end", "1.5")])
def test_checks_that_do_not_apply_are_not_made(command, words):
    path = write_case(check='return [go.Check("x", 1.0, 2.0, 1e-3)]')
    code, out, _ = command("run", path, "--no-pictures", *words)
    assert code == 0
    assert "Not run: the checks hold for" in out


def test_a_run_that_fails_is_exit_code_3_and_leaves_what_there_is(command, data):
    path = write_case(force="lambda q, v, t: np.array([1.0 if t < 0.5 else np.nan])")
    code, out, err = command("run", path)
    assert code == 3
    assert "not successful" in out
    assert "the partial result is in out/mass/result.npz" in err
    saved = go.load("out/mass/result.npz")
    assert not saved.success
    assert 0.0 < saved.t[-1] <= 0.5
    code, found = data("run", path, "--no-pictures")
    assert not found["ok"]
    assert "mass/result.npz" in found["files"][0]


def test_parameters_that_make_no_sense_are_wrong_usage(command):
    assert command("run", write_case(), "-p", "mass=-1")[0] == 2
    path = write_case("zero.py", force="[1 / (self.mass - 2)]")
    code, _, err = command("run", path, "-p", "mass=2", "--no-pictures")
    assert code == 2
    assert "cannot be built with these parameters: ZeroDivisionError" in err


def test_show_a_result(command, data):
    saved = quick_run(command)
    code, out, _ = command("show", saved)
    assert code == 0
    assert "51 impact, 1 accumulation" in out
    assert len(data("show", saved)[1]["events"]) == 52


def test_show_solves_saved_problems(command, data):
    floor = go.GaussProblem.create([[2.0]], load=[-19.62], Ai=[[1.0]], bi=[0.0], kind="floor")
    go.save_problem(floor, "one.npz")
    code, out, _ = command("show", "one.npz", "--solver", "daqp")
    assert code == 0
    assert "19.62" in out
    go.save_problems([floor, floor], "two.npz")
    assert command("show", "two.npz")[0] == 0
    _, found = data("show", "two.npz")
    assert [problem["ok"] for problem in found["problems"]] == [True, True]
    assert found["problems"][0]["worst"] < 1e-9


def test_show_says_when_a_problem_has_no_answer(command):
    nowhere = go.GaussProblem.create([[1.0]], load=[0.0], Ai=[[1.0], [-1.0]], bi=[1.0, 1.0])
    go.save_problem(nowhere, "nowhere.npz")
    code, _, err = command("show", "nowhere.npz")
    assert code == 3
    assert err.count("\n") == 1


def test_hostile_files_give_the_error_of_the_package(command):
    Path("noise.npz").write_bytes(b"PK\x03\x04 no archive")
    np.savez("foreign.npz", x=np.zeros(3))
    np.savez("object.npz", header=np.array([{"a": 1}], dtype=object))
    saved = quick_run(command)
    Path("cut.npz").write_bytes(saved.read_bytes()[:-500])
    for name in ("noise.npz", "foreign.npz", "object.npz", "cut.npz", "."):
        for words in (("show", name), ("compare", name, name)):
            code, out, err = command(*words)
            assert (code, out) == (2, "")
            assert err.count("\n") == 1


def test_compare_by_the_distance_of_graphs(command, data):
    first = quick_run(command, "a")
    second = quick_run(command, "b", "--rtol", "1e-8")
    third = quick_run(command, "c", "-p", "height=1.01")
    code, found = data("compare", first, second)
    assert code == 0
    assert found["ok"]
    assert found["same_events"]
    assert 0.0 < found["distance"] < 1e-8
    code, out, _ = command("compare", first, third)
    assert code == 1
    assert "ABOVE the tolerance" in out
    assert command("compare", first, third, "--tol", "0.1")[0] == 0


def test_compare_refuses_other_coordinates(command):
    first = quick_run(command)
    assert command("run", write_case(), "--no-pictures")[0] == 0
    code, _, err = command("compare", first, "out/mass/result.npz")
    assert code == 2
    assert "different coordinates" in err


def test_crosscheck_compares_routes_along_the_run(command, data):
    words = ("--solver", "daqp", "--solver", "nnls", "--states", "12")
    code, out, _ = command("crosscheck", "bouncing_ball", *words)
    assert code == 0
    assert "all routes agree to 1e-08" in out
    _, found = data("crosscheck", "bouncing_ball", *words)
    routes = {route["name"]: route for route in found["routes"]}
    assert found["states"] == 12
    assert {"solver daqp", "solver nnls", "Udwadia-Kalaba", "KKT matrix"} <= set(routes)
    assert all(route["ok"] and route["acceleration"] < 1e-8 for route in routes.values())


def test_crosscheck_asks_at_both_sides_of_events_and_in_every_phase():
    from gauss_opt.results.analysis.crosschecks import states_along

    result = go.find_case("bouncing_ball")().run()
    places = states_along(result, 50)
    assert len(places) in (49, 50)  # both sides of an event, or neither
    first = [v[1] for _, _, v, t in places if t == result.events[0].t]
    assert len(first) == 2
    assert first[0] < 0.0 < first[1]


def test_crosscheck_of_phases_uses_the_system_of_each():
    from gauss_opt.results.analysis.crosschecks import states_along

    rod = go.Holonomic("rod", lambda q, t, pin: (q[0] - pin) ** 2 + q[1] ** 2 - 1.0)
    bead = go.System([1.0, 1.0], [0.0, 0.0], [rod], parameters={"pin": 0.0})

    def halfway(q, v, t):
        return q[0] - 0.5

    run = go.simulate_phases(
        go.Phase(bead, halfway), [0.0, 1.0], [1.0, 0.0], (0, 1),
        lambda number, event: go.Phase(bead.with_parameters(pin=1.0), until=()),
    )  # fmt: skip
    systems = {id(system) for system, *_ in states_along(run, 10)}
    assert systems == {id(part.system) for part in run.parts}
    for system, q, v, t in states_along(run, 10):
        assert go.crosscheck(system, q, v, t, solver_names=["daqp"]).ok


def test_crosscheck_that_disagrees_is_exit_code_1(command, monkeypatch):
    from gauss_opt.reference import closed_form

    exact = closed_form.kkt
    monkeypatch.setattr(closed_form, "kkt", lambda *a: (exact(*a)[0] + 1e-3, exact(*a)[1]))
    code, out, _ = command("crosscheck", "bouncing_ball", "--solver", "daqp", "--states", "4")
    assert code == 1
    assert "DISAGREE" in out


def test_crosscheck_with_a_route_that_gives_no_answer_is_exit_code_4(command, data, monkeypatch):
    from gauss_opt.reference import closed_form

    def silent(*arguments):
        raise ValueError("out of order")

    monkeypatch.setattr(closed_form, "kkt", silent)
    words = ("crosscheck", "bouncing_ball", "--solver", "daqp", "--states", "4")
    code, out, _ = command(*words)
    assert code == 4
    assert "DISAGREE" not in out
    assert "KKT matrix gave no answer: out of order" in out
    assert "no answer from KKT matrix" in out
    _, found = data(*words)
    assert (found["ok"], found["agree"], found["unanswered"]) == (False, True, ["KKT matrix"])


def test_solvers_with_what_installs_them(command, data, monkeypatch):
    from gauss_opt.qp.solvers.piqp import Solver

    monkeypatch.setattr(Solver, "installed", classmethod(lambda cls: False))
    code, out, _ = command("solvers")
    assert code == 0
    assert "pip install 'gauss-opt[solvers]'" in out
    found = {solver["name"]: solver for solver in data("solvers")[1]["solvers"]}
    assert found["osqp"]["installed"]
    assert not found["piqp"]["installed"]


def test_doctor(command, data):
    code, out, err = command("doctor")
    assert code == 0, err
    assert "All is well" in out
    _, found = data("doctor")
    assert found["ok"]
    assert found["case"]["works"]
    assert found["engine"]["compiled"] == (not found["engine"]["reason"])
    assert ("engine  compiled" in out) == found["engine"]["compiled"]
    assert {"chromium", "ffmpeg"} == set(found["programs"])


def test_doctor_finds_what_is_broken(command, monkeypatch):
    from gauss_opt.qp.solvers.daqp import Solver

    def broken(self, problem):
        raise RuntimeError("out of order")

    monkeypatch.setattr(Solver, "propose", broken)
    code, _, err = command("doctor")
    assert code == 1
    assert "solver daqp does not work" in err


@pytest.mark.parametrize("words", [("--animation", "x.avi"), ("--speed", "0"), ("--speed", "nan")])
def test_a_film_that_cannot_be_made_is_refused_before_the_run(command, words):
    code, out, err = command("run", "bouncing_ball", "--no-pictures", *words)
    assert code == 2
    assert words[0] in err
    assert not out


def test_a_sweep_over_a_case_writes_its_rows_and_goes_on_where_it_was(command, data):
    words = ("sweep", "bouncing_ball", "-p", "height=1:4:2", "--workers", "1", "--t-end", "1")
    code, swept = data(*words)
    assert (code, swept["ok"], swept["points"]) == (0, True, 2)
    assert swept["swept"] == {"height": [1.0, 4.0]}
    assert [row["impacts"] for row in swept["rows"]] == [1, 1]
    assert all(Path(file).is_file() for file in swept["files"])
    code, wider = data(*words, "-p", "height=1:7:3")
    assert [row["height"] for row in wider["rows"]] == [1.0, 4.0, 7.0]
    assert wider["rows"][:2] == swept["rows"]
    code, _, err = command(*words[:-2], "-p", "height=1:4:2")  # to another end
    assert code == 2
    assert "--fresh forgets them" in err
    code, out, err = command(*words, "-p", "height=-1:1:2", "--fresh")
    assert code == 3
    assert "1 of 2 points failed" in err
    assert "must be positive" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [(("height=2",), "nothing is swept"), (("height=1:2",), "first:last:count"),
     (("width=1:2:3",), "no parameter 'width'"), (("height=-1:2:3:log",), "one sign")],
)  # fmt: skip
def test_a_sweep_that_makes_no_sense_is_refused(command, words, said):
    code, _, err = command("sweep", "bouncing_ball", *(w for p in words for w in ("-p", p)))
    assert code == 2
    assert said in err


def test_solvers_are_compared_on_the_command_line(command, data):
    words = ("bench", "solvers", "family:stack:2", "case:bouncing_ball:3", "--solver", "daqp",
             "--solver", "nnls", "--repeats", "0")  # fmt: skip
    code, compared = data(*words)
    assert (code, compared["problems"]) == (0, 5)
    assert [each["name"] for each in compared["solvers"]] == ["daqp", "nnls"]
    assert compared["solvers"][0]["success"]["high"] == 1.0
    assert all(Path(file).is_file() for file in compared["files"])
    assert "## Limitations" in Path("out/solvers/report.md").read_text()
    code, _, err = command("bench", "solvers", "family:random:2", "--solver", "daqp")
    assert code == 2
    assert "--fresh forgets them" in err
    code, _, err = command("bench", "engines", "family:random:2")
    assert code == 2
    assert "'solvers'" in err


def test_every_problem_goes_to_the_solver_when_asked(data):
    words = ("run", "struck_rod", "--no-pictures", "--solver", "daqp")
    usual, every = data(*words)[1]["stats"], data(*words, "--every-qp")[1]["stats"]
    assert usual["qp_solver_calls"] == 0
    assert every["qp_solver_calls"] == every["qp_total"] == usual["qp_total"]
    code, answer = data("validate", "struck_rod", "--every-qp", "daqp")
    assert code == 0
    assert answer["every_qp"][0]["qp_solver_calls"] == answer["every_qp"][0]["qp_total"]
    code, answer = data("validate", "struck_rod", "--every-qp", "dapq")
    assert code == 2
    assert "did you mean 'daqp'" in answer["error"]
