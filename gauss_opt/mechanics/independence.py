"""How independent the rows of constraints are at a state."""

from __future__ import annotations

import numpy as np

from ..base.arrays import Indices
from ..base.tolerances.mechanics import DEPENDENT_EVERYWHERE
from ..model.snapshot import Snapshot
from ..qp.problem import GaussProblem
from ..qp.whitening import whiten

__all__ = ["independence"]


def independence(snapshot: Snapshot, held: Indices) -> float:
    """The smallest nonzero singular value of the unit whitened rows: 0 where rank drops.

    Rows that are dependent everywhere do not count.
    """
    k = len(held)
    if not k:
        return 1.0
    problem = GaussProblem(
        snapshot.mass,
        np.zeros(len(snapshot.v)),
        snapshot.rows_of(held),
        np.zeros(k),
        k,
        ("",) * k,
        "rank",
    )
    values = np.linalg.svd(whiten(problem).unit().rows, compute_uv=False)
    return float(values[values > DEPENDENT_EVERYWHERE].min(initial=1.0))
