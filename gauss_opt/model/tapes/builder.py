"""From a traced system to its program: tapes, each made once for all rows of a form."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import casadi as ca
import numpy as np

from ...base.arrays import Array
from ...base.frozen import frozen_in_place
from ..enclosure.extension import Smoothness, has_rules, smoothness
from ..enclosure.motion_function import MotionSymbols, form_of
from ..enclosure.resolution import Resolution
from ..rows import Kind, RowTable
from ..tracing.system_graph import SystemGraph
from .program import Arrays, Holds, MassKind, Program
from .tape import Integers, NoProgram, Tape, tape_of

__all__ = ["program_of"]

_HOLDS = {
    Kind.HOLONOMIC: Holds.POSITION | Holds.VELOCITY,
    Kind.NONHOLONOMIC: Holds.VELOCITY | Holds.ON_VELOCITY,
    Kind.SERVO: Holds(0),
}


MOST_ROWS = 2000  # of contacts and limits: each is looked at when the program is made
NAMED = 3  # names in a sentence


def program_of(
    graph: SystemGraph, resolution: Resolution | None, watched: Sequence[Any] = ()
) -> Program:
    """The program of a traced system.

    Parameters
    ----------
    graph : SystemGraph
    resolution : Resolution or None
        What the motion may hide from the steps, if anything.
    watched : sequence of SX
        Functions of (q, v, t) whose zeros must not be missed either.

    Raises
    ------
    NoProgram
        Where there is none; it says why.
    """
    _require_taken(graph)
    return _Builder(graph).finished(resolution, watched)


def _require_taken(graph: SystemGraph) -> None:
    """Refuse what is not traced, or not in the engine."""
    layout = graph.rows.layout
    if graph.direct:
        raise NoProgram(f"the {' and the '.join(graph.direct)} cannot be traced")
    if graph.wants_ideal is not None or "nonideal" in graph.graphs:
        raise NoProgram("it has a non-ideal force")
    if graph.rows.by_hand:
        raise NoProgram(f"{', '.join(map(repr, graph.rows.by_hand))} has derivatives by hand")
    if layout.tangents.stop > layout.tangents.start:
        raise NoProgram("a contact has friction")
    rows = layout.limits.stop - layout.equalities.stop
    if rows > MOST_ROWS:
        raise NoProgram(f"it has {rows} contacts and limits, more than {MOST_ROWS}")
    switched = [block.name for block in layout.blocks if _is_switched(block.item)]
    if switched:
        more = f" and {len(switched) - NAMED} more" if len(switched) > NAMED else ""
        named = ", ".join(map(repr, switched[:NAMED]))
        raise NoProgram(f"{named}{more} can be switched off or passed through")


def _is_switched(item: Any) -> bool:
    return getattr(item, "active_when", None) is not None or getattr(item, "passable", False)


class _Builder:
    """Tapes and indices so far."""

    def __init__(self, graph: SystemGraph) -> None:
        self.graph = graph
        self.layout: RowTable = graph.rows.layout
        self.symbols = graph.symbols
        self.motion = MotionSymbols(graph.symbols, graph.graphs.get("qdot", graph.symbols.v))
        self.nq, self.nv = graph.symbols.q.shape[0], graph.symbols.v.shape[0]
        self.tapes: list[Tape] = []
        self.known: dict[Any, int] = {}
        self.indices: list[int] = []
        self.functions: list[tuple[int, ...]] = []

    def finished(self, resolution: Resolution | None, watched: Sequence[Any]) -> Program:
        ne = self.layout.equalities.stop
        kind, mass = self._mass()
        self._smooth(kind)
        for row in range(ne, self.layout.limits.stop):
            self._row(row)
        for value in watched:
            self.functions.append((0, 0, 0, 0, 0, *self._guard(value, "a user event")))
        hidden = self._condition(resolution)
        code, constants, table = self._stacked()
        starts, columns = self._equalities()
        pair_starts, pairs = _pairs(starts, columns)
        of_kind = self.layout.kind[:ne].tolist()
        contacts = self.layout.contacts.stop - ne
        limits = self.layout.limits.stop - self.layout.limits.start
        header = [self.nq, self.nv, self.symbols.p.shape[0], ne, contacts, limits, len(watched),
                  kind, int("qdot" in self.graph.graphs), len(self.tapes), hidden]  # fmt: skip
        arrays = Arrays(
            _integers(header),
            table,
            code,
            constants,
            starts,
            columns,
            _integers([_HOLDS[Kind(k)] for k in of_kind]),
            pair_starts,
            pairs,
            _integers(self.functions).reshape(-1, 8),
            _integers(self.indices),
            mass,
        )
        for array in arrays:
            frozen_in_place(array)
        return Program(arrays, self.nq, self.nv, self.layout.limits.stop)

    def _condition(self, resolution: Resolution | None) -> int:
        """The number of the tape that says whether a step is smooth on its scale; 0: it is."""
        if resolution is None:
            return 0
        n = self.nq + self.nv
        self.tapes.append(tape_of(resolution.condition, [n, n, 3]))
        return len(self.tapes) - 1

    def _mass(self) -> tuple[MassKind, Array]:
        mass = self.graph.constant_mass
        if mass is None:
            return MassKind.FUNCTION, np.zeros((self.nv, self.nv))
        diagonal = np.count_nonzero(mass - np.diag(mass.diagonal())) == 0
        kind = MassKind.DIAGONAL if diagonal else MassKind.CONSTANT
        return kind, np.array(mass, dtype=float)

    def _smooth(self, kind: MassKind) -> None:
        """Mass, force, kinematics; entries, right-hand sides, values, rates of equality rows."""
        graph, rows, ne = self.graph, self.graph.rows, self.layout.equalities.stop
        parts = [graph.graphs["mass"].T] if kind == MassKind.FUNCTION else []
        parts.append(graph.graphs["force"])
        if "qdot" in graph.graphs:
            parts += [graph.graphs["qdot"], graph.graphs["N"].T]
        entries = int(rows.pattern.starts[ne])
        if ne:
            parts += [rows.jacobian[:entries], rows.rhs[:ne], rows.value[:ne], rows.rate[:ne]]
        column = ca.vertcat(*(ca.reshape(ca.densify(part), -1, 1) for part in parts))
        s = self.symbols
        function = ca.Function("smooth", [s.q, s.v, s.t, s.p], [ca.cse(ca.densify(column))])
        self.tapes.append(self._taped(function, [self.nq, self.nv], "the smooth part"))

    def _taped(self, function: Any, sizes: Sequence[int], what: str) -> Tape:
        if not has_rules(function):
            raise NoProgram(f"{what} has an operation without bounds")
        try:
            return tape_of(function, sizes)
        except NoProgram as error:
            raise NoProgram(f"{what}: {error}") from None

    def _row(self, row: int) -> None:
        """One contact or limit."""
        rows, s, name = self.graph.rows, self.symbols, repr(self.layout.names[row])
        chosen, _ = rows.pattern.nonzeros(np.array([row]))
        parts = [rows.value[row], rows.rate[row], rows.rhs[row]]
        if len(chosen):
            parts.append(rows.jacobian[chosen.tolist()])
        column = ca.vertcat(*parts)
        inputs = s.positions_in(column) + [self.nq + i for i in s.velocities_in(column)]
        y = ca.vertcat(s.q, s.v)[inputs] if inputs else ca.SX(0, 1)
        point = self._shared(y, column, name)
        coords, columns = self._indexed(inputs), self._indexed(rows.pattern.columns[chosen])
        guard = self._guard(rows.value[row], name)
        self.functions.append((point, coords, len(inputs), columns, len(chosen), *guard))

    def _guard(self, value: Any, name: str) -> tuple[int, int, int]:
        """Value, rate and second rate along the motion, as far as the value is smooth."""
        motion, s = self.motion, self.symbols
        places = motion.needed(value)
        y = motion.state[places] if places else ca.SX(0, 1)
        plain = ca.Function("f", [y, s.t, s.p], [value])
        key = ("guard", form_of(plain)) if motion.plain else None
        number = self.known.get(key) if key is not None else None
        if number is None:
            columns, smooth = [value], smoothness(plain)
            if smooth >= Smoothness.KINKS:
                columns.append(motion.along(value))
            if smooth == Smoothness.SMOOTH:
                columns.append(motion.along(columns[-1]))
            number = self._shared(y, ca.vertcat(*columns), name)
            if key is not None:
                self.known[key] = number
        return number, self._indexed(places), len(places)

    def _shared(self, y: Any, column: Any, name: str) -> int:
        """The number of the tape of a column; columns of one form have one tape."""
        output = ca.cse(ca.densify(column))
        function = ca.Function("row", [y, self.symbols.t, self.symbols.p], [output])
        key = form_of(function)
        if key not in self.known:
            self.known[key] = len(self.tapes)
            self.tapes.append(self._taped(function, [y.shape[0]], name))
        return self.known[key]

    def _indexed(self, places: Any) -> int:
        start = len(self.indices)
        self.indices += [int(place) for place in places]
        return start

    def _stacked(self) -> tuple[Integers, Array, Integers]:
        """All tapes in one array of instructions and one of constants, and where each is."""
        table, code, constants = [], 0, 0
        for tape in self.tapes:
            k, c = len(tape.code), len(tape.constants)
            table.append([code, k, tape.first, tape.n_work, tape.n_inputs, tape.n_outputs,
                          constants, c])  # fmt: skip
            code, constants = code + k, constants + c
        codes = [tape.code for tape in self.tapes]
        numbers = [tape.constants for tape in self.tapes]
        return np.concatenate(codes), np.concatenate(numbers), _integers(table)

    def _equalities(self) -> tuple[Integers, Integers]:
        pattern, ne = self.graph.rows.pattern, self.layout.equalities.stop
        starts = pattern.starts[: ne + 1]
        return _integers(starts), _integers(pattern.columns[: int(starts[-1])])


def _integers(values: Any) -> Integers:
    return np.array(values, dtype=np.int32)


def _pairs(starts: Integers, columns: Integers) -> tuple[Integers, Integers]:
    """For each row the rows up to it that have a column in common with it, itself among them."""
    of_column: dict[int, list[int]] = {}
    counts, pairs = [0], []
    for row in range(len(starts) - 1):
        own = set(columns[starts[row] : starts[row + 1]].tolist())
        near = {row}.union(*(of_column.get(column, ()) for column in own))
        pairs += sorted(near)
        counts.append(len(pairs))
        for column in own:
            of_column.setdefault(column, []).append(row)
    return _integers(counts), _integers(pairs)
