"""Faults that the problem layer must survive: bad masses, conflicts, lying and missing solvers.

The numbers are those of the project's list of faults.
"""

import subprocess
import sys
import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import GaussProblem, GaussSolver, oracles, solve, solvers
from gauss_opt.errors import (
    GaussError,
    InfeasibleError,
    InputError,
    MissingPackageError,
    SolverError,
)
from gauss_opt.solvers import Adapter, Proposal
from gauss_opt.whiten import whiten


def corner():
    """Two contacts, one of which carries force."""
    return GaussProblem.create(
        [1.0, 2.0],
        target=[-1.0, 2.0],
        Ai=[[1, 0], [0, 1]],
        bi=[0, 0],
        inequality_names=["floor", "wall"],
    )


ANSWER = np.array([0.0, 2.0])


@pytest.mark.parametrize("solver", solvers.available())
@pytest.mark.parametrize("ratio", [1e-8, 1e-4, 1e4, 1e8])
@pytest.mark.parametrize("lightest", [1e-6, 1.0])
def test_fault_08_light_masses_and_mass_ratios_are_right(solver, ratio, lightest):
    masses = np.geomspace(1.0, ratio, 4)
    masses *= lightest / masses.min()
    rows = np.eye(4) - np.eye(4, k=-1)  # a stack
    load = -9.81 * masses
    load[-1] *= -1  # the top one is lifted
    problem = GaussProblem.create(masses, load=load, Ai=rows, bi=np.zeros(4))
    solution = solve(problem, solver)
    assert solution.certificate.worst <= 1e-9
    assert_allclose(solution.x, [0, 0, 0, 9.81], atol=1e-8)
    assert_allclose(solution.inequality_multipliers[0], 9.81 * masses[:3].sum(), rtol=1e-8)


@pytest.mark.parametrize("decades", [10, 13, 16, 40])
def test_fault_08_absurd_mass_ratios_are_right_or_an_error(decades):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        masses = 10.0 ** rng.uniform(-decades / 2, decades / 2, 4)
        rows = np.round(2 * rng.standard_normal((5, 4)))
        problem = GaussProblem.create(masses, load=-9.81 * masses, Ai=rows, bi=np.zeros(5))
        try:
            x = solve(problem).x
            tried = oracles.enumerate_active_sets(
                masses * np.eye(4), problem.load, np.zeros((0, 4)), [], rows, np.zeros(5)
            ).x
        except (GaussError, ValueError):
            continue
        white = whiten(problem)
        size = np.linalg.norm(white.center)
        assert np.linalg.norm((x - tried) @ white.factor) <= 1e-8 * size


