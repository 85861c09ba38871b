"""The problems that every peer runs, and their closed forms. Needs nothing.

An impact problem is mass, stiffness and weight of one coordinate x, its start, gaps
sign * x + offset >= 0 with one coefficient of restitution, and how many impacts are compared
within which time.
"""

from __future__ import annotations

from math import acos, atan2, cos, hypot, pi, sin, sqrt
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

PENDULUM: dict[str, float] = {"gravity": 9.81, "length": 1.0, "angle": pi / 2, "end": 5.0}
"""A point mass on a rigid rod, released at an angle from the lowest place."""


def oscillator_impacts(p: dict[str, Any]) -> list[float]:
    """Times at which an oscillator m x'' = w - k x hits the stop x = 0, in closed form.

    x = c + A cos(omega s + phase) between impacts, with c = w / k.
    """
    omega, centre = sqrt(p["stiffness"] / p["mass"]), p["weight"] / p["stiffness"]
    t, x, v, times = 0.0, p["x"], p["v"], []
    for _ in range(p["impacts"]):
        amplitude, phase = hypot(x - centre, v / omega), atan2(-v / omega, x - centre)
        flight = (acos(-centre / amplitude) - phase) % (2 * pi) / omega
        t += flight
        times.append(t)
        x, v = 0.0, p["restitution"] * amplitude * omega * sin(omega * flight + phase)
    return times


def ball_impacts(p: dict[str, Any]) -> list[float]:
    """Times at which a ball that falls from rest hits the floor, in closed form."""
    fall, e = sqrt(-2 * p["x"] / p["weight"]), p["restitution"]
    return [fall * (1 + 2 * e * (1 - e**k) / (1 - e)) for k in range(p["impacts"])]


def pendulum_place(angle: float) -> tuple[float, float]:
    """Where the mass of the pendulum is, at an angle from the lowest place."""
    return PENDULUM["length"] * sin(angle), -PENDULUM["length"] * cos(angle)
