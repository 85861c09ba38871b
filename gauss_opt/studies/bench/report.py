"""The report of the bench: tables, and what they do not say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.tolerances.studies import TIME_SHIFT

if TYPE_CHECKING:
    from .result import SolverBench

__all__ = ["LIMITATIONS", "markdown"]

LIMITATIONS = """## Limitations

- Solvers get whitened problems: unit metric, rows of unit length, right-hand sides of order one.
  That takes mass ratios away and suits most of them; on the problems as they were they may rank
  otherwise.
- Each adapter keeps the settings it has in this package. With others a solver may be faster or more
  accurate. A low accuracy is not a fault of a solver that was made for low accuracy.
- Times include the Python wrapper of each solver, which for small problems may be most of it. They
  are the shortest of a few calls, on one machine under whatever load it had. Calls after the first
  may use a workspace that is kept.
- Problems here are dense and small. Nothing follows for sparse problems with thousands of rows.
- Multipliers that a solver does not give are chosen in its favour.
- The package itself asks solvers for the active set only, and solves that exactly. A solver with a
  low accuracy may serve it as well as any other: that is the column "active set".
- A mean over problems of several kinds depends on how many there are of each.
"""


def markdown(bench: SolverBench) -> str:
    """The page."""
    from .result import ACCURACIES

    feasible = _count(bench, True)
    head = [
        "# Solvers on least-constraint problems",
        "",
        f"{len(bench.solvers)} solvers on {len(bench.problems)} problems, {feasible} of them with "
        f"an answer. {bench.machine}.",
        "",
        "What each solver answers itself, before its active set is solved anew, judged by the "
        "certificate of the package: right to 1e-3, 1e-6 and 1e-9. A contradiction is solved by "
        "saying so.",
        "",
    ]
    best = {each: _best(bench, each) for each in ACCURACIES}
    rows = [_row(bench, name, best) for name in bench.solvers]
    table = _table(
        ("solver", "1e-3", "1e-6", "1e-9", "wrong", "active set", "time, 1e-6", "over best",
         "setup", "iterations", "own error"),
        rows,
    )  # fmt: skip
    notes = [
        "",
        "*wrong*: reports an answer where there is none, or none where there is one. *active set*: "
        "the set it proposes first is right. *time*: shifted geometric mean (shift "
        f"{1e6 * TIME_SHIFT:.0f} us; a failure counts as {bench.time_limit:g} s). *setup*: the "
        "median of what it reports for its first call. *own error*: median distance of its point "
        "from the certified one, in the metric of the mass.",
        "",
    ]
    return "\n".join([*head, *table, *notes, *_by_kind(bench), LIMITATIONS])


def _count(bench: SolverBench, feasible: bool) -> int:
    seen = {row.point["problem"]: row.values.get("feasible") for row in bench.sweep}
    return sum(value is feasible for value in seen.values())


def _best(bench: SolverBench, accuracy: str) -> float:
    return min(bench.mean_time(name, accuracy) for name in bench.solvers)


def _row(bench: SolverBench, name: str, best: dict[str, float]) -> tuple[str, ...]:
    mean = bench.mean_time(name)
    wrong = sum(bool(value) for value in bench.column(name, "wrong"))
    feasible = [value is True for value in bench.column(name, "feasible")]
    right = [
        bool(value)
        for value, f in zip(bench.column(name, "active_set"), feasible, strict=True)
        if f
    ]
    return (
        name,
        *(f"{bench.success(name, each):.0%}" for each in best),
        str(wrong),
        f"{np.mean(right):.0%}" if right else "-",
        _time(mean),
        f"{mean / best['mid']:.1f}",
        _time(_median(bench.column(name, "setup_seconds"))),
        _whole(_median(bench.column(name, "iterations"))),
        _small(_median(bench.column(name, "error"))),
    )


def _by_kind(bench: SolverBench) -> list[str]:
    """Success at the middle accuracy by kind of problem, where there are several."""
    kinds: dict[str, list[int]] = {}
    for place, problem in enumerate(bench.problems):
        kinds.setdefault(problem.rpartition(" ")[0] or problem, []).append(place)
    if len(kinds) < 2:
        return []
    heads = ("solver", *(f"{kind} ({len(places)})" for kind, places in kinds.items()))
    rows = []
    for name in bench.solvers:
        solved = bench.solved(name)
        rows.append((name, *(f"{solved[places].mean():.0%}" for places in kinds.values())))
    return ["## By kind, right to 1e-6", "", *_table(heads, rows), ""]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    ruler = "|".join(["---", *["---:"] * (len(heads) - 1)])
    cells = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    return [f"| {' | '.join(heads)} |", f"|{ruler}|", *(f"| {row} |" for row in cells)]


def _median(values: Sequence[Any]) -> float | None:
    known = [float(value) for value in values if value is not None and np.isfinite(value)]
    return float(np.median(known)) if known else None


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    return f"{1e6 * seconds:.0f} us" if seconds < 0.1 else f"{seconds:.2g} s"


def _whole(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


def _small(value: float | None) -> str:
    return "-" if value is None else f"{value:.0e}"
