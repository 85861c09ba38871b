"""The problem class: what it holds, how it signs, and what it refuses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from gauss_opt import GaussProblem, solve
from gauss_opt.errors import InputError
from gauss_opt.problem import real_array, require_semidefinite, symmetrised


def test_equality_rows_come_first_and_carry_their_names():
    problem = GaussProblem.create(
        np.eye(2),
        load=[0, 0],
        Ae=[[1, 1]],
        be=[2],
        Ai=[[1, 0], [0, 1]],
        bi=[3, 4],
        equality_names=["rod"],
        inequality_names=["floor", "wall"],
        kind="acceleration",
    )
    assert problem.names == ("rod", "floor", "wall")
    assert (problem.n, problem.n_equality, problem.n_inequality) == (2, 1, 2)
    assert_array_equal(problem.rows, [[1, 1], [1, 0], [0, 1]])
    assert_array_equal(problem.Ae, [[1, 1]])
    assert_array_equal(problem.bi, [3, 4])
    assert str(problem) == (
        "GaussProblem 'acceleration': 2 coordinates, 1 equality row, 2 inequality rows"
    )


def test_a_target_is_the_load_that_leads_to_it():
    problem = GaussProblem.create([2.0, 3.0], target=[1.0, -1.0])
    assert_array_equal(problem.load, [2.0, -3.0])
    assert_allclose(solve(problem).x, [1.0, -1.0], rtol=1e-15)


def test_the_force_on_the_system_is_plus_the_rows_times_the_multipliers():
    weight = 2.0 * 9.81
    problem = GaussProblem.create(
        [2.0, 2.0], load=[0.0, -weight], Ae=[[-1.0, 0.0]], be=[-3.0], Ai=[[0.0, 1.0]], bi=[0.0]
    )
    solution = solve(problem)
    assert_allclose(solution.x, [3.0, 0.0], atol=1e-14)
    assert_allclose(solution.inequality_multipliers, [weight])  # the floor pushes up
    assert_allclose(solution.equality_multipliers, [-6.0])  # row -1, force +6
    assert_allclose(
        problem.metric @ solution.x - problem.load,
        problem.Ae.T @ solution.equality_multipliers
        + problem.Ai.T @ solution.inequality_multipliers,
    )


def test_an_inequality_bounds_from_below():
    problem = GaussProblem.create([1.0], target=[5.0], Ai=[[1.0]], bi=[7.0])
    assert_allclose(solve(problem).x, [7.0])
    problem = GaussProblem.create([1.0], target=[5.0], Ai=[[-1.0]], bi=[-3.0])
    assert_allclose(solve(problem).x, [3.0])


def test_the_objective_is_least_at_the_solution():
    problem = GaussProblem.create(
        [[2.0, 0.5], [0.5, 1.0]], load=[1.0, -2.0], Ai=[[1.0, 1.0]], bi=[0.5]
    )
    x = solve(problem).x
    for step in np.eye(2):
        for sign in (1, -1):
            other = x + 1e-3 * sign * step
            if (problem.Ai @ other >= problem.bi).all():
                assert problem.objective(other) > problem.objective(x)


def test_the_arrays_of_the_user_are_copied():
    mass, load = np.eye(2), np.array([1.0, 2.0])
    problem = GaussProblem.create(mass, load=load)
    mass[0, 0] = load[0] = 99.0
    assert_array_equal(problem.metric, np.eye(2))
    assert_array_equal(problem.load, [1.0, 2.0])


def test_round_off_asymmetry_is_removed():
    mass = np.array([[2.0, 1.0], [1.0 + 1e-15, 2.0]])
    assert_array_equal(symmetrised(mass, "mass"), symmetrised(mass, "mass").T)


def test_asymmetry_is_refused_with_both_entries_however_heavy_another_body_is():
    with pytest.raises(InputError, match=r"entry \(0, 1\) is 0.5 but entry \(1, 0\) is 0.25"):
        symmetrised(np.array([[1.0, 0.5, 0], [0.25, 1.0, 0], [0, 0, 1e12]]), "mass")


def test_an_indefinite_mass_is_refused_with_eigenvalue_and_direction():
    with pytest.raises(InputError, match=r"smallest eigenvalue is -1.*direction"):
        require_semidefinite(np.array([[1.0, 2.0], [2.0, 1.0]]), "mass")
    with pytest.raises(InputError, match="indefinite"):
        require_semidefinite(np.diag([1e12, -1e-6]), "mass")
    require_semidefinite(np.diag([1e12, 0.0, 1e-12]), "mass")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"metric": [[1, 2, 3]], "load": [0]}, "square"),
        ({"metric": 3.0, "load": [0]}, "matrix"),
        ({"metric": [1, 1], "load": [0]}, r"load must have shape \(2,\), got \(1,\)"),
        ({"metric": [1, 1]}, "exactly one of load"),
        ({"metric": [1], "load": [1], "target": [1]}, "exactly one of load"),
        ({"metric": [1, np.nan], "load": [0, 0]}, r"metric\[1\] is nan"),
        ({"metric": [1, 1], "load": [0, np.inf]}, r"load\[1\] is inf"),
        ({"metric": [1, 1j], "load": [0, 0]}, "real numbers"),
        ({"metric": [1], "load": ["a"]}, "real numbers"),
        ({"metric": [[1, 2], [3]], "load": [0]}, "not an array"),
        (
            {"metric": [1, 1], "load": [0, 0], "Ai": [[1, 2], [3]], "bi": [0, 0]},
            "Ai is not an array",
        ),
        ({"metric": [1], "load": [0], "Ae": [[1]]}, "Ae and be together"),
        ({"metric": [1], "load": [0], "bi": [1]}, "Ai and bi together"),
        ({"metric": [1], "load": [0], "Ae": [[1, 2]], "be": [1]}, "Ae must have 1 columns"),
        ({"metric": [1], "load": [0], "Ai": [[1]], "bi": [1, 2]}, r"bi must have shape \(1,\)"),
        (
            {"metric": [1], "load": [0], "Ai": [[1]], "bi": [1], "inequality_names": ["a", "b"]},
            "inequality_names has 2 entries for 1 rows",
        ),
    ],
)
def test_pieces_that_do_not_fit_are_refused_with_the_reason(arguments, message):
    with pytest.raises(InputError, match=message):
        GaussProblem.create(**arguments)


def test_numbers_so_large_that_their_squares_overflow_are_still_finite():
    assert_array_equal(real_array("load", [1e200, -1e300]), [1e200, -1e300])


def test_whole_numbers_and_truth_values_are_numbers():
    assert real_array("load", [1, 2]).dtype == float
    assert_array_equal(real_array("load", [True, False]), [1.0, 0.0])


def test_empty_rows_are_no_rows():
    problem = GaussProblem.create([1.0, 1.0], load=[1, 2], Ae=[], be=[], Ai=np.zeros((0, 2)), bi=[])
    assert problem.rows.shape == (0, 2)
    solution = solve(problem)
    assert_array_equal(solution.x, [1, 2])
    assert solution.solver == "active set"
