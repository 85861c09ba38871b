"""What a recipe is, as check sums that another process can compare: is a table of this study?

A system is known by its fingerprint, a function by its byte code and by what it refers to;
comments, names of files and line numbers do not count.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from hashlib import sha256
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from ...model.fingerprint import fingerprint
from ...model.system import System
from .recipe import Recipe

__all__ = ["identity"]

DEEPEST = 12


def identity(recipe: Recipe, model: Any) -> dict[str, str]:
    """What a recipe consists of; ``model`` is what it builds, None where that differs by point."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    built = recipe.build if model is None else model
    words = {"what is built": _text(built), "measure": _text(recipe.measure)}
    return {name: _sum(text + python) for name, text in words.items()} | {"seed": str(recipe.seed)}


def _text(item: Any, depth: int = 0, seen: frozenset[int] = frozenset()) -> str:
    """All that matters of an object, in words."""
    if depth > DEEPEST or id(item) in seen:
        return "again"
    within = (depth + 1, seen | {id(item)})
    if item is None or isinstance(item, bool | int | float | complex | str | bytes):
        return repr(item)
    if isinstance(item, np.ndarray):
        return f"{item.shape} {item.dtype} {_sum(repr(item.tolist()))}"
    if isinstance(item, System):
        return _of_system(item)
    if isinstance(item, FunctionType):
        return _of_function(item, *within)
    if isinstance(item, CodeType):
        return _of_code(item, *within)
    if isinstance(item, partial):
        return _text((item.func, item.args, item.keywords), *within)
    if isinstance(item, Mapping):
        return str({repr(key): _text(value, *within) for key, value in item.items()})
    if isinstance(item, list | tuple):
        return str([_text(value, *within) for value in item])
    if isinstance(item, set | frozenset):
        return str(sorted(_text(value, *within) for value in item))
    kind = f"{type(item).__module__}.{type(item).__qualname__}"
    if is_dataclass(item) and not isinstance(item, type):
        values = {f.name: getattr(item, f.name) for f in fields(item)}
        return f"{kind} {_text(values, *within)}"
    if hasattr(item, "__func__"):  # a bound method
        return _text((item.__func__, item.__self__), *within)
    return f"{item.__module__}.{item.__qualname__}" if hasattr(item, "__qualname__") else kind


def _of_system(system: System) -> str:
    """Its fingerprint; of a system of any size its functions."""
    if system.nq is None or system.nv is None:
        return str((system.mass, system.force, system.names))
    found = fingerprint(system, system.nq, system.nv)
    return str({k: v for k, v in found.items() if not k.startswith("parameter ")})


def _of_function(function: FunctionType, depth: int, seen: frozenset[int]) -> str:
    """Its code, defaults, what it encloses, and what of its own module it refers to."""
    within = (depth, seen)
    enclosed = []
    for cell in function.__closure__ or ():
        try:
            enclosed.append(_text(cell.cell_contents, *within))
        except ValueError:  # a name that was never bound
            enclosed.append("empty")
    around = function.__globals__
    near = [around[name] for name in _global_names(function.__code__) if name in around]
    own = [
        _text(item, *within)
        for item in near
        if isinstance(item, int | float | str | np.ndarray | tuple)
        or (isinstance(item, FunctionType) and item.__module__ == function.__module__)
    ]
    defaults = _text((function.__defaults__, function.__kwdefaults__), *within)
    return str((_text(function.__code__, *within), defaults, enclosed, own))


def _global_names(code: CodeType) -> list[str]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [*code.co_names, *(name for part in inner for name in _global_names(part))]


def _of_code(code: CodeType, depth: int, seen: frozenset[int]) -> str:
    """Instructions and constants, without a docstring."""
    constants = list(code.co_consts)
    if constants and isinstance(constants[0], str) and code.co_flags & 2:  # locals of its own
        constants[0] = None
    texts = [_text(value, depth, seen) for value in constants]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return str((code.co_code.hex(), names, texts))


def _sum(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:16]
