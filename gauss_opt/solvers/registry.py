"""The solvers there are, by name: files of this package and entry points of others."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules

from ..errors import InputError, MissingPackageError
from .interface import Adapter

__all__ = ["available", "make", "names"]

ENTRY_POINTS = "gauss_opt.solvers"
_NOT_SOLVERS = {"interface", "registry", "ladder"}


def names() -> tuple[str, ...]:
    """Names of all known solvers, installed or not."""
    return (*_own(), *(name for name in _foreign() if name not in _own()))


def available() -> tuple[str, ...]:
    """Names of the solvers that can be used here.

    >>> {"osqp", "daqp", "cvxpy", "nnls", "active_set"} <= set(available())
    True
    """
    return tuple(name for name in names() if _adapter(name).installed())


def make(name: str) -> Adapter:
    """A new adapter for ``"name"`` or ``"name:option"``."""
    base, _, option = name.partition(":")
    if base not in names():
        raise InputError(
            f"unknown solver {name!r}; known: {', '.join(names())}; installed here: "
            f"{', '.join(available())}"
        )
    adapter = _adapter(base)
    if not adapter.installed():
        raise MissingPackageError(
            f"solver {base!r} needs the package {adapter.package!r}, which is not installed: "
            f"pip install '{adapter.install}'"
        )
    return adapter(option or None)


@cache
def _own() -> tuple[str, ...]:
    package = import_module(__package__)
    modules = (module.name for module in iter_modules(package.__path__))
    return tuple(name for name in modules if name not in _NOT_SOLVERS)


@cache
def _foreign() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


@cache
def _adapter(name: str) -> type[Adapter]:
    if name in _own():
        adapter = import_module(f"{__package__}.{name}").Solver
    else:
        adapter = _foreign()[name].load()
    if not (isinstance(adapter, type) and issubclass(adapter, Adapter)):
        raise InputError(f"solver {name!r} is not a subclass of gauss_opt.solvers.Adapter")
    return adapter
