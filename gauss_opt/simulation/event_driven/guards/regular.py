"""Refusal of gaps that touch zero and rise again because of their form, not of the motion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....base.errors import NonFiniteError, SimulationError
from ....base.tolerances.simulation import BESIDE_CONTACT, NO_GRADIENT, SLOW
from ....model.enclosure.irregular import ADVICE
from ....results.dense_output import Piece
from ...run_state import RunState
from ..context import Context
from .happening import Happening, HappeningKind

__all__ = ["require_regular"]

KINK = 1e-3  # of the rates of the step: a jump of the rate this large is a kink
STEADY = 0.1  # of the rates of the step: only below this the gradient is looked at


def require_regular(context: Context, state: RunState, piece: Piece, found: Happening) -> None:
    """Refuse a contact whose gap has a kink or no gradient where it is zero."""
    if found.kind not in (HappeningKind.CONTACT, HappeningKind.GRAZE) or found.t <= piece.t0:
        return
    slow = SLOW * state.scales.speeds(context.at(found.t, piece(found.t)))
    for row in found.rows.tolist():
        rates = _rates_around(context, piece, row, found.t)
        least = max(KINK * rates.size, float(slow[row]))
        if rates.fall < 0.0 < rates.rise and rates.rise - rates.fall > least:
            what = "has a kink there"
        elif rates.steady and _is_flat(context, piece, row, found.t):
            what = "has no gradient there"
        else:
            continue
        raise SimulationError(
            f"the gap of {context.layout.names[row]!r} comes down to zero at t = {found.t:.6g} and "
            f"rises again without changing its sign, because it {what}: {ADVICE}"
        )


class _Rates(NamedTuple):
    """Rates of a gap just before and after a contact, and their size at the ends of the step."""

    fall: float
    rise: float
    size: float

    @property
    def steady(self) -> bool:
        """Whether the gap hardly changes: a gap that does has a gradient, or a surface moves."""
        return max(abs(self.fall), abs(self.rise)) <= STEADY * self.size


def _rates_around(context: Context, piece: Piece, row: int, t: float) -> _Rates:
    away = BESIDE_CONTACT * (piece.t1 - piece.t0)
    times = max(t - away, piece.t0), min(t + away, piece.t1), piece.t0, piece.t1
    fall, rise, *ends = (context.gap_and_rate(row, s, piece(s))[1] for s in times)
    return _Rates(fall, rise, max(map(abs, ends)))


def _is_flat(context: Context, piece: Piece, row: int, t: float) -> bool:
    """Whether the gradient of the gap vanishes at a time, but not all along."""
    here, *others = (_steepness(context, piece, row, s) for s in (t, piece.t0, piece.t1))
    return here <= NO_GRADIENT * max(others)


def _steepness(context: Context, piece: Piece, row: int, t: float) -> float:
    """Largest entry of the gradient; 0 where the step goes on behind the surface and the gap ends.

    Such a gap is that of log(1 + y) where y is below -1.
    """
    try:
        return float(np.abs(context.at(t, piece(t)).rows_of(np.array([row]))).max())
    except NonFiniteError:
        return 0.0
