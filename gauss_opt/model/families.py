"""Families: one function for many rows, which differ in their coordinates and in numbers only.

The distances of five thousand pairs of discs are one function of four coordinates and two radii. A
:class:`Family` is that function; its members are what a :class:`Contact` takes as ``gap=``,
``slip=`` and ``active_when=``. They are called like any function, and are traced, differentiated
and compared with the function once for all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..base.carrying import Carried
from .constraints import Function

__all__ = ["Family", "Member", "MemberCondition", "MemberOnVelocity"]


@dataclass(frozen=True, eq=False)
class Family(Carried):
    """A function of some coordinates x, the time and numbers c.

    Attributes
    ----------
    function : function of (x, t, c), or of (x, u, t, c) with the velocities of these coordinates
        It works on numbers, on symbols, and entry by entry on arrays of them.

    Examples
    --------
    >>> apart = Family(lambda x, t, c: x[1] - x[0] - c[0])
    >>> apart.gap((0, 3), (2.0,))([1.0, 7.0, 7.0, 5.0], 0.0)
    2.0
    """

    function: Function

    def gap(self, coordinates: Sequence[int], constants: Sequence[float]) -> Member:
        """A row on positions."""
        return Member(self, tuple(coordinates), tuple(constants))

    def slip(self, coordinates: Sequence[int], constants: Sequence[float]) -> MemberOnVelocity:
        """A row on velocities, of a system whose velocities are the rates of its positions."""
        return MemberOnVelocity(self, tuple(coordinates), tuple(constants))

    def condition(self, coordinates: Sequence[int], constants: Sequence[float]) -> MemberCondition:
        """A condition on positions, for ``active_when``."""
        return MemberCondition(self, tuple(coordinates), tuple(constants))


@dataclass(frozen=True, eq=False)
class _OfFamily(Carried):
    """What a member consists of.

    Attributes
    ----------
    family : Family
    coordinates : tuple of int
        Which positions (and velocities) it is of.
    constants : tuple of float
    """

    family: Family
    coordinates: tuple[int, ...]
    constants: tuple[float, ...]

    def of(self, values: Any) -> list[Any]:
        """Its entries of all positions or velocities."""
        return [values[i] for i in self.coordinates]


class Member(_OfFamily):
    """A function of (q, t)."""

    def __call__(self, q: Any, t: Any) -> Any:
        return self.family.function(self.of(q), t, self.constants)


class MemberOnVelocity(_OfFamily):
    """A function of (q, v, t)."""

    def __call__(self, q: Any, v: Any, t: Any) -> Any:
        return self.family.function(self.of(q), self.of(v), t, self.constants)


class MemberCondition(_OfFamily):
    """A truth about (q, t), called with (q, v, t)."""

    def __call__(self, q: Any, v: Any, t: Any) -> Any:
        return self.family.function(self.of(q), t, self.constants)
