"""The first held row of a step that ceases to press, by samples: where nothing can be enclosed.

A force that cannot be traced is known only where it is called. The samples are halved until they
predict each other; what happens between them, quicker than they tell, is not seen.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ....base.arrays import Array
from ....base.tolerances.simulation import NO_FORCE
from ....results.dense_output import Piece
from ...run_state import RunState
from ..context import Context
from ..roots import first_sign_change
from .frozen_set import changes_at, right_at
from .happening import Happening, HappeningKind
from .pressing import Held
from .sampling import interleaved, sampled_only

__all__ = ["first_sampled_release"]

MAX_HALVINGS = 6
PREDICTED = 0.02  # of the largest force of a row
MARGIN = 4.0  # a force this many times above the bend that is seen cannot reach zero unseen


def first_sampled_release(
    context: Context, state: RunState, held: Held, piece: Piece
) -> Happening | None:
    """The first row that lets go at one of the samples, or None."""
    for name in context.names(held.pressed):
        sampled_only(context, f"force of {name}", "a force or a constraint cannot be traced")
    if held.unique:
        return _first_zero(context, state, held, piece)
    times = piece.halved()[0].tolist()
    for low, high in pairwise(times):
        if not right_at(context, state, held.flow, piece, high):
            t = changes_at(context, state, held.flow, piece, low, high)
            return Happening(t, HappeningKind.RELEASE, np.arange(0))
    return None


def _first_zero(context: Context, state: RunState, held: Held, piece: Piece) -> Happening | None:
    """The first multiplier that falls to zero."""
    places = np.flatnonzero(np.isin(held.flow.held, held.pressed))

    def forces(t: float) -> Array:
        return held.flow.accelerate(context.at(t, piece(t)))[1][places]

    times = piece.halved()[0]
    samples = np.array([forces(t) for t in times.tolist()])
    for _ in range(MAX_HALVINGS):
        if _predictable(times, samples):
            break
        middle = 0.5 * (times[:-1] + times[1:])
        times = interleaved(times, middle)
        samples = interleaved(samples, np.array([forces(t) for t in middle.tolist()]))
    found: list[tuple[float, int]] = []
    for j, row in enumerate(held.flow.held[places].tolist()):
        values = samples[:, j]
        zero = NO_FORCE * np.abs(values).max()
        if values.min() >= -zero:
            continue
        values = np.where(np.abs(values) <= zero, 0.0, values)

        def force(t: float, j: int = j) -> float:
            return float(forces(t)[j])

        t = piece.t0 if values[0] <= 0.0 else first_sign_change(times, values, force, -1)
        if t is not None:
            found.append((t, row))
    if not found:
        return None
    first = min(t for t, _ in found)
    near = first + state.resolution(first)
    rows = np.array([row for t, row in found if t <= near])
    return Happening(first, HappeningKind.RELEASE, rows)


def _predictable(times: Array, samples: Array) -> bool:
    """Whether no row can dip to zero between samples by as much as they bend."""
    before, middle, after = samples[:-2:2], samples[1:-1:2], samples[2::2]
    share = ((times[1:-1:2] - times[:-2:2]) / (times[2::2] - times[:-2:2]))[:, None]
    bend = np.abs(middle - (before + share * (after - before)))
    lowest = np.minimum(np.minimum(before, middle), after)
    size = np.abs(samples).max(axis=0)
    return bool(((bend <= PREDICTED * size) | (lowest > MARGIN * bend)).all())
