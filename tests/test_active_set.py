"""Exact answers for an active set, pivoting to the right one, and fair multipliers."""

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gauss_opt import GaussProblem, solve
from gauss_opt.active_set import least_multipliers, pivot, solve_set, solve_unit_rows
from gauss_opt.whiten import LeastDistance, whiten


def table(weight_at=(0.0, 0.0), corners=((1, 1), (1, -1), (-1, 1), (-1, -1))):
    """A table: heave, pitch and roll on its legs, its weight off the middle by weight_at."""
    rows = [[1.0, x, y] for x, y in corners]
    x, y = weight_at
    return GaussProblem.create(
        [1.0, 1 / 3, 1 / 3],
        load=[-10.0, -10.0 * x, -10.0 * y],
        Ai=rows,
        bi=np.zeros(len(rows)),
        inequality_names=[f"leg {i}" for i in range(len(rows))],
    )


def beam(load=(-1.0, 0.0)):
    """A beam on three supports: heave and pitch."""
    return GaussProblem.create([1.0, 1 / 3], load=load, Ai=[[1, -1], [1, 0], [1, 1]], bi=[0, 0, 0])


def test_the_answer_on_a_set_is_the_pseudoinverse():
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((3, 6))
    problem = GaussProblem.create(np.eye(6), target=np.zeros(6), Ae=rows, be=[1, 2, 3])
    solution = solve_set(whiten(problem), np.arange(3))
    assert_allclose(solution.z, np.linalg.pinv(rows) @ [1, 2, 3], rtol=1e-12)
    assert_allclose(rows.T @ solution.multipliers, solution.z, rtol=1e-12)
    assert solution.rank == 3


def test_both_ways_to_solve_a_set_agree():
    rng = np.random.default_rng(1)
    for _ in range(50):
        rows = rng.standard_normal((5, 8))
        problem = GaussProblem.create(
            rng.uniform(0.1, 10, 8), target=np.zeros(8), Ai=rows, bi=rng.standard_normal(5)
        )
        white = whiten(problem)
        working = np.flatnonzero(rng.random(5) < 0.7)
        quick, careful = solve_set(white, working), solve_unit_rows(white.unit(), working)
        assert_allclose(quick.z, careful.z, rtol=1e-9, atol=1e-12)
        assert_allclose(quick.multipliers * white.lengths, careful.multipliers, atol=1e-9)


def test_dependent_rows_show_in_the_rank_and_carry_nothing():
    rows = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 0, 0]]
    problem = GaussProblem.create(np.eye(3), target=np.zeros(3), Ae=rows, be=[1, 2, 3, 2])
    solution = solve_set(whiten(problem), np.arange(4))
    assert solution.rank == 2
    assert_allclose(solution.z, [1, 2, 0], atol=1e-14)
    assert np.count_nonzero(solution.multipliers) == 2


def test_a_nearly_dependent_row_that_says_something_new_counts():
    rows = np.array([[1.0, 0.0], [1.0, 1e-9]])
    white = whiten(GaussProblem.create(np.eye(2), target=[0, 0], Ae=rows, be=[1.0, 1.0 + 1e-9]))
    assert_allclose(solve_set(white, np.arange(2)).z, [1.0, 1.0], rtol=1e-6)
    white = whiten(GaussProblem.create(np.eye(2), target=[0, 0], Ae=rows, be=[1.0, 1.0]))
    assert solve_set(white, np.arange(2)).rank == 1


def test_an_empty_set_leaves_the_target():
    white = whiten(beam())
    solution = solve_set(white, np.arange(0))
    assert (solution.rank, np.abs(solution.z).max()) == (0, 0.0)


@pytest.mark.parametrize("start", [None, [], [0], [1], [2], [0, 1], [0, 1, 2]])
def test_pivoting_ends_at_the_same_point_from_any_start(start):
    problem = GaussProblem.create(
        np.eye(3), target=[-1, -2, 5], Ai=[[1, 0, 0], [0, 1, 0], [1, 1, 1]], bi=[0, 0, 1]
    )
    unit = whiten(problem).unit()
    result = pivot(unit, None if start is None else np.array(start, dtype=int))
    assert_array_equal(np.sort(result.working), [0, 1])
    assert result.farkas is None


def test_pivoting_lets_go_of_a_row_that_would_pull():
    rows = np.array([[1.0, 0.0], [0.6, 0.8], [-0.6, 0.8]])
    unit = LeastDistance(rows, np.array([0.5, 1.0, 1.0]), 0)
    result = pivot(unit)
    z = solve_unit_rows(unit, result.working)
    assert (rows @ z.z >= unit.rhs - 1e-12).all()
    assert (z.multipliers >= 0).all()


