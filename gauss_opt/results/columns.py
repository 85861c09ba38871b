"""The columns of a result in one table: every array that has a row for each stored time.

A new column is one line of ``COLUMNS``, and its value in :meth:`Recorder.row`. Recorder, file,
joining and refinement go through this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base.arrays import Array, Mask
from ..base.frozen import Frozen

if TYPE_CHECKING:
    from .result import Result

__all__ = [
    "COLUMNS",
    "STATES",
    "Column",
    "all_together",
    "as_fields",
    "by_slip",
    "columns_of",
    "each",
    "group",
    "shapes",
]


STATES = ("open", "stick", "slide+", "slide-")
"""How a contact with friction stands, by the number that a result stores."""


class Column(NamedTuple):
    """One of the arrays.

    Attributes
    ----------
    name : str
        Its name.
    width : str
        What it has in a row: ``"nq"``, ``"nv"``, ``"m"`` or ``"slips"`` numbers, or one where this
        is empty. Files of before there was friction have no columns for slips.
    group : str
        The attribute of the result whose dictionary holds it; empty for an attribute of its own.
    """

    name: str
    width: str
    group: str = ""

    @property
    def key(self) -> str:
        """Its name among all columns, as in a file."""
        return f"{self.group}_{self.name}" if self.group else self.name


COLUMNS = (
    Column("t", ""),
    Column("q", "nq"),
    Column("v", "nv"),
    Column("a", "nv"),
    Column("multipliers", "m", "rows"),
    Column("values", "m", "rows"),
    Column("rates", "m", "rows"),
    Column("states", "slips", "rows"),
    Column("total", "nv", "forces"),
    Column("nonideal", "nv", "forces"),
)


def columns_of(result: Result) -> dict[str, Array]:
    """All columns of a result by key."""
    return {
        column.key: getattr(result, column.group)[column.name]
        if column.group
        else getattr(result, column.name)
        for column in COLUMNS
    }


def as_fields(columns: Mapping[str, Array]) -> dict[str, Any]:
    """Columns by key as the fields of a result that hold them."""
    fields: dict[str, Any] = {}
    for column in COLUMNS:
        place = fields.setdefault(column.group, {}) if column.group else fields
        place[column.name] = columns[column.key]
    return fields


def group(column: Callable[[str], Array], name: str) -> Frozen[str, Array]:
    """The dictionary of a result that holds a group of columns, each given by key."""
    return Frozen({c.name: column(c.key) for c in COLUMNS if c.group == name})


def each(change: Callable[[Array], Array], result: Result) -> dict[str, Array]:
    """All columns of a result after a change that is the same for each."""
    return {key: change(column) for key, column in columns_of(result).items()}


def all_together(results: Iterable[Result]) -> dict[str, Array]:
    """The columns of several results, one after another."""
    tables = [columns_of(result) for result in results]
    return {key: np.concatenate([table[key] for table in tables]) for key in tables[0]}


def by_slip(closed: Mask, slips: Array) -> Array:
    """How contacts without friction stand, as numbers: closed ones slide as their slips say."""
    stick, forward, backward = (STATES.index(word) for word in STATES[1:])
    ways = np.where(slips > 0.0, forward, np.where(slips < 0.0, backward, stick))
    return np.where(closed, ways, 0).astype(float)


def shapes(nt: int, **widths: int) -> dict[str, tuple[int, ...]]:
    """The shape that each column must have, by key.

    >>> shapes(7, nq=2, nv=3, m=1)["rows_values"]
    (7, 1)
    """
    known = {"slips": 0, **widths}
    return {c.key: (nt, known[c.width]) if c.width else (nt,) for c in COLUMNS}
