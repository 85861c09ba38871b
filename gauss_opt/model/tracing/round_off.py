"""How much of a function's value round-off may be: large terms that cancel leave little else.

The function is traced once more, as it is written: CasADi must not cancel the terms that the plain
call computes. Then it is evaluated operation by operation, several times, with every result off by
what arithmetic and library functions may be off by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import casadi as ca
import numpy as np
from scipy.special import erf

from ...base.arrays import Array
from ...base.errors import TraceError
from ...base.tolerances.model import OPERATION_ROUND_OFF, OPERATION_UNDERFLOW
from .user_function import Symbols, UserFunction, flatten_parameters

__all__ = ["round_off"]

RUNS = 24
SAFETY = 4.0  # for what a few runs with random errors do not show

INEXACT: dict[int, Callable[..., Any]] = {
    ca.OP_ADD: np.add,
    ca.OP_SUB: np.subtract,
    ca.OP_MUL: np.multiply,
    ca.OP_DIV: np.divide,
    ca.OP_POW: np.power,
    ca.OP_CONSTPOW: np.power,
    ca.OP_SQ: np.square,
    ca.OP_INV: np.reciprocal,
    ca.OP_SQRT: np.sqrt,
    ca.OP_EXP: np.exp,
    ca.OP_LOG: np.log,
    ca.OP_EXPM1: np.expm1,
    ca.OP_LOG1P: np.log1p,
    ca.OP_SIN: np.sin,
    ca.OP_COS: np.cos,
    ca.OP_TAN: np.tan,
    ca.OP_ASIN: np.arcsin,
    ca.OP_ACOS: np.arccos,
    ca.OP_ATAN: np.arctan,
    ca.OP_ATAN2: np.arctan2,
    ca.OP_SINH: np.sinh,
    ca.OP_COSH: np.cosh,
    ca.OP_TANH: np.tanh,
    ca.OP_ASINH: np.arcsinh,
    ca.OP_ACOSH: np.arccosh,
    ca.OP_ATANH: np.arctanh,
    ca.OP_HYPOT: np.hypot,
    ca.OP_ERF: erf,
}
EXACT: dict[int, Callable[..., Any]] = {
    ca.OP_ASSIGN: np.positive,
    ca.OP_NEG: np.negative,
    ca.OP_TWICE: lambda a: a + a,
    ca.OP_FABS: np.abs,
    ca.OP_SIGN: np.sign,
    ca.OP_FLOOR: np.floor,
    ca.OP_CEIL: np.ceil,
    ca.OP_FMIN: np.fmin,
    ca.OP_FMAX: np.fmax,
    ca.OP_FMOD: np.fmod,
    ca.OP_REMAINDER: lambda a, b: a - b * np.rint(a / b),
    ca.OP_COPYSIGN: np.copysign,
    ca.OP_LT: np.less,
    ca.OP_LE: np.less_equal,
    ca.OP_EQ: np.equal,
    ca.OP_NE: np.not_equal,
    ca.OP_NOT: np.logical_not,
    ca.OP_AND: np.logical_and,
    ca.OP_OR: np.logical_or,
    ca.OP_IF_ELSE_ZERO: lambda a, b: np.where(a != 0.0, b, 0.0),
}


def round_off(
    function: UserFunction, arguments: Mapping[str, Any], parameters: Mapping[str, Any]
) -> Array | float:
    """The size of the round-off in each entry of a function's value; 0 where it cannot be told."""
    graph = _as_written(function, len(arguments["q"]), len(arguments["v"]), parameters)
    if graph is None:
        return 0.0
    given = [
        np.asarray(arguments["q"]),
        np.asarray(arguments["v"]),
        np.array([arguments["t"]]),
        flatten_parameters(parameters),
    ]
    with np.errstate(all="ignore"):
        values = _run(graph, given, np.random.default_rng(0))
    if values is None:
        return 0.0
    off = SAFETY * np.abs(values - values[:, :1]).max(axis=1)
    noise: Array = np.where(np.isfinite(off), off, 0.0)
    return noise


@contextmanager
def _nothing_simplified() -> Iterator[None]:
    """Graphs are built operation by operation meanwhile."""
    before = ca.GlobalOptions.getSimplificationOnTheFly()
    ca.GlobalOptions.setSimplificationOnTheFly(False)
    try:
        yield
    finally:
        ca.GlobalOptions.setSimplificationOnTheFly(before)


def _as_written(
    function: UserFunction, nq: int, nv: int, parameters: Mapping[str, Any]
) -> Any | None:
    """The function of (q, v, t, p) with all of its operations; None if it cannot be traced now."""
    symbols = Symbols(nq, nv, parameters)
    try:
        with _nothing_simplified():
            value, _ = function.trace(symbols)
    except TraceError:
        return None
    column = ca.reshape(ca.densify(value).T, -1, 1)
    inputs = [symbols.q, symbols.v, symbols.t, symbols.p]
    return ca.Function("as_written", inputs, [column])


def _run(graph: Any, given: list[Array], rng: np.random.Generator) -> Array | None:
    """Outputs of one exact and many inexact runs, (outputs, 1 + RUNS)."""
    work: dict[int, Array] = {}
    out = np.zeros((graph.size1_out(0), 1 + RUNS))
    for k in range(graph.n_instructions()):
        operation = graph.instruction_id(k)
        places, results = graph.instruction_input(k), graph.instruction_output(k)
        if operation == ca.OP_CONST:
            work[results[0]] = np.full(1 + RUNS, graph.instruction_constant(k))
        elif operation == ca.OP_INPUT:
            work[results[0]] = np.full(1 + RUNS, given[places[0]][places[1]])
        elif operation == ca.OP_OUTPUT:
            out[results[1]] = work[places[0]]
        elif operation in EXACT:
            work[results[0]] = 1.0 * EXACT[operation](*(work[i] for i in places))
        elif operation in INEXACT:
            value = INEXACT[operation](*(work[i] for i in places))
            errors = rng.uniform(-1.0, 1.0, 1 + RUNS)
            errors[0] = 0.0
            work[results[0]] = (
                value * (1.0 + OPERATION_ROUND_OFF * errors) + OPERATION_UNDERFLOW * errors
            )
        else:
            return None
    return out
