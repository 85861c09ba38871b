"""Arguments of a kind that cannot be used are refused with their name."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from .errors import InputError

__all__ = ["flag", "function", "number", "path", "positive", "whole_number"]


def number(name: str, value: Any) -> float:
    """A real number as a float; words, lists and truth values are refused.

    >>> number("rtol", 1e-6)
    1e-06
    >>> number("rtol", "1e-6")
    Traceback (most recent call last):
    gauss_opt.base.errors.InputError: rtol must be a number, got '1e-6'
    """
    plain = isinstance(value, int | float | np.integer | np.floating)
    if isinstance(value, np.ndarray) and value.ndim == 0:
        plain = value.dtype.kind in "fiu"
    if not plain or isinstance(value, bool):
        raise InputError(f"{name} must be a number, got {value!r}")
    return float(value)


def positive(name: str, value: Any) -> float:
    """A number above zero."""
    result = number(name, value)
    if not result > 0.0:
        raise InputError(f"{name} must be positive, got {value}")
    return result


def whole_number(name: str, value: Any, least: int = 1) -> int:
    """A whole number that is large enough; 1e6 is one.

    >>> whole_number("max_steps", 1e6)
    1000000
    """
    result = number(name, value)
    if not result.is_integer():
        raise InputError(f"{name} must be a whole number, got {value!r}")
    if result < least:
        raise InputError(f"{name} must be at least {least}, got {value}")
    return int(value)


def flag(name: str, value: Any) -> bool:
    """True or False.

    >>> flag("dense_output", "no")
    Traceback (most recent call last):
    gauss_opt.base.errors.InputError: dense_output must be True or False, got 'no'
    """
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def function(name: str, value: Any, takes: str) -> Any:
    """A function, or what can be called like one."""
    if not callable(value):
        raise InputError(f"{name} must be a function of ({takes}), got {value!r}")
    return value


def path(name: str, value: Any) -> str:
    """The path of a file, as a string."""
    try:
        return os.fsdecode(value)
    except TypeError as error:
        raise InputError(f"{name} must be the path of a file, got {value!r}") from error
