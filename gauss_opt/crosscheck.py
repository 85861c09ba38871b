"""The same acceleration by every route there is, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike

from . import closed_form, oracles, solvers
from .acceleration import accelerate_snapshot
from .certificate import certify
from .errors import GaussError
from .ladder import GaussSolver
from .problem import Array, GaussProblem
from .snapshot import evaluate
from .solution import GaussSolution
from .system import System
from .whiten import Whitened, whiten

__all__ = ["Crosscheck", "Route", "crosscheck"]

MAX_ENUMERATED = 10


@dataclass(frozen=True)
class Route:
    """One way to the acceleration.

    Attributes
    ----------
    name : str
        The solver, or the closed form.
    acceleration : (nv,) array or None
        What it found; None when it failed.
    acceleration_difference : float
        Distance to the reference in the mass metric, relative.
    multiplier_difference : float
        Difference of the constraint forces that the multipliers make, relative; it does not
        depend on how redundant constraints share them. NaN where the route gives none.
    residual : float
        Worst residual of the optimality conditions; without multipliers, of the constraints.
    seconds : float
        Time taken.
    failure : str
        Why it failed, if it did.
    """

    name: str
    acceleration: Array | None
    acceleration_difference: float
    multiplier_difference: float
    residual: float
    seconds: float
    failure: str = ""


@dataclass(frozen=True)
class Crosscheck:
    """All routes at one state; print it for a table."""

    problem: GaussProblem
    reference: GaussSolution
    routes: tuple[Route, ...]
    tolerance: float

    @property
    def ok(self) -> bool:
        """Whether every route answered, within the tolerance of the reference."""
        return all(
            not route.failure
            and route.acceleration_difference <= self.tolerance
            and not route.multiplier_difference > self.tolerance
            and route.residual <= self.tolerance
            for route in self.routes
        )

    @property
    def worst(self) -> float:
        """Largest relative difference between accelerations."""
        return max((r.acceleration_difference for r in self.routes if not r.failure), default=0.0)

    def __str__(self) -> str:
        verdict = "agree" if self.ok else "DISAGREE"
        lines = [
            f"{self.problem}",
            f"reference: {self.reference.solver}, a = "
            f"{np.array2string(self.reference.x, precision=8, threshold=8)}",
            f"{'route':<24}{'acceleration':>14}{'multipliers':>14}{'residual':>12}{'time':>12}",
        ]
        for r in self.routes:
            if r.failure:
                lines.append(f"{r.name:<24}  {r.failure}")
                continue
            multipliers = (
                "-" if np.isnan(r.multiplier_difference) else f"{r.multiplier_difference:.1e}"
            )
            lines.append(
                f"{r.name:<24}{r.acceleration_difference:>14.1e}{multipliers:>14}"
                f"{r.residual:>12.1e}{1e6 * r.seconds:>9.0f} us"
            )
        lines.append(f"all routes {verdict} to {self.tolerance:g}")
        return "\n".join(lines)

    __repr__ = __str__


def crosscheck(
    system: System,
    q: ArrayLike,
    v: ArrayLike,
    t: float = 0.0,
    *,
    solver_names: Sequence[str] | None = None,
    contacts: Iterable[str] | None = None,
    tolerance: float = 1e-8,
) -> Crosscheck:
    """Every route to the acceleration at a state, with the differences.

    Routes: each installed solver without substitutes; the Udwadia-Kalaba equation and the
    multiplier (KKT) matrix on the active set; with a singular mass the Udwadia-Phohomsiri
    equation; with inequalities the enumeration of active sets and a complementarity problem.

    Parameters
    ----------
    solver_names : sequence of str, optional
        Solvers to compare; all installed ones by default.
    contacts : iterable of str, optional
        As for :func:`build_acceleration`.
    tolerance : float
        For ``ok``.

    Examples
    --------
    >>> from gauss_opt import Holonomic, System, crosscheck
    >>> rod = Holonomic("rod", lambda q, t: q[0]**2 + q[1]**2 - 1.0)
    >>> pendulum = System([1.0, 1.0], [0.0, -9.81], [rod])
    >>> crosscheck(pendulum, [0.6, -0.8], [0.8, 0.6], solver_names=["daqp", "nnls"]).ok
    True
    """
    snapshot = evaluate(system, q, v, t)
    answer = accelerate_snapshot(snapshot, GaussSolver("daqp"), contacts=contacts)
    return compare_routes(answer.solution, answer.snapshot.force, answer.snapshot.nonideal,
                          solver_names, tolerance)  # fmt: skip


def compare_routes(
    reference: GaussSolution,
    force: Array | None = None,
    nonideal: Array | None = None,
    solver_names: Sequence[str] | None = None,
    tolerance: float = 1e-8,
) -> Crosscheck:
    """Every route to the answer of a problem that is solved already."""
    problem = reference.problem
    white = whiten(problem)
    names = solvers.available() if solver_names is None else solver_names
    routes = [_route(f"solver {name}", _by_solver(name), reference, white) for name in names]
    for name, function in _closed_forms(reference, force, nonideal):
        routes.append(_route(name, function, reference, white))
    return Crosscheck(problem, reference, tuple(routes), tolerance)


Answer = tuple[Array, Array | None]


def _by_solver(name: str) -> Callable[[GaussProblem], Answer]:
    def run(problem: GaussProblem) -> Answer:
        solution = GaussSolver(name, fallback=(), reuse_active_set=False).solve(problem)
        return solution.x, solution.row_multipliers

    return run


def _closed_forms(
    reference: GaussSolution, force: Array | None, nonideal: Array | None
) -> Iterable[tuple[str, Callable[[GaussProblem], Answer]]]:
    problem, working = reference.problem, reference.working
    rows, rhs = problem.rows[working], problem.rhs[working]
    Q = problem.load if force is None else force

    def spread(multipliers: Array) -> Array:
        result = np.zeros(len(problem.rhs))
        result[working] = multipliers
        return result

    def udwadia_kalaba(problem: GaussProblem) -> Answer:
        answer = closed_form.udwadia_kalaba(problem.metric, Q, rows, rhs, nonideal)
        return answer.acceleration, spread(answer.multipliers)

    def udwadia_phohomsiri(problem: GaussProblem) -> Answer:
        return closed_form.udwadia_phohomsiri(problem.metric, problem.load, rows, rhs), None

    def kkt(problem: GaussProblem) -> Answer:
        x, multipliers = closed_form.kkt(problem.metric, problem.load, rows, rhs)
        return x, spread(multipliers)

    def by_oracle(oracle: Callable[..., oracles.OracleSolution]) -> Callable[..., Answer]:
        def run(problem: GaussProblem) -> Answer:
            answer = oracle(
                problem.metric, problem.load, problem.Ae, problem.be, problem.Ai, problem.bi
            )
            parts = [answer.equality_multipliers, answer.inequality_multipliers]
            return answer.x, np.concatenate(parts)

        return run

    if _positive_definite(problem.metric):
        yield "Udwadia-Kalaba", udwadia_kalaba
    else:
        yield "Udwadia-Phohomsiri", udwadia_phohomsiri
    yield "KKT matrix", kkt
    if problem.n_inequality:
        yield "complementarity (LCP)", by_oracle(oracles.lcp)
        if problem.n_inequality <= MAX_ENUMERATED:
            yield "enumeration", by_oracle(oracles.enumerate_active_sets)


def _positive_definite(metric: Array) -> bool:
    try:
        np.linalg.cholesky(metric)
    except np.linalg.LinAlgError:
        return False
    return True


def _route(
    name: str, run: Callable[[GaussProblem], Answer], reference: GaussSolution, white: Whitened
) -> Route:
    problem = reference.problem
    start = perf_counter()
    try:
        x, multipliers = run(problem)
    except (GaussError, ValueError, np.linalg.LinAlgError) as error:
        nan = float("nan")
        return Route(name, None, nan, nan, nan, perf_counter() - start, str(error))
    seconds = perf_counter() - start
    scale = np.linalg.norm(white.center) + np.linalg.norm(reference.x @ white.factor) + 1e-300
    difference = float(np.linalg.norm((x - reference.x) @ white.factor) / scale)
    if multipliers is None:
        misfit = np.abs(problem.rows @ x - problem.rhs) / white.lengths / scale
        used = misfit[reference.working]
        return Route(name, x, difference, float("nan"), float(used.max(initial=0.0)), seconds)
    forces = white.columns @ (multipliers - reference.row_multipliers)
    return Route(
        name,
        x,
        difference,
        float(np.linalg.norm(forces) / scale),
        certify(problem, x, multipliers, white).worst,
        seconds,
    )
