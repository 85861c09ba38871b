"""Whitening: masses disappear, a singular mass is replaced, hopeless rows are refused."""

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import blas

from gauss_opt import GaussProblem, InfeasibleError, InputError, MassError, solve
from gauss_opt.base.matrices import factorise
from gauss_opt.qp.whitening import whiten
from gauss_opt.reference.closed_form import kkt


def random_problem(seed=0, n=5, ne=2, ni=3, **scale):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n))
    return GaussProblem.create(
        root @ root.T + np.eye(n),
        rng.normal(size=n),
        Ae=rng.normal(size=(ne, n)),
        be=rng.normal(size=ne),
        Ai=rng.normal(size=(ni, n)),
        bi=rng.normal(size=ni),
    )


def test_whitened_rows_and_residuals_have_their_definition():
    problem = random_problem()
    white = whiten(problem)
    L = np.linalg.cholesky(problem.metric)
    x_hat = np.linalg.solve(problem.metric, problem.load)
    assert_allclose(white.factor, L, atol=1e-14)
    assert_allclose(white.columns.T, np.linalg.solve(L, problem.rows.T).T, atol=1e-13)
    assert_allclose(white.rhs, problem.rhs - problem.rows @ x_hat, atol=1e-13)
    assert_allclose(white.lengths, np.linalg.norm(white.columns, axis=0), rtol=1e-13)


def test_z_is_the_distance_from_the_target_in_the_mass_norm():
    problem = random_problem(1)
    white = whiten(problem)
    x = np.arange(5.0)
    z = x @ white.factor - white.center
    assert_allclose(white.point(z), x, atol=1e-12)
    x_hat = np.linalg.solve(problem.metric, problem.load)
    assert z @ z == pytest.approx((x - x_hat) @ problem.metric @ (x - x_hat))


def test_unit_rows_have_unit_length():
    assert_allclose(np.linalg.norm(whiten(random_problem(2)).unit().rows, axis=1), 1)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_solvers_see_the_same_numbers_whatever_the_units(unit):
    problem = GaussProblem.create([1, 2], target=[0, 0], Ae=[[1, 1]], be=[unit])
    assert_allclose(whiten(problem).normalised().rhs, 1)


def test_a_row_far_from_active_does_not_set_the_scale_for_the_solvers():
    far = GaussProblem.create([1, 1], target=[0, 0], Ai=np.eye(2), bi=[1e-6, -1e6])
    assert whiten(far).normalised().rhs[0] == 1


def test_a_known_target_gives_the_residual_without_a_detour_over_the_mass():
    x_hat = np.array([1 / 3, 1e8])
    problem = GaussProblem.create([[1, 0.3], [0.3, 7]], target=x_hat, Ae=[[1, 0]], be=[1 / 3])
    assert whiten(problem).rhs[0] == 0


def test_units_do_not_decide_whether_a_mass_is_singular():
    assert factorise(np.diag([1e-20, 1e20])) is not None
    assert factorise(1e-15 * np.array([[1.0, 1.0], [1.0, 1.0]])) is None


@pytest.mark.parametrize("how", ["load", "target"])
def test_a_singular_mass_held_by_an_equality_gives_the_right_answer(how):
    # A massless pulley coordinate between two masses.
    M = np.diag([2.0, 0.0, 3.0])
    Ae, be = np.array([[1.0, -2.0, 0.0], [0.0, 1.0, 1.0]]), np.array([0.5, -1.0])
    x_hat = np.array([1.0, 4.0, -2.0])
    given = {"target": x_hat} if how == "target" else {"load": M @ x_hat}
    solution = solve(GaussProblem.create(M, **given, Ae=Ae, be=be), "daqp")
    expected, multipliers = kkt(M, M @ x_hat, Ae, be)
    assert_allclose(solution.x, expected, atol=1e-12)
    assert_allclose(solution.equality_multipliers, multipliers, atol=1e-12)
    assert solution.certificate.worst < 1e-13


