"""States of a run at which its acceleration is worth computing by other routes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from ...base.arrays import Array
from ...base.errors import GaussError
from ...mechanics.crosscheck import Crosscheck, crosscheck
from ...model.system import System
from ..result import Result

__all__ = ["notable_crosschecks", "states_along"]

Item = TypeVar("Item")


QUICK = ("daqp", "nnls", "active_set")  # solvers that need no time to speak of


def notable_crosschecks(result: Result) -> Iterator[tuple[str, Crosscheck]]:
    """Routes at the start, at the largest constraint force and at the end; each with its words.

    Nothing for a result without a system.
    """
    for label, part, row in _places(result):
        assert part.system is not None
        t = float(part.t[row])
        try:
            check = crosscheck(part.system, part.q[row], part.v[row], t, solver_names=QUICK,
                               contacts=_carrying(part, row))  # fmt: skip
        except GaussError:  # a state where the acceleration is not defined has no routes to it
            continue
        yield f"{label}, t = {t:.6g} s", check


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


def states_along(result: Result, count: int) -> list[tuple[System, Array, Array, float]]:
    """States spread over the run, each with its system; up to half of them beside events.

    Of an event both sides are taken.
    """
    parts = result.parts or (result,)
    rows = [(part, i, float(t)) for part in parts for i, t in enumerate(part.t)]
    beside: dict[float, list[int]] = {event.t: [] for event in result.events}
    others: list[int] = []
    for k, (_, _, t) in enumerate(rows):
        beside.get(t, others).append(k)
    pairs = [sides for sides in beside.values() if sides]
    room = max(count - len(others), count // 2)
    taken = [k for sides in _spread(pairs, room // 2) for k in sides][:room]
    taken += _spread(others, count - len(taken))
    chosen = [rows[k] for k in sorted(taken)]
    return [
        (part.system, part.q[i], part.v[i], t) for part, i, t in chosen if part.system is not None
    ]


def _spread(items: Sequence[Item], count: int) -> list[Item]:
    """At most ``count`` of the items, evenly chosen, the first and the last among them."""
    if len(items) <= count:
        return list(items)
    return [items[k] for k in np.unique(np.linspace(0, len(items) - 1, count).round().astype(int))]
