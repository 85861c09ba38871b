"""Lower bounds of all gaps of a system over boxes at once.

Gaps of one form, the distances of many pairs of discs say, share one function that is made once and
evaluated for all of them together; those of a family do so anyway. What has no form in common goes
into a function of its own. Conditions, which are 0 or 1, are bounded in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from ....base.arrays import Array, Indices
from ...families import Family, Member, MemberCondition
from ...tracing.buffered import MappedFunction
from ...tracing.family_graphs import FamilyTrace
from ...tracing.user_function import Symbols
from ..extension import NoEnclosure, extended, has_rules
from ..motion_function import form_of

__all__ = ["AllGaps"]

FEW = 4  # gaps of one form that are not worth a function of their own


class _Group(NamedTuple):
    """Gaps that one function gives.

    Attributes
    ----------
    places : (r,) array of int
        Which of the gaps.
    columns : (r, n) array of int
        The positions that each of them depends on; for gaps without a common form (1, nq).
    lower : MappedFunction
        From bounds of these positions, times and parameters to lower bounds.
    numbers : (r, m) array, optional
        Of a family: the constants of each member, which take the place of the parameters.
    """

    places: Indices
    columns: Indices
    lower: MappedFunction
    numbers: Array | None = None


@dataclass
class _Members:
    """The members of one family among the gaps."""

    trace: FamilyTrace
    places: list[int] = field(default_factory=list)
    columns: list[tuple[int, ...]] = field(default_factory=list)
    numbers: list[tuple[float, ...]] = field(default_factory=list)


class AllGaps:
    """Lower bounds of gaps given as graphs of (q, t, p); minus infinity where there are none.

    Parameters
    ----------
    symbols : Symbols
    gaps : sequence
        Graphs; members of families, each with the trace of its family; or None.
    sign, offset : float
        Bounded is sign * gap + offset.

    Attributes
    ----------
    common : set of int
        Places of gaps whose form is that of many others.
    """

    def __init__(
        self, symbols: Symbols, gaps: Sequence[Any], sign: float = 1.0, offset: float = 0.0
    ) -> None:
        self._count = len(gaps)
        self._groups: list[_Group] = []
        self.common: set[int] = set()
        self._sign, self._offset = sign, offset
        graphs = self._take_families(gaps)
        alone: list[int] = []
        for members in _by_form(symbols, graphs).values():
            if len(members) < FEW:
                alone += [place for place, _ in members]
                continue
            self.common.update(place for place, _ in members)
            place, columns = members[0]
            lower = _lower(_chosen(symbols, columns), symbols.t, symbols.p, graphs[place])
            places = np.array([place for place, _ in members], dtype=np.intp)
            every = np.array([columns for _, columns in members], dtype=np.intp)
            self._groups.append(_Group(places, every.reshape(len(places), -1), lower))
        if alone:
            together = ca.SX(0, 1)
            for place in alone:
                together = ca.vertcat(together, graphs[place])
            lower = _lower(symbols.q, symbols.t, symbols.p, together)
            every = np.arange(symbols.q.shape[0])[None]
            self._groups.append(_Group(np.array(alone, dtype=np.intp), every, lower))

    def _take_families(self, gaps: Sequence[Any]) -> list[Any]:
        """A group for each family; what is left, as graphs."""
        families: dict[Family, _Members] = {}
        graphs: list[Any] = []
        for place, gap in enumerate(gaps):
            if not isinstance(gap, tuple):
                graphs.append(None if gap is None else self._sign * gap + self._offset)
                continue
            graphs.append(None)
            member: Member | MemberCondition = gap[0]
            of = families.setdefault(member.family, _Members(gap[1]))
            of.places.append(place)
            of.columns.append(member.coordinates)
            of.numbers.append(member.constants)
        for of in families.values():
            x, _, t, c, graph = of.trace
            graph = self._sign * graph + self._offset
            try:
                lower = _lower(x, t, c, graph)
            except NoEnclosure:
                continue
            self.common.update(of.places)
            columns = np.array(of.columns, dtype=np.intp).reshape(len(of.places), -1)
            numbers = np.array(of.numbers, dtype=float).reshape(len(of.places), -1)
            self._groups.append(_Group(np.array(of.places), columns, lower, numbers))
        return graphs

    def lower(self, low: Array, high: Array, times: Array, p: Array) -> Array:
        """Lower bounds (c, gaps) over c boxes of all positions, (c, nq), and of time, (c, 2)."""
        c = len(low)
        found = np.full((c, self._count), -np.inf)
        for places, columns, function, numbers in self._groups:
            r, n = columns.shape
            given = (
                np.broadcast_to(p, (c * r, len(p))) if numbers is None else np.tile(numbers, (c, 1))
            )
            out = function([
                low[:, columns].reshape(c * r, n),
                high[:, columns].reshape(c * r, n),
                np.repeat(times, r, axis=0),
                given,
            ])  # fmt: skip
            found[:, places] = out.reshape(c, -1)
        return found


def _chosen(symbols: Symbols, columns: list[int]) -> Any:
    return symbols.q[columns] if columns else ca.SX(0, 1)


def _by_form(
    symbols: Symbols, gaps: Sequence[Any | None]
) -> dict[tuple[Any, ...], list[tuple[int, list[int]]]]:
    """Places of the gaps of each form, with the positions they are of; none without bounds."""
    forms: dict[tuple[Any, ...], list[tuple[int, list[int]]]] = {}
    for place, gap in enumerate(gaps):
        if gap is None:
            continue
        columns = symbols.positions_in(gap)
        inputs = [_chosen(symbols, columns), symbols.t, symbols.p]
        function = ca.Function("gap", inputs, [gap])
        if has_rules(function):
            forms.setdefault(form_of(function), []).append((place, columns))
    return forms


def _lower(y: Any, t: Any, p: Any, gap: Any) -> MappedFunction:
    """The lower bound of gaps as a function of a box."""
    function = ca.Function("gap", [y, t, p], [ca.cse(ca.densify(gap))])
    n, n_parameters = y.shape[0], p.shape[0]
    low, high, times = ca.SX.sym("low", n), ca.SX.sym("high", n), ca.SX.sym("times", 2)
    given = ca.SX.sym("p", n_parameters)
    lower, _ = extended(function, [(low, high), (times[0], times[1]), (given, given)])
    return MappedFunction(ca.Function("lower", [low, high, times, given], [ca.cse(lower)]))
