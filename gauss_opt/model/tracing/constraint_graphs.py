"""The rows of every constraint as CasADi graphs: value, rate, Jacobian and right-hand side.

For a constraint on positions, with q' = N v:

    rate = phi_q N v + phi_t,   phi'' = J a + bias,   J = d rate/dv,   bias = rate_q q' + rate_t,

and for one on velocities phi' = J a + bias with J = phi_v. Its row of the acceleration problem is
J a = -bias (servos add their error dynamics). Of J only the entries that can differ from zero are
kept; a function is differentiated by the coordinates it depends on and by no others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ...base.arrays import Indices
from ...base.errors import ModelError, TraceError, UserFunctionError
from ...base.row_matrix import RowPattern
from ..constraints import COEFFICIENTS, Constraint, Contact, Nonholonomic, Servo, VelocityLimit
from ..enclosure.irregular import require_two_sides
from ..families import Family
from ..rows import RowTable
from .family_graphs import FamilyRows, is_member, require_affine
from .user_function import Symbols, UserFunction, probe_points

if TYPE_CHECKING:
    from ..system import System

__all__ = ["RowGraphs", "constraint_graphs"]


@dataclass(frozen=True, eq=False)
class RowGraphs:
    """All constraint rows as graphs, one column for each kind of number.

    Attributes
    ----------
    layout : RowTable
    value, rate, rhs : (m, 1) graphs
    jacobian : (k, 1) graph
        The entries of J that can differ from zero, row after row.
    pattern : RowPattern
        Where they belong.
    traced : tuple of (UserFunction, slice)
        The functions, with the rows of ``value`` that each of them gives.
    by_hand : dict
        Functions of the constraints whose derivatives are given by hand, by name; their rows of
        the graphs are zero.
    members : int
        Rows of families, whose graphs share what they have in common already.
    """

    layout: RowTable
    value: Any
    rate: Any
    jacobian: Any
    rhs: Any
    pattern: RowPattern
    traced: tuple[tuple[UserFunction, slice], ...]
    by_hand: dict[str, dict[str, UserFunction]]
    members: int = 0

    def written_out(self, rows: Indices) -> Any:
        """All entries of some rows of J, row after row, those that are always zero among them."""
        columns = self.pattern.shape[1]
        chosen, owners = self.pattern.nonzeros(rows)
        full = ca.SX(len(rows) * columns, 1)
        if len(chosen):
            places = owners * columns + self.pattern.columns[chosen]
            full[places.tolist()] = self.jacobian[chosen.tolist()]
        return full


def constraint_graphs(system: System, symbols: Symbols, q_dot: Any) -> RowGraphs:
    """Trace and differentiate every constraint, in the order of rows."""
    builder = _Builder(system, symbols, q_dot)
    limits = [c for c in system.constraints if isinstance(c, VelocityLimit)]
    equalities = [c for c in system.constraints if not isinstance(c, VelocityLimit)]
    for item in (*equalities, *system.contacts, *limits):
        builder.add(item)
    for contact in system.contacts:
        if contact.slip is not None:
            builder.add_slip(contact)
    return builder.finished()


@dataclass
class _Builder:
    """Rows so far."""

    system: System
    symbols: Symbols
    q_dot: Any
    sized: list[tuple[Constraint | Contact, int, bool]] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(
        default_factory=lambda: {"value": [], "rate": [], "jacobian": [], "rhs": []}
    )
    rows: list[Indices] = field(default_factory=list)
    places: list[Indices] = field(default_factory=list)
    traced: list[tuple[UserFunction, slice]] = field(default_factory=list)
    by_hand: dict[str, dict[str, UserFunction]] = field(default_factory=dict)
    slips: list[tuple[str, int]] = field(default_factory=list)
    families: dict[Family, FamilyRows] = field(default_factory=dict)
    end: int = 0

    def add(self, item: Constraint | Contact) -> None:
        """The rows of one more constraint."""
        known = self.system.parameters
        on_velocity = isinstance(item, Nonholonomic | VelocityLimit)
        takes = ("q", "v", "t") if on_velocity else ("q", "t")
        word = {Contact: "gap", VelocityLimit: "psi"}.get(type(item), "phi")
        if self._in_family(item, item.phi):
            self._add_member(item, UserFunction(f"{word} of {item}", item.phi, takes, ()))
            return
        user = UserFunction.of(f"{word} of {item}", item.phi, takes, known)
        if item.by_hand:
            k, ndim = _probe_size(user, self.symbols, self.system)
        else:
            value, ndim = _traced_value(user, self.symbols)
            k = value.shape[0]
            if isinstance(item, Contact):
                _require_two_sides(item, value, self.symbols)
        if k == 0:
            raise ModelError(f"{user.label} returns an empty vector")
        if isinstance(item, Contact):
            _require_coefficients(item, k, known)
        if item.by_hand:
            self.by_hand[item.name] = _hand_functions(item, user, takes, known)
            self._append_blank(k)
        else:
            self.traced.append((user, slice(self.end, self.end + k)))
            self._append(item, value, on_velocity)
        self.sized.append((item, k, ndim == 0))
        self.end += k

    def add_slip(self, contact: Contact) -> None:
        """The tangents of a contact: its slip and how that changes."""
        known = self.system.parameters
        user = UserFunction.of(f"slip of {contact}", contact.slip, ("q", "v", "t"), known)
        if self._in_family(contact, contact.slip):
            self._append_member(user)
            self.slips.append((contact.name, 1))
            self.end += 1
            return
        try:
            value, ndim = user.trace(self.symbols)
        except TraceError as error:
            raise TraceError(f"{error} (a slip cannot be given by hand)") from error
        rows = next(size for item, size, _ in self.sized if item is contact)
        k = value.shape[0]
        if ndim > 1 or k not in (rows, 2 * rows):
            shape = tuple(value.shape) if ndim > 1 else (k,)
            raise ModelError(
                f"{user.label} must return {rows} value(s) in the plane, one for each row of the "
                f"gap, or {2 * rows} in space, got shape {shape}"
            )
        require_affine(user.label, value, self.symbols.v)
        self.traced.append((user, slice(self.end, self.end + k)))
        self._append(contact, value, on_velocity=True)
        self.slips.append((contact.name, k))
        self.end += k

    def _in_family(self, item: Constraint | Contact, function: Any) -> bool:
        """Whether a function is traced with its family: where velocities are rates of positions."""
        return not item.by_hand and is_member(function) and self.q_dot is self.symbols.v

    def _add_member(self, item: Constraint | Contact, user: UserFunction) -> None:
        """A row of a family; its graphs come with those of the others."""
        if isinstance(item, Contact):
            _require_coefficients(item, 1, self.system.parameters)
        self._append_member(user)
        self.sized.append((item, 1, True))
        self.end += 1

    def _append_member(self, user: UserFunction) -> None:
        member: Any = user.function
        family = member.family
        if family not in self.families:
            self.families[family] = FamilyRows(user)
            self.traced.append((user, slice(self.end, self.end + 1)))  # it stands for all
        places = self.families[family].add(member, len(self.columns["value"]))
        self.rows.append(np.full(len(places), self.end))
        self.places.append(places)
        for columns in self.columns.values():
            columns.append(None)

    def _write_families(self) -> None:
        for family in self.families.values():
            for place, graphs in family.written(self.symbols):
                for name, graph in zip(("value", "rate", "jacobian", "rhs"), graphs, strict=True):
                    self.columns[name][place] = graph

    def _append_blank(self, k: int) -> None:
        """Rows whose numbers are put in later; any entry of J can be there."""
        nv = self.symbols.v.shape[0]
        for name, size in (("value", k), ("rate", k), ("jacobian", k * nv), ("rhs", k)):
            self.columns[name].append(ca.SX(size, 1))
        self.rows.append(self.end + np.repeat(np.arange(k), nv))
        self.places.append(np.tile(np.arange(nv), k))

    def _append(self, item: Constraint | Contact, value: Any, on_velocity: bool) -> None:
        rate = value if on_velocity else self._along_time(value)
        variables = self.symbols.velocities_in(rate)
        jacobian = ca.jacobian(rate, self.symbols.v[variables]).T  # CasADi goes by columns
        rhs = -self._along_time(rate)
        if isinstance(item, Servo):
            rhs -= 2.0 * item.damping * item.frequency * rate + item.frequency**2 * value
        columns, rows = (np.array(x, dtype=np.intp) for x in jacobian.sparsity().get_triplet())
        self.rows.append(self.end + rows)
        self.places.append(np.array(variables, dtype=np.intp)[columns])
        for name, graph in (("value", value), ("rate", rate), ("rhs", rhs)):
            self.columns[name].append(graph)
        self.columns["jacobian"].append(ca.vec(jacobian.nz[:]))

    def _along_time(self, graph: Any) -> Any:
        """The derivative along the motion at fixed v."""
        symbols = self.symbols
        variables = symbols.positions_in(graph)
        slope = ca.jacobian(graph, symbols.t)
        if not variables:
            return slope
        return ca.jtimes(graph, symbols.q[variables], self.q_dot[variables]) + slope

    def finished(self) -> RowGraphs:
        """All rows together."""
        none = np.zeros(0, dtype=np.intp)
        self._write_families()
        stacked = {k: ca.vertcat(ca.SX(0, 1), *parts) for k, parts in self.columns.items()}
        layout = RowTable.of(self.sized, self.slips)
        shape = (layout.n_rows, self.symbols.v.shape[0])
        pattern = RowPattern.of(
            np.concatenate([none, *self.rows]), np.concatenate([none, *self.places]), shape
        )
        traced = tuple(self.traced)
        members = sum(family.count for family in self.families.values())
        return RowGraphs(layout=layout, pattern=pattern, traced=traced, by_hand=self.by_hand,
                         members=members, **stacked)  # fmt: skip


def _require_coefficients(contact: Contact, k: int, parameters: Mapping[str, Any]) -> None:
    """One value of each coefficient, or one for each row."""
    if all(isinstance(getattr(contact, word), float | int | None) for word in COEFFICIENTS):
        return
    for word, values in contact.coefficients(parameters).items():
        if len(values) not in (1, k):
            raise ModelError(f"{contact} has {k} rows but {len(values)} values of {word}")


def _require_two_sides(contact: Contact, gaps: Any, symbols: Symbols) -> None:
    """Refuse gaps that can never be negative."""
    for i in range(gaps.shape[0]):
        columns = symbols.positions_in(gaps[i])
        if columns:
            arguments = [symbols.q[columns], symbols.t, symbols.p]
            require_two_sides(f"gap of {contact}", arguments, gaps[i])


def _traced_value(user: UserFunction, symbols: Symbols) -> tuple[Any, int]:
    try:
        value, ndim = user.trace(symbols)
    except TraceError as error:
        raise TraceError(f"{error}; or give jacobian= and bias= by hand") from error
    if ndim > 1:
        raise ModelError(f"{user.label} must return a number or a vector, got a matrix")
    return value, ndim


def _hand_functions(
    item: Constraint | Contact, user: UserFunction, takes: tuple[str, ...], known: Any
) -> dict[str, UserFunction]:
    functions = {"phi": user}
    functions["jacobian"] = UserFunction.of(f"jacobian of {item}", item.jacobian, takes, known)
    functions["bias"] = UserFunction.of(f"bias of {item}", item.bias, ("q", "v", "t"), known)
    if item.time_derivative is not None:
        functions["time_derivative"] = UserFunction.of(
            f"time_derivative of {item}", item.time_derivative, ("q", "t"), known
        )
    return functions


def _probe_size(user: UserFunction, symbols: Symbols, system: System) -> tuple[int, int]:
    """Number of rows and of dimensions of a function that is not traced."""
    failure: UserFunctionError | None = None
    for q, v, t in probe_points(symbols.q.shape[0], symbols.v.shape[0]):
        arguments = {"q": q, "v": v, "t": t}
        try:
            value = user.checked(user.plain(arguments, system.parameters), None, arguments)
        except UserFunctionError as error:
            failure = error
        else:
            return (1, 0) if value.ndim == 0 else (len(value), value.ndim)
    assert failure is not None
    raise failure
