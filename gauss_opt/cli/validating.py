"""``validate``: every figure of every case beside its reference."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from ..base.whole_file import whole_file
from ..qp import solvers
from ..studies.case_files import case_names, find_case
from ..studies.every_qp import EveryQp, with_every_qp
from ..studies.validation import Validation, markdown, validate
from .answer import Answer, Exit
from .motion import checks_data
from .tables import literal, number, sentence, table, verdict

__all__ = ["validate_cases"]

EVERY = (
    "case", "every problem by", "figures", "events apart", "problems", "calls", "failed", "usual",
    "time", "",
)  # fmt: skip


def validate_cases(
    names: Sequence[str],
    page: Path | None,
    every_qp: Sequence[str] = (),
    progress: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> Answer:
    """Run cases, all by default, and compare; write the page when asked for."""
    done = [v for name in progress(names or case_names()) for v in validate([name])]
    for solver in every_qp:
        solvers.make(solver)  # an unknown one is refused before anything is run
    every = [
        with_every_qp(find_case(name)(), solver)
        for solver in every_qp
        for name in progress(names or case_names())
    ]
    if page is not None:
        with whole_file(page) as temporary:
            temporary.write_text(markdown(done, every), encoding="utf-8")
    ok = all(one.ok for one in done) and all(one.ok for one in every)
    count = sum(len(validation.checks) for validation in done)
    right = sum(check.ok for validation in done for check in validation.checks)
    shown: list[RenderableType] = [
        table(("case", "figures", "closest to its tolerance", "", "time", ""), map(_row, done)),
        sentence(f"\n{right} of {count} figures of {len(done)} cases are within tolerance."),
    ]
    if every:
        shown.append(table(EVERY, map(_every_row, every)))
    shown += [literal(text, "red") for validation in done for text in _failures(validation)]
    if page is not None:
        shown.append(sentence(f"written: {page}"))
    data = {
        "ok": ok,
        "cases": [_data(validation) for validation in done],
        "every_qp": [{**asdict(item), "case": item.case.name(), "ok": item.ok} for item in every],
        "page": page,
    }
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


def _every_row(item: EveryQp) -> tuple[Any, ...]:
    return (
        item.case.name(),
        item.solver,
        f"{item.right} of {item.figures}",
        number(item.apart),
        item.qp_total,
        item.qp_solver_calls,
        item.qp_fallbacks,
        f"{item.usual_seconds:.2f} s",
        f"{item.seconds:.2f} s",
        verdict(item.ok),
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
