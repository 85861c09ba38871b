"""Results of what is computed from a run, kept as long as the run itself is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from weakref import WeakKeyDictionary

__all__ = ["kept"]

Made = TypeVar("Made")


def kept(function: Callable[..., Made]) -> Callable[..., Made]:
    """A function whose values are kept for its first argument while that is alive.

    Pictures of one run share what they need, and nothing outlives the run.

    >>> class Run: pass
    >>> run, calls = Run(), []
    >>> @kept
    ... def length(run, unit="m"):
    ...     calls.append(unit)
    ...     return 1.0
    >>> length(run), length(run), length(run, "mm"), calls
    (1.0, 1.0, 1.0, ['m', 'mm'])
    """
    made: WeakKeyDictionary[object, dict[object, Made]] = WeakKeyDictionary()

    def remembered(owner: object, *rest: object, **named: object) -> Made:
        known = made.setdefault(owner, {})
        key = (rest, tuple(sorted(named.items())))
        if key not in known:
            known[key] = function(owner, *rest, **named)
        return known[key]

    remembered.__doc__, remembered.__name__ = function.__doc__, function.__name__
    return remembered
