"""The qpsolvers bridge: ``"qpsolvers:quadprog"``, or any other backend it has installed."""

from __future__ import annotations

import numpy as np

from ...base.errors import InputError
from ..whitening import LeastDistance
from .interface import Adapter, Proposal


class Solver(Adapter):
    """Adapter for the backends of qpsolvers."""

    package = "qpsolvers"

    def __init__(self, option: str | None = None) -> None:
        import qpsolvers

        known = qpsolvers.available_solvers
        self._backend = option or ("quadprog" if "quadprog" in known else known[0])
        if self._backend not in known:
            raise InputError(
                f"qpsolvers has no backend {self._backend!r} installed; it has {', '.join(known)}"
            )

    def propose(self, problem: LeastDistance) -> Proposal:
        import qpsolvers

        ne = problem.n_equality
        equality = (problem.rows[:ne], problem.rhs[:ne]) if ne else (None, None)
        inequality = (
            (-problem.rows[ne:], -problem.rhs[ne:]) if problem.n_inequality else (None, None)
        )
        answer = qpsolvers.solve_problem(
            qpsolvers.Problem(np.eye(problem.n), np.zeros(problem.n), *inequality, *equality),
            solver=self._backend,
        )
        if not answer.found or answer.x is None:
            return Proposal(f"{self._backend} found no solution")
        return Proposal("solved", answer.x, answer.z if problem.n_inequality else None)
