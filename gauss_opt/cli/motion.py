"""A result as facts and tables: how it went, its events, its checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from ..results.records import Event
from ..results.result import Result
from ..results.summary import summary as summarised
from ..results.summary import verdict as verdict_of
from ..studies.case import Check
from .tables import facts, heading, number, sentence, table, verdict

__all__ = ["checks_data", "checks_table", "events_table", "result_data", "summary"]

FIRST = 10  # events shown


def summary(result: Result) -> RenderableType:
    """Status and message, then what the run took and how good it is."""
    style = "green" if result.success else "bold red"
    lines: dict[str, Any] = {
        "status": Text(verdict_of(result), style),
        "message": result.message,
    }
    return facts(lines | {fact.label: str(fact) for fact in summarised(result)})


def events_table(events: Sequence[Event]) -> list[RenderableType]:
    """The first events."""
    if not events:
        return []
    rows = [
        (
            f"{event.t:.12g}",
            event.kind,
            ", ".join(event.contacts),
            f"{event.energy_change:.6g}" if event.impulses else "-",
            ", ".join(event.remarks),
        )
        for event in events[:FIRST]
    ]
    columns = ("t", "kind", "contacts", "energy change", "remark")
    shown: list[RenderableType] = [
        heading("First events" if len(events) > FIRST else "Events"),
        table(columns, rows, right=("energy change",)),
    ]
    if len(events) > FIRST:
        last = events[-1]
        shown.append(
            sentence(f"and {len(events) - FIRST} more; the last: {last.kind} at {last.t:.12g}")
        )
    return shown


def checks_table(checks: Sequence[Check]) -> RenderableType:
    """Quantities beside their references."""
    return table(
        ("quantity", "ours", "reference", "unit", "difference", "allowed", ""),
        [
            (
                check.what,
                f"{check.value:.12g}",
                f"{'at most ' if check.limit else ''}{check.reference:.12g}",
                check.unit,
                "-" if check.limit else number(check.difference),
                "-" if check.limit else number(check.tolerance),
                verdict(check.ok),
            )
            for check in checks
        ],
        right=("ours", "reference", "difference", "allowed"),
    )


def checks_data(checks: Sequence[Check]) -> list[dict[str, Any]]:
    """The same for programs."""
    names = ("what", "value", "reference", "tolerance", "unit", "limit", "difference", "ok")
    return [{name: getattr(check, name) for name in names} for check in checks]


def result_data(result: Result) -> dict[str, Any]:
    """A result for programs: all but its rows."""
    return {
        "success": result.success,
        "status": result.status,
        "message": result.message,
        "t": [result.t[0], result.t[-1]],
        "rows": len(result.t),
        "phases": max(1, len(result.parts)),
        "settings": result.settings,
        "stats": vars(result.stats),
        "contacts": result.contacts,
        "events": [
            {
                "kind": event.kind,
                "t": event.t,
                "contacts": event.contacts,
                "q": event.q,
                "v_before": event.v_before,
                "v_after": event.v_after,
                "impulses": event.impulses,
                "energy_change": event.energy_change,
                "gains_energy": event.gains_energy,
                "exact": event.exact,
                "detail": event.detail,
            }
            for event in result.events
        ],
    }
