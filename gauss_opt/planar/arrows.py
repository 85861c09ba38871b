"""Contact forces as arrows at the points where they act."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..base.arrays import Array
from ..results.result import Result
from ..viz import scene
from .posture import Posture
from .touches import Touch, touches

if TYPE_CHECKING:
    from .mechanism import Mechanism

__all__ = ["force_arrows"]

MOST = 40  # contacts whose forces are shown: those with the largest


def force_arrows(
    mechanism: Mechanism, result: Result, longest: float
) -> Callable[[Array, float], list[scene.Shape]] | None:
    """An arrow for each contact that ever carries a force, as long as the force is large."""
    known: dict[str, Touch] = touches(mechanism)
    forces = {name: f for name, f in result.multipliers.items() if name in known and f.ndim == 1}
    peaks = {name: float(f.max(initial=0.0)) for name, f in forces.items()}
    shown = sorted((name for name in peaks if peaks[name] > 0.0), key=lambda n: -peaks[n])[:MOST]
    if not shown:
        return None
    # The largest that lasts, not the peak of an instant, is drawn at full length.
    scale = longest / max(float(np.quantile(forces[name], 0.95)) or peaks[name] for name in shown)

    def arrows(q: Array, t: float) -> list[scene.Shape]:
        p = Posture(q, None, t)
        row = max(int(np.searchsorted(result.t, t, side="right")) - 1, 0)
        drawn = []
        for name in shown:
            at, normal = (np.array([float(x) for x in part]) for part in known[name](p))
            length = min(scale * max(float(forces[name][row]), 0.0), 2.0 * longest)
            drawn.append(scene.arrow(at, at + length * normal))
        return drawn

    return arrows
