"""The same acceleration under friction by every available route.

QP solvers with Tresca's bounds, Lemke's method and enumeration, each without the others; the
unsymmetric matrix of Lagrange multipliers; Udwadia and Kalaba's equation, with the friction of
sliding contacts as a non-ideal force; an oracle that shares nothing with any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from time import perf_counter

import numpy as np

from ...base.arrays import Array
from ...base.errors import GaussError, SolverError
from ...base.tolerances.base import TINY
from ...base.tolerances.mechanics import ROUTES_AGREE
from ...base.tolerances.qp import CERTIFIED
from ...qp import solvers
from ...qp.friction.certificate import certify_friction
from ...qp.friction.lemke import lemke_forces
from ...qp.friction.reduced import Reduced
from ...qp.friction.solution import FrictionSolution
from ...qp.friction.uniqueness import all_sets
from ...qp.gauss_solver import GaussSolver
from ...reference import closed_form, oracles
from ..crosscheck.comparison import Crosscheck, Route
from .routes import on_set

__all__ = ["compare_friction_routes"]

Answer = tuple[Array, Array | None]
MAX_CONTACTS = 5  # of which all sets are tried


def compare_friction_routes(
    reference: FrictionSolution,
    solver_names: Sequence[str] | None = None,
    tolerance: float = ROUTES_AGREE,
) -> Crosscheck:
    """Every route to the answer of a problem with friction that has been solved already.

    Where the answer is not unique a route may find another one, and the table shows it.
    """
    names = solvers.available() if solver_names is None else solver_names
    routes = [_route(f"Tresca by {name}", _by_solver(name, reference), reference) for name in names]
    routes += [_route(name, run, reference) for name, run in _others(reference)]
    return Crosscheck(reference.problem, reference, tuple(routes), tolerance)


def _by_solver(name: str, reference: FrictionSolution) -> Callable[[], Answer]:
    def run() -> Answer:
        solver = GaussSolver(name, fallback=(), reuse_active_set=False)
        answer = solver.solve_friction(reference.problem)
        return answer.x, answer.row_multipliers

    return run


def _others(reference: FrictionSolution) -> Iterator[tuple[str, Callable[[], Answer]]]:
    problem = reference.problem
    reduced = Reduced(problem)

    def lemke() -> Answer:
        for forces in lemke_forces(reduced):
            x, multipliers = reduced.answer(forces)
            if certify_friction(problem, x, multipliers, reduced).passes(CERTIFIED):
                return x, multipliers
        raise SolverError("no covering vector leads to an answer", problem)

    def enumeration() -> Answer:
        return _nearest([reduced.answer(f) for _, f in all_sets(reduced, CERTIFIED)], reference)

    if problem.in_space:
        return
    yield "Lemke", lemke
    few = problem.n_normal <= MAX_CONTACTS
    if few:
        yield "enumeration", enumeration
    if problem.preload.any():
        return
    yield "unsymmetric KKT matrix", lambda: (on_set(reference).x, None)
    if few and not problem.n_equality:
        yield "oracle", lambda: _nearest(_oracle(reference), reference)
    if not any(state == "stick" for state in reference.states):
        yield "Udwadia-Kalaba", lambda: (_udwadia_kalaba(reference), None)


def _oracle(reference: FrictionSolution) -> list[Answer]:
    problem = reference.problem
    smooth, nn = problem.smooth, problem.n_normal
    tangents, rhs, slide = np.zeros((nn, smooth.n)), np.zeros(nn), np.zeros(nn)
    tangents[problem.normal_of] = smooth.Ai[nn:]
    rhs[problem.normal_of], slide[problem.normal_of] = smooth.bi[nn:], problem.slide
    found = oracles.coulomb_answers(
        smooth.metric, smooth.load, smooth.Ae, smooth.be, smooth.Ai[:nn], smooth.bi[:nn],
        tangents, rhs, problem.friction, slide,
    )  # fmt: skip
    return [(answer.x, None) for answer in found]


def _nearest(answers: Sequence[Answer], reference: FrictionSolution) -> Answer:
    if not answers:
        raise SolverError("no set gives an answer", reference.problem)
    return min(answers, key=lambda answer: float(np.abs(answer[0] - reference.x).max()))


def _udwadia_kalaba(reference: FrictionSolution) -> Array:
    """The acceleration with the known friction forces as a non-ideal force."""
    smooth, nn = reference.problem.smooth, reference.problem.n_normal
    closed = np.array([state != "open" for state in reference.states])
    rows = np.concatenate([smooth.Ae, smooth.Ai[:nn][closed]])
    rhs = np.concatenate([smooth.be, smooth.bi[:nn][closed]])
    rub = reference.tangent_multipliers @ smooth.Ai[nn:]
    answer = closed_form.udwadia_kalaba(smooth.metric, smooth.load, rows, rhs, rub)
    return answer.acceleration


def _route(name: str, run: Callable[[], Answer], reference: FrictionSolution) -> Route:
    start, nan = perf_counter(), float("nan")
    try:
        x, multipliers = run()
    except (GaussError, ValueError, np.linalg.LinAlgError) as error:
        return Route(name, None, nan, nan, nan, perf_counter() - start, failure=str(error))
    seconds = perf_counter() - start
    reduced = reference.reduced
    white = reduced.white
    scale = float(np.linalg.norm(white.center) + np.linalg.norm(reference.x @ white.factor)) + TINY
    difference = float(np.linalg.norm((x - reference.x) @ white.factor)) / scale
    if multipliers is None:
        return Route(name, x, difference, nan, difference, seconds)
    forces = white.columns @ (multipliers - reference.row_multipliers)
    worst = certify_friction(reference.problem, x, multipliers, reduced).worst
    return Route(name, x, difference, float(np.linalg.norm(forces)) / scale, worst, seconds)
