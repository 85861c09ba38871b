"""The table of constraint rows: which constraint each row belongs to, and its kind.

Rows are in a fixed order: equalities first, then contacts, then velocity limits, then the tangents
of contacts with a slip: one for each contact row in the plane, two in space. What the rest of the
package asks of a row is in arrays, one entry for each row, so that nothing has to look at the
objects the user made, and ten thousand contacts are as easy to ask as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arrays import Array, Indices, Mask
from ..base.errors import ModelError
from ..base.lazy import lazy
from ..base.words.choices import Named, choices
from .constraints import Constraint, Contact, Holonomic, Nonholonomic, Servo, VelocityLimit

__all__ = ["Block", "Kind", "RowTable"]


class Kind(IntEnum):
    """What a row is."""

    HOLONOMIC = 0
    NONHOLONOMIC = 1
    SERVO = 2
    CONTACT = 3
    LIMIT = 4
    TANGENT = 5


_KINDS: dict[type, Kind] = {
    Holonomic: Kind.HOLONOMIC,
    Nonholonomic: Kind.NONHOLONOMIC,
    Servo: Kind.SERVO,
    Contact: Kind.CONTACT,
    VelocityLimit: Kind.LIMIT,
}
_ON_VELOCITY = (Kind.NONHOLONOMIC, Kind.LIMIT, Kind.TANGENT)
_NO_EQUALITIES = (Kind.CONTACT, Kind.LIMIT, Kind.TANGENT)


class Block(NamedTuple):
    """The rows of one constraint."""

    item: Constraint | Contact
    kind: Kind
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
        return self.kind in _ON_VELOCITY

    @property
    def indices(self) -> range:
        """Its rows, one after the other."""
        return range(self.rows.start, self.rows.stop)

    def of(self, rows: Array) -> Any:
        """Its part of an array over rows; a number for a scalar constraint."""
        return rows[self.rows][0] if self.scalar else rows[self.rows]


def _normals_of(blocks: Sequence[Block], slips: Sequence[tuple[str, int]]) -> Indices:
    """The contact row of each tangent: one or two tangents for each row of the contact."""
    rows = {block.name: block for block in blocks}
    parts = [np.zeros(0, dtype=np.intp)]
    for name, count in slips:
        block = rows[name]
        parts.append(np.repeat(np.array(block.indices), count // block.size))
    return np.concatenate(parts)


def kind_of(item: Constraint | Contact) -> Kind:
    """The kind of a constraint's rows."""
    return next(kind for known, kind in _KINDS.items() if isinstance(item, known))


