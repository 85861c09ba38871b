"""The ladder: certified answers, the same from every solver, and proofs of conflict by name."""

import logging

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gauss_opt import GaussProblem, GaussSolver, solve, solvers
from gauss_opt.errors import InfeasibleError, InputError, SolverError
from gauss_opt.ladder import proposed_sets
from gauss_opt.solvers import Adapter, Proposal
from gauss_opt.whiten import whiten


def stack(load=(-1.0, -2.0)):
    """Two blocks, the lower one on a floor."""
    return GaussProblem.create(
        [1.0, 2.0],
        load=load,
        Ai=[[1, 0], [-1, 1]],
        bi=[0, 0],
        inequality_names=["floor", "between"],
    )


def same(a, b):
    return (
        a.x.tobytes() == b.x.tobytes()
        and a.row_multipliers.tobytes() == b.row_multipliers.tobytes()
        and a.unique == b.unique
    )


def test_a_stack_is_carried_by_the_floor():
    solution = solve(stack())
    assert_allclose(solution.x, [0, 0], atol=1e-14)
    assert_allclose(solution.multipliers["floor"], [3.0])
    assert_allclose(solution.multipliers["between"], [2.0])
    assert solution.unique
    assert_array_equal(solution.active, [True, True])
    assert "2 of 2 inequality rows active" in str(solution)


def test_an_unloaded_contact_is_let_go():
    solution = solve(stack(load=(-1.0, 2.0)))
    assert_allclose(solution.x, [0, 1], atol=1e-14)
    assert_array_equal(solution.active, [True, False])


def test_the_active_set_is_remembered_and_counted():
    solver = GaussSolver("daqp")
    first = solver.solve(stack())
    second = solver.solve(stack(load=(-2.0, -1.0)))
    third = solver.solve(stack(load=(-1.0, 2.0)))
    assert [s.solver for s in (first, second, third)] == ["daqp", "active set", "daqp"]
    counts = solver.counts
    assert (counts.qp_total, counts.qp_from_active_set) == (3, 1)
    assert (counts.qp_solver_calls, counts.qp_fallbacks) == (2, 0)


def test_without_reuse_every_problem_goes_to_the_solver():
    solver = GaussSolver("daqp", reuse_active_set=False)
    answers = [solver.solve(stack()) for _ in range(3)]
    assert [a.solver for a in answers] == ["daqp"] * 3
    assert solver.counts.qp_solver_calls == 3
    assert solver.counts.qp_from_active_set == 0
    assert same(answers[0], answers[2])


def test_the_active_set_of_another_kind_of_problem_is_not_tried():
    solver = GaussSolver("daqp")
    solver.solve(stack())
    impact = GaussProblem.create([1.0, 2.0], target=[-1, 1], Ai=np.eye(2), bi=[0, 0], kind="impact")
    assert solver.solve(impact).solver == "daqp"


def test_a_remembered_set_that_became_wrong_is_never_believed():
    solver = GaussSolver("daqp")
    rng = np.random.default_rng(3)
    rows = rng.standard_normal((8, 5))
    for _ in range(50):
        problem = GaussProblem.create(
            np.eye(5), target=rng.standard_normal(5), Ai=rows, bi=np.zeros(8)
        )
        assert_allclose(solver.solve(problem).x, solve(problem, "nnls").x, atol=1e-10)
    assert 0 < solver.counts.qp_from_active_set < 50


def test_repeating_a_problem_repeats_every_bit():
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((9, 6))
    problem = GaussProblem.create(
        rng.uniform(0.1, 10, 6), load=rng.standard_normal(6), Ai=rows, bi=rng.standard_normal(9) - 1
    )
    for name in solvers.available():
        kept = GaussSolver(name)
        answers = [solve(problem, name), solve(problem, name), kept.solve(problem)]
        answers.append(kept.solve(problem))  # from the active set
        assert all(same(answers[0], other) for other in answers)


WEAK = {
    "a row that touches without force": ([0, 0], [[1, 0], [0, 1]], [0, 0]),
    "a loaded and an idle row": ([-1, 0], [[1, 0], [0, 1]], [0, 0]),
    "three rows through one corner": ([-1, -1], [[1, 0], [0, 1], [1, 1]], [0, 0, 0]),
    "a row twice": ([-1, 2], [[1, 0], [1, 0]], [0, 0]),
    "a row and its opposite": ([-1, 2], [[1, 0], [-1, 0]], [0, 0]),
    "everything zero": ([0, 0], [[1, 0], [-1, 0], [0, 1], [0, -1]], [0, 0, 0, 0]),
}


@pytest.mark.parametrize("case", WEAK)
def test_weakly_active_rows_give_the_same_bits_from_every_solver(case):
    target, rows, rhs = WEAK[case]
    problem = GaussProblem.create([1.0, 3.0], target=target, Ai=rows, bi=rhs)
    reference = solve(problem, "active_set")
    assert reference.certificate.worst < 1e-12
    for name in solvers.available():
        solution = solve(problem, name)
        assert same(reference, solution), name
        assert (solution.inequality_multipliers >= 0).all()


