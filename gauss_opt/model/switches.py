"""Contacts that exist only while a user-defined condition is true (``active_when``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Array, Indices, Mask
from ..base.errors import InputError
from .constraints import Function
from .families import Family, MemberCondition
from .rows import Block, RowTable
from .tracing.user_function import UserFunction

__all__ = ["Switch", "Switches"]


class Switch(NamedTuple):
    """The condition of one contact."""

    block: Block
    condition: UserFunction
    passable: bool

    def is_on(self, q: Array, v: Array, t: float, parameters: Mapping[str, Any]) -> bool:
        """Whether the contact exists at a state."""
        value = self.condition.plain({"q": q, "v": v, "t": t}, parameters)
        if np.ndim(value) or not isinstance(value, bool | np.bool_):
            raise InputError(f"{self.condition.label} must return True or False, got {value!r}")
        return bool(value)


class _Together(NamedTuple):
    """The conditions of one family.

    Attributes
    ----------
    family : Family
    rows : (r,) array of int
    coordinates : (n, r) array of int
    constants : (m, r) array
    """

    family: Family
    rows: Indices
    coordinates: Indices
    constants: Array

    @classmethod
    def of(cls, switches: Sequence[Switch]) -> _Together:
        """Of switches with one row each."""
        members: list[Any] = [switch.condition.function for switch in switches]
        return cls(
            members[0].family,
            np.array([switch.block.rows.start for switch in switches]),
            np.array([member.coordinates for member in members], dtype=np.intp).T,
            np.array([member.constants for member in members]).T,
        )

    def are_on(self, q: Array, t: float) -> Mask:
        """Whether each contact exists at a state."""
        on: Mask = np.asarray(self.family.function(list(q[self.coordinates]), t, self.constants))
        return on


def _by_family(switches: Sequence[Switch]) -> tuple[list[Switch], list[_Together]]:
    """Conditions that are asked one by one, and those of each family."""
    alone: list[Switch] = []
    families: dict[Family, list[Switch]] = {}
    for switch in switches:
        function = switch.condition.function
        if isinstance(function, MemberCondition) and switch.block.size == 1:
            families.setdefault(function.family, []).append(switch)
        else:
            alone.append(switch)
    return alone, [_Together.of(members) for members in families.values()]


class Switches:
    """All of them, by row.

    Attributes
    ----------
    passable : (m,) mask
        Contacts that may begin to exist with the bodies behind their surface.
    """

    def __init__(self, layout: RowTable, known: Mapping[str, Any]) -> None:
        self._n_rows = layout.n_rows
        self._switches = tuple(
            Switch(
                block,
                UserFunction.of(f"active_when of {block.item}", condition, ("q", "v", "t"), known),
                _passable(block),
            )
            for block in layout.blocks
            if (condition := _condition(block)) is not None
        )
        self._alone, self._families = _by_family(self._switches)
        self._by_row = {row: switch for switch in self._switches for row in switch.block.indices}
        self.passable = np.zeros(layout.n_rows, dtype=bool)
        for switch in self._switches:
            self.passable[switch.block.rows] = switch.passable
        self.passable.setflags(write=False)

    def __bool__(self) -> bool:
        return bool(self._switches)

    def __iter__(self) -> Iterator[Switch]:
        return iter(self._switches)

    def of_row(self, row: int) -> Switch | None:
        """The condition of a contact row, or None for one that always exists."""
        return self._by_row.get(row)

    def enabled(self, q: Array, v: Array, t: float, parameters: Mapping[str, Any]) -> Mask | None:
        """Which rows exist at a state; None when no contact can be switched off."""
        if not self._switches:
            return None
        enabled = np.ones(self._n_rows, dtype=bool)
        for switch in self._alone:
            enabled[switch.block.rows] = switch.is_on(q, v, t, parameters)
        for family in self._families:
            enabled[family.rows] = family.are_on(q, t)
        enabled.setflags(write=False)
        return enabled


def _passable(block: Block) -> bool:
    return bool(getattr(block.item, "passable", False))


def _condition(block: Block) -> Function | None:
    """When the contact exists; None for one that always does, on either side of its surface."""
    condition = getattr(block.item, "active_when", None)
    return _always if condition is None and _passable(block) else condition


def _always(q: Array, v: Array, t: float) -> bool:
    return True
