"""All functions of a system in one CasADi call: values, Jacobians and biases, exactly.

For a constraint on positions, with q' = N v:

    rate = phi_q N v + phi_t,   phi'' = J a + bias,   J = d rate/dv,   bias = rate_q q' + rate_t,

and for one on velocities phi' = J a + bias with J = phi_v. Its row of the acceleration problem is
J a = -bias (servos add their error dynamics).
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import casadi as ca
import numpy as np

from .errors import ModelError, TraceError, UserFunctionError
from .model import Constraint, Contact, Nonholonomic, Servo, VelocityLimit
from .problem import Array
from .trace import Symbols, UserFunction, flatten_parameters

if TYPE_CHECKING:
    from .system import System

__all__ = ["Block", "Compiled", "Layout", "compile_system"]

log = logging.getLogger(__name__)

N_PROBES = 5


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


@dataclass(eq=False)
class Compiled:
    """The traced functions of a system for one size, with the buffers they write into.

    What could not be traced (a force with branches, derivatives given by hand) is listed in
    ``direct``, ``by_hand`` and called by :func:`gauss_opt.evaluate`.
    """

    nq: int
    nv: int
    layout: Layout
    constant_mass: Array | None
    slices: dict[str, slice]
    direct: dict[str, UserFunction]
    by_hand: tuple[Block, ...]
    hand_functions: dict[str, dict[str, UserFunction]]
    switches: tuple[tuple[Block, UserFunction], ...]
    potential: UserFunction | None
    wants_ideal: UserFunction | None
    traced: tuple[tuple[UserFunction, slice], ...]
    function: Any
    count: int = 0

    def __post_init__(self) -> None:
        self._buffer, self._call = self.function.buffer()
        sizes = [self.function.size1_in(i) for i in range(4)]
        self._q, self._v, self._t, self._p = (np.zeros(n) for n in sizes)
        self._out = np.zeros(self.function.size1_out(0))
        for i, argument in enumerate((self._q, self._v, self._t, self._p)):
            self._buffer.set_arg(i, argument.data)
        self._buffer.set_res(0, self._out.data)
        self._parameters: Mapping[str, Any] | None = None

    def run(self, q: Array, v: Array, t: float, parameters: Mapping[str, Any]) -> Array:
        """All traced values at a state, as one flat array of its own; see ``slices``."""
        if parameters is not self._parameters:
            self._p[:] = flatten_parameters(parameters)
            self._parameters = parameters
        self._q[:] = q
        self._v[:] = v
        self._t[0] = t
        self._call()
        return self._out.copy()

    def disagreement(
        self, q: Array, v: Array, t: float, parameters: Mapping[str, Any]
    ) -> tuple[UserFunction, str] | None:
        """The first traced function whose plain value differs at a state, and how."""
        out = self.run(q, v, t, parameters)
        arguments = {"q": q, "v": v, "t": t}
        for function, part in self.traced:
            difference = function.compare(out[part], arguments, parameters)
            if difference is not None:
                return function, difference
        return None


def compile_system(system: System, nq: int, nv: int) -> Compiled:
    """Trace everything a system consists of, and compare the traces with the functions."""
    untraceable: set[str] = set()
    while True:
        compiled = _compile(system, nq, nv, untraceable)
        failed = _probe(compiled, system.parameters)
        if failed is None:
            return compiled
        function, difference = failed
        if function.label not in _FALL_BACK:
            raise TraceError(difference)
        log.warning("%s; it is called directly instead", difference)
        untraceable.add(function.label)


_FALL_BACK = ("mass", "force", "nonideal")
"""Functions that need no derivative, and are called directly when they cannot be traced."""


def _compile(system: System, nq: int, nv: int, untraceable: set[str]) -> Compiled:
    symbols = Symbols(nq, nv, system.parameters)
    known = system.parameters
    graph = _Graph()
    direct: dict[str, UserFunction] = {}
    q_dot, N = _velocity_map(system, symbols, nq, nv, graph)

    def add(label: str, function: Any, takes: str, shape: tuple[int, ...]) -> None:
        user = UserFunction.of(label, function, tuple(takes), known)
        try:
            if label in untraceable:
                raise TraceError("its trace differs from its value")
            value, ndim = user.trace(symbols)
        except TraceError as error:
            log.info("%s is called directly: %s", label, error)
            direct[label] = user
            return
        shaped = _shaped(label, value, ndim, shape)
        if label == "mass" and ndim < 2:
            graph.add(label, shaped, None)
            graph.add("short mass", value, user)
        else:
            graph.add(label, shaped, user)

    constant = None
    if callable(system.mass):
        add("mass", system.mass, "qt", (nv, nv))
    else:
        constant = system.mass * np.eye(nv) if system.mass.ndim == 0 else system.mass
        constant.setflags(write=False)
    potential = None
    if system.potential is not None:
        potential = UserFunction.of("potential", system.potential, ("q", "t"), known)
    if callable(system.force):
        add("force", system.force, "qvt", (nv,))
    else:
        graph.add("force", _constant_force(system, symbols, potential, N, nv), None)
    wants_ideal = None
    if system.nonideal is not None:
        wants_ideal = _with_ideal_force(system.nonideal, known)
        if wants_ideal is None:
            add("nonideal", system.nonideal, "qvt", (nv,))
    rows = _rows(system, symbols, q_dot, nv)
    for name, column in rows.stacked.items():
        graph.add(name, column, None)
    offset = graph.slices["value"].start
    for user, part in rows.traced:
        graph.traced.append((user, slice(offset + part.start, offset + part.stop)))
    if system.kinematics is not None:
        graph.add("qdot", q_dot, None)
    inputs = [symbols.q, symbols.v, symbols.t, symbols.p]
    function = ca.Function("system", inputs, [ca.densify(ca.vertcat(*graph.columns))])
    return Compiled(
        nq=nq,
        nv=nv,
        layout=rows.layout,
        constant_mass=constant,
        slices=graph.slices,
        direct=direct,
        by_hand=tuple(block for block in rows.layout.blocks if block.item.by_hand),
        hand_functions=rows.by_hand,
        switches=tuple(_switches(rows.layout, known)),
        potential=potential,
        wants_ideal=wants_ideal,
        traced=tuple(graph.traced),
        function=function,
    )


class _Graph:
    """Columns of the one output vector, with the place of each."""

    def __init__(self) -> None:
        self.columns: list[Any] = [ca.SX(0, 1)]
        self.slices: dict[str, slice] = {}
        self.traced: list[tuple[UserFunction, slice]] = []
        self._end = 0

    def add(self, name: str, value: Any, user: UserFunction | None) -> None:
        column = ca.reshape(value.T, -1, 1) if name == "mass" else ca.reshape(value, -1, 1)
        part = slice(self._end, self._end + column.shape[0])
        self.columns.append(column)
        self.slices[name] = part
        self._end = part.stop
        if user is not None:
            self.traced.append((user, part))


class _Rows:
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


def _rows(system: System, symbols: Symbols, q_dot: Any, nv: int) -> _Rows:
    rows = _Rows()
    equalities = [c for c in system.constraints if not isinstance(c, VelocityLimit)]
    limits = [c for c in system.constraints if isinstance(c, VelocityLimit)]
    ends = [0]
    for items in (equalities, system.contacts, limits):
        start = ends[-1]
        for item in items:
            start = _add_block(rows, item, start, system, symbols, q_dot, nv)
        ends.append(start)
    names = tuple(block.name for block in rows.blocks for _ in range(_size(block)))
    parts = [slice(a, b) for a, b in pairwise(ends)]
    rows.layout = Layout(tuple(rows.blocks), names, *parts)
    return rows


def _add_block(
    rows: _Rows, item: Constraint | Contact, start: int, system: System, symbols: Symbols,
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


def _velocity_map(system: System, symbols: Symbols, nq: int, nv: int, graph: _Graph) -> Any:
    """q' and N as graphs; N is the identity unless the user gives one."""
    if system.kinematics is None:
        return symbols.v, ca.SX.eye(nv)
    user = UserFunction.of("kinematics", system.kinematics, ("q",), system.parameters)
    N, _ = user.trace(symbols)
    if N.shape != (nq, nv):
        raise ModelError(f"kinematics must return shape ({nq}, {nv}), got {N.shape}")
    graph.add("N", N.T, user)
    return N @ symbols.v, N