def test_a_row_that_touched_only_the_proposal_does_not_make_forces_ambiguous():
    """A third row misses the corner by 3e-9: a solver cannot see it, the answer can."""
    problem = GaussProblem.create(
        np.eye(2), target=[-1, -1], Ai=[[1, 0], [0, 1], [1, 1]], bi=[0, 0, -3e-9]
    )
    answers = [solve(problem, name) for name in solvers.available()]
    assert all(same(answers[0], other) for other in answers)
    assert answers[0].unique


@pytest.mark.parametrize("solver", ["osqp", "daqp", "active_set", "nnls", "clarabel"])
class TestInfeasible:
    def check(self, solver, names, **rows):
        problem = GaussProblem.create([1.0, 2.0, 3.0], load=[1, 2, 3], kind="acceleration", **rows)
        with pytest.raises(InfeasibleError, match="Farkas certificate") as caught:
            solve(problem, solver)
        error = caught.value
        assert set(error.constraints) == set(names)
        assert all(repr(name) in str(error) for name in names)
        assert error.problem is problem
        assert error.certificate.residual <= 1e-9
        y = error.certificate.multipliers
        unit = whiten(problem).normalised()
        assert np.abs(y @ unit.rows).max() < 1e-9
        assert_allclose(y @ unit.rhs, 1.0)
        assert (y[problem.n_equality :] >= 0).all()

    def test_equalities_that_contradict_each_other_are_named(self, solver):
        self.check(
            solver,
            ["rod", "rail"],
            Ae=[[1, 0, 0], [0, 1, 0], [2, 0, 0]],
            be=[1, 5, 3],
            equality_names=["rod", "idle", "rail"],
        )

    def test_inequalities_that_contradict_each_other_are_named(self, solver):
        self.check(
            solver,
            ["floor", "ceiling"],
            Ai=[[0, 1, 0], [1, 0, 0], [0, 0, 1], [-1, 0, 0]],
            bi=[0, 1, 0, 1],
            inequality_names=["left", "floor", "right", "ceiling"],
        )

    def test_a_conflict_of_equalities_and_inequalities_is_named(self, solver):
        self.check(
            solver,
            ["rod", "floor", "wall"],
            Ae=[[1, 1, 0]],
            be=[-1],
            Ai=[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            bi=[0, 0, 0],
            equality_names=["rod"],
            inequality_names=["floor", "wall", "idle"],
        )


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_a_conflict_is_one_in_any_unit(scale):
    problem = GaussProblem.create(
        [scale], load=[0], Ai=[[1], [-1]], bi=[scale, scale], inequality_names=["a", "b"]
    )
    with pytest.raises(InfeasibleError) as caught:
        solve(problem)
    assert caught.value.constraints == ("a", "b")


class Wrong(Adapter):
    def propose(self, problem):
        return Proposal("solved", multipliers=np.zeros(problem.n_inequality))


def test_when_nobody_is_right_the_error_carries_the_problem_and_the_attempts():
    problem = stack()
    with pytest.raises(SolverError, match="save_problem") as caught:
        GaussSolver(Wrong(), fallback=()).solve(problem)
    assert caught.value.problem is problem
    assert caught.value.attempts[0][0] == "Wrong"
    assert "certificate fails" in caught.value.attempts[0][1]


def test_the_ladder_tells_the_log_and_the_solution(caplog):
    with caplog.at_level(logging.INFO, "gauss_opt.ladder"):
        solver = GaussSolver(Wrong())
        solution = solver.solve(stack())
    assert solution.solver == "daqp"
    assert [name for name, _ in solution.attempts] == ["Wrong"]
    assert "Wrong failed" in str(solution)
    assert "solver Wrong failed" in caplog.text
    assert solver.counts.qp_fallbacks == 1


def test_a_proposal_of_a_point_alone_is_enough():
    class OnlyPoint(Adapter):
        def propose(self, problem):
            return Proposal("solved", solvers.make("daqp").propose(problem).z)

    solution = GaussSolver(OnlyPoint(), fallback=()).solve(stack())
    assert_allclose(solution.x, [0, 0], atol=1e-14)


def test_a_proposal_that_failed_proposes_no_set():
    assert list(proposed_sets(whiten(stack()).unit(), Proposal("infeasible"))) == []


@pytest.mark.parametrize("tolerance", [0.0, -1e-9, 1.0, float("nan")])
def test_a_tolerance_must_be_one(tolerance):
    with pytest.raises(InputError, match="tolerance"):
        GaussSolver(tolerance=tolerance)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_a_time_limit_must_be_positive(seconds):
    with pytest.raises(InputError, match="time_limit"):
        GaussSolver(time_limit=seconds)


def test_options_for_a_solver_that_exists_already_are_refused():
    with pytest.raises(InputError, match="options belong to the GaussSolver"):
        solve(stack(), GaussSolver("daqp"), tolerance=1e-6)
