"""Which rows belong to which constraint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Array, Indices
from ..base.errors import ModelError
from ..base.lazy import lazy
from .constraints import Constraint, Contact, Nonholonomic, Servo, VelocityLimit

__all__ = ["Block", "Layout", "held_rows"]


class Block(NamedTuple):
    """The rows of one constraint."""

    item: Constraint | Contact
    rows: slice
    scalar: bool

    @property
    def name(self) -> str:
        """The constraint's name."""
        return self.item.name

    @property
    def size(self) -> int:
        """Number of rows."""
        return int(self.rows.stop - self.rows.start)

    @property
    def on_velocity(self) -> bool:
        """Whether the constraint is one on velocities."""
        return isinstance(self.item, Nonholonomic | VelocityLimit)


@dataclass(frozen=True)
class Layout:
    """Which rows belong to whom: equalities first, then contacts, then velocity limits."""

    blocks: tuple[Block, ...]
    names: tuple[str, ...]
    equalities: slice
    contacts: slice
    limits: slice

    @property
    def n_rows(self) -> int:
        """Rows of all constraints together."""
        return len(self.names)

    @lazy
    def membership(self) -> tuple[tuple[str, ...], Array]:
        """Name of each constraint, and a row of ones and zeros that picks its rows, (k, m)."""
        members = np.zeros((len(self.blocks), self.n_rows))
        for i, block in enumerate(self.blocks):
            members[i, block.rows] = 1.0
        return tuple(block.name for block in self.blocks), members

    def block(self, name: str) -> Block:
        """The rows of a constraint by name."""
        for block in self.blocks:
            if block.name == name:
                return block
        known = ", ".join(repr(block.name) for block in self.blocks) or "none"
        raise ModelError(f"no constraint is called {name!r}; there are: {known}")

    def by_name(self, rows: Array) -> dict[str, Any]:
        """Split an array over rows by constraint; a scalar constraint gives a number."""
        return {
            block.name: rows[block.rows][0] if block.scalar else rows[block.rows]
            for block in self.blocks
        }


def held_rows(layout: Layout, held: Indices) -> tuple[Indices, Indices]:
    """Rows held at the level of positions and of velocities (servos at none)."""
    position: list[int] = []
    velocity: list[int] = []
    members = set(held.tolist())
    for block in layout.blocks:
        if isinstance(block.item, Servo):
            continue
        rows = [i for i in range(block.rows.start, block.rows.stop) if i in members]
        velocity += rows
        if not block.on_velocity:
            position += rows
    return np.array(position, dtype=np.intp), np.array(velocity, dtype=np.intp)
