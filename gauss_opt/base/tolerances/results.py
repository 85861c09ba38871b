"""Tolerances of what is computed from a run."""

from __future__ import annotations

from .table import Room

_results = Room("results")

AT_THE_START = _results(
    "AT_THE_START",
    1e-200,
    "the length of the step",
    "a time this near the start of a step is the start",
)
INTERPOLATED_DRIFT = _results(
    "INTERPOLATED_DRIFT",
    1e-13,
    "the terms of the constraint and of its rate",
    "how far an interpolated state may be off the constraints before it is projected",
)
CARRIED_FORCE = _results(
    "CARRIED_FORCE",
    1e-12,
    "the largest constraint force, or applied force at the start",
    "a smaller contact force is round-off, and is not drawn",
)
NOTABLE_WORK = _results(
    "NOTABLE_WORK",
    1e-6,
    "the largest energy",
    "a smaller work is not shown in the energy account",
)
INERTIA_STEP = _results(
    "INERTIA_STEP",
    0.02,
    "the length of the step of the integrator",
    "the step of the eighth-order difference for the rate of a mass that cannot be traced",
)
POTENTIAL_FITS = _results(
    "POTENTIAL_FITS",
    1e-8,
    "the largest force on the coordinate along the run, or its derivative",
    "what may be between the force at rest and -grad V",
)
LEAST_RANGE = _results(
    "LEAST_RANGE",
    1e-4,
    "the largest range of a coordinate of its kind, and its own size",
    "the least range that a coordinate is divided by when runs are compared: otherwise the "
    "round-off of a body at rest would count as a motion",
)
