"""Tolerances of commands."""

from __future__ import annotations

from .table import Room

_cli = Room("cli")

RUNS_AGREE = _cli(
    "RUNS_AGREE",
    1e-6,
    "the duration and the range of each coordinate",
    "the largest distance between two runs that agree, unless --tol says otherwise",
)
DOCTOR_ACCURACY = _cli(
    "DOCTOR_ACCURACY",
    1e-12,
    "the accelerations, and the contact force, of a small problem",
    "the largest error of a solver that works",
)
