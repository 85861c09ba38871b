"""Events in files: one table says which of their fields is where, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...base.arrays import Array
from ..records import Event
from .plausible import truth
from .values import floats, words

__all__ = ["event_arrays", "event_entries", "event_shapes", "read_events"]


def _impulses(entry: Any) -> dict[str, Any]:
    found = {}
    for name, value in entry.items():
        array = np.array(value)
        if array.dtype.kind not in "fi" or not np.isfinite(array).all():
            raise ValueError(f"the impulse of {name!r} is not a number: {value!r}")
        found[name] = array.astype(float) if array.ndim else float(array)
    return found


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is not the number of a row")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is no text")
    return value


# In the JSON header, each with what reads it.
IN_HEADER: dict[str, Callable[[Any], Any]] = {
    "kind": str,
    "contacts": words,
    "detail": _text,
    "gains_energy": truth,
    "exact": truth,
    "impulses": _impulses,
    "row": _whole,
}
ADDED = {"row": -1}  # what files of before do not have
# In an array with one row for each event: a number, or one for each position or velocity.
IN_ARRAYS = {
    "t": "",
    "energy_change": "",
    "constraint_work": "",
    "q": "nq",
    "v_before": "nv",
    "v_after": "nv",
}


def event_entries(events: Sequence[Event]) -> list[dict[str, Any]]:
    """What of each event is in the header; a row that is not known is left out."""
    entries = [{name: _plain(getattr(event, name)) for name in IN_HEADER} for event in events]
    return [{k: v for k, v in entry.items() if ADDED.get(k) != v} for entry in entries]


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: np.asarray(part).tolist() for name, part in value.items()}
    return value


def event_arrays(events: Sequence[Event]) -> dict[str, Array]:
    """What of the events is in arrays."""
    return {f"event_{name}": np.array([getattr(e, name) for e in events]) for name in IN_ARRAYS}


def event_shapes(count: int, **widths: int) -> dict[str, tuple[int, ...]]:
    """The shape that each of these arrays must have; without events they have no width."""
    return {
        f"event_{name}": (count, widths[width]) if width and count else (count,)
        for name, width in IN_ARRAYS.items()
    }


def read_events(arrays: dict[str, Any], entries: list[dict[str, Any]]) -> tuple[Event, ...]:
    """The events of a file."""
    columns = {name: floats(arrays[f"event_{name}"]) for name in IN_ARRAYS}
    events = []
    for i, entry in enumerate(entries):
        entry = ADDED | entry
        said = {name: read(entry[name]) for name, read in IN_HEADER.items()}
        for name, width in IN_ARRAYS.items():
            said[name] = columns[name][i] if width else float(columns[name][i])
        events.append(Event(**said))
    return tuple(events)
