"""``validate``: every figure of every case beside its reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from ..base.whole_file import whole_file
from ..studies.case_files import case_names
from ..studies.validation import Validation, markdown, validate
from .answer import Answer, Exit
from .motion import checks_data
from .tables import literal, number, sentence, table, verdict

__all__ = ["validate_cases"]


def validate_cases(
    names: Sequence[str],
    page: Path | None,
    progress: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> Answer:
    """Run cases, all by default, and compare; write the page when asked for."""
    done = [v for name in progress(names or case_names()) for v in validate([name])]
    if page is not None:
        with whole_file(page) as temporary:
            temporary.write_text(markdown(done), encoding="utf-8")
    ok = all(validation.ok for validation in done)
    count = sum(len(validation.checks) for validation in done)
    right = sum(check.ok for validation in done for check in validation.checks)
    shown: list[RenderableType] = [
        table(("case", "figures", "closest to its tolerance", "", "time", ""), map(_row, done)),
        sentence(f"\n{right} of {count} figures of {len(done)} cases are within tolerance."),
    ]
    shown += [literal(text, "red") for validation in done for text in _failures(validation)]
    if page is not None:
        shown.append(sentence(f"written: {page}"))
    data = {"ok": ok, "cases": [_data(validation) for validation in done], "page": page}
    return Answer(data, shown, Exit.FINE if ok else Exit.CHECK_FAILED)


def _row(validation: Validation) -> tuple[Any, ...]:
    checks = [check for check in validation.checks if check.tolerance > 0.0]
    closest = max(checks, key=lambda check: check.difference / check.tolerance, default=None)
    return (
        validation.case.name(),
        len(validation.checks),
        closest.what if closest else "-",
        f"{number(closest.difference)} of {number(closest.tolerance)}" if closest else "-",
        f"{validation.seconds:.2f} s",
        verdict(validation.ok),
    )


def _failures(validation: Validation) -> list[str]:
    name = validation.case.name()
    said = [f"{name}: {check}" for check in validation.checks if not check.ok]
    return [f"{name}: {validation.failure}", *said] if validation.failure else said


def _data(validation: Validation) -> dict[str, Any]:
    return {
        "name": validation.case.name(),
        "ok": validation.ok,
        "failure": validation.failure,
        "seconds": validation.seconds,
        "reference": validation.case.reference,
        "checks": checks_data(validation.checks),
    }
