"""Values from a file, which may hold anything: refused unless they are what they should be."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...base.arrays import Array

__all__ = ["floats", "words"]


def words(names: Any) -> tuple[str, ...]:
    """A list of names from a header; anything else is refused."""
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{names!r} is not a list of names")
    return tuple(names)


def floats(array: Any) -> Array:
    """An array from a file; anything but floats is refused."""
    if array.dtype != np.float64:
        raise ValueError(f"expected floats, got {array.dtype}")
    result: Array = array
    return result
