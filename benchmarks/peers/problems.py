"""The problems that every peer runs: one coordinate, stops with Newton's law. Needs nothing.

A problem is mass, stiffness and weight of one coordinate x, its start, gaps sign * x + offset >= 0
with one coefficient of restitution, and how many impacts are compared within which time.
"""

from __future__ import annotations

from typing import Any

PROBLEMS: dict[str, dict[str, Any]] = {
    "bouncing ball": {
        "mass": 1.0, "stiffness": 0.0, "weight": -9.81, "x": 1.0, "v": 0.0,
        "gaps": [[1.0, 0.0]], "restitution": 0.8, "impacts": 12, "end": 3.8,
    },
    "ball in a box": {
        "mass": 1.0, "stiffness": 0.0, "weight": -10.0, "x": 1.0, "v": 10.0,
        "gaps": [[1.0, 0.0], [-1.0, 1.5]], "restitution": 0.8, "impacts": 8, "end": 4.0,
    },
    "oscillator on a stop": {
        "mass": 1e-3, "stiffness": 100.0, "weight": -9.81e-3, "x": 1.0, "v": 0.0,
        "gaps": [[1.0, 0.0]], "restitution": 0.9, "impacts": 8, "end": 0.08,
    },
}  # fmt: skip
"""By name; the last two are examples of Siconos's own."""

LANDING: dict[str, float] = {
    "mass": 2.0, "gravity": 9.81, "height": 0.5, "restitution": 0.0, "end": 2.0
}  # fmt: skip
"""A ball that lands on a floor and stays there: for peers without restitution."""

REPEATS = 5
