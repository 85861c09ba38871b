"""The bench for solvers: what they answer themselves, judged; families; forms of other programs."""

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.studies.bench.problems import problems_of
from gauss_opt.studies.bench.result import ACCURACIES, SolverBench
from gauss_opt.studies.sweeps.result import Row, Sweep

FAMILIES = go.solvers.families()


# Families


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_is_what_it_says(name):
    problems = go.solvers.family(name, 6, seed=3)
    longer = go.solvers.family(name, 8, seed=3)
    for one, other in zip(problems, longer, strict=False):
        np.testing.assert_array_equal(one.rows, other.rows)
    for problem in problems:
        assert problem.kind == name
        if name == "infeasible":
            with pytest.raises(go.InfeasibleError):
                go.solve(problem, "daqp")
            continue
        solution = go.solve(problem, "daqp")
        assert solution.certificate.passes(1e-9)
        if name == "stack":
            assert not solution.unique  # more contact points than it takes
        if name == "redundant":
            assert np.linalg.matrix_rank(problem.Ae) < problem.n_equality
        if name == "mass_ratio":
            masses = np.diag(problem.metric)
            assert masses.max() / masses.min() > 1e3


def test_an_unknown_family_is_refused_with_those_there_are():
    with pytest.raises(go.InputError, match="choose from: random, redundant, stack"):
        go.solvers.family("mountain")


# Answers as they come


class Rough(go.solvers.Adapter):
    """The right answer, spoilt by a known amount."""

    def __init__(self, amount, status="solved", parts="both"):
        self.amount, self.status, self.parts = amount, status, parts

    def propose(self, problem):
        right = go.solvers.make("daqp").propose(problem)
        z, multipliers = right.z, right.multipliers
        if multipliers is None:
            multipliers = np.zeros(problem.n_inequality)
        if z is not None:
            z = z * (1.0 + self.amount)
        return go.solvers.Proposal(
            self.status,
            None if self.parts == "multipliers" else z,
            None if self.parts == "z" else multipliers,
            iterations=7,
        )


def one_contact():
    """Half the way to the floor is forbidden: x = 1 instead of 0, with a force of 2."""
    return go.GaussProblem.create([[2.0]], load=[0.0], Ai=[[1.0]], bi=[1.0])


@pytest.mark.parametrize("amount", [1e-2, 1e-5, 1e-8, 0.0])
def test_an_answer_is_as_accurate_as_it_is(amount):
    found = go.solvers.replay(one_contact(), Rough(amount))
    assert found.x == pytest.approx(1.0 + amount, abs=1e-12)
    assert found.error == pytest.approx(amount / (1.0 + amount), abs=1e-12)
    assert found.certificate.worst >= 0.4 * amount
    for tolerance in ACCURACIES.values():
        assert found.solves(tolerance) is (amount < tolerance)
    assert not found.wrong
    assert found.iterations == 7
    assert 0.0 < found.seconds <= found.first_seconds


@pytest.mark.parametrize("parts", ["z", "multipliers", "both"])
@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "infeasible"])
def test_half_an_answer_is_completed_in_its_favour(name, parts):
    for problem in go.solvers.family(name, 3):
        if parts == "z" and name == "mass_ratio":
            continue  # its forces differ by twelve digits: a point alone does not show them
        found = go.solvers.replay(problem, Rough(0.0, parts=parts), repeats=0)
        assert found.solves(1e-6), found
        assert found.error < 1e-6


def test_contradictions_and_lies_are_told_apart():
    (wrong,) = go.solvers.family("infeasible", 1)
    honest = go.solvers.replay(wrong, "daqp")
    assert honest.solves(1e-9)
    assert not honest.feasible
    assert not honest.wrong

    class Optimist(go.solvers.Adapter):
        def propose(self, problem):
            return go.solvers.Proposal("solved", z=np.zeros(problem.n))

    assert go.solvers.replay(wrong, Optimist()).wrong
    pessimist = go.solvers.replay(one_contact(), Rough(0.0, status="infeasible"))
    assert pessimist.wrong
    assert pessimist.x is None
    assert not pessimist.solves(1.0)


def test_a_solver_that_raises_or_sleeps_has_no_answer():
    class Broken(go.solvers.Adapter):
        def propose(self, problem):
            raise RuntimeError("no licence")

    found = go.solvers.replay(one_contact(), Broken())
    assert "no licence" in found.status
    assert found.error == np.inf

    class Slow(go.solvers.Adapter):
        def propose(self, problem):
            import time

            time.sleep(0.3)

    assert "no answer within" in go.solvers.replay(one_contact(), Slow(), time_limit=0.05).status


# The bench


@pytest.fixture(scope="module")
def bench():
    problems = [*go.solvers.family("random", 3), *go.solvers.family("infeasible", 2)]
    solvers = {
        "daqp": lambda: go.solvers.make("daqp"),
        "rough": lambda: Rough(1e-5),
        "nnls": lambda: go.solvers.make("nnls"),
    }
    return go.bench_solvers(problems, solvers, repeats=1)


def test_success_is_counted_by_accuracy(bench):
    assert bench.problems == ("random 1", "random 2", "random 3", "infeasible 4", "infeasible 5")
    assert bench.success("daqp", "high") == 1.0
    assert bench.success("rough", "low") == 0.6  # it never says that there is no answer
    assert bench.success("rough", "high") == 0.0
    assert bench.mean_time("rough", "high") == pytest.approx(bench.time_limit)
    with pytest.raises(go.InputError, match="low, mid, high"):
        bench.success("daqp", "best")
    with pytest.raises(go.InputError, match="'scip' was not compared"):
        bench.success("scip")