def test_fault_09_incompatible_constraints_are_named_with_a_proof():
    problem = GaussProblem.create(
        np.ones(3),
        load=np.zeros(3),
        Ae=[[1, 1, 0]],
        be=[-1],
        Ai=[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        bi=[0, 0, 0],
        equality_names=["rod"],
        inequality_names=["floor", "wall", "ceiling"],
    )
    with pytest.raises(InfeasibleError, match="drop or change one of them") as caught:
        solve(problem)
    assert set(caught.value.constraints) == {"rod", "floor", "wall"}
    y = caught.value.certificate.multipliers
    unit = whiten(problem).normalised()
    assert_allclose(y @ unit.rows, 0, atol=1e-12)
    assert y @ unit.rhs > 0
    assert (y[1:] >= 0).all()


def test_fault_09_a_gap_of_one_in_a_million_is_still_a_conflict():
    problem = GaussProblem.create([1.0], load=[0], Ai=[[1], [-1]], bi=[1.0, -1.0 + 1e-6])
    with pytest.raises(InfeasibleError):
        solve(problem)
    problem = GaussProblem.create([1.0], load=[0], Ai=[[1], [-1]], bi=[1.0, -1.0 - 1e-6])
    assert_allclose(solve(problem).x, [1.0])


class SaysInfeasible(Adapter):
    def propose(self, problem):
        return Proposal("infeasible")


def test_fault_10_a_false_infeasible_is_not_believed():
    solution = GaussSolver(SaysInfeasible()).solve(corner())
    assert_allclose(solution.x, ANSWER, atol=1e-15)
    assert solution.attempts == (("SaysInfeasible", "infeasible"),)
    assert solution.solver == "daqp"
    with pytest.raises(SolverError, match="SaysInfeasible: infeasible"):
        GaussSolver(SaysInfeasible(), fallback=()).solve(corner())


@pytest.mark.parametrize("copies", [2, 1000])
def test_fault_11_redundant_contacts_share_the_load(copies):
    legs = np.array([[1.0, x, y] for x in (-1, 1) for y in (-1, 1)])
    problem = GaussProblem.create(
        [4.0, 1.0, 1.0], load=[-40.0, 2.0, -1.0], Ai=np.tile(legs, (copies, 1)),
        bi=np.zeros(4 * copies),
    )  # fmt: skip
    begin = time.perf_counter()
    solution = solve(problem, "daqp")
    assert time.perf_counter() - begin < 20
    forces = solution.inequality_multipliers
    assert_allclose(solution.x, 0, atol=1e-11)
    assert (forces >= 0).all()
    assert_allclose(problem.Ai.T @ forces, [40.0, -2.0, 1.0], rtol=1e-8)
    assert_allclose(forces.reshape(copies, 4), np.tile(forces[:4], (copies, 1)), rtol=1e-6)
    assert not solution.unique


def test_fault_11_redundant_equalities_change_no_acceleration():
    rows = np.array([[1.0, 2.0, 3.0]])
    once = GaussProblem.create([1, 2, 3], load=[1, 2, 3], Ae=rows, be=[1.0])
    often = GaussProblem.create(
        [1, 2, 3], load=[1, 2, 3], Ae=np.tile(rows, (1000, 1)), be=[1] * 1000
    )
    assert_allclose(solve(often).x, solve(once).x, rtol=1e-12)
    assert_allclose(solve(often).row_multipliers.sum(), solve(once).row_multipliers[0])
    assert (solve(once).unique, solve(often).unique) == (True, False)


class Missing(Adapter):
    package = "a_package_nobody_has"

    def propose(self, problem):
        raise AssertionError("never asked")


def test_fault_26_a_missing_package_is_one_sentence_at_call_time(monkeypatch):
    monkeypatch.setattr("gauss_opt.solvers.registry._adapter", lambda name: Missing)
    with pytest.raises(MissingPackageError, match=r"pip install 'gauss-opt\[solvers\]'") as caught:
        solve(corner(), "piqp")
    assert "'a_package_nobody_has'" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_fault_26_importing_the_package_imports_no_solver():
    code = (
        "import sys, gauss_opt; "
        "heavy = {'cvxpy', 'osqp', 'daqp', 'piqp', 'proxsuite', 'clarabel', 'qpsolvers'}; "
        "sys.exit(', '.join(heavy & set(sys.modules)) or None)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


class Liar(Adapter):
    """A solver that says ``lie(problem)``."""

    def __init__(self, lie):
        self.lie = lie

    def propose(self, problem):
        return self.lie(problem)


def explode(_):
    raise ZeroDivisionError("inside the solver")


class Panic(BaseException):
    """What a Rust extension raises."""


def panic(_):
    raise Panic("index out of bounds")


def vandalise(problem):
    problem.rows[:] = 0.0
    problem.rhs[:] = 7.0
    return Proposal("solved", np.zeros(problem.n), np.ones(problem.n_inequality))


LIES = {
    "wrong x": (lambda p: Proposal("solved", np.full(p.n, 5.0)), "certificate fails"),
    "wrong multipliers": (
        lambda p: Proposal("solved", multipliers=np.array([0.0, 1.0])),
        "certificate fails",
    ),
    "osqp's 2.1e9": (lambda p: Proposal("solved", np.full(p.n, 2.1e9)), "certificate fails"),
    "false status": (lambda p: Proposal("infeasible"), "infeasible"),
    "status in its own words": (lambda p: Proposal("gave up at 3"), "gave up at 3"),
    "nan": (lambda p: Proposal("solved", np.full(p.n, np.nan)), "z is not finite"),
    "infinity": (
        lambda p: Proposal("solved", None, np.full(2, np.inf)),
        "multipliers is not finite",
    ),
    "wrong shape": (lambda p: Proposal("solved", np.zeros(p.n + 1)), r"z has shape (3,), not (2,)"),
    "a matrix": (
        lambda p: Proposal("solved", None, np.zeros((2, 1))),
        r"multipliers has shape (2, 1), not (2,)",
    ),
    "words": (lambda p: Proposal("solved", np.array(["a", "b"])), "ValueError"),
    "nothing": (lambda p: Proposal("solved"), "neither z nor multipliers"),
    "no proposal": (lambda p: None, "returned a NoneType"),
    "exception": (explode, "ZeroDivisionError: inside the solver"),
    "panic": (panic, "Panic: index out of bounds"),
    "vandalism": (vandalise, "certificate fails"),
}


@pytest.mark.parametrize("kind", LIES)
@pytest.mark.parametrize("time_limit", [None, 10.0])
def test_fault_27_a_lying_solver_is_caught_and_named(kind, time_limit):
    lie, reason = LIES[kind]
    solver = GaussSolver(Liar(lie), time_limit=time_limit)
    problem = corner()
    solution = solver.solve(problem)
    assert_allclose(solution.x, ANSWER, atol=1e-15)
    assert solution.solver == "daqp"
    assert [name for name, _ in solution.attempts] == ["Liar"]
    assert reason in solution.attempts[0][1]
    assert "Liar failed" in str(solution)
    assert solver.counts.qp_fallbacks == 1
    assert_allclose(problem.rows, np.eye(2))


def test_fault_27_a_sleeping_solver_is_given_up_on():
    def sleep(problem):
        time.sleep(1.5)
        return Proposal("solved", np.zeros(problem.n))

    solver = GaussSolver(Liar(sleep), time_limit=0.1, reuse_active_set=False)
    begin = time.perf_counter()
    solution = solver.solve(corner())
    again = solver.solve(corner())
    assert time.perf_counter() - begin < 1.4
    assert_allclose(solution.x, ANSWER, atol=1e-15)
    assert solution.attempts == (("Liar", "no answer within 0.1 s"),)
    assert again.attempts == (("Liar", "still busy with an earlier problem"),)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
@pytest.mark.parametrize("time_limit", [None, 10.0])
def test_fault_27_the_user_can_still_interrupt(stop, time_limit):
    def interrupted(_):
        raise stop

    with pytest.raises(stop):
        GaussSolver(Liar(interrupted), time_limit=time_limit).solve(corner())


def test_fault_28_an_unknown_solver_is_answered_with_the_valid_ones():
    for ask in (lambda: solve(corner(), "oskp"), lambda: GaussSolver("daqp", fallback=["oskp"])):
        with pytest.raises(InputError, match="unknown solver 'oskp'") as caught:
            ask()
        assert all(name in str(caught.value) for name in solvers.names())
