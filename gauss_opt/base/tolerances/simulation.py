"""Tolerances of the event-driven simulation: steps, events, impacts and their series."""

from __future__ import annotations

from .table import Room

_simulation = Room("simulation")

# Sizes that everything else is compared with
ROUND_OFF = _simulation(
    "ROUND_OFF",
    1e-15,
    "the scales of the run",
    "a gap or a rate this small is zero",
)
SIMULTANEOUS = _simulation(
    "SIMULTANEOUS",
    1e-12,
    "the time scale of the run",
    "events closer in time are one",
)
LONG_RUN = _simulation(
    "LONG_RUN",
    1e3,
    "the longest time between two events so far",
    "the time scale is not larger than this, however long the run is",
)

# Start
CLOSED_AT_START = _simulation(
    "CLOSED_AT_START",
    1e-9,
    "the terms of the gap",
    "a gap this small is closed at the start of a run",
)
PENETRATED = _simulation(
    "PENETRATED",
    1e-9,
    "the terms of the gap, or of the velocity limit",
    "a depth that is not yet a penetration of a contact, or a violation of a limit",
)
CONSISTENT = _simulation(
    "CONSISTENT",
    1e-8,
    "the terms of the constraint, or of its rate",
    "a start this far off its constraints is corrected without a word",
)

# Steps
DEFAULT_RTOL = _simulation(
    "DEFAULT_RTOL",
    1e-9,
    "each coordinate",
    "the accuracy of a step, unless the user asks for another",
)
LEAST_RTOL = _simulation(
    "LEAST_RTOL",
    2.3e-14,
    "each coordinate",
    "the best accuracy that double precision is good for",
)
ATOL_BY_RTOL = _simulation(
    "ATOL_BY_RTOL",
    1e-2,
    "rtol times the size of the coordinate",
    "the absolute accuracy of a step, unless the user asks for another",
)
ATOL_FLOOR = _simulation(
    "ATOL_FLOOR",
    1e-3,
    "the largest coordinate",
    "the least size of a coordinate, where one has hardly moved",
)
FORCE_ROUND_OFF = _simulation(
    "FORCE_ROUND_OFF",
    2.2e-16,
    "the speed that the applied forces could cause within the time scale",
    "a speed that forces in balance leave: the least absolute accuracy of a step",
)
NEXT_TO_NOTHING = _simulation(
    "NEXT_TO_NOTHING",
    1e-100,
    "nothing",
    "sizes of all positions, or of all velocities, that are no sizes: what starts from below a "
    "peak of time would otherwise have no tolerance at all",
)
SHORTEST_RETRY = _simulation(
    "SHORTEST_RETRY",
    1e-13,
    "the time scale of the run",
    "the shortest step tried again after a function was not finite",
)
PASSED_OVER = _simulation(
    "PASSED_OVER",
    1e3,
    "what error control allows in one step",
    "a change of velocity this far from that of the dense output was passed over by the step",
)
DRIFT = _simulation(
    "DRIFT",
    1e-12,
    "the terms of the constraint, or of its rate",
    "a larger drift is projected away",
)
JUMP = _simulation(
    "JUMP",
    1e-5,
    "the terms of the constraint, or of its rate",
    "a larger drift within one step is made by no smooth constraint",
)
JUMP_BY_RTOL = _simulation(
    "JUMP_BY_RTOL",
    1e4,
    "rtol",
    "as much drift within one step is allowed where it is more than JUMP",
)
EXACT_OUTPUT = _simulation(
    "EXACT_OUTPUT",
    1e-13,
    "the size of the coordinate over the step",
    "a defect of dense output that is round-off",
)

# Zeros of gaps
GRAZE = _simulation(
    "GRAZE",
    1e3,
    "the noise of the gap",
    "a lowest point this near zero touches it",
)
INSIDE = _simulation(
    "INSIDE",
    1e-3,
    "the interval between two samples",
    "a lowest point nearer to an end of its interval is at that end",
)
NEWTON_STEP = _simulation(
    "NEWTON_STEP",
    4e-16,
    "the time",
    "a step of Newton's method this small is the last",
)

# Releases

