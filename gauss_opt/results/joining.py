"""The results of phases joined into one, with the impacts between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from ..mechanics.collision import Collision
from .columns import all_together, as_fields, each
from .event_list import EventList
from .records import Event, EventKind, Stats
from .result import Result

__all__ = ["closing_impact", "cut", "join"]


def cut(part: Result, ending: Event, closing: Collision) -> Result:
    """A phase up to the near side of the event that ends it, without that event."""
    last = int(np.searchsorted(part.t, ending.t, side="left"))
    columns = each(lambda column: column[: last + 1], part)
    columns["v"] = columns["v"].copy()
    columns["v"][-1] = ending.v_before  # where a phase ends at once only the far side is stored
    place = next(i for i, event in enumerate(part.events) if event is ending)
    events = tuple(
        replace(event, row=min(event.row, last))  # further rows are cut off
        for i, event in enumerate(part.events)
        if i < place or (i > place and event.kind == EventKind.USER)
    )
    stats = replace(
        part.stats,
        events=len(events) + 1,
        impacts=sum(event.kind == EventKind.IMPACT for event in events) + 1,
        worst_residual=max(part.stats.worst_residual, closing.certificate.worst),
    )
    return replace(part, **as_fields(columns), events=EventList(events), stats=stats)


def closing_impact(ending: Event, closing: Collision) -> Event:
    """The impact with which the constraints of the next phase close."""
    return Event(
        EventKind.IMPACT,
        ending.t,
        ending.contacts,
        ending.q,
        ending.v_before,
        closing.v_after,
        impulses=closing.shares,
        energy_change=closing.energy_change,
        constraint_work=closing.work_of_moving_constraints,
        gains_energy=closing.gains_energy,
        detail="the next phase begins",
    )


def join(parts: Sequence[Result], impacts: Sequence[Event]) -> Result:
    """All phases as one result; the last says how it ended."""
    first, last = parts[0], parts[-1]
    span = [first.settings["t_span"][0], last.settings["t_span"][1]]
    return replace(
        last,
        success=all(part.success for part in parts),
        **as_fields(all_together(parts)),
        events=EventList(_in_turn(parts, impacts)),
        pieces=tuple(piece for part in parts for piece in part.pieces),
        stats=_total([part.stats for part in parts]),
        settings={**last.settings, "t_span": span},
        parts=tuple(parts) if len(parts) > 1 else (),
    )


def _in_turn(parts: Sequence[Result], impacts: Sequence[Event]) -> Iterator[Event]:
    """The events of each phase, and the impact after it, with rows of the whole."""
    begin = 0
    for number, part in enumerate(parts):
        for event in part.events:
            yield replace(event, row=begin + event.row) if begin else event
        begin += len(part.t)
        for event in impacts[number : number + 1]:
            yield replace(event, row=begin)


def _total(stats: Sequence[Stats]) -> Stats:
    """Counts and times added up, the worst of what is worst."""
    total: dict[str, Any] = {}
    for item in fields(Stats):
        values = [getattr(part, item.name) for part in stats]
        if item.name.startswith("worst"):
            total[item.name] = max(values)
        elif item.name == "rank_drops":
            total[item.name] = tuple(t for times in values for t in times)
        elif item.name == "sampled":
            total[item.name] = {name: why for part in values for name, why in part.items()}
        elif item.name == "engine":
            total[item.name] = "; ".join(dict.fromkeys(values))
        elif item.name in ("seconds", "unsettled", "handed_over"):
            names = dict.fromkeys(name for part in values for name in part)
            total[item.name] = {n: sum(part.get(n, 0) for part in values) for n in names}
        else:
            total[item.name] = sum(values)
    return Stats(**total)
