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
from ...base.tolerances.qp import DEPENDENT_STATES
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
    """

    rows: Indices
    held: Indices
    tangents: Indices
    normals: Indices
    push: Array

    @classmethod
    def of(
        cls, layout: RowTable, coefficients: Coefficients, held: Indices, slides: Sequence[int]
    ) -> Sliding:
        """From the held rows and the tangents that slide; of those backward, minus the number."""
        signed = np.array(slides, dtype=np.intp)
        tangents = np.abs(signed)
        normals = layout.normal_of[tangents - layout.tangents.start]
        rows = np.union1d(held, tangents)
        return cls(
            rows,
            np.searchsorted(rows, held),
            np.searchsorted(rows, tangents),
            np.searchsorted(held, normals),
            -coefficients.friction[normals] * np.sign(signed),
        )

    def columns(self, rows: Array) -> Array:
        """F: the directions of the forces of the held rows, from the rows asked for, (k, n)."""
        columns: Array = rows[self.held].copy()
        columns[self.normals] += self.push[:, None] * rows[self.tangents]
        return columns


def solve_sliding(
    problem: GaussProblem, sliding: Sliding, among: HeldRows | None, factor: Array | None
) -> tuple[Array, Array]:
    """x and the multipliers of the held rows, where rows of ``problem`` are those asked for."""
    white = whiten(problem, factor)
    left_out = 0 if among is None else among.left_out
    held = sliding.held[left_out:] - left_out  # equalities come first
    rows = white.columns[:, held]
    columns = rows.copy()
    normals = sliding.normals - left_out
    columns[:, normals] += sliding.push * white.columns[:, sliding.tangents - left_out]
    lengths = white.lengths[held]
    sizes = np.where(lengths > 0.0, lengths, 1.0)
    matrix = (rows.T @ columns) / sizes / sizes[:, None]
    rhs = white.rhs[held] / sizes
    packed, _, shares, info = lapack.dgesv(matrix, rhs)
    if info or np.abs(packed.diagonal()).min() <= DEPENDENT_STATES * max(1.0, np.abs(matrix).max()):
        shares = np.linalg.lstsq(matrix, rhs, rcond=DEPENDENT_STATES)[0]
    shares = shares / sizes
    multipliers = shares if among is None else among.spread(shares)
    return white.point(columns @ shares), multipliers
