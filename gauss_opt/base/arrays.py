"""Arrays of real numbers: their types, and the check that every array from outside must pass."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from .errors import InputError

__all__ = ["Array", "Indices", "Mask", "real_array", "surely_finite"]

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Mask = NDArray[np.bool_]
_FLOAT = np.dtype(float)


def real_array(what: str, value: Any) -> Array:
    """A float copy of ``value``; complex numbers, objects and non-finite entries are refused."""
    if type(value) is np.ndarray and value.dtype is _FLOAT:
        array = value.copy()
    else:
        array = _converted(what, value)
    # The length of a vector is cheap, and finite unless an entry is not, or nearly overflows.
    if array.ndim == 1 and len(array) and isfinite(blas.dnrm2(array)):
        return array
    if not np.isfinite(array).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        shown = index[0] if len(index) == 1 else index
        place = f"[{shown}]" if index else ""
        raise InputError(f"{what}{place} is {array[index]}: every entry must be finite")
    return array


def _converted(what: str, value: Any) -> Array:
    try:
        raw = np.asarray(value)
    except ValueError as problem:
        raise InputError(f"{what} is not an array: {problem}") from problem
    if raw.dtype.kind not in "fiub":
        raise InputError(f"{what} must hold real numbers, got dtype {raw.dtype}")
    return np.array(raw, dtype=float)


# From here on BLAS may share a product among threads, which takes longer than the product.
LONG = 8192


def surely_finite(array: Array) -> bool:
    """Whether all entries are finite; False also where their squares or sum overflow.

    >>> surely_finite(np.array([1.0, 2.0])), surely_finite(np.array([1.0, np.nan]))
    (True, False)
    """
    return isfinite(array.dot(array) if len(array) < LONG else array.sum())
