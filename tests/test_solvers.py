"""One battery for all QP solvers: a new one is tested by being there."""

import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import (
    GaussProblem,
    GaussSolver,
    InfeasibleError,
    InputError,
    MissingPackageError,
    solve,
)
from gauss_opt.qp import solvers
from gauss_opt.qp.solvers import Adapter, Proposal, registry
from gauss_opt.qp.whitening import whiten
from gauss_opt.reference.closed_form import kkt
from gauss_opt.reference.oracles import enumerate_active_sets, lcp

WITH_OPTIONS = ("qpsolvers:quadprog", "cvxpy:OSQP", "cvxpy:SCS", "cvxpy:CLARABEL")
ALL = (*solvers.available(), *(n for n in WITH_OPTIONS if n.split(":")[0] in solvers.available()))

# Solvers that give up on a documented class of problems; the fallback solvers then answer.
GIVES_UP = {
    "dependent equalities": {"qpsolvers", "qpsolvers:quadprog", "daqp"},
    "copies": {"cvxpy:SCS", "cvxpy:OSQP"},
    "mass ratio": {"osqp", "cvxpy:OSQP", "cvxpy:SCS", "daqp"},
}

battery = pytest.mark.parametrize("name", ALL)


def _random(seed, n, ne, ni, masses=(0.0, 0.0)):
    rng = np.random.default_rng(seed)
    scale = 10 ** (rng.uniform(*masses, n) / 2)
    root, point = rng.normal(size=(n, n)), rng.normal(size=n)
    M = (root @ root.T + np.eye(n)) * np.outer(scale, scale)
    Ae, Ai = rng.normal(size=(ne, n)), rng.normal(size=(ni, n))
    bi = Ai @ point - rng.uniform(0, 1, ni)
    return GaussProblem.create(M, M @ rng.normal(size=n) * 3, Ae=Ae, be=Ae @ point, Ai=Ai, bi=bi)


def _problems():
    stack = np.array([[1, -1, 0], [0, 1, -1], [0, 0, 1]], dtype=float)
    tip = np.array([[1, 1], [1, -1], [1, 0], [1, 0.5]])
    plain = _random(0, 6, 2, 8)
    return {
        "one body on a floor": GaussProblem.create([2], load=[-19.62], Ai=[[1]], bi=[0]),
        "three bodies stacked": GaussProblem.create(
            [1, 2, 3], load=[-9.81, -19.62, -29.43], Ai=stack, bi=np.zeros(3)
        ),
        "random": plain,
        "no equalities": _random(1, 5, 0, 9),
        "nothing active": _random(1, 4, 1, 0),
        "degenerate tip": GaussProblem.create([1, 1], target=[-1, 0.5], Ai=tip, bi=np.zeros(4)),
        "copies": GaussProblem.create(
            plain.metric,
            plain.load,
            Ae=plain.Ae,
            be=plain.be,
            Ai=np.vstack([plain.Ai, 2 * plain.Ai, plain.Ai[:3]]),
            bi=np.concatenate([plain.bi, 2 * plain.bi, plain.bi[:3]]),
        ),
        "dependent equalities": GaussProblem.create(
            plain.metric,
            plain.load,
            Ae=np.vstack([plain.Ae, plain.Ae[0] - 2 * plain.Ae[1]]),
            be=[*plain.be, plain.be[0] - 2 * plain.be[1]],
            Ai=plain.Ai,
            bi=plain.bi,
        ),
        "mass ratio": _random(2, 6, 2, 8, masses=(-6, 2)),
        "small": _random(3, 4, 1, 5, masses=(-12, -12)),
        "large": _random(3, 4, 1, 5, masses=(12, 12)),
    }


PROBLEMS = _problems()


def distance(problem, x, y):
    """In the mass norm, relative to the answer and the target it started from."""
    white = whiten(problem)
    size = np.linalg.norm(x @ white.factor) + np.linalg.norm(white.center)
    return np.linalg.norm((x - y) @ white.factor) / size


@battery
@pytest.mark.parametrize("case", PROBLEMS)
def test_every_solver_agrees_with_the_oracles_and_is_never_wrong(name, case):
    problem = PROBLEMS[case]
    solution = solve(problem, name)
    if solution.solver != name and solution.solver != "active set":
        assert name in GIVES_UP.get(case, ()), solution.attempts
        assert solution.attempts[0][0] == name
    x = solution.x
    pieces = (problem.metric, problem.load, problem.Ae, problem.be, problem.Ai, problem.bi)
    assert distance(problem, lcp(*pieces).x, x) < 1e-9
    if problem.n_inequality < 10:
        assert distance(problem, enumerate_active_sets(*pieces).x, x) < 1e-9


@battery
def test_every_solver_can_be_asked_about_equalities_alone(name):
    # Fallback solvers never do; a study of solvers may.
    problem = _random(5, 5, 3, 0)
    unit = whiten(problem).normalised()
    proposal = solvers.make(name).propose(unit)
    assert proposal.status == "solved"
    expected = kkt(problem.metric, problem.load, problem.Ae, problem.be)[0]
    assert_allclose(solve(problem, name).x, expected, atol=1e-12)


@battery
def test_every_solver_leaves_infeasibility_to_the_proof(name):
    rows = {"Ai": [[1, 1], [-1, 0], [0, -1]], "bi": [3, -1, -1]}
    problem = GaussProblem.create([1, 5], load=[0, 0], **rows, inequality_names=["a", "b", "c"])
    with pytest.raises(InfeasibleError) as caught:
        solve(problem, name, fallback=())
    assert set(caught.value.constraints) == {"a", "b", "c"}


