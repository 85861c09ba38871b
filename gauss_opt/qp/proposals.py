"""What a solver's proposal can mean: checked first, then read as working sets, or as it is."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Array, Indices
from ..base.tolerances.base import TINY
from ..base.tolerances.qp import PROPOSED_TOUCHING, PROPOSED_ZEROS
from .solution import SolverAnswer
from .solvers import Proposal
from .whitening import LeastDistance, Whitened

__all__ = ["as_answer", "checked", "proposed_sets", "violated_rows"]


def checked(proposal: Proposal, problem: LeastDistance) -> Proposal:
    """A proposal with arrays of the right shape and finite numbers, or the reason why not."""
    if not isinstance(proposal, Proposal):
        raise TypeError(f"propose() returned a {type(proposal).__name__}, not a Proposal")
    if proposal.status != "solved":
        return proposal._replace(status=str(proposal.status), z=None, multipliers=None)
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
    return proposal._replace(z=arrays[0], multipliers=arrays[1])


def as_answer(white: Whitened, problem: LeastDistance, proposal: Proposal) -> SolverAnswer:
    """A checked proposal in the coordinates and units of the problem as it was."""
    status, z, multipliers, iterations, setup, seconds = proposal
    x = None if z is None else white.point(problem.unit * z)
    if multipliers is not None:
        multipliers = problem.unit * multipliers / white.lengths[problem.n_equality :]
    return SolverAnswer(status, x, multipliers, iterations, setup, seconds)


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


def violated_rows(white: Whitened) -> Indices:
    """The equalities, and the inequality rows that do not hold at z = 0: a first guess."""
    rows = np.arange(len(white.rhs))
    violated: Indices = rows[(rows < white.n_equality) | (white.rhs > 0.0)]
    return violated
