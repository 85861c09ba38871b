"""npz files: written whole or not at all, read without ever running code."""

from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from .errors import InputError
from .whole_file import whole_file

__all__ = ["checked_header", "read_header", "read_npz", "write_npz"]

MAX_BYTES = 1 << 30


def write_npz(path: Path, arrays: dict[str, Any]) -> None:
    """Write an npz that is complete or absent."""
    with whole_file(path) as temporary, open(temporary, "wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)


def read_npz(path: Path, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """All arrays of an npz; object arrays and files that unpack to too much are refused.

    Too much is more than ``max_bytes`` and more than the file itself has: a long run may be long,
    but a small file that unpacks to a large one was made to do harm.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > max(max_bytes, path.stat().st_size):
            raise InputError(
                f"{path} unpacks to {size} bytes, far more than its own size: compressed files "
                f"that unpack to more than {max_bytes} bytes are refused"
            )
        with np.load(path, allow_pickle=False) as data:
            return {name: data[name] for name in data.files}
    except FileNotFoundError:
        raise
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{path} cannot be read: {error}") from error


def read_header(
    arrays: dict[str, Any], form: str, version: int, path: str | os.PathLike[str]
) -> dict[str, Any]:
    """The JSON header of a file in this format and of a version that can be read."""
    try:
        header = json.loads(arrays["header"].astype(np.uint8).tobytes().decode())
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is not a file of {form}: it has no valid header") from error
    return checked_header(header, form, version, path)


def checked_header(
    header: Any, form: str, version: int, path: str | os.PathLike[str]
) -> dict[str, Any]:
    """A header, if it is one of this format and of a version that can be read."""
    try:
        found = (header["format"], header["version"])
    except (KeyError, TypeError) as error:
        raise InputError(f"{path} is not a file of {form}: it has no valid header") from error
    if found[0] != form:
        raise InputError(f"{path} holds {found[0]!r}, not {form!r}")
    if type(found[1]) is not int or not 1 <= found[1] <= version:
        raise InputError(
            f"{path} has format version {found[1]}, but this gauss_opt reads versions up to "
            f"{version}: upgrade it"
        )
    result: dict[str, Any] = header
    return result
