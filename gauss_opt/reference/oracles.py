"""Two independent ways to solve Gauss's problem with inequality rows, for checking solvers.

The problem is: minimise ``1/2 x'Mx - p'x`` subject to ``Ae x = be`` and ``Ai x >= bi``.
Signs: ``M x - p = Ae' le + Ai' li`` with ``li >= 0``.

`enumerate_active_sets` tries every set of active rows; `lcp` pivots a linear complementarity
problem. Both are for small problems, and made to be right rather than fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .algebra import (
    EPS,
    Array,
    RowSpace,
    finite_rows,
    require_consistent,
    require_unique_minimiser,
    row_lengths,
    rows_and_targets,
    symmetric,
    unit_scales,
    vector,
)
from .closed_form import kkt

__all__ = ["OracleSolution", "enumerate_active_sets", "lcp"]

PINCHED = 1e-11  # least relative slack granted to contacts that leave a single point
ACCEPTED = 1e-9  # relative residual of an accepted complementarity solution
ROUND_OFF = 1e-14  # relative violation below which an active set needs no better one


@dataclass(frozen=True)
class OracleSolution:
    """A minimiser with its multipliers: ``M x - p = Ae' le + Ai' li``, ``li >= 0``.

    `active` lists the inequality rows solved as equalities, an independent set; where active
    rows are redundant other multipliers are as good, and only x is unique.
    """

    x: Array
    equality_multipliers: Array
    inequality_multipliers: Array
    active: tuple[int, ...]


def enumerate_active_sets(
    M: ArrayLike,
    p: ArrayLike,
    Ae: ArrayLike,
    be: ArrayLike,
    Ai: ArrayLike,
    bi: ArrayLike,
    tol: float = 1e-9,
    max_rows: int = 14,
) -> OracleSolution:
    """Solve by trying every set of inequality rows as equalities, smallest sets first.

    A set is right when its x is feasible and its multipliers are not negative, both to `tol`
    relative to the forces of the problem. Where rows are nearly parallel several sets pass, and
    points far apart with them: the set with the least violation is taken. An independent right set
    always exists if the rows are feasible, so sets larger than the number of free directions need
    no trial.

    Parameters
    ----------
    M : (n, n) positive semidefinite, positive on the null space of Ae
    p : (n,)
    Ae, be : (ke, n) and (ke,)
    Ai, bi : (ki, n) and (ki,), with ``ki <= max_rows``

    Examples
    --------
    A particle above a floor does not fall through it:

    >>> s = enumerate_active_sets([[2]], [-20], [], [], [[1]], [0])
    >>> (s.x + 0.0).round(12).tolist(), s.inequality_multipliers.round(12).tolist(), s.active
    ([0.0], [20.0], (0,))
    """
    problem = _Scaled.of(M, p, Ae, be, Ai, bi)
    count = len(problem.limits)
    if count > max_rows:
        raise ValueError(
            f"{count} inequality rows give 2^{count} active sets; more than {max_rows} rows are "
            "refused. Use lcp, or raise max_rows."
        )
    kkt(problem.mass, problem.force, problem.rows, problem.targets)  # may refuse the equalities
    freedom = RowSpace.of(problem.rows).null.shape[1]
    least, best = tol, None
    for size in range(min(count, freedom) + 1):
        for active in combinations(range(count), size):
            candidate = _try_active_set(problem, active)
            if candidate is None or candidate[0] > least:
                continue
            least, best = candidate
            if least <= ROUND_OFF:
                return best
    if best is not None:
        return best
    raise ValueError(
        "No active set gives a feasible point: the inequality rows contradict each other or the "
        "equality rows. Check their signs (Ai x >= bi) and right-hand sides."
    )


def lcp(
    M: ArrayLike, p: ArrayLike, Ae: ArrayLike, be: ArrayLike, Ai: ArrayLike, bi: ArrayLike
) -> OracleSolution:
    """Solve through the linear complementarity problem of the contacts.

    With N a basis of the null space of Ae, the multipliers satisfy ``0 <= l``, ``w >= 0``,
    ``l'w = 0`` for ``w = G l + q`` and ``G = Ai N (N'MN)^-1 N'Ai'``; q is ``Ai x - bi`` at the
    minimiser without contacts. Lemke's method finds them. Arguments as in
    `enumerate_active_sets`, without a limit on the number of rows.

    Examples
    --------
    Two contacts in the same place carry the load of one:

    >>> s = lcp([[2]], [-20], [], [], [[1], [1]], [0, 0])
    >>> (s.x + 0.0).round(12).tolist(), float(s.inequality_multipliers.sum().round(12))
    ([0.0], 20.0)
    """
    problem = _Scaled.of(M, p, Ae, be, Ai, bi)
    space = RowSpace.of(problem.rows)
    require_unique_minimiser(problem.mass, space)
    held = space.least(problem.targets)
    require_consistent(problem.rows @ held, problem.targets, space, held)
    values, vectors = np.linalg.eigh(space.null.T @ problem.mass @ space.null)
    whitened = space.null @ (vectors / np.sqrt(values))
    free = held + whitened @ (whitened.T @ (problem.force - problem.mass @ held))
    moved = _movable(problem, whitened, free, space)
    contacts = problem.contacts[moved] @ whitened
    lengths = row_lengths(contacts)
    gap = (problem.contacts[moved] @ free - problem.limits[moved]) / lengths
    terms = np.abs(problem.contacts[moved]) @ np.abs(free) + np.abs(problem.limits[moved])
    noise = 8 * len(free) * EPS * float((terms / lengths).max(initial=0.0))
    step, load = _least_distance(contacts / lengths[:, None], gap, noise)
    multipliers = np.zeros(len(problem.limits))
    multipliers[moved] = load / lengths
    x = free + whitened @ step
    reaction = problem.mass @ x - problem.force - problem.contacts.T @ multipliers
    return problem.unscaled(
        x, space.multipliers(reaction), multipliers, tuple(np.flatnonzero(multipliers).tolist())
    )


@dataclass(frozen=True)
class _Scaled:
    """The problem in coordinates of unit mass with unit rows, and the scales that lead back."""

    mass: Array
    force: Array
    rows: Array
    targets: Array
    contacts: Array
    limits: Array
    column: Array
    row: Array
    contact: Array

    @classmethod
    def of(
        cls,
        M: ArrayLike,
        p: ArrayLike,
        Ae: ArrayLike,
        be: ArrayLike,
        Ai: ArrayLike,
        bi: ArrayLike,
    ) -> _Scaled:
        mass = symmetric(M, "M")
        force = vector(p, len(mass), "The force")
        rows, targets = rows_and_targets(Ae, be, len(mass))
        contacts, limits = finite_rows(Ai, bi, len(mass))
        impossible = np.flatnonzero(~contacts.any(axis=1) & (limits > 0))
        if impossible.size:
            raise ValueError(f"Inequality row {impossible[0]} asks that 0 >= {limits.max()}.")
        column, row = unit_scales(mass, rows)
        contact = 1.0 / row_lengths(contacts * column)
        return cls(
            mass=column[:, None] * mass * column,
            force=column * force,
            rows=row[:, None] * rows * column,
            targets=row * targets,
            contacts=contact[:, None] * contacts * column,
            limits=contact * limits,
            column=column,
            row=row,
            contact=contact,
        )

    def size(self, x: Array) -> float:
        """Return the size of the terms that residuals at x are differences of."""
        return float(np.linalg.norm(self.force) + np.linalg.norm(x))

    def unscaled(self, x: Array, le: Array, li: Array, active: tuple[int, ...]) -> OracleSolution:
        return OracleSolution(self.column * x, self.row * le, self.contact * li, active)


def _try_active_set(
    problem: _Scaled, active: tuple[int, ...]
) -> tuple[float, OracleSolution] | None:
    """Solve with the active rows as equalities: the relative violation of the rest, and x."""
    chosen = list(active)
    try:
        x, multipliers = kkt(
            problem.mass,
            problem.force,
            np.vstack([problem.rows, problem.contacts[chosen]]),
            np.concatenate([problem.targets, problem.limits[chosen]]),
        )
    except ValueError:  # these rows cannot be active together
        return None
    split = len(problem.targets)
    size = problem.size(x)
    sizes = size + np.abs(problem.limits)
    miss = (problem.limits - problem.contacts @ x) / np.where(sizes > 0, sizes, 1.0)
    pull = -multipliers[split:] / (size or 1.0)
    inequality = np.zeros(len(problem.limits))
    inequality[chosen] = multipliers[split:]
    violation = float(np.concatenate([miss, pull]).max(initial=0.0))
    return violation, problem.unscaled(x, multipliers[:split], inequality, active)


def _movable(problem: _Scaled, whitened: Array, free: Array, space: RowSpace) -> NDArray[np.intp]:
    """Return the contacts whose rate is not already fixed by the equality rows.

    A fixed contact can carry no force of its own: it is satisfied, or nothing can be done. A row
    that was computed from the equality rows is off by the round-off of that computation too.
    """
    noise = 64 * len(free) * EPS / float(space.values.min(initial=1.0))
    terms = np.linalg.norm(np.abs(problem.contacts) @ np.abs(whitened), axis=1)
    fixed = np.linalg.norm(problem.contacts @ whitened, axis=1) <= noise * terms
    miss = problem.limits - problem.contacts @ free
    broken = fixed & (miss > ACCEPTED * (problem.size(free) + np.abs(problem.limits)))
    if broken.any():
        raise ValueError(
            f"Inequality row {int(broken.argmax())} is infeasible: the equality rows fix its left "
            "side below its right-hand side."
        )
    return np.flatnonzero(~fixed)


def _least_distance(rows: Array, gap: Array, noise: float) -> tuple[Array, Array]:
    """Return the least z with ``rows @ z + gap >= 0``, for unit rows, and loads: z = rows' l.

    Gaps are differences, known up to `noise`; all of them may be small next to their terms.
    """
    size = float(np.abs(gap).max(initial=0.0))
    if not (gap < 0).any():
        return np.zeros(rows.shape[1]), np.zeros(len(gap))
    try:
        loaded = _lemke(rows, gap / size)
    except _RayError as ray:
        if ray.shortfall > max(ACCEPTED, noise / size):
            raise
        # Contacts that leave a single point can miss it by round-off: grant them that much.
        loaded = _lemke(rows, gap / size + max(PINCHED, 2 * ray.shortfall))
    # Pivoting only chose the rows: solving them anew is more accurate than its last basis.
    space = RowSpace.of(rows[loaded])
    z = space.least(-gap[loaded])
    load = np.zeros(len(gap))
    load[loaded] = space.multipliers(z)
    scale = max(size, float(np.linalg.norm(z)))
    if (rows @ z + gap < -max(ACCEPTED * scale, 3 * noise)).any() or (
        load < -ACCEPTED * np.abs(load).max()
    ).any():
        raise np.linalg.LinAlgError(
            "Pivoting lost its precision: the contacts are too nearly redundant for lcp. Use "
            "enumerate_active_sets."
        )
    return z, np.maximum(load, 0.0)


class _RayError(ValueError):
    """Lemke's method ended on a ray u >= 0 with rows' u = 0 and gap'u = -shortfall < 0."""

    def __init__(self, shortfall: float) -> None:
        super().__init__(
            "The inequality rows are infeasible together with the equality rows. Check their "
            "signs (Ai x >= bi) and right-hand sides."
        )
        self.shortfall = shortfall


