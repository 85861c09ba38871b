"""Whether held contacts press all through a stretch of time: their multipliers enclosed.

Over a cell the data of the acceleration problem are intervals. With K = [[M, -A'], [A, 0]], its
centre Kc, C = Kc^-1 and x the solution at the centres, let

    z = |C| (|Kc x - rc| + radius of r + radius of K |x|),    E = |C| radius of K + |C Kc - I|.

If z + E d <= d with d = 2 z, in every component, then the solution is within z + E d of x all over
the cell (Krawczyk's test). Round-off is put into z and E.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.optimize import linprog

from ..base.arrays import Array, Mask
from ..base.tolerances.base import TINY
from ..base.tolerances.mechanics import DEPENDENT_HELD_ROWS, PRODUCT_ROUND_OFF
from ..model.enclosure.smooth_bounds import IntervalData

__all__ = ["enclosed", "evened_out", "least_multipliers", "row_space"]

INFLATIONS = 4
INFLATED = 2.0  # how much wider than the last reach the next trial is


def row_space(rows: Array) -> Array:
    """An orthonormal basis Z of the range of A: multipliers Z mu are those of minimum norm, (k, r).

    >>> (row_space(np.array([[1.0, 0.0], [1.0, 0.0]])) ** 2).round(9)
    array([[0.5],
           [0.5]])
    """
    left, sizes, _ = np.linalg.svd(rows, full_matrices=False)
    rank = int(np.count_nonzero(sizes > DEPENDENT_HELD_ROWS * sizes[0])) if len(sizes) else 0
    basis: Array = left[:, :rank]
    return basis


def evened_out(basis: Array, multipliers: Array, presses: Mask) -> Array:
    """What to add to multipliers of dependent rows, so that the least of some is the largest, (k,).

    It is no force on anything: it is orthogonal to the range of the rows.

    Parameters
    ----------
    basis : (k, r) array
        Z of :func:`row_space`.
    multipliers : (k,) array
        Z mu.
    presses : mask
        The rows whose multipliers matter.

    >>> rows = np.array([[1.0, 1.0], [1.0, 0.0], [1.0, -1.0]])
    >>> basis = row_space(rows)
    >>> least_norm = basis @ basis.T @ np.array([2.0, 0.0, 0.0])  # -0.33 on the third
    >>> (least_norm + evened_out(basis, least_norm, np.full(3, True))).round(9) + 0.0
    array([2., 0., 0.])
    """
    k = len(basis)
    null: Array = np.linalg.svd(basis, full_matrices=True)[0][:, basis.shape[1] :]
    free = null.shape[1]
    none: Array = np.zeros(k)
    if not free:
        return none
    above = np.hstack([-null[presses], np.ones((int(presses.sum()), 1))])
    last = np.append(np.zeros(free), -1.0)
    found = linprog(last, above, multipliers[presses], bounds=(None, None))
    return none if found.x is None else none + null @ found.x[:free]


def least_multipliers(
    data: IntervalData, basis: Array | None = None, shift: Array | None = None
) -> Array:
    """Lower bounds of the multipliers of the held rows over each cell, (c, k).

    Minus infinity where nothing could be proved.

    Parameters
    ----------
    basis : (k, r) array, optional
        Z of :func:`row_space`, where rows depend on each other; multipliers are then Z mu.
    shift : (k,) array, optional
        Then they are Z mu + shift.
    """
    if shift is not None:
        data = _shifted(data, shift)
    c, k, n = data.rows.shape
    Z = np.eye(k) if basis is None else basis
    K, K_radius, r, r_radius = _system(data, Z)
    least = np.full((c, k), -np.inf)
    fine = np.ones(c, dtype=bool)
    for part in (K, K_radius, r, r_radius):
        fine &= np.isfinite(part.reshape(c, -1)).all(axis=1)
    if not fine.any():
        return least
    try:
        x, off = enclosed(K[fine], K_radius[fine], r[fine], r_radius[fine])
    except np.linalg.LinAlgError:
        return least
    proved = np.isfinite(off).all(axis=1)
    mu, mu_off = x[proved, n:], off[proved, n:]
    size = np.abs(Z)
    bound = mu @ Z.T - mu_off @ size.T - (k * PRODUCT_ROUND_OFF) * (np.abs(mu) @ size.T)
    least[np.flatnonzero(fine)[proved]] = bound
    return least if shift is None else least + shift - PRODUCT_ROUND_OFF * np.abs(shift)


def _shifted(data: IntervalData, shift: Array) -> IntervalData:
    """The data with A' shift among the loads, so that the other multipliers are less by it."""
    size = np.abs(shift)
    noise = len(shift) * PRODUCT_ROUND_OFF
    radius = size @ (data.rows_radius + noise * np.abs(data.rows))
    return replace(data, load=data.load + shift @ data.rows, load_radius=data.load_radius + radius)


