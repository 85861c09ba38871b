"""Tolerances of accelerations, impacts, assembly and projection."""

from __future__ import annotations

from .table import Room

_mechanics = Room("mechanics")

# What takes part in a problem
TOUCHING = _mechanics(
    "TOUCHING",
    1e-8,
    "the terms of the linearised gap, rate or limit",
    "a gap, a gap rate or a velocity limit that counts as zero when a single state is given",
)
DEPENDENT_EVERYWHERE = _mechanics(
    "DEPENDENT_EVERYWHERE",
    1e-13,
    "rows of unit length",
    "a smaller singular value comes from rows that are dependent in every state",
)
COUPLED = _mechanics(
    "COUPLED",
    1e-12,
    "the lengths of two rows in the metric of the inverse mass",
    "a smaller coupling is round-off: impulses on one row do not move the bodies of the other",
)

# Scales
MOTION_FLOOR = _mechanics(
    "MOTION_FLOOR",
    1e-3,
    "what the motion of the whole system could do to a row",
    "added to the scale of the row, whose own coordinates may not have moved yet",
)
MASSLESS = _mechanics(
    "MASSLESS",
    1e-12,
    "the largest eigenvalue of the mass",
    "a direction with a smaller eigenvalue gets a typical mass when positions are corrected",
)

# Assembly
ASSEMBLED = _mechanics(
    "ASSEMBLED",
    1e-13,
    "the largest position, or velocity, so far",
    "a smaller change in one iteration ends the assembly",
)
SHORTEST_STEP = _mechanics(
    "SHORTEST_STEP",
    1e-3,
    "the full step",
    "a step of the assembly is halved while it makes constraints worse, down to this length",
)
KINEMATICS_RTOL = _mechanics(
    "KINEMATICS_RTOL",
    1e-13,
    "the positions",
    "the accuracy with which positions follow q' = N(q) v over a step of the assembly",
)
KINEMATICS_ATOL = _mechanics(
    "KINEMATICS_ATOL",
    1e-16,
    "nothing (in the units of the positions)",
    "allowed on top of KINEMATICS_RTOL, for positions that are zero",
)

# Impacts
IMPACT_CONVERGED = _mechanics(
    "IMPACT_CONVERGED",
    1e-12,
    "the terms of the linearised row",
    "the largest change of a row nonlinear in the velocity in the last iteration of an impact",
)
SAME_ROWS = _mechanics(
    "SAME_ROWS",
    1e-10,
    "the largest entry of the row",
    "the largest change of its entries in the last iteration of an impact",
)
RETURNED_UNDERFLOW = _mechanics(
    "RETURNED_UNDERFLOW",
    1e-280,
    "nothing (an impulse)",
    "a smaller impulse returned in expansion is zero: products with it lose digits to underflow",
)
LEFT_APPROACH = _mechanics(
    "LEFT_APPROACH",
    1e-9,
    "the largest approach at the start, in the mass metric",
    "a smaller approach is left alone when contacts collide one after the other",
)
APPROACH_ROUND_OFF = _mechanics(
    "APPROACH_ROUND_OFF",
    1e-14,
    "the whole motion, in the mass metric",
    "a smaller approach is round-off when contacts collide one after the other",
)
TIED_APPROACH = _mechanics(
    "TIED_APPROACH",
    1e-9,
    "the largest approach, in the mass metric",
    "contacts that approach equally fast but for this collide together",
)
ENERGY_GAIN = _mechanics(
    "ENERGY_GAIN",
    1e-9,
    "the kinetic energy before, and the work of moving constraints",
    "a larger gain of energy in an impact is reported",
)
ENGAGED_MISFIT = _mechanics(
    "ENGAGED_MISFIT",
    1e-6,
    "the terms of the linearised constraint",
    "how far a constraint may be off its position when it is engaged",
)

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
DISPLACED = _mechanics(
    "DISPLACED",
    1e-3,
    "the largest position",
    "a displacement that shows how long a row is that vanishes on the surface, such as that of a "
    "product of two constraints",
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
FOLLOWING_MISFIT = _mechanics(
    "FOLLOWING_MISFIT",
    1e-10,
    "the size of the terms",
    "what is left of rows that only seemed to contradict each other beside the surface",
)

# Crosscheck
ROUTES_AGREE = _mechanics(
    "ROUTES_AGREE",
    1e-8,
    "the free acceleration and the acceleration, in the mass metric",
    "the largest difference between two routes, unless the user asks for another",
)

# Enclosed multipliers
PRODUCT_ROUND_OFF = _mechanics(
    "PRODUCT_ROUND_OFF",
    4e-16,
    "each term of a sum of products",
    "the round-off that enclosed multipliers allow for",
)
DEPENDENT_HELD_ROWS = _mechanics(
    "DEPENDENT_HELD_ROWS",
    1e-9,
    "the largest singular value of the held rows",
    "a singular value that counts as zero where the range of held rows is wanted",
)

# Variations
WELL_POSED = _mechanics(
    "WELL_POSED",
    1e-4,
    "one",
    "an error of the solution of scaled equations, by their condition, beyond which their rows are "
    "taken as dependent",
)