@dataclass(frozen=True, eq=False)
class RowTable:
    """Every constraint row of a system.

    Attributes
    ----------
    blocks : tuple of Block
        The rows of each constraint, in the order of rows.
    names : tuple of str
        Constraint of each row.
    kind : (m,) array of int
        :class:`Kind` of each row.
    block_of : (m,) array of int
        Place in ``blocks`` of each row.
    on_velocity : (m,) mask
        Rows of constraints on velocities; all others are on positions.
    equalities, contacts, limits, tangents : slice
        Rows of equalities, of contacts, of velocity limits and of tangents.
    normal_of : (k,) array of int
        For each tangent the contact row that it belongs to, ascending.
    """

    blocks: tuple[Block, ...]
    names: tuple[str, ...]
    kind: NDArray[np.int8]
    block_of: Indices
    on_velocity: Mask
    equalities: slice
    contacts: slice
    limits: slice
    tangents: slice
    normal_of: Indices

    @classmethod
    def of(
        cls,
        sized: Sequence[tuple[Constraint | Contact, int, bool]],
        slips: Sequence[tuple[str, int]] = (),
    ) -> RowTable:
        """The table of constraints in the order of rows, each with its size and if it is a scalar.

        ``slips`` are the contacts with a slip, each with the number of its tangents.

        >>> floor = Contact("floor", lambda q, t: q[:2])
        >>> table = RowTable.of([(floor, 2, False)])
        >>> table.names, table.contacts
        (('floor', 'floor'), slice(0, 2, None))
        """
        sizes = np.array([size for _, size, _ in sized], dtype=np.intp)
        ends = np.concatenate([np.zeros(1, dtype=np.intp), np.cumsum(sizes)]).tolist()
        blocks = tuple(
            Block(item, kind_of(item), slice(start, stop), scalar)
            for (item, _, scalar), (start, stop) in zip(sized, pairwise(ends), strict=True)
        )
        kinds = np.array([block.kind for block in blocks], dtype=np.int8)
        of = _normals_of(blocks, slips)
        block_of = np.repeat(np.arange(len(blocks)), sizes)
        block_of = np.concatenate([block_of, block_of[of]])
        kind = np.concatenate([np.repeat(kinds, sizes), np.full(len(of), Kind.TANGENT, np.int8)])
        m, smooth = len(kind), len(kind) - len(of)
        n_equality = int(np.count_nonzero(~np.isin(kind, _NO_EQUALITIES)))
        n_contact = int(np.count_nonzero(kind == Kind.CONTACT))
        table = cls(
            blocks,
            tuple(blocks[i].name for i in block_of.tolist()),
            kind,
            block_of,
            np.isin(kind, _ON_VELOCITY),
            slice(0, n_equality),
            slice(n_equality, n_equality + n_contact),
            slice(n_equality + n_contact, smooth),
            slice(smooth, m),
            of,
        )
        for array in (table.kind, table.block_of, table.on_velocity, of):
            array.setflags(write=False)
        return table

    @property
    def n_rows(self) -> int:
        """Rows of all constraints together."""
        return len(self.names)

    @lazy
    def contact_names(self) -> tuple[str, ...]:
        """Names of the contacts."""
        return tuple(block.name for block in self.blocks if block.kind == Kind.CONTACT)

    @lazy
    def scalar_names(self) -> frozenset[str]:
        """Names of the constraints that are numbers, not vectors."""
        return frozenset(block.name for block in self.blocks if block.scalar)

    @lazy
    def block_names(self) -> tuple[str, ...]:
        """Names of all constraints, in the order of rows."""
        return tuple(block.name for block in self.blocks)

    @lazy
    def block_starts(self) -> Indices:
        """First row of each constraint."""
        return np.array([block.rows.start for block in self.blocks], dtype=np.intp)

    @lazy
    def bilateral(self) -> Indices:
        """Rows of equalities that can take impulses: all but those of servos."""
        rows: Indices = np.flatnonzero(self.kind[self.equalities] != Kind.SERVO)
        return rows

    @lazy
    def has_velocity_rows(self) -> bool:
        """Whether there is any constraint on velocities."""
        return bool(self.on_velocity[: self.tangents.start].any())

    def tangents_of(self, rows: Indices) -> Indices:
        """Tangent rows of contact rows, ascending."""
        if not len(self.normal_of):
            return self.normal_of
        chosen = np.zeros(self.n_rows, dtype=bool)
        chosen[rows] = True
        found: Indices = self.tangents.start + chosen[self.normal_of].nonzero()[0]
        return found

    @lazy
    def slips(self) -> tuple[tuple[str, Indices, bool], ...]:
        """Contacts with a slip: the name, the tangent rows, and whether the slip is one number."""
        found = []
        for block in self.blocks:
            rows = self.tangents_of(np.array(block.indices))
            if block.kind == Kind.CONTACT and len(rows):
                found.append((block.name, rows, block.scalar and len(rows) == 1))
        return tuple(found)

    def by_slip(self, rows: Array) -> dict[str, Any]:
        """Split an array over rows by contact with a slip: what it has on tangents."""
        return Named(
            (name, rows[places[0]] if scalar else rows[places])
            for name, places, scalar in self.slips
        )

    @lazy
    def _by_name(self) -> dict[str, Block]:
        return {block.name: block for block in self.blocks}

    def block(self, name: str) -> Block:
        """The rows of a constraint by name."""
        found: Block | None = self._by_name.get(name)
        if found is None:
            listed = choices(name, self.block_names)
            raise ModelError(f"no constraint is called {name!r}; {listed}")
        return found

    def block_at(self, row: int) -> Block:
        """The constraint that a row belongs to."""
        return self.blocks[int(self.block_of[row])]

    def by_name(self, rows: Array) -> dict[str, Any]:
        """Split an array over rows by constraint; a scalar constraint gives a number."""
        return Named((block.name, block.of(rows)) for block in self.blocks)

    def names_of(self, rows: Indices) -> tuple[str, ...]:
        """The constraint of each of these rows."""
        names = self.names
        return tuple([names[i] for i in rows.tolist()])

    def held(self, held: Indices) -> tuple[Indices, Indices]:
        """Of rows that are held, those held at the level of positions, and of velocities.

        A servo holds neither: it gives forces that lead back to its trajectory.
        """
        if not len(held):
            return held, held
        velocity = np.sort(held[self.kind[held] != Kind.SERVO])
        return velocity[~self.on_velocity[velocity]], velocity