def _system(data: IntervalData, Z: Array) -> tuple[Array, Array, Array, Array]:
    """Centres and radii of the matrix and of the right-hand side, with the rows Z'A."""
    c, k, n = data.rows.shape
    m = Z.shape[1]
    size = np.abs(Z)
    rows = Z.T @ data.rows
    noise = k * PRODUCT_ROUND_OFF
    rows_radius = size.T @ data.rows_radius + noise * (size.T @ np.abs(data.rows))
    rhs, rhs_radius = data.rhs @ Z, data.rhs_radius @ size + noise * (np.abs(data.rhs) @ size)
    K, K_radius = np.zeros((c, n + m, n + m)), np.zeros((c, n + m, n + m))
    K[:, :n, :n], K_radius[:, :n, :n] = data.mass, data.mass_radius
    K[:, :n, n:], K_radius[:, :n, n:] = -rows.transpose(0, 2, 1), rows_radius.transpose(0, 2, 1)
    K[:, n:, :n], K_radius[:, n:, :n] = rows, rows_radius
    r = np.concatenate([data.load, rhs], axis=1)
    return K, K_radius, r, np.concatenate([data.load_radius, rhs_radius], axis=1)


def enclosed(K: Array, K_radius: Array, r: Array, r_radius: Array) -> tuple[Array, Array]:
    """The solution at the centres and how far any other is from it; infinite if not proved."""
    n = K.shape[1]
    C = np.asarray(np.linalg.inv(K), dtype=float)
    x = _times(C, r)
    sizes, noise = _size(x), n * PRODUCT_ROUND_OFF
    with np.errstate(invalid="ignore", over="ignore"):
        terms = _times(_size(K), sizes) + _size(r)
        misfit = _size(_times(K, x) - r)
        residual: Array = misfit + r_radius + _times(K_radius, sizes) + noise * terms
        inverse = _size(C)
        z = _times(inverse, residual)
        E = inverse @ K_radius + np.abs(C @ K - np.eye(n)) + noise * (inverse @ np.abs(K))
        return x, _reach(z, E)


def _reach(z: Array, E: Array) -> Array:
    """z + E d < d for a d that is found in rounds; infinite where there is none.

    Components that are next to nothing by themselves have to make room for what others bring.
    """
    d = 2.0 * z + TINY
    reach = z + _times(E, d)
    for _ in range(INFLATIONS):
        left = np.flatnonzero(~(reach < d).all(axis=1))
        if not len(left):
            return reach
        d[left] = INFLATED * np.maximum(reach[left], 0.5 * d[left]) + TINY
        reach[left] = z[left] + _times(E[left], d[left])
    reach[~(reach < d).all(axis=1)] = np.inf
    return reach


def _size(matrices: Array) -> Array:
    sizes: Array = np.abs(matrices)
    return sizes


def _times(matrices: Array, vectors: Array) -> Array:
    product: Array = (matrices @ vectors[:, :, None])[:, :, 0]
    return product
