"""Results in files: npz with a JSON header, written whole or not at all, never able to run code."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from ...base.arrays import Array
from ...base.errors import InputError
from ...base.frozen import frozen_array
from ...base.npz import read_header, read_npz, write_npz
from ..columns import COLUMNS, STATES, as_fields, columns_of, shapes
from ..dense_output import Piece
from ..energy import OPTIONAL, Energy
from ..records import Stats
from .event_file import event_arrays, event_entries, event_shapes, read_events
from .plausible import require_plausible, truth
from .values import floats, words

if TYPE_CHECKING:
    from ..result import Result

__all__ = ["pack", "pack_energy", "pack_pieces", "read", "read_stats",
           "unpack", "unpack_pieces",
           "versions", "write"]  # fmt: skip

Built = TypeVar("Built")

FORMAT = "gauss_opt result"
VERSION = 1
_OF_SLIPS = {column.key for column in COLUMNS if column.width == "slips"}
PIECE_ARRAYS = ("piece_t0", "piece_t1", "piece_sizes", "piece_values")


def write(path: str | os.PathLike[str], arrays: dict[str, Any], header: dict[str, Any]) -> None:
    """Write arrays and header to a file, complete or not at all."""
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    write_npz(Path(path), {**arrays, "header": text})


def read(
    path: str | os.PathLike[str], build: Callable[[dict[str, Any], dict[str, Any]], Built]
) -> Built:
    """What ``build`` makes of the arrays and the header; whatever is wrong with them is said."""
    arrays = read_npz(Path(path))
    header = read_header(arrays, FORMAT, VERSION, path)
    with explained(path):
        return build(arrays, header)


@contextmanager
def explained(path: str | os.PathLike[str]) -> Iterator[None]:
    """What goes wrong while a file is taken apart, said of the file."""
    try:
        yield
    except InputError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise InputError(f"{path} is damaged: {type(error).__name__}: {error}") from error


def pack_energy(energy: Energy) -> dict[str, Array]:
    """The arrays of an energy account."""
    names = [n for n in _energy_names() if n not in OPTIONAL or getattr(energy, n).any()]
    return {f"energy_{name}": getattr(energy, name) for name in names}


def pack(result: Result) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and JSON header of a result."""
    columns = {key: column for key, column in columns_of(result).items() if _has_place(key, column)}
    arrays = {**columns, **event_arrays(result.events), **pack_pieces(result.pieces)}
    header = {
        "format": FORMAT,
        "version": VERSION,
        "versions": versions(),
        "success": result.success,
        "status": result.status,
        "message": result.message,
        "row_names": list(result.row_names),
        "scalar": sorted(result.scalar),
        "contacts": list(result.contacts),
        "coordinates": list(result.coordinates),
        "units": list(result.units),
        "stats": _pack_stats(result.stats),
        "settings": result.settings,
        "events": event_entries(result.events),
        "held": [list(piece.held) for piece in result.pieces],
    }
    if result.normal_of:
        header["normal_of"] = list(result.normal_of)
    if any(piece.slides for piece in result.pieces):
        header["slides"] = [list(piece.slides) for piece in result.pieces]
    return arrays, header


def _has_place(key: str, column: Array) -> bool:
    """Whether a column goes into the file: what is about slips only where there are any."""
    return key not in _OF_SLIPS or bool(column.shape[1])


def _pack_stats(stats: Stats) -> dict[str, Any]:
    """The statistics; what files of before do not know only where there is anything to say."""
    counts = asdict(stats)
    without = [] if stats.closings else ["closings", "closing_loss", "worst_closing_loss"]
    without += [] if stats.handed_over else ["handed_over"]
    return {name: count for name, count in counts.items() if name not in without}


def unpack(arrays: dict[str, Any], header: dict[str, Any]) -> dict[str, Any]:
    """The fields of the result that was packed."""
    _check_header(header, width=arrays["q"].shape[-1])
    _check_shapes(arrays, header)
    require_plausible(arrays, header)
    energy = None
    if "energy_kinetic" in arrays:
        stored = [name for name in _energy_names() if f"energy_{name}" in arrays]
        energy = Energy(**{name: floats(arrays[f"energy_{name}"]) for name in stored})
    arrays = {**dict.fromkeys(_OF_SLIPS, np.zeros((len(arrays["t"]), 0))), **arrays}
    return dict(
        success=truth(header["success"]),
        status=header["status"],
        message=header["message"],
        **as_fields({column.key: floats(arrays[column.key]) for column in COLUMNS}),
        row_names=tuple(header["row_names"]),
        normal_of=tuple(header.get("normal_of", ())),
        scalar=frozenset(header["scalar"]),
        contacts=tuple(header["contacts"]),
        coordinates=words(header.get("coordinates", [])),
        units=words(header.get("units", [])),
        events=read_events(arrays, header["events"]),
        pieces=unpack_pieces(arrays, header["held"], header.get("slides")),
        stats=read_stats(header["stats"]),
        settings=dict(header["settings"]),
        system=None,
        stored_energy=energy,
        stored_remarks=words(header.get("energy_remarks", [])),
    )


