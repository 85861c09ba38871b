"""The rows of a study, in the order of its points: columns, tables for other programs, pictures."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...base.errors import InputError, MissingPackageError
from ...base.whole_file import whole_file
from .table import Table
from .worker import OK, RawRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Row", "Sweep"]


@dataclass(frozen=True)
class Row:
    """One point and what was measured there.

    Attributes
    ----------
    point : dict
        Its values by name.
    status : str
        ``"ok"`` or ``"failed"``.
    values : dict
        What was measured, by name; empty where it failed.
    seconds : float
        Wall time it took.
    error : str
        Why it failed.
    """

    point: dict[str, Any]
    status: str
    values: dict[str, Any]
    seconds: float = field(compare=False)
    error: str = ""

    @classmethod
    def of(cls, raw: RawRow) -> Row:
        """The row that a table holds as text."""
        point, values = json.loads(raw.text), json.loads(raw.values)
        return cls(point, raw.status, values, raw.seconds, raw.error)

    @property
    def ok(self) -> bool:
        """Whether there are values."""
        return self.status == OK


@dataclass(frozen=True, eq=False)
class Sweep:
    """What :func:`gauss_opt.sweep` measured.

    Attributes
    ----------
    rows : tuple of Row
        One for each point that has been computed, in the order of the points.
    total : int
        Number of points asked for.
    status : str
        ``"finished"``, or ``"interrupted"`` when points are missing.
    path : str or None
        The table on disk.
    """

    rows: tuple[Row, ...]
    total: int
    status: str
    path: str | None = None

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Sweep:
        """All rows of a table on disk, in the order in which they came."""
        if not os.path.isfile(path):
            raise InputError(f"there is no table {os.fspath(path)}")
        with Table(path) as table:
            rows = tuple(Row.of(raw) for raw in table.rows())
        return cls(rows, len(rows), "finished", os.fspath(path))

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the points."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.point))

    @cached_property
    def quantities(self) -> tuple[str, ...]:
        """Names of what was measured."""
        return tuple(dict.fromkeys(name for row in self.rows for name in row.values))

    @property
    def failures(self) -> tuple[Row, ...]:
        """Rows of points that failed."""
        return tuple(row for row in self.rows if not row.ok)

    def __getitem__(self, name: str) -> Any:
        """One column: of the points, or what was measured there; NaN where there is nothing.

        Lists of different lengths, and words, give an array of objects.
        """
        if name not in self.names and name not in self.quantities:
            known = ", ".join(map(repr, (*self.names, *self.quantities))) or "nothing"
            raise InputError(f"there is no {name!r} in this sweep; there is {known}")
        both = [row.point if name in self.names else row.values for row in self.rows]
        return _column([values.get(name) for values in both])

    def to_dataframe(self) -> Any:
        """All rows as a pandas DataFrame; needs pandas."""
        try:
            import pandas
        except ImportError as error:
            raise _missing("to_dataframe()", "pandas") from error
        heads, body = self._heads(), list(self._body())
        return pandas.DataFrame({head: [line[i] for line in body] for i, head in enumerate(heads)})

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """All rows as text; floats are written to the last bit."""
        with whole_file(path) as temporary, open(temporary, "w", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(self._heads())
            writer.writerows(self._body())

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """All rows as a parquet file; needs pandas and pyarrow."""
        try:
            import pyarrow  # noqa: F401
        except ImportError as error:
            raise _missing("to_parquet()", "pyarrow") from error
        frame = self.to_dataframe()
        with whole_file(path) as temporary:
            frame.to_parquet(temporary)

    def plot(
        self, quantity: str | None = None, x: str | None = None, y: str | None = None,
        ax: Axes | None = None,
    ) -> Axes:  # fmt: skip
        """A quantity over one parameter, or over two as colours; lists as dots.

        Parameters
        ----------
        quantity : str, optional
            What to show; the first that is a number when left out.
        x, y : str, optional
            Parameters of the axes; those that vary when left out.
        """
        from .picture import draw

        return draw(self, quantity, x, y, ax)

    def _heads(self) -> list[str]:
        own = [*self.names, *self.quantities]
        return [*own, *(name for name in ("status", "seconds", "error") if name not in own)]

    def _body(self) -> Iterator[list[Any]]:
        for row in self.rows:
            about = {"status": row.status, "seconds": row.seconds, "error": row.error}
            values = {**about, **row.values, **row.point}
            yield [values.get(head) for head in self._heads()]

    def __str__(self) -> str:
        lines = [
            f"sweep {self.status}: {len(self.rows)} of {self.total} points, "
            f"{len(self.failures)} failed",
            f"  over {', '.join(self.names)}; measured {', '.join(self.quantities) or 'nothing'}",
        ]
        if self.failures:
            first = self.failures[0]
            lines.append(f"  first failure at {first.point}: {first.error}")
        if self.path is not None:
            lines.append(f"  table: {self.path}")
        return "\n".join(lines)

    __repr__ = __str__


def _column(values: Sequence[Any]) -> Any:
    """Numbers as floats or whole numbers; anything else as objects."""
    kinds = {type(value) for value in values}
    if kinds <= {int, float, bool, type(None)}:
        if kinds <= {bool} or kinds <= {int}:
            return np.array(values)
        return np.array([np.nan if value is None else value for value in values], dtype=float)
    column = np.empty(len(values), dtype=object)
    column[:] = values
    return column


def _missing(what: str, package: str) -> MissingPackageError:
    return MissingPackageError(
        f"{what} needs the package {package!r}: pip install 'gauss-opt[studies]'"
    )
