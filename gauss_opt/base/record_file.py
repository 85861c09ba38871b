"""Files that grow by records: each is there as a whole, or not at all, whenever the writer dies.

A record has its length and check sums in front. What a writer that was killed has left behind the
last whole record is not a record; it is passed over when the file is read, and cut off before the
next one is appended.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from struct import Struct
from typing import Any
from zlib import crc32

import numpy as np

from .errors import InputError
from .whole_file import whole_file

__all__ = ["append_record", "begin_records", "has_records", "pack_record", "read_records"]

MAGIC = b"gauss_opt records\n"
_HEAD = Struct("<QI")  # length of what follows, and its check sum
_SUM = Struct("<I")  # check sum of the head
_LENGTH = Struct("<I")  # of the JSON header within a record
_FRONT = _HEAD.size + _SUM.size
DTYPES = {"<f8", "<i8", "|i1", "|b1"}


def has_records(path: str | os.PathLike[str]) -> bool:
    """Whether a file is one of these."""
    with open(path, "rb") as stream:
        return stream.read(len(MAGIC)) == MAGIC


def pack_record(arrays: Mapping[str, Any], header: Mapping[str, Any]) -> bytes:
    """Arrays and a header that JSON can write, as one record."""
    listed = {name: np.asarray(array) for name, array in arrays.items()}
    entries = [[name, a.dtype.str, list(a.shape)] for name, a in listed.items()]
    text = json.dumps({"arrays": entries, "header": header}).encode()
    return b"".join([_LENGTH.pack(len(text)), text, *(a.tobytes() for a in listed.values())])


def begin_records(path: str | os.PathLike[str], record: bytes) -> int:
    """A new file with its first record, complete or absent; its length."""
    content = MAGIC + _framed(record)
    with whole_file(path) as temporary:
        temporary.write_bytes(content)
    return len(content)


def append_record(path: str | os.PathLike[str], end: int, record: bytes) -> int:
    """Append a record to a file whose last whole record ends at ``end``; the new end."""
    content = _framed(record)
    with open(path, "rb+") as stream:
        stream.truncate(end)
        stream.seek(end)
        try:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        except OSError:
            os.truncate(path, end)
            raise
    return end + len(content)


def read_records(path: str | os.PathLike[str]) -> tuple[list[tuple[Any, Any]], int]:
    """Arrays and header of every whole record, and where the last of them ends."""
    content = Path(path).read_bytes()
    records, end = [], len(MAGIC)
    try:
        while (payload := _next(content, end)) is not None:
            records.append(_unpacked(payload))
            end += _FRONT + len(payload)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: record {len(records)}: {error}") from error
    if not records:
        raise InputError(f"{path} cannot be read: not one of its records is whole")
    return records, end


def _framed(record: bytes) -> bytes:
    head = _HEAD.pack(len(record), crc32(record))
    return head + _SUM.pack(crc32(head)) + record


def _next(content: bytes, start: int) -> memoryview | None:
    """What the record that begins at a place holds; None where no whole one does."""
    front = content[start : start + _FRONT]
    if len(front) < _FRONT:
        return None
    if not front.strip(b"\0") and not content[start:].strip(b"\0"):  # some disks leave zeros
        return None
    length, check = _HEAD.unpack_from(front)
    if _SUM.unpack_from(front, _HEAD.size)[0] != crc32(front[: _HEAD.size]):
        raise ValueError("its length is not what was written")
    end = start + _FRONT + length
    if end > len(content):
        return None
    payload = memoryview(content)[start + _FRONT : end]
    if crc32(payload) == check:
        return payload
    if end == len(content):  # the last: its end had not reached the disk
        return None
    raise ValueError("its content is not what was written")


def _unpacked(payload: memoryview) -> tuple[dict[str, Any], dict[str, Any]]:
    """Arrays and header of a record; nothing in it is run."""
    (length,) = _LENGTH.unpack_from(payload)
    entry = json.loads(bytes(payload[_LENGTH.size : _LENGTH.size + length]))
    arrays, place = {}, _LENGTH.size + length
    for name, dtype, shape in entry["arrays"]:
        if dtype not in DTYPES or not all(type(n) is int and n >= 0 for n in shape):
            raise ValueError(f"{name!r} is no array of numbers")
        size = int(np.prod([np.dtype(dtype).itemsize, *shape], dtype=object))
        if place + size > len(payload):
            raise ValueError(f"{name!r} is longer than the record")
        part = np.frombuffer(payload[place : place + size], dtype=dtype)
        arrays[str(name)] = part.reshape(shape).copy()
        place += size
    if place != len(payload) or not isinstance(entry["header"], dict):
        raise ValueError("it does not have the size it should have")
    return arrays, entry["header"]
