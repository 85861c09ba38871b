"""Constraint rows as a matrix: dense where they are few, by their nonzeros where they are many.

A pair of discs touches four of the coordinates of a scene, however many discs there are. So the
matrix of 10,000 gaps is kept by its entries, and only rows that take part in a problem are written
out in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import Array, Indices

__all__ = ["DenseRows", "RowMatrix", "RowPattern", "SparseRows"]

# Up to so many entries a dense matrix is quicker, and above this share of nonzeros smaller too.
FEW_ENTRIES = 4096
SPARSE_BELOW = 0.25


@dataclass(frozen=True, eq=False)
class RowPattern:
    """Where the nonzeros of a matrix may be, row after row.

    Attributes
    ----------
    shape : (int, int)
        Rows and columns.
    starts : (m + 1,) array of int
        Where each row begins among the nonzeros.
    columns : (k,) array of int
        Column of each nonzero.
    """

    shape: tuple[int, int]
    starts: Indices
    columns: Indices

    @classmethod
    def of(cls, rows: Indices, columns: Indices, shape: tuple[int, int]) -> RowPattern:
        """The pattern of nonzeros whose rows are given in ascending order."""
        starts = np.searchsorted(rows, np.arange(shape[0] + 1))
        return cls(shape, starts.astype(np.intp), columns)

    @property
    def worthwhile(self) -> bool:
        """Whether nonzeros alone are less work than the whole matrix."""
        entries = self.shape[0] * self.shape[1]
        return entries > FEW_ENTRIES and len(self.columns) < SPARSE_BELOW * entries

    @property
    def rows(self) -> Indices:
        """Row of each nonzero."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.starts))

    @property
    def places(self) -> Indices:
        """Place of each nonzero in the matrix written row after row."""
        places: Indices = self.rows * self.shape[1] + self.columns
        return places

    def nonzeros(self, rows: Indices) -> tuple[Indices, Indices]:
        """Nonzeros of chosen rows, and which of the chosen rows each belongs to."""
        begins, counts = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        owners = np.repeat(np.arange(len(rows)), counts)
        within = np.arange(len(owners)) - np.repeat(np.cumsum(counts) - counts, counts)
        chosen: Indices = begins[owners] + within
        return chosen, owners


class DenseRows:
    """All entries: an array with the interface of rows.

    >>> rows = DenseRows(np.array([[1.0, -2.0], [0.0, 3.0]]))
    >>> rows.dot(np.array([1.0, 1.0])), rows.sizes(np.array([1.0, 1.0]))
    (array([-1.,  3.]), array([3., 3.]))
    """

    __slots__ = ("dense",)

    def __init__(self, dense: Array) -> None:
        self.dense = dense

    def take(self, rows: Indices) -> Array:
        """Chosen rows, written out."""
        taken: Array = self.dense[rows]
        return taken

    def replaced(self, blocks: Sequence[tuple[slice, Array]]) -> DenseRows:
        """The same with other entries in some blocks of rows."""
        dense = self.dense.copy()
        for rows, entries in blocks:
            dense[rows] = entries
        return DenseRows(dense)

    def dot(self, x: Array) -> Array:
        """A x."""
        product: Array = self.dense.dot(x)
        return product

    def sizes(self, x: Array) -> Array:
        """|A| x: the size of the terms of A x, for x >= 0."""
        product: Array = np.abs(self.dense).dot(x)
        return product

    def squares(self, x: Array) -> Array:
        """The squared entries times x."""
        product: Array = (self.dense * self.dense).dot(x)
        return product


class SparseRows:
    """The nonzeros of a pattern."""

    __slots__ = ("_dense", "data", "pattern")

    def __init__(self, pattern: RowPattern, data: Array) -> None:
        self.pattern = pattern
        self.data = data
        self._dense: Array | None = None

    @property
    def dense(self) -> Array:
        """The matrix written out, read-only."""
        if self._dense is None:
            dense = np.zeros(self.pattern.shape)
            dense.flat[self.pattern.places] = self.data
            dense.setflags(write=False)
            self._dense = dense
        return self._dense

    def take(self, rows: Indices) -> Array:
        """Chosen rows, written out."""
        chosen, owners = self.pattern.nonzeros(rows)
        taken = np.zeros((len(rows), self.pattern.shape[1]))
        taken[owners, self.pattern.columns[chosen]] = self.data[chosen]
        return taken

    def replaced(self, blocks: Sequence[tuple[slice, Array]]) -> SparseRows:
        """The same with other entries in some blocks of rows, whose pattern must be full."""
        data, starts = self.data.copy(), self.pattern.starts
        for rows, entries in blocks:
            data[starts[rows.start] : starts[rows.stop]] = entries.ravel()
        return SparseRows(self.pattern, data)

    def dot(self, x: Array) -> Array:
        """A x."""
        return self._summed(self.data * x[self.pattern.columns])

    def sizes(self, x: Array) -> Array:
        """|A| x: the size of the terms of A x, for x >= 0."""
        return self._summed(np.abs(self.data) * x[self.pattern.columns])

    def squares(self, x: Array) -> Array:
        """The squared entries times x."""
        return self._summed(self.data * self.data * x[self.pattern.columns])

    def _summed(self, terms: Array) -> Array:
        """Terms added up row by row."""
        starts = self.pattern.starts
        sums = np.add.reduceat(np.append(terms, 0.0), starts[:-1])
        sums[starts[:-1] == starts[1:]] = 0.0  # reduceat gives the next term for an empty row
        return sums


RowMatrix = DenseRows | SparseRows
