"""``show`` and ``compare``: results and problems in files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from ..base.errors import GaussError
from ..base.npz import read_npz
from ..qp.friction.problem import FrictionProblem
from ..qp.gauss_solver import GaussSolver, solve
from ..qp.problem import GaussProblem
from ..qp.problem_file import FORMAT as PROBLEMS
from ..qp.problem_file import load_problems
from ..results.comparison import graph_distance
from ..results.records import Event
from ..results.result import load
from .answer import Answer, Exit
from .motion import events_table, result_data, summary
from .tables import facts, heading, literal, number, sentence, table, verdict

__all__ = ["compare_files", "show_file"]

FIRST = 20  # problems shown


def show_file(path: Path, solver: str) -> Answer:
    """A result: its summary and events. Problems: their certified solutions."""
    if _format(path) == PROBLEMS:
        return _solved(path, load_problems(path), solver)
    result = load(path)
    shown = [heading(f"{path}"), summary(result), *events_table(result.events)]
    return Answer({"file": path, "kind": "result", **result_data(result)}, shown)


def _format(path: Path) -> Any:
    """What a file says it is; anything wrong with it is left to its reader."""
    arrays = read_npz(path)
    try:
        return json.loads(arrays["header"].tobytes())["format"]
    except (KeyError, TypeError, ValueError, RecursionError):
        return None


def _solved(path: Path, problems: Sequence[GaussProblem | FrictionProblem], name: str) -> Answer:
    solver = GaussSolver(name, reuse_active_set=False)
    data: list[dict[str, Any]] = []
    shown: list[RenderableType] = [heading(f"{path}: {len(problems)} problem(s), by {name}")]
    for problem in problems:
        entry: dict[str, Any] = {
            "kind": problem.kind,
            "coordinates": problem.n,
            "equality_rows": problem.n_equality,
            "inequality_rows": problem.n_inequality,
        }
        try:
            solution = solve(problem, solver)
        except GaussError as error:
            data.append({**entry, "ok": False, "error": str(error)})
            continue
        data.append(
            {
                **entry,
                "ok": True,
                "x": solution.x,
                "multipliers": solution.multipliers,
                "unique": solution.unique,
                "solver": solution.solver,
                "certificate": solution.certificate._asdict(),
                "worst": solution.certificate.worst,
            }
        )
        if len(problems) == 1:
            shown.append(literal(solution))
            shown.append(facts({k: f"{v}" for k, v in solution.multipliers.items()}))
    if len(problems) != 1:
        shown.append(_problem_table(data))
    failed = [entry["error"] for entry in data if not entry["ok"]]
    code = Exit.FAILED if failed else Exit.FINE
    return Answer({"file": path, "kind": "problems", "problems": data}, shown, code, failed[:1])


def _problem_table(data: Sequence[dict[str, Any]]) -> RenderableType:
    columns = ("number", "kind", "coordinates", "equalities", "inequalities", "certificate", "")
    return table(
        columns,
        [
            (
                i,
                entry["kind"],
                entry["coordinates"],
                entry["equality_rows"],
                entry["inequality_rows"],
                number(entry.get("worst")),
                verdict(entry["ok"]),
            )
            for i, entry in enumerate(data[:FIRST])
        ],
        right=columns[2:6],
    )


def compare_files(first: Path, second: Path, tolerance: float) -> Answer:
    """The distance between two saved runs."""
    a, b = load(first), load(second)
    distance = graph_distance(a, b)
    same = [_word(event) for event in a.events] == [_word(event) for event in b.events]
    pairs = list(zip(a.events, b.events, strict=True)) if same else []
    shift = max((abs(x.t - y.t) for x, y in pairs), default=0.0) if same else None
    ok = distance <= tolerance
    data = {
        "files": [first, second],
        "distance": distance,
        "tolerance": tolerance,
        "ok": ok,
        "same_events": same,
        "largest_event_shift": shift,
        "events": [len(a.events), len(b.events)],
    }
    events = f"{len(a.events)} and {len(b.events)}"
    if same:
        events += f", the same ones, at most {number(shift)} s apart"
    else:
        events += ", which differ in kind or contacts"
    shown: list[RenderableType] = [
        facts(
            {
                "distance of the graphs": f"{distance:.3e} (relative to the ranges of the runs)",
                "events": events,
            }
        ),
        sentence(
            f"{'within' if ok else 'ABOVE'} the tolerance of {tolerance:g}",
            "green" if ok else "bold red",
        ),
    ]
    return Answer(data, shown, Exit.FINE if ok else Exit.CHECK_FAILED)


def _word(event: Event) -> tuple[str, tuple[str, ...]]:
    return event.kind, event.contacts
