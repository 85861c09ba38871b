"""Problems that were once answered wrongly, or not at all."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import GaussProblem, GaussSolver, solve
from gauss_opt.base.errors import InputError, MassError
from gauss_opt.base.matrices import factorise
from gauss_opt.qp import solvers
from gauss_opt.reference import closed_form


@pytest.mark.parametrize("ratio", [1e6, 1e8, 1e10])
@pytest.mark.parametrize("n", [3, 6, 20])
def test_a_stack_with_the_heaviest_on_top_rests(n, ratio):
    """Through the Gram matrix of the rows round-off was above the certificate's tolerance."""
    masses = np.geomspace(1.0, ratio, n)
    rows = np.eye(n) - np.eye(n, k=-1)
    problem = GaussProblem.create(masses, load=-9.81 * masses, Ai=rows, bi=np.zeros(n))
    for name in ("osqp", "daqp", "active_set", "nnls"):
        solution = solve(problem, name)
        assert_allclose(solution.x, 0, atol=1e-9)
        above = np.cumsum(masses[::-1])[::-1]
        assert_allclose(solution.inequality_multipliers, 9.81 * above, rtol=1e-9)


def rotated_mass(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    turn = np.linalg.qr(rng.standard_normal((n, n)))[0]
    values = 10.0 ** rng.uniform(-2, 2, n)
    values[0] = 0.0
    return (turn * values) @ turn.T, turn[:, 0]


def test_a_singular_mass_that_round_off_made_positive_is_still_singular():
    """Early small pivots magnify round-off: the last one was then 1e-12, and believed."""
    for seed in range(300):
        mass, massless = rotated_mass(seed)
        assert factorise(mass) is None
        with pytest.raises(MassError):
            solve(GaussProblem.create(mass, load=np.ones(len(mass))))
        problem = GaussProblem.create(mass, load=mass @ massless + 1, Ae=[massless], be=[1.0])
        x, _ = closed_form.kkt(mass, problem.load, problem.Ae, problem.be)
        assert_allclose(solve(problem).x, x, rtol=1e-8, atol=1e-8 * np.abs(x).max())


def test_masses_that_differ_are_not_a_singular_mass():
    assert factorise(np.diag([1e-8, 1.0, 1e8])) is not None
    chain = np.array([[1.0, 1 - 1e-8], [1 - 1e-8, 1.0]])
    assert factorise(chain) is not None


def test_rows_of_zeros_alone_leave_the_target():
    """A search for the forces of no rows at all raised an IndexError."""
    problem = GaussProblem.create([1.0], target=[-1.0], Ai=[[0.0]], bi=[-1.0])
    for name in solvers.available():
        assert_allclose(solve(problem, name).x, [-1.0])


def test_a_row_that_touched_only_the_proposal_does_not_make_forces_ambiguous():
    """A third row misses the corner by 1e-8: some solvers proposed it, and `unique` differed."""
    problem = GaussProblem.create(
        np.eye(2), target=[-1, -1], Ai=[[1, 0], [0, 1], [1, 1]], bi=[0, 0, -1e-8]
    )
    for name in solvers.available():
        solution = solve(problem, name)
        assert solution.unique, name
        assert_allclose(solution.inequality_multipliers, [1, 1, 0], atol=1e-12)


def test_ragged_arrays_are_refused_in_our_own_words():
    with pytest.raises(InputError, match="metric is not an array"):
        GaussProblem.create([[1, 2], [3]], load=[0])
    with pytest.raises(InputError, match="Ai is not an array"):
        GaussProblem.create([1, 1], load=[0, 0], Ai=[[1, 2], [3]], bi=[0, 0])


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_a_time_limit_must_be_positive(seconds):
    with pytest.raises(InputError, match="time_limit"):
        GaussSolver(time_limit=seconds)


def test_a_light_force_next_to_a_heavy_one_is_not_taken_for_none():
    """A ball in a slot is pulled against its wall; next to it another hardly touches its own."""
    turn = 1.2246467991473532e-16  # of a wall at an angle of pi
    problem = GaussProblem.create(
        np.ones(4),
        target=[turn, 1.0, 1.3293496548396225e-10, 1.0],
        Ai=[[1, 0, 0, 0], [0, 0, 1, 0], [-1, turn, 0, 0], [0, 0, -1, turn],
            [0.99803007398641286, -0.062737320780180988, 0, 0]],
        bi=[0, 0, 0, 0, 0.0016433738975388],
    )  # fmt: skip
    for name in solvers.available():
        assert_allclose(solve(problem, name).x, [0, -0.0261945183, 0, 1], atol=1e-9)
