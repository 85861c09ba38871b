"""From a problem to a certified answer: the last active set first, then solver after solver.

A solver proposes the active set; x comes from the exact solution of that set and is accepted only
with its certificate. When the certificate fails, the next solver of the ladder is asked.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Thread

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from . import solvers
from .active_set import Indices, SetSolution, least_multipliers, solve_set, solve_unit_rows
from .certificate import Certificate, residuals
from .errors import InputError, SolverError
from .infeasibility import find_farkas, infeasible
from .problem import Array, GaussProblem
from .solution import GaussSolution
from .solvers import Adapter, Proposal
from .whiten import LeastDistance, Whitened, factorise, whiten

__all__ = ["DEFAULT_LADDER", "Counts", "GaussSolver", "solve"]

log = logging.getLogger(__name__)

DEFAULT_LADDER = ("daqp", "active_set", "nnls")
"""Who is asked, in this order, after the chosen solver has failed."""

# A multiplier or a slack below this, on the scale of the problem, may be zero.
WEAK = 1e-9

# How small a multiplier must be, relative to the largest, for a solver to mean "inactive".
PROPOSED = (1e-7, 1e-10, 1e-4)


@dataclass(slots=True)
class Counts:
    """How the problems were solved.

    Attributes
    ----------
    qp_total : int
        Problems solved.
    qp_from_active_set : int
        Of these, without asking a solver.
    qp_solver_calls : int
        Calls of solvers, failed ones included.
    qp_fallbacks : int
        Solver calls whose answer failed, so that the next solver was asked.
    """

    qp_total: int = 0
    qp_from_active_set: int = 0
    qp_solver_calls: int = 0
    qp_fallbacks: int = 0


class GaussSolver:
    """A solver with its ladder of substitutes, the last active sets, and counters.

    Keep one for a series of similar problems: workspaces, the factor of a constant mass and the
    active set are then reused.

    Parameters
    ----------
    solver : str or Adapter
        Name of the solver to ask first (see :func:`gauss_opt.solvers.available`).
    fallback : sequence of str
        Solvers to ask after it. Empty: nobody.
    tolerance : float
        Largest residual of an accepted certificate.
    reuse_active_set : bool
        Try the last active set first. False sends every problem to the solver.
    time_limit : float, optional
        Seconds after which a solver that has not answered is given up on.

    Examples
    --------
    >>> solver = GaussSolver("daqp")
    >>> problem = GaussProblem.create([1.0, 1.0], target=[-1.0, 2.0], Ai=np.eye(2), bi=[0, 0])
    >>> solver.solve(problem).x
    array([0., 2.])
    >>> solver.solve(problem).solver
    'active set'
    """

    def __init__(
        self,
        solver: str | Adapter = "osqp",
        *,
        fallback: Sequence[str] = DEFAULT_LADDER,
        tolerance: float = 1e-9,
        reuse_active_set: bool = True,
        time_limit: float | None = None,
    ) -> None:
        if not 0.0 < tolerance < 1.0:
            raise InputError(f"tolerance must be between 0 and 1, got {tolerance}")
        if isinstance(solver, str):
            self.name = solver
            self._adapters: dict[str, Adapter] = {solver: solvers.make(solver)}
        else:
            self.name = type(solver).__name__
            self._adapters = {self.name: solver}
        self.ladder = (self.name, *(name for name in fallback if name != self.name))
        self.tolerance = tolerance
        self.reuse_active_set = reuse_active_set
        self.time_limit = time_limit
        self.counts = Counts()
        self._sets: dict[tuple[str, tuple[str, ...]], Indices] = {}
        self._metric: Array | None = None
        self._factor: Array | None = None

    def solve(self, problem: GaussProblem) -> GaussSolution:
        """The certified minimiser of a problem.

        Raises
        ------
        InfeasibleError
            With a verified certificate and the names of the constraints in conflict.
        SolverError
            When no solver of the ladder gave an answer that passes.
        MassError
            When the mass is singular and the equalities do not make up for it.
        """
        counts = self.counts
        counts.qp_total += 1
        white = whiten(problem, self._known_factor(problem.metric))
        if self.reuse_active_set or not len(problem.rhs):
            working = self._remembered(problem)
            if working is not None:
                solution = self._accept(problem, white, working, "active set", ())
                if not isinstance(solution, Certificate):
                    counts.qp_from_active_set += 1
                    return solution
        solution = self._climb(problem, white)
        if problem.n_equality < len(problem.rhs):
            self._remember(problem, solution.working)
        return solution

    def _known_factor(self, metric: Array) -> Array | None:
        """The factor of the metric; a constant mass is one array, factorised once."""
        if metric is not self._metric:
            self._metric, self._factor = metric, factorise(metric)
        return self._factor

    def _remembered(self, problem: GaussProblem) -> Indices | None:
        if problem.n_equality == len(problem.rhs):
            return np.arange(problem.n_equality)
        return self._sets.get((problem.kind, problem.names))

    def _remember(self, problem: GaussProblem, working: Indices) -> None:
        if len(self._sets) > 1000:
            self._sets.clear()
        self._sets[problem.kind, problem.names] = working

    def _climb(self, problem: GaussProblem, white: Whitened) -> GaussSolution:
        unit = white.unit()
        attempts: list[tuple[str, str]] = []
        looked_for_proof = False
        for name in self.ladder:
            self.counts.qp_solver_calls += 1
            proposal = self._ask(name, unit)
            reason = proposal.status
            for working in proposed_sets(unit, proposal):
                solution = self._accept(problem, white, working, name, tuple(attempts))
                if not isinstance(solution, Certificate):
                    return solution
                reason = f"certificate fails ({solution})"
            attempts.append((name, reason))
            self.counts.qp_fallbacks += 1
            log.info("solver %s failed on a %s problem: %s", name, problem.kind, reason)
            if not looked_for_proof:
                looked_for_proof = True
                proof = find_farkas(unit)
                if proof is not None:
                    raise infeasible(problem, white, proof)
        listed = "; ".join(f"{name}: {reason}" for name, reason in attempts)
        raise SolverError(
            f"no solver gave a certified answer to this {problem.kind} problem ({listed}). "
            f"Save it with gauss_opt.save_problem(error.problem, ...) and try another solver, or "
            f"look for nearly dependent or nearly contradictory constraints",
            problem,
            tuple(attempts),
        )

    def _ask(self, name: str, problem: LeastDistance) -> Proposal:
        """A solver's proposal; whatever it raises becomes a status."""
        try:
            adapter = self._adapters.get(name)
            if adapter is None:
                adapter = self._adapters[name] = solvers.make(name)
            if self.time_limit is None:
                return adapter.propose(problem)
            return _within(self.time_limit, adapter, problem)
        except InputError:
            raise
        except Exception as error:
            return Proposal(f"{type(error).__name__}: {error}")

    def _accept(
        self,
        problem: GaussProblem,
        white: Whitened,
        working: Indices,
        solver: str,
        attempts: tuple[tuple[str, str], ...],
    ) -> GaussSolution | Certificate:
        """The solution on a working set if it passes, otherwise the certificate that fails."""
        answer = solve_set(white, working)
        x = white.point(answer.z)
        certificate = residuals(problem, white, x, answer.z, answer.multipliers)
        passes = certificate.passes(self.tolerance)
        if answer.rank < len(working) or _weak(white, answer):
            fair = self._fair(problem, white, answer, certificate)
            if fair is not None:
                return GaussSolution(problem, *fair, solver, attempts)
            return (
                GaussSolution(
                    problem, x, answer.multipliers, working, False, certificate, solver, attempts
                )
                if passes
                else certificate
            )
        if not passes:
            return certificate
        return GaussSolution(
            problem, x, answer.multipliers, working, True, certificate, solver, attempts
        )

    def _fair(
        self, problem: GaussProblem, white: Whitened, answer: SetSolution, certificate: Certificate
    ) -> tuple[Array, Array, Indices, bool, Certificate] | None:
        """x, multipliers, working rows, uniqueness and certificate with redundant or weak rows.

        Every row that holds with equality may carry force. The multipliers of least norm do not
        depend on who proposed the active set, and neither does x solved from the rows that carry.
        """
        if max(certificate.equality, certificate.inequality) > self.tolerance:
            return None
        unit = white.unit()
        holding = np.concatenate([np.arange(unit.n_equality), _touching(white, answer.z)])
        duals = least_multipliers(unit, answer.z, holding)
        if duals is None:
            return None
        threshold = WEAK * np.abs(duals).max(initial=0.0)
        carrying = holding[(holding < unit.n_equality) | (duals[holding] > threshold)]
        z = solve_set(white, carrying).z
        x = white.point(z)
        multipliers = duals / white.lengths
        proof = residuals(problem, white, x, z, multipliers)
        if not proof.passes(self.tolerance):
            return None
        unique = solve_unit_rows(unit, holding).rank == len(holding)
        return x, multipliers, carrying, unique, proof


