"""Tolerances of user functions: their traces, and derivatives given by hand."""

from __future__ import annotations

from .table import Room

_model = Room("model")

# Traces
TRACE_AGREES = _model(
    "TRACE_AGREES",
    1e-8,
    "the value of the function",
    "the largest difference between the traced and the plain value of a user function",
)
TRACE_ROUND_OFF = _model(
    "TRACE_ROUND_OFF",
    1e-14,
    "the largest entry of the value",
    "allowed on top of TRACE_AGREES, for entries that are nearly zero",
)
ARGUMENT_NOISE = _model(
    "ARGUMENT_NOISE",
    1e-9,
    "the arguments of the function",
    "what this change of the arguments does to the value is allowed as well: round-off is far "
    "below it, also where large terms cancel",
)
OPERATION_ROUND_OFF = _model(
    "OPERATION_ROUND_OFF",
    4.5e-16,
    "the result of one operation",
    "what arithmetic and library functions may be off by where a function is followed operation by "
    "operation: two units in the last place",
)
OPERATION_UNDERFLOW = _model(
    "OPERATION_UNDERFLOW",
    1e-320,
    "nothing",
    "allowed on top of OPERATION_ROUND_OFF, for results that underflow",
)

# Derivatives given by hand
DIFFERENCE_STEP = _model(
    "DIFFERENCE_STEP",
    1e-5,
    "the size of the state",
    "the step of central differences, which are good to about its square",
)
DIFFERENCE_ROUND_OFF = _model(
    "DIFFERENCE_ROUND_OFF",
    1e3 * 2.0**-52,
    "the terms of the function, divided by the step",
    "the round-off of central differences: a thousand units in the last place",
)
WRONG_DERIVATIVE = _model(
    "WRONG_DERIVATIVE",
    1e-5,
    "the largest entry of the row",
    "a larger difference between a derivative given by hand and central differences is an error",
)

# Enclosures
ENCLOSURE_ULP = _model(
    "ENCLOSURE_ULP",
    2.3e-16,
    "the result of an operation",
    "a unit in the last place, somewhat more than it is: bounds are widened by a few of them",
)
LEAST_LOGARITHM = _model(
    "LEAST_LOGARITHM",
    1e-308,
    "nothing",
    "the smallest argument whose logarithm is asked for; below it there are no bounds",
)
SHORTEST_PART = _model(
    "SHORTEST_PART",
    1e-13,
    "the time itself",
    "a part of a step this short is not cut further",
)
