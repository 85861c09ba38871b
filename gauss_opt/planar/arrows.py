"""Contact forces as arrows at the points where they act."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base.arrays import Array
from ..results.result import Result
from ..viz import scene
from .forces.compliant import CompliantContact
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
    forces = _forces(mechanism, result)
    peaks = {name: float(force.size.max(initial=0.0)) for name, force in forces.items()}
    shown = sorted((name for name in peaks if peaks[name] > 0.0), key=lambda n: -peaks[n])[:MOST]
    if not shown:
        return None
    # The largest that lasts, not the peak of an instant, is drawn at full length.
    lasting = [float(np.quantile(forces[n].size, 0.95)) or peaks[n] for n in shown]
    scale = longest / max(lasting)

    def arrows(q: Array, t: float) -> list[scene.Shape]:
        p = Posture(q, None, t)
        row = max(int(np.searchsorted(result.t, t, side="right")) - 1, 0)
        drawn = []
        for name in shown:
            at, normal = (np.array([float(x) for x in part]) for part in forces[name].touch(p))
            length = min(scale * max(float(forces[name].size[row]), 0.0), 2.0 * longest)
            drawn.append(scene.arrow(at, at + length * normal))
        return drawn

    return arrows


class _Shown(NamedTuple):
    """A contact: the size of its force over the times of a result, and where it acts."""

    size: Array
    touch: Touch


def _forces(mechanism: Mechanism, result: Result) -> dict[str, _Shown]:
    """Contacts of the system, and features of compliant ones, by name."""
    known = touches(mechanism)
    found = {
        name: _Shown(force, known[name])
        for name, force in result.multipliers.items()
        if name in known and force.ndim == 1
    }
    every = Posture(result.q.T, result.v.T, result.t)
    for force in mechanism.forces:
        if isinstance(force, CompliantContact):
            for k, one in enumerate(force.pressed(every)):
                size = np.broadcast_to(force.force(every, one), result.t.shape)
                found[f"{force.name} {k}"] = _Shown(size, _touch(force, k))
    return found


def _touch(force: CompliantContact, k: int) -> Touch:
    """Where a feature of a compliant contact is, and the direction on the body that moves."""

    def touch(p: Posture) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        one = list(force.pressed(p))[k]
        sign = 1.0 if one.second.moves else -1.0
        return one.place, (sign * one.normal[0], sign * one.normal[1])

    return touch
