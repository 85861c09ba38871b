"""The solvers that are asked, one after the other."""

import time

import numpy as np
import pytest

from gauss_opt import GaussProblem, InputError
from gauss_opt.qp.solver_sequence import SolverSequence
from gauss_opt.qp.solvers import Adapter, Proposal
from gauss_opt.qp.whitening import whiten

UNIT = whiten(
    GaussProblem.create([1.0, 1.0], target=[-1.0, 2.0], Ai=np.eye(2), bi=[0, 0])
).normalised()


class Slow(Adapter):
    def propose(self, problem):
        time.sleep(0.3)
        return Proposal("solved", np.zeros(2))


class Broken(Adapter):
    def propose(self, problem):
        raise ZeroDivisionError("by nothing")


def test_the_first_is_not_asked_twice():
    assert list(SolverSequence("daqp", ("nnls", "daqp"), None)) == ["daqp", "nnls"]


def test_an_instance_is_called_like_its_class_or_its_module():
    from gauss_opt.qp.solvers.nnls import Solver

    assert list(SolverSequence(Slow(), (), None)) == ["Slow"]
    assert list(SolverSequence(Solver(), ("nnls", "daqp"), None)) == ["nnls", "daqp"]


def test_names_are_checked_before_anybody_is_asked():
    for first, fallback in (("dapq", ()), ("daqp", ("nnls", "dapq"))):
        with pytest.raises(InputError, match=r"unknown solver 'dapq'.*did you mean 'daqp'\?"):
            SolverSequence(first, fallback, None)


def test_whatever_a_solver_raises_becomes_its_status():
    assert SolverSequence(Broken(), (), None).ask("Broken", UNIT).status == (
        "ZeroDivisionError: by nothing"
    )


def test_who_is_late_is_not_asked_again_until_ready():
    solvers = SolverSequence(Slow(), (), 0.05)
    assert solvers.ask("Slow", UNIT).status == "no answer within 0.05 s"
    assert solvers.ask("Slow", UNIT).status == "still busy with an earlier problem"
    time.sleep(0.4)
    assert solvers.ask("Slow", UNIT).status == "no answer within 0.05 s"
    time.sleep(0.4)  # no thread is left for the next test


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_a_time_limit_that_nobody_can_keep_is_refused(limit):
    with pytest.raises(InputError, match="time_limit must be positive"):
        SolverSequence("daqp", (), limit)
