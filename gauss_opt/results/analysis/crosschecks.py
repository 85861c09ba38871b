"""A few states of a run by other routes: its start, its largest constraint force and its end."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...base.errors import GaussError
from ...mechanics.crosscheck import Crosscheck, crosscheck
from ..result import Result

__all__ = ["notable_crosschecks"]

QUICK = ("daqp", "nnls", "active_set")  # solvers that need no time to speak of


def notable_crosschecks(result: Result) -> Iterator[tuple[str, Crosscheck]]:
    """What each state is, in words, and its routes; nothing for a result without a system."""
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
