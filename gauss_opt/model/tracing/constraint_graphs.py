"""The rows of every constraint as CasADi graphs: value, rate, Jacobian and right-hand side.

For a constraint on positions, with q' = N v:

    rate = phi_q N v + phi_t,   phi'' = J a + bias,   J = d rate/dv,   bias = rate_q q' + rate_t,

and for one on velocities phi' = J a + bias with J = phi_v. Its row of the acceleration problem is
J a = -bias (servos add their error dynamics).
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import casadi as ca
import numpy as np

from ...base.errors import ModelError, TraceError, UserFunctionError
from ..constraints import Constraint, Contact, Nonholonomic, Servo, VelocityLimit
from ..rows import Block, Layout
from .user_function import Symbols, UserFunction, probe_points

if TYPE_CHECKING:
    from ..system import System

__all__ = ["Rows", "constraint_rows"]


class Rows:
    """Everything about the constraint rows, as graphs."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self.columns: dict[str, list[Any]] = {key: [] for key in ("value", "rate", "rows", "rhs")}
        self.traced: list[tuple[UserFunction, slice]] = []
        self.by_hand: dict[str, dict[str, UserFunction]] = {}
        self.layout: Layout

    @property
    def stacked(self) -> dict[str, Any]:
        return {k: ca.vertcat(ca.SX(0, 1), *columns) for k, columns in self.columns.items()}


def constraint_rows(system: System, symbols: Symbols, q_dot: Any, nv: int) -> Rows:
    rows = Rows()
    equalities = [c for c in system.constraints if not isinstance(c, VelocityLimit)]
    limits = [c for c in system.constraints if isinstance(c, VelocityLimit)]
    ends = [0]
    for items in (equalities, system.contacts, limits):
        start = ends[-1]
        for item in items:
            start = _add_block(rows, item, start, system, symbols, q_dot, nv)
        ends.append(start)
    names = tuple(block.name for block in rows.blocks for _ in range(block.size))
    parts = [slice(a, b) for a, b in pairwise(ends)]
    rows.layout = Layout(tuple(rows.blocks), names, *parts)
    return rows


def _add_block(
    rows: Rows, item: Constraint | Contact, start: int, system: System, symbols: Symbols,
    q_dot: Any, nv: int,
) -> int:  # fmt: skip
    known = system.parameters
    on_velocity = isinstance(item, Nonholonomic | VelocityLimit)
    takes = ("q", "v", "t") if on_velocity else ("q", "t")
    word = {Contact: "gap", VelocityLimit: "psi"}.get(type(item), "phi")
    user = UserFunction.of(f"{word} of {item}", item.phi, takes, known)
    if item.by_hand:
        k, ndim = _probe_size(user, symbols, system)
        functions = {"phi": user}
        functions["jacobian"] = UserFunction.of(f"jacobian of {item}", item.jacobian, takes, known)
        functions["bias"] = UserFunction.of(f"bias of {item}", item.bias, ("q", "v", "t"), known)
        if item.time_derivative is not None:
            functions["time_derivative"] = UserFunction.of(
                f"time_derivative of {item}", item.time_derivative, ("q", "t"), known
            )
        rows.by_hand[item.name] = functions
        graphs = (ca.SX(k, 1), ca.SX(k, 1), ca.SX(k * nv, 1), ca.SX(k, 1))
    else:
        try:
            value, ndim = user.trace(symbols)
        except TraceError as error:
            raise TraceError(f"{error}; or give jacobian= and bias= by hand") from error
        k = value.shape[0]
        if ndim > 1:
            raise ModelError(f"{user.label} must return a number or a vector, got a matrix")
        rows.traced.append((user, slice(start, start + k)))
        graphs = _derivatives(item, value, symbols, q_dot, on_velocity)
    if k == 0:
        raise ModelError(f"{user.label} returns an empty vector")
    if isinstance(item, Contact) and np.size(item.restitution) not in (1, k):
        raise ModelError(
            f"{item} has {k} rows but {np.size(item.restitution)} values of restitution"
        )
    for columns, column in zip(rows.columns.values(), graphs, strict=True):
        columns.append(column)
    rows.blocks.append(Block(item, slice(start, start + k), ndim == 0))
    return start + k


def _derivatives(
    item: Constraint | Contact, value: Any, symbols: Symbols, q_dot: Any, on_velocity: bool
) -> tuple[Any, Any, Any, Any]:
    """value, rate, rows (row after row) and right-hand side of a traced constraint."""

    def along_time(graph: Any) -> Any:
        return ca.jtimes(graph, symbols.q, q_dot) + ca.jacobian(graph, symbols.t)

    rate = value if on_velocity else along_time(value)
    jacobian = ca.jacobian(rate, symbols.v)
    rhs = -along_time(rate)
    if isinstance(item, Servo):
        rhs -= 2.0 * item.damping * item.frequency * rate + item.frequency**2 * value
    return value, rate, ca.reshape(jacobian.T, -1, 1), rhs


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
