"""Whether traced functions still agree with the user functions.

A trace can be silently different from its function: one that draws random numbers, keeps a state,
or looks at the type of what it is given. So both are compared at fixed points when a system is
traced, and at the 1st, 2nd, 4th, 8th, ... state that is evaluated: that costs nothing in the long
run, and finds a function whose result changes although its arguments do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...base.arrays import Array
from ...base.errors import TraceError
from ...base.tolerances.model import ARGUMENT_NOISE
from ..dynamics import Parameters
from .buffered import BufferedFunction
from .round_off import round_off
from .user_function import UserFunction, agree

__all__ = ["Agreement", "NowAndThen"]


class NowAndThen:
    """Due at the 1st, 2nd, 4th, 8th, ... time that it is asked.

    >>> moment = NowAndThen()
    >>> [moment.due() for _ in range(5)]
    [True, True, False, True, False]
    """

    def __init__(self) -> None:
        self._asked = 0

    def due(self) -> bool:
        """Whether it is time."""
        self._asked += 1
        return self._asked & (self._asked - 1) == 0


class Agreement:
    """The comparison of one column of traced values with the functions behind it.

    Parameters
    ----------
    function : BufferedFunction
        Gives the column.
    traced : sequence of (UserFunction, slice)
        Each function, and where its value is in the column.
    """

    def __init__(
        self, function: BufferedFunction, traced: Sequence[tuple[UserFunction, slice]]
    ) -> None:
        self._function = function
        self._traced = tuple(traced)

    def require(self, q: Array, v: Array, t: float, parameters: Parameters) -> None:
        """Refuse a function whose plain value differs at a state."""
        failed = self.disagreement(q, v, t, parameters)
        if failed is not None:
            raise TraceError(failed[1])

    def disagreement(
        self, q: Array, v: Array, t: float, parameters: Parameters
    ) -> tuple[UserFunction, str] | None:
        """The first function whose plain value differs at a state, and how."""
        out = self._function(q, v, t, parameters)
        arguments = {"q": q, "v": v, "t": t}
        noise: Array | None = None
        for function, part in self._traced:
            plain = function.probe(arguments, parameters)
            if plain is None or agree(plain, out[part]):
                continue
            if noise is None:
                noise = self._noise(out, q, v, t, parameters)
            if agree(plain, out[part], noise[part]):
                continue
            if not agree(plain, out[part], round_off(function, arguments, parameters)):
                return function, function.difference(plain, out[part], arguments)
        return None

    def _noise(self, out: Array, q: Array, v: Array, t: float, parameters: Parameters) -> Array:
        """What a change of the arguments by ARGUMENT_NOISE, relative, does to the values."""
        rng = np.random.default_rng(0)
        noise = np.zeros(len(out))
        for _ in range(4):
            q1, v1, t1 = (
                x * (1.0 + ARGUMENT_NOISE * rng.uniform(-1, 1, np.shape(x))) for x in (q, v, t)
            )
            moved = {
                name: value * (1.0 + ARGUMENT_NOISE * rng.uniform(-1, 1, np.shape(value)))
                for name, value in parameters.items()
            }
            noise = np.fmax(noise, np.abs(self._function(q1, v1, float(t1), moved) - out))
        return noise