def _lemke(rows: Array, q: Array) -> list[int]:
    """Return the loaded rows of the solution of ``0 <= l, w = G l + q >= 0``, ``G = rows rows'``.

    Variables are numbered w (0..k-1), l (k..2k-1), the artificial 2k, and the free z = rows' l,
    which is always basic. Each step inverts its basis anew, so errors do not add up.
    """
    k = len(q)
    columns, right = _tableau(rows, q)
    basis = [*range(k), *range(2 * k + 1, columns.shape[1])]
    entering = 2 * k
    # The lexicographically least row of [q, I]: of equal q, the last.
    leaving = k - 1 - int(q[::-1].argmin())
    for _ in range(100 + 50 * k):
        left, basis[leaving] = basis[leaving], entering
        if left == 2 * k:
            return sorted(v - k for v in basis if k <= v < 2 * k)
        entering = (left + k) % (2 * k)
        inverse = np.linalg.inv(columns[:, basis])
        direction = inverse @ columns[:, entering]
        # First-order effect on the direction of round-off in the columns.
        noise = 8 * len(basis) * EPS * np.abs(inverse).sum(axis=1) * (1 + np.abs(direction).sum())
        falling = np.flatnonzero(direction[:k] > noise[:k])
        if not falling.size:
            raise _RayError(_shortfall(rows, q, basis, entering, direction))
        table = np.column_stack([inverse @ right, inverse])[falling, : k + 1]
        artificial = [basis[i] == 2 * k for i in falling]
        leaving = int(falling[_first_in_order(table / direction[falling, None], artificial)])
    raise np.linalg.LinAlgError("Lemke's method did not end: the contacts are nearly redundant.")