def _check_header(header: dict[str, Any], width: int) -> None:
    """Names must be words, and counts numbers, before anything is done with them."""
    names = words(header["row_names"])
    for key in ("scalar", "contacts"):
        if not set(words(header[key])) <= set(names):
            raise ValueError(f"{key} names constraints that do not exist")
    for key in ("coordinates", "units"):
        if len(header.get(key) or ()) not in (0, width):
            raise ValueError(f"the number of {key} is not that of the positions")
    slips = header.get("normal_of", [])
    first = len(names) - len(slips)
    if not all(type(row) is int and 0 <= row < first for row in slips) or slips != sorted(slips):
        raise ValueError("tangents belong to rows that do not exist")
    for rows in header.get("slides", []):
        if not all(type(row) is int and first <= abs(row) < len(names) for row in rows):
            raise ValueError("the dense output slides along tangents that do not exist")
    for rows in header["held"]:
        if not all(type(row) is int and 0 <= row < len(names) for row in rows):
            raise ValueError("the dense output refers to rows that do not exist")


def read_stats(entry: dict[str, Any]) -> Stats:
    """The statistics in a header; a ValueError when they are not numbers and words."""
    values = asdict(Stats(**entry))
    words([*values.pop("sampled").values(), values.pop("engine")])
    several = [values.pop("rank_drops"), values.pop("seconds").values(),
               values.pop("unsettled").values(), values.pop("handed_over").values()]  # fmt: skip
    for number in (*chain(*several), *values.values()):
        if type(number) not in (int, float):
            raise ValueError(f"{number!r} in the statistics is not a number")
    return Stats(**{**entry, "rank_drops": tuple(entry.get("rank_drops", ()))})


def _check_shapes(arrays: dict[str, Any], header: dict[str, Any]) -> None:
    """All arrays must fit together: times, coordinates, rows and events."""
    nt, m = len(arrays["t"]), len(header["row_names"])
    nq, nv = arrays["q"].shape[-1], arrays["v"].shape[-1]
    slips = len(header.get("normal_of", ()))
    expected = shapes(nt, nq=nq, nv=nv, m=m, slips=slips)
    if not slips:
        expected = {key: shape for key, shape in expected.items() if key not in _OF_SLIPS}
    elif not np.isin(arrays["rows_states"], range(len(STATES))).all():
        raise ValueError("a contact has a state that does not exist")
    expected |= event_shapes(len(header["events"]), nq=nq, nv=nv)
    if len(arrays["piece_values"]):
        expected["piece_values"] = (len(arrays["piece_values"]), nq + nv)
    if "energy_kinetic" in arrays:
        expected |= {f"energy_{n}": (nt,) for n in _energy_names() if n not in OPTIONAL}
        expected |= {f"energy_{n}": (nt,) for n in OPTIONAL if f"energy_{n}" in arrays}
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            raise ValueError(f"{name} has shape {arrays[name].shape} instead of {shape}")


def pack_pieces(pieces: tuple[Piece, ...]) -> dict[str, Any]:
    """The arrays of dense output."""
    return {
        "piece_t0": np.array([piece.t0 for piece in pieces], dtype=float),
        "piece_t1": np.array([piece.t1 for piece in pieces], dtype=float),
        "piece_sizes": np.array([len(piece.values) for piece in pieces], dtype=np.int64),
        "piece_values": np.concatenate([piece.values for piece in pieces])
        if pieces
        else np.zeros((0, 0)),
    }


def unpack_pieces(
    arrays: dict[str, Any], held: list[list[int]], slides: list[list[int]] | None = None
) -> tuple[Piece, ...]:
    """The dense output that was packed, with the rows held and the slides in each piece."""
    slides = [[]] * len(held) if slides is None else slides
    sizes = arrays["piece_sizes"]
    if sizes.dtype != np.int64 or sizes.ndim != 1:
        raise ValueError("the sizes of the dense output are not whole numbers")
    ends = np.cumsum(sizes)
    values = frozen_array(floats(arrays["piece_values"]))
    if len(ends) and (ends[-1] != len(values) or (sizes < 2).any()):
        raise ValueError("the dense output does not have the size it should have")
    return tuple(
        Piece(float(t0), float(t1), values[end - size : end], tuple(map(int, rows)), tuple(along))
        for t0, t1, size, end, rows, along in zip(
            floats(arrays["piece_t0"]), floats(arrays["piece_t1"]), sizes, ends, held, slides,
            strict=True,
        )
    )  # fmt: skip


def _energy_names() -> tuple[str, ...]:
    return tuple(Energy.__dataclass_fields__)


def versions() -> dict[str, str]:
    """Versions of what the numbers depend on."""
    return dict(_installed())


@cache
def _installed() -> dict[str, str]:
    found = {"python": platform.python_version()}
    for name in ("gauss-opt", "numpy", "scipy", "osqp", "daqp", "casadi"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
