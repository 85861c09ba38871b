"""How contacts stand in (C): the sets that are proposed, and the forces that go with each."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from ...base.arrays import Array, Indices, Mask
from ...base.tolerances.qp import (
    DEPENDENT_STATES,
    PROPOSED_OPEN,
    PROPOSED_STUCK,
    REGULAR_SET,
)
from ..active_set import pivot, solve_unit_rows
from ..whitening import LeastDistance
from .reduced import Reduced

__all__ = [
    "ContactState",
    "States",
    "can_be",
    "closed_normals",
    "forces_of",
    "options",
    "read_states",
]

States = NDArray[np.int8]


class ContactState(IntEnum):
    """How a contact stands.

    Attributes
    ----------
    OPEN
        Without force.
    STICK
        Closed, without slip (or without friction).
    FORWARD, BACKWARD
        Closed, with slip in the positive or negative direction. In space only FORWARD: along the
        slip, whatever its direction.
    PRELOADED_STICK, PRELOADED_FORWARD, PRELOADED_BACKWARD
        The same with no other normal force than the preload.
    """

    OPEN = 0
    STICK = 1
    FORWARD = 2
    BACKWARD = 3
    PRELOADED_STICK = 5
    PRELOADED_FORWARD = 6
    PRELOADED_BACKWARD = 7


OPEN, STICK, FORWARD, BACKWARD = (np.int8(state) for state in list(ContactState)[:4])
PRELOADED = np.int8(4)  # added to a state where the normal force is the preload alone
_DIRECTION = np.array([0.0, 0.0, 1.0, -1.0])


def closed_normals(states: States) -> Mask:
    """Normals with a force of their own, as a mask."""
    mask: Mask = (states > OPEN) & (states < PRELOADED)
    return mask


def options(problem: Reduced) -> list[tuple[np.int8, ...]]:
    """The states that each normal can have."""
    found: list[tuple[np.int8, ...]] = []
    slide = problem.problem.slide
    for i, tangents in enumerate(problem.tangents_of):
        if not len(tangents) or problem.mu[i] == 0.0:
            found.append((OPEN, STICK))
        elif slide[tangents].any():
            forward = len(tangents) > 1 or slide[tangents[0]] > 0.0
            found.append((OPEN, FORWARD if forward else BACKWARD))
        else:
            rubbing = (STICK, FORWARD) if len(tangents) > 1 else (STICK, FORWARD, BACKWARD)
            loaded = problem.preload[i] > 0.0
            without = tuple(np.int8(s + PRELOADED) for s in rubbing) if loaded else (OPEN,)
            found.append((*without, *rubbing))
    return found


def can_be(problem: Reduced, states: States) -> bool:
    """Whether every state is one of the options of its normal."""
    of, slide = problem.problem.normal_of, problem.problem.slide
    rubs = np.zeros(problem.nn, dtype=bool)
    rubs[of] = problem.mu[of] > 0.0
    smooth = states[~rubs]
    if (smooth > STICK).any():
        return False
    if not (slide == 0.0).any() and (states[of] > STICK).all():
        return bool(((states[of] == FORWARD) == (slide > 0.0)).all()) or problem.problem.in_space
    given = slide != 0.0
    moving = states[of[given]]
    ahead = np.where(slide[given] > 0.0, FORWARD, BACKWARD)
    if problem.problem.in_space:
        ahead = np.full(len(moving), FORWARD)
    if ((moving != OPEN) & (moving != ahead)).any():
        return False
    free = of[~given]
    loaded = problem.preload[free] > 0.0
    most = FORWARD if problem.problem.in_space else BACKWARD
    kind, added = states[free] % PRELOADED, states[free] >= PRELOADED
    fine = np.where(loaded, kind > OPEN, ~added) & (kind <= most) & (problem.mu[free] > 0.0)
    return bool((fine | (states[free] <= STICK) & (problem.mu[free] == 0.0)).all())


def directions(problem: Reduced, states: States) -> Array:
    """d of each tangent: given, or the sign that a sliding state has; 0 where nothing slides."""
    of, given = problem.problem.normal_of, problem.problem.slide
    state = states[of]
    chosen = _DIRECTION[state % PRELOADED]
    return np.where(given != 0.0, np.where(state == OPEN, 0.0, given), chosen)


def forces_of(problem: Reduced, states: States) -> Array | None:
    """Forces (m,) of unit rows on a set of states in the plane; None when it has none.

    Sliding contacts have one row, a_N = 0, and one column, W_N - mu d W_T: the system is not
    symmetric. Where it is singular, the minimum-norm forces within the cones.
    """
    nn = problem.nn
    of = problem.problem.normal_of
    closed = np.flatnonzero(closed_normals(states))
    d = directions(problem, states)
    rough = problem.mu[of] > 0.0
    stuck = np.flatnonzero((states[of] % PRELOADED == STICK) & rough)
    held = np.concatenate([closed, nn + stuck])
    sliding = np.flatnonzero(d)
    constant = np.zeros(nn + problem.nt)
    constant[nn + sliding] = -(d * problem.bounds(constant)[of])[sliding]
    if not len(held):
        return constant
    G = problem.G
    matrix = G[np.ix_(held, held)].copy()
    place = np.full(nn, -1)
    place[closed] = np.arange(len(closed))
    for j in sliding[place[of[sliding]] >= 0].tolist():
        matrix[:, place[of[j]]] -= problem.mu[of[j]] * d[j] * G[held, nn + j]
    rhs = -problem.c[held] - G[held] @ constant
    solved = _solve(problem, matrix, rhs, closed, stuck)
    if solved is None:
        return None
    forces = constant
    forces[held] += solved
    forces[nn + sliding] -= (problem.mu[of] * d)[sliding] * forces[of[sliding]]
    return forces


def _solve(
    problem: Reduced, matrix: Array, rhs: Array, closed: Indices, stuck: Indices
) -> Array | None:
    """The forces of the held rows; of many, the shortest within the cones."""
    packed, _, quick, info = lapack.dgesv(matrix, rhs)
    pivots = np.abs(packed.diagonal())
    if not info and pivots.min() > REGULAR_SET * max(pivots.max(), 1.0):
        return np.asarray(quick + lapack.dgesv(matrix, rhs - matrix @ quick)[2])
    u, sizes, v = np.linalg.svd(matrix)
    rank = int(np.count_nonzero(sizes > DEPENDENT_STATES * max(sizes[0], 1.0)))
    if rank == len(rhs):
        first = np.linalg.solve(matrix, rhs)
        solved: Array = first + np.linalg.solve(matrix, rhs - matrix @ first)
        return solved
    target = (u.T @ rhs)[:rank] / sizes[:rank]
    k, n_closed = len(rhs), len(closed)
    of = problem.problem.normal_of[stuck]
    place = np.full(problem.nn, -1)
    place[closed] = np.arange(n_closed)
    pushes = np.eye(k)[:n_closed]
    cones = np.zeros((2 * len(stuck), k))
    rows = np.arange(len(stuck))
    mu = problem.mu[of]
    own = np.flatnonzero(place[of] >= 0)
    cones[own, place[of[own]]] = cones[len(stuck) + own, place[of[own]]] = mu[own]
    cones[rows, n_closed + rows], cones[len(stuck) + rows, n_closed + rows] = -1.0, 1.0
    lengths = np.linalg.norm(cones, axis=1)
    bound = np.tile(-mu * problem.preload[of], 2)
    return _shortest(
        np.vstack([v[:rank], pushes, cones / lengths[:, None]]),
        np.concatenate([target, np.zeros(n_closed), bound / lengths]),
        rank,
    )


def _shortest(rows: Array, rhs: Array, rank: int) -> Array | None:
    """The shortest forces that meet the rows, the first ``rank`` of them with equality."""
    scale = float(np.abs(rhs).max(initial=0.0)) or 1.0
    shares = LeastDistance(rows, rhs / scale, rank)
    try:
        found = pivot(shares)
    except (ArithmeticError, np.linalg.LinAlgError):
        return None
    if found.farkas is not None:
        return None
    solved: Array = scale * solve_unit_rows(shares, found.working).z
    return solved


def read_states(problem: Reduced, forces: Array, bound: Array) -> States:
    """The states that forces mean when the friction of each normal is bounded by ``bound``."""
    nn = problem.nn
    size = float(np.abs(forces).max(initial=0.0))
    rates = problem.rates(forces)
    speed = float(np.abs(problem.c).max(initial=0.0)) + float(np.abs(rates).max(initial=0.0))
    states = np.full(nn, STICK)
    for i, allowed in enumerate(options(problem)):
        idle = forces[i] <= PROPOSED_OPEN * size
        if idle and allowed[0] == OPEN:
            states[i] = OPEN
        elif len(allowed) == 2:
            states[i] = allowed[1]
        else:
            state = _free_state(problem, forces, rates / (speed or 1.0), float(bound[i]), i)
            states[i] = state + PRELOADED if idle else state
    return states


def _free_state(problem: Reduced, forces: Array, rates: Array, bound: float, i: int) -> np.int8:
    tangents = problem.nn + problem.tangents_of[i]
    force, rate = forces[tangents], rates[tangents]
    if bound == 0.0:
        if np.linalg.norm(rate) <= PROPOSED_STUCK:
            return STICK
        return FORWARD if len(tangents) > 1 or rate[0] > 0.0 else BACKWARD
    if np.linalg.norm(force) < bound * (1.0 - PROPOSED_STUCK):
        return STICK
    return FORWARD if len(tangents) > 1 or force[0] < 0.0 else BACKWARD