def test_a_singular_mass_does_not_depend_on_the_units_of_the_rows():
    M = np.diag([2.0, 0.0])
    answers = [
        solve(
            GaussProblem.create(M, load=[1, 0], Ae=[[s, -2 * s]], be=[3 * s], Ai=[[1, 0]], bi=[2])
        ).x
        for s in (1e-8, 1.0, 1e8)
    ]
    assert_allclose(answers, [[2, -0.5]] * 3, atol=1e-12)


def test_the_free_direction_of_a_singular_mass_is_named():
    problem = GaussProblem.create(
        np.diag([1.0, 0.0, 0.0]), load=[0, 0, 0], Ae=[[0, 1, 0]], be=[0], kind="acceleration"
    )
    with pytest.raises(MassError, match=r"acceleration problem .*1 along coordinate 2\)") as caught:
        solve(problem)
    assert caught.value.problem is problem


def test_a_massless_coordinate_held_only_by_a_contact_is_refused():
    problem = GaussProblem.create(np.diag([1.0, 0.0]), load=[0, -1], Ai=[[0, 1]], bi=[0])
    with pytest.raises(MassError, match="a contact is not enough"):
        solve(problem)


def test_an_indefinite_metric_is_refused():
    with pytest.raises(InputError, match="indefinite"):
        whiten(GaussProblem.create([[1, 2], [2, 1]], load=[0, 0]))


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_a_row_that_floats_cannot_square_is_refused_by_name(size):
    problem = GaussProblem.create([1], target=[1], Ae=[[size]], be=[0], equality_names=["rod"])
    with pytest.raises(InputError, match=r"'rod'.* too long or too short"):
        solve(problem)


def test_a_zero_row_is_dropped_when_it_holds():
    problem = GaussProblem.create(
        [1, 1], target=[3, -4], Ae=[[0, 0]], be=[0], Ai=[[0, 0], [0, 1]], bi=[-5, 0]
    )
    solution = solve(problem, "daqp")
    assert_allclose(solution.x, [3, 0])
    assert_allclose(solution.row_multipliers, [0, 0, 4])


@pytest.mark.parametrize("b", [1e-14, 1.0, -1e-14])
def test_a_zero_equality_row_that_cannot_hold_is_infeasible_however_small_its_side(b):
    problem = GaussProblem.create(
        [1, 1], target=[3, -4], Ae=[[0, 0]], be=[b], equality_names=["lost"]
    )
    with pytest.raises(InfeasibleError) as caught:
        solve(problem)
    assert caught.value.constraints == ("lost",)


def test_a_singular_mass_that_round_off_made_positive_is_still_singular():
    """Early small pivots magnify round-off: the last one is then 1e-12, not 1e-16."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 12))
        turn = np.linalg.qr(rng.standard_normal((n, n)))[0]
        values = 10.0 ** rng.uniform(-2, 2, n)
        values[0] = 0.0
        assert factorise((turn * values) @ turn.T) is None


@pytest.mark.parametrize(("n", "m"), [(3, 65), (20, 500), (129, 300)])
def test_lengths_of_many_rows_are_those_of_their_gram_matrix_to_the_last_bit(n, m):
    white = whiten(random_problem(3, n=n, ne=0, ni=m))
    assert white.gram is None
    gram = blas.dsyrk(1.0, white.columns, trans=1)
    assert np.array_equal(white.lengths, np.sqrt(gram.diagonal()))


def test_memory_grows_like_the_number_of_rows_not_like_its_square():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(10_000, 20))
    sides = np.concatenate([np.ones(5), np.full(9_995, -50.0)])
    problem = GaussProblem.create(np.ones(20), target=np.zeros(20), Ai=rows, bi=sides)
    solve(problem, "active_set")  # imports
    tracemalloc.start()
    solution = solve(problem, "active_set")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert solution.active[:5].any()
    assert peak < 20 * rows.nbytes
