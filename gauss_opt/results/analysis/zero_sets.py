"""Where gaps and constraints of one or two coordinates are zero, found on a grid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from contourpy import contour_generator

from ...base.arrays import Array
from ...model.rows import Block
from ...model.system import System
from ..result import Result

__all__ = ["Grid", "PhaseRows", "contours", "zeros"]


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
        self.dynamics = system.dynamics(nv)
        self.blocks: list[Block] = [
            block
            for block in self.dynamics.layout.blocks
            if not block.on_velocity and not block.item.by_hand
        ]

    @property
    def rows(self) -> list[tuple[int, Block]]:
        """Each row with the constraint it belongs to."""
        return [(i, b) for b in self.blocks for i in range(b.rows.start, b.rows.stop)]

    def sample(self, grid: Grid, t: float) -> Array:
        """Values of all rows on a grid, (k, m)."""
        points = grid.points
        states = np.hstack([points, np.zeros((len(points), self.dynamics.nv))])
        times = np.full(len(points), t)
        asked = np.array([i for i, _ in self.rows], dtype=np.intp)
        values = np.zeros((len(points), self.dynamics.layout.n_rows))
        values[:, asked] = self.dynamics.sample(asked, states, times, self.system.parameters)[0]
        return values

    def still(self, grid: Grid, t0: float, t1: float) -> bool:
        """Whether the values are the same at several times."""
        first, *others = (self.sample(grid, t) for t in np.linspace(t0, t1, 5).tolist())
        return all(np.array_equal(first, other, equal_nan=True) for other in others)


class PhaseRows:
    """Rows of the phase that a time belongs to; the systems of phases may differ.

    Parameters
    ----------
    result : Result
    grid : function of a number of points
        The grid with so many points on each axis.
    fine, coarse : int
        Points where the zero sets stay, and where they move and are sampled at every time.
    """

    def __init__(
        self, result: Result, grid: Callable[[int], Grid], *, fine: int, coarse: int
    ) -> None:
        phases = [part for part in (result.parts or (result,)) if part.system is not None]
        self.ends = [float(part.t[-1]) for part in phases]
        nv = result.v.shape[1]
        self.phases = [PositionRows(part.system, nv) for part in phases if part.system]
        start, end = float(result.t[0]), float(result.t[-1])
        self.still = len(self.phases) == 1 and self.phases[0].still(grid(coarse), start, end)
        self.grid = grid(fine if self.still else coarse)

    def __bool__(self) -> bool:
        return bool(self.phases) and bool(self.phases[0].rows)

    def values(self, t: float) -> list[tuple[Block, Array]]:
        """Each row's constraint, and its values on the grid."""
        place = min(int(np.searchsorted(self.ends, t, side="right")), len(self.phases) - 1)
        rows = self.phases[place]
        sampled = rows.sample(self.grid, t)
        return [(block, sampled[:, i]) for i, block in rows.rows]


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
