"""A given motion: a function of time with its exact derivatives, for numbers and for symbols."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from ..base.errors import ModelError, TraceError
from ..model.tracing.symbols import Symbol, symbol, to_sx

__all__ = ["Motion"]


class Motion:
    """A function of time, its rate and its acceleration.

    >>> lift = Motion("the motion of 'table'", lambda t: (0.0, t**2, 0.0), 3)
    >>> [float(x) for x in lift.rate(3.0)]
    [0.0, 6.0, 0.0]
    """

    def __init__(self, what: str, function: Callable[[Any], Any], size: int) -> None:
        if not callable(function):
            raise ModelError(f"{what} must be a function of time, got {function!r}")
        time, t = symbol("t")
        try:
            value = to_sx(function(t), what)
        except TraceError:
            raise
        except Exception as error:
            raise TraceError(
                f"{what} cannot be traced: {error}. Use numpy functions of t, and np.where "
                f"instead of if"
            ) from error
        if value.shape != (size, 1):
            raise ModelError(f"{what} must return {size} number(s), got {value.shape[0]}")
        rate = ca.jacobian(value, time)
        second = ca.jacobian(rate, time)
        names = ("value", "rate", "acceleration")
        self._functions = {
            name: ca.Function(name, [time], [ca.densify(graph)])
            for name, graph in zip(names, (value, rate, second), strict=True)
        }
        self._size = size
        self.still = bool(rate.is_zero())

    def value(self, t: Any) -> Any:
        """Its value, as a list."""
        return self._at("value", t)

    def rate(self, t: Any) -> Any:
        """Its first derivative."""
        return self._at("rate", t)

    def acceleration(self, t: Any) -> Any:
        """Its second derivative."""
        return self._at("acceleration", t)

    def _at(self, which: str, t: Any) -> Any:
        function = self._functions[which]
        if isinstance(t, Symbol):
            out = function(t.sx)
            return [Symbol(out[i]) for i in range(self._size)]
        if np.ndim(t):
            return np.array(function(np.reshape(t, (1, -1))))
        return np.array(function(t)).ravel()
