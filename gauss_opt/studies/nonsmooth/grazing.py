"""Which contact grazes where a branch of orbits ends."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.errors import NotSmoothError
from ...model.snapshot import evaluate
from .orbit import Orbit

__all__ = ["grazing_contact"]

NEARLY = 0.05  # of the fastest rate, and of the root of the gap: what is about to graze
PLACES = 17  # between two rows, where the gap may be least


def grazing_contact(orbit: Orbit, why: Exception | Orbit | None) -> str:
    """The contact that is about to be struck, or no longer to be struck."""
    if isinstance(why, NotSmoothError) and why.contacts:
        return why.contacts[0]
    nearest = _nearest(orbit)
    if nearest is not None:
        return nearest
    if isinstance(why, Orbit):
        more, less = list(why.word), list(orbit.word)
        other = [c for c in {*more, *less} if more.count(c) != less.count(c)]
        return other[0] if other else ""
    return ""


def _nearest(orbit: Orbit) -> str | None:
    """A contact that almost grazes: its slowest impact, or its least gap in between."""
    run = orbit.result
    found: dict[str, float] = {}
    for event in run.events:
        if event.kind == "impact" and event.contacts:
            at = evaluate(orbit.system, event.q, event.v_before, event.t)
            size = float(np.abs(run.v).max(initial=0.0)) or 1.0
            for name in event.contacts:
                slow = float(np.abs(at.rates[name]).max()) / size
                found[name] = min(found.get(name, slow), slow)
    for name, gaps in run.gaps.items():
        apart, rate = np.asarray(gaps).ravel(), np.asarray(run.rates[name]).ravel()
        turns = np.flatnonzero((rate[:-1] < 0.0) & (rate[1:] > 0.0) & (run.t[:-1] < run.t[1:]))
        size = float(apart.max(initial=0.0)) or 1.0
        for i in turns.tolist():
            least = _least_gap(orbit, name, float(run.t[i]), float(run.t[i + 1])) / size
            found[name] = min(found.get(name, least), max(least, 0.0) ** 0.5)
    closest = min(found, key=lambda each: found[each], default=None)
    return closest if closest is not None and found[closest] < NEARLY else None


def _least_gap(orbit: Orbit, name: str, t0: float, t1: float) -> float:
    """The smallest gap between two times."""
    gaps: list[Any] = []
    for t in np.linspace(t0, t1, PLACES).tolist():
        state = orbit.result(t)
        gaps.append(np.min(evaluate(orbit.system, state.q, state.v, t).gaps[name]))
    return float(min(gaps))
