"""The solvers there are, by name: files of this package and entry points of others."""

from __future__ import annotations

import logging
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules

from ...base.errors import InputError, MissingPackageError
from .interface import Adapter

__all__ = ["available", "make", "names", "require_known"]

log = logging.getLogger(__name__)

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
    return tuple(name for name in names() if _usable(name))


def require_known(*solvers: str) -> None:
    """Refuse a name that no solver has, with the names there are."""
    for name in solvers:
        if name.partition(":")[0] not in names():
            raise InputError(
                f"unknown solver {name!r}; known: {', '.join(names())}; installed here: "
                f"{', '.join(available())}"
            )


def make(name: str) -> Adapter:
    """A new adapter for ``"name"`` or ``"name:option"``."""
    base, _, option = name.partition(":")
    require_known(name)
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


def _usable(name: str) -> bool:
    """Whether a solver's adapter loads and its package is there; a broken one hides only itself."""
    try:
        return _adapter(name).installed()
    except Exception as error:
        log.warning("solver %r cannot be used: %s", name, error)
        return False


@cache
def _adapter(name: str) -> type[Adapter]:
    if name in _own():
        adapter = import_module(f"{__package__}.{name}").Solver
    else:
        try:
            adapter = _foreign()[name].load()
        except Exception as error:
            raise InputError(
                f"solver {name!r} of another package ({_foreign()[name].value}) cannot be loaded: "
                f"{type(error).__name__}: {error}"
            ) from error
    if not (isinstance(adapter, type) and issubclass(adapter, Adapter)):
        raise InputError(f"solver {name!r} is not a subclass of gauss_opt.solvers.Adapter")
    return adapter
