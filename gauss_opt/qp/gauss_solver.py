"""From a problem to a certified answer: the last active set first, then solver after solver.

A solver proposes the active set; x comes from the exact solution of that set and is accepted only
with its certificate. When the certificate fails, the next solver is asked.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, overload

from ..base.arguments import flag, number
from ..base.arrays import Indices
from ..base.errors import InputError, SolverError
from ..base.tolerances.qp import CERTIFIED, NEARLY_CERTIFIED
from .acceptance import accept, repaired, sharpened
from .certificate import Certificate
from .friction.ladder import FrictionLadder
from .friction.problem import FrictionProblem
from .friction.solution import FrictionSolution
from .infeasibility import find_farkas, infeasible
from .memory import Memory
from .parts import LAST_SET, may_be_uneven, solved_apart, uneven
from .problem import GaussProblem
from .proposals import as_answer, proposed_sets, violated_rows
from .solution import GaussSolution
from .solver_sequence import Counts, SolverSequence
from .solvers import Adapter
from .whitening import Whitened, whiten

__all__ = ["DEFAULT_FALLBACK", "Counts", "GaussSolver", "solve"]

log = logging.getLogger(__name__)

DEFAULT_FALLBACK = ("daqp", "active_set", "nnls")
"""Who is asked, in this order, after the chosen solver has failed."""


class GaussSolver:
    """A solver with its fallbacks, the last active sets, and counters.

    Keep one for a series of similar problems: workspaces, the factor of a constant mass and the
    active set are then reused.

    Parameters
    ----------
    solver : str or Adapter
        Name of the solver to try first (see :func:`gauss_opt.solvers.available`).
    fallback : sequence of str
        Solvers to try after it; empty for none.
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
    >>> problem = GaussProblem.create([1, 1], target=[-1, 2], Ai=[[1, 0], [0, 1]], bi=[0, 0])
    >>> solver.solve(problem).x
    array([0., 2.])
    >>> solver.solve(problem).solver
    'active set'
    """

    def __init__(
        self,
        solver: str | Adapter = "osqp",
        *,
        fallback: Sequence[str] = DEFAULT_FALLBACK,
        tolerance: float = CERTIFIED,
        reuse_active_set: bool = True,
        guess_active_set: bool = False,
        time_limit: float | None = None,
    ) -> None:
        if not 0.0 < number("tolerance", tolerance) < 1.0:
            raise InputError(f"tolerance must be between 0 and 1, got {tolerance}")
        self._solvers = SolverSequence(solver, fallback, time_limit)
        self.tolerance = tolerance
        self.reuse_active_set = flag("reuse_active_set", reuse_active_set)
        self.guess_active_set = flag("guess_active_set", guess_active_set)
        self.counts = Counts()
        self._memory = Memory()
        self._recorded: list[GaussProblem | FrictionProblem] | None = None

    @property
    def name(self) -> str:
        """The solver that is asked first."""
        return self._solvers.names[0]

    @property
    def solver_names(self) -> tuple[str, ...]:
        """All solvers in the order in which they are asked."""
        return self._solvers.names

    @property
    def time_limit(self) -> float | None:
        """Seconds after which a solver that has not answered is given up on."""
        return self._solvers.time_limit

    def solve(self, problem: GaussProblem) -> GaussSolution:
        """The certified minimiser of a problem.

        Raises
        ------
        InfeasibleError
            With a verified certificate and the names of the constraints in conflict.
        SolverError
            When no solver gave an answer that passes.
        MassError
            When the mass is singular and the equalities do not hold the massless directions.
        """
        self.counts.qp_total += 1
        if self._recorded is not None:
            self._recorded.append(problem)
        white = whiten(problem, self._memory.factor(problem.metric))
        parts = self._memory.parts(problem) if may_be_uneven(white) else ()
        if uneven(parts, white):
            answer = solved_apart(problem, parts, lambda part: self._solve(part, whiten(part)))
        else:
            answer = self._solve(problem, white)
        self.counts.qp_from_active_set += answer.solver == LAST_SET
        return answer

    def _solve(self, problem: GaussProblem, white: Whitened) -> GaussSolution:
        """The certified minimiser of a problem that is solved as a whole."""
        working = self._expected(problem, white)
        if working is not None:
            solution = accept(problem, white, working, self.tolerance, LAST_SET)
            if not isinstance(solution, Certificate):
                return sharpened(white, solution, self.tolerance)
        solution = self._ask_in_turn(problem, white)
        if problem.n_equality < len(problem.rhs):
            self._memory.remember(problem, solution.working)
        return solution

    def solve_friction(self, problem: FrictionProblem) -> FrictionSolution:
        """A certified answer to a problem with friction, by the same solvers.

        Raises
        ------
        PainleveError
            When sliding contacts wedge themselves, so that there is no answer.
        SolverError
            When no route gave an answer that passes.
        """
        self.counts.qp_total += 1
        if self._recorded is not None:
            self._recorded.append(problem)
        shared = (self._solvers, self._memory, self.counts)
        return FrictionLadder(*shared, self.tolerance, self.reuse_active_set).solve(problem)

    @contextmanager
    def recording(self) -> Iterator[list[GaussProblem | FrictionProblem]]:
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

    def describe(self) -> dict[str, Any]:
        """What it is and how it was set, as plain words and numbers."""
        return {
            "solver": self.name,
            "solver_fallback": list(self.solver_names[1:]),
            "solver_tolerance": self.tolerance,
            "reuse_active_set": bool(self.reuse_active_set),
            "guess_active_set": bool(self.guess_active_set),
        }

    def remembered(self) -> dict[str, Any]:
        """The active sets of earlier problems as plain data, for a file."""
        return self._memory.to_plain()

    def recall(self, remembered: dict[str, Any]) -> None:
        """Put the active sets that :meth:`remembered` gave in the place of all others."""
        self._memory.from_plain(remembered)

    def _expected(self, problem: GaussProblem, white: Whitened) -> Indices | None:
        """The active set to try before a solver is asked, if there is one."""
        if not self.reuse_active_set and len(problem.rhs):
            return None
        working = self._memory.active_set(problem)
        if working is None and self.guess_active_set:
            working = violated_rows(white)
            self._memory.remember(problem, working)
        return working

    def _ask_in_turn(self, problem: GaussProblem, white: Whitened) -> GaussSolution:
        attempts: list[tuple[str, str]] = []
        missed: list[tuple[str, Indices]] = []
        for name in self._solvers:
            solution = self._ask(name, problem, white, tuple(attempts), missed)
            if isinstance(solution, GaussSolution):
                return sharpened(white, solution, self.tolerance)
            attempts.append((name, solution))
            self.counts.qp_fallbacks += 1
            log.info("solver %s failed on a %s problem: %s", name, problem.kind, solution)
            if len(attempts) == 1:
                proof = find_farkas(white.normalised())
                if proof is not None:
                    raise infeasible(problem, white, proof)
        repair = repaired(problem, white, missed, self.tolerance, tuple(attempts))
        if repair is not None:
            return repair
        listed = "; ".join(f"{name}: {reason}" for name, reason in attempts)
        raise SolverError(
            f"no solver gave a certified answer to this {problem.kind} problem ({listed}). "
            f"Save it with gauss_opt.save_problem(error.problem, ...) and try another solver, or "
            f"look for nearly dependent or nearly contradictory constraints",
            problem,
            tuple(attempts),
        )

    def _ask(
        self,
        name: str,
        problem: GaussProblem,
        white: Whitened,
        attempts: tuple[tuple[str, str], ...],
        missed: list[tuple[str, Indices]],
    ) -> GaussSolution | str:
        """The solution on a set that a solver proposes, or why there is none.

        Sets whose certificate fails narrowly are added to ``missed``.
        """
        self.counts.qp_solver_calls += 1
        unit = white.normalised()  # a new one: solvers have been seen to write into it
        proposal = self._solvers.ask(name, unit)
        reason = proposal.status
        for working in proposed_sets(unit, proposal):
            solution = accept(problem, white, working, self.tolerance, name, attempts)
            if not isinstance(solution, Certificate):
                return replace(solution, raw=as_answer(white, unit, proposal))
            if solution.passes(NEARLY_CERTIFIED):
                missed.append((name, working))
            reason = f"certificate fails ({solution})"
        return reason


@overload
def solve(
    problem: GaussProblem, solver: str | Adapter | GaussSolver = ..., **options: object
) -> GaussSolution: ...
@overload
def solve(
    problem: FrictionProblem, solver: str | Adapter | GaussSolver = ..., **options: object
) -> FrictionSolution: ...


def solve(
    problem: GaussProblem | FrictionProblem,
    solver: str | Adapter | GaussSolver = "osqp",
    **options: object,
) -> GaussSolution | FrictionSolution:
    """Solve one problem. For a series keep a :class:`GaussSolver` and pass that.

    Parameters
    ----------
    problem : GaussProblem or FrictionProblem
        The problem to solve.
    solver : str, Adapter or GaussSolver
        The solver to try first.
    **options
        Passed to :class:`GaussSolver`.

    Examples
    --------
    A beam of unit weight on three supports: the rows are dependent, the forces not unique. The
    minimum-norm ones (for unit whitened rows) push at all three.

    >>> beam = GaussProblem.create(
    ...     [1.0, 1 / 3], load=[-1.0, 0.0], Ai=[[1, -1], [1, 0], [1, 1]], bi=[0, 0, 0],
    ...     inequality_names=["left", "middle", "right"])
    >>> solution = solve(beam, "daqp")
    >>> solution.inequality_multipliers.round(6), solution.unique
    (array([0.166667, 0.666667, 0.166667]), False)
    """
    if not isinstance(solver, GaussSolver):
        solver = GaussSolver(solver, **options)  # type: ignore[arg-type]
    elif options:
        raise InputError("options cannot be given with a GaussSolver; set them when you create it")
    if isinstance(problem, FrictionProblem):
        return solver.solve_friction(problem)
    return solver.solve(problem)
