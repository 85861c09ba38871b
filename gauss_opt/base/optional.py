"""Packages that only some methods need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import MissingPackageError

__all__ = ["optional_package"]


def optional_package(name: str, asking: str) -> Any:
    """A package that may be missing, or an error with the command that installs it.

    >>> optional_package("no_such_package", "to_table()")
    Traceback (most recent call last):
    gauss_opt.base.errors.MissingPackageError: to_table() needs the package 'no_such_package': \
pip install no_such_package
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingPackageError(
            f"{asking} needs the package {name!r}: pip install {name}"
        ) from error
