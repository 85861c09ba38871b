"""Proof that a problem has no feasible point: found here, whatever a solver says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.optimize import nnls

from ..base.arrays import Array
from ..base.errors import InfeasibleError
from ..base.tolerances.qp import FARKAS_NAMED, FARKAS_USED
from .active_set import pivot
from .certificate import FarkasCertificate, verify_farkas
from .problem import GaussProblem
from .whitening import LeastDistance, Whitened

__all__ = ["find_farkas", "infeasible"]


def find_farkas(problem: LeastDistance) -> FarkasCertificate | None:
    """A verified Farkas certificate, or None when none was found."""
    for y in _candidates(problem):
        certificate = verify_farkas(problem, _polished(problem, y))
        if certificate is not None:
            return certificate
    return None


def _candidates(problem: LeastDistance) -> Iterator[Array]:
    """Multipliers that may prove infeasibility, from two methods with nothing in common."""
    if not len(problem.rhs):
        return
    ne = problem.n_equality
    system = np.vstack([problem.rows.T, problem.rhs])
    system = np.hstack([system, -system[:, :ne]])
    goal = np.zeros(len(system))
    goal[-1] = 1.0
    try:
        y, _ = nnls(system, goal)
        m = len(problem.rhs)
        combined = y[:m].copy()
        combined[:ne] -= y[m:]
        yield combined
    except RuntimeError:  # nnls met its limit of iterations
        pass
    try:
        ray = pivot(problem).farkas
    except (ArithmeticError, np.linalg.LinAlgError):
        return
    if ray is not None:
        yield ray


def _polished(problem: LeastDistance, y: Array) -> Array:
    """y without the part of B'y that is left over from an inexact method, on the rows it uses."""
    used = np.flatnonzero(np.abs(y) > FARKAS_USED * np.abs(y).max(initial=0.0))
    columns = problem.rows[used].T
    polished = np.zeros(len(y))
    polished[used] = y[used] - np.linalg.lstsq(columns, columns @ y[used], rcond=None)[0]
    return polished


def infeasible(
    problem: GaussProblem, white: Whitened, certificate: FarkasCertificate
) -> InfeasibleError:
    """The error that names the constraints in a verified conflict."""
    weights = np.abs(certificate.multipliers) / np.abs(certificate.multipliers).max()
    involved = [problem.names[i] for i in np.flatnonzero(weights > FARKAS_NAMED)]
    names = tuple(dict.fromkeys(involved))
    listed = ", ".join(repr(name) for name in names)
    verb = "cannot be satisfied" if len(names) == 1 else "contradict each other"
    return InfeasibleError(
        f"the constraints of this {problem.kind} problem {verb}: {listed}. "
        f"A Farkas certificate proves it (residual {certificate.residual:.1e}); "
        f"drop or change one of them",
        problem,
        names,
        certificate,
    )
