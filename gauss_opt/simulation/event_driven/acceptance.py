"""What a step must meet to be accepted: held rows without drift, and no jump in them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.errors import SimulationError
from ...base.tolerances.simulation import DRIFT, JUMP, JUMP_BY_RTOL
from ...mechanics.consistency.caused import caused_accelerations
from ...mechanics.consistency.projection import Scales, drift
from ...mechanics.flow import Flow
from ...model.snapshot import Snapshot
from ...results.dense_output import Piece
from .context import Context

__all__ = ["StepEnd", "end_of_step"]

MANY = 100.0  # steps, in each of which error control lets pass as much as the absolute tolerance


class StepEnd(NamedTuple):
    """The state at the end of a step.

    Attributes
    ----------
    snapshot : Snapshot
        On the held rows.
    drift : float
        What is left of it, relative.
    projected : bool
        Whether drift was removed.
    """

    snapshot: Snapshot
    drift: float
    projected: bool


def end_of_step(
    context: Context, flow: Flow, scales: Scales, snapshot: Snapshot, piece: Piece, atol: Array
) -> StepEnd:
    """The end of a step without drift; a drift that no smooth constraint makes is refused.

    Parameters
    ----------
    atol : (nq + nv,) array
        What error control does not look at, in (q, v).
    """
    held = flow.position_rows, flow.velocity_rows
    off = max(drift(snapshot, *held, scales))
    allowed = max(JUMP, JUMP_BY_RTOL * context.settings.rtol)
    if off > allowed:
        _refuse_jump(context, flow, scales, snapshot, piece, allowed, atol)
    if off <= DRIFT:
        return StepEnd(snapshot, off, False)
    snapshot = context.on_constraints(snapshot, flow, scales)
    return StepEnd(snapshot, max(drift(snapshot, *held, scales)), True)


def _refuse_jump(
    context: Context, flow: Flow, scales: Scales, snapshot: Snapshot, piece: Piece, allowed: float,
    atol: Array,
) -> None:  # fmt: skip
    """Refuse a step in which a held constraint did what no smooth one can do.

    Lengths and speeds vouch for each other here: where one of them is nothing but round-off,
    so is what is off by as much. Where nothing has moved yet, both come from what the forces could
    do within the step.
    """
    lengths, speeds, time = scales.lengths(snapshot), scales.speeds(snapshot), scales.time
    position, velocity = flow.position_rows, flow.velocity_rows
    rows = np.concatenate([position, velocity])
    off = np.abs(np.concatenate([snapshot.value[position], snapshot.rate[velocity]]))
    step = piece.t1 - piece.t0
    gain = np.abs(snapshot.rows) @ caused_accelerations(snapshot, np.abs(snapshot.force)) * step
    least = MANY * np.abs(snapshot.rows) @ atol[len(snapshot.q) :]
    sizes = [
        (lengths + time * speeds + step * gain)[position],
        (speeds + lengths / time + gain)[velocity],
    ]
    noise = np.concatenate([time * least[position], least[velocity]])
    if not (off > allowed * np.concatenate(sizes) + noise).any():
        return
    raise SimulationError(
        f"{context.layout.names[int(rows[off.argmax()])]!r} is off by {off.max():.3g} after the "
        f"step from t = {piece.t0:.6g} to {piece.t1:.6g}, although it is held: its function has a "
        f"jump or a kink there. Make it twice differentiable, or use one contact for each "
        f"feature, with active_when="
    )
