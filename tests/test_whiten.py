"""Whitening: mass ratios disappear, singular masses are held by equalities or named."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import GaussProblem, closed_form, solve
from gauss_opt.errors import InfeasibleError, InputError, MassError
from gauss_opt.whiten import factorise, whiten


def test_whitened_rows_are_the_rows_of_udwadia_and_kalaba_up_to_a_rotation():
    rng = np.random.default_rng(0)
    root = rng.standard_normal((5, 5))
    mass = root @ root.T + np.eye(5)
    rows = rng.standard_normal((3, 5))
    white = whiten(GaussProblem.create(mass, load=np.ones(5), Ae=rows, be=np.zeros(3)))
    delassus = rows @ np.linalg.solve(mass, rows.T)
    assert_allclose(white.columns.T @ white.columns, delassus, rtol=1e-12)
    assert_allclose(np.triu(white.gram), np.triu(delassus), rtol=1e-12)
    assert_allclose(white.lengths, np.sqrt(delassus.diagonal()), rtol=1e-12)


def test_unit_rows_have_unit_length_and_keep_their_meaning():
    problem = GaussProblem.create([4.0, 1.0], load=[4.0, 2.0], Ai=[[2.0, 0.0]], bi=[10.0])
    unit = whiten(problem).unit()
    assert_allclose(unit.rows, [[1.0, 0.0]])
    assert_allclose(unit.rhs, [8.0])  # (10 - 2 * 1) / (2 / sqrt 4)
    assert (unit.n, unit.n_inequality) == (2, 1)
    assert_allclose(unit.slack(np.array([9.0, 0.0])), [1.0])


def test_a_point_comes_back_from_whitened_coordinates():
    rng = np.random.default_rng(1)
    root = rng.standard_normal((4, 4))
    problem = GaussProblem.create(root @ root.T + np.eye(4), target=rng.standard_normal(4))
    white = whiten(problem)
    assert_allclose(white.point(np.zeros(4)), problem.target, rtol=1e-12)
    z = rng.standard_normal(4)
    moved = white.point(z) - problem.target
    assert_allclose(moved @ problem.metric @ moved, z @ z, rtol=1e-12)


def test_solvers_see_the_same_numbers_in_any_unit_of_mass_and_length():
    def seen(scale, mass):
        problem = GaussProblem.create(
            [mass, 2 * mass], target=[scale, 0], Ai=[[-1, 1], [0, 1]], bi=[scale, 0]
        )
        return whiten(problem).normalised()

    reference = seen(1.0, 1.0)
    for scale, mass in [(1e-9, 1.0), (1e9, 1e-6), (1.0, 1e12)]:
        assert_allclose(seen(scale, mass).rows, reference.rows, atol=1e-14)
        assert_allclose(seen(scale, mass).rhs, reference.rhs, atol=1e-14)


def test_a_free_falling_microgram_falls():
    problem = GaussProblem.create([1e-6], load=[-9.81e-6], Ai=[[1.0]], bi=[-100.0])
    assert_allclose(solve(problem, "osqp").x, [-9.81], rtol=1e-14)


def test_a_microgram_beside_a_thousand_tonnes_gets_its_own_acceleration():
    problem = GaussProblem.create(
        [1e-6, 1e6], load=[-9.81e-6, -9.81e6], Ai=[[1, 0], [0, 1], [1, -1]], bi=[-1.0, 0.0, -2.0]
    )
    assert_allclose(solve(problem).x, [-1.0, 0.0], atol=1e-12)


def test_a_massless_coordinate_that_is_held_has_the_acceleration_of_its_holder():
    """Udwadia and Phohomsiri: M = diag(1, 0), x1 = x2."""
    problem = GaussProblem.create([1.0, 0.0], load=[3.0, 4.0], Ae=[[1.0, -1.0]], be=[0.0])
    solution = solve(problem)
    assert_allclose(solution.x, [7.0, 7.0], rtol=1e-12)
    assert_allclose(solution.equality_multipliers, [4.0], rtol=1e-12)
    expected = closed_form.udwadia_phohomsiri(problem.metric, problem.load, problem.Ae, problem.be)
    assert_allclose(solution.x, expected, rtol=1e-12)


def test_a_singular_mass_with_a_contact_gives_the_right_answer():
    problem = GaussProblem.create(
        [[1.0, 1.0], [1.0, 1.0]], load=[-2.0, -2.0], Ae=[[1, -1]], be=[0.5], Ai=[[1, 0]], bi=[0]
    )
    solution = solve(problem)
    assert_allclose(solution.x, [0.0, -0.5], atol=1e-12)
    assert solution.certificate.worst < 1e-9
    assert_allclose(
        problem.metric @ solution.x - problem.load,
        problem.rows.T @ solution.row_multipliers,
        atol=1e-12,
    )


def test_a_singular_mass_has_no_use_for_a_target_of_its_own():
    problem = GaussProblem.create([1.0, 0.0], target=[2.0, 9.0], Ae=[[0.0, 1.0]], be=[5.0])
    assert_allclose(solve(problem).x, [2.0, 5.0], rtol=1e-12)


@pytest.mark.parametrize("mass", [1e-12, 1.0, 1e12])
def test_a_singular_mass_is_singular_in_any_unit(mass):
    problem = GaussProblem.create([mass, 0.0], load=[mass, 0.0], Ae=[[1.0, 1.0]], be=[0.0])
    assert_allclose(solve(problem).x, [1.0, -1.0], rtol=1e-9)


def test_a_free_massless_direction_is_named():
    problem = GaussProblem.create([1.0, 0.0, 1.0], load=[1, 0, 1], Ae=[[1, 0, -1]], be=[0])
    with pytest.raises(MassError, match=r"\+1 along coordinate 1|-1 along coordinate 1") as caught:
        solve(problem)
    assert "coordinate 0" not in str(caught.value)
    assert caught.value.problem is problem


def test_a_massless_coordinate_held_only_by_a_contact_is_refused():
    problem = GaussProblem.create([1.0, 0.0], load=[1, 1], Ai=[[0, 1]], bi=[0])
    with pytest.raises(MassError, match="a contact is not enough"):
        solve(problem)


def test_an_indefinite_metric_is_refused():
    problem = GaussProblem.create([1.0, -1.0], load=[0, 0], Ae=[[0, 1]], be=[0])
    with pytest.raises(InputError, match="indefinite"):
        solve(problem)


def test_mass_ratios_alone_do_not_make_a_mass_singular():
    assert factorise(np.diag([1e-12, 1e12])) is not None
    assert factorise(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-15]])) is None


def test_a_zero_row_that_holds_changes_nothing():
    problem = GaussProblem.create(
        [1.0], target=[-1.0], Ae=[[0.0]], be=[0.0], Ai=[[0.0], [1.0]], bi=[-1.0, 0.0]
    )
    assert_allclose(solve(problem).x, [0.0], atol=1e-15)


def test_only_zero_rows_leave_the_target():
    problem = GaussProblem.create([1.0], target=[-1.0], Ai=[[0.0]], bi=[0.0])
    assert_allclose(solve(problem, "clarabel").x, [-1.0])


@pytest.mark.parametrize("rhs", [1e-9, 1.0, 1e9])
def test_a_zero_row_that_cannot_hold_is_infeasible_by_name(rhs):
    problem = GaussProblem.create(
        [1.0, 1.0], target=[1.0, 2.0], Ai=[[1, 0], [0, 0]], bi=[0, rhs],
        inequality_names=["floor", "nonsense"],
    )  # fmt: skip
    with pytest.raises(InfeasibleError, match="cannot be satisfied") as caught:
        solve(problem)
    assert caught.value.constraints == ("nonsense",)


def test_rows_beyond_the_range_of_floats_are_refused_by_name():
    problem = GaussProblem.create([1.0], load=[0], Ae=[[1e-200]], be=[0], equality_names=["rod"])
    with pytest.raises(InputError, match=r"'rod'.*too short"):
        solve(problem)
