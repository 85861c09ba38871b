"""The problem of the oracles in coordinates of unit mass with unit rows, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .algebra import (
    Array,
    finite_rows,
    row_lengths,
    rows_and_targets,
    symmetric,
    unit_scales,
    vector,
)

__all__ = ["OracleSolution", "ScaledProblem"]


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


@dataclass(frozen=True)
class ScaledProblem:
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
    ) -> ScaledProblem:
        mass = symmetric(M, "M")
        force = vector(p, len(mass), "The force")
        rows, targets = rows_and_targets(Ae, be, len(mass))
        contacts, limits = finite_rows(Ai, bi, len(mass))
        impossible = np.flatnonzero(~contacts.any(axis=1) & (limits > 0))
        if impossible.size:
            raise ValueError(
                f"Inequality row {impossible[0]} demands 0 >= {limits[impossible[0]]}."
            )
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
