"""Numpy look-alikes that let a plain numpy function be traced into a CasADi SX graph.

A function written for float arrays is called once with a `SymbolArray`; whatever numpy does to it
is recorded. What cannot be recorded raises `TraceError`: never a NaN, never a frozen value.

>>> q_sx, q = symbols("q", 2)
>>> to_sx(np.hypot(q[0], 3.0) * np.array([1.0, 2.0]), "the example").shape
(2, 1)
"""

import math
import numbers
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import casadi as ca
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

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

_BUILD = "build arrays with np.array([...]) or np.hstack([...])"
_READ_ONLY = "the arguments of a traced function are read-only; work on q.copy()"
_NO_FLOAT = (
    "float(), math.*, astype(float) and assignment into a float array cannot be traced; "
    f"use numpy functions (np.sin, not math.sin) and {_BUILD}"
)
_NO_BOOL = (
    "a Python `if`, `and`, `or`, `not`, min(), max(), or a search by value (sort, argmax) cannot "
    "be traced; use np.where, &, |, ~, np.minimum, np.maximum. If you did use one of these, on an "
    "array from np.array([...]): build that array with np.hstack([...]) or np.block([[...]])"
)
_SHORT = {_NO_FLOAT: "it needs plain floats", _NO_BOOL: "it decides by value"}


