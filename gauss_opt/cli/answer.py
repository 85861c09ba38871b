"""What a command returns: data for programs, tables for people, and an exit code."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from math import isfinite
from os import PathLike, fspath
from typing import Any

import numpy as np
from rich.console import RenderableType

__all__ = ["Answer", "Exit", "as_json"]


class Exit(IntEnum):
    """Exit codes of the command."""

    FINE = 0
    CHECK_FAILED = 1
    USAGE = 2
    FAILED = 3
    NO_ANSWER = 4


@dataclass(frozen=True)
class Answer:
    """The outcome of a command.

    Attributes
    ----------
    data : mapping
        What ``--json`` prints.
    shown : sequence of renderables
        What is printed otherwise.
    code : Exit
    warnings : sequence of str
        Sentences for stderr.
    """

    data: Mapping[str, Any]
    shown: Sequence[RenderableType]
    code: Exit = Exit.FINE
    warnings: Sequence[str] = field(default=())


def as_json(data: Mapping[str, Any]) -> str:
    """One JSON object; what is not a finite number becomes null."""
    return json.dumps(_plain(data), indent=2, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    if value is None or isinstance(value, bool | int | str):
        return value
    return fspath(value) if isinstance(value, PathLike) else str(value)
