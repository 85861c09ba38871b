"""Functions made in a loop that all look at the loop's last round: a trap of Python.

    for i in range(3):
        contacts.append(Contact(f"floor {i}", lambda q, t: q[i]))     # all three mean q[2]

Such functions have the same code and look up the same variable, so each is the same as the others.
Where the source can be read, only variables that the loop sets count: contacts that are meant
to be equal may look up a constant. Otherwise somebody who wants the same gap twice gives one
function twice.
"""

from __future__ import annotations

import ast
import builtins
import linecache
from collections.abc import Hashable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeGuard

from ..base.errors import ModelError

__all__ = ["require_own_functions"]


def require_own_functions(items: Iterable[tuple[str, Any]]) -> None:
    """Refuse functions, each with its place in words, that share all that could tell them apart."""
    seen: dict[Hashable, tuple[str, FunctionType]] = {}
    for label, function in items:
        shared = list(_shared_variables(function)) if isinstance(function, FunctionType) else []
        if not shared:
            continue
        first, other = seen.setdefault(_identity(function), (label, function))
        if other is function:
            continue
        shared = _set_by_a_loop(function, shared)
        if not shared:
            continue
        name, value = shared[0]
        takes = ", ".join(function.__code__.co_varnames[: function.__code__.co_argcount])
        raise ModelError(
            f"{first} and {label} are the same function: both look up {name!r} when they are "
            f"called, and it is {value!r} by then. Functions made in a loop keep the value of "
            f"their round when it is a default: lambda {takes}, {name}={name}: ... If the same "
            f"function is meant twice, make it once and give it twice"
        )


def _identity(function: FunctionType) -> Hashable:
    """What a function is but for the object itself: code, outer variables and defaults."""
    cells = tuple(map(id, function.__closure__ or ()))
    defaults = tuple(map(id, function.__defaults__ or ()))
    named = tuple((name, id(value)) for name, value in (function.__kwdefaults__ or {}).items())
    return (function.__code__, cells, defaults, named)


def _set_by_a_loop(function: FunctionType, shared: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Those variables that a loop around the function sets; all of them without a source."""
    code = function.__code__
    source = "".join(linecache.getlines(code.co_filename, function.__globals__))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return shared
    loops = [node for node in ast.walk(tree) if isinstance(node, _LOOPS)]
    around = [loop for loop in loops if _has_function_at(loop, code.co_firstlineno)]
    if not around and not _has_function_at(tree, code.co_firstlineno):
        return shared
    names = {node.id for loop in around for node in ast.walk(loop) if _is_set(node)}
    return [(name, value) for name, value in shared if name in names]


_LOOPS = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def _has_function_at(tree: ast.AST, line: int) -> bool:
    kinds = (ast.Lambda, ast.FunctionDef)
    return any(isinstance(node, kinds) and node.lineno == line for node in ast.walk(tree))


def _is_set(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _shared_variables(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Variables outside of a function that hold numbers or other data, and no code."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            value = cell.cell_contents
        except ValueError:  # not set yet
            continue
        if not _is_code(value):
            yield name, value
    for name in _globals_in(function.__code__):
        known = function.__globals__
        if name in known and not hasattr(builtins, name) and not _is_code(known[name]):
            yield name, known[name]


def _globals_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _globals_in(part)


def _is_code(value: Any) -> bool:
    return isinstance(value, ModuleType) or callable(value)
