"""Functions of which nothing can be proved, sampled until their samples predict each other.

A rate is known with every value. What a function does between two samples, quicker than both tell,
is not seen; so the result names what was only sampled.
"""

from __future__ import annotations

import numpy as np

from ....base.arrays import Array, Indices
from ....results.dense_output import Piece
from ..context import Context

__all__ = ["in_reach", "resolved", "sampled_only"]

# Between two samples a gap can fall by half of (time x speed) below the mean of both, where the
# speed may be somewhat larger than at the samples.
REACH = 2.0

# A value half-way between samples that is off by less than this part of it was predicted.
PREDICTED = 0.05
MAX_HALVINGS = 5


def sampled_only(context: Context, name: str, why: str) -> None:
    """Note that nothing can be proved of a function."""
    context.stats.sampled.setdefault(name, why)


def resolved(context: Context, piece: Piece, rows: Indices) -> tuple[Array, Array, Array]:
    """Times, values and rates of rows over a step, so fine that cubics through them tell all."""
    times, states = piece.halved()
    values, rates = context.sampled(rows, times, states)
    for _ in range(MAX_HALVINGS):
        if _predictable(times, values, rates):
            break
        middle = 0.5 * (times[:-1] + times[1:])
        between = context.sampled(rows, middle, piece.many(middle))
        times = interleaved(times, middle)
        values, rates = interleaved(values, between[0]), interleaved(rates, between[1])
    return times, values, rates


def in_reach(times: Array, values: Array, rates: Array) -> Indices:
    """Columns whose values are near enough to zero to get there between two samples."""
    speeds = np.abs(rates)
    reach = np.diff(times)[:, None] * np.maximum(speeds[:-1], speeds[1:])
    near: Indices = np.flatnonzero((values[:-1] + values[1:] <= REACH * reach).any(axis=0))
    return near


def _predictable(times: Array, values: Array, rates: Array) -> bool:
    """Whether every other value is what a cubic through its neighbours says."""
    h = (times[2::2] - times[:-2:2])[:, None]
    before, after = values[:-2:2], values[2::2]
    predicted = 0.5 * (before + after) + (rates[:-2:2] - rates[2::2]) * (0.125 * h)
    size = np.maximum(np.abs(before), np.abs(after))
    return bool((np.abs(predicted - values[1::2]) <= PREDICTED * size).all())


def interleaved(ends: Array, middles: Array) -> Array:
    """Samples with the ones half-way between them put in."""
    merged = np.empty((len(ends) + len(middles), *ends.shape[1:]))
    merged[::2], merged[1::2] = ends, middles
    return merged
