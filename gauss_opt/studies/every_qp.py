"""Cases with every problem sent to one solver, beside the usual run: the same figures and events.

A run tries the active set of the problem before, and computes and proves the answer on it; a solver
is asked when that proof fails. Here the solver is asked every time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import perf_counter

from ..base.errors import GaussError
from ..base.tolerances.studies import SAME_EVENT
from ..results.result import Result
from .case import Case

__all__ = ["EveryQp", "events_apart", "with_every_qp"]


@dataclass(frozen=True)
class EveryQp:
    """One case with every problem sent to one solver.

    Attributes
    ----------
    case : Case
    solver : str
    events : int
    apart : float
        Largest distance between the times of an event in both runs, by the length of the run;
        infinite where the events are others.
    figures, right : int
        Figures of the case, and how many of them are within their tolerances.
    qp_total, qp_solver_calls, qp_fallbacks : int
        Problems; those that the solver was asked (the rest have no row, so that there is nothing
        to choose); and those for which another had to be asked.
    usual_seconds, seconds : float
        Wall times of the usual run and of this one.
    failure : str
        Why it could not be run, if so.
    """

    case: Case
    solver: str
    events: int = 0
    apart: float = inf
    figures: int = 0
    right: int = 0
    qp_total: int = 0
    qp_solver_calls: int = 0
    qp_fallbacks: int = 0
    usual_seconds: float = 0.0
    seconds: float = 0.0
    failure: str = ""

    @property
    def ok(self) -> bool:
        """Whether figures and events are those of the usual run."""
        return not self.failure and self.right == self.figures > 0 and self.apart <= SAME_EVENT


def with_every_qp(case: Case, solver: str) -> EveryQp:
    """Run a case as usual, and once more with every problem sent to a solver.

    Examples
    --------
    >>> import gauss_opt as go
    >>> done = with_every_qp(go.find_case("simple_pendulum")(), "daqp")
    >>> done.ok, done.qp_solver_calls == done.qp_total > 100
    (True, True)
    """
    try:
        start = perf_counter()
        usual = case.run(solver=solver)
        between = perf_counter()
        result = case.run(solver=solver, reuse_active_set=False)
        seconds = perf_counter() - between
        checks = tuple(case.check(result))
    except Exception as error:
        kind = "" if isinstance(error, GaussError) else f"{type(error).__name__}: "
        return EveryQp(case, solver, failure=f"{kind}{error}")
    stats = result.stats
    return EveryQp(
        case,
        solver,
        events=len(result.events),
        apart=events_apart(usual, result),
        figures=len(checks),
        right=sum(check.ok for check in checks),
        qp_total=stats.qp_total,
        qp_solver_calls=stats.qp_solver_calls,
        qp_fallbacks=stats.qp_fallbacks,
        usual_seconds=between - start,
        seconds=seconds,
        failure="" if result.success else result.message,
    )


def events_apart(a: Result, b: Result) -> float:
    """Largest distance between the times of an event in both, by the length of the run.

    Infinite where kinds or contacts of the events differ.
    """
    said = [[(event.kind, sorted(event.contacts)) for event in run.events] for run in (a, b)]
    if said[0] != said[1]:
        return inf
    span = float(a.t[-1] - a.t[0]) or 1.0
    pairs = zip(a.events, b.events, strict=True)
    return max((abs(one.t - other.t) / span for one, other in pairs), default=0.0)