def _refuse(message: str) -> Callable[..., NoReturn]:
    def method(self: object, *args: object) -> NoReturn:
        raise TraceError(message)

    return method


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Symbol(NDArrayOperatorsMixin):
    """An immutable traced number, or a traced condition when `boolean` is true.

    Parameters
    ----------
    sx
        The CasADi scalar it stands for.
    boolean
        Whether numpy would hold it as a bool (the outcome of a comparison).
    """

    sx: Any
    boolean: bool = False

    def __post_init__(self) -> None:
        if self.sx.is_constant() and not math.isfinite(float(self.sx)):
            raise TraceError("an operation is never finite, whatever the arguments, as x / 0.0 is")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs.get("out", (None,))[0] is self:  # s += 1 binds s to a new value
            del kwargs["out"]
        return _call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _call_function(func, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        """The methods of a numpy scalar, and those numpy looks up in arrays of objects: x.sin().

        `dtype` is left out on purpose: numpy would cast its results back to it.
        """
        if name in RULES:
            return lambda *others: getattr(np, name)(self, *others)
        if name == "dtype" or name.startswith("_") or not hasattr(SymbolArray, name):
            raise AttributeError(f"a traced number has no attribute {name!r}")
        return _wrap(getattr(_array(self), name))

    def __repr__(self) -> str:
        return f"Symbol({self.sx})"

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __floor__(self) -> Any:
        return np.floor(self)

    def __ceil__(self) -> Any:
        return np.ceil(self)

    def __trunc__(self) -> Any:
        return np.trunc(self)

    __hash__ = object.__hash__
    __float__ = __complex__ = _refuse(_NO_FLOAT)
    __bool__ = _refuse(_NO_BOOL)
    __int__ = __round__ = _refuse(
        "int() and round() cannot be traced; use np.floor or np.trunc of the traced value"
    )
    __index__ = _refuse(
        "a traced value as an index or a size cannot be traced; use np.where to choose by value"
    )


numbers.Number.register(Symbol)  # so that np.isscalar(q[0]) holds, as it does for a float


class SymbolArray(np.ndarray[Any, np.dtype[Any]]):
    """An array of traced numbers and plain floats; indexing gives a `Symbol` or a float."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return _call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _call_function(func, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        _check_index(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.flags.writeable:
            raise TraceError(_READ_ONLY)
        _check_index(key)
        super().__setitem__(key, value)

    def clip(self, *args: Any, **kwargs: Any) -> Any:
        return np.clip(self, *args, **kwargs)  # the method would reach for a private ufunc


def symbols(name: str, n: int) -> tuple[Any, SymbolArray]:
    """A column of `n` CasADi symbols, and the read-only array of them a function is traced with."""
    column = ca.SX.sym(name, n)
    array = _array([Symbol(column[i]) for i in range(n)])
    array.setflags(write=False)
    return column, array


def symbol(name: str) -> tuple[Any, Symbol]:
    """One CasADi symbol, and the number a function is traced with."""
    scalar = ca.SX.sym(name)
    return scalar, Symbol(scalar)


def to_sx(value: Any, where: str) -> Any:
    """Turn what a user function returned into a dense CasADi matrix.

    Parameters
    ----------
    value
        A number, traced or not, or an array or nested list of them: () becomes (1, 1), (n,)
        becomes (n, 1), (m, n) stays.
    where
        What returned it, in words, for the error: "the gap of contact 'floor'".
    """
    if isinstance(value, (ca.SX, ca.MX, ca.DM, np.ma.MaskedArray)):
        raise TraceError(f"{where} returned a {type(value).__name__}; return plain numpy arrays")
    try:
        array = np.asarray(value, dtype=object)
    except ValueError as error:
        raise TraceError(f"{where} returned a ragged list: {error}") from error
    if array.ndim > 2:
        raise TraceError(
            f"{where} returned an array of shape {array.shape}; at most 2-d can be used"
        )
    entries = [_finite_sx(x, where) for x in array.ravel(order="F")]
    rows, cols = array.shape if array.ndim == 2 else (array.size, 1)
    return ca.densify(ca.reshape(ca.vertcat(ca.SX(0, 1), *entries), rows, cols))


def _finite_sx(x: Any, where: str) -> Any:
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if isinstance(x, (list, tuple, np.ndarray)):
        raise TraceError(f"{where} returned a ragged list: rows of different length")
    try:
        sx = _sx(_operand(x))
        finite = not sx.is_constant() or math.isfinite(float(sx))
    except TraceError:
        finite = False
    if not finite:
        raise TraceError(f"{where} returned {x!r} ({type(x).__name__}), not a finite real number")
    return sx


def _plain(value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    if isinstance(value, (np.matrix, np.ma.MaskedArray)):  # they give operators another meaning
        raise TraceError(f"a {type(value).__name__} cannot be traced; use plain arrays")
    return np.asarray(value, dtype=object)


def _array(value: Any) -> SymbolArray:
    return _plain(value).view(SymbolArray)


def _from_sx(matrix: Any) -> SymbolArray:
    entries = np.empty(matrix.shape, dtype=object)
    for i, j in np.ndindex(*matrix.shape):
        entries[i, j] = Symbol(matrix[i, j])
    return entries.view(SymbolArray)


def _operand(x: Any) -> Any:
    """A Symbol, a bool or a float; integers count as floats, as they do beside floats in numpy."""
    if isinstance(x, Symbol):
        return x
    if isinstance(x, (bool, np.bool_)):
        return bool(x)
    if not isinstance(x, numbers.Real):
        raise TraceError(f"{x!r} ({type(x).__name__}) is not a real number and cannot be traced")
    if math.isnan(x):
        raise TraceError("a NaN constant (np.nan or np.empty) meets traced values")
    return float(x)


def _sx(x: Any) -> Any:
    return x.sx if isinstance(x, Symbol) else ca.SX(float(x))


def _is_condition(x: Any) -> bool:
    return x.boolean if isinstance(x, Symbol) else isinstance(x, bool)


def _number(x: Any) -> Any:
    return Symbol(x.sx) if isinstance(x, Symbol) else float(_operand(x))


def _elementwise(ufunc: np.ufunc, rule: Callable[..., Any]) -> np.ufunc:
    """The ufunc on arrays of objects; broadcasting, reduce, accumulate and outer come with it."""
    name = ufunc.__name__

    def scalar(*values: Any) -> Any:
        operands = [_operand(x) for x in values]
        conditions = all(map(_is_condition, operands))
        if conditions and name not in TAKES_CONDITIONS:
            raise TraceError(f"np.{name} of conditions cannot be traced; use np.where(c, 1.0, 0.0)")
        if not conditions and name in ONLY_CONDITIONS:
            raise TraceError(f"np.{name} needs conditions; bracket comparisons: (a > 0) & (b > 0)")
        if not any(isinstance(x, Symbol) for x in operands):
            return ufunc(*operands)
        return Symbol(rule(*map(_sx, operands)), conditions or name in GIVES_CONDITION)

    traced: np.ufunc = np.frompyfunc(scalar, ufunc.nin, 1, identity=ufunc.identity)
    return traced


_UFUNCS = {getattr(np, name): _elementwise(getattr(np, name), rule) for name, rule in RULES.items()}
# numpy's own loops over objects do for these: they add and multiply Symbols
_UFUNCS |= {ufunc: ufunc for ufunc in (np.matmul, np.vecdot, np.matvec, np.vecmat)}
_AS_NUMBERS = np.frompyfunc(_number, 1, 1)


def _call_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    name = f"np.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    if ufunc not in _UFUNCS or method not in ("__call__", "reduce", "accumulate", "outer"):
        raise TraceError(f"{name} cannot be traced")
    _check_dtype(name, kwargs.pop("dtype", None), ufunc.__name__ in GIVES_CONDITION)
    kwargs.pop("casting", None)
    (out,) = kwargs.pop("out", (None,))
    if out is not None:
        if out.dtype != object:
            raise TraceError(f"{name} into a float array cannot be traced; {_BUILD}")
        if not out.flags.writeable:
            raise TraceError(_READ_ONLY)
        kwargs["out"] = np.asarray(out)
    arrays = [_plain(x) for x in inputs]
    if ufunc is np.add and method in ("reduce", "accumulate"):  # a sum of conditions counts them
        arrays = [_plain(_AS_NUMBERS(x)) for x in arrays]
    result = getattr(_UFUNCS[ufunc], method)(*arrays, **kwargs)
    return _wrap(result) if out is None else out


def _call_function(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    """Numpy's own implementation, which ends in ufuncs on SymbolArrays, or one of ours."""
    args = tuple(_array(x) if isinstance(x, Symbol) else x for x in args)
    kwargs = {k: _array(x) if isinstance(x, Symbol) else x for k, x in kwargs.items()}
    try:
        if func in _FUNCTIONS:
            return _wrap(_FUNCTIONS[func](*args, **kwargs))
        return _wrap(np.ndarray.__array_function__(np.empty(0), func, (), args, kwargs))
    except Exception as error:
        name = f"{func.__module__}.{func.__name__}".replace("numpy", "np", 1)
        reason = _SHORT.get(str(error), error)
        raise TraceError(f"{name} cannot be traced here: {reason}") from error


def _wrap(result: Any) -> Any:
    if type(result) in (list, tuple):
        return type(result)(map(_wrap, result))
    if not isinstance(result, np.ndarray) or result.dtype != object:
        return result
    return _array(result) if result.ndim else result.item()


def _check_index(key: Any) -> None:
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, (Symbol, SymbolArray)):
            raise TraceError("a traced value as an index or a mask cannot be traced; use np.where")


def _check_dtype(name: str, dtype: Any, condition: bool = False) -> None:
    if not (dtype is None or np.dtype(dtype) in (float, object) or condition):
        raise TraceError(f"{name} with dtype={dtype!r} cannot be traced; leave the dtype out")


def _choose(condition: Any, x: Any, y: Any) -> Any:
    if not isinstance(condition, Symbol):
        return x if condition else y
    x, y = _operand(x), _operand(y)
    chosen = ca.if_else(condition.sx, _sx(x), _sx(y))
    return Symbol(chosen, _is_condition(x) and _is_condition(y))


_CHOOSE = np.frompyfunc(_choose, 3, 1)


def _where(condition: Any, *choices: Any) -> Any:
    if len(choices) != 2:
        raise TraceError("the indices where a traced value holds are unknown; give both choices")
    return _CHOOSE(*map(_plain, (condition, *choices)))


def _full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", subok: bool = True,
    shape: Any = None, *, device: Any = None,
) -> SymbolArray:  # fmt: skip
    _check_dtype("an array", dtype)
    shape = np.shape(a) if shape is None else shape
    return np.full(shape, _plain(fill_value), dtype=object).view(SymbolArray)


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
