"""Where the columns of a result come from: rows in a block, columns, or what an engine stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from ...base.arrays import Array, Indices
from ...mechanics.ideal_force import ideal_force_of_rows
from ...model.snapshot import Snapshot, state_snapshot
from ...model.system import System
from ..columns import COLUMNS, by_slip

if TYPE_CHECKING:
    from ...model.dynamics import Dynamics
    from .stretch import Stretch

__all__ = ["Block", "Columns", "EngineRows", "Source", "nonideal_part"]

LARGEST_BLOCK = 2**15  # numbers
FEWEST, MOST = 16, 256  # rows of a block: few in the first, twice as many in each that follows


class Source(Protocol):
    """Some rows, from which columns are taken."""

    def column(self, key: str, rows: slice) -> Array:
        """A part of the column with this key; nobody keeps it."""
        ...


class Block:
    """Rows in one array, filled from its beginning."""

    def __init__(self, widths: dict[str, int], wanted: int) -> None:
        self._places: dict[str, int | slice] = {}
        end = 0
        for column in COLUMNS:
            start, end = end, end + (widths[column.width] if column.width else 1)
            self._places[column.key] = slice(start, end) if column.width else start
        self._table = np.empty((max(FEWEST, min(wanted, MOST, LARGEST_BLOCK // end)), end))
        self._filled = 0

    @property
    def full(self) -> bool:
        return self._filled == len(self._table)

    def put(self, t: float, parts: Iterable[Array]) -> None:
        row = self._table[self._filled]
        row[0] = t
        np.concatenate(tuple(parts), out=row[1:])
        self._filled += 1

    def column(self, key: str, rows: slice) -> Array:
        return self._table[rows, self._places[key]]


class Columns:
    """Columns that are there already."""

    def __init__(self, columns: Mapping[str, Array]) -> None:
        self._columns = dict(columns)

    def column(self, key: str, rows: slice) -> Array:
        return self._columns[key][rows]


class EngineRows:
    """What a compiled engine has stored; what it left out is computed when it is asked for."""

    def __init__(self, system: System, dynamics: Dynamics, stretch: Stretch) -> None:
        self._system, self._dynamics, self._stretch = system, dynamics, stretch
        v, nv = 1 + dynamics.nq, dynamics.nv
        self._places = {
            "q": slice(1, v),
            "v": slice(v, v + nv),
            "a": slice(v + nv, v + 2 * nv),
            "forces_total": slice(v + 2 * nv, v + 3 * nv),
        }

    def column(self, key: str, rows: slice) -> Array:
        state = self._stretch.rows.state
        if key == "t":
            return state[rows, 0]
        if key in self._places:
            return state[rows, self._places[key]]
        m = self._dynamics.layout.n_rows
        if key == "rows_multipliers":
            return self._stretch.rows.multipliers.dense(m)[rows]
        if key == "rows_states":
            return self._states(rows)
        if key == "forces_nonideal":
            return self._nonideal()[rows]
        return self._values_and_rates(rows)[key == "rows_rates"]

    def _values_and_rates(self, rows: slice) -> tuple[Array, Array]:
        dynamics, state = self._dynamics, self._stretch.rows.state[rows]
        end = 1 + dynamics.nq + dynamics.nv
        every = np.arange(dynamics.layout.n_rows)
        return dynamics.sample(every, state[:, 1:end], state[:, 0], self._system.parameters)

    def _states(self, rows: slice) -> Array:
        """How contacts with a slip stand: an engine has none with friction."""
        layout = self._dynamics.layout
        if not len(layout.normal_of):
            return np.zeros((len(self._stretch.rows.state[rows]), 0))
        closed = (
            self._stretch.rows.multipliers.dense(layout.n_rows)[rows][:, layout.normal_of] > 0.0
        )
        return by_slip(closed, self._values_and_rates(rows)[1][:, layout.tangents])

    def _nonideal(self) -> Array:
        dynamics, state = self._dynamics, self._stretch.rows.state
        total = state[:, self._places["forces_total"]]
        if self._system.nonideal is None:
            return np.zeros_like(total)
        multipliers = self._stretch.rows.multipliers.dense(dynamics.layout.n_rows)
        found = np.empty_like(total)
        for i, line in enumerate(state):
            q, v = line[self._places["q"]], line[self._places["v"]]
            snapshot = state_snapshot(self._system, dynamics, q, v, float(line[0]))
            force = snapshot.mass.dot(line[self._places["a"]]) - snapshot.force
            found[i] = nonideal_part(snapshot, multipliers[i], force)
        return found


def nonideal_part(snapshot: Snapshot, multipliers: Array, total: Array) -> Array:
    """What the total constraint force has beyond the ideal force of the rows that carry it."""
    if snapshot.nonideal is None:
        return np.zeros(len(total))
    layout = snapshot.layout
    carrying = np.flatnonzero(multipliers != 0.0)
    held: Indices = np.union1d(np.arange(layout.equalities.stop), carrying)
    names = tuple([layout.names[i] for i in held])
    rows, rhs = snapshot.rows_of(held), snapshot.rhs[held]
    return total - ideal_force_of_rows(snapshot, rows, rhs, names)
