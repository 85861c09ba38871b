"""The files of a run: result, pictures, report, animation, in a folder of the case's name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..results.result import Result
from ..studies.case import Case, Check
from ..viz.scene import Drawing

__all__ = ["Written", "write_outputs"]

DOTS_PER_INCH = 150


@dataclass(frozen=True)
class Written:
    """Where things are.

    Attributes
    ----------
    result : Path
        The result itself.
    files : tuple of Path
        All files.
    warnings : tuple of str
        What could not be written, and why.
    """

    result: Path
    files: tuple[Path, ...]
    warnings: tuple[str, ...]


def write_outputs(
    result: Result,
    case: Case,
    folder: Path,
    *,
    checks: Sequence[Check],
    pictures: bool,
    animation: Path | None,
    speed: float | None,
) -> Written:
    """Write the result, and the pictures and the report unless they are not wanted.

    A picture that fails costs no more than itself: the run is not lost for it.
    """
    place = folder / case.name()
    place.mkdir(parents=True, exist_ok=True)
    saved = place / "result.npz"
    result.save(saved)
    files, warnings = [saved], []
    tasks: dict[Path, Callable[[Path], Any]] = {}
    drawing = None if type(case).draw is Case.draw else case.draw
    if pictures:
        try:
            tasks |= _pictures(result, case, drawing, place)
        except Exception as error:
            warnings.append(f"no pictures were made: {type(error).__name__}: {error}")
        tasks[place / "report.html"] = lambda path: result.report(
            path,
            title=case.title(),
            text=case.text(),
            drawing=drawing,
            checks=checks,
            parameters=_with_units(case),
            speed=speed,
        )
    if animation is not None:
        tasks[animation] = lambda path: result.animate(path, drawing=drawing, speed=speed)
    for path, write in tasks.items():
        try:
            write(path)
        except Exception as error:
            warnings.append(f"{path} was not written: {type(error).__name__}: {error}")
        else:
            files.append(path)
    return Written(saved, tuple(files), tuple(warnings))


def _with_units(case: Case) -> dict[str, Any]:
    """The parameters' values, under names with units."""
    names = {p.name: f"{p.name} ({p.unit})" if p.unit else p.name for p in case.parameters()}
    return {names[name]: value for name, value in case.values.items()}


def _pictures(
    result: Result, case: Case, drawing: Drawing | None, place: Path
) -> dict[Path, Callable[[Path], Any]]:
    """What draws and saves each picture, by path."""
    from ..viz.plots import pictures

    drawn = {**pictures(result, drawing=drawing, title=case.title()), **case.figures(result)}
    return {place / f"{_slug(name)}.png": _saving(draw) for name, draw in drawn.items()}


def _saving(draw: Callable[[], Any]) -> Callable[[Path], Any]:
    return lambda path: draw().savefig(path, dpi=DOTS_PER_INCH)


def _slug(name: str) -> str:
    """A name as a file name."""
    return re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_").lower() or "picture"
