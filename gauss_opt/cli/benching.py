"""``bench solvers``: every solver on the same problems, with a report, profiles and a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from ..base.errors import InputError
from ..qp.problem import GaussProblem
from ..studies.bench.bench import bench_solvers
from ..studies.bench.problems import problems_of
from ..studies.bench.result import ACCURACIES, SolverBench
from ..studies.sweeps.table import OtherStudyError
from .answer import Answer
from .outputs import DOTS_PER_INCH
from .tables import heading, literal, sentence, table

__all__ = ["bench"]


def bench(
    words: Sequence[str],
    folder: Path,
    *,
    solvers: Sequence[str] | None = None,
    repeats: int = 3,
    time_limit: float = 10.0,
    fresh: bool = False,
    progress: bool = False,
) -> Answer:
    """Compare solvers on problems named by words; write the report and the profiles."""
    problems: dict[str, GaussProblem] = {}
    for word in words:
        found = problems_of(word)
        twice = problems.keys() & found.keys()
        if twice:
            raise InputError(f"problem {min(twice)!r} is named twice")
        problems |= found
    place = folder / "solvers"
    place.mkdir(parents=True, exist_ok=True)
    if fresh:
        for end in ("", "-wal", "-shm"):
            Path(f"{place / 'rows.db'}{end}").unlink(missing_ok=True)
    try:
        done = bench_solvers(
            problems, solvers, repeats=repeats, time_limit=time_limit, table=place / "rows.db",
            progress=progress,
        )  # fmt: skip
    except OtherStudyError as error:
        raise InputError(
            f"{place / 'rows.db'} holds rows of other problems, solvers or options: --fresh "
            f"forgets them, --out keeps them"
        ) from error
    files = [place / "rows.db", *_written(done, place)]
    names = done.solvers
    data = {
        "problems": len(done.problems), "machine": done.machine, "files": files,
        "solvers": [_data(done, name) for name in done.solvers],
    }  # fmt: skip
    shown: list[RenderableType] = [
        heading(f"{len(done.solvers)} solvers on {len(done.problems)} problems"),
        table(("solver", "1e-3", "1e-6", "1e-9", "mean time"), [_row(done, n) for n in names]),
        sentence("What each answers itself; the report says what these figures do not."),
        heading("Files"), *(literal(path) for path in files),
    ]  # fmt: skip
    return Answer(data, shown)


def _written(done: SolverBench, place: Path) -> list[Path]:
    done.sweep.to_csv(place / "rows.csv")
    done.report(place / "report.md")
    files = [place / "rows.csv", place / "report.md"]
    for accuracy in ACCURACIES:
        path = place / f"profile_{accuracy}.png"
        figure = done.plot(accuracy).get_figure(root=True)
        if figure is not None:
            figure.savefig(path, dpi=DOTS_PER_INCH)
            files.append(path)
    return files


def _row(done: SolverBench, name: str) -> tuple[Any, ...]:
    shares = [f"{done.success(name, each):.0%}" for each in ACCURACIES]
    return (name, *shares, f"{1e6 * done.mean_time(name):.0f} us")


def _data(done: SolverBench, name: str) -> dict[str, Any]:
    return {
        "name": name,
        "success": {each: done.success(name, each) for each in ACCURACIES},
        "mean_time": done.mean_time(name),
    }
