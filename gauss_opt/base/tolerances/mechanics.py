"""Tolerances of the mechanics: when constraint rows follow from others."""

from __future__ import annotations

from .table import Room

_mechanics = Room("mechanics")

# Rows that are dependent on the constraint surface only
ON_SURFACE = _mechanics(
    "ON_SURFACE",
    1e-14,
    "the scales of positions and of velocities",
    "a state this close to its constraints is on their surface, as near as round-off allows",
)
ZERO_ON_SURFACE = _mechanics(
    "ZERO_ON_SURFACE",
    1e-11,
    "unit whitened rows",
    "a smaller singular value is zero at a state on the surface, where round-off leaves 1e-15 to "
    "1e-14",
)
ZERO_BESIDE_SURFACE = _mechanics(
    "ZERO_BESIDE_SURFACE",
    30.0,
    "the distance from the surface",
    "a smaller singular value may be zero on the surface, and is looked at again closer to it",
)
LARGEST_ZERO = _mechanics(
    "LARGEST_ZERO",
    1e-3,
    "unit whitened rows",
    "a larger singular value is never zero on the surface, however far the state is off it",
)
FALLS = _mechanics(
    "FALLS",
    1e-2,
    "the singular value at the state itself",
    "one that falls below this on the way to the surface is zero on it; one that does not belongs "
    "to a light mass, or to a rank drop near by",
)
CONTRADICTION = _mechanics(
    "CONTRADICTION",
    100.0,
    "the distance from the surface",
    "by how much rows that are dependent on the surface may contradict each other beside it",
)
LARGEST_CONTRADICTION = _mechanics(
    "LARGEST_CONTRADICTION",
    1e-2,
    "the right-hand sides and the target, whitened",
    "by how much they may at most, however far the state is off the surface",
)
RISEN = _mechanics(
    "RISEN",
    1e-3,
    "unit whitened rows",
    "a larger singular value of rows left out in a run makes them independent again",
)
STILL_GOOD = _mechanics(
    "STILL_GOOD",
    0.3,
    "the smallest singular value that is not zero",
    "a choice of independent rows is kept as long as its last pivot is not smaller",
)
FOLLOWS = _mechanics(
    "FOLLOWS",
    1e-9,
    "the scales of positions and of velocities",
    "the largest drift of rows that are left out because they follow from the others",
)
ASSEMBLED = _mechanics(
    "ASSEMBLED",
    1e-10,
    "the size of the terms",
    "what is left of rows that only seemed to contradict each other beside the surface",
)
