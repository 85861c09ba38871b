"""The table of routes to the same answer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..base.arrays import Array
from ..qp.friction.problem import FrictionProblem
from ..qp.friction.solution import FrictionSolution
from ..qp.problem import GaussProblem
from ..qp.solution import GaussSolution

__all__ = ["Crosscheck", "Route"]


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
        return all(
            not route.failure
            and route.acceleration_difference <= self.tolerance
            and not route.multiplier_difference > self.tolerance
            and route.residual <= self.tolerance
            for route in self.routes
        )

    @property
    def worst(self) -> float:
        """Largest relative difference between accelerations."""
        return max((r.acceleration_difference for r in self.routes if not r.failure), default=0.0)

    def __str__(self) -> str:
        verdict = "agree" if self.ok else "DISAGREE"
        lines = [
            f"{self.problem}",
            f"reference: {self.reference.solver}, a = "
            f"{np.array2string(self.reference.x, precision=8, threshold=8)}",
            f"{'route':<24}{'acceleration':>14}{'multipliers':>14}{'residual':>12}"
            f"  solver's own x{'time':>12}",
        ]
        for r in self.routes:
            if r.failure:
                lines.append(f"{r.name:<24}  {r.failure}")
                continue
            lines.append(
                f"{r.name:<24}{r.acceleration_difference:>14.1e}"
                f"{_shown(r.multiplier_difference):>14}{r.residual:>12.1e}"
                f"{_shown(r.raw_difference):>16}{1e6 * r.seconds:>9.0f} us"
            )
        lines.append(f"all routes {verdict} to {self.tolerance:g}")
        return "\n".join(lines)

    __repr__ = __str__


def _shown(number: float) -> str:
    return "-" if np.isnan(number) else f"{number:.1e}"
