"""What a simulation costs: a bouncing ball, next to a loop around solve_ivp written by hand.

Run ``python benchmarks/bouncing_ball.py``. Three seconds with six impacts, the same integrator
and tolerance. The bare loop knows its one contact and its law; it has no certificate, no contact
forces, no accumulation and no energy account. Both are the least of many repeats, taken in turn.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from scipy.integrate import solve_ivp

import gauss_opt as go

GRAVITY = 9.81
RESTITUTION = 0.8
HEIGHT = 1.0
END = 3.0
RTOL = 1e-10
REPEATS = 40
TARGET = 2.0


def ball() -> go.System:
    """A particle in the plane over a floor."""
    return go.System(
        mass=[1.0, 1.0],
        force=[0.0, -GRAVITY],
        contacts=[go.Contact("floor", lambda q, t: q[1], restitution=RESTITUTION)],
    )


def slope(t: float, y: np.ndarray) -> np.ndarray:
    """Free fall in the plane."""
    return np.array([y[2], y[3], 0.0, -GRAVITY])


def height(t: float, y: np.ndarray) -> float:
    """The event of the bare loop."""
    return float(y[1])


height.terminal = True  # type: ignore[attr-defined]
height.direction = -1.0  # type: ignore[attr-defined]


def bare() -> tuple[list[float], list[object]]:
    """Times of the impacts, and the dense output of each flight."""
    t, y = 0.0, np.array([0.0, HEIGHT, 1.0, 0.0])
    impacts: list[float] = []
    flights: list[object] = []
    while t < END:
        flight = solve_ivp(
            slope,
            (t, END),
            y,
            "DOP853",
            rtol=RTOL,
            atol=1e-2 * RTOL,
            events=height,
            dense_output=True,
        )
        flights.append(flight.sol)
        t, y = float(flight.t[-1]), flight.y[:, -1].copy()
        if flight.status == 1:
            impacts.append(t)
            y[1], y[3] = 0.0, -RESTITUTION * y[3]
    return impacts, flights


def simulated(system: go.System) -> go.Result:
    """The same by simulate()."""
    return go.simulate(system, [0.0, HEIGHT], [1.0, 0.0], (0.0, END), rtol=RTOL)


def exact() -> np.ndarray:
    """Times of the impacts."""
    fall = np.sqrt(2 * HEIGHT / GRAVITY)
    bounces = np.arange(100)
    times = fall * (1 + 2 * RESTITUTION * (1 - RESTITUTION**bounces) / (1 - RESTITUTION))
    return times[times < END]


def main() -> None:
    """Measure and print."""
    system = ball()
    result = simulated(system)
    by_hand, _ = bare()
    ours = [event.t for event in result.events]
    truth = exact()
    least = {"simulate": np.inf, "bare": np.inf}
    parts: dict[str, float] = {}
    for _ in range(REPEATS):
        start = perf_counter()
        result = simulated(system)
        middle = perf_counter()
        bare()
        end = perf_counter()
        if middle - start < least["simulate"]:
            least["simulate"], parts = middle - start, dict(result.stats.seconds)
        least["bare"] = min(least["bare"], end - middle)
    ratio = least["simulate"] / least["bare"]
    print(f"bouncing ball, {END:g} s, {len(ours)} impacts, DOP853, rtol {RTOL:g}")
    print(f"  simulate     {1e3 * least['simulate']:8.2f} ms   {result.stats.steps} steps, "
          f"{result.stats.rhs_calls} right-hand sides")  # fmt: skip
    print(f"  bare scipy   {1e3 * least['bare']:8.2f} ms")
    print(f"  ratio        {ratio:8.2f}      target <= {TARGET:g}: "
          f"{'met' if ratio <= TARGET else 'MISSED'}")  # fmt: skip
    print("  error of impact times: simulate "
          f"{np.abs(np.array(ours) - truth).max():.1e} s, bare "
          f"{np.abs(np.array(by_hand) - truth).max():.1e} s")  # fmt: skip
    print("parts of simulate:")
    for part, seconds in [*parts.items(), ("rest", least["simulate"] - sum(parts.values()))]:
        print(f"  {part:<12} {1e3 * seconds:8.2f} ms  {seconds / least['simulate']:6.1%}")


if __name__ == "__main__":
    main()
