"""The certificate: right answers pass in any unit, wrong ones fail, and a proof must prove."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import Certificate, GaussProblem, certify, solve
from gauss_opt.certificate import verify_farkas
from gauss_opt.whiten import LeastDistance, whiten

TOLERANCE = 1e-9


@pytest.fixture
def ladder():
    """Three masses, a rod and two floors, one of them loaded."""
    return GaussProblem.create(
        [1.0, 2.0, 3.0],
        load=[-1.0, -2.0, 6.0],
        Ae=[[1.0, -1.0, 0.0]],
        be=[0.5],
        Ai=[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        bi=[0.0, 1.0],
    )


def test_a_right_answer_passes_with_round_off(ladder):
    solution = solve(ladder)
    assert_allclose(solution.x, [0.5, 0.0, 2.0], atol=1e-14)
    assert certify(ladder, solution.x, solution.row_multipliers).worst < 1e-14


@pytest.mark.parametrize(
    ("change", "residual"),
    [
        (([0, 0, 1e-6], [0, 0, 0]), "stationarity"),
        (([1e-6, 0, 0], [0, 0, 0]), "equality"),
        (([-1e-6, -1e-6, 0], [0, 0, 0]), "inequality"),
        (([0, 0, 0], [0, 0, -1e-6]), "dual"),
        (([0, 0, 0], [0, 0, 1e-6]), "complementarity"),
    ],
)
def test_each_kind_of_error_shows_in_its_own_residual(ladder, change, residual):
    solution = solve(ladder)
    wrong = certify(
        ladder,
        solution.x + np.array(change[0], dtype=float),
        solution.row_multipliers + np.array(change[1], dtype=float),
    )
    assert getattr(wrong, residual) > 1e-8
    assert not wrong.passes(TOLERANCE)


@pytest.mark.parametrize("mass", [1e-12, 1e-6, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("length", [1e-9, 1.0, 1e9])
def test_residuals_have_no_unit(ladder, mass, length):
    other = replace(
        ladder,
        metric=mass * ladder.metric,
        load=mass * length * ladder.load,
        rhs=length * ladder.rhs,
    )
    reference = certify(ladder, np.array([0.6, 0.1, 1.0]), np.array([1.0, -2.0, 3.0]))
    rescaled = certify(
        other, length * np.array([0.6, 0.1, 1.0]), mass * length * np.array([1.0, -2.0, 3.0])
    )
    assert_allclose(rescaled, reference, rtol=1e-9, atol=1e-15)


def test_a_heavy_body_does_not_hide_the_error_of_a_light_one():
    problem = GaussProblem.create([1e-6, 1e2], load=[-1e-5, -1e3], Ai=np.eye(2), bi=[0.0, 0.0])
    right = solve(problem)
    assert right.certificate.passes(TOLERANCE)
    sinking = np.array([-1e-3, 0.0])
    multipliers = problem.metric @ sinking - problem.load
    assert not certify(problem, sinking, multipliers).passes(TOLERANCE)


def test_large_opposite_multipliers_do_not_hide_a_wrong_sign():
    """Two rows that nearly cancel carry 1e8; a third that pulls with 1 is still a wrong sign."""
    rows = np.array([[1.0, 1e-8, 0.0], [-1.0, 1e-8, 0.0], [0.0, 0.0, 1.0]])
    multipliers = np.array([1e8, 1e8, -1.0])
    x = rows.T @ multipliers
    problem = GaussProblem.create(np.eye(3), load=np.zeros(3), Ai=rows, bi=rows @ x)
    wrong = certify(problem, x, multipliers)
    assert wrong.dual > 1e-3


def test_nan_never_passes():
    assert not Certificate(float("nan"), 0, 0, 0, 0).passes(TOLERANCE)
    assert not Certificate(0, 0, 0, 0, float("nan")).passes(1.0)
    assert np.isnan(Certificate(0.0, 0.0, float("nan"), 0.0, 0.0).worst)


def test_nothing_at_all_is_certified():
    problem = GaussProblem.create([1.0, 1.0], load=[0, 0], Ae=[[1, 1]], be=[0], Ai=[[1, 0]], bi=[0])
    solution = solve(problem)
    assert solution.certificate.worst == 0.0
    assert (solution.x == 0).all()


def test_a_certificate_says_its_residuals():
    text = str(Certificate(1e-12, 0.0, 0.0, 2e-5, 0.0))
    assert "stationarity 1.0e-12" in text
    assert "dual 2.0e-05" in text


def unit_problem(Ai, bi, Ae=None, be=None):
    n = np.shape(Ai)[1]
    return whiten(
        GaussProblem.create(np.eye(n), target=np.zeros(n), Ai=Ai, bi=bi, Ae=Ae, be=be)
    ).normalised()


def test_a_proof_of_infeasibility_needs_cancelling_rows_and_a_gain():
    conflict = unit_problem([[1.0, 0.0], [-1.0, 0.0]], [1.0, 1.0])
    proof = verify_farkas(conflict, np.array([1.0, 1.0]))
    assert proof is not None
    assert proof.residual == 0.0
    assert_allclose(proof.multipliers @ conflict.rhs, 1.0)
    assert verify_farkas(conflict, np.array([1.0, 0.0])) is None  # rows do not cancel
    assert verify_farkas(conflict, np.array([0.0, 0.0])) is None
    assert verify_farkas(conflict, np.array([np.nan, 1.0])) is None
    assert verify_farkas(conflict, np.array([-1.0, -1.0])) is None  # wrong sign


def test_nothing_proves_a_feasible_problem_infeasible():
    rng = np.random.default_rng(5)
    for _ in range(200):
        rows = rng.standard_normal((6, 3))
        feasible = unit_problem(rows, rows @ rng.standard_normal(3) - rng.random(6))
        y = np.abs(rng.standard_normal(6))
        assert verify_farkas(feasible, y) is None
        null = np.linalg.svd(feasible.rows.T)[2][3:]
        for y in null:
            assert verify_farkas(feasible, y) is None


def test_round_off_in_touching_rows_is_no_conflict():
    pinched = LeastDistance(
        np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0 + 4e-16, -1.0]), 0, 2.0
    )
    assert verify_farkas(pinched, np.array([1.0, 1.0])) is None


def test_a_far_away_feasible_point_is_not_denied():
    """Two rows at an angle of 1e-6 meet a million units away."""
    rows = np.array([[1.0, 0.0], [-1.0, 1e-6]])
    problem = GaussProblem.create(np.eye(2), target=[0, 0], Ai=rows, bi=[1.0, 0.0])
    solution = solve(problem)
    assert_allclose(solution.x, [1.0, 1e6], rtol=1e-9)
