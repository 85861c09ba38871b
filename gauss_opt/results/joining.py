"""The results of phases joined into one, with the impacts between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..mechanics.collision import Collision
from .records import Event, Stats
from .result import Result

__all__ = ["closing_impact", "cut", "join"]


def cut(part: Result, ending: Event, closing: Collision) -> Result:
    """A phase up to the near side of the event that ends it, without that event."""
    last = int(np.searchsorted(part.t, ending.t, side="left"))
    keep = slice(last + 1)
    v = part.v[keep].copy()
    v[-1] = ending.v_before  # differs where a phase ends at once: only the far side is stored
    place = next(i for i, event in enumerate(part.events) if event is ending)
    events = (*part.events[:place], *(e for e in part.events[place + 1 :] if e.kind == "user"))
    stats = replace(
        part.stats,
        events=len(events) + 1,
        impacts=sum(event.kind == "impact" for event in events) + 1,
        worst_residual=max(part.stats.worst_residual, closing.certificate.worst),
    )
    return replace(
        part,
        t=part.t[keep],
        q=part.q[keep],
        v=v,
        a=part.a[keep],
        rows={name: rows[keep] for name, rows in part.rows.items()},
        forces={name: rows[keep] for name, rows in part.forces.items()},
        events=events,
        stats=stats,
    )


def closing_impact(ending: Event, closing: Collision) -> Event:
    """The impact with which the constraints of the next phase close."""
    return Event(
        "impact",
        ending.t,
        ending.contacts,
        ending.q,
        ending.v_before,
        closing.v_after,
        impulses=dict(closing.impulses),
        energy_change=closing.energy_change,
        constraint_work=closing.work_of_moving_constraints,
        gains_energy=closing.gains_energy,
        detail="the next phase begins",
    )


def join(parts: Sequence[Result], impacts: Sequence[Event]) -> Result:
    """All phases as one result; the last says how it ended."""
    first, last = parts[0], parts[-1]

    def rows(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    def tables(name: str) -> dict[str, Any]:
        each = [getattr(part, name) for part in parts]
        return {k: np.concatenate([table[k] for table in each]) for k in each[0]}

    return replace(
        last,
        success=all(part.success for part in parts),
        t=rows("t"),
        q=rows("q"),
        v=rows("v"),
        a=rows("a"),
        rows=tables("rows"),
        forces=tables("forces"),
        events=tuple(_in_turn([part.events for part in parts], impacts)),
        pieces=tuple(piece for part in parts for piece in part.pieces),
        stats=_total([part.stats for part in parts]),
        settings={**last.settings, "t_span": [first.settings["t_span"][0],
                                              last.settings["t_span"][1]]},
        parts=tuple(parts) if len(parts) > 1 else (),
    )  # fmt: skip


def _in_turn(events: Sequence[Sequence[Event]], impacts: Sequence[Event]) -> Iterator[Event]:
    """The events of each phase, and the impact after it."""
    for number, within in enumerate(events):
        yield from within
        yield from impacts[number : number + 1]


def _total(stats: Sequence[Stats]) -> Stats:
    """Counts and times added up, the worst of what is worst."""
    total: dict[str, Any] = {}
    for item in fields(Stats):
        values = [getattr(part, item.name) for part in stats]
        if item.name.startswith("worst"):
            total[item.name] = max(values)
        elif item.name == "rank_drops":
            total[item.name] = [t for times in values for t in times]
        elif item.name == "seconds":
            parts = dict.fromkeys(part for times in values for part in times)
            total[item.name] = {p: sum(times.get(p, 0.0) for times in values) for p in parts}
        else:
            total[item.name] = sum(values)
    return Stats(**total)
