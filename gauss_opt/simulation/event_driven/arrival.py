"""The state at an event inside a step, with the integrator's own accuracy.

Dense output is less accurate than the steps it lies between. So the last part is integrated afresh
up to the event, unless dense output solves the equation to round-off, as it does in free flight.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...model.snapshot import Snapshot
from ...results.dense_output import Piece
from .detection import Happening
from .integrator import Integrator
from .run import ROUND_OFF, Run

__all__ = ["arrive"]

EXACT = 1e-13  # a defect of dense output this small, relative, is round-off

IntegratorTo = Callable[[float], Integrator]


def arrive(run: Run, piece: Piece, found: Happening, integrator_to: IntegratorTo) -> Snapshot:
    """Go to an event inside a step, and store the dense output up to it.

    Parameters
    ----------
    integrator_to : callable
        A new integrator from the last accepted state to a time.
    """
    if found.t <= piece.t0:
        return run.now
    part = piece.until(found.t)
    way = None if _exact(run, part) else _integrated(run, integrator_to, found.t)
    if way is None:
        run.store_piece(part)
        return run.at(found.t, part.values[-1])
    end = run.at(found.t, way[-1].values[-1])
    if found.kind == "contact":
        t = _corrected(run, end, int(found.rows[0]), piece)
        again = _integrated(run, integrator_to, t) if t != found.t else None
        if again is not None:
            way, end = again, run.at(t, again[-1].values[-1])
    for part in way:
        run.store_piece(part)
    return end


def _exact(run: Run, part: Piece) -> bool:
    """Whether dense output solves the equation to round-off."""
    defect = part.end_slope() - run.flow(part.t1, part.values[-1])
    size = np.abs(part.values).max(axis=0)
    return bool((np.abs(defect) * (part.t1 - part.t0) <= EXACT * size).all())


def _corrected(run: Run, end: Snapshot, row: int, piece: Piece) -> float:
    """One Newton step on the time at which a gap is zero."""
    gap, rate = float(end.value[row]), float(end.rate[row])
    noise = 4 * ROUND_OFF * float(run.scales.lengths(end)[row])
    if abs(gap) <= noise or rate >= 0.0:
        return end.t
    t = end.t - gap / rate
    return t if piece.t0 < t <= piece.t1 else end.t


def _integrated(run: Run, integrator_to: IntegratorTo, t: float) -> list[Piece] | None:
    """The way to a time (one-step methods only)."""
    before = run.flow.calls
    integrator = integrator_to(t)
    if not integrator.one_step:
        return None
    pieces = []
    while not integrator.finished:
        if integrator.step() is not None:
            return None
        pieces.append(integrator.piece())
    run.stats.rhs_calls += run.flow.calls - before
    return pieces
