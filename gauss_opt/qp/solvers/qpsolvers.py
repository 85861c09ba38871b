"""The qpsolvers bridge: ``"qpsolvers:quadprog"``, or any other backend it has installed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import csc_matrix

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

        dense = self._backend in qpsolvers.dense_solvers
        matrix = np.ascontiguousarray if dense else csc_matrix
        rows, rhs, ne = problem.rows, problem.rhs, problem.n_equality
        equality = (matrix(rows[:ne]), rhs[:ne]) if ne else (None, None)
        inequality = (matrix(-rows[ne:]), -rhs[ne:]) if problem.n_inequality else (None, None)
        plain = qpsolvers.Problem(
            matrix(np.eye(problem.n)), np.zeros(problem.n), *inequality, *equality
        )
        answer = qpsolvers.solve_problem(plain, solver=self._backend)
        took = (_iterations(answer.extras), _setup_seconds(answer))
        if not answer.found or answer.x is None:
            return Proposal(f"{self._backend} found no solution", None, None, *took)
        return Proposal("solved", answer.x, answer.z if problem.n_inequality else None, *took)


def _setup_seconds(answer: Any) -> float | None:
    """What it took to hand the problem over; qpsolvers before 4.12 does not measure it."""
    return getattr(answer, "build_time", None)


def _iterations(extras: Mapping[str, Any]) -> int | None:
    """The backend's count, under whichever name it gives it; None when it gives none."""
    info = extras.get("info", extras)
    for name in ("iter", "iterations"):
        count = extras.get(name, getattr(info, name, None))
        if count is not None:
            return int(np.sum(count))
    return None
