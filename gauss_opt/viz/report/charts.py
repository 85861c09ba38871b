"""The curves of a report: what is drawn over time, thinned to what a screen can show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...base.tolerances.viz import STILL_COORDINATE
from ...results.analysis.quantities import (
    Family,
    constraint_force_families,
    contact_load_families,
    energy_family,
    gap_families,
    impulse_families,
    position_families,
    reaction_families,
    velocity_families,
)
from ...results.analysis.refinement import refined
from ...results.analysis.rubbing import friction_families, slip_families
from ...results.result import Result
from .numbers import MOST_EVENTS, number, rounded, thinned

__all__ = ["charts", "event_marks"]

POINTS = 1000  # rows over the whole time, before events and extrema
MOST_SERIES = 60  # of one chart
MOST_NUMBERS = 48_000  # of one chart
MOST_STEMS = 1500  # of one constraint
MOST_MARKS = 3000  # of one kind of event; more would fall on the same pixels


def charts(result: Result) -> tuple[list[dict[str, Any]], list[list[float]]]:
    """All charts of a result, in the order in which one would look at them, and their times.

    The ``t`` of a chart is its place in the list of times, which charts share.
    """
    fine = refined(result, POINTS)
    events = [event.t for event in result.events]
    drawn = [
        _stems(family) if stems else _curves(family, fine.t, events, len(result.t))
        for family, stems in _families(result, fine)
    ]
    shared: list[list[float]] = []
    for chart in drawn:
        if chart["t"] not in shared:
            shared.append(chart["t"])
        chart["t"] = shared.index(chart["t"])
    return drawn, shared


def _families(result: Result, fine: Result) -> Iterator[tuple[Family, bool]]:
    """The families of curves, and whether they are impulses, which are drawn as stems."""
    for families in (
        position_families(fine),
        velocity_families(fine),
        gap_families(fine),
        contact_load_families(fine),
        friction_families(fine),
        slip_families(fine),
        reaction_families(fine),
    ):
        yield from ((family, False) for family in families)
    yield from ((family, True) for family in impulse_families(result))
    others = [name for name in result.row_names if name not in result.contacts]
    if others or np.any(result.forces["nonideal"]):
        for family in constraint_force_families(fine):
            if any(np.any(values) for _, values in family.lines.values()):
                yield family, False
    energy = energy_family(fine)
    if energy is not None:
        yield energy, False


def _heading(family: Family) -> str:
    """A title as a heading, without its unit.

    >>> _heading(Family("contact force", "N", {}))
    'Contact force'
    """
    return family.title[:1].upper() + family.title[1:]


def _curves(family: Family, t: Any, events: list[float], total: int) -> dict[str, Any]:
    """A family as plain data; of very many curves those that vary most.

    ``total`` is the number of rows that the run has: what is left out is said.
    """
    names = _most_varying(family)
    columns = np.column_stack([family.lines[name][1] for name in names])
    limit = max(400, min(2500, MOST_NUMBERS // len(names)))
    rows = thinned(t, columns, events, limit)
    left_out = len(rows) < min(len(t), total)
    return {
        "kind": "lines",
        "title": _heading(family),
        "unit": family.unit,
        "zero": family.title not in ("position", "velocity"),
        "least": STILL_COORDINATE * family.size,
        "left_out": len(family.lines) - len(names),
        "without": family.without,
        "note": _thinning(len(rows), total, len(events)) if left_out else "",
        "t": t[rows].tolist(),  # exact: events are found by their times
        "series": [
            {"name": name, "y": rounded(column)}
            for name, column in zip(names, columns[rows].T, strict=True)
        ],
    }


def _most_varying(family: Family) -> list[str]:
    """Names of the curves that are shown, in their order."""
    spread = {name: float(np.ptp(values)) for name, (_, values) in family.lines.items()}
    shown = set(sorted(spread, key=lambda name: -spread[name])[:MOST_SERIES])
    return [name for name in family.lines if name in shown]


def _stems(family: Family) -> dict[str, Any]:
    """Impulses as stems over the times of events, the strongest of them."""
    largest = {name: float(np.abs(values).max()) for name, (_, values) in family.lines.items()}
    shown = set(sorted(largest, key=lambda name: -largest[name])[:MOST_SERIES])
    series = []
    for name in (name for name in family.lines if name in shown):
        table = np.column_stack(family.lines[name])
        if len(table) > MOST_STEMS:  # the largest of neighbours stand for them
            groups = np.array_split(np.arange(len(table)), MOST_STEMS)
            table = table[[group[np.abs(table[group, 1]).argmax()] for group in groups]]
        series.append({"name": name, "t": table[:, 0].tolist(), "y": rounded(table[:, 1])})
    most = max((len(t) for t, _ in family.lines.values()), default=0)
    return {
        "kind": "stems",
        "title": _heading(family),
        "unit": family.unit,
        "zero": True,
        "least": 0.0,
        "left_out": len(family.lines) - len(series),
        "without": 0,
        "note": f"Of {most:,} impulses the largest of each group of neighbours are drawn."
        if most > MOST_STEMS
        else "",
        "t": [],
        "series": series,
    }


def _thinning(drawn: int, total: int, events: int) -> str:
    """What was left out of a chart."""
    sides = f"both sides of {min(events, MOST_EVENTS):,} of {events:,} events" if events else "ends"
    return (
        f"Drawn at {drawn:,} times of a run of {total:,} rows: the extrema of every part of it and "
        f"{sides} are among them. Values shown are those computed at these times."
    )


def event_marks(result: Result) -> dict[str, list[float | None]]:
    """Times of events by kind, for marks; those that fall on one pixel are one mark."""
    span = float(result.t[-1] - result.t[0]) or 1.0
    kinds: dict[str, list[float]] = {}
    for event in result.events:
        kinds.setdefault(event.kind, []).append(event.t)
    marks = {}
    for kind, times in kinds.items():
        array = np.array(times)
        if len(array) > MOST_MARKS:
            pixels = np.round((array - result.t[0]) / span * MOST_MARKS)
            array = array[np.unique(pixels, return_index=True)[1]]
        marks[kind] = [number(t) for t in array]
    return marks
