"""The curves of a report: what is drawn over time, thinned to what a screen can show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.arrays import Array
from ...results.analysis.refinement import refined
from ...results.energy import has_energy, notable_works
from ...results.names import (
    WORKS,
    by_component,
    coordinate_names,
    force_names,
    velocity_names,
)
from ...results.result import Result
from .numbers import MOST_EVENTS, number, rounded, thinned

__all__ = ["charts", "event_marks"]

POINTS = 1000  # rows over the whole time, before events and extrema
MOST_SERIES = 60  # of one chart
MOST_NUMBERS = 48_000  # of one chart
MOST_STEMS = 1500  # of one constraint
MOST_MARKS = 3000  # of one kind of event; more would fall on the same pixels


@dataclass(frozen=True, eq=False)
class Curves:
    """Named columns over common times."""

    title: str
    unit: str
    names: list[str]
    columns: Array
    zero: bool = False

    def data(self, t: Array, event_times: list[float], total: int) -> dict[str, Any]:
        """As plain data; a chart of very many columns shows the first of them.

        ``total`` is the number of rows that the run has: what is left out is said.
        """
        names, columns = self.names[:MOST_SERIES], self.columns[:, :MOST_SERIES]
        limit = max(400, min(2500, MOST_NUMBERS // len(names)))
        rows = thinned(t, columns, event_times, limit)
        left_out = len(rows) < min(len(t), total)
        return {
            "kind": "lines",
            "title": self.title,
            "unit": self.unit,
            "zero": self.zero,
            "left_out": len(self.names) - len(names),
            "note": _thinning(len(rows), total, len(event_times)) if left_out else "",
            "t": t[rows].tolist(),  # exact: events are found by their times
            "series": [
                {"name": name, "y": rounded(column)}
                for name, column in zip(names, columns[rows].T, strict=True)
            ],
        }


def charts(result: Result) -> tuple[list[dict[str, Any]], list[list[float]]]:
    """All charts of a result, in the order in which one would look at them, and their times.

    The ``t`` of a chart is its place in the list of times, which charts share.
    """
    fine = refined(result, POINTS)
    times = [event.t for event in result.events]
    drawn = [curves.data(fine.t, times, len(result.t)) for curves in _curves(fine)]
    stems = _impulses(result)
    if stems:
        place = next((i for i, c in enumerate(drawn) if c["title"] == "Energy"), len(drawn))
        drawn.insert(place, stems)
    shared: list[list[float]] = []
    for chart in drawn:
        if chart["t"] not in shared:
            shared.append(chart["t"])
        chart["t"] = shared.index(chart["t"])
    return drawn, shared


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


def _curves(result: Result) -> Iterator[Curves]:
    yield Curves("Positions", "m, rad", coordinate_names(result), result.q)
    yield Curves("Velocities", "m/s, rad/s", velocity_names(result), result.v)
    contacts = {name: result.gaps[name] for name in result.contacts}
    if contacts:
        yield Curves("Gaps", "m", *_split(contacts), zero=True)
        forces = {name: result.multipliers[name] for name in result.contacts}
        yield Curves("Contact forces", "N", *_split(forces), zero=True)
    others = {n: m for n, m in result.multipliers.items() if n not in contacts}
    if others:
        yield Curves("Multipliers of constraints", "N per unit of gradient",
                     *_split(others), zero=True)  # fmt: skip
    force = result.constraint_force
    if others and np.any(force.ideal):
        yield Curves(
            "Ideal constraint force", "N, N m", force_names(result), force.ideal, zero=True
        )
    if np.any(force.nonideal):
        yield Curves(
            "Non-ideal constraint force", "N, N m", force_names(result), force.nonideal, zero=True
        )
    yield from _energy(result)


def _split(by_name: dict[str, Array]) -> tuple[list[str], Array]:
    """Names and columns, one for each component."""
    columns = by_component(by_name)
    return list(columns), np.column_stack(list(columns.values()))


def _energy(result: Result) -> Iterator[Curves]:
    """Kinetic, potential and total energy, and the works that are not nothing."""
    if not has_energy(result):
        return
    energy = result.energy
    named = {"kinetic": energy.kinetic}
    if np.any(energy.potential):
        named |= {"potential": energy.potential, "total": energy.total}
    for part, work in notable_works(energy).items():
        named[WORKS.get(part, "change at impacts")] = work
    yield Curves("Energy", "J", list(named), np.column_stack(list(named.values())), zero=True)


def _impulses(result: Result) -> dict[str, Any] | None:
    """Impulses as stems over the times of events, or None where there are none."""
    stems: dict[str, list[tuple[float, float]]] = {}
    for event in result.events:
        for name, impulse in event.impulses.items():
            values = np.atleast_1d(np.asarray(impulse, dtype=float))
            for i, value in enumerate(values.tolist()):
                label = name if len(values) == 1 else f"{name}[{i}]"
                stems.setdefault(label, []).append((event.t, value))
    stems = {name: pairs for name, pairs in stems.items() if any(y for _, y in pairs)}
    if not stems:
        return None
    series = []
    for name, pairs in list(stems.items())[:MOST_SERIES]:
        table = np.array(pairs)
        if len(table) > MOST_STEMS:  # the largest of neighbours stand for them
            groups = np.array_split(np.arange(len(table)), MOST_STEMS)
            table = table[[group[np.abs(table[group, 1]).argmax()] for group in groups]]
        series.append({"name": name, "t": table[:, 0].tolist(), "y": rounded(table[:, 1])})
    return {
        "kind": "stems",
        "title": "Impulses",
        "unit": "N s",
        "zero": True,
        "left_out": max(0, len(stems) - MOST_SERIES),
        "t": [],
        "series": series,
    }