# Contacts that stick or slide
TOUCHED_BY_RTOL = _simulation(
    "TOUCHED_BY_RTOL",
    1e2,
    "rtol times the terms of the slip",
    "a slip that falls below zero by less, and comes back, touches zero and is no stop",
)
TIP_OF_CONE = _simulation(
    "TIP_OF_CONE",
    1e-9,
    "the largest forces around",
    "a contact whose normal force is smaller when its friction reaches its limit lets go",
)
JAM_TIME = _simulation(
    "JAM_TIME",
    1e-6,
    "the time in which forces could stop the slips",
    "the short time in which an impact without collision is looked at",
)
JUST_AFTER = _simulation(
    "JUST_AFTER",
    1e-5,
    "the last step, or the time scale of the run",
    "how long after an event it is looked whether contacts stick or slide",
)

# Impacts
SLOW = _simulation(
    "SLOW",
    1e-10,
    "the speeds of the run",
    "a rate this small is zero when contacts collide",
)
SLOW_IN_IMPACT = _simulation(
    "SLOW_IN_IMPACT",
    1e-3,
    "the fastest approach of the impact",
    "the largest rate that may count as zero in an impact",
)

# Accumulations
ACCUMULATED = _simulation(
    "ACCUMULATED",
    1e-9,
    "the terms of the gap",
    "bounces lower than this may be summed up",
)
LOST = _simulation(
    "LOST",
    1e-15,
    "the terms of the gap",
    "bounces lower than this are round-off",
)
LIMIT_SPREAD = _simulation(
    "LIMIT_SPREAD",
    1e-10,
    "the time, or the time scale of the run",
    "the largest spread of three estimates of an accumulation time",
)
SHRINKING = _simulation(
    "SHRINKING",
    1e-9,
    "the time between two bounces",
    "the least by which the time to the next bounce must be shorter",
)

# Rank drops
NEAR_RANK_DROP = _simulation(
    "NEAR_RANK_DROP",
    0.02,
    "rows of unit length",
    "rows this close to dependence may be about to drop in rank",
)
LARGEST_CORRECTION = _simulation(
    "LARGEST_CORRECTION",
    1e-6,
    "the size of the state",
    "a larger correction beyond a rank drop means that the extrapolation has failed",
)
EXACT_LANDING = _simulation(
    "EXACT_LANDING",
    1e-9,
    "the size of the state",
    "a correction beyond a rank drop this small cannot get much better",
)

# Clusters of contacts
DEFAULT_CLOSURE = _simulation(
    "DEFAULT_CLOSURE",
    1e-8,
    "the terms of the gap; the energy of the run, for each contact",
    "gaps and energies this small may be closed with a cluster, unless the user asks for another",
)
LARGEST_CLOSURE = _simulation(
    "LARGEST_CLOSURE",
    1e-5,
    "the terms of the gap; the energy of the run, for each contact",
    "the largest closure that the user can ask for",
)
NO_GAP = _simulation(
    "NO_GAP",
    1e-3,
    "closure times the terms of the gap",
    "a smaller gap is not known to be open when contacts around it are closed",
)
UNANNOUNCED_JUMP = _simulation(
    "UNANNOUNCED_JUMP",
    1e-8,
    "the largest speed of the run",
    "a smaller jump that removes rates of round-off is no event",
)

# What happens between the points
NO_FORCE = _simulation(
    "NO_FORCE",
    1e-12,
    "the largest multipliers around",
    "a multiplier that is zero",
)
SAME_ACCELERATION = _simulation(
    "SAME_ACCELERATION",
    1e-9,
    "the accelerations compared, and what the applied forces can cause",
    "accelerations that are the same: the frozen set is then the answer to (G)",
)
BALANCED = _simulation(
    "BALANCED",
    1e-14,
    "what forces that balance each other could cause",
    "what round-off leaves of them: an acceleration, or a way since the last event",
)
SWITCHING = _simulation(
    "SWITCHING",
    1e-15,
    "the time, or the time scale",
    "the resolution with which the end of a condition is located",
)
SLOPE_STEP = _simulation(
    "SLOPE_STEP",
    1e-6,
    "the length of the step",
    "differences that give the slope of a velocity limit with derivatives by hand",
)
BESIDE_CONTACT = _simulation(
    "BESIDE_CONTACT",
    1e-9,
    "the length of the step",
    "how long before and after a contact its rates are compared, to see a kink",
)
NO_GRADIENT = _simulation(
    "NO_GRADIENT",
    1e-6,
    "the gradients of the gap at the ends of the step",
    "a gradient that vanishes where the gap is zero",
)
