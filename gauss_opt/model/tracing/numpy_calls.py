"""What numpy does with traced values, recorded: its ufuncs and functions, called on symbols."""

import math
from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np

from ...base.errors import TraceError
from .numpy_rules import (
    GIVES_CONDITION,
    ONLY_CONDITIONS,
    RULES,
    TAKES_CONDITIONS,
    clip,
    norm,
    select,
)
from .symbols import (
    BUILD,
    NO_BOOL,
    NO_FLOAT,
    READ_ONLY,
    Symbol,
    SymbolArray,
    is_condition,
    operand,
    plain,
    sx_of,
    symbol_array,
    to_sx,
    wrapped,
)

__all__ = ["call_function", "call_ufunc"]

_SHORT = {NO_FLOAT: "it needs plain floats", NO_BOOL: "it decides by value"}


def _number(x: Any) -> Any:
    return Symbol(x.sx) if isinstance(x, Symbol) else float(operand(x))


def _from_sx(matrix: Any) -> SymbolArray:
    entries = np.empty(matrix.shape, dtype=object)
    for i, j in np.ndindex(*matrix.shape):
        entries[i, j] = Symbol(matrix[i, j])
    return entries.view(SymbolArray)


def _elementwise(ufunc: np.ufunc, rule: Callable[..., Any]) -> np.ufunc:
    """The ufunc on arrays of objects; broadcasting, reduce, accumulate and outer come with it."""
    name = ufunc.__name__

    def scalar(*values: Any) -> Any:
        operands = [operand(x) for x in values]
        conditions = all(map(is_condition, operands))
        if conditions and name not in TAKES_CONDITIONS:
            raise TraceError(f"np.{name} of conditions cannot be traced; use np.where(c, 1.0, 0.0)")
        if not conditions and name in ONLY_CONDITIONS:
            raise TraceError(
                f"np.{name} needs conditions; put comparisons in parentheses: (a > 0) & (b > 0)"
            )
        if not any(isinstance(x, Symbol) for x in operands):
            return ufunc(*operands)
        return Symbol(rule(*map(sx_of, operands)), conditions or name in GIVES_CONDITION)

    traced: np.ufunc = np.frompyfunc(scalar, ufunc.nin, 1, identity=ufunc.identity)
    return traced


_UFUNCS = {getattr(np, name): _elementwise(getattr(np, name), rule) for name, rule in RULES.items()}
# numpy's own loops over objects do for these: they add and multiply Symbols
_PRODUCTS = ("matmul", "vecdot", "matvec", "vecmat")  # the last two are new in numpy 2.2
_UFUNCS |= {getattr(np, name): getattr(np, name) for name in _PRODUCTS if hasattr(np, name)}
_AS_NUMBERS = np.frompyfunc(_number, 1, 1)


def call_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """A ufunc on symbols: called, or one of its methods."""
    name = f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    if ufunc not in _UFUNCS or method not in ("__call__", "reduce", "accumulate", "outer"):
        raise TraceError(f"{name} cannot be traced")
    _check_dtype(name, kwargs.pop("dtype", None), ufunc.__name__ in GIVES_CONDITION)
    kwargs.pop("casting", None)
    (out,) = kwargs.pop("out", (None,))
    if out is not None:
        if out.dtype != object:
            raise TraceError(f"{name} into a float array cannot be traced; {BUILD}")
        if not out.flags.writeable:
            raise TraceError(READ_ONLY)
        kwargs["out"] = np.asarray(out)
    arrays = [plain(x) for x in inputs]
    if ufunc is np.add and method in ("reduce", "accumulate"):  # a sum of conditions counts them
        arrays = [plain(_AS_NUMBERS(x)) for x in arrays]
    result = getattr(_UFUNCS[ufunc], method)(*arrays, **kwargs)
    return wrapped(result) if out is None else out


def call_function(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Numpy's own implementation, which ends in ufuncs on SymbolArrays, or one of ours."""
    args = tuple(symbol_array(x) if isinstance(x, Symbol) else x for x in args)
    kwargs = {k: symbol_array(x) if isinstance(x, Symbol) else x for k, x in kwargs.items()}
    try:
        if func in _FUNCTIONS:
            return wrapped(_FUNCTIONS[func](*args, **kwargs))
        return wrapped(np.ndarray.__array_function__(np.empty(0), func, (), args, kwargs))
    except Exception as error:
        name = f"{func.__module__}.{func.__name__}".replace("numpy", "np", 1)
        reason = _SHORT.get(str(error), error)
        raise TraceError(f"{name} cannot be traced here: {reason}") from error


def _check_dtype(name: str, dtype: Any, condition: bool = False) -> None:
    if not (dtype is None or np.dtype(dtype) in (float, object) or condition):
        raise TraceError(f"{name} with dtype={dtype!r} cannot be traced; leave the dtype out")


def _choose(condition: Any, x: Any, y: Any) -> Any:
    if not isinstance(condition, Symbol):
        return x if condition else y
    x, y = operand(x), operand(y)
    chosen = ca.if_else(condition.sx, sx_of(x), sx_of(y))
    return Symbol(chosen, is_condition(x) and is_condition(y))


_CHOOSE = np.frompyfunc(_choose, 3, 1)


def _where(condition: Any, *choices: Any) -> Any:
    if len(choices) != 2:
        raise TraceError("the indices where a traced value holds are unknown; give both choices")
    return _CHOOSE(*map(plain, (condition, *choices)))


def _full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True,
    shape: Any = None, *, device: Any = None,
) -> SymbolArray:  # fmt: skip
    _check_dtype("an array", dtype)
    shape = np.shape(a) if shape is None else shape
    return np.full(shape, plain(fill_value), dtype=object).view(SymbolArray)


def _like(fill_value: float) -> Callable[..., SymbolArray]:
    return lambda a, *args, **kwargs: _full_like(a, fill_value, *args, **kwargs)


def _square_sx(a: Any) -> Any:
    matrix = to_sx(a, "the matrix")
    if np.ndim(a) != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] > 6:
        raise TraceError(f"shape {np.shape(a)}: one square matrix of at most 6 rows is supported")
    return matrix


def _solve(a: Any, b: Any) -> Any:
    solution = _from_sx(ca.solve(_square_sx(a), to_sx(b, "the right-hand side")))
    return solution.reshape(np.shape(b))


_FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.where: _where,
    np.select: select,
    np.clip: clip,
    np.full_like: _full_like,
    np.zeros_like: _like(0.0),
    np.ones_like: _like(1.0),
    np.empty_like: _like(math.nan),  # an element never assigned is refused, not made up
    np.linalg.norm: norm,
    np.linalg.det: lambda a: Symbol(ca.det(_square_sx(a))),
    np.linalg.inv: lambda a: _from_sx(ca.inv(_square_sx(a))),
    np.linalg.solve: _solve,
}
