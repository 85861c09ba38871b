"""Faults of the problem and its solvers: one test for each."""

import subprocess
import sys
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import (
    GaussProblem,
    GaussSolver,
    InfeasibleError,
    InputError,
    MissingPackageError,
    SolverError,
    solve,
)
from gauss_opt.qp import solvers
from gauss_opt.qp.solvers import Adapter, Proposal

SOLVERS = solvers.available()


def corner(x=-1.0, y=2.0):
    return GaussProblem.create([1.0, 1.0], target=[x, y], Ai=np.eye(2), bi=[0, 0])


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("masses", [[1e-6, 1e-6], [1e-6, 1e2], [1e8, 1.0], [1e-6, 1e12]])
def test_fault_08_light_masses_and_mass_ratios_are_right_or_refused(name, masses):
    # The first body falls freely beside a floor under the second one; a rod joins them sideways.
    masses = np.array(masses)
    M = np.repeat(masses, 2)
    problem = GaussProblem.create(
        M,
        load=-9.81 * M * [1, 0, 1, 0],
        Ae=[[0, 1, 0, -1]],
        be=[0.5],
        Ai=[[0, 0, 1, 0]],
        bi=[0],
    )
    solution = solve(problem, name)
    side = 0.5 * masses[::-1] / masses.sum() * [1, -1]
    assert_allclose(solution.x, [-9.81, side[0], 0, side[1]], rtol=1e-9, atol=1e-9)
    assert_allclose(solution.inequality_multipliers, 9.81 * masses[1], rtol=1e-9)
    assert solution.certificate.passes(1e-9)


@pytest.mark.parametrize("name", SOLVERS)
def test_fault_09_incompatible_constraints_are_named_with_a_verified_certificate(name):
    problem = GaussProblem.create(
        [1.0, 1e6],
        load=[0, 0],
        Ae=[[1, 1]],
        be=[0],
        Ai=[[1, 0], [0, 1], [1, -1]],
        bi=[1, 0.5, -100],
        equality_names=["rod"],
        inequality_names=["left stop", "right stop", "far away"],
        kind="acceleration",
    )
    with pytest.raises(InfeasibleError, match="acceleration problem contradict") as caught:
        solve(problem, name)
    error = caught.value
    assert set(error.constraints) == {"rod", "left stop", "right stop"}
    assert error.problem is problem
    y = error.certificate.multipliers
    assert (y[1:] >= 0).all()
    assert error.certificate.residual < 1e-9


class SaysInfeasible(Adapter):
    def propose(self, problem):
        return Proposal("infeasible")


def test_fault_10_a_false_infeasible_is_not_believed_and_the_result_says_so():
    solver = GaussSolver(SaysInfeasible())
    solution = solver.solve(corner())
    assert solution.x.tolist() == [0, 2]
    assert solution.attempts == (("SaysInfeasible", "infeasible"),)
    assert solution.solver == "daqp"
    assert "SaysInfeasible failed: infeasible" in str(solution)
    assert (solver.counts.qp_solver_calls, solver.counts.qp_fallbacks) == (2, 1)
    with pytest.raises(SolverError, match="SaysInfeasible: infeasible"):
        solve(corner(), SaysInfeasible(), fallback=())


@pytest.mark.parametrize("name", SOLVERS)
def test_fault_11_redundant_contacts_give_a_unique_answer_and_minimum_norm_forces(name):
    legs = np.array([[1, -1, -1], [1, -1, 1], [1, 1, -1], [1, 1, 1]], dtype=float)
    table = {"metric": [4.0, 1.0, 1.0], "load": [-40.0, 4.0, 0.0]}
    once = solve(GaussProblem.create(**table, Ai=legs, bi=np.zeros(4)), name)
    many = solve(GaussProblem.create(**table, Ai=np.tile(legs, (50, 1)), bi=np.zeros(200)), name)
    for solution in (once, many):
        assert_allclose(solution.x, 0, atol=1e-12)
        assert not solution.unique
        assert solution.inequality_multipliers.min() >= 0
        total = solution.problem.Ai.T @ solution.inequality_multipliers
        assert_allclose(total, [40, -4, 0], atol=1e-12)
    assert_allclose(once.inequality_multipliers, [11, 11, 9, 9])
    assert_allclose(many.inequality_multipliers, np.tile([0.22, 0.22, 0.18, 0.18], 50))


def test_fault_26_a_missing_package_is_named_when_it_is_used_not_at_import(monkeypatch):
    blocked = "import sys; sys.modules.update(osqp=None, daqp=None, cvxpy=None, qpsolvers=None)"
    code = f"{blocked}; import gauss_opt; print(gauss_opt.solvers.names())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "osqp" in done.stdout
    monkeypatch.setattr("gauss_opt.qp.solvers.interface.can_import", lambda package: False)
    for name in ("osqp", "cvxpy:SCS", "qpsolvers", "clarabel"):
        with pytest.raises(MissingPackageError) as caught:
            solve(corner(), name)
        assert "pip install 'gauss-opt" in str(caught.value)
        assert str(caught.value).count("\n") == 0


