"""The problems of problems.py by loops around scipy's DOP853, written by hand for each.

They know what they simulate: no certificate, no forces, no account, no guard between the points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy
from problems import PENDULUM, PROBLEMS, pendulum_place
from scipy.integrate import solve_ivp
from side import least, serve


def impacts(problem: str, rtol: float, repeats: int) -> dict[str, Any]:
    """Impacts of a problem, and the least time of the loop."""
    p = PROBLEMS[problem]
    mass, stiffness, weight = p["mass"], p["stiffness"], p["weight"]

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [y[1], (weight - stiffness * y[0]) / mass]

    def stop(sign: float, offset: float) -> Any:
        def gap(t: float, y: np.ndarray) -> float:
            return sign * y[0] + offset

        gap.terminal, gap.direction = True, -1.0  # type: ignore[attr-defined]
        return gap

    gaps = [stop(*both) for both in p["gaps"]]

    def run() -> list[tuple[float, float, float]]:
        t, y, found = 0.0, np.array([p["x"], p["v"]]), []
        while len(found) < p["impacts"]:
            flight = solve_ivp(
                slope, (t, p["end"]), y, "DOP853", rtol=rtol, atol=1e-2 * rtol, events=gaps,
                dense_output=True,
            )  # fmt: skip
            if flight.status != 1:
                break
            hit = next(k for k, times in enumerate(flight.t_events) if len(times))
            sign, offset = p["gaps"][hit]
            t, y = float(flight.t[-1]), flight.y[:, -1].copy()
            found.append((t, y[1], -p["restitution"] * y[1]))
            y[:] = -sign * offset, found[-1][2]
        return found

    seconds, found = least(run, repeats)
    t, before, after = (list(column) for column in zip(*found, strict=True))
    return {"t": t, "before": before, "after": after, "seconds": seconds}


def pendulum(rtol: float, repeats: int) -> dict[str, Any]:
    """Where the pendulum is at the end, by its angle alone."""
    share = PENDULUM["gravity"] / PENDULUM["length"]

    def run() -> Any:
        return solve_ivp(
            lambda t, y: [y[1], -share * np.sin(y[0])],
            (0.0, PENDULUM["end"]),
            [PENDULUM["angle"], 0.0],
            "DOP853",
            rtol=rtol,
            atol=1e-2 * rtol,
            dense_output=True,
        )

    seconds, found = least(run, repeats)
    place = pendulum_place(float(found.y[0, -1]))
    return {"place": place, "seconds": seconds, "steps": len(found.t) - 1}


if __name__ == "__main__":
    serve({"version": lambda: scipy.__version__, "impacts": impacts, "pendulum": pendulum})
