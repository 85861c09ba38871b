"""The solvers that are asked, one after the other: made when first needed, each within its time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from threading import Thread
from time import perf_counter

from ..base.arguments import positive
from ..base.errors import InputError
from . import solvers
from .proposals import checked
from .solvers import Adapter, Proposal
from .whitening import LeastDistance

__all__ = ["Counts", "SolverSequence"]


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
        return Counts(
            self.qp_total - other.qp_total,
            self.qp_from_active_set - other.qp_from_active_set,
            self.qp_solver_calls - other.qp_solver_calls,
            self.qp_fallbacks - other.qp_fallbacks,
        )


class SolverSequence:
    """A solver and its fallbacks.

    Parameters
    ----------
    first : str or Adapter
        The solver to try first.
    fallback : sequence of str
        Solvers to try after it.
    time_limit : float or None
        Seconds after which a solver that has not answered is given up on.
    """

    def __init__(
        self, first: str | Adapter, fallback: Sequence[str], time_limit: float | None
    ) -> None:
        if isinstance(first, str):
            name = first
            self._adapters: dict[str, Adapter] = {first: solvers.make(first)}
        elif isinstance(first, type) or not callable(getattr(first, "propose", None)):
            raise InputError(
                f"solver must be a name ({', '.join(solvers.names())}), an instance of "
                f"gauss_opt.solvers.Adapter or a GaussSolver, got {first!r}"
            )
        else:
            name = _name_of(first)
            self._adapters = {name: first}
        fallback = (fallback,) if isinstance(fallback, str) else tuple(fallback)
        solvers.require_known(*fallback)
        if time_limit is not None:
            time_limit = positive("time_limit", time_limit)
        self.names = (name, *(other for other in fallback if other != name))
        self.time_limit = time_limit
        self._late: dict[str, Thread] = {}

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def ask(self, name: str, problem: LeastDistance) -> Proposal:
        """A solver's proposal; whatever it raises becomes a status."""
        try:
            adapter = self._adapters.get(name)
            if adapter is None:
                adapter = self._adapters[name] = solvers.make(name)
            if self.time_limit is None:
                return checked(_timed(adapter, problem), problem)
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
                answers.append(_timed(adapter, problem))
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


def _timed(adapter: Adapter, problem: LeastDistance) -> Proposal:
    """A proposal, and how long it took."""
    start = perf_counter()
    proposal = adapter.propose(problem)
    seconds = perf_counter() - start
    return proposal._replace(seconds=seconds) if isinstance(proposal, Proposal) else proposal


def _name_of(solver: Adapter) -> str:
    """The class; of a class that is just called Solver, as ours are, the module."""
    name = type(solver).__name__
    return name if name != "Solver" else type(solver).__module__.rpartition(".")[2]
