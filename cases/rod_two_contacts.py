"""A rod falls flat on two supports of different restitution: Newton and Poisson disagree.

Teaches what an impact law decides. Under Newton each end gets its own coefficient times its speed.
Under Poisson each support gives back a share of its impulse, which lifts the other end less or not
at all. Afterwards the rod rattles from end to end, until both ends rest.

Reference: closed form for a uniform rod. With speed u Newton gives (e1 u, e2 u) and Poisson
((2 e1 - e2) u, (2 e2 - e1) u) while neither is negative; else (3/2 e u, 0), with the greater e.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Rates of both ends before, both coefficients, rates after by law, for a rod of 1 kg and 2 m.
TABLE = (
    ((-1.0, -1.0), (0.5, 0.2), {"newton": (0.5, 0.2), "poisson": (0.75, 0.0)}),
    ((0.0, -1.0), (1.0, 0.0), {"newton": (0.0, 0.0), "poisson": (0.5, 0.0)}),
)


@dataclass(frozen=True)
class RodTwoContacts(go.Case):
    """A uniform rod over two point supports at its ends."""

    reference = "closed form, for Newton's and for Poisson's law"
    laws = ("newton", "poisson", "sequential")

    left: float = go.parameter(0.5, "", "coefficient of restitution of the left support")
    right: float = go.parameter(0.2, "", "coefficient of restitution of the right support")
    speed: float = go.parameter(1.0, "m/s", "speed of the fall at the first impact")
    mass: float = go.parameter(1.0, "kg", "mass of the rod")
    half_length: float = go.parameter(0.1, "m", "half length of the rod")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(0.4, "s", "simulated time")

    def __post_init__(self) -> None:
        for name in ("speed", "mass", "half_length", "gravity", "duration"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")

    def build(self) -> go.Setup:
        m, g, a = self.mass, self.gravity, self.half_length
        rod = go.System(
            mass=[m, m * a**2 / 3.0],
            force=[-m * g, 0.0],
            contacts=[
                go.Contact("left", lambda q, t: q[0] - a * np.sin(q[1]), restitution=self.left),
                go.Contact("right", lambda q, t: q[0] + a * np.sin(q[1]), restitution=self.right),
            ],
            potential=lambda q, t: m * g * q[0],
            coordinates=["y", "angle"],
        )
        height = self.speed**2 / (2.0 * g)
        return go.Setup(rod, [height, 0.0], [0.0, 0.0], (0.0, self.duration))

    def after(self, law: str) -> tuple[float, float]:
        """Rates of both ends after the first impact."""
        u, e1, e2 = self.speed, self.left, self.right
        if law != "poisson":  # one after the other: both are struck together, by Newton's law
            return e1 * u, e2 * u
        if e1 > 2.0 * e2:
            return 1.5 * e1 * u, 0.0
        if e2 > 2.0 * e1:
            return 0.0, 1.5 * e2 * u
        return (2.0 * e1 - e2) * u, (2.0 * e2 - e1) * u

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impact = next(event for event in result.events if event.kind == "impact")
        yield go.Check("first impact", impact.t, self.speed / self.gravity, 1e-10, "s")
        law = "poisson" if result.settings["law"] == "poisson" else "newton"
        y, turn = impact.v_after[0], self.half_length * impact.v_after[1]
        left, right = self.after(law)
        tolerance = 1e-9 * self.speed
        yield go.Check("rate of the left end after", y - turn, left, tolerance, "m/s")
        yield go.Check("rate of the right end after", y + turn, right, tolerance, "m/s")
        changes = [event.energy_change for event in result.events if event.impulses]
        fall = 0.5 * self.mass * self.speed**2
        yield go.Check.at_most("energy gained at an impact, relative", max(changes) / fall, 1e-12)
        if np.abs(result.v[-1]).max() < tolerance:
            half = 0.5 * self.mass * self.gravity
            for name in ("left", "right"):
                force = result.multipliers[name][-1]
                yield go.Check.relative(
                    f"force of the {name} support at rest", force, half, 1e-9, "N"
                )
        deepest = -min(gap.min() for gap in result.gaps.values())
        yield go.Check.at_most("deepest penetration", deepest, 1e-9, "m")
        account = np.abs(result.energy.residual).max() / fall
        yield go.Check.at_most("energy account, relative", account, 1e-9)
        if self.at_defaults:
            yield from _table()

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        a = self.half_length
        tip = a * np.array([np.cos(q[1]), np.sin(q[1])])
        thick = 0.1 * a * np.array([-np.sin(q[1]), np.cos(q[1])])
        middle = np.array([0.0, q[0]])
        left, right = middle - tip, middle + tip
        return [
            scene.ground([-1.4 * a, -0.3 * a], [1.4 * a, -0.3 * a], depth=0.1 * a),
            _support(-a, 0.15 * a, "left"),
            _support(a, 0.15 * a, "right"),
            scene.trail(left, role="second"),
            scene.trail(right, role="third"),
            scene.polygon([left, right, right + thick, left + thick]),
        ]

    def figures(self, result: go.Result) -> dict[str, Callable[[], Figure]]:
        def laws() -> Figure:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(8.0, 3.2), layout="constrained")
            panels = figure.subplots(1, 2, sharey=True)
            for panel, law in zip(panels, ("newton", "poisson"), strict=True):
                run = self.run(law=law)
                times = np.linspace(0.0, run.t[-1], 1200)
                y, angle = run(times)[0].T
                turn = self.half_length * np.sin(angle)
                panel.plot(times, y - turn, color="#E69F00", label=f"left, e = {self.left:g}")
                panel.plot(times, y + turn, color="#009E73", label=f"right, e = {self.right:g}")
                panel.set(title=f"{law.capitalize()}'s law", xlabel="t / s")
            panels[0].set_ylabel("height of the ends / m")
            panels[1].legend()
            return figure

        return {"laws": laws}


def _support(x: float, half: float, name: str) -> scene.Shape:
    return scene.polygon([[x, 0.0], [x + half, -2 * half], [x - half, -2 * half]], "ground",
                         contacts=name)  # fmt: skip


def _table() -> Iterator[go.Check]:
    """Single impacts of the rod in its flat position."""
    for before, (left, right), after in TABLE:
        rod = RodTwoContacts(left=left, right=right, half_length=1.0).build().system
        v = [0.5 * (before[0] + before[1]), 0.5 * (before[1] - before[0])]
        for law, rates in after.items():
            ours = go.collide(rod, [0.0, 0.0], v, law=law).rates_after
            for name, rate in zip(("left", "right"), rates, strict=True):
                what = f"{law}, rates {before}, e {(left, right)}: {name} end"
                yield go.Check(what, ours[name], rate, 1e-12, "m/s")
