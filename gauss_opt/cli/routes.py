"""``crosscheck``: every route to the acceleration, at states along a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from rich.console import RenderableType

from ..base.errors import GaussError
from ..mechanics.crosscheck import Crosscheck, Route, crosscheck
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
    failure : str
        Its first failure.
    """

    name: str
    states: int = 0
    acceleration: float = np.nan
    multipliers: float = np.nan
    residual: float = np.nan
    raw: float = np.nan
    seconds: float = 0.0
    failure: str = ""

    def with_route(self, route: Route) -> Worst:
        """The worst of this and another state."""
        return replace(
            self,
            states=self.states + 1,
            acceleration=float(np.fmax(self.acceleration, route.acceleration_difference)),
            multipliers=float(np.fmax(self.multipliers, route.multiplier_difference)),
            residual=float(np.fmax(self.residual, route.residual)),
            raw=float(np.fmax(self.raw, route.raw_difference)),
            seconds=self.seconds + route.seconds,
            failure=self.failure or route.failure,
        )

    def ok(self, tolerance: float) -> bool:
        """Whether it always answered, within the tolerance."""
        return (
            not self.failure
            and self.acceleration <= tolerance
            and not self.multipliers > tolerance
            and self.residual <= tolerance
        )


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
            worst[route.name] = worst.get(route.name, Worst(route.name)).with_route(route)
    ok = not failures and all(route.ok(tolerance) for route in worst.values())
    data = {
        "case": chosen.case.name(),
        "parameters": chosen.case.values,
        "states": len(places),
        "tolerance": tolerance,
        "ok": ok,
        "routes": [{**vars(route), "ok": route.ok(tolerance)} for route in worst.values()],
        "failures": failures,
    }
    shown = _shown(chosen, len(places), list(worst.values()), tolerance, ok)
    return Answer(data, shown, Exit.FINE if ok else Exit.CHECK_FAILED, failures[:3])


def _shown(
    chosen: Chosen, states: int, routes: Sequence[Worst], tolerance: float, ok: bool
) -> list[RenderableType]:
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
            verdict(route.ok(tolerance)),
        )
        for route in routes
    ]
    shown: list[RenderableType] = [
        heading(f"{chosen.case.name()}: worst relative differences at {states} states of the run"),
        table(columns, rows, right=columns[1:-1]),
    ]
    shown += [sentence(f"{r.name}: {r.failure}", "red") for r in routes if r.failure]
    word = "agree" if ok else "DISAGREE"
    return [
        *shown,
        sentence(f"all routes {word} to {tolerance:g}", "green" if ok else "bold red"),
    ]
