"""The table of a study on disk: every row is there as soon as it is known, whatever comes after.

An sqlite file in write-ahead mode. Only the process that began the study writes to it, one
transaction for each chunk; a process that is killed loses what it was computing and nothing else.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

from ...base.errors import InputError
from .worker import FAILED, RawRow

__all__ = ["OtherStudyError", "Table"]

FORMAT = "gauss_opt sweep 1"
PATIENCE = 30.0  # seconds to wait for another process that writes
_CREATE = """
create table if not exists study (name text primary key, value text not null);
create table if not exists rows (
    key text primary key, point text not null, repetition integer not null, status text not null,
    "values" text not null, seconds real not null, error text not null
);
"""
_COLUMNS = 'key, point, repetition, status, "values", seconds, error'


class OtherStudyError(InputError):
    """The rows of a table came from something else than what is measured now."""


class Table:
    """Rows by the key of their point.

    Parameters
    ----------
    path : path or None
        The file; None keeps the rows in memory.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self.path = None if path is None else Path(path)
        try:
            self._db = sqlite3.connect(":memory:" if path is None else os.fspath(path), PATIENCE)
        except sqlite3.DatabaseError as error:
            raise InputError(f"{path} cannot be used as the table of a sweep: {error}") from error
        try:
            self._begin()
        except sqlite3.DatabaseError as error:
            self._db.close()
            raise InputError(f"{path} cannot be used as the table of a sweep: {error}") from error

    def _begin(self) -> None:
        """Make the tables in an empty file; refuse a file of something else."""
        there = {name for (name,) in self._db.execute("select name from sqlite_master")}
        if there and not {"study", "rows"} <= there:
            raise sqlite3.DatabaseError(f"it is a database of {', '.join(sorted(there))}")
        self._db.execute("pragma journal_mode=wal")
        self._db.executescript(_CREATE)
        known = self._about("format")
        if known not in (None, FORMAT):
            raise sqlite3.DatabaseError(f"its format is {known}, not {FORMAT}")
        self._set("format", FORMAT)

    def __enter__(self) -> Table:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        self._db.close()

    def require_same(self, recipe: Mapping[str, str], *, trust: bool) -> None:
        """Refuse a table whose rows came from something else, unless it is to be trusted."""
        before = self._about("recipe")
        if before is not None and not trust:
            old = json.loads(before)
            changed = [name for name in {**old, **recipe} if old.get(name) != recipe.get(name)]
            if changed:
                raise OtherStudyError(
                    f"the rows of {self.path} came from something else: {_listed(changed)} "
                    f"changed since. Choose another table=, delete this one, or give trust=True "
                    f"if the change makes no difference"
                )
        self._set("recipe", json.dumps(recipe))

    def keys(self, *, but_failed: bool = False) -> set[str]:
        """Keys of the points that have a row."""
        asked = "select key from rows" + (f" where status != '{FAILED}'" if but_failed else "")
        return {key for (key,) in self._db.execute(asked)}

    def add(self, rows: Iterable[RawRow]) -> None:
        """Rows in one transaction; a point that has one gets the new one."""
        with self._db:
            self._db.executemany(
                f"insert or replace into rows ({_COLUMNS}) values (?, ?, ?, ?, ?, ?, ?)", rows
            )

    def rows(self) -> Iterator[RawRow]:
        """All rows, in the order in which they came."""
        for row in self._db.execute(f"select {_COLUMNS} from rows order by rowid"):
            yield RawRow(*row)

    def _about(self, name: str) -> str | None:
        found = self._db.execute("select value from study where name = ?", (name,)).fetchone()
        return None if found is None else str(found[0])

    def _set(self, name: str, value: str) -> None:
        with self._db:
            self._db.execute("insert or replace into study values (?, ?)", (name, value))


def _listed(names: list[str]) -> str:
    return f"{', '.join(names)} {'has' if len(names) == 1 else 'have'}"
