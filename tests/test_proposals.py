"""What a solver proposes, read as active sets."""

import numpy as np
import pytest

from gauss_opt.qp.proposals import checked, proposed_sets
from gauss_opt.qp.solvers import Proposal
from gauss_opt.qp.whitening import LeastDistance

# One equality, then the walls x >= 1, y >= -1, x >= 1 again.
WALLS = LeastDistance(
    np.array([[0, 0, 1], [1, 0, 0], [0, 1, 0], [1, 0, 0]], dtype=float),
    np.array([0.0, 1.0, -1.0, 1.0]),
    n_equality=1,
)


def sets(**pieces):
    return [found.tolist() for found in proposed_sets(WALLS, Proposal("solved", **pieces))]


def test_rows_with_a_multiplier_are_active_and_equalities_always():
    assert sets(multipliers=np.array([0.5, 0.0, 0.5])) == [[0, 1, 3]]


def test_a_multiplier_that_may_be_zero_gives_another_set_the_likeliest_first():
    assert sets(multipliers=np.array([1.0, 1e-8, 0.0])) == [[0, 1], [0, 1, 2]]
    assert sets(multipliers=np.array([1.0, 1e-5, 0.0])) == [[0, 1, 2], [0, 1]]


def test_a_point_alone_makes_the_rows_active_that_it_touches():
    assert sets(z=np.array([1.0, 0.0, 0.0])) == [[0, 1, 3]]


def test_what_was_not_solved_proposes_nothing():
    assert list(proposed_sets(WALLS, Proposal("infeasible"))) == []


def test_lists_become_arrays_and_a_failure_keeps_only_its_reason():
    proposal = checked(Proposal("solved", [1, 0, 0], [1, 0, 0]), WALLS)
    assert proposal.z.dtype == proposal.multipliers.dtype == float
    assert checked(Proposal("gave up", np.zeros(3)), WALLS) == Proposal("gave up")


@pytest.mark.parametrize(
    ("proposal", "reason"),
    [
        (Proposal("solved"), "neither z nor multipliers"),
        (Proposal("solved", np.zeros(2)), r"z has shape (2,), not (3,)"),
        (Proposal("solved", None, np.full(3, np.nan)), "multipliers is not finite"),
    ],
)
def test_what_cannot_be_used_is_said_in_words(proposal, reason):
    assert reason in checked(proposal, WALLS).status


def test_anything_but_a_proposal_is_refused():
    with pytest.raises(TypeError, match="returned a tuple, not a Proposal"):
        checked(("solved", None, None), WALLS)
