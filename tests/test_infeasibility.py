"""A proof of infeasibility is found where there is one, and only there."""

import numpy as np
import pytest

from gauss_opt import GaussProblem
from gauss_opt.qp.infeasibility import find_farkas, infeasible
from gauss_opt.qp.whitening import whiten


def proof(**pieces):
    problem = GaussProblem.create([1.0, 1e6], target=[0.0, 0.0], **pieces)
    return problem, whiten(problem), find_farkas(whiten(problem).normalised())


def test_the_proof_adds_the_rows_up_to_a_contradiction():
    rows = {"Ai": [[1, 1], [-1, 0], [0, -1], [1, 2]], "bi": [3, -1, -1, 0]}
    _, white, found = proof(**rows)
    unit = white.normalised()
    y = found.multipliers
    assert (y >= 0.0).all()
    assert y @ unit.rows == pytest.approx(np.zeros(2), abs=1e-9)
    assert y @ unit.rhs == pytest.approx(1.0)
    assert y[3] == 0.0


@pytest.mark.parametrize("gap", [0.0, 1e-14])
def test_walls_that_meet_leave_a_point(gap):
    assert proof(Ai=[[1, 0], [-1, 0]], bi=[3.0, -3.0 - gap])[2] is None


def test_a_problem_without_rows_is_feasible():
    assert proof()[2] is None


def test_the_error_names_only_the_constraints_in_conflict():
    problem, white, found = proof(
        Ae=[[1, 0]], be=[0], Ai=[[1, 0], [0, 1]], bi=[0.5, 0],
        equality_names=["rail"], inequality_names=["wall", "floor"],
    )  # fmt: skip
    error = infeasible(problem, white, found)
    assert error.constraints == ("rail", "wall")
    assert error.certificate is found
    assert "contradict each other: 'rail', 'wall'" in str(error)


def test_one_constraint_can_contradict_itself():
    problem, white, found = proof(
        Ai=[[1, 0], [-1, 0]], bi=[1, 1], inequality_names=["slit", "slit"]
    )
    assert "cannot be satisfied: 'slit'" in str(infeasible(problem, white, found))