def solve(
    problem: GaussProblem, solver: str | Adapter | GaussSolver = "osqp", **options: object
) -> GaussSolution:
    """Solve one problem. For a series keep a :class:`GaussSolver` and pass that.

    Parameters
    ----------
    problem : GaussProblem
        What to solve.
    solver : str, Adapter or GaussSolver
        Whom to ask first.
    **options
        Handed to :class:`GaussSolver`.

    Examples
    --------
    A beam of unit weight on three supports: the rows are dependent, the forces not unique. Those
    of least norm (for unit whitened rows) push at all three.

    >>> beam = GaussProblem.create(
    ...     [1.0, 1 / 3], load=[-1.0, 0.0], Ai=[[1, -1], [1, 0], [1, 1]], bi=[0, 0, 0],
    ...     inequality_names=["left", "middle", "right"])
    >>> solution = solve(beam, "daqp")
    >>> solution.inequality_multipliers.round(6), solution.unique
    (array([0.166667, 0.666667, 0.166667]), False)
    """
    if isinstance(solver, GaussSolver):
        if options:
            raise InputError("options belong to the GaussSolver that is given; drop them here")
        return solver.solve(problem)
    return GaussSolver(solver, **options).solve(problem)  # type: ignore[arg-type]


def proposed_sets(problem: LeastDistance, proposal: Proposal) -> Iterator[Indices]:
    """Working sets that a proposal can mean, the most likely first.

    The rows with a multiplier, for one idea of zero after another; then the rows that touch z.
    """
    if proposal.status != "solved":
        return
    ne = problem.n_equality
    equalities = np.arange(ne)
    seen: set[bytes] = set()
    for active in _active_rows(problem, proposal):
        if active.tobytes() not in seen:
            seen.add(active.tobytes())
            yield np.concatenate([equalities, ne + np.flatnonzero(active)])


