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
