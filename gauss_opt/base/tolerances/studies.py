"""Tolerances of studies: variations of a run, periodic orbits and branches of them."""

from __future__ import annotations

from .table import Room

_studies = Room("studies")

VARIATION_RTOL = _studies(
    "VARIATION_RTOL",
    1e-12,
    "the state and its variations",
    "the relative tolerance with which the variational equation is integrated",
)
VARIATION_ATOL = _studies(
    "VARIATION_ATOL",
    1e-13,
    "one",
    "the absolute tolerance that goes with it",
)
GRAZING = _studies(
    "GRAZING",
    1e-9,
    "the terms that the rate of the gap is a sum of",
    "a contact that arrives this slowly grazes: the motion has no derivative there",
)
CONTINUOUS_FIELD = _studies(
    "CONTINUOUS_FIELD",
    1e-6,
    "the largest entry of the field (q', v')",
    "a jump of the acceleration at a release that is round-off; also a gap that touches",
)
ORBIT_RTOL = _studies(
    "ORBIT_RTOL",
    1e-11,
    "the state",
    "the relative tolerance of the integrator where a periodic orbit is sought, unless another one "
    "is asked for",
)
ORBIT_CLOSED = _studies(
    "ORBIT_CLOSED",
    1e-9,
    "the largest position and the largest velocity of the orbit",
    "a distance of the end of an orbit from its start that closes it",
)
SAME_SYSTEM = _studies(
    "SAME_SYSTEM",
    1e-7,
    "the quantity that is compared and the terms that it balances",
    "a difference of a system from itself one period later that is round-off of phases",
)
NEUTRAL = _studies(
    "NEUTRAL",
    1e-8,
    "the norm of the monodromy matrix",
    "a change of the matrix that puts a multiplier on the unit circle: nearer than that it is "
    "neither inside nor outside; also a shift of the time in forces that does nothing",
)
START_INSIDE = _studies(
    "START_INSIDE",
    1e-9,
    "the largest position at the start",
    "a negative gap at the start of an orbit that only touches",
)
PERIOD_STEP = _studies(
    "PERIOD_STEP",
    1e-6,
    "the parameter and the way it is to go",
    "the step of the difference that says how the period depends on the parameter; it is part of "
    "the direction of a step only, not of an orbit",
)
BRANCH_END = _studies(
    "BRANCH_END",
    1e-6,
    "the way of the parameter and the size of the orbit",
    "a step of a branch that is not halved any further: it ends there",
)
SPECIAL_POINT = _studies(
    "SPECIAL_POINT",
    1e-9,
    "the parameter",
    "how exactly a period doubling, or where a pair of multipliers leaves, is located",
)

# The bench for solvers
COARSE = _studies(
    "COARSE",
    1e-3,
    "the terms that each residual of a certificate is the difference of",
    "the residual up to which an answer of a solver is right to low accuracy",
)
MIDDLING = _studies(
    "MIDDLING",
    1e-6,
    "the terms that each residual of a certificate is the difference of",
    "the residual up to which an answer of a solver is right to middle accuracy",
)
ACCURATE = _studies(
    "ACCURATE",
    1e-9,
    "the terms that each residual of a certificate is the difference of",
    "the residual up to which an answer of a solver is right to high accuracy",
)
TIME_SHIFT = _studies(
    "TIME_SHIFT",
    1e-5,
    "one second",
    "the shift of geometric means of times, about what the quickest solvers take for a problem",
)
SAME_EVENT = _studies(
    "SAME_EVENT",
    1e-9,
    "the length of the run",
    "how far apart an event may be in two runs that differ in how their problems are solved",
)
