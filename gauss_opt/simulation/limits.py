"""Limits of a run, so that it always ends."""

from __future__ import annotations

import numpy as np

from ..base.errors import SimulationError
from .settings import Settings

__all__ = ["require_progress", "require_within_limits", "stands_still"]

MAX_STANDSTILL = 1000  # steps in a row that end where they began
NEXT_FLOATS = 2  # a step to one of the next floats is no progress either


def stands_still(before: float, after: float) -> bool:
    """Whether a step ends where it began, or as near to it as floats can tell.

    >>> stands_still(1e9, 1e9 + 1.2e-7), stands_still(1e9, 1e9 + 1e-6)
    (True, False)
    """
    return after - before <= NEXT_FLOATS * float(np.spacing(max(abs(before), abs(after))))


def require_within_limits(settings: Settings, steps: int, events: int) -> None:
    """Raise when the steps or events that were allowed are used up."""
    for count, limit, what in (
        (steps, settings.max_steps, "steps"),
        (events, settings.max_events, "events"),
    ):
        if count >= limit:
            raise SimulationError(f"the limit of {limit} {what} was reached")


def require_progress(standstill: int, t: float) -> None:
    """Raise when event follows event without any time between them."""
    if standstill > MAX_STANDSTILL:
        raise SimulationError(f"no progress after {MAX_STANDSTILL} events at t = {t:.17g}")
