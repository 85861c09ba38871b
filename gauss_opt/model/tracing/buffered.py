"""A CasADi function of (q, v, t, p) called through preallocated arrays: about a microsecond."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import Any

import numpy as np

from ...base.arrays import Array
from ..dynamics import Motion
from .user_function import flatten_parameters

__all__ = ["BufferedFunction", "MappedFunction", "RowFunctions", "SampledFunction"]

# A function of one row has buffers for all coordinates: thousands would take most of the memory.
MOST_ROW_FUNCTIONS = 256


class BufferedFunction:
    """One output column, in an array of its own at every call.

    Systems that differ in parameters share it, maybe in threads: hence the lock.
    """

    def __init__(self, function: Any) -> None:
        self._buffer, self._call = function.buffer()
        nq, nv, nt, n_parameters = (function.size1_in(i) for i in range(4))
        self._y = np.zeros(nq + nv)
        self._q, self._v = self._y[:nq], self._y[nq:]
        self._t, self._p = np.zeros(nt), np.zeros(n_parameters)
        self._out = np.zeros(function.size1_out(0))
        for i, argument in enumerate((self._q, self._v, self._t, self._p)):
            self._buffer.set_arg(i, argument.data)
        self._buffer.set_res(0, self._out.data)
        self._parameters: Mapping[str, Any] | None = None
        self._lock = Lock()

    def __call__(self, q: Array, v: Array, t: float, parameters: Mapping[str, Any]) -> Array:
        """The output at positions and velocities."""
        with self._lock:
            self._q[:] = q
            self._v[:] = v
            self._t[0] = t
            if parameters is not self._parameters:
                self._take(parameters)
            self._call()
            return self._out.copy()

    def at(self, y: Array, t: float, parameters: Mapping[str, Any]) -> Array:
        """The output at a state y = (q, v)."""
        with self._lock:
            self._y[:] = y
            self._t[0] = t
            if parameters is not self._parameters:
                self._take(parameters)
            self._call()
            return self._out.copy()

    def _take(self, parameters: Mapping[str, Any]) -> None:
        self._p[:] = flatten_parameters(parameters)
        self._parameters = parameters


class RowFunctions:
    """Functions of single rows, made on demand; of more than so many the oldest is dropped."""

    def __init__(self) -> None:
        self._kept: dict[int, Motion] = {}

    def get(self, row: int, make: Callable[[int], Motion]) -> Motion:
        """The function of a row."""
        function = self._kept.get(row)
        if function is None:
            function = make(row)
            for oldest in list(self._kept)[: 1 - MOST_ROW_FUNCTIONS]:
                self._kept.pop(oldest, None)
            self._kept[row] = function
        return function


class MappedFunction:
    """Any CasADi function with one output, for many sets of arguments in one call.

    Arguments are matrices with one row for each set; so is what comes out.
    """

    def __init__(self, function: Any) -> None:
        self._function = function
        self._mapped: dict[int, tuple[Any, ...]] = {}
        self._lock = Lock()

    def __call__(self, arguments: Sequence[Array]) -> Array:
        """The outputs, (k, n)."""
        with self._lock:
            inputs, out, call, _ = self._for(len(arguments[0]))
            for into, argument in zip(inputs, arguments, strict=True):
                into[:] = argument
            call()
            copy: Array = out.copy()
            return copy

    def _for(self, k: int) -> tuple[Any, ...]:
        """Buffers for k sets. CasADi stores columns, which are our rows."""
        if k not in self._mapped:
            function = self._function.map(k) if k > 1 else self._function
            sizes = [self._function.size1_in(i) for i in range(self._function.n_in())]
            inputs = [np.zeros((k, size)) for size in sizes]
            out = np.zeros((k, self._function.size1_out(0)))
            buffer, call = function.buffer()
            for i, argument in enumerate(inputs):
                buffer.set_arg(i, argument.data)
            buffer.set_res(0, out.data)
            self._mapped[k] = (inputs, out, call, buffer)
        return self._mapped[k]


class SampledFunction:
    """A function of (q, v, t, p) for many states in one call: a row of the output for each."""

    def __init__(self, function: Any, nq: int) -> None:
        self._function = MappedFunction(function)
        self._nq = nq

    def __call__(self, states: Array, times: Array, parameters: Mapping[str, Any]) -> Array:
        """Outputs (k, n) at states (k, nq + nv) and times (k,)."""
        q, v = states[:, : self._nq], states[:, self._nq :]
        p = flatten_parameters(parameters)
        return self._function([q, v, times[:, None], np.broadcast_to(p, (len(q), len(p)))])
