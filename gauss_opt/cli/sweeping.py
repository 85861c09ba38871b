"""``sweep``: a case over ranges of its parameters, into a table and a picture."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import RenderableType

from ..base.errors import InputError
from ..studies.case_files import find_case
from ..studies.sweeps.of_cases import CaseBuild, CaseMeasure, parsed_axis
from ..studies.sweeps.result import Sweep
from ..studies.sweeps.sweep import sweep
from ..studies.sweeps.table import OtherStudyError
from .answer import Answer, Exit
from .outputs import DOTS_PER_INCH
from .tables import heading, literal, sentence, table

__all__ = ["sweep_case"]


def sweep_case(
    name: str,
    values: Mapping[str, str],
    folder: Path,
    *,
    options: Mapping[str, Any],
    show: str | None = None,
    workers: int | None = None,
    fresh: bool = False,
    retry_failed: bool = False,
    progress: bool = False,
) -> Answer:
    """Run a case at every point; write the table, its text and a picture of one quantity."""
    case = find_case(name)
    axes = {key: axis for key, words in values.items() if (axis := parsed_axis(key, words))}
    if not axes:
        raise InputError("nothing is swept: give a range, such as -p restitution=0.1:0.9:17")
    fixed = {key: words for key, words in values.items() if key not in axes}
    swept = {p.name: p for p in case.parameters()}
    case.create(fixed)
    for key in axes:
        if key not in swept:
            case.create({key: axes[key][0]})  # refuses the name
    grid = {key: [swept[key].convert(x) for x in axis] for key, axis in axes.items()}
    place = folder / case.name() / "sweep"
    place.mkdir(parents=True, exist_ok=True)
    if fresh:
        for end in ("", "-wal", "-shm"):
            Path(f"{place / 'rows.db'}{end}").unlink(missing_ok=True)
    try:
        done = sweep(
            CaseBuild(name, fixed), grid, CaseMeasure(dict(options)), table=place / "rows.db",
            executor="serial" if workers == 1 else "processes", workers=workers,
            progress=progress, retry_failed=retry_failed,
        )  # fmt: skip
    except OtherStudyError as error:
        raise InputError(
            f"{place / 'rows.db'} holds rows of other options, of other fixed parameters or of "
            f"an earlier form of the case: --fresh forgets them, --out keeps them"
        ) from error
    files = [place / "rows.db", *_written(done, place, show)]
    fine = done.status == "finished" and not done.failures
    warnings = [f"{len(done.failures)} of {done.total} points failed"] if done.failures else []
    if done.status != "finished":
        warnings.append("interrupted; the same command goes on from here")
    data = {
        "case": case.name(), "ok": fine, "status": done.status, "points": done.total,
        "failed": len(done.failures), "swept": grid, "files": files, "warnings": warnings,
        "rows": [{**row.point, **row.values, "status": row.status} for row in done],
    }  # fmt: skip
    shown: list[RenderableType] = [
        heading(f"{case.name()}: {case.title()}"), sentence(str(done).splitlines()[0]),
        table(("quantity", "least", "largest", "different values"), _ranges(done)),
        *(sentence(f"{row.point}: {row.error}", "red") for row in done.failures[:5]),
        heading("Files"), *(literal(path) for path in files),
    ]  # fmt: skip
    return Answer(data, shown, Exit.FINE if fine else Exit.FAILED, warnings)


def _written(done: Sweep, place: Path, show: str | None) -> list[Path]:
    done.to_csv(place / "rows.csv")
    if not done.quantities:
        return [place / "rows.csv"]
    shown = show if show is not None else _telling(done)
    picture = place / "sweep.png"
    figure = done.plot(shown).get_figure(root=True)
    if figure is not None:
        figure.savefig(picture, dpi=DOTS_PER_INCH)
    return [place / "rows.csv", picture]


def _telling(done: Sweep) -> str:
    """The quantity with the most different values."""
    counts = {name: _different(done[name]) for name in done.quantities}
    return max(counts, key=lambda name: counts[name])


def _different(column: Any) -> int:
    return len({str(value) for value in column.tolist()})


def _ranges(done: Sweep) -> list[tuple[Any, ...]]:
    rows = []
    for name in (*done.names, *done.quantities):
        column = done[name]
        ends = ("-", "-")
        if column.dtype != object and not np.isnan(column.astype(float)).all():
            ends = (f"{np.nanmin(column):.6g}", f"{np.nanmax(column):.6g}")
        rows.append((name, *ends, _different(column)))
    return rows
