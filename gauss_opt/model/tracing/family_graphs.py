"""The rows of a family: traced and differentiated once, then written down for all its members."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from ...base.arrays import Indices
from ...base.errors import ModelError
from ..enclosure.irregular import require_two_sides
from ..families import Member, MemberCondition, MemberOnVelocity
from .symbols import symbol, symbols
from .user_function import Symbols, UserFunction

__all__ = ["FamilyRows", "FamilyTrace", "is_member", "require_affine", "traced_family"]


def is_member(function: Any) -> bool:
    """Whether a user function is a member of a family."""
    return isinstance(function, Member | MemberOnVelocity)


class FamilyRows:
    """The rows of one family: its function, and its members with their places.

    Parameters
    ----------
    user : UserFunction
        Of its first member.
    """

    def __init__(self, user: UserFunction) -> None:
        self._members: list[Member | MemberOnVelocity] = []
        self._at: list[int] = []
        self._function, self._entries = _differentiated(user)

    def add(self, member: Member | MemberOnVelocity, at: int) -> Indices:
        """One more member; the columns of J that it has entries in."""
        self._members.append(member)
        self._at.append(at)
        return np.array(member.coordinates, dtype=np.intp)[self._entries]

    @property
    def count(self) -> int:
        """How many members there are."""
        return len(self._members)

    def written(self, s: Symbols) -> Iterator[tuple[int, tuple[Any, Any, Any, Any]]]:
        """The place of each member, and its value, rate, entries of J and right-hand side."""
        count, n = len(self._members), len(self._members[0].coordinates)
        chosen = np.array([member.coordinates for member in self._members], dtype=int)
        numbers = np.array([member.constants for member in self._members])
        x, u = (ca.reshape(every[chosen.ravel().tolist()], n, count) for every in (s.q, s.v))
        constants = ca.SX(ca.DM(numbers.T.reshape(-1, count)))
        out = self._function.map(count)(x, u, ca.repmat(s.t, 1, count), constants)
        yield from zip(self._at, zip(*map(ca.horzsplit, out), strict=True), strict=True)


class FamilyTrace(NamedTuple):
    """The graph of a family, with the symbols it is of."""

    x: Any
    u: Any
    t: Any
    c: Any
    graph: Any


def traced_family(user: UserFunction) -> FamilyTrace:
    """Trace the family of a member, with symbols in place of its constants as well."""
    member: Member | MemberOnVelocity | MemberCondition = user.function  # type: ignore[assignment]
    (x, xs), (u, us), (t, ts), (c, cs) = (
        symbols("x", len(member.coordinates)), symbols("u", len(member.coordinates)), symbol("t"),
        symbols("c", len(member.constants)),
    )  # fmt: skip
    takes = ("x", "u", "t", "c") if isinstance(member, MemberOnVelocity) else ("x", "t", "c")
    shared = UserFunction(user.label, member.family.function, takes, ())
    graph, ndim = shared.trace_with({"x": xs, "u": us, "t": ts, "c": cs}, {})
    if ndim:
        raise ModelError(f"{user.label}: the function of a family must return one number")
    return FamilyTrace(x, u, t, c, graph)


def _differentiated(user: UserFunction) -> tuple[Any, list[int]]:
    """Value, rate, entries of J and right-hand side as a function of (x, x', t, c).

    And to which of the coordinates each entry of J belongs.
    """
    x, u, t, c, value = traced_family(user)
    on_velocity = isinstance(user.function, MemberOnVelocity)

    def along_time(graph: Any) -> Any:
        return ca.jtimes(graph, x, u) + ca.jacobian(graph, t)

    rate = value if on_velocity else along_time(value)
    if on_velocity:
        require_affine(user.label, rate, u)
    elif user.label.startswith("gap"):
        require_two_sides(user.label, [x, t, c], value)
    jacobian = ca.jacobian(rate, u)
    entries = list(jacobian.sparsity().get_triplet()[1])
    outputs = [value, rate, ca.vec(jacobian.nz[:]), -along_time(rate)]
    # All at once, so that they share their differences, roots, sines and cosines.
    shared_graphs = ca.cse(ca.densify(ca.vertcat(*outputs)))
    ends = np.cumsum([0, *(graph.shape[0] for graph in outputs)]).tolist()
    graphs = [shared_graphs[a:b] for a, b in pairwise(ends)]
    return ca.Function("family", [x, u, t, c], graphs), entries


def require_affine(label: str, slip: Any, v: Any) -> None:
    """A slip is a velocity of a point: its derivative by v does not depend on v."""
    if ca.jacobian(ca.vec(ca.jacobian(slip, v)), v).nnz():
        raise ModelError(
            f"{label} must be affine in v (a velocity, such as v[0] + R * v[2]): its derivative "
            f"by v depends on v"
        )
