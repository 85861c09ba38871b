"""Numpy look-alikes that let a plain numpy function be traced into a CasADi SX graph.

A function written for float arrays is called once with a `SymbolArray`; whatever numpy does to it
is recorded. What cannot be recorded raises `TraceError`: never a NaN, never a frozen value.

>>> q_sx, q = symbols("q", 2)
>>> to_sx(np.hypot(q[0], 3.0) * np.array([1.0, 2.0]), "the example").shape
(2, 1)
"""

import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, Self

import casadi as ca
import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from ...base.errors import TraceError
from .numpy_rules import RULES

BUILD = "build arrays with np.array([...]) or np.hstack([...])"
READ_ONLY = "the arguments of a traced function are read-only; work on q.copy()"
NO_FLOAT = (
    "float(), math.*, astype(float) and assignment into a float array cannot be traced; "
    f"use numpy functions (np.sin, not math.sin) and {BUILD}"
)
NO_BOOL = (
    "a Python `if`, `and`, `or`, `not`, min(), max(), or a search by value (sort, argmax) cannot "
    "be traced; use np.where, &, |, ~, np.minimum, np.maximum. If you did use one of these, on an "
    "array from np.array([...]): build that array with np.hstack([...]) or np.block([[...]])"
)


def _recorder() -> Any:
    """The module that makes new symbols of these; it imports this one, so it is imported late."""
    from . import numpy_calls

    return numpy_calls


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
            raise TraceError("an operation is never finite, whatever its arguments: x / 0.0, say")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if kwargs.get("out", (None,))[0] is self:  # s += 1 binds s to a new value
            del kwargs["out"]
        return _recorder().call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _recorder().call_function(func, args, kwargs)

    def __getattr__(self, name: str) -> Any:
        """The methods of a numpy scalar, and those numpy looks up in arrays of objects: x.sin().

        `dtype` is left out on purpose: numpy would cast its results back to it.
        """
        if name in RULES:
            return lambda *others: getattr(np, name)(self, *others)
        if name == "dtype" or name.startswith("_") or not hasattr(SymbolArray, name):
            raise AttributeError(f"a traced number has no attribute {name!r}")
        return wrapped(getattr(symbol_array(self), name))

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
    __float__ = __complex__ = _refuse(NO_FLOAT)
    __bool__ = _refuse(NO_BOOL)
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
        return _recorder().call_ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return _recorder().call_function(func, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        _check_index(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        if not self.flags.writeable:
            raise TraceError(READ_ONLY)
        _check_index(key)
        super().__setitem__(key, value)

    def clip(self, *args: Any, **kwargs: Any) -> Any:
        return np.clip(self, *args, **kwargs)  # the method would reach for a private ufunc


def symbols(name: str, n: int) -> tuple[Any, SymbolArray]:
    """A column of `n` CasADi symbols, and the read-only array of them a function is traced with."""
    column = ca.SX.sym(name, n)
    array = symbol_array([Symbol(column[i]) for i in range(n)])
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
        sx = sx_of(operand(x))
        finite = not sx.is_constant() or math.isfinite(float(sx))
    except TraceError:
        finite = False
    if not finite:
        raise TraceError(f"{where} returned {x!r} ({type(x).__name__}), not a finite real number")
    return sx


def plain(value: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """An array of objects; kinds of arrays with rules of their own are refused."""
    if isinstance(value, (np.matrix, np.ma.MaskedArray)):  # they give operators another meaning
        raise TraceError(f"a {type(value).__name__} cannot be traced; use plain arrays")
    return np.asarray(value, dtype=object)


def symbol_array(value: Any) -> SymbolArray:
    """Numbers, traced or not, as a traced array."""
    return plain(value).view(SymbolArray)


def operand(x: Any) -> Any:
    """A Symbol, a bool or a float; integers count as floats, as they do beside floats in numpy."""
    if isinstance(x, Symbol):
        return x
    if isinstance(x, (bool, np.bool_)):
        return bool(x)
    if not isinstance(x, numbers.Real):
        raise TraceError(f"{x!r} ({type(x).__name__}) is not a real number and cannot be traced")
    if math.isnan(x):
        raise TraceError("a NaN constant (np.nan or np.empty) is combined with traced values")
    return float(x)


def sx_of(x: Any) -> Any:
    """The CasADi scalar of an operand."""
    return x.sx if isinstance(x, Symbol) else ca.SX(float(x))


def is_condition(x: Any) -> bool:
    """Whether an operand is the outcome of a comparison."""
    return x.boolean if isinstance(x, Symbol) else isinstance(x, bool)


def wrapped(result: Any) -> Any:
    """What numpy returned, with arrays of objects as traced arrays."""
    if type(result) in (list, tuple):
        return type(result)(map(wrapped, result))
    if not isinstance(result, np.ndarray) or result.dtype != object:
        return result
    return symbol_array(result) if result.ndim else result.item()


def _check_index(key: Any) -> None:
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, (Symbol, SymbolArray)):
            raise TraceError("a traced value as an index or a mask cannot be traced; use np.where")
