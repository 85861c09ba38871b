"""A result in a file that grows with the run: parts that are put together when it is read."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...base.npz import checked_header
from ...base.record_file import read_records
from ..columns import COLUMNS
from .event_file import IN_ARRAYS
from .result_file import FORMAT, PIECE_ARRAYS, VERSION, explained, pack

if TYPE_CHECKING:
    from ..result import Result

Built = TypeVar("Built")

__all__ = ["pack_part", "read_growing", "together"]

ONCE = ("versions", "row_names", "normal_of", "scalar", "contacts", "coordinates", "settings")
LISTS = ("events", "held")  # entries of the header that grow


def pack_part(part: Result, *, first: bool) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and header of what is new since the last part; what stays is in the first alone."""
    arrays, header = pack(part)
    return arrays, {name: entry for name, entry in header.items() if first or name not in ONCE}


def together(records: Sequence[tuple[Any, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and header of the whole: as of one result, with all else as the last part has it."""
    (_, first), (last_arrays, last) = records[0], records[-1]
    header = {**first, **last}
    header |= {name: [e for _, part in records for e in part[name]] for name in LISTS}
    if any("slides" in part for _, part in records):
        none = [part.get("slides", [[]] * len(part["held"])) for _, part in records]
        header["slides"] = [entry for part in none for entry in part]
    arrays = dict(last_arrays)
    with_rows = [part for part, _ in records if len(part["t"])] or [last_arrays]
    for column in COLUMNS:
        if column.key in last_arrays:
            arrays[column.key] = np.concatenate([part[column.key] for part in with_rows])
    with_events = [part for part, entry in records if entry["events"]] or [last_arrays]
    with_pieces = [part for part, entry in records if entry["held"]] or [last_arrays]
    for name in (f"event_{name}" for name in IN_ARRAYS):
        arrays[name] = np.concatenate([part[name] for part in with_events])
    for name in PIECE_ARRAYS:
        arrays[name] = np.concatenate([part[name] for part in with_pieces])
    return arrays, header


def read_growing(
    path: str | os.PathLike[str], build: Callable[[dict[str, Any], dict[str, Any]], Built]
) -> Built:
    """What ``build`` makes of the whole; whatever is wrong with it is said."""
    records, _ = read_records(path)
    checked_header(records[0][1], FORMAT, VERSION, path)
    with explained(path):
        return build(*together(records))
