"""Which contacts carry a force that is more than round-off."""

from __future__ import annotations

import numpy as np

from ...base.arrays import Array
from ...base.tolerances.results import CARRIED_FORCE
from ...model.snapshot import evaluate
from ..result import Result

__all__ = ["carries", "contacts_carry_force"]


def contacts_carry_force(result: Result) -> bool:
    """Whether a contact ever carries a force that is more than round-off."""
    return any(carries(result, result.multipliers[name]) for name in result.contacts)


def carries(result: Result, force: Array) -> bool:
    """Whether a force ever exceeds round-off, beside the applied and constraint forces."""
    size = float(np.abs(result.forces["total"]).max())
    if result.system is not None:
        start = evaluate(result.system, result.q[0], result.v[0], float(result.t[0]))
        size = max(size, float(np.abs(start.force).max()))
    return bool(np.any(np.abs(force) > CARRIED_FORCE * size))
