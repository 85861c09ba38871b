"""Work-precision: how exact an answer is that has taken so long, here and elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from problems import PENDULUM, PROBLEMS, oscillator_impacts, pendulum_place
from scipy.special import ellipj, ellipk
from side import Side, race

__all__ = ["oscillator", "pendulum", "picture", "points_table"]

RTOLS = (1e-4, 1e-6, 1e-8, 1e-10, 1e-12)
STEPS = (100, 300, 1000, 3000, 10_000)  # of MuJoCo
REPEATS = 3
PROBLEM = "oscillator on a stop"
STYLES = {
    "compiled engine": ("o-", "tab:blue"),
    "Python engine": ("o--", "tab:blue"),
    "bare scipy": ("^-", "tab:orange"),
    "Siconos": ("s-", "tab:green"),
    "MuJoCo": ("D-", "tab:red"),
}

Point = tuple[float, float, str]  # error, seconds, and in words what was asked for instead
Curves = dict[str, list[Point]]


def oscillator(sides: dict[str, Side], engines: dict[str, str], rounds: int) -> Curves:
    """Largest relative error of the times of eight impacts."""
    exact = np.array(oscillator_impacts(PROBLEMS[PROBLEM]))
    contestants: dict[str, tuple[Side, str, list[dict[str, Any]]]] = {}
    same = {"problem": PROBLEM, "repeats": REPEATS}
    for engine, words in engines.items():
        asked = [{**same, "engine": engine, "rtol": rtol} for rtol in RTOLS]
        contestants[words] = (sides["gauss_opt"], "impacts", asked)
    if "scipy" in sides:
        asked = [{**same, "rtol": rtol} for rtol in RTOLS]
        contestants["bare scipy"] = (sides["scipy"], "impacts", asked)
    if "siconos" in sides:
        asked = [{**same, "announced": 1, "tolerance": rtol} for rtol in RTOLS]
        contestants["Siconos"] = (sides["siconos"], "impacts", asked)

    def error(answer: dict[str, Any]) -> float:
        times = np.array(answer["t"])
        if len(times) != len(exact):
            return float("nan")
        return float(np.abs(times / exact - 1.0).max())

    return _curves(contestants, error, rounds)


def pendulum(sides: dict[str, Side], engines: dict[str, str], rounds: int) -> Curves:
    """Distance of the mass from its place at the end."""
    exact = np.array(pendulum_place(_angle(PENDULUM["end"])))
    contestants: dict[str, tuple[Side, str, list[dict[str, Any]]]] = {}
    for engine, words in engines.items():
        asked = [{"engine": engine, "rtol": rtol, "repeats": REPEATS} for rtol in RTOLS]
        contestants[words] = (sides["gauss_opt"], "pendulum", asked)
    if "scipy" in sides:
        asked = [{"rtol": rtol, "repeats": REPEATS} for rtol in RTOLS]
        contestants["bare scipy"] = (sides["scipy"], "pendulum", asked)
    if "mujoco" in sides:
        asked = [{"steps": steps, "repeats": REPEATS} for steps in STEPS]
        contestants["MuJoCo"] = (sides["mujoco"], "pendulum", asked)
    return _curves(contestants, lambda a: float(np.hypot(*(np.array(a["place"]) - exact))), rounds)


def _angle(t: float) -> float:
    """Of the pendulum released at rest, by elliptic functions."""
    k = np.sin(0.5 * PENDULUM["angle"])
    phase = np.sqrt(PENDULUM["gravity"] / PENDULUM["length"]) * t
    sn = ellipj(ellipk(k**2) - phase, k**2)[0]
    return float(2.0 * np.arcsin(k * sn))


def _curves(
    contestants: dict[str, tuple[Side, str, list[dict[str, Any]]]],
    error: Callable[[dict[str, Any]], float],
    rounds: int,
) -> Curves:
    curves: Curves = {name: [] for name in contestants}
    longest = max(len(asked) for _, _, asked in contestants.values())
    for number in range(longest):  # points of about the same precision take turns
        jobs = {
            name: lambda side=side, job=job, one=asked[number]: side.ask(job, **one)
            for name, (side, job, asked) in contestants.items()
            if number < len(asked)
        }
        for name, answer in race(jobs, rounds).items():
            asked = contestants[name][2][number]
            words = f"{asked['steps']} steps: " if "steps" in asked else ""
            curves[name].append((error(answer), answer["seconds"], words))
    return curves


def points_table(curves: Curves) -> list[str]:
    """All points: the error, and milliseconds."""
    lines = [
        f"| | {' | '.join(f'{rtol:.0e}' for rtol in RTOLS)} |",
        "|---" * (1 + len(RTOLS)) + "|",
    ]
    for name, points in curves.items():
        cells = [f"{words}{error:.1e} in {1e3 * s:.3g} ms" for error, s, words in points]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines


def picture(panels: Sequence[tuple[str, str, Curves]], path: Path) -> None:
    """A diagram for each problem, side by side: time over error, both logarithmic."""
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    shown: dict[str, Any] = {}
    for place, (title, what, curves) in enumerate(panels, 1):
        axes = figure.add_subplot(1, len(panels), place)
        for name, points in curves.items():
            errors, seconds, _ = zip(*points, strict=True)
            style, color = STYLES[name]
            (line,) = axes.loglog(errors, 1e3 * np.array(seconds), style, color=color, markersize=5)
            shown[name] = line
        axes.set(title=title, xlabel=f"{what}: more exact to the right", ylabel="run time (ms)")
        axes.invert_xaxis()
        axes.grid(alpha=0.3)
    names = [f"gauss_opt, {name}" if "engine" in name else name for name in shown]
    figure.legend(
        shown.values(), names, loc="outside lower center", ncols=len(names), frameon=False
    )
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
