"""Tolerances of arrays and matrices."""

from __future__ import annotations

from .table import Room

_base = Room("base")

TINY = _base(
    "TINY",
    1e-300,
    "nothing",
    "keeps a divisor or a scale that may be zero above it, so that 0 / 0 is 0 where everything "
    "is zero",
)

# Symmetry
ASYMMETRY = _base(
    "ASYMMETRY",
    1e-10,
    "the root of the product of the two diagonal entries",
    "an asymmetry of a matrix that is averaged away instead of refused",
)
ASYMMETRY_ROUND_OFF = _base(
    "ASYMMETRY_ROUND_OFF",
    1e-14,
    "the largest entry of the matrix",
    "allowed on top of ASYMMETRY, for entries whose diagonal entries are zero",
)

# Definiteness
SINGULAR_MASS = _base(
    "SINGULAR_MASS",
    1e-13,
    "the diagonal, scaled to 1",
    "a smallest eigenvalue of the mass that is what round-off leaves of zero",
)
SHOWN_COMPONENT = _base(
    "SHOWN_COMPONENT",
    1e-6,
    "the largest component",
    "components of a direction without mass, or with a negative one, that an error shows",
)
SUSPECT_PIVOT = _base(
    "SUSPECT_PIVOT",
    1e-7,
    "the diagonal entry the pivot comes from",
    "a squared Cholesky pivot below which the eigenvalues are looked at: the last pivot of a "
    "singular mass can be larger than its eigenvalue, for small pivots before it magnify round-off",
)
INDEFINITE_MASS = _base(
    "INDEFINITE_MASS",
    1e-12,
    "the largest eigenvalue, with the diagonal scaled to 1",
    "a negative eigenvalue of a given mass that is still round-off",
)

# Changes of sign
ADJACENT_TIMES = _base(
    "ADJACENT_TIMES",
    4.5e-16,
    "the time",
    "an interval this short, two steps from a float to the next, holds a change of sign",
)
FINEST_TIME = _base(
    "FINEST_TIME",
    1e-20,
    "the interval in which a change of sign is looked for",
    "an interval this short next to the time zero holds a change of sign",
)
ASKED_AGAIN = _base(
    "ASKED_AGAIN",
    1e-9,
    "the sample of the other sign",
    "a sample this small may have the other sign when it is evaluated anew, and is",
)

# Polynomials
COEFFICIENT_NOISE = _base(
    "COEFFICIENT_NOISE",
    1e-15,
    "the sum of the coefficients",
    "what is lost on the way from values of a polynomial to its coefficients",
)
