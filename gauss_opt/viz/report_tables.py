"""The tables of a report as plain data: summary, checks, events, cross-checks, settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import GaussError
from ..mechanics.crosscheck import Crosscheck, crosscheck
from ..results.records import Event
from ..results.result import Result
from .report_numbers import number

if TYPE_CHECKING:
    from ..studies.case import Check

__all__ = [
    "check_rows",
    "crosscheck_data",
    "event_table",
    "named_values",
    "stats_data",
    "summary",
]

MOST_EVENTS = 300  # of each kind
QUICK = ("daqp", "nnls", "active_set")  # solvers that need no time to speak of

Item = dict[str, str]


def summary(result: Result) -> list[Item]:
    """What was run and how good it is: label, value and a remark for each."""
    s = result.stats
    law, method = result.settings.get("law", "?"), result.settings.get("method", "?")
    kinds = ", ".join(f"{count} {kind}" for kind, count in _counts(result.events).items())
    parts = ", ".join(f"{part} {1e3 * time:.1f} ms" for part, time in s.seconds.items())
    asked = f"{s.qp_solver_calls} calls of the solver, {s.qp_fallbacks} of them in vain"
    items = [
        ("simulated time", f"{result.t[0]:g} to {result.t[-1]:.6g} s", f"{law} impact law"),
        ("steps", f"{s.steps}", f"{method}, {s.rhs_calls} right-hand sides, {len(result.t)} rows"),
        ("events", f"{len(result.events)}", kinds or "nothing but smooth motion"),
        ("worst certificate", _small(s.worst_residual),
         "largest relative residual of the optimality conditions"),
        ("worst drift", _small(s.worst_drift), "off the constraints that are held, relative"),
        ("worst penetration", _small(s.worst_penetration), "of an open contact, relative"),
        ("QPs", f"{s.qp_total}", f"{s.qp_from_active_set} from the last active set; {asked}"),
        ("computing time", f"{1e3 * sum(s.seconds.values()):.0f} ms", parts),
    ]  # fmt: skip
    if s.rank_drops:
        times = ", ".join(f"{t:.6g} s" for t in s.rank_drops[:5])
        items.append(("rank drops", f"{len(s.rank_drops)}", f"constraints dependent near {times}"))
    if result.parts:
        items.append(("phases", f"{len(result.parts)}", "joined by plastic impacts"))
    return [{"label": a, "value": b, "remark": c} for a, b, c in items]


def check_rows(checks: Iterable[Check]) -> list[dict[str, Any]]:
    """Figures beside their references."""
    return [
        {
            "ok": bool(check.ok),
            "what": str(check.what),
            "value": number(check.value),
            "reference": number(check.reference),
            "difference": number(check.difference),
            "tolerance": number(check.tolerance),
            "unit": str(check.unit),
            "limit": bool(check.limit),
        }
        for check in checks
    ]


def event_table(result: Result) -> dict[str, Any]:
    """The first events of each kind in the order of time, and how many there are."""
    seen: dict[str, int] = {}
    rows = []
    for event in result.events:
        seen[event.kind] = seen.get(event.kind, 0) + 1
        if seen[event.kind] <= MOST_EVENTS:
            rows.append(_event(event))
    return {"counts": seen, "most": MOST_EVENTS, "rows": rows}


def _event(event: Event) -> dict[str, Any]:
    remarks = [event.detail] if event.detail else []
    if event.gains_energy:
        remarks.append("the law has raised the energy")
    if not event.exact:
        remarks.append("closed at round-off")
    if event.constraint_work:
        remarks.append(f"{event.constraint_work:.6g} J of it from moving constraints")
    impulses = {
        name: [number(x) for x in np.atleast_1d(np.asarray(value, dtype=float))]
        for name, value in event.impulses.items()
    }
    return {
        "kind": event.kind,
        "t": number(event.t),
        "contacts": [str(name) for name in event.contacts],
        "impulses": [[name, values] for name, values in impulses.items() if any(values)],
        "energy_change": number(event.energy_change),
        "remark": "; ".join(remarks),
    }


def crosscheck_data(
    result: Result, given: Crosscheck | Iterable[Crosscheck] | None
) -> list[dict[str, Any]]:
    """The cross-checks given; without any, a few along the run by quick routes.

    Times of routes are shown only for those given: they differ from run to run.
    """
    if isinstance(given, Crosscheck):
        return [_crosscheck(given, "", timed=True)]
    if given is not None:
        many = list(given)
        return [_crosscheck(c, f"state {i + 1}", timed=True) for i, c in enumerate(many)]
    found = []
    for label, part, row in _places(result):
        assert part.system is not None
        t = float(part.t[row])
        try:
            check = crosscheck(part.system, part.q[row], part.v[row], t, solver_names=QUICK,
                               contacts=_carrying(part, row))  # fmt: skip
        except GaussError:  # a state where the acceleration is not defined has no routes to it
            continue
        found.append(_crosscheck(check, f"{label}, t = {t:.6g} s", timed=False))
    return found


def _carrying(result: Result, row: int) -> list[str]:
    """Contacts that carry force: history, which a gap of nearly zero does not tell."""
    return [name for name in result.contacts if np.any(result.multipliers[name][row])]


def _places(result: Result) -> list[tuple[str, Result, int]]:
    """Start, row of the largest constraint force, and end, each with the phase it belongs to."""
    largest = int(np.abs(result.forces["total"]).max(axis=1, initial=0.0).argmax())
    rows = {len(result.t) - 1: "end", largest: "largest constraint force", 0: "start"}
    places = []
    for row in sorted(rows):
        first = 0
        for part in result.parts or (result,):
            if row < first + len(part.t):
                if part.system is not None:
                    places.append((rows[row], part, row - first))
                break
            first += len(part.t)
    return places


def _crosscheck(check: Crosscheck, label: str, *, timed: bool) -> dict[str, Any]:
    solution = check.reference
    return {
        "label": label,
        "ok": bool(check.ok),
        "tolerance": number(check.tolerance),
        "problem": str(check.problem).partition(": ")[2],
        "unique": bool(solution.unique),
        "certificate": {k: number(v) for k, v in solution.certificate._asdict().items()},
        "routes": [
            {
                "name": route.name,
                "acceleration": number(route.acceleration_difference),
                "multipliers": number(route.multiplier_difference),
                "residual": number(route.residual),
                "own": number(route.raw_difference),
                "seconds": number(route.seconds) if timed else None,
                "failure": route.failure,
            }
            for route in check.routes
        ],
    }


def _small(value: float) -> str:
    return f"{value:.1e}" if value else "0"


def named_values(values: Mapping[str, Any] | None) -> list[list[str]]:
    """Names and values as words."""
    return [[str(name), _words(value)] for name, value in (values or {}).items()]


def _words(value: Any) -> str:
    if value is None:
        return "not set"
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, int | float | np.number):
        return f"{value:.12g}"
    if isinstance(value, np.ndarray):
        return np.array2string(value, precision=8, threshold=50)
    if isinstance(value, Sequence) and not isinstance(value, str):
        shown = ", ".join(_words(item) for item in islice(value, 50))
        return (shown if len(value) <= 50 else f"{shown}, ...") or "none"
    return str(value)


def _counts(events: Iterable[Event]) -> dict[str, int]:
    kinds: dict[str, int] = {}
    for event in events:
        kinds[event.kind] = kinds.get(event.kind, 0) + 1
    return kinds


def stats_data(result: Result) -> dict[str, Any]:
    """The statistics as they are, for programs that read a report."""
    return {
        name: value if not isinstance(value, float) else number(value)
        for name, value in asdict(result.stats).items()
        if name not in ("rank_drops", "seconds")
    }
