"""A traced function as a tape: its operations, one after the other, in an array of integers.

The tape is read off CasADi's own instructions, so it computes to the last bit what CasADi does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from ...base.arrays import Array

__all__ = ["OPERATIONS", "Integers", "NoProgram", "Tape", "tape_of"]

Integers = NDArray[np.int32]

SPECIAL = ("CONST", "STATE", "TIME", "PARAMETER", "OUTPUT")
OPERATIONS = (
    *SPECIAL,
    "ASSIGN", "ADD", "SUB", "MUL", "DIV", "NEG", "EXP", "LOG", "POW", "CONSTPOW", "SQRT", "SQ",
    "TWICE", "SIN", "COS", "TAN", "ASIN", "ACOS", "ATAN", "LT", "LE", "EQ", "NE", "NOT", "AND",
    "OR", "FLOOR", "CEIL", "FMOD", "FABS", "SIGN", "COPYSIGN", "IF_ELSE_ZERO", "ERF", "FMIN",
    "FMAX", "INV", "SINH", "COSH", "TANH", "ASINH", "ACOSH", "ATANH", "ATAN2", "LOG1P", "EXPM1",
    "HYPOT", "REMAINDER",
)  # fmt: skip
"""All operations of a tape, by number; the engine has the same list in ``native/tape/tape.h``."""

CONST, STATE, TIME, PARAMETER, OUTPUT = range(len(SPECIAL))
_NUMBER = {
    getattr(ca, f"OP_{name}"): number
    for number, name in enumerate(OPERATIONS)
    if number >= len(SPECIAL)
}
_WORDS = {getattr(ca, name): name[3:] for name in dir(ca) if name.startswith("OP_")}


class NoProgram(Exception):  # noqa: N818 (a way out: the Python engine takes what has no program)
    """A system, or a function of it, that a compiled engine cannot take; the message says why."""


class Tape(NamedTuple):
    """A function of some coordinates, the time and all parameters.

    Attributes
    ----------
    code : (k, 4) array of int32
        Operation, place of the result, places of the two operands. For a constant the first operand
        is its place in ``constants``; for a coordinate or a parameter its place among the inputs;
        for an output the result is its place among the outputs.
    constants : (c,) array
    first : int
        So many instructions give the first output.
    n_work : int
        How many numbers are kept in between.
    n_inputs, n_outputs : int
        Coordinates that it takes, numbers that it gives.
    """

    code: Integers
    constants: Array
    first: int
    n_work: int
    n_inputs: int
    n_outputs: int


def tape_of(function: Any, coordinates: Sequence[int]) -> Tape:
    """The tape of a CasADi SX function with one output.

    Parameters
    ----------
    function : casadi.Function
        Of one or more columns of coordinates, then time and parameters.
    coordinates : sequence of int
        Sizes of the columns of coordinates.

    Raises
    ------
    NoProgram
        When it has an operation that the engine does not know.

    Examples
    --------
    >>> x, t, p = ca.SX.sym("x", 2), ca.SX.sym("t"), ca.SX.sym("p", 0)
    >>> tape = tape_of(ca.Function("f", [x, t, p], [x[0] + t]), [2])
    >>> [OPERATIONS[number] for number in tape.code[:, 0]], tape.n_inputs, tape.n_outputs
    (['STATE', 'TIME', 'ADD', 'OUTPUT'], 2, 1)
    """
    starts = np.cumsum([0, *coordinates]).tolist()
    code: list[tuple[int, int, int, int]] = []
    constants: list[float] = []
    first = 0
    for k in range(function.n_instructions()):
        operation = function.instruction_id(k)
        into, operands = function.instruction_output(k), function.instruction_input(k)
        if operation == ca.OP_CONST:
            code.append((CONST, into[0], len(constants), 0))
            constants.append(float(function.instruction_constant(k)))
        elif operation == ca.OP_INPUT:
            code.append((*_input(operands, starts, into[0]), 0))
        elif operation == ca.OP_OUTPUT:
            code.append((OUTPUT, into[1], operands[0], 0))
            first = first or k + 1
        elif operation in _NUMBER:
            # A number that is not used must be one that is there.
            code.append((_NUMBER[operation], into[0], operands[0], operands[-1]))
        else:
            name = _WORDS.get(operation, str(operation)).lower()
            raise NoProgram(f"it has the operation {name!r}, which the engine does not know")
    return Tape(
        np.array(code, dtype=np.int32).reshape(-1, 4),
        np.array(constants),
        first,
        int(function.sz_w()),
        starts[-1],
        int(function.nnz_out(0)),
    )


def _input(operands: Sequence[int], starts: Sequence[int], into: int) -> tuple[int, int, int]:
    column, place = operands
    if column < len(starts) - 1:
        return STATE, into, starts[column] + place
    return (TIME, into, 0) if column == len(starts) - 1 else (PARAMETER, into, place)