class Liar(Adapter):
    """Says that everything is solved, and gives what it was told to give."""

    def __init__(self, z=None, multipliers=None):
        self.z, self.multipliers = z, multipliers

    def propose(self, problem):
        return Proposal("solved", self.z, self.multipliers)


class Raises(Adapter):
    def propose(self, problem):
        raise RuntimeError("segmentation of duties")


class Panics(Adapter):
    def propose(self, problem):
        class PanicException(BaseException):
            """As extensions written in Rust raise it."""

        raise PanicException("index out of bounds")


class ReturnsNothing(Adapter):
    def propose(self, problem):
        return None


class Vandal(Adapter):
    """Overwrites the problem with one that is infeasible."""

    def propose(self, problem):
        problem.rows[:] = [[1, 0], [-1, 0]]
        problem.rhs[:] = [1, 1]
        return Proposal("infeasible")


LIES = {
    "wrong point": (Liar(z=np.array([5.0, 5.0])), "certificate fails"),
    "wrong force": (Liar(multipliers=np.array([0.0, 1.0])), "certificate fails"),
    "pulling": (Liar(multipliers=np.array([-1.0, -1.0])), "certificate fails"),
    "everything active": (Liar(multipliers=np.ones(2)), "certificate fails"),
    "nan": (Liar(z=np.full(2, np.nan), multipliers=np.full(2, np.nan)), "not finite"),
    "infinite": (Liar(z=np.full(2, 2e300), multipliers=np.array([np.inf, 0])), "not finite"),
    "wrong shape": (Liar(multipliers=np.ones(7)), r"shape \(7,\)"),
    "matrix": (Liar(z=np.ones((2, 2))), r"shape \(2, 2\)"),
    "text": (Liar(z="none", multipliers=np.ones(2)), "ValueError"),
    "silent": (Liar(), "neither z nor multipliers"),
    "exception": (Raises(), "RuntimeError: segmentation of duties"),
    "panic": (Panics(), "PanicException: index out of bounds"),
    "nothing": (ReturnsNothing(), "not a Proposal"),
    "vandal": (Vandal(), "infeasible"),
}


@pytest.mark.parametrize("lie", LIES)
def test_fault_27_a_lying_solver_is_caught_and_named(lie):
    liar, reason = LIES[lie]
    solver = GaussSolver(liar, reuse_active_set=False)
    for _ in range(2):
        solution = solver.solve(corner())
        assert solution.x.tolist() == [0, 2]
        assert solution.solver == "daqp"
        assert [name for name, _ in solution.attempts] == [type(liar).__name__]
    with pytest.raises(SolverError, match=reason) as caught:
        solve(corner(), liar, fallback=())
    assert caught.value.attempts[0][0] == type(liar).__name__


@pytest.mark.parametrize("lie", ["wrong point", "exception", "vandal", "nan"])
def test_fault_27_a_lying_solver_does_not_hide_a_contradiction(lie):
    walls = GaussProblem.create([1.0, 1.0], target=[0, 0], Ai=[[1, 0], [-1, 0]], bi=[1, 0])
    with pytest.raises(InfeasibleError):
        solve(walls, LIES[lie][0])


class Sleeps(Adapter):
    def propose(self, problem):
        time.sleep(1.0)
        return Proposal("solved", np.zeros(problem.n), np.zeros(problem.n_inequality))


def test_fault_27_a_solver_that_sleeps_is_given_up_on_and_not_asked_while_it_does():
    solver = GaussSolver(Sleeps(), time_limit=0.05, reuse_active_set=False)
    start = time.perf_counter()
    first, second = solver.solve(corner()), solver.solve(corner())
    assert time.perf_counter() - start < 0.9
    assert first.attempts == (("Sleeps", "no answer within 0.05 s"),)
    assert second.attempts == (("Sleeps", "still busy with an earlier problem"),)
    assert first.x.tolist() == second.x.tolist() == [0, 2]


def test_fault_27_an_exception_within_the_time_limit_is_named_too():
    assert "RuntimeError" in solve(corner(), Raises(), time_limit=5.0).attempts[0][1]


def test_fault_27_an_interruption_is_not_swallowed():
    class Interrupted(Adapter):
        def propose(self, problem):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve(corner(), Interrupted())


@pytest.mark.parametrize("where", ["solver", "fallback"])
def test_fault_28_an_unknown_solver_lists_the_known_ones_at_once(where):
    options = {"solver": "gurbi"} if where == "solver" else {"fallback": ("daqp", "gurbi")}
    with pytest.raises(InputError, match="unknown solver 'gurbi'") as caught:
        GaussSolver(**options)
    for name in solvers.names():
        assert name in str(caught.value)