def table(times):
    """A bench with these times of some solvers; None is a failure."""
    rows = [
        Row({"problem": f"p {i}", "solver": name}, "ok",
            {"mid": t is not None, "solve_seconds": t, "feasible": True}, 0.0)
        for name, column in times.items() for i, t in enumerate(column)
    ]  # fmt: skip
    return SolverBench(Sweep(tuple(rows), len(rows), "finished"), tuple(times), 100.0, "here")


def test_profiles_and_means_are_those_of_their_definitions():
    bench = table({"a": [1.0, 2.0, 4.0, None], "b": [2.0, 1.0, None, 3.0]})
    ratio, share = bench.profile("a")
    assert ratio.tolist() == [1.0, 1.0, 2.0]
    assert share.tolist() == [0.25, 0.5, 0.75]
    exact = np.exp(np.mean(np.log(np.array([1.0, 2.0, 4.0, 100.0]) + 1e-5))) - 1e-5
    assert bench.mean_time("a") == pytest.approx(exact, rel=1e-12)
    lines = bench.plot().lines
    assert len(lines) == 2
    assert lines[0].get_ydata()[-1] == 0.75


def test_the_report_has_tables_and_limitations(bench, tmp_path):
    text = bench.report(tmp_path / "report.md")
    assert (tmp_path / "report.md").read_text() == text
    assert "| daqp | 100% | 100% | 100% | 0 |" in text
    assert "## Limitations" in text
    assert "random (3) | infeasible (2)" in text
    assert "3 of them with an answer" in text
    bench.plot("low").figure.savefig(tmp_path / "profile.png")


def test_a_bench_is_resumed(tmp_path):
    problems = go.solvers.family("stack", 2)
    first = go.bench_solvers(problems, ["daqp"], table=tmp_path / "t.db")
    again = go.bench_solvers(problems, ["daqp"], table=tmp_path / "t.db")
    assert again.column("daqp", "solve_seconds") == first.column("daqp", "solve_seconds")
    with pytest.raises(go.InputError, match="came from something else"):
        go.bench_solvers(go.solvers.family("random", 2), ["daqp"], table=tmp_path / "t.db")


def test_what_cannot_be_compared_is_refused():
    for problems, solvers, words in [
        ([], None, "no problem"),
        ([1], None, "is no GaussProblem"),
        ([one_contact()], [], "no solver"),
        ([one_contact()], ["simplex"], "simplex"),
        ([one_contact()], {"own": 3}, "function that makes"),
    ]:
        with pytest.raises(go.InputError, match=words):
            go.bench_solvers(problems, solvers)


def test_problems_come_from_files_families_and_cases(tmp_path):
    go.save_problems(go.solvers.family("stack", 2), tmp_path / "two.npz")
    assert list(problems_of(str(tmp_path / "two.npz"))) == ["two stack 1", "two stack 2"]
    assert list(problems_of("family:random:3")) == ["random 1", "random 2", "random 3"]
    found = problems_of("case:rod_two_contacts:4")
    assert 1 <= len(found) <= 4
    assert all(problem.n_inequality for problem in found.values())
    for words, said in [
        ("family:none", "no family"),
        ("case:none", "no case"),
        ("none.npz", "neither a file"),
        ("family:stack:x", "whole number"),
    ]:
        with pytest.raises(go.InputError, match=said):
            problems_of(words)


# Other programs


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "infeasible"])
def test_other_forms_are_the_same_problem(name):
    osqp = pytest.importorskip("osqp")
    from scipy import sparse

    problem = go.solvers.family(name, 2)[1]
    P, q, A, low, high = go.solvers.as_qp(problem)
    x = go.solve(problem, "daqp").x
    np.testing.assert_allclose(0.5 * x @ P @ x + q @ x, problem.objective(x))
    assert (A @ x >= low - 1e-9 * (1 + np.abs(low))).all()
    assert (A @ x <= high + 1e-9 * (1 + np.abs(low))).all()
    assert (low == high).sum() == problem.n_equality
    if name == "random":
        solver = osqp.OSQP()
        options = {"verbose": False, "eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 100_000}
        solver.setup(sparse.csc_matrix(P), q, sparse.csc_matrix(A), low, high, **options)
        np.testing.assert_allclose(solver.solve(raise_error=False).x, x, atol=1e-5)


def test_files_for_qpbenchmark_hold_the_same_problems(tmp_path):
    pandas = pytest.importorskip("pandas")
    problems = {"one": go.solvers.family("random")[0], "two": go.solvers.family("stack")[0]}
    go.solvers.save_qpbenchmark(problems, tmp_path / "set.parquet")
    frame = pandas.read_parquet(tmp_path / "set.parquet", engine="pyarrow")
    assert list(frame.columns) == ["P", "q", "G", "h", "A", "b", "lb", "ub", "name"]
    for (name, problem), (_, row) in zip(problems.items(), frame.iterrows(), strict=True):
        n, x = problem.n, go.solve(problem, "daqp").x
        assert row["name"] == name
        np.testing.assert_array_equal(row["P"].reshape(n, n), problem.metric)
        assert (row["G"].reshape(-1, n) @ x <= row["h"] + 1e-9).all()
        if problem.n_equality:
            np.testing.assert_allclose(row["A"].reshape(-1, n) @ x, row["b"], atol=1e-9)
        else:
            assert row["A"] is None
        assert row["lb"] is None
    with pytest.raises(go.InputError, match="no problem"):
        go.solvers.save_qpbenchmark([], tmp_path / "empty.parquet")
