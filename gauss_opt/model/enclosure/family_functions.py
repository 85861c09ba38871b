"""Enclosures of the members of families: one function for all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..families import Family, Member, MemberCondition
from ..tracing.family_graphs import FamilyTrace, traced_family
from ..tracing.user_function import Symbols, UserFunction
from .extension import NoEnclosure
from .motion_function import MemberFunction, MotionFunction, MotionSymbols

__all__ = ["FamilyFunctions"]


class FamilyFunctions:
    """The functions of all families of a system.

    Parameters
    ----------
    symbols : Symbols
        Of the system.
    plain : bool
        Whether velocities are the rates of positions; otherwise members are as any function.
    """

    def __init__(self, symbols: Symbols, *, plain: bool) -> None:
        self._nv, self._plain = symbols.v.shape[0], plain
        self._traces: dict[Family, FamilyTrace] = {}
        self._shared: dict[tuple[Family, float], MotionFunction | None] = {}

    def has(self, function: Any) -> bool:
        """Whether a function belongs to a family, on positions."""
        return self._plain and isinstance(function, Member | MemberCondition)

    def takes(self, item: Any) -> bool:
        """Whether the value of a constraint belongs to a family."""
        return not item.by_hand and self.has(item.phi)

    def trace(self, member: Any, label: str) -> FamilyTrace:
        """The trace of the family of a member."""
        if member.family not in self._traces:
            user = UserFunction(label, member, ("q", "t"), ())
            self._traces[member.family] = traced_family(user)
        return self._traces[member.family]

    def motion(self, member: Any, label: str, offset: float = 0.0) -> MotionFunction | None:
        """A member less an offset along the motion; None where nothing can be proved of it."""
        key = (member.family, offset)
        if key not in self._shared:
            self._shared[key] = self._made(member, offset)
        shared = self._shared[key]
        if shared is None:
            return None
        return MemberFunction(shared, member.coordinates, member.constants, self._nv)

    def _made(self, member: Any, offset: float) -> MotionFunction | None:
        """The function of a system that has the coordinates of one member only."""
        n = len(member.coordinates)
        alone = Symbols(n, n, {"c": np.array(member.constants)})
        user = UserFunction("a family", member.family.function, ("x", "t", "c"), ())
        arguments = {"x": alone.arguments["q"], "t": alone.arguments["t"],
                     "c": alone.parameters["c"]}  # fmt: skip
        graph, _ = user.trace_with(arguments, {})
        try:
            return MotionFunction(MotionSymbols(alone, alone.v), graph - offset, {})
        except NoEnclosure:
            return None
