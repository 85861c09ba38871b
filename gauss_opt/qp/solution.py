"""The answer to a least-constraint problem, with its certificate and how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Array
from ..base.lazy import lazy
from .certificate import Certificate
from .problem import GaussProblem

if TYPE_CHECKING:
    from ..base.arrays import Indices

__all__ = ["GaussSolution", "SolverAnswer"]


class SolverAnswer(NamedTuple):
    """What a solver itself answered, before its active set was solved anew.

    Attributes
    ----------
    status : str
        ``"solved"``, ``"infeasible"``, or in the solver's own words why it gave up.
    x : (n,) array or None
        Its own point; None when it gave multipliers only, or none.
    inequality_multipliers : (ni,) array or None
        Its own multipliers of the inequality rows, in the units of the problem.
    iterations : int or None
        How many it took, in its own count.
    setup_seconds, seconds : float or None
        How long it took to set up, where that is a step of its own, and in all.
    """

    status: str
    x: Array | None = None
    inequality_multipliers: Array | None = None
    iterations: int | None = None
    setup_seconds: float | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        said = [] if self.seconds is None else [f"{1e6 * self.seconds:.0f} us"]
        if self.setup_seconds is not None:
            said.append(f"{1e6 * self.setup_seconds:.0f} us of it to set up")
        if self.iterations is not None:
            said.append(f"{self.iterations} iteration" + "s" * (self.iterations != 1))
        return ", ".join([self.status, *said])


@dataclass(frozen=True, eq=False)
class GaussSolution:
    """A certified minimiser of (G).

    Attributes
    ----------
    problem : GaussProblem
        What was solved.
    x : (n,) array
        The minimiser.
    row_multipliers : (m,) array
        l with M x - p = A'l, one for each row, l >= 0 on inequalities. When they are not unique
        these are the minimum-norm ones (for unit whitened rows).
    working : array of int
        The rows that were solved as equalities.
    unique : bool
        Whether the multipliers are unique. x always is.
    certificate : Certificate
        Residuals computed from the problem's data.
    solver : str
        Who found the active set: a solver's name, or ``"active set"`` when the last one still
        held or there were no inequalities.
    attempts : tuple of (solver, reason)
        Solvers that were asked before and failed, and why.
    clearly_independent : bool
        Whether the rows that were solved as equalities are independent beyond doubt.
    raw : SolverAnswer or None
        What the solver itself answered: its own x, time and iterations. None when none was asked.
    """

    problem: GaussProblem
    x: Array
    row_multipliers: Array
    working: Indices
    unique: bool
    certificate: Certificate
    solver: str
    attempts: tuple[tuple[str, str], ...] = ()
    clearly_independent: bool = False
    raw: SolverAnswer | None = None

    @property
    def equality_multipliers(self) -> Array:
        """le, (ne,)."""
        return self.row_multipliers[: self.problem.n_equality]

    @property
    def inequality_multipliers(self) -> Array:
        """li >= 0, (ni,)."""
        return self.row_multipliers[self.problem.n_equality :]

    @lazy
    def active(self) -> NDArray[np.bool_]:
        """Which inequality rows were solved as equalities, (ni,)."""
        active = np.zeros(len(self.row_multipliers), dtype=bool)
        active[self.working] = True
        return active[self.problem.n_equality :]

    @lazy
    def multipliers(self) -> dict[str, Array]:
        """Multipliers by constraint name, each an array over the rows of that constraint."""
        collected: dict[str, list[float]] = {}
        for name, value in zip(self.problem.names, self.row_multipliers.tolist(), strict=True):
            collected.setdefault(name, []).append(value)
        return {name: np.array(values) for name, values in collected.items()}

    def __str__(self) -> str:
        active = f"{int(self.active.sum())} of {len(self.active)} inequality rows active"
        lines = [
            f"{self.problem}",
            f"  x = {np.array2string(self.x, precision=6, threshold=12)}",
            f"  {active}; multipliers {'unique' if self.unique else 'not unique (minimum norm)'}",
            f"  solver: {self.solver}; certificate: {self.certificate}",
        ]
        if self.raw is not None:
            lines.append(f"  its own answer: {self.raw}")
            if self.raw.x is not None:
                off = np.abs(self.raw.x - self.x).max(initial=0.0)
                lines[-1] += f"; its x is off by {off:.1e}"
        lines += [f"  {name} failed: {reason}" for name, reason in self.attempts]
        return "\n".join(lines)

    __repr__ = __str__