def test_pivoting_that_exceeds_its_limit_says_so():
    unit = whiten(table()).unit()
    with pytest.raises(ArithmeticError, match="within 1 pivots"):
        pivot(unit, limit=1)


def test_pivoting_finds_the_ray_of_a_conflict():
    unit = LeastDistance(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, 1.0]), 0)
    ray = pivot(unit).farkas
    assert ray is not None
    assert_allclose(ray @ unit.rows, [0, 0], atol=1e-14)
    assert ray @ unit.rhs > 0


def test_least_multipliers_of_nobody_are_none_at_all():
    unit = whiten(beam()).unit()
    assert_array_equal(least_multipliers(unit, np.zeros(2), np.arange(0)), np.zeros(3))


def test_least_multipliers_do_not_exist_where_rows_would_have_to_pull():
    unit = LeastDistance(np.array([[1.0, 0.0], [1.0, 0.0]]), np.zeros(2), 0)
    assert least_multipliers(unit, np.array([-1.0, 0.0]), np.arange(2)) is None


def test_a_beam_on_three_supports_is_pushed_by_all_of_them():
    solution = solve(beam())
    assert_allclose(solution.x, [0, 0], atol=1e-14)
    forces = solution.inequality_multipliers
    assert (forces > 0).all()
    assert_allclose(forces.sum(), 1.0)
    assert_allclose(forces[0], forces[2])
    assert not solution.unique


def test_a_beam_loaded_at_its_end_is_never_pulled_down():
    """The plain pseudoinverse would pull at the left support."""
    problem = beam(load=(-1.0, -0.95))
    white = whiten(problem)
    plain = np.linalg.pinv(white.unit().rows.T) @ -white.center
    assert plain.min() < 0
    solution = solve(problem)
    forces = solution.inequality_multipliers
    assert (forces >= 0).all()
    assert_allclose(solution.x, [0, 0], atol=1e-14)
    assert_allclose(forces.sum(), 1.0)
    assert_allclose(forces[2] - forces[0], 0.95)


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.3, -0.2), (0.5, 0.4)])
def test_a_table_on_four_legs_stands_and_carries_its_weight(place):
    solution = solve(table(place))
    forces = solution.inequality_multipliers
    assert_allclose(solution.x, 0, atol=1e-12)
    assert (forces >= 0).all()
    assert_allclose(forces.sum(), 10.0)
    moments = [10.0, 10 * place[0], 10 * place[1]]
    assert_allclose(solution.problem.Ai.T @ forces, moments, atol=1e-12)
    assert not solution.unique


def test_no_nonnegative_forces_of_a_table_are_shorter():
    solution = solve(table((0.3, -0.2)))
    white = whiten(solution.problem)
    forces = solution.inequality_multipliers * white.lengths
    null = np.linalg.svd(white.unit().rows.T)[2][-1]
    for step in (1e-3, -1e-3):
        other = forces + step * null
        if (other >= 0).all():
            assert np.linalg.norm(other) > np.linalg.norm(forces)


def test_a_table_whose_weight_is_off_its_legs_tips():
    solution = solve(table((1.5, 0.0)))
    assert solution.x[1] < 0  # it turns about the two legs next to its weight
    assert_allclose(solution.problem.Ai[:2] @ solution.x, 0, atol=1e-12)
    assert_allclose(solution.inequality_multipliers[2:], 0, atol=1e-12)


def test_a_thousand_copies_of_a_contact_share_its_load_quickly():
    copies = 1000
    problem = GaussProblem.create(
        [2.0, 1.0], load=[-20.0, 3.0], Ai=np.tile([1.0, 0.0], (copies, 1)), bi=np.zeros(copies)
    )
    begin = time.perf_counter()
    solution = solve(problem, "daqp")
    assert time.perf_counter() - begin < 5.0
    assert_allclose(solution.x, [0.0, 3.0], atol=1e-12)
    assert_allclose(solution.inequality_multipliers, 20.0 / copies, rtol=1e-6)
    assert not solution.unique


def test_a_thousand_copies_of_an_equality_share_its_load_quickly():
    copies = 1000
    problem = GaussProblem.create(
        [2.0, 1.0], load=[-20.0, 3.0], Ae=np.tile([1.0, 0.0], (copies, 1)), be=np.zeros(copies)
    )
    begin = time.perf_counter()
    solution = solve(problem)
    assert time.perf_counter() - begin < 5.0
    assert_allclose(solution.x, [0.0, 3.0], atol=1e-12)
    assert_allclose(solution.equality_multipliers, 20.0 / copies, rtol=1e-6)
    assert not solution.unique
