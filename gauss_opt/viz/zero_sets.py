"""Where gaps and constraints of one or two coordinates are zero, found on a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from contourpy import contour_generator

from ..base.arrays import Array
from ..model.constraints import Contact, Holonomic, Servo
from ..model.rows import Block
from ..model.system import System

__all__ = ["Grid", "PositionRows", "contours", "zeros"]


@dataclass(frozen=True, eq=False)
class Grid:
    """Places at which rows are sampled: all points of the product of its axes."""

    axes: tuple[Array, ...]

    @property
    def points(self) -> Array:
        """All places, (k, nq); the first coordinate varies fastest."""
        mesh = np.meshgrid(*self.axes, indexing="xy")
        return np.stack([part.ravel() for part in mesh], axis=1)


class PositionRows:
    """The rows of a system that depend on positions and time only.

    Rows with derivatives given by hand are not traced, and are left out.
    """

    def __init__(self, system: System, nv: int) -> None:
        self.system = system
        self.compiled = system.compiled(nv)
        self.blocks: list[Block] = [
            block
            for block in self.compiled.layout.blocks
            if isinstance(block.item, Holonomic | Contact | Servo) and not block.item.by_hand
        ]

    @property
    def rows(self) -> list[tuple[int, Block]]:
        """Each row with the constraint it belongs to."""
        return [(i, b) for b in self.blocks for i in range(b.rows.start, b.rows.stop)]

    def sample(self, grid: Grid, t: float) -> Array:
        """Values of all rows on a grid, (k, m)."""
        points = grid.points
        states = np.hstack([points, np.zeros((len(points), self.compiled.nv))])
        times = np.full(len(points), t)
        asked = np.array([i for i, _ in self.rows], dtype=np.intp)
        values = np.zeros((len(points), self.compiled.layout.n_rows))
        values[:, asked] = self.compiled.sample(asked, states, times, self.system.parameters)[0]
        return values

    def still(self, grid: Grid, t0: float, t1: float) -> bool:
        """Whether the values are the same at several times."""
        first, *others = (self.sample(grid, t) for t in np.linspace(t0, t1, 5).tolist())
        return all(np.array_equal(first, other, equal_nan=True) for other in others)


def zeros(axis: Array, values: Array) -> list[float]:
    """Zeros of a row along one axis, by linear interpolation between sign changes.

    >>> zeros(np.array([0.0, 1.0, 2.0]), np.array([-1.0, 3.0, 4.0]))
    [0.25]
    """
    found: list[float] = []
    for i in range(len(axis) - 1):
        a, b = float(values[i]), float(values[i + 1])
        if np.isfinite(a) and np.isfinite(b) and (a < 0.0) != (b < 0.0):
            found.append(float(axis[i] + (axis[i + 1] - axis[i]) * a / (a - b)))
    return found


def contours(grid: Grid, values: Array) -> list[Array]:
    """Zero lines of a row over a grid of two axes, (k, 2) each, the longest first."""
    x, y = grid.axes
    z = np.ma.masked_invalid(values.reshape(len(y), len(x)))
    lines = [np.asarray(line) for line in contour_generator(x, y, z).lines(0.0)]
    return sorted((line for line in lines if len(line) > 1), key=len, reverse=True)
