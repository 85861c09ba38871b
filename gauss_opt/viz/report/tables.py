"""The tables of a report as plain data: summary, checks, events, cross-checks, settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from ...results.analysis.crosschecks import notable_crosschecks
from ...results.analysis.loads import Load, impulses_at_events
from ...results.names import energy_name
from ...results.records import Event
from ...results.result import Result
from ...results.summary import kinds_of, summary
from .numbers import number

if TYPE_CHECKING:
    from ...mechanics.crosscheck import Crosscheck
    from ...studies.case import Check

__all__ = [
    "check_rows",
    "crosscheck_data",
    "event_table",
    "named_values",
    "stats_data",
    "summary_tiles",
]

MOST_EVENTS = 300  # of each kind


def summary_tiles(result: Result) -> list[dict[str, str]]:
    """What was run and how good it is: label, value and a remark for each."""
    return [fact._asdict() for fact in summary(result)]


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
    counts = kinds_of(result.events)
    left = dict.fromkeys(counts, MOST_EVENTS)
    energy = energy_name(result)
    impulses = impulses_at_events(result)
    rows = []
    for i, event in enumerate(result.events):
        if left[event.kind]:
            left[event.kind] -= 1
            exerted = [
                [load.name, number(load.values[i]), _unit(load)]
                for load in impulses
                if load.values[i]
            ]
            rows.append(_event(event, exerted, energy))
    return {"counts": counts, "most": MOST_EVENTS, "energy": energy, "rows": rows}


def _unit(load: Load) -> str:
    return "(multiplier)" if load.kind == "multiplier" else load.unit


def _event(event: Event, impulses: list[list[Any]], energy: str) -> dict[str, Any]:
    said = [*event.remarks]
    if event.constraint_work:
        said.append(f"{event.constraint_work:.6g} {energy} of it from moving constraints")
    return {
        "kind": event.kind,
        "t": number(event.t),
        "contacts": [str(name) for name in event.contacts],
        "impulses": impulses,
        "jump": bool(event.impulses),
        "energy_change": number(event.energy_change),
        "remark": "; ".join(said),
    }


def crosscheck_data(
    result: Result, given: Crosscheck | Iterable[Crosscheck] | None
) -> list[dict[str, Any]]:
    """The cross-checks given; without any, a few along the run by quick routes.

    Times of routes are shown only for those given: they differ from run to run.
    """
    if given is None:
        return [_crosscheck(c, label, timed=False) for label, c in notable_crosschecks(result)]
    if isinstance(given, Iterable):
        return [_crosscheck(c, f"state {i}", timed=True) for i, c in enumerate(given, 1)]
    return [_crosscheck(given, "", timed=True)]


def _crosscheck(check: Crosscheck, label: str, *, timed: bool) -> dict[str, Any]:
    solution = check.reference
    return {
        "label": label,
        "ok": bool(check.ok),
        "verdict": check.verdict,
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


def stats_data(result: Result) -> dict[str, Any]:
    """The statistics as they are, for programs that read a report."""
    return {
        name: value if not isinstance(value, float) else number(value)
        for name, value in asdict(result.stats).items()
        if name not in ("rank_drops", "seconds")
    }