def _constant_force(
    system: System, symbols: Symbols, potential: UserFunction | None, N: Any, nv: int
) -> Any:
    """The force that is not a function: a constant, the potential's, or none."""
    if system.force is not None:
        if system.force.shape != (nv,):
            raise ModelError(f"force must have shape ({nv},), got {system.force.shape}")
        return ca.SX(system.force)
    if potential is None:
        return ca.SX.zeros(nv)
    energy, _ = potential.trace(symbols)
    if energy.shape != (1, 1):
        raise ModelError(f"potential must return a number, got shape {energy.shape}")
    return -(N.T @ ca.gradient(energy, symbols.q))


def _with_ideal_force(nonideal: Any, known: Mapping[str, Any]) -> UserFunction | None:
    """The non-ideal force as a function that also takes the ideal force, if it does."""
    try:
        return UserFunction.of("nonideal", nonideal, ("q", "v", "t", "ideal_force"), known)
    except ModelError:
        return None


def _shaped(label: str, value: Any, ndim: int, shape: tuple[int, ...]) -> Any:
    """A traced mass or force in its full shape."""
    n = shape[0]
    if label == "mass" and ndim == 0:
        return value * ca.SX.eye(n)
    if label == "mass" and ndim == 1 and value.shape == (n, 1):
        return ca.diag(value)
    wanted = (n, n) if label == "mass" else (n, 1)
    if value.shape != wanted or (label != "mass" and ndim > 1):
        got = value.shape if ndim == 2 else ((value.shape[0],) if ndim else ())
        raise ModelError(f"{label} must return shape {shape}, got {got}")
    return value


