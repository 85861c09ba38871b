"""What a solver's proposal can mean: checked first, then read as working sets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Array, Indices
from ..base.tolerances.base import TINY
from ..base.tolerances.qp import PROPOSED_TOUCHING, PROPOSED_ZEROS
from .solvers import Proposal
from .whitening import LeastDistance

__all__ = ["checked", "proposed_sets"]


def checked(proposal: Proposal, problem: LeastDistance) -> Proposal:
    """A proposal with arrays of the right shape and finite numbers, or the reason why not."""
    if not isinstance(proposal, Proposal):
        raise TypeError(f"propose() returned a {type(proposal).__name__}, not a Proposal")
    if proposal.status != "solved":
        return Proposal(str(proposal.status))
    if proposal.z is None and proposal.multipliers is None:
        return Proposal("reports success but gives neither z nor multipliers")
    arrays: list[Array | None] = []
    for what, value, size in (
        ("z", proposal.z, problem.n),
        ("multipliers", proposal.multipliers, problem.n_inequality),
    ):
        array = None if value is None else np.asarray(value, dtype=float)
        if array is not None and array.shape != (size,):
            return Proposal(f"reports success, but {what} has shape {array.shape}, not ({size},)")
        if array is not None and not np.isfinite(array).all():
            return Proposal(f"reports success, but {what} is not finite")
        arrays.append(array)
    return Proposal("solved", *arrays)


def proposed_sets(problem: LeastDistance, proposal: Proposal) -> Iterator[Indices]:
    """Working sets that a proposal can mean, the most likely first.

    The rows with a multiplier, for one idea of zero after another; then the rows that touch z.
    """
    if proposal.status != "solved":
        return
    ne = problem.n_equality
    equalities = np.arange(ne)
    seen: set[bytes] = set()
    for active in _active_rows(problem, proposal):
        if active.tobytes() not in seen:
            seen.add(active.tobytes())
            yield np.concatenate([equalities, ne + np.flatnonzero(active)])


def _active_rows(problem: LeastDistance, proposal: Proposal) -> Iterator[NDArray[np.bool_]]:
    multipliers, z = proposal.multipliers, proposal.z
    if multipliers is not None:
        largest = multipliers.max(initial=0.0)
        for zero in PROPOSED_ZEROS:
            yield multipliers > zero * largest
    if z is not None:
        yield problem.slack(z) <= PROPOSED_TOUCHING * (TINY + np.linalg.norm(z))
