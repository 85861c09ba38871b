"""A result as facts and tables: how it went, its events, its checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from ..results.records import Event
from ..results.result import Result
from ..studies.case import Check
from .tables import facts, heading, number, sentence, table, verdict

__all__ = ["checks_data", "checks_table", "events_table", "result_data", "summary"]

FIRST = 10  # events shown


def summary(result: Result) -> RenderableType:
    """Status, steps, events, QP counts, worst certificate, drift and time."""
    s = result.stats
    kinds = Counter(event.kind for event in result.events)
    style = "green" if result.success else "bold red"
    items: dict[str, Any] = {
        "status": Text(f"{'success' if result.success else 'no success'}, {result.status}", style),
        "message": result.message,
        "time": f"{result.t[0]:g} to {result.t[-1]:.12g} s, {len(result.t)} rows",
        "law, method": f"{result.settings.get('law')}, {result.settings.get('method')}, "
        f"rtol {result.settings.get('rtol')}",
        "steps": f"{s.steps}, {s.rhs_calls} right-hand sides, {s.projections} projections",
        "events": ", ".join(f"{n} {kind}" for kind, n in kinds.items()) or "none",
        "QPs": f"{s.qp_total}: {s.qp_from_active_set} by the last active set, "
        f"{s.qp_solver_calls} solver calls, {s.qp_fallbacks} of them failed",
        "worst certificate": number(s.worst_residual),
        "worst drift": f"{number(s.worst_drift)}, penetration {number(s.worst_penetration)}",
        "took": f"{sum(s.seconds.values()):.3g} s ("
        + ", ".join(f"{part} {1e3 * time:.0f} ms" for part, time in s.seconds.items())
        + ")",
    }
    if result.parts:
        items["phases"] = len(result.parts)
    if s.rank_drops:
        items["rank drops"] = "near t = " + ", ".join(f"{t:g}" for t in s.rank_drops)
    return facts(items)


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
            _remark(event),
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


def _remark(event: Event) -> str:
    remarks = [event.detail] if event.detail else []
    if event.gains_energy:
        remarks.append("the law has raised the energy")
    if not event.exact:
        remarks.append("closed at round-off")
    return ", ".join(remarks)


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
