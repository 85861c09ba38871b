"""What the routes to one acceleration said, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...base.arrays import Array
from ...base.words import html
from ...qp.friction.problem import FrictionProblem
from ...qp.friction.solution import FrictionSolution
from ...qp.problem import GaussProblem
from ...qp.solution import GaussSolution

__all__ = ["Crosscheck", "Route", "verdict_on"]


NUMBERS = ("acceleration", "multipliers", "residual", "solver's own x", "time")


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
    raw_difference : float
        Relative distance between the point that the solver itself returned and the certified one,
        in whitened coordinates. The acceleration is solved anew from the active set the solver
        found, so only this tells solvers apart. NaN for closed forms, and where there is no point.
    failure : str
        Why it failed, if it did.
    """

    name: str
    acceleration: Array | None
    acceleration_difference: float
    multiplier_difference: float
    residual: float
    seconds: float
    raw_difference: float = float("nan")
    failure: str = ""

    @property
    def answered(self) -> bool:
        """Whether it gave an answer at all."""
        return not self.failure

    def agrees(self, tolerance: float) -> bool:
        """Whether it answered, within a tolerance of the reference."""
        return (
            self.answered
            and self.acceleration_difference <= tolerance
            and not self.multiplier_difference > tolerance
            and self.residual <= tolerance
        )


@dataclass(frozen=True)
class Crosscheck:
    """All routes at one state; print it for a table."""

    problem: GaussProblem | FrictionProblem
    reference: GaussSolution | FrictionSolution
    routes: tuple[Route, ...]
    tolerance: float

    @property
    def ok(self) -> bool:
        """Whether every route answered, within the tolerance of the reference."""
        return self.agree and not self.unanswered

    @property
    def agree(self) -> bool:
        """Whether all routes that gave an answer are within the tolerance of the reference."""
        return not self.disagreeing

    @property
    def disagreeing(self) -> tuple[str, ...]:
        """Names of the routes whose answer is another one."""
        routes = (r for r in self.routes if r.answered and not r.agrees(self.tolerance))
        return tuple(route.name for route in routes)

    @property
    def unanswered(self) -> tuple[str, ...]:
        """Names of the routes that gave no answer; their ``failure`` says why."""
        return tuple(route.name for route in self.routes if not route.answered)

    @property
    def verdict(self) -> str:
        """The outcome in one sentence."""
        return verdict_on(len(self.routes), self.disagreeing, self.unanswered, self.tolerance)

    @property
    def worst(self) -> float:
        """Largest relative difference between accelerations."""
        return max((r.acceleration_difference for r in self.routes if not r.failure), default=0.0)

    def __str__(self) -> str:
        lines = [
            f"{self.problem}",
            f"reference: {self.reference.solver}, a = "
            f"{np.array2string(self.reference.x, precision=8, threshold=8)}",
            f"{'route':<24}{'acceleration':>14}{'multipliers':>14}{'residual':>12}"
            f"  solver's own x{'time':>12}",
        ]
        for r in self.routes:
            if r.failure:
                lines.append(f"{r.name:<24}  no answer: {r.failure}")
                continue
            lines.append(
                f"{r.name:<24}{r.acceleration_difference:>14.1e}"
                f"{_shown(r.multiplier_difference):>14}{r.residual:>12.1e}"
                f"{_shown(r.raw_difference):>16}{1e6 * r.seconds:>9.0f} us"
            )
        lines.append(self.verdict)
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        head = ("route", *NUMBERS, "remark")
        rows = [
            (route.name, *[""] * len(NUMBERS), f"no answer: {route.failure}")
            if route.failure
            else (
                route.name,
                _shown(route.acceleration_difference),
                _shown(route.multiplier_difference),
                _shown(route.residual),
                _shown(route.raw_difference),
                f"{1e6 * route.seconds:.0f} us",
                "" if route.agrees(self.tolerance) else "DISAGREES",
            )
            for route in self.routes
        ]
        parts = (html.heading(self.verdict), html.sentence(str(self.problem)))
        return f"<div>{''.join(parts)}{html.table(head, rows, right=NUMBERS)}</div>"


def verdict_on(
    routes: int, disagreeing: Sequence[str], unanswered: Sequence[str], tolerance: float
) -> str:
    """What came out of a number of routes, in one sentence.

    >>> verdict_on(5, (), ("solver slow",), 1e-8)
    'the 4 routes with an answer agree to 1e-08; no answer from solver slow'
    """
    silent = f"; no answer from {', '.join(unanswered)}" if unanswered else ""
    if disagreeing:
        return f"routes DISAGREE beyond {tolerance:g}: {', '.join(disagreeing)}{silent}"
    if len(unanswered) == routes:
        return "no route gave an answer"
    if unanswered:
        return (
            f"the {routes - len(unanswered)} routes with an answer agree to {tolerance:g}{silent}"
        )
    return f"all routes agree to {tolerance:g}"


def _shown(number: float) -> str:
    return "-" if np.isnan(number) else f"{number:.1e}"
