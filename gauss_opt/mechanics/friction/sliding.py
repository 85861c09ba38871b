"""The smooth motion with contacts that slide: rows that are held, and forces along other columns.

A contact that slides in the direction d holds its normal row, a_N = 0, and its force is along
W_N - mu d W_T. So rows are not columns, and the matrix A M^-1 F' of the held forces is not
symmetric.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from ...base.arrays import Array, Indices
from ...base.tolerances.qp import DEPENDENT_STATES, REGULAR_SET
from ...model.coefficients import Coefficients
from ...model.rows import RowTable
from ...qp.problem import GaussProblem
from ...qp.whitening import whiten
from ..rank.held_rows import HeldRows

__all__ = ["Sliding", "solve_sliding"]


class Sliding(NamedTuple):
    """Which of the held contacts slide; places are those in the rows that are asked for.

    Attributes
    ----------
    rows : (k + s,) array of int
        The held rows and the tangents of contacts that slide, ascending.
    held : (k,) array of int
        Places of the held rows.
    tangents : (s,) array of int
        Places of the tangents.
    normals : (s,) array of int
        For each tangent the number of its normal among the held rows.
    push : (s,) array
        -mu d: what the normal force is multiplied by along each tangent.
    combine : (k + s, k) array
        From the rows asked for, as columns, to F.
    """

    rows: Indices
    held: Indices
    tangents: Indices
    normals: Indices
    push: Array
    combine: Array

    @classmethod
    def of(
        cls, layout: RowTable, coefficients: Coefficients, held: Indices, slides: Sequence[int]
    ) -> Sliding:
        """From the held rows and the tangents that slide; of those backward, minus the number."""
        signed = np.array(slides, dtype=np.intp)
        tangents = np.abs(signed)
        normals = layout.normal_of[tangents - layout.tangents.start]
        rows = np.union1d(held, tangents)
        places = np.searchsorted(rows, held), np.searchsorted(rows, tangents)
        numbers = np.searchsorted(held, normals)
        push = -coefficients.friction[normals] * np.sign(signed)
        combine = np.zeros((len(rows), len(held)), order="F")
        combine[places[0], np.arange(len(held))] = 1.0
        combine[places[1], numbers] = push
        return cls(rows, *places, numbers, push, combine)


def solve_sliding(
    problem: GaussProblem, sliding: Sliding, among: HeldRows | None, factor: Array | None
) -> tuple[Array, Array]:
    """x and the multipliers of the held rows, where rows of ``problem`` are those asked for."""
    white = whiten(problem, factor)
    left_out = 0 if among is None else among.left_out
    held = sliding.held[left_out:] - left_out  # equalities come first
    rows = white.columns[:, held]
    columns = white.columns @ sliding.combine[left_out:, left_out:]
    matrix, rhs = rows.T @ columns, white.rhs[held]
    packed, _, shares, info = lapack.dgesv(matrix, rhs)
    pivots = [abs(pivot) for pivot in packed.diagonal().tolist()]  # quicker than arrays
    if info or min(pivots) <= REGULAR_SET * max(pivots):
        shares = _rank_revealing(matrix, rhs, white.lengths[held])
    multipliers = shares if among is None else among.spread(shares)
    return white.point(columns @ shares), multipliers


def _rank_revealing(matrix: Array, rhs: Array, lengths: Array) -> Array:
    """The same for unit rows; where forces are redundant, those of least norm."""
    matrix, rhs = matrix / lengths / lengths[:, None], rhs / lengths
    packed, _, shares, info = lapack.dgesv(matrix, rhs)
    least = DEPENDENT_STATES * max(1.0, float(np.abs(matrix).max()))
    if info or np.abs(packed.diagonal()).min() <= least:
        shares = np.linalg.lstsq(matrix, rhs, rcond=DEPENDENT_STATES)[0]
    found: Array = shares / lengths
    return found
