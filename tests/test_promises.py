"""The promises of the README, one test each."""

from __future__ import annotations

import socket

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.qp.solvers import Adapter, Proposal


class Says(Adapter):
    """A solver that answers every problem alike."""

    def __init__(self, status, z=None, multiplier=None):
        self.answer = status, z, multiplier

    def propose(self, problem):
        status, z, multiplier = self.answer
        return Proposal(
            status,
            None if z is None else np.full(problem.n, z),
            None if multiplier is None else np.full(problem.n_inequality, multiplier),
        )


@pytest.fixture
def floor():
    return go.GaussProblem.create([[2.0]], load=[-19.62], Ai=[[1.0]], bi=[0.0])


def test_a_lying_solver_is_found_out(floor):
    lie = Says("solved", 100.0, 0.0)
    with pytest.raises(go.SolverError, match="certificate fails"):
        go.solve(floor, lie, fallback=())
    solution = go.solve(floor, lie)
    assert solution.x == 0.0
    assert solution.certificate.passes(1e-9)
    assert len(solution.attempts) == 1


def test_infeasible_is_believed_only_with_a_proof(floor):
    assert go.solve(floor, Says("infeasible")).x == 0.0
    clash = go.GaussProblem.create([1.0], load=[0.0], Ai=[[1.0], [-1.0]], bi=[1.0, 1.0])
    with pytest.raises(go.InfeasibleError) as caught:
        go.solve(clash)
    y = caught.value.certificate.multipliers
    assert (y >= 0).all()
    assert abs(y @ clash.Ai) < 1e-9
    assert y @ clash.bi > 0


def test_a_solver_that_returns_nan_is_passed_over(floor):
    solution = go.solve(floor, Says("solved", np.nan, np.nan))
    assert np.isfinite(solution.x).all()
    assert np.isfinite(solution.row_multipliers).all()


def test_the_same_input_gives_the_same_bits():
    def answer():
        rng = np.random.default_rng(7)
        solver = go.GaussSolver("osqp")
        rods = go.Holonomic("rod", lambda q, t: (q[2] - q[0]) ** 2 + (q[3] - q[1]) ** 2 - 1.0)
        floor = go.Contact("floor", lambda q, t: np.array([q[1], q[3]]))
        system = go.System([1.0, 1.0, 2.0, 2.0], [0, -9.81, 0, -19.62], [rods], [floor])
        states = rng.normal(size=(20, 2, 4))
        found = [go.accelerate(system, q, v, solver=solver, contacts=["floor"]) for q, v in states]
        return b"".join(a.acceleration.tobytes() + a.constraint_force.tobytes() for a in found)

    assert answer() == answer()


def test_a_file_with_objects_is_refused(tmp_path):
    ran = []

    class Trap:
        def __reduce__(self):
            return ran.append, (1,)

    path = tmp_path / "trap.npz"
    np.savez(path, header=np.array([Trap()], dtype=object))
    with pytest.raises(go.InputError):
        go.load_problem(path)
    assert not ran


@pytest.mark.parametrize("name", go.solvers.available())
def test_solving_is_silent_and_offline(name, floor, capfd, monkeypatch):
    def refuse(*arguments, **options):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    solver = go.GaussSolver(name, reuse_active_set=False, fallback=())
    for _ in range(3):
        solver.solve(floor)
    assert capfd.readouterr() == ("", "")
