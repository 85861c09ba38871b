"""Multipliers that are not unique: the minimum-norm ones are taken."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import GaussProblem, solve
from gauss_opt.qp.minimum_norm import holding_rows, minimum_norm_multipliers
from gauss_opt.qp.whitening import whiten


def white(rows, rhs):
    rows = np.asarray(rows, dtype=float)
    return whiten(
        GaussProblem.create(np.ones(rows.shape[1]), np.zeros(rows.shape[1]), Ai=rows, bi=rhs)
    )


def test_copies_of_an_equality_share_its_force_by_their_length():
    problem = GaussProblem.create([1.0], load=[-5.0], Ae=[[1], [1], [-2]], be=[0, 0, 0])
    solution = solve(problem)
    assert_allclose(solution.equality_multipliers, [5 / 3, 5 / 3, -5 / 6])
    assert solution.x == pytest.approx(0, abs=1e-15)


def test_minimum_norm_multipliers_are_the_shortest_of_all():
    rng = np.random.default_rng(11)
    rows = np.abs(rng.normal(size=(6, 3)))
    unit = white(rows, np.zeros(6)).unit()
    z = unit.rows.T @ rng.uniform(size=6)
    found = minimum_norm_multipliers(unit, z, np.arange(6))
    assert_allclose(unit.rows.T @ found, z, atol=1e-13)
    null = np.linalg.svd(unit.rows.T)[2][3:]
    for direction in [*null, *-null]:
        moved = found + 1e-3 * direction
        assert moved.min() < 0 or np.linalg.norm(moved) > np.linalg.norm(found)


def test_there_are_no_minimum_norm_multipliers_when_the_rows_would_have_to_pull():
    unit = white(np.eye(2), [0, 0]).unit()
    assert minimum_norm_multipliers(unit, np.array([1.0, -1.0]), np.arange(2)) is None


def test_without_candidates_the_minimum_norm_multipliers_are_zero():
    unit = white(np.eye(2), [0, 0]).unit()
    assert minimum_norm_multipliers(unit, np.zeros(2), np.arange(0)).tolist() == [0, 0]


def test_the_holding_rows_are_the_equalities_and_what_touches():
    problem = GaussProblem.create(
        [1.0, 1.0], target=[0, 0], Ae=[[1, 1]], be=[2], Ai=[[1, 0], [0, 1]], bi=[1, 0]
    )
    assert holding_rows(whiten(problem), np.array([1.0, 1.0])).tolist() == [0, 1]
