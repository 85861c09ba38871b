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
