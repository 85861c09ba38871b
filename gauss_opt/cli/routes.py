"""``crosscheck``: every route to the acceleration, at states along a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from ..base.errors import GaussError
from ..mechanics.crosscheck import Crosscheck, Route, crosscheck, verdict_on
from ..qp import solvers
from ..results.analysis.crosschecks import states_along
from .answer import Answer, Exit
from .choosing import Chosen
from .tables import heading, number, sentence, table, verdict

__all__ = ["crosscheck_case"]


@dataclass(frozen=True)
class Worst:
    """The worst of one route over all states.

    Attributes
    ----------
    name : str
    states : int
        How many states it was asked at.
    acceleration, multipliers, residual, raw : float
        As in :class:`gauss_opt.crosscheck.Route`; NaN where there is none.
    seconds : float
        In total.
    agrees : bool
        Whether its answers, where it gave any, are within the tolerance.
    failure : str
        Why it gave no answer, the first time it did not.
    """

    name: str
    states: int = 0
    acceleration: float = np.nan
    multipliers: float = np.nan
    residual: float = np.nan
    raw: float = np.nan
    seconds: float = 0.0
    agrees: bool = True
    failure: str = ""

    def with_route(self, route: Route, tolerance: float) -> Worst:
        """The worst of this and another state."""
        return replace(
            self,
            states=self.states + 1,
            acceleration=float(np.fmax(self.acceleration, route.acceleration_difference)),
            multipliers=float(np.fmax(self.multipliers, route.multiplier_difference)),
            residual=float(np.fmax(self.residual, route.residual)),
            raw=float(np.fmax(self.raw, route.raw_difference)),
            seconds=self.seconds + route.seconds,
            agrees=self.agrees and (not route.answered or route.agrees(tolerance)),
            failure=self.failure or route.failure,
        )

    @property
    def ok(self) -> bool:
        """Whether it always answered, within the tolerance."""
        return self.agrees and not self.failure


def crosscheck_case(
    chosen: Chosen,
    *,
    solver_names: Sequence[str] | None,
    states: int,
    tolerance: float,
    progress: Callable[[Sequence[Any]], Any],
) -> Answer:
    """Run a case, then compare all routes at states along it, both sides of events among them."""
    for name in solver_names or ():
        solvers.make(name)  # refuses a name that cannot be used before anything runs
    result = chosen.run(chosen.setup())
    worst: dict[str, Worst] = {}
    failures: list[str] = []
    places = states_along(result, states)
    for system, q, v, t in progress(places):
        try:
            check: Crosscheck = crosscheck(
                system, q, v, t, solver_names=solver_names, tolerance=tolerance
            )
        except GaussError as error:
            failures.append(f"no acceleration at t = {t:g}: {error}")
            continue
        for route in check.routes:
            worst[route.name] = worst.get(route.name, Worst(route.name)).with_route(
                route, tolerance
            )
    routes = list(worst.values())
    disagreeing = [route.name for route in routes if not route.agrees]
    unanswered = [route.name for route in routes if route.failure]
    if failures:
        unanswered.append("the reference")
    agree, ok = not disagreeing, not disagreeing and not unanswered
    asked = len(routes) + bool(failures)
    outcome = verdict_on(asked, disagreeing, unanswered, tolerance)
    data = {
        "case": chosen.case.name(),
        "parameters": chosen.case.values,
        "states": len(places),
        "tolerance": tolerance,
        "ok": ok,
        "agree": agree,
        "disagreeing": disagreeing,
        "unanswered": unanswered,
        "verdict": outcome,
        "routes": [{**vars(route), "ok": route.ok} for route in routes],
        "failures": failures,
    }
    shown = _shown(chosen, len(places), routes)
    shown.append(sentence(outcome, "green" if ok else "bold red" if not agree else "bold yellow"))
    code = Exit.FINE if ok else Exit.NO_ANSWER if agree else Exit.CHECK_FAILED
    return Answer(data, shown, code, failures[:3])


def _shown(chosen: Chosen, states: int, routes: Sequence[Worst]) -> list[RenderableType]:
    columns = ("route", "states", "acceleration", "multipliers", "residual", "solver's own x",
               "total time", "")  # fmt: skip
    rows = [
        (
            route.name,
            route.states,
            number(route.acceleration),
            number(route.multipliers),
            number(route.residual),
            number(route.raw),
            f"{1e3 * route.seconds:.1f} ms",
            _word(route),
        )
        for route in routes
    ]
    shown: list[RenderableType] = [
        heading(f"{chosen.case.name()}: worst relative differences at {states} states of the run"),
        table(columns, rows, right=columns[1:-1]),
    ]
    shown += [
        sentence(f"{r.name} gave no answer: {r.failure}", "yellow") for r in routes if r.failure
    ]
    return shown


def _word(route: Worst) -> Text:
    """The word at the end of a row."""
    if route.failure and route.agrees:
        return Text("no answer", "yellow")
    return verdict(route.agrees)
