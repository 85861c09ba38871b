"""What the bench found: success by accuracy, shifted geometric means, profiles, a report."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from ...base.tolerances.studies import ACCURATE, COARSE, MIDDLING, TIME_SHIFT
from ...base.whole_file import whole_file
from ..sweeps.result import Row, Sweep

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ACCURACIES", "SolverBench"]

ACCURACIES = {"low": COARSE, "mid": MIDDLING, "high": ACCURATE}
"""Classes of accuracy: the largest residual of the certificate of a solver's own answer."""


@dataclass(frozen=True, eq=False)
class SolverBench:
    """Rows of a comparison of solvers, and what follows from them.

    Attributes
    ----------
    sweep : Sweep
        One row for each problem and solver: ``bench.sweep.to_dataframe()`` has all of it.
    solvers : tuple of str
    time_limit : float
        What a failure counts as, in seconds.
    machine : str
    """

    sweep: Sweep
    solvers: tuple[str, ...]
    time_limit: float
    machine: str

    @cached_property
    def problems(self) -> tuple[str, ...]:
        """Names of the problems."""
        return tuple(dict.fromkeys(str(row.point["problem"]) for row in self.sweep))

    @cached_property
    def _rows(self) -> dict[tuple[str, str], Row]:
        return {(row.point["solver"], row.point["problem"]): row for row in self.sweep}

    def column(self, solver: str, name: str) -> list[Any]:
        """One figure of a solver on all problems; None where it failed altogether."""
        if solver not in self.solvers:
            raise InputError(f"{solver!r} was not compared; choose from: {', '.join(self.solvers)}")
        rows = [self._rows.get((solver, problem)) for problem in self.problems]
        return [None if row is None else row.values.get(name) for row in rows]

    def solved(self, solver: str, accuracy: str = "mid") -> Array:
        """Which problems a solver answers to an accuracy, as zeros and ones."""
        _require_class(accuracy)
        return np.array([bool(value) for value in self.column(solver, accuracy)], dtype=float)

    def success(self, solver: str, accuracy: str = "mid") -> float:
        """Share of the problems it answers to an accuracy: ``"low"``, ``"mid"``, ``"high"``."""
        return float(self.solved(solver, accuracy).mean())

    def times(self, solver: str, accuracy: str = "mid") -> Array:
        """Seconds for each problem; infinite where the accuracy is missed."""
        seconds = [np.inf if x is None else x for x in self.column(solver, "solve_seconds")]
        return np.where(self.solved(solver, accuracy) > 0.0, seconds, np.inf)

    def mean_time(self, solver: str, accuracy: str = "mid") -> float:
        """Shifted geometric mean of the times, in s: exp(mean(log(t + s))) - s.

        Failures count as the time limit; the shift s keeps the quickest problems from ruling.
        """
        seconds = np.minimum(self.times(solver, accuracy), self.time_limit)
        return float(np.exp(np.log(seconds + TIME_SHIFT).mean()) - TIME_SHIFT)

    def profile(self, solver: str, accuracy: str = "mid") -> tuple[Array, Array]:
        """Dolan and More's performance profile.

        Returns
        -------
        ratio, share : arrays
            The share of the problems that it solves within ``ratio`` times the best of all times.
        """
        every = np.array([self.times(name, accuracy) for name in self.solvers])
        best = every.min(axis=0)
        own = self.times(solver, accuracy)
        fine = np.isfinite(own)
        ratio = np.sort(own[fine] / best[fine])
        return ratio, np.arange(1, len(ratio) + 1) / len(own)

    def plot(self, accuracy: str = "mid", ax: Axes | None = None) -> Axes:
        """All performance profiles: the higher, the better; at the left, how often the fastest."""
        from .pictures import profiles

        _require_class(accuracy)
        return profiles(self, accuracy, ax)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """A page in Markdown with tables and limitations; written to a file if there is a path."""
        from .report import markdown

        text = markdown(self)
        if path is not None:
            with whole_file(path) as temporary:
                temporary.write_text(text, encoding="utf-8")
        return text

    def __str__(self) -> str:
        lines = [f"{len(self.solvers)} solvers on {len(self.problems)} problems"]
        width = max(map(len, self.solvers))
        for name in self.solvers:
            shares = ", ".join(f"{self.success(name, each):.0%}" for each in ACCURACIES)
            lines.append(
                f"  {name:<{width}}  right to 1e-3, 1e-6, 1e-9: {shares}; "
                f"mean time {1e6 * self.mean_time(name):.0f} us"
            )
        return "\n".join(lines)

    __repr__ = __str__


def _require_class(accuracy: str) -> None:
    if accuracy not in ACCURACIES:
        raise InputError(f"accuracy must be one of {', '.join(ACCURACIES)}, got {accuracy!r}")
