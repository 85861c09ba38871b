"""The same acceleration by every available route, with the differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from time import perf_counter

import numpy as np
from numpy.typing import ArrayLike

from ...base.arrays import Array
from ...base.errors import GaussError
from ...base.tolerances.base import TINY
from ...base.tolerances.mechanics import ROUTES_AGREE
from ...model.snapshot import evaluate
from ...model.system import System
from ...qp import solvers
from ...qp.certificate import certify
from ...qp.friction.solution import FrictionSolution
from ...qp.gauss_solver import GaussSolver
from ...qp.problem import GaussProblem
from ...qp.solution import GaussSolution
from ...qp.whitening import Whitened, whiten
from ...reference import closed_form, oracles
from ..acceleration import accelerate_snapshot
from ..friction.crosscheck import compare_friction_routes
from .comparison import Crosscheck, Route

__all__ = ["compare_routes", "crosscheck"]

MAX_ENUMERATED = 10
Answer = tuple[Array, Array | None]


def crosscheck(
    system: System,
    q: ArrayLike,
    v: ArrayLike,
    t: float = 0.0,
    *,
    solver_names: Sequence[str] | None = None,
    contacts: Iterable[str] | None = None,
    tolerance: float = ROUTES_AGREE,
) -> Crosscheck:
    """Every route to the acceleration at a state, with the differences.

    A route that gives no answer is not one that disagrees: see :attr:`Crosscheck.agree`,
    :attr:`Crosscheck.unanswered` and :attr:`Crosscheck.ok`, which asks for both.

    Routes: each installed solver without substitutes; the Udwadia-Kalaba equation and the
    multiplier (KKT) matrix on the active set; with a singular mass the Udwadia-Phohomsiri
    equation; with inequalities the enumeration of active sets and a complementarity problem. With
    friction each solver's QPs of given bounds, Lemke's method, enumeration, the unsymmetric
    multiplier matrix, and the Udwadia-Kalaba equation where contacts slide.

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
    if isinstance(answer.solution, FrictionSolution):
        return compare_friction_routes(answer.solution, solver_names, tolerance)
    return compare_routes(answer.solution, answer.snapshot.force, answer.snapshot.nonideal,
                          solver_names, tolerance)  # fmt: skip


def compare_routes(
    reference: GaussSolution,
    force: Array | None = None,
    nonideal: Array | None = None,
    solver_names: Sequence[str] | None = None,
    tolerance: float = ROUTES_AGREE,
) -> Crosscheck:
    """Every route to the answer of a problem that has been solved already."""
    problem = reference.problem
    white = whiten(problem)
    names = solvers.available() if solver_names is None else solver_names
    for name in names:
        solvers.make(name)  # refuses a name that does not exist before anything runs
    routes = [_solver_route(name, reference, white) for name in names]
    for name, function in _closed_forms(reference, force, nonideal):
        routes.append(_route(name, function, reference, white))
    return Crosscheck(problem, reference, tuple(routes), tolerance)


def _solver_route(name: str, reference: GaussSolution, white: Whitened) -> Route:
    """A solver's route, with how far its own point is from the certified one."""
    route = _route(f"solver {name}", _by_solver(name), reference, white)
    if not len(white.rhs):  # free motion: there is nothing to ask, and some solvers crash on it
        return route
    try:
        asked = white.normalised()
        z = solvers.make(name).propose(asked).z
    except Exception as error:  # whatever a solver raises is its failure, not ours
        failure = route.failure or f"{type(error).__name__}: {error}"
        return replace(route, failure=failure)
    if z is None or np.shape(z) != np.shape(white.center):
        return route
    # The solver's z has the unit in which its right-hand side was written.
    unit = np.linalg.norm(white.unit().rhs) / (np.linalg.norm(asked.rhs) or 1.0) or 1.0
    certified = reference.x @ white.factor - white.center
    difference = float(np.linalg.norm(unit * z - certified) / _scale(reference, white))
    return replace(route, raw_difference=difference)


def _scale(reference: GaussSolution, white: Whitened) -> float:
    """Size of the terms that differences of accelerations are made of, whitened."""
    return float(np.linalg.norm(white.center) + np.linalg.norm(reference.x @ white.factor) + TINY)


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
        return Route(name, None, nan, nan, nan, perf_counter() - start, failure=str(error))
    seconds = perf_counter() - start
    scale = _scale(reference, white)
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
