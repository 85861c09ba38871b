"""Tolerances of the closed forms and oracles, which share none with the solvers."""

from __future__ import annotations

from .table import Room

_reference = Room("reference")

# Input
REFERENCE_ASYMMETRY = _reference(
    "REFERENCE_ASYMMETRY",
    1e-9,
    "the entry, and the root of the product of the two diagonal entries",
    "an asymmetry of a matrix that is averaged away instead of refused",
)
CONSISTENT_ROWS = _reference(
    "CONSISTENT_ROWS",
    1e-9,
    "the size of the terms that were subtracted",
    "the largest residual of equality rows that do not contradict each other",
)

# Enumeration of active sets
ORACLE_FEASIBLE = _reference(
    "ORACLE_FEASIBLE",
    1e-9,
    "the forces of the problem and the limits of its rows",
    "the largest violation by the point of a right active set",
)
ORACLE_EXACT = _reference(
    "ORACLE_EXACT",
    1e-14,
    "the forces of the problem and the limits of its rows",
    "a violation below which no better active set is looked for",
)

# Complementarity
ORACLE_ACCEPTED = _reference(
    "ORACLE_ACCEPTED",
    1e-9,
    "the largest gap or the length of the step; loads: the largest load",
    "the largest residual of an accepted solution of the complementarity problem",
)
PINCHED = _reference(
    "PINCHED",
    1e-11,
    "the largest gap",
    "the least slack granted to contacts that leave a single point",
)
LEMKE_TIE = _reference(
    "LEMKE_TIE",
    1e-12,
    "the ratio, at least 1",
    "ratios this close are equal, and the next column decides which row leaves",
)
LEMKE_RAY = _reference(
    "LEMKE_RAY",
    1e-7,
    "a ray of unit load",
    "what may be left of rows that cancel along a ray that proves infeasibility",
)
ORACLE_COULOMB = _reference(
    "ORACLE_COULOMB",
    1e-9,
    "forces and rates of the problem, with unit mass and unit rows",
    "the largest misfit of an answer with friction that the oracle accepts",
)