def _active_rows(problem: LeastDistance, proposal: Proposal) -> Iterator[NDArray[np.bool_]]:
    multipliers, z = proposal.multipliers, proposal.z
    if multipliers is not None:
        multipliers = np.asarray(multipliers, dtype=float)
        if multipliers.shape != (problem.n_inequality,) or not np.isfinite(multipliers).all():
            return
        largest = multipliers.max(initial=0.0)
        for zero in PROPOSED:
            yield multipliers > zero * largest
    if z is not None:
        z = np.asarray(z, dtype=float)
        if z.shape != (problem.n,) or not np.isfinite(z).all():
            return
        yield problem.slack(z) <= PROPOSED[0] * (1e-300 + np.linalg.norm(z))


def _slack(white: Whitened, z: Array) -> tuple[Array, Array]:
    """Slack of the inequality rows at z, relative, and the lengths of these rows."""
    ne = white.n_equality
    lengths = white.lengths[ne:]
    scale = np.abs(white.rhs[ne:]) + lengths * np.linalg.norm(z) + 1e-300
    slack = blas.dgemv(1.0, white.columns[:, ne:], z, -1.0, white.rhs[ne:], trans=1)
    return slack / scale, lengths


def _weak(white: Whitened, answer: SetSolution) -> bool:
    """Whether a row has neither force nor slack: then the active set is not unique."""
    if white.n_equality == len(white.rhs):
        return False
    slack, lengths = _slack(white, answer.z)
    forces = answer.multipliers[white.n_equality :] * lengths
    size = np.linalg.norm(answer.z) + 1e-300
    return bool((np.maximum(np.abs(slack), forces / size) <= WEAK).any())


def _touching(white: Whitened, z: Array) -> Indices:
    """Inequality rows that hold with equality at z."""
    if white.n_equality == len(white.rhs):
        return np.arange(0)
    return white.n_equality + np.flatnonzero(_slack(white, z)[0] <= WEAK)


def _within(seconds: float, adapter: Adapter, problem: LeastDistance) -> Proposal:
    """Ask in a thread of its own, and give up waiting after a while."""
    answers: list[Proposal | Exception] = []

    def ask() -> None:
        try:
            answers.append(adapter.propose(problem))
        except Exception as error:
            answers.append(error)

    thread = Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    if not answers:
        return Proposal(f"no answer within {seconds:g} s")
    if isinstance(answers[0], Exception):
        raise answers[0]
    return answers[0]
