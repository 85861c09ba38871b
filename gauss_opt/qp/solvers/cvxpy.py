"""cvxpy: the problem as one would write it on paper, and any solver that cvxpy knows.

``"cvxpy"`` uses Clarabel; ``"cvxpy:OSQP"``, ``"cvxpy:SCS"``, ... name another. The problem is
parametrised (DPP) and compiled once for each size.
"""

from __future__ import annotations

import warnings
from time import perf_counter
from typing import Any, NamedTuple

from ...base.errors import InputError
from ...base.tolerances.qp import CVXPY_CLARABEL_ACCURACY, CVXPY_SPLITTING_ACCURACY
from ..whitening import LeastDistance
from .interface import Adapter, Proposal

# cvxpy hands accuracy on in the words of each solver; the default accuracy of those that are not
# named here is good enough to find the active set.
_SPLITTING = {"eps_abs": CVXPY_SPLITTING_ACCURACY, "eps_rel": CVXPY_SPLITTING_ACCURACY}
_ACCURACY: dict[str, dict[str, Any]] = {
    "OSQP": {**_SPLITTING, "max_iter": 20_000, "polishing": False},
    "SCS": {**_SPLITTING, "max_iters": 50_000},
    "CLARABEL": dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), CVXPY_CLARABEL_ACCURACY),
}


class _Compiled(NamedTuple):
    problem: Any
    z: Any
    rows: list[Any]
    rhs: list[Any]
    inequality: Any


class Solver(Adapter):
    """Adapter for cvxpy."""

    package = "cvxpy"

    def __init__(self, option: str | None = None) -> None:
        self._solver = (option or "CLARABEL").upper()
        self._compiled: dict[tuple[int, int, int], _Compiled] = {}

    def propose(self, problem: LeastDistance) -> Proposal:
        import cvxpy

        if self._solver not in cvxpy.installed_solvers():
            known = ", ".join(cvxpy.installed_solvers())
            raise InputError(f"cvxpy has no solver {self._solver!r} installed; it has {known}")
        start = perf_counter()
        size = (problem.n, problem.n_equality, problem.n_inequality)
        compiled = self._compiled.get(size) or self._compiled.setdefault(size, _compile(*size))
        ne = problem.n_equality
        for block, part in enumerate((slice(None, ne), slice(ne, None))):
            if compiled.rows[block] is not None:
                compiled.rows[block].value = problem.rows[part]
                compiled.rhs[block].value = problem.rhs[part]
        setup = perf_counter() - start
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled.problem.solve(
                solver=self._solver, warm_start=False, **_ACCURACY.get(self._solver, {})
            )
        status = compiled.problem.status
        took = (getattr(compiled.problem.solver_stats, "num_iters", None), setup)
        if status.startswith("infeasible"):
            return Proposal("infeasible", None, None, *took)
        if compiled.z.value is None:
            return Proposal(status, None, None, *took)
        multipliers = None if compiled.inequality is None else compiled.inequality.dual_value
        return Proposal("solved", compiled.z.value, multipliers, *took)


def _compile(n: int, n_equality: int, n_inequality: int) -> _Compiled:
    import cvxpy as cp

    z = cp.Variable(n)
    sizes = (n_equality, n_inequality)
    rows = [cp.Parameter((m, n)) if m else None for m in sizes]
    rhs = [cp.Parameter(m) if m else None for m in sizes]
    equality = None if rows[0] is None else rows[0] @ z == rhs[0]
    inequality = None if rows[1] is None else rows[1] @ z >= rhs[1]
    constraints = [c for c in (equality, inequality) if c is not None]
    objective = cp.Minimize(0.5 * cp.sum_squares(z))
    return _Compiled(cp.Problem(objective, constraints), z, rows, rhs, inequality)
