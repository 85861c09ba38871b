"""Across a configuration at which constraint rows become dependent (a flat four-bar).

There the multipliers blow up and round-off with them, while the motion itself is smooth. So the
state is extrapolated from the smooth stretch before, to the other side where the rows are as
independent as they are here, and put back onto the constraints.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ....base.arrays import Array
from ....base.chebyshev import nodes
from ....base.tolerances.simulation import LARGEST_CORRECTION
from ....mechanics.flow import Flow
from ....mechanics.rank.independence import independence
from ....model.snapshot import Snapshot
from ....results.dense_output import Piece

__all__ = ["Landing", "leap"]

DEGREES = (5, 7, 9, 11, 13, 15)
MAX_SHARE = 0.5
STRETCH = 20.0  # the motion is fitted over this many times the distance to the drop


class Landing(NamedTuple):
    """A state beyond a rank drop.

    Attributes
    ----------
    snapshot : Snapshot
        The state, on the constraints.
    piece : Piece
        The way there.
    correction : float
        How far the constraints moved the extrapolated state, relative.
    """

    snapshot: Snapshot
    piece: Piece
    correction: float


def leap(
    pieces: Sequence[Piece],
    now: Snapshot,
    flow: Flow,
    arrive: Callable[[float, Array], Snapshot],
    t_end: float,
) -> Landing | None:
    """The state beyond a rank drop ahead with the way there, or None when none is in reach.

    Parameters
    ----------
    pieces : sequence of Piece
        Dense output of the last steps, ending now.
    now : Snapshot
        The present state.
    flow : Flow
        The motion with the rows that are held as equalities.
    arrive : callable
        From a time and an extrapolated state to a state on the constraints.
    t_end : float
        Not beyond this.
    """
    held, left_out = flow.held, flow.left_out
    here = independence(now, held, left_out)
    before = pieces[-1].t0
    earlier = independence(arrive(before, pieces[-1].values[0]), held, left_out)
    slope = (earlier - here) / (now.t - before)
    if slope <= 0.0:
        return None
    ahead = here / slope
    pieces = _last(pieces, now.t - STRETCH * ahead)
    window = now.t - pieces[0].t0
    forward = _extrapolation(pieces, now, window, DEGREES[1])
    distance = 0.5 * ahead
    lowest = here
    while distance <= MAX_SHARE * window and now.t + distance <= t_end:
        t = now.t + distance
        value = independence(arrive(t, forward(t)), held, left_out)
        lowest = min(lowest, value)
        if value >= here and lowest < 0.9 * here:
            return _landing(pieces, now, window, arrive, t)
        distance += 0.25 * ahead
    return None


def _landing(
    pieces: Sequence[Piece],
    now: Snapshot,
    window: float,
    arrive: Callable[[float, Array], Snapshot],
    t: float,
) -> Landing | None:
    """The state at t by the polynomial that the constraints correct least, and the way there."""
    best, least = None, LARGEST_CORRECTION
    for degree in DEGREES:
        forward = _extrapolation(pieces, now, window, degree)
        there = arrive(t, forward(t))
        off = _correction(there, forward(t))
        if off < least:
            best, least = (degree, forward, there), off
    if best is None:
        return None
    degree, forward, there = best
    times = now.t + (t - now.t) * nodes(degree + 1)
    values = np.array([forward(float(s)) for s in times])
    values[0] = np.concatenate([now.q, now.v])
    values[-1] = np.concatenate([there.q, there.v])
    return Landing(there, Piece(now.t, t, values), least)


def _last(pieces: Sequence[Piece], since: float) -> Sequence[Piece]:
    """The pieces from a time on."""
    first = 0
    while first < len(pieces) - 1 and pieces[first].t1 <= since:
        first += 1
    return pieces[first:]


def _extrapolation(
    pieces: Sequence[Piece], now: Snapshot, window: float, degree: int
) -> Callable[[float], Array]:
    """A polynomial through the last stretch of the motion."""
    scaled, values = [], []
    for piece in pieces:
        for t, y in zip(piece.times, piece.values, strict=True):
            scaled.append((t - now.t) / window)
            values.append(y)
    basis = np.polynomial.chebyshev.chebvander(2.0 * np.array(scaled) + 1.0, degree)
    coefficients = np.linalg.lstsq(basis, np.array(values), rcond=None)[0]

    def at(t: float) -> Array:
        x = 2.0 * (t - now.t) / window + 1.0
        value: Array = np.polynomial.chebyshev.chebvander(x, degree) @ coefficients
        return value[0] if value.ndim == 2 else value

    return at


def _correction(there: Snapshot, extrapolated: Array) -> float:
    """How far the constraints moved the extrapolated state, relative."""
    state = np.concatenate([there.q, there.v])
    return float(np.abs(state - extrapolated).max() / np.abs(state).max())
