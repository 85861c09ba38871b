"""From a problem to a certified answer: the last active set first, then solver after solver.

A solver proposes the active set; x comes from the exact solution of that set and is accepted only
with its certificate. When the certificate fails, the next solver of the ladder is asked.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from threading import Thread

import numpy as np
from scipy.linalg import blas

from ..base.arrays import Array, Indices
from ..base.errors import InputError, SolverError
from ..base.lazy import made
from ..base.matrices import factorise
from . import solvers
from .active_set import SetSolution, least_multipliers, pivot, solve_set, solve_unit_rows
from .certificate import CANCELLING, Certificate, residuals
from .infeasibility import find_farkas, infeasible
from .problem import GaussProblem
from .proposals import checked, proposed_sets
from .solution import GaussSolution
from .solvers import Adapter, Proposal
from .whitening import LeastDistance, Whitened, whiten

__all__ = ["DEFAULT_LADDER", "Counts", "GaussSolver", "solve"]

log = logging.getLogger(__name__)

DEFAULT_LADDER = ("daqp", "active_set", "nnls")
"""Who is asked, in this order, after the chosen solver has failed."""

# A multiplier or a slack below this, on the scale of the problem, may be zero.
WEAK = 1e-9

# A violation or a negative multiplier above this is more than round-off.
SHARP = 1e-13

# A certificate that fails by no more than this may fail by round-off only.
NEARLY = 1e-4


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

    def __sub__(self, other: Counts) -> Counts:
        """What has been added since."""
        return Counts(*(a - b for a, b in zip(astuple(self), astuple(other), strict=True)))


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
    guess_active_set : bool
        Where there is no last active set, try the rows that the free motion violates.
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
        guess_active_set: bool = False,
        time_limit: float | None = None,
    ) -> None:
        if not 0.0 < tolerance < 1.0:
            raise InputError(f"tolerance must be between 0 and 1, got {tolerance}")
        if isinstance(solver, str):
            self.name = solver
            self._adapters: dict[str, Adapter] = {solver: solvers.make(solver)}
        else:
            self.name = _name_of(solver)
            self._adapters = {self.name: solver}
        fallback = (fallback,) if isinstance(fallback, str) else tuple(fallback)
        solvers.require_known(*fallback)
        self.ladder = (self.name, *(name for name in fallback if name != self.name))
        self.tolerance = tolerance
        self.reuse_active_set = reuse_active_set
        self.guess_active_set = guess_active_set
        if time_limit is not None and not time_limit > 0.0:
            raise InputError(f"time_limit must be positive, got {time_limit}")
        self.time_limit = time_limit
        self.counts = Counts()
        self._recorded: list[GaussProblem] | None = None
        self._sets: dict[tuple[str, tuple[str, ...]], Indices] = {}
        self._metric: Array | None = None
        self._factor: Array | None = None
        self._late: dict[str, Thread] = {}

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
        if self._recorded is not None:
            self._recorded.append(problem)
        white = whiten(problem, self._known_factor(problem.metric))
        if self.reuse_active_set or not len(problem.rhs):
            working = self._remembered(problem)
            if working is None and self.guess_active_set:
                working = _violated(white)
                self._remember(problem, working)
            if working is not None:
                solution = self._accept(problem, white, working, "active set", ())
                if not isinstance(solution, Certificate):
                    counts.qp_from_active_set += 1
                    return self._sharpened(white, solution)
        solution = self._climb(problem, white)
        if problem.n_equality < len(problem.rhs):
            self._remember(problem, solution.working)
        return solution

    @contextmanager
    def recording(self) -> Iterator[list[GaussProblem]]:
        """Keep every problem that is solved meanwhile, solvable or not, in the list it gives.

        >>> solver = GaussSolver("daqp")
        >>> with solver.recording() as problems:
        ...     _ = solver.solve(GaussProblem.create([1.0], target=[2.0]))
        >>> len(problems)
        1
        """
        before, self._recorded = self._recorded, []
        try:
            yield self._recorded
        finally:
            self._recorded = before

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
        attempts: list[tuple[str, str]] = []
        looked_for_proof = False
        for name in self.ladder:
            self.counts.qp_solver_calls += 1
            unit = white.normalised()  # a new one: solvers have been seen to write into it
            proposal = self._ask(name, unit)
            reason = proposal.status
            for working in proposed_sets(unit, proposal):
                solution = self._accept(problem, white, working, name, tuple(attempts))
                if not isinstance(solution, Certificate):
                    return self._sharpened(white, solution)
                reason = f"certificate fails ({solution})"
            attempts.append((name, reason))
            self.counts.qp_fallbacks += 1
            log.info("solver %s failed on a %s problem: %s", name, problem.kind, reason)
            if not looked_for_proof:
                looked_for_proof = True
                proof = find_farkas(white.normalised())
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

    def _sharpened(self, white: Whitened, solution: GaussSolution) -> GaussSolution:
        """The same solution, unless it stays within the tolerance only just.

        The right active set leaves round-off. What is more comes from a row that a solver, with a
        tolerance of its own, took for inactive or active: then a few pivots lead to the right set.
        """
        found = solution.certificate
        if max(found.equality, found.inequality, found.dual) <= SHARP:
            return solution
        if white.n_equality == len(white.rhs):
            return solution
        unit = white.normalised()
        inequalities = solution.working[solution.working >= unit.n_equality]
        try:
            result = pivot(unit, inequalities)
        except (ArithmeticError, np.linalg.LinAlgError):
            return solution
        if result.farkas is not None:
            return solution
        working = np.union1d(np.arange(unit.n_equality), result.working)
        better = self._accept(solution.problem, white, working, solution.solver, solution.attempts)
        if isinstance(better, Certificate) or better.certificate.worst > found.worst:
            return solution
        return better

    def _ask(self, name: str, problem: LeastDistance) -> Proposal:
        """A solver's proposal; whatever it raises becomes a status."""
        try:
            adapter = self._adapters.get(name)
            if adapter is None:
                adapter = self._adapters[name] = solvers.make(name)
            if self.time_limit is None:
                return checked(adapter.propose(problem), problem)
            if name in self._late and self._late[name].is_alive():
                return Proposal("still busy with an earlier problem")
            return checked(self._within(self.time_limit, name, adapter, problem), problem)
        except (InputError, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # a panic of a Rust extension is not an Exception
            return Proposal(f"{type(error).__name__}: {error}")

    def _within(
        self, seconds: float, name: str, adapter: Adapter, problem: LeastDistance
    ) -> Proposal:
        """Ask in a thread of its own, and give up waiting after a while."""
        answers: list[Proposal | BaseException] = []

        def ask() -> None:
            try:
                answers.append(adapter.propose(problem))
            except BaseException as error:
                answers.append(error)

        thread = Thread(target=ask, daemon=True)
        thread.start()
        thread.join(seconds)
        if not answers:
            self._late[name] = thread
            return Proposal(f"no answer within {seconds:g} s")
        if isinstance(answers[0], BaseException):
            raise answers[0]
        return answers[0]

    def _accept(
        self,
        problem: GaussProblem,
        white: Whitened,
        working: Indices,
        solver: str,
        attempts: tuple[tuple[str, str], ...],
    ) -> GaussSolution | Certificate:
        """The solution on a working set if it passes, otherwise the certificate that fails."""
        answer, x, certificate = self._on_set(problem, white, working)
        passes = certificate.passes(self.tolerance)
        if answer.rank < len(working) or _weak(white, answer):
            fair = self._fair(problem, white, answer, certificate)
            if fair is not None:
                return GaussSolution(problem, *fair, solver, attempts)
            unique = False
        else:
            unique = True
        if not passes:
            return certificate
        return made(
            GaussSolution,
            problem=problem,
            x=x,
            row_multipliers=answer.multipliers,
            working=working,
            unique=unique,
            certificate=certificate,
            solver=solver,
            attempts=attempts,
        )

    def _on_set(
        self, problem: GaussProblem, white: Whitened, working: Indices
    ) -> tuple[SetSolution, Array, Certificate]:
        """The exact answer on a working set, x, and its certificate.

        The Gram matrix of the rows squares their condition number. Where that may be why the
        certificate fails, the rows are solved again without it.
        """
        answer = solve_set(white, working)
        x = white.point(answer.z)
        certificate = residuals(problem, white, x, answer.z, answer.multipliers)
        if certificate.passes(self.tolerance) or not certificate.passes(NEARLY):
            return answer, x, certificate
        answer = solve_unit_rows(white.unit(), working)
        answer = answer._replace(multipliers=answer.multipliers / white.lengths)
        x = white.point(answer.z)
        return answer, x, residuals(problem, white, x, answer.z, answer.multipliers)

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
        threshold = WEAK * max(_reach(white, answer.z), np.abs(duals).max(initial=0.0))
        carrying = holding[(holding < unit.n_equality) | (duals[holding] > threshold)]
        (z, multipliers, rank, _), x, _ = self._on_set(problem, white, carrying)
        # From here on everything follows from this z, which is the same whoever proposed.
        holding = np.concatenate([np.arange(unit.n_equality), _touching(white, z)])
        if rank < len(carrying):
            if (z != answer.z).any():
                duals = least_multipliers(unit, z, holding)
                if duals is None:
                    return None
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


def _name_of(solver: Adapter) -> str:
    """The class; of a class that is just called Solver, as ours are, the module."""
    name = type(solver).__name__
    return name if name != "Solver" else type(solver).__module__.rpartition(".")[2]


def _reach(white: Whitened, z: Array) -> float:
    """The length of z, or that of its round-off."""
    reach: float = blas.dnrm2(z) + CANCELLING * blas.dnrm2(white.center) + 1e-300
    return reach


def _slack(white: Whitened, z: Array) -> Array:
    """Slack of the inequality rows at z, relative."""
    ne = white.n_equality
    rhs = white.rhs[ne:]
    scale = np.abs(rhs) + white.lengths[ne:] * _reach(white, z)
    slack: Array = blas.dgemv(1.0, white.columns[:, ne:], z, -1.0, rhs, trans=1) / scale
    return slack


def _weak(white: Whitened, answer: SetSolution) -> bool:
    """Whether a row has neither force nor slack: then the active set is not unique."""
    if white.n_equality == len(white.rhs):
        return False
    forces = answer.multipliers * white.lengths
    size = _reach(white, answer.z)
    if min(forces.tolist()[white.n_equality :]) > WEAK * size:
        return False  # every row pushes, so no slack needs to be looked at
    slack = np.abs(_slack(white, answer.z))
    return bool((np.maximum(slack, forces[white.n_equality :] / size) <= WEAK).any())


def _violated(white: Whitened) -> Indices:
    """The equalities, and the inequality rows that do not hold at z = 0."""
    rows = np.arange(len(white.rhs))
    violated: Indices = rows[(rows < white.n_equality) | (white.rhs > 0.0)]
    return violated


def _touching(white: Whitened, z: Array) -> Indices:
    """Inequality rows that hold with equality at z."""
    if white.n_equality == len(white.rhs):
        return np.arange(0)
    return white.n_equality + np.flatnonzero(_slack(white, z) <= WEAK)
