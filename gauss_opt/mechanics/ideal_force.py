"""The ideal constraint force: what rows that are held would exert were there no other force."""

from __future__ import annotations

import numpy as np

from ..base.arrays import Array
from ..model.snapshot import Snapshot
from ..qp.active_set import solve_set
from ..qp.problem import GaussProblem
from ..qp.whitening import whiten

__all__ = ["ideal_force_of_rows"]


def ideal_force_of_rows(
    snapshot: Snapshot, rows: Array, rhs: Array, names: tuple[str, ...]
) -> Array:
    """M^1/2 B^+ (b - A M^-1 Q) with the rows A a = b held as equalities, (nv,)."""
    k = len(rhs)
    problem = GaussProblem(snapshot.mass, snapshot.force, rows, rhs, k, names, "ideal force")
    answer = solve_set(whiten(problem), np.arange(k))
    force: Array = answer.multipliers @ rows
    return force
