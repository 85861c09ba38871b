"""Limits of a run, so that it always ends."""

from __future__ import annotations

from collections.abc import Callable

from ..base.errors import SimulationError
from .settings import Settings

__all__ = ["require_progress", "require_within_limits"]

MAX_STANDSTILL = 1000  # steps in a row that end where they began


def require_within_limits(
    settings: Settings, steps: int, events: int, whereabouts: Callable[[], str]
) -> None:
    """Raise when the steps or events that were allowed are used up.

    ``whereabouts`` says where the run is then, and what keeps it.
    """
    for count, limit, what in (
        (steps, settings.max_steps, "steps"),
        (events, settings.max_events, "events"),
    ):
        if count >= limit:
            raise SimulationError(f"the limit of {limit} {what} was reached {whereabouts()}")


def require_progress(standstill: int, whereabouts: Callable[[], str]) -> None:
    """Raise when event follows event without any time between them."""
    if standstill > MAX_STANDSTILL:
        raise SimulationError(f"no progress after {MAX_STANDSTILL} events {whereabouts()}")
