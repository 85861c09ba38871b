"""Contacts that exist only while a user-defined condition is true (``active_when``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..base.arrays import Array, Mask
from ..base.errors import InputError
from .rows import Block, RowTable
from .tracing.user_function import UserFunction

__all__ = ["Switch", "Switches"]


class Switch(NamedTuple):
    """The condition of one contact."""

    block: Block
    condition: UserFunction

    def is_on(self, q: Array, v: Array, t: float, parameters: Mapping[str, Any]) -> bool:
        """Whether the contact exists at a state."""
        value = self.condition.plain({"q": q, "v": v, "t": t}, parameters)
        if np.ndim(value) or not isinstance(value, bool | np.bool_):
            raise InputError(f"{self.condition.label} must return True or False, got {value!r}")
        return bool(value)


class Switches:
    """All of them, by row."""

    def __init__(self, layout: RowTable, known: Mapping[str, Any]) -> None:
        self._n_rows = layout.n_rows
        self._switches = tuple(
            Switch(
                block,
                UserFunction.of(f"active_when of {block.item}", condition, ("q", "v", "t"), known),
            )
            for block in layout.blocks
            if (condition := getattr(block.item, "active_when", None)) is not None
        )
        self._by_row = {row: switch for switch in self._switches for row in switch.block.indices}

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
        for switch in self._switches:
            enabled[switch.block.rows] = switch.is_on(q, v, t, parameters)
        enabled.setflags(write=False)
        return enabled
