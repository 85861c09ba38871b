"""Solving with a given active set, and pivoting to the right one."""

import time

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import GaussProblem, InfeasibleError, solve
from gauss_opt.qp.active_set import pivot, solve_set, solve_unit_rows
from gauss_opt.qp.whitening import LeastDistance, whiten


def white(rows, rhs, ne=0):
    rows, rhs = np.asarray(rows, dtype=float), np.asarray(rhs, dtype=float)
    return whiten(
        GaussProblem.create(
            np.ones(rows.shape[1]),
            target=np.zeros(rows.shape[1]),
            Ae=rows[:ne],
            be=rhs[:ne],
            Ai=rows[ne:],
            bi=rhs[ne:],
        )
    )


def test_an_empty_set_leaves_z_at_zero():
    answer = solve_set(white([[1, 0]], [1]), np.arange(0))
    assert answer.z.tolist() == [0, 0]
    assert answer.multipliers.tolist() == [0]


def test_the_shortest_point_on_the_rows_is_the_pseudoinverse_times_their_sides():
    rng = np.random.default_rng(3)
    rows, rhs = rng.normal(size=(3, 6)), rng.normal(size=3)
    answer = solve_set(white(rows, rhs), np.arange(3))
    assert_allclose(answer.z, np.linalg.pinv(rows) @ rhs, atol=1e-13)
    assert_allclose(rows.T @ answer.multipliers, answer.z, atol=1e-13)


def test_rows_outside_the_set_carry_nothing():
    answer = solve_set(white(np.eye(3), [1, 2, 3]), np.array([0, 2]))
    assert answer.z.tolist() == [1, 0, 3]
    assert answer.multipliers.tolist() == [1, 0, 3]


def test_dependent_rows_are_found_and_get_no_multiplier():
    problem = white([[1, 0], [2, 0], [0, 1]], [1, 2, 3]).unit()
    answer = solve_unit_rows(problem, np.arange(3))
    assert answer.rank == 2
    assert_allclose(answer.z, [1, 3])


def test_a_nearly_dependent_row_counts_when_it_says_something_new():
    tilt = 1e-9
    problem = white([[1, 0], [1, tilt]], [0, tilt], ne=2).unit()
    answer = solve_unit_rows(problem, np.arange(2))
    assert answer.rank == 2
    assert_allclose(answer.z, [0, 1], atol=1e-6)


def test_nothing_is_printed_for_a_set_of_zero_rows(capfd):
    problem = LeastDistance(np.zeros((2, 3)), np.zeros(2), 2)
    assert solve_unit_rows(problem, np.arange(2)).rank == 0
    assert capfd.readouterr() == ("", "")


def test_pivoting_ends_at_the_same_set_from_any_start():
    rng = np.random.default_rng(5)
    problem = white(rng.normal(size=(8, 5)), rng.normal(size=8)).unit()
    expected = np.sort(pivot(problem).working).tolist()
    for start in ([], [0], [1, 2, 3], list(range(5)), list(range(8))):
        result = pivot(problem, np.array(start, dtype=np.intp))
        assert np.sort(result.working).tolist() == expected


def test_pivoting_gives_up_at_its_limit():
    rng = np.random.default_rng(5)
    with pytest.raises(ArithmeticError, match="within 1 pivots"):
        pivot(white(rng.normal(size=(8, 5)), np.ones(8)).unit(), limit=1)


def test_pivoting_proves_a_contradiction():
    problem = white([[1, 0], [0, 1], [-1, -1]], [1, 1, 0]).unit()
    y = pivot(problem).farkas
    assert_allclose(y @ problem.rows, 0, atol=1e-14)
    assert y @ problem.rhs > 0
    assert (y >= 0).all()


def beam(load=-1.0, turn=0.0):
    """A beam on three supports: left, middle and right."""
    return GaussProblem.create(
        [1.0, 1 / 3], load=[load, turn], Ai=[[1, -1], [1, 0], [1, 1]], bi=[0, 0, 0]
    )


def test_a_beam_on_three_supports_is_carried_by_all_three():
    solution = solve(beam(), "daqp")
    assert_allclose(solution.x, 0, atol=1e-15)
    assert_allclose(solution.inequality_multipliers, [1 / 6, 2 / 3, 1 / 6])
    assert not solution.unique


def test_a_beam_loaded_at_one_end_is_not_pulled_down_at_the_other():
    # The pseudoinverse would have the left support pull.
    problem = beam(turn=-0.9)
    solution = solve(problem, "daqp")
    forces = solution.inequality_multipliers
    plain = np.linalg.pinv(whiten(problem).unit().rows.T) @ (-whiten(problem).center)
    assert plain.min() < -0.1
    assert_allclose(solution.x, 0, atol=1e-14)
    assert forces.min() >= 0
    assert forces.sum() == pytest.approx(1)
    assert forces[2] - forces[0] == pytest.approx(0.9)


def test_a_four_legged_table_shares_its_weight_evenly():
    corners = np.array([[1, -1, -1], [1, -1, 1], [1, 1, -1], [1, 1, 1]], dtype=float)
    table = GaussProblem.create([4.0, 1.0, 1.0], load=[-40.0, 0, 0], Ai=corners, bi=np.zeros(4))
    solution = solve(table, "osqp")
    assert_allclose(solution.inequality_multipliers, 10)
    assert_allclose(solution.x, 0, atol=1e-14)
    assert not solution.unique


@pytest.mark.parametrize("solver", ["daqp", "active_set"])
def test_a_thousand_copies_of_a_contact_share_its_force_quickly(solver):
    copies = 1000
    problem = GaussProblem.create(
        [2.0, 1.0], load=[-20.0, 1.0], Ai=np.tile([1.0, 0.0], (copies, 1)), bi=np.zeros(copies)
    )
    start = time.perf_counter()
    solution = solve(problem, solver)
    assert time.perf_counter() - start < 5
    assert_allclose(solution.x, [0, 1], atol=1e-14)
    assert_allclose(solution.inequality_multipliers, 20 / copies)
    assert not solution.unique


def test_a_contradiction_among_copies_is_infeasible_not_redundant():
    problem = GaussProblem.create([1.0], load=[0], Ae=[[1], [2]], be=[1, 2.001])
    with pytest.raises(InfeasibleError, match="contradict"):
        solve(problem)
