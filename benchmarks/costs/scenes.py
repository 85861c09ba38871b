"""The systems whose costs are measured, each as what ``simulate`` takes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

import gauss_opt as go

sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))
from gauss_opt_side import system
from problems import PROBLEMS

__all__ = ["Scene", "andrews", "ball", "chain", "discs", "forced",
           "loose_chain", "near_walls", "oscillator", "pendulum"]  # fmt: skip

GRAVITY = 9.81


class Scene(NamedTuple):
    """A system, its start, how long it runs, and how exactly."""

    system: go.System
    q0: np.ndarray
    v0: np.ndarray
    end: float
    rtol: float = 1e-9

    def run(self, engine: str = "python") -> go.Result:
        """The whole simulation."""
        span = (0.0, self.end)
        return go.simulate(self.system, self.q0, self.v0, span, rtol=self.rtol, engine=engine)


def _of_problem(name: str) -> Scene:
    p = PROBLEMS[name]
    return Scene(system(name), np.array([p["x"]]), np.array([p["v"]]), p["end"], 1e-11)


def ball() -> Scene:
    """The bouncing ball of the comparison with peers."""
    return _of_problem("bouncing ball")


def oscillator() -> Scene:
    """The oscillator on a stop of the comparison with peers."""
    return _of_problem("oscillator on a stop")


def forced(impacts: int) -> Scene:
    """An oscillator that is driven against a stop, about once in each period of the force."""
    stop = go.Contact("stop", lambda q, t: 0.1 - q[0], 0.8)
    driven = go.System([1.0], lambda q, v, t: np.cos(1.5 * t) - q[0] - 0.05 * v[0], contacts=[stop])
    end = impacts * 2.0 * np.pi / 1.5
    return Scene(driven, np.array([0.0]), np.array([0.0]), end)


def pendulum() -> Scene:
    """A double pendulum on a rail, in five Cartesian coordinates with three constraints."""
    first, second, rail = 1.0, 1.3, -1.2
    mass = np.array([1.0, 1.0, 1.0, 0.7, 0.7])

    def rods(q: np.ndarray, t: float) -> list[float]:
        return [
            (q[1] - q[0]) ** 2 + q[2] ** 2 - first**2,
            (q[3] - q[1]) ** 2 + (q[4] - q[2]) ** 2 - second**2,
            q[4] - rail,
        ]

    x = np.sqrt(first**2 - 0.5**2)
    q0 = np.array([0.0, x, -0.5, x + np.sqrt(second**2 - (rail + 0.5) ** 2), rail])
    force = -GRAVITY * mass * [0, 0, 1, 0, 1]
    return Scene(go.System(mass, force, [go.Holonomic("rods", rods)]), q0, np.zeros(5), 5.0)


def andrews() -> Scene:
    """Andrews' squeezer mechanism, the case of that name."""
    setup = go.find_case("andrews")().build()
    return Scene(setup.system, np.array(setup.q0), np.array(setup.v0), 0.03)


def chain(links: int) -> Scene:
    """Rigid bars pinned to each other, the first to the wall: 3 coordinates, 2 rows for each."""
    return _chain(links, pinned=range(links))


def loose_chain(links: int, joints: int) -> Scene:
    """As many bars, of which only the first few are pinned: rows grow, coordinates do not."""
    return _chain(links, pinned=range(joints))


def _chain(links: int, pinned: range) -> Scene:
    def pins(q: np.ndarray, t: float) -> np.ndarray:
        x, y, angle = q[0::3], q[1::3], q[2::3]
        c, s = 0.5 * np.cos(angle), 0.5 * np.sin(angle)
        rows = [x[0] - c[0], y[0] - s[0]]
        for i in pinned[1:]:
            rows += [x[i] - c[i] - x[i - 1] - c[i - 1], y[i] - s[i] - y[i - 1] - s[i - 1]]
        return np.array(rows)

    angles = -0.3 - 0.02 * np.arange(links)
    along = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ends = np.cumsum(along, axis=0)
    q0 = np.column_stack([ends - 0.5 * along, angles]).ravel()
    mass, force = np.tile([1.0, 1.0, 1 / 12], links), -GRAVITY * np.tile([0.0, 1.0, 0.0], links)
    return Scene(go.System(mass, force, [go.Holonomic("pins", pins)]), q0, np.zeros(len(q0)), 0.5)


def discs(count: int) -> Scene:
    """Discs that fly in a box without gravity and hit each other and the walls."""
    radius = float(np.sqrt(0.25 / (count * np.pi)))
    case = go.find_case("discs_in_box")(
        discs=count, radius=radius, restitution=1.0, seed=1, gravity=0.0
    )
    setup = case.build()
    return Scene(setup.system, np.array(setup.q0), np.array(setup.v0), 0.12, 1e-10)


def near_walls(count: int) -> Scene:
    """A ball that bounces on a floor, between slanted walls that it never touches."""
    turns = np.linspace(0.1, np.pi - 0.1, max(count - 1, 1))[: count - 1]
    sines = zip(np.cos(turns), np.sin(turns), strict=True)
    walls = [
        go.Contact(f"wall {k}", lambda q, t, c=c, s=s: 5.0 + c * q[0] - s * q[1])
        for k, (c, s) in enumerate(sines)
    ]
    floor = go.Contact("floor", lambda q, t: q[1], 0.8)
    ball = go.System([1.0, 1.0], [0.0, -GRAVITY], contacts=[floor, *walls])
    return Scene(ball, np.array([0.0, 1.0]), np.array([0.5, 0.0]), 3.0, 1e-10)