def _tableau(rows: Array, q: Array) -> tuple[Array, Array]:
    """Return columns and right side of ``w - rows z - z0 = q`` and ``s z - rows' (s l) = 0``.

    Keeping z avoids G, whose condition is the square of that of the rows; s, their smallest
    singular value, balances the two blocks.
    """
    k, m = rows.shape
    weight = RowSpace.of(rows).values.min()
    above = np.hstack([np.eye(k), np.zeros((k, k)), -np.ones((k, 1)), -rows])
    below = np.hstack([np.zeros((m, k)), -rows.T, np.zeros((m, 1)), weight * np.eye(m)])
    return np.vstack([above, below]), np.concatenate([q, np.zeros(m)])


def _first_in_order(table: Array, artificial: list[bool]) -> int:
    """Return the lexicographically least row, but the artificial variable if it ties in value.

    This order never cycles, however many contacts are degenerate.
    """
    rows = np.arange(len(table))
    for place, values in enumerate(table.T):
        least = values[rows].min()
        rows = rows[values[rows] <= least + 1e-12 * max(1.0, abs(least))]
        if place == 0:
            rows = next((np.array([i]) for i in rows if artificial[i]), rows)
        if len(rows) == 1:
            break
    return int(rows[0])


def _shortfall(rows: Array, q: Array, basis: list[int], entering: int, direction: Array) -> float:
    """Return how far (per unit load) the ray proves the rows to be infeasible."""
    k = len(q)
    ray = np.zeros(2 * k + 1 + rows.shape[1])
    ray[basis] = -direction
    ray[entering] = 1.0
    load = np.maximum(ray[k : 2 * k], 0.0)
    load /= max(load.sum(), np.finfo(np.float64).tiny)
    if np.linalg.norm(rows.T @ load) > 1e-7:
        raise np.linalg.LinAlgError(
            "Pivoting ended without a solution or a proof of infeasibility: the contacts are too "
            "nearly redundant for lcp. Use enumerate_active_sets."
        )
    return float(-(q @ load))