@battery
def test_every_solver_proposes_multipliers_that_push(name):
    problem = PROBLEMS["three bodies stacked"]
    proposal = solvers.make(name).propose(whiten(problem).normalised())
    assert proposal.z is not None
    assert proposal.multipliers is not None
    assert (proposal.multipliers > 0.1).all()


@battery
def test_every_solver_is_silent_and_leaves_the_problem_alone(name, capfd):
    unit = whiten(PROBLEMS["random"]).normalised()
    before = unit.rows.tobytes() + unit.rhs.tobytes()
    adapter = solvers.make(name)
    for _ in range(2):
        adapter.propose(unit)
    assert capfd.readouterr() == ("", "")
    assert unit.rows.tobytes() + unit.rhs.tobytes() == before


@battery
def test_every_solver_says_the_same_when_asked_again_after_other_problems(name):
    solver = GaussSolver(name, reuse_active_set=False)
    cases = ["random", "no equalities", "copies", "random", "three bodies stacked", "random"]
    answers = [solver.solve(PROBLEMS[case]).x.tobytes() for case in cases]
    assert answers[0] == answers[3] == answers[5]


def test_an_option_that_a_solver_does_not_take_is_refused():
    with pytest.raises(InputError, match="takes no option"):
        solvers.make("daqp:fast")
    with pytest.raises(InputError, match="no backend 'nonsense'"):
        solvers.make("qpsolvers:nonsense")
    with pytest.raises(InputError, match="no solver 'NONSENSE'"):
        solve(PROBLEMS["random"], "cvxpy:nonsense")


class Dropped(Adapter):
    """A third party's solver: the set of all rows that are violated at z = 0."""

    def propose(self, problem):
        return Proposal("solved", None, np.maximum(problem.rhs[problem.n_equality :], 0.0))


@pytest.fixture
def fresh_registry():
    registry.SOLVERS.refresh()
    yield
    registry.SOLVERS.refresh()


def install(folder, monkeypatch, module, entries):
    (folder / "their_solver.py").write_text(module)
    info = folder / "their_solver-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-solver\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[gauss_opt.solvers]\n" + entries)
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "their_solver", raising=False)


@pytest.mark.usefixtures("fresh_registry")
def test_a_solver_of_another_package_is_found_by_its_entry_point(tmp_path, monkeypatch):
    module = "from tests_shared import Dropped\n"
    monkeypatch.setitem(sys.modules, "tests_shared", sys.modules[__name__])
    install(tmp_path, monkeypatch, module, "theirs = their_solver:Dropped\n")
    assert "theirs" in solvers.available()
    problem = GaussProblem.create([1, 1], target=[-1, 2], Ai=np.eye(2), bi=[0, 0])
    solution = solve(problem, "theirs")
    assert (solution.solver, solution.x.tolist()) == ("theirs", [0, 2])


@pytest.mark.usefixtures("fresh_registry")
def test_a_broken_solver_of_another_package_hides_only_itself(tmp_path, monkeypatch):
    entries = "broken = their_solver:missing\nodd = their_solver:number\ndaqp = their_solver:x\n"
    install(tmp_path, monkeypatch, "number = 3\n", entries)
    assert {"broken", "odd"} <= set(solvers.names())
    assert set(solvers.available()) == {name for name in ALL if ":" not in name}
    with pytest.raises(InputError, match=r"'broken' .* cannot be loaded: AttributeError"):
        solvers.make("broken")
    with pytest.raises(InputError, match="'odd' is not a subclass"):
        solvers.make("odd")
    assert type(solvers.make("daqp")).__module__ == "gauss_opt.qp.solvers.daqp"


@pytest.mark.usefixtures("fresh_registry")
def test_a_solver_is_added_by_dropping_a_file_into_the_package(tmp_path, monkeypatch):
    text = "from ..solvers.interface import Adapter, Proposal\n\n\nclass Solver(Adapter):\n"
    text += "    def propose(self, problem):\n        return Proposal('lazy')\n"
    (tmp_path / "lazy.py").write_text(text)
    monkeypatch.setattr(solvers, "__path__", [*solvers.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "gauss_opt.qp.solvers.lazy", raising=False)
    assert "lazy" in solvers.available()
    assert solve(PROBLEMS["random"], "lazy").attempts == (("lazy", "lazy"),)
    sys.modules.pop("gauss_opt.qp.solvers.lazy")


def test_a_missing_package_is_one_sentence_with_the_command_at_call_time(monkeypatch):
    monkeypatch.setattr("gauss_opt.qp.solvers.interface.can_import", lambda package: False)
    assert "daqp" not in solvers.available()
    assert "nnls" in solvers.available()
    with pytest.raises(MissingPackageError, match=r"needs the package 'daqp'.*pip install '"):
        GaussSolver("daqp")
    solution = solve(PROBLEMS["random"], "nnls", fallback=("daqp", "active_set"))
    assert solution.certificate.passes(1e-9)


@battery
def test_a_proposal_does_not_depend_on_earlier_problems(name):
    """Otherwise a resumed run, which has none, could come to other bits."""
    used = registry.make(name)
    for seed in range(12):
        white = whiten(_random(seed, 4, seed % 2, 5, (0.0, 3.0)))
        later = used.propose(white.normalised())
        first = registry.make(name).propose(white.normalised())
        assert later.status == first.status
        for one, other in ((later.z, first.z), (later.multipliers, first.multipliers)):
            assert (one is None) == (other is None)
            assert one is None or np.asarray(one).tobytes() == np.asarray(other).tobytes()
