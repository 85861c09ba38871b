"""One battery for every solver there is: a new one is tested by being added."""

import importlib.metadata
import logging

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import GaussProblem, GaussSolver, closed_form, oracles, solve, solvers
from gauss_opt.errors import InfeasibleError, InputError, MissingPackageError
from gauss_opt.solvers import Adapter, Proposal, registry
from gauss_opt.whiten import whiten

SOLVERS = (*solvers.available(), "qpsolvers:quadprog", "cvxpy:OSQP")

pytestmark = pytest.mark.filterwarnings("error")


def polygon(n, center=0.0):
    """A load that presses n planes through one corner of space: far more than it needs."""
    angles = np.linspace(0, 2 * np.pi, n, endpoint=False)
    rows = np.column_stack([np.cos(angles), np.sin(angles), np.full(n, 1.5)])
    return GaussProblem.create(np.eye(3), load=[center, 0, -10.0], Ai=rows, bi=np.zeros(n))


def chain(n, ratio):
    """Masses in a row, each lying on the one below, the masses spread over a ratio."""
    masses = np.geomspace(1.0, ratio, n)
    rows = np.eye(n) - np.eye(n, k=-1)
    return GaussProblem.create(masses, load=-9.81 * masses, Ai=rows, bi=np.zeros(n))


def hanging(n, ratio):
    """A chain on a rail: equalities, and a wall in the way of every second mass."""
    masses = np.geomspace(ratio, 1.0, n)
    rail = np.eye(n)[1:] - 0.5 * np.eye(n)[:-1]
    return GaussProblem.create(
        masses,
        load=np.linspace(-1, 1, n) * masses,
        Ae=rail[::2],
        be=0.1 * np.ones(len(rail[::2])),
        Ai=np.eye(n)[::2],
        bi=-0.05 * np.ones(len(np.eye(n)[::2])),
    )


def redundant():
    """A plane mechanism with a row written twice, its double, and a contact written thrice."""
    return GaussProblem.create(
        [[2.0, 0.3, 0], [0.3, 1.0, 0], [0, 0, 4.0]],
        load=[1.0, -5.0, 2.0],
        Ae=[[1, 0, 1], [1, 0, 1], [2, 0, 2]],
        be=[0.5, 0.5, 1.0],
        Ai=[[0, 1, 0], [0, 1, 0], [0, 3, 0], [1, 1, 0]],
        bi=[0, 0, 0, -10],
    )


def singular():
    return GaussProblem.create(
        [1.0, 0.0, 2.0],
        load=[-3.0, 0.0, 1.0],
        Ae=[[1, -1, 0]],
        be=[0.2],
        Ai=[[0, 1, 0], [0, 0, -1]],
        bi=[0, 0],
    )


def dense(seed):
    rng = np.random.default_rng(seed)
    n, m = 8, 12
    root = rng.standard_normal((n, n))
    return GaussProblem.create(
        root @ root.T + 0.1 * np.eye(n),
        load=10 * rng.standard_normal(n),
        Ae=rng.standard_normal((2, n)),
        be=rng.standard_normal(2),
        Ai=rng.standard_normal((m, n)),
        bi=rng.standard_normal(m) - 3,
    )


PROBLEMS = {
    "polygon of 12": polygon(12),
    "polygon of 40, off its axis": polygon(40, 1.0),
    "stack": chain(5, 1.0),
    "stack, heavy on light": chain(6, 1e6),
    "stack, light on heavy": chain(6, 1e-6),
    "chain on a rail": hanging(6, 1.0),
    "chain on a rail, ratio 1e8": hanging(5, 1e8),
    "redundant": redundant(),
    "singular mass": singular(),
    "dense 0": dense(0),
    "dense 1": dense(1),
    "free": GaussProblem.create([1.0, 2.0], load=[1, 2], Ai=[[1, 1]], bi=[-5]),
}


def data(problem):
    return problem.metric, problem.load, problem.Ae, problem.be, problem.Ai, problem.bi


def apart(problem, x, y):
    white = whiten(problem)
    scale = np.linalg.norm(white.center) + np.linalg.norm(x @ white.factor)
    return np.linalg.norm((x - y) @ white.factor) / scale


@pytest.fixture(scope="module")
def answers():
    """What two oracles say, once."""
    known = {}
    for name, problem in PROBLEMS.items():
        known[name] = oracles.lcp(*data(problem)).x
        if problem.n_inequality <= 12:
            tried = oracles.enumerate_active_sets(*data(problem)).x
            assert apart(problem, known[name], tried) < 1e-9
    return known


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_solver_agrees_with_the_oracles(solver, name, answers):
    problem = PROBLEMS[name]
    solution = solve(problem, solver)
    assert solution.certificate.worst < 1e-9
    assert apart(problem, solution.x, answers[name]) < 1e-9
    reference = solve(problem, "active_set")
    assert solution.x.tobytes() == reference.x.tobytes()
    assert solution.row_multipliers.tobytes() == reference.row_multipliers.tobytes()
    assert solution.unique == reference.unique
    held = np.concatenate([np.arange(problem.n_equality), solution.working]).astype(int)
    rows = np.unique(held)
    x, _ = closed_form.kkt(problem.metric, problem.load, problem.rows[rows], problem.rhs[rows])
    assert apart(problem, solution.x, x) < 1e-9


