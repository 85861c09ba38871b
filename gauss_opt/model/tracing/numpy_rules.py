"""What numpy's functions mean for traced values, in numpy's names and with numpy's semantics.

`RULES` gives each ufunc as an expression in CasADi scalars. The functions below the table replace
numpy functions whose own implementation looks at values or dtypes; they use only traceable ones.
"""

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import casadi as ca
import numpy as np


def _remainder(a: Any, b: Any) -> Any:
    """Remainder with the sign of the divisor; fmod is exact where a - floor(a/b) b is not."""
    m = ca.fmod(a, b)
    other_sign = ca.logic_and(m != 0, ca.ne(m < 0, b < 0))
    return m + ca.if_else(other_sign, b, 0)


def _floor_divide(a: Any, b: Any) -> Any:
    quotient = (a - _remainder(a, b)) / b  # an integer up to rounding
    below = ca.floor(quotient)
    return below + (quotient - below > 0.5)


def _heaviside(x: Any, at_zero: Any) -> Any:
    return ca.if_else(x == 0, at_zero, x > 0)


def _logaddexp(a: Any, b: Any) -> Any:
    return ca.fmax(a, b) + ca.log1p(ca.exp(-ca.fabs(a - b)))


def _logical_xor(a: Any, b: Any) -> Any:
    return ca.ne(ca.logic_not(a), ca.logic_not(b))


def _same(x: Any) -> Any:
    return x


_RADIAN, _DEGREE = math.pi / 180, 180 / math.pi

RULES: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "power": operator.pow,  # CasADi expands integer powers: exact, and smooth at zero
    "float_power": operator.pow,
    "remainder": _remainder,
    "fmod": ca.fmod,
    "floor_divide": _floor_divide,
    "negative": operator.neg,
    "positive": _same,
    "conjugate": _same,
    "absolute": ca.fabs,
    "fabs": ca.fabs,
    "sign": ca.sign,
    # not ca.copysign(a, b): its derivative in `a` forgets the sign of `a`
    "copysign": lambda a, b: ca.fabs(a) * ca.copysign(1, b),
    "heaviside": _heaviside,
    "sqrt": ca.sqrt,
    "square": lambda x: x * x,
    "cbrt": lambda x: ca.sign(x) * ca.fabs(x) ** (1 / 3),
    "reciprocal": lambda x: 1 / x,
    "exp": ca.exp,
    "exp2": lambda x: ca.SX(2) ** x,
    "expm1": ca.expm1,
    "log": ca.log,
    "log2": lambda x: ca.log(x) / math.log(2),
    "log10": ca.log10,
    "log1p": ca.log1p,
    "logaddexp": _logaddexp,
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "arcsin": ca.asin,
    "arccos": ca.acos,
    "arctan": ca.atan,
    "arctan2": ca.atan2,
    "hypot": ca.hypot,
    "sinh": ca.sinh,
    "cosh": ca.cosh,
    "tanh": ca.tanh,
    "arcsinh": ca.asinh,
    "arccosh": ca.acosh,
    "arctanh": ca.atanh,
    "deg2rad": lambda x: x * _RADIAN,
    "radians": lambda x: x * _RADIAN,
    "rad2deg": lambda x: x * _DEGREE,
    "degrees": lambda x: x * _DEGREE,
    "maximum": ca.fmax,
    "minimum": ca.fmin,
    "fmax": ca.fmax,
    "fmin": ca.fmin,
    "floor": ca.floor,
    "ceil": ca.ceil,
    "trunc": lambda x: ca.sign(x) * ca.floor(ca.fabs(x)),
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "logical_and": ca.logic_and,
    "logical_or": ca.logic_or,
    "logical_xor": _logical_xor,
    "logical_not": ca.logic_not,
    "bitwise_and": ca.logic_and,
    "bitwise_or": ca.logic_or,
    "bitwise_xor": _logical_xor,
    "invert": ca.logic_not,
}

# numpy treats booleans as a kind of their own: True + True is True, True - True is an error, and
# ~0.5 is an error too. So conditions are told apart from numbers.
ONLY_CONDITIONS = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "invert"})
GIVES_CONDITION = ONLY_CONDITIONS | {
    *("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
    *("logical_and", "logical_or", "logical_xor", "logical_not"),
}
TAKES_CONDITIONS = GIVES_CONDITION | {
    *("multiply", "maximum", "minimum", "fmax", "fmin", "conjugate"),
}


def clip(a: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    for limit, bounds in ((np.maximum, (a_min, min)), (np.minimum, (a_max, max))):
        for bound in bounds:
            a = a if bound is None else limit(a, bound)
    return a


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    chosen = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist), strict=True):
        chosen = np.where(condition, choice, chosen)
    return chosen


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Vector norms of any order but 0; of the matrix norms, Frobenius."""
    if axis is None and (ord is None or x.ndim == 1):
        axis = tuple(range(x.ndim))
    of_matrix = axis is None or np.size(axis) > 1
    if ord is None or (of_matrix and ord == "fro"):
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
    if of_matrix or ord == 0 or isinstance(ord, str):
        raise NotImplementedError(f"a norm with ord={ord!r} is not supported")
    if math.isinf(ord):
        extreme = np.max if ord > 0 else np.min
        return extreme(np.abs(x), axis=axis, keepdims=keepdims)
    power = x * x if ord == 2 else np.abs(x) ** ord
    return np.sum(power, axis=axis, keepdims=keepdims) ** (1 / ord)
