"""Whether an answer to (C) is the only one: a bound for small coefficients, or all sets.

Two answers with differences D of forces and G D of rates have D'G D <= sum mu |D_N| |(G D)_T|,
contact by contact. So there is only one when the least eigenvalue of G is above mu |G_T|.
"""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np

from ...base.arrays import Array
from ...base.tolerances.qp import CERTIFIED, DEPENDENT_STATES, SAME_FORCES
from .certificate import certify_friction
from .reduced import Reduced
from .states import States, forces_of, options

__all__ = ["all_sets", "countable", "proved_unique", "surely_unique"]

MOST_SETS = 4**6  # tried one by one to find an answer
FEW_SETS = 4**3  # tried one by one to find out whether there are others


def countable(problem: Reduced, most: int = MOST_SETS) -> bool:
    """Whether there are few enough sets to try all of them."""
    return prod(len(allowed) for allowed in options(problem)) <= most


def all_sets(problem: Reduced, tolerance: float) -> list[tuple[States, Array]]:
    """Every set whose forces pass the certificate, with the forces."""
    found = []
    for chosen in product(*options(problem)):
        states = np.array(chosen, dtype=np.int8)
        forces = forces_of(problem, states)
        if forces is None or not np.isfinite(forces).all():
            continue
        x, multipliers = problem.answer(forces)
        if certify_friction(problem.problem, x, multipliers, problem).passes(tolerance):
            found.append((states, forces))
    return found


def surely_unique(problem: Reduced) -> bool:
    """Whether the coefficients are so small that there can be only one answer."""
    nn = problem.nn
    used = np.concatenate([np.ones(nn, dtype=bool), problem.mu[problem.problem.normal_of] > 0.0])
    if not used.any():
        return True
    G = problem.G[np.ix_(used, used)]
    least = float(np.linalg.eigvalsh(G)[0])
    if least <= DEPENDENT_STATES * float(np.abs(G).max()):
        return False
    rough = G[nn:]
    return least > float(problem.mu.max(initial=0.0)) * (
        float(np.linalg.norm(rough, 2)) if len(rough) else 0.0
    )


def proved_unique(problem: Reduced, multipliers: Array, tolerance: float = CERTIFIED) -> bool:
    """Whether no other answer exists, in x or in forces."""
    if surely_unique(problem):
        return True
    if problem.problem.in_space or not countable(problem, FEW_SETS):
        return False
    forces = multipliers[len(multipliers) - len(problem.lengths) :] * problem.lengths
    held = np.abs(forces) > SAME_FORCES * float(np.abs(forces).max(initial=0.0))
    if held.any():
        sizes = np.linalg.svd(problem.G[np.ix_(held, held)], compute_uv=False)
        if sizes[-1] <= DEPENDENT_STATES * sizes[0]:
            return False
    scale = float(np.abs(forces).max(initial=0.0)) + problem.force_scale
    return all(
        float(np.abs(other - forces).max(initial=0.0)) <= SAME_FORCES * scale
        for _, other in all_sets(problem, tolerance)
    )