ALONE = ("stack", "chain on a rail", "dense 0", "dense 1", "free", "singular mass")


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ALONE)
def test_a_solver_needs_no_help_where_rows_are_independent(solver, name):
    solution = solve(PROBLEMS[name], solver, fallback=())
    assert solution.solver == solver
    assert solution.attempts == ()


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_finds_no_answer_where_there_is_none(solver):
    problem = GaussProblem.create(
        [1.0, 1e3],
        load=[1.0, 1.0],
        Ae=[[1, 1]],
        be=[-1],
        Ai=[[1, 0], [0, 1]],
        bi=[0, 0],
        equality_names=["rod"],
        inequality_names=["floor", "wall"],
    )
    with pytest.raises(InfeasibleError) as caught:
        solve(problem, solver)
    assert set(caught.value.constraints) == {"rod", "floor", "wall"}


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_kept_solver_serves_problems_of_changing_size(solver):
    kept = GaussSolver(solver, reuse_active_set=False)
    for _ in range(2):
        for name in ("stack", "free", "dense 0", "dense 1"):
            again = kept.solve(PROBLEMS[name])
            assert again.x.tobytes() == solve(PROBLEMS[name], "daqp").x.tobytes()


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_is_quiet(solver, capfd):
    solve(PROBLEMS["redundant"], solver)
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_quadprog_fails_on_dependent_equalities_and_the_ladder_catches_it():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((3, 5))
    rows = np.vstack([rows, rng.standard_normal((2, 3)) @ rows])
    problem = GaussProblem.create(
        np.ones(5), load=np.ones(5), Ae=rows, be=rows @ np.ones(5), Ai=np.eye(5)[:1], bi=[1.5]
    )
    solution = solve(problem, "qpsolvers:quadprog")
    assert [name for name, _ in solution.attempts] == ["qpsolvers:quadprog"]
    assert solution.solver == "daqp"
    assert solution.certificate.worst < 1e-12


def test_an_unknown_solver_is_answered_with_the_names_there_are():
    with pytest.raises(InputError, match="unknown solver 'gurobi'; known: ") as caught:
        GaussSolver("gurobi")
    assert all(name in str(caught.value) for name in solvers.names())
    with pytest.raises(InputError, match="unknown solver 'nobody'"):
        GaussSolver("daqp", fallback=["nobody"])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("daqp:fast", "'daqp' takes no option, got 'fast'"),
        ("qpsolvers:nothing", "no backend 'nothing' here; it has "),
    ],
)
def test_an_option_that_does_not_exist_is_refused(name, message):
    with pytest.raises(InputError, match=message):
        solvers.make(name)


def test_a_solver_that_cvxpy_does_not_have_is_refused_with_those_it_has():
    with pytest.raises(InputError, match=r"no solver 'NOTHING' here; it has .*OSQP"):
        solve(PROBLEMS["stack"], "cvxpy:nothing")


class Foreign(Adapter):
    """A solver of another package."""

    def __init__(self, option=None):
        self.option = option

    def propose(self, problem):
        return solvers.make("daqp").propose(problem)


NotASolver = dict


@pytest.fixture
def entry_point(monkeypatch):
    """Entry points as an installed distribution would bring them."""

    def install(**values):
        points = [
            importlib.metadata.EntryPoint(name, value, registry.ENTRY_POINTS)
            for name, value in values.items()
        ]
        monkeypatch.setattr(registry, "entry_points", lambda group: points)
        registry._foreign.cache_clear()
        registry._adapter.cache_clear()

    yield install
    monkeypatch.undo()
    registry._foreign.cache_clear()
    registry._adapter.cache_clear()


def test_another_package_brings_a_solver_by_an_entry_point(entry_point):
    entry_point(mine=f"{__name__}:Foreign")
    assert "mine" in solvers.names()
    assert "mine" in solvers.available()
    assert solvers.make("mine:fast").option == "fast"
    solution = solve(PROBLEMS["dense 0"], "mine", fallback=())
    assert solution.solver == "mine"
    assert_allclose(solution.x, solve(PROBLEMS["dense 0"]).x)


def test_a_solver_of_another_package_never_hides_one_of_ours(entry_point):
    entry_point(daqp=f"{__name__}:Foreign")
    assert solvers.names().count("daqp") == 1
    assert not isinstance(solvers.make("daqp"), Foreign)


def test_a_broken_entry_point_hides_only_itself(entry_point, caplog):
    entry_point(broken="no_such_module:Solver", wrong=f"{__name__}:NotASolver")
    with caplog.at_level(logging.WARNING):
        usable = solvers.available()
    assert "daqp" in usable
    assert not {"broken", "wrong"} & set(usable)
    with pytest.raises(InputError, match=r"'broken' of another package .* cannot be loaded"):
        solvers.make("broken")
    with pytest.raises(InputError, match="not a subclass"):
        solvers.make("wrong")


def test_a_missing_package_costs_one_sentence_with_the_command(entry_point, monkeypatch):
    monkeypatch.setattr(Foreign, "package", "no_such_package_anywhere")
    entry_point(mine=f"{__name__}:Foreign")
    assert "mine" in solvers.names()
    assert "mine" not in solvers.available()
    with pytest.raises(MissingPackageError, match=r"pip install 'gauss-opt\[solvers\]'") as caught:
        GaussSolver("mine")
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ImportError)


def test_a_proposal_says_what_it_has():
    assert Proposal("solved", np.zeros(2)).multipliers is None
