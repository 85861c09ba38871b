"""How far contacts with friction are from letting go and from slipping, over stretches of time.

A row that carries force has the margin l. A contact that sticks has two, mu l_N - l_T and
mu l_N + l_T: at the zero of the first it slips backward, of the second forward. Margins are linear
in the multipliers, so they are enclosed with the multipliers; with contacts that slide the matrix
[[M, -F'], [A, 0]] is not symmetric.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...base.arrays import Array, Indices
from ...base.tolerances.mechanics import PRODUCT_ROUND_OFF
from ...model.enclosure.smooth_bounds import IntervalData
from ..pressing import enclosed
from .sliding import Sliding

__all__ = ["Margins", "least_margins"]


class Margins(NamedTuple):
    """Margins of the rows that a motion holds.

    Attributes
    ----------
    matrix : (r, k) array
        From the multipliers of the held rows to the margins.
    rows : (r,) array of int
        The contact or limit of each.
    slides : (r,) array of int
        The tangent along which the contact slips at its zero, negative for backward; 0 where the
        row lets go.
    """

    matrix: Array
    rows: Indices
    slides: Indices


def least_margins(
    data: IntervalData, margins: Margins, sliding: Sliding | None, basis: Array | None = None
) -> Array:
    """Lower bounds of margins over each cell, (c, r); minus infinity where nothing is proved.

    Parameters
    ----------
    data : IntervalData
        Of the rows that the motion asks for.
    basis : (k, r) array, optional
        Z of :func:`~gauss_opt.mechanics.pressing.row_space`, where rows depend on each other: for
        motions without contacts that slide.
    """
    rows, rows_radius = data.rows, data.rows_radius
    rhs, rhs_radius = data.rhs, data.rhs_radius
    columns, columns_radius = rows, rows_radius
    if sliding is not None:
        held, push = sliding.held, sliding.push[:, None]
        columns, columns_radius = rows[:, held], rows_radius[:, held]
        along, along_radius = rows[:, sliding.tangents], rows_radius[:, sliding.tangents]
        columns[:, sliding.normals] += push * along
        columns_radius[:, sliding.normals] += np.abs(push) * (
            along_radius + 2 * PRODUCT_ROUND_OFF * np.abs(along)
        )
        rows, rows_radius = rows[:, held], rows_radius[:, held]
        rhs, rhs_radius = rhs[:, held], rhs_radius[:, held]
    P = margins.matrix
    if basis is not None:
        P, noise, size = P @ basis, basis.shape[0] * PRODUCT_ROUND_OFF, np.abs(basis)
        rows_radius = size.T @ rows_radius + noise * (size.T @ np.abs(rows))
        rhs_radius = rhs_radius @ size + noise * (np.abs(rhs) @ size)
        rows, rhs = basis.T @ rows, rhs @ basis
        columns, columns_radius = rows, rows_radius
    c, k, n = rows.shape
    K, K_radius = np.zeros((c, n + k, n + k)), np.zeros((c, n + k, n + k))
    K[:, :n, :n], K_radius[:, :n, :n] = data.mass, data.mass_radius
    K[:, :n, n:] = -columns.transpose(0, 2, 1)
    K_radius[:, :n, n:] = columns_radius.transpose(0, 2, 1)
    K[:, n:, :n], K_radius[:, n:, :n] = rows, rows_radius
    r, r_radius = np.hstack([data.load, rhs]), np.hstack([data.load_radius, rhs_radius])
    return _bounds(P, n, K, K_radius, r, r_radius)


def _bounds(P: Array, n: int, K: Array, K_radius: Array, r: Array, r_radius: Array) -> Array:
    """Lower bounds of P l for the solutions (x, l)."""
    least = np.full((len(K), len(P)), -np.inf)
    fine = np.ones(len(K), dtype=bool)
    for part in (K, K_radius, r, r_radius):
        fine &= np.isfinite(part.reshape(len(K), -1)).all(axis=1)
    if not fine.any():
        return least
    try:
        x, off = enclosed(K[fine], K_radius[fine], r[fine], r_radius[fine])
        proved = np.isfinite(off).all(axis=1)
        forces, spread = x[proved, n:], off[proved, n:]
        noise = P.shape[1] * PRODUCT_ROUND_OFF * np.abs(forces)
        bounds = forces @ P.T - (spread + noise) @ np.abs(P).T
        least[np.flatnonzero(fine)[proved]] = bounds
        if (bounds > 0.0).all():
            return least
        through = P @ np.linalg.inv(K[fine])[:, n:]
    except np.linalg.LinAlgError:
        return least
    x, off, Y = x[proved], off[proved], through[proved]
    K, K_radius, r, r_radius = (part[fine][proved] for part in (K, K_radius, r, r_radius))
    # P l = P x + Y (r - K x) with Y K = P up to round-off: so its own radius is that of r - K x~.
    noise = K.shape[1] * PRODUCT_ROUND_OFF
    with np.errstate(invalid="ignore", over="ignore"):
        size = np.abs(x) + off
        terms = _times(np.abs(K), size) + np.abs(r)
        misfit = np.abs(_times(K, x) - r) + r_radius + _times(K_radius, size) + noise * terms
        wrong = np.abs(Y @ K)
        wrong[:, :, n:] = np.abs(Y @ K[:, :, n:] - P)
        wrong += noise * (np.abs(Y) @ np.abs(K))
        reach = _times(np.abs(Y), misfit) + _times(wrong, off)
        reach += noise * np.abs(x[:, n:]) @ np.abs(P).T
        tight = x[:, n:] @ P.T - reach
        least[np.flatnonzero(fine)[proved]] = np.fmax(bounds, tight)
    return least


def _times(matrices: Array, vectors: Array) -> Array:
    product: Array = (matrices @ vectors[:, :, None])[:, :, 0]
    return product