def _switches(layout: Layout, known: Mapping[str, Any]) -> Iterator[tuple[Block, UserFunction]]:
    for block in layout.blocks:
        condition = getattr(block.item, "active_when", None)
        if condition is not None:
            label = f"active_when of {block.item}"
            yield block, UserFunction.of(label, condition, ("q", "v", "t"), known)


def _size(block: Block) -> int:
    return int(block.rows.stop - block.rows.start)


def _points(nq: int, nv: int) -> Iterator[tuple[Array, Array, float]]:
    """States at which traces are compared: fixed pseudo-random ones of several sizes."""
    rng = np.random.default_rng(20260101)
    for scale in (1.0, 1.0, 0.1, 3.0, 10.0)[:N_PROBES]:
        yield scale * rng.normal(size=nq), scale * rng.normal(size=nv), float(rng.uniform(0, scale))


def _probe(compiled: Compiled, parameters: Mapping[str, Any]) -> tuple[UserFunction, str] | None:
    for q, v, t in _points(compiled.nq, compiled.nv):
        for array in (q, v):
            array.setflags(write=False)
        failed = compiled.disagreement(q, v, t, parameters)
        if failed is not None:
            return failed
    return None


def _probe_size(user: UserFunction, symbols: Symbols, system: System) -> tuple[int, int]:
    """Number of rows and of dimensions of a function that is not traced."""
    failure: UserFunctionError | None = None
    for q, v, t in _points(symbols.q.shape[0], symbols.v.shape[0]):
        arguments = {"q": q, "v": v, "t": t}
        try:
            value = user.checked(user.plain(arguments, system.parameters), None, arguments)
        except UserFunctionError as error:
            failure = error
        else:
            return (1, 0) if value.ndim == 0 else (len(value), value.ndim)
    assert failure is not None
    raise failure
