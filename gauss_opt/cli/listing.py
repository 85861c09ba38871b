"""``list`` and ``solvers``: the cases and the solvers."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from rich.console import RenderableType

from ..qp import solvers
from ..studies.case import Case
from ..studies.case_files import case_names, find_case
from .answer import Answer
from .tables import facts, heading, literal, sentence, table

__all__ = ["list_cases", "list_solvers"]


def list_cases(name: str | None, long: bool) -> Answer:
    """All cases, or one; with their parameters when asked for."""
    cases = [find_case(name)] if name else [find_case(name) for name in case_names()]
    shown: list[RenderableType] = []
    if name or long:
        for case in cases:
            shown += _described(case)
    else:
        shown.append(table(("case", "what"), [(case.name(), case.title()) for case in cases]))
        shown.append(sentence("\ngauss-opt list CASE shows the parameters of a case.", "dim"))
    return Answer({"cases": [_data(case) for case in cases]}, shown)


def _described(case: type[Case]) -> list[RenderableType]:
    return [
        heading(case.name()),
        literal(case.text()),
        facts({"reference": case.reference, "laws": ", ".join(case.laws)}),
        table(
            ("parameter", "default", "unit", "meaning", "bounds"),
            [(p.name, p.shown, p.unit, p.meaning, p.bounds) for p in case.parameters()],
            right=("default",),
        ),
    ]


def _data(case: type[Case]) -> dict[str, Any]:
    return {
        "name": case.name(),
        "title": case.title(),
        "text": case.text(),
        "reference": case.reference,
        "laws": case.laws,
        "parameters": [asdict(p) for p in case.parameters()],
    }


def list_solvers() -> Answer:
    """All solvers, whether they can be used here, and what installs those that cannot."""
    here = set(solvers.available())
    rows = [_solver(name, name in here) for name in solvers.names()]
    shown = table(
        ("solver", "installed", "package", "install with"),
        [(r["name"], "yes" if r["installed"] else "no", r["package"], r["install"]) for r in rows],
    )
    return Answer({"solvers": rows}, [shown])


def _solver(name: str, installed: bool) -> dict[str, Any]:
    package, install = "", ""
    try:
        package = solvers.make(name).package or "nothing extra"
    except Exception as error:  # a foreign package may raise anything
        command = str(error).partition("pip install ")[2]
        install = f"pip install {command}" if command else str(error)
    return {"name": name, "installed": installed, "package": package, "install": install}
