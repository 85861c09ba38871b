"""All solvers by name: files of this package and entry points of others."""

from __future__ import annotations

import logging
from typing import TypeGuard

from ...base.errors import MissingPackageError
from ...base.registry import Registry, entry_points_of, modules_of
from .interface import Adapter

__all__ = ["SOLVERS", "available", "make", "names", "require_known"]

log = logging.getLogger(__name__)


def _is_adapter(item: object) -> TypeGuard[type[Adapter]]:
    return isinstance(item, type) and issubclass(item, Adapter)


SOLVERS: Registry[type[Adapter]] = Registry(
    "solver",
    "a subclass of gauss_opt.solvers.Adapter",
    _is_adapter,
    sources=[
        modules_of(__name__.rpartition(".")[0], "Solver", but={"interface", "registry"}),
        entry_points_of("gauss_opt.solvers"),
    ],
)
"""Adapter classes by name; each is imported when it is first asked for."""


def names() -> tuple[str, ...]:
    """Names of all known solvers, installed or not."""
    return tuple(SOLVERS)


def available() -> tuple[str, ...]:
    """Names of the solvers that can be used here.

    >>> {"osqp", "daqp", "cvxpy", "nnls", "active_set"} <= set(available())
    True
    """
    return tuple(name for name in SOLVERS if _usable(name))


def require_known(*solvers: str) -> None:
    """Refuse a name that no solver has, and list the names."""
    for name in solvers:
        base = name.partition(":")[0]
        if base not in SOLVERS:
            raise SOLVERS.unknown(base, f"; installed here: {', '.join(available())}")


def make(name: str) -> Adapter:
    """A new adapter for ``"name"`` or ``"name:option"``."""
    require_known(name)
    base, _, option = name.partition(":")
    adapter = SOLVERS[base]
    if not adapter.installed():
        raise MissingPackageError(
            f"solver {base!r} needs the package {adapter.package!r}, which is not installed: "
            f"pip install '{adapter.install}'"
        )
    return adapter(option or None)


def _usable(name: str) -> bool:
    """Whether a solver's adapter loads and its package is there; a broken one hides only itself."""
    try:
        return SOLVERS[name].installed()
    except Exception as error:
        log.warning("solver %r cannot be used: %s", name, error)
        return False
