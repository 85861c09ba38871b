"""Newton's cradle: one ball falls on a row of balls; three impact laws predict what follows.

Teaches that an impact law is a choice. Five pendulums hang in a row and touch. When the impacts are
taken one after the other, the last ball takes all and the swing goes back and forth. Newton's and
Poisson's laws solve one problem for the whole row: the first ball rebounds and the others move off
together. All three keep momentum, and energy when e = 1.

Reference: the period by the complete elliptic integral; published tables of chains of balls under
the laws; pairwise collisions done one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ellipk

import gauss_opt as go
from gauss_opt.viz import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LAWS = ("newton", "poisson", "sequential")
COLORS = {"newton": "#0072B2", "poisson": "#E69F00", "sequential": "#009E73"}

# Masses, coefficients of restitution, velocities after under Newton and under Poisson. The first
# ball arrives with 1 m/s at the others, which all touch.
TABLE = (
    ((1, 1, 1), (1, 1), (-1 / 3, 2 / 3, 2 / 3), (-1 / 3, 2 / 3, 2 / 3)),
    ((1, 1, 1), (0.6, 0.9), (-1 / 15, 8 / 15, 8 / 15), (-1 / 15, 13 / 30, 19 / 30)),
    ((1, 1, 1), (0, 1), (1 / 3, 1 / 3, 1 / 3), (1 / 6, 1 / 6, 2 / 3)),
    ((1, 1, 1), (1, 0), (-1 / 3, 2 / 3, 2 / 3), (-1 / 3, 2 / 3, 2 / 3)),
    ((1, 2, 3), (0.5, 0.5), (-1 / 4, 1 / 4, 1 / 4), (-1 / 4, 1 / 4, 1 / 4)),
    ((1,) * 5, (0.8,) * 4, (-0.44, *[0.36] * 4), (-0.44, *[0.36] * 4)),
)
FIRST_PASS = (0.1, 0.09, 0.081, 0.0729, 0.6561)  # five equal balls, e = 0.8, one after the other


def row(masses: Sequence[float], restitution: Sequence[float]) -> go.System:
    """Balls on a line, 1 m from centre to centre when they touch."""
    contacts = [
        go.Contact(
            f"{i + 1}-{i + 2}", lambda q, t, i=i: q[i + 1] - q[i] - 1.0, restitution=float(e)
        )
        for i, e in enumerate(restitution)
    ]
    return go.System(np.array(masses, dtype=float), np.zeros(len(masses)), contacts=contacts)


def struck(masses: Sequence[float], restitution: Sequence[float], law: str) -> go.Collision:
    """What happens when the first ball arrives with 1 m/s."""
    n = len(masses)
    return go.collide(row(masses, restitution), np.arange(n), np.eye(n)[0], law=law)


def one_by_one(v: np.ndarray, e: float) -> np.ndarray:
    """Velocities of equal balls after pairwise collisions, the fastest approach first."""
    v = v.copy()
    while (approach := -np.diff(v)).max() > 1e-13:
        i = int(approach.argmax())
        mean, half = 0.5 * (v[i] + v[i + 1]), 0.5 * approach[i]
        v[i], v[i + 1] = mean - e * half, mean + e * half
    return v


@dataclass(frozen=True)
class NewtonsCradle(go.Case):
    """Pendulums in a row; the coordinates are their angles."""

    reference = "elliptic integral, published tables of ball chains, pairwise collisions"
    laws = ("sequential", "newton", "poisson")

    balls: int = go.parameter(5, "", "number of balls", least=2, most=100)
    restitution: float = go.parameter(1.0, "", "coefficient of restitution of all contacts")
    angle: float = go.parameter(45.0, "deg", "angle the first ball is released at")
    length: float = go.parameter(0.5, "m", "length of the strings")
    radius: float = go.parameter(0.05, "m", "radius of the balls")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("length", "radius", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if self.balls < 2:
            raise go.InputError(f"a cradle needs at least 2 balls, got {self.balls}")
        if not 0.0 < self.angle <= 90.0:
            raise go.InputError(f"angle must be above 0 and at most 90, got {self.angle:g}")

    @property
    def quarter(self) -> float:
        """A quarter of the period of a single ball."""
        k = np.sin(0.5 * np.radians(self.angle))
        return float(ellipk(k**2) * np.sqrt(self.length / self.gravity))

    def build(self) -> go.Setup:
        n, r, length, g = self.balls, self.radius, self.length, self.gravity

        def gap(i: int) -> Callable:
            def distance(q, t):
                across = 2.0 * r + length * (np.sin(q[i + 1]) - np.sin(q[i]))
                up = length * (np.cos(q[i]) - np.cos(q[i + 1]))
                return np.hypot(across, up) - 2.0 * r

            return distance

        cradle = go.System(
            mass=np.full(n, length**2),
            force=lambda q, v, t: -g * length * np.sin(q),
            contacts=[
                go.Contact(f"{i + 1}-{i + 2}", gap(i), restitution=self.restitution)
                for i in range(n - 1)
            ],
            potential=lambda q, t: g * length * np.sum(1.0 - np.cos(q)),
            coordinates=[f"angle {i + 1}" for i in range(n)],
        )
        q0 = -np.radians(self.angle) * np.eye(n)[0]
        return go.Setup(cradle, q0, np.zeros(n), (0.0, 10.0 * self.quarter), {"rtol": 1e-11})

    def after(self, law: str) -> np.ndarray:
        """Velocities after the first impact, as part of that of the first ball."""
        n, e = self.balls, self.restitution
        if law == "sequential":
            return one_by_one(np.eye(n)[0], e)
        return np.array([(1.0 - (n - 1) * e) / n, *[(1.0 + e) / n] * (n - 1)])

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impacts = [event for event in result.events if event.kind == "impact"]
        law = result.settings["law"]
        first, w = impacts[0], np.sqrt(self.gravity / self.length)
        arrival = 2.0 * w * np.sin(0.5 * np.radians(self.angle))
        yield go.Check("first impact", first.t, self.quarter, 1e-10, "s")
        yield go.Check.relative("rate before", first.v_before[0], arrival, 1e-9, "rad/s")
        for i, exact in enumerate(self.after(law)):
            ours = first.v_after[i] / first.v_before[0]
            yield go.Check(f"ball {i + 1} after the first impact, part of it", ours, exact, 1e-8)
        if law == "sequential" and self.restitution == 1.0:
            yield from self._swings(result)
        gain = max(event.energy_change for event in impacts)
        energy = result.energy.total[0]
        yield go.Check.at_most("energy gained at an impact, relative", gain / energy, 1e-12)
        account = np.abs(result.energy.residual).max() / energy
        yield go.Check.at_most("energy account, relative", account, 1e-9)
        deepest = -min(gap.min() for gap in result.gaps.values()) / self.radius
        yield go.Check.at_most("deepest penetration, of the radius", deepest, 1e-9)
        if self.at_defaults and law == self.laws[0]:
            yield from _tables()

    def _swings(self, result: go.Result) -> Iterator[go.Check]:
        """The first and the last ball take turns, each for half a period."""
        swing = np.radians(self.angle)
        for k in range(1, 5):
            t, exact = 2 * k * self.quarter, np.zeros(self.balls)
            exact[-1 if k % 2 else 0] = swing if k % 2 else -swing
            off = np.abs(result(t).q - exact).max()
            yield go.Check.at_most(f"error of the angles at turning point {k}", off, 1e-8, "rad")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        n, r, length = self.balls, self.radius, self.length
        pivots = np.stack([2.0 * r * (np.arange(n) - 0.5 * (n - 1)), np.zeros(n)], axis=1)
        places = pivots + length * np.stack([np.sin(q), -np.cos(q)], axis=1)
        beam = n * r + 2.0 * r
        names = [[f"{i}-{i + 1}", f"{i + 1}-{i + 2}"] for i in range(n)]
        names[0], names[-1] = names[0][1:], names[-1][:1]
        strings = [scene.line(ends, "string", 1.2) for ends in zip(pivots, places, strict=True)]
        roles = ["second", *["body"] * (n - 2), "third"]
        discs = [
            scene.disc(place, r, role, contacts=contacts)
            for place, role, contacts in zip(places, roles, names, strict=True)
        ]
        return [scene.ground([beam, 0.0], [-beam, 0.0], depth=r), *strings, *discs]

    def figures(self, result: go.Result) -> dict[str, Callable[[], Figure]]:
        return {"laws": self._bars, "swings": self._angles}

    def _bars(self) -> Figure:
        """Velocities after one impact on a row, by law."""
        from matplotlib.figure import Figure

        e = self.restitution
        panels = {
            f"{self.balls} equal balls, e = {e:g}": ([1.0] * self.balls, [e] * (self.balls - 1)),
            "3 equal balls, e = 0.6 and 0.9": ([1.0] * 3, [0.6, 0.9]),
        }
        figure = Figure(figsize=(9.0, 3.4), layout="constrained")
        axes = figure.subplots(1, 2, sharey=True)
        for axis, (title, (masses, coefficients)) in zip(axes, panels.items(), strict=True):
            for k, law in enumerate(LAWS):
                after = struck(masses, coefficients, law).v_after
                places = np.arange(1, len(after) + 1) + 0.26 * (k - 1)
                axis.bar(places, after, width=0.24, color=COLORS[law], label=law)
            axis.axhline(0.0, color="0.3", linewidth=0.8)
            axis.set(title=title, xlabel="ball", xticks=range(1, len(masses) + 1))
        axes[0].set_ylabel("velocity after / velocity before")
        axes[0].legend(loc="upper left")
        return figure

    def _angles(self) -> Figure:
        """The swings of all balls, by law."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.0, 6.0), layout="constrained")
        axes = figure.subplots(len(LAWS), 1, sharex=True, sharey=True)
        for axis, law in zip(axes, LAWS, strict=True):
            run = self.run(law=law)
            times = np.linspace(0.0, run.t[-1], 800)
            angles = np.degrees(run(times)[0])
            for i in range(self.balls):
                color = {0: "#E69F00", self.balls - 1: "#009E73"}.get(i, "#0072B2")
                axis.plot(times, angles[:, i], color=color, label=f"ball {i + 1}")
            axis.set(title=law, ylabel="angle / deg")
        figure.legend(
            *axes[0].get_legend_handles_labels(), ncols=self.balls, loc="outside upper right"
        )
        axes[-1].set_xlabel("t / s")
        return figure


def _tables() -> Iterator[go.Check]:
    """Published velocities after an impact on a row of balls."""
    for masses, e, *outcomes in TABLE:
        for law, exact in zip(("newton", "poisson"), outcomes, strict=True):
            off = np.abs(struck(masses, e, law).v_after - exact).max()
            what = f"largest error for masses {masses}, e {e}, {law}"
            yield go.Check.at_most(what, off, 1e-12, "m/s")
    passed = struck((1,) * 5, (1,) * 4, "sequential").v_after
    off = np.abs(passed - np.eye(5)[4]).max()
    yield go.Check.at_most("largest error, one after the other, e = 1", off, 1e-12, "m/s")
    jumps = struck((1,) * 5, (0.8,) * 4, "sequential").jumps
    for i, exact in enumerate(FIRST_PASS):
        what = f"ball {i + 1} after the first pass, e = 0.8"
        yield go.Check(what, jumps[3].v[i], exact, 1e-12, "m/s")
