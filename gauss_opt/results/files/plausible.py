"""What no run can leave behind: such a file is damaged, however well its shapes fit together."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..records import EventKind, RunStatus

__all__ = ["require_plausible", "truth"]

# Arrays without NaN and infinity: whatever has a place in them has a value.
FINITE = (
    "t", "q", "v", "a", "rows_multipliers", "forces_total", "forces_nonideal",
    "event_t", "event_q", "event_v_before", "event_v_after", "event_energy_change",
    "event_constraint_work", "piece_t0", "piece_t1", "piece_values",
)  # fmt: skip


def require_plausible(arrays: dict[str, Any], header: dict[str, Any]) -> None:
    """A ValueError where a number is not finite, times run backwards, or a word is unknown."""
    for name in FINITE:
        if name in arrays and not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} has numbers that are not finite")
    for name in (name for name in arrays if name.startswith("energy_")):
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{name} has numbers that are not finite")
    _require_order(arrays)
    for key, known in (("status", RunStatus), ("kind", EventKind)):
        said = [header[key]] if key == "status" else [entry[key] for entry in header["events"]]
        for word in said:
            if not isinstance(word, str) or word not in set(known):
                raise ValueError(f"{word!r} is not a {key}: {', '.join(known)}")
    if not isinstance(header["message"], str):
        raise ValueError(f"the message is no text: {header['message']!r}")


def _require_order(arrays: dict[str, Any]) -> None:
    t, events = arrays["t"], arrays["event_t"]
    for name, times in (("t", t), ("event_t", events), ("piece_t0", arrays["piece_t0"])):
        if (np.diff(times) < 0.0).any():
            raise ValueError(f"the times in {name} run backwards")
    if (arrays["piece_t1"] < arrays["piece_t0"]).any():
        raise ValueError("a step of the dense output ends before it begins")
    if len(events) and not (len(t) and t[0] <= events[0] and events[-1] <= t[-1]):
        raise ValueError("there are events before the start or after the end")


def truth(value: Any) -> bool:
    """True or false from a header; a word such as "no" is neither.

    >>> truth("no")
    Traceback (most recent call last):
    ValueError: 'no' is neither true nor false
    """
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value
