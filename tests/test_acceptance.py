"""A proposed active set is accepted with its certificate, or answered with the one that fails."""

from pathlib import Path

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt import GaussProblem, GaussSolution
from gauss_opt.qp.acceptance import accept, repaired, sharpened
from gauss_opt.qp.certificate import Certificate
from gauss_opt.qp.whitening import whiten

CORNER = GaussProblem.create([1.0, 1.0], target=[-1.0, 2.0], Ai=np.eye(2), bi=[0, 0])


def judged(problem, working, tolerance=1e-9):
    return accept(problem, whiten(problem), np.array(working, dtype=int), tolerance, "guess")


def test_the_right_set_gives_the_answer_and_says_who_found_it():
    solution = judged(CORNER, [0])
    assert solution.x.tolist() == [0, 2]
    assert (solution.solver, solution.unique, solution.attempts) == ("guess", True, ())


@pytest.mark.parametrize(
    ("working", "violated"), [([], "inequality"), ([1], "dual"), ([0, 1], "dual")]
)
def test_a_wrong_set_gives_the_certificate_that_fails(working, violated):
    certificate = judged(CORNER, working)
    assert isinstance(certificate, Certificate)
    assert getattr(certificate, violated) > 0.1


def test_dependent_rows_share_the_force_whichever_of_them_were_proposed():
    walls = {"Ai": [[1, 0], [2, 0], [0, 1]], "bi": [0, 0, 0]}
    problem = GaussProblem.create([1.0, 1.0], target=[-1.0, 2.0], **walls)
    answers = [judged(problem, working) for working in ([0], [1], [0, 1])]
    assert len({a.x.tobytes() + a.row_multipliers.tobytes() for a in answers}) == 1
    assert answers[0].row_multipliers == pytest.approx([0.5, 0.25, 0.0])
    assert not any(a.unique for a in answers)


def test_a_row_that_touches_without_force_leaves_the_multipliers_unique():
    problem = GaussProblem.create([1.0, 1.0], target=[-1.0, 0.0], Ai=np.eye(2), bi=[0, 0])
    for working in ([0], [0, 1]):
        solution = judged(problem, working)
        assert solution.working.tolist() == [0]
        assert solution.unique


def test_a_loose_tolerance_is_sharpened_to_the_right_set():
    # The second wall is violated by 1e-6: within the tolerance, but not round-off.
    problem = GaussProblem.create([1.0, 1.0], target=[-1.0, -1e-6], Ai=np.eye(2), bi=[0, 0])
    loose = judged(problem, [0], tolerance=1e-3)
    assert isinstance(loose, GaussSolution)
    assert loose.x.tolist() == [0, -1e-6]
    exact = sharpened(whiten(problem), loose, 1e-3)
    assert exact.x.tolist() == [0, 0]
    assert exact.working.tolist() == [0, 1]
    assert sharpened(whiten(problem), exact, 1e-3) is exact


JAMMED = [
    Path(__file__).parent / "data" / f"jammed_discs_{number}.npz" for number in (1, 2)
]  # five discs fill a box but for an angle of 1e-8: a thrust 1e7 times the weight


@pytest.mark.parametrize("path", JAMMED, ids=lambda path: path.stem)
@pytest.mark.parametrize("solver", ["osqp", "daqp", "active_set"])
def test_a_set_that_misses_the_tolerance_narrowly_leads_to_an_answer_that_passes(path, solver):
    problem = go.load_problem(path)
    answer = go.GaussSolver(solver).solve(problem)
    assert answer.certificate.passes(1e-9)
    own = go.certify(problem, answer.x, answer.row_multipliers)
    assert own.passes(1e-9)


@pytest.mark.parametrize("path", JAMMED, ids=lambda path: path.stem)
def test_a_set_that_lacks_one_row_is_repaired(path):
    problem = go.load_problem(path)
    white = whiten(problem)
    right = go.GaussSolver("daqp").solve(problem).working
    for place in range(len(right)):
        lacking = np.delete(right, place)
        answer = repaired(problem, white, [("guess", lacking)], 1e-9, ())
        assert answer is not None
        assert go.certify(problem, answer.x, answer.row_multipliers).passes(1e-9)


def test_repair_accepts_nothing_beyond_the_tolerance():
    problem = go.load_problem(JAMMED[0])
    solver = go.GaussSolver("daqp", tolerance=1e-13)
    with pytest.raises(go.SolverError, match="no solver gave a certified answer"):
        solver.solve(problem)
