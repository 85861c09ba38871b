"""Numbers of a report: lists for JSON, and fewer rows where a picture needs no more."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base.arrays import Array
from ...results.analysis.choice import MOST_EVENTS, kept_events

__all__ = ["MOST_EVENTS", "number", "rounded", "thinned"]

FEWEST_BUCKETS = 60


def number(value: Any) -> float | None:
    """A float, or None for what JSON has no number for."""
    value = float(value)
    return value if isfinite(value) else None


def rounded(values: ArrayLike, digits: int = 8) -> list[float | None]:
    """Floats to so many significant digits, None where they are not finite.

    >>> rounded([0.1 + 0.2, float("nan")])
    [0.3, None]
    """
    numbers = np.asarray(values, dtype=float).tolist()
    return [float(f"{x:.{digits}g}") if isfinite(x) else None for x in numbers]


def thinned(
    t: Array, columns: Array, event_times: Iterable[float], limit: int = 2500
) -> NDArray[np.intp]:
    """Rows enough for a picture: both ends, both sides of jumps, extrema of every column.

    Parameters
    ----------
    t : (n,) array
        Times in order; both sides of a jump share theirs.
    columns : (n, k) array
    event_times : iterable of float
        Of more than 1500 of them, some are passed over evenly.
    limit : int
        About how many rows may stay, besides those of events.

    Examples
    --------
    >>> t = np.linspace(0.0, 1.0, 100_000)
    >>> wave = np.sin(40.0 * t)
    >>> rows = thinned(t, wave[:, None], (), limit=1000)
    >>> len(rows) <= 1002, bool(wave[rows].max() == wave.max())
    (True, True)
    """
    n, k = columns.shape
    if n <= limit:
        return np.arange(n)
    keep = np.zeros(n, dtype=bool)
    keep[[0, -1]] = True
    times = kept_events(list(event_times))
    firsts, lasts = np.searchsorted(t, times, "left"), np.searchsorted(t, times, "right")
    for first, last in zip(firsts, lasts, strict=True):
        keep[first:last] = True
    buckets = max(limit // (2 * max(k, 1)), FEWEST_BUCKETS)
    edges = np.linspace(0, n, buckets + 1).astype(int)
    finite = np.where(np.isfinite(columns), columns, 0.0)
    for start, end in pairwise(edges.tolist()):
        if end > start:
            bucket = finite[start:end]
            keep[start + bucket.argmin(axis=0)] = True
            keep[start + bucket.argmax(axis=0)] = True
    keep |= np.isin(t, t[keep])  # of a jump both sides
    return np.flatnonzero(keep)
