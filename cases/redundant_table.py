"""A rigid table falls flat on its four legs, and then a load wanders over it.

Teaches redundant contacts: four legs where three would do. The motion is unique, the forces of the
legs are not; of all that balance the loads without pulling, the minimum-norm ones are reported, and
`unique=False` says so. The pseudoinverse alone would let the floor pull at a leg when the load is
heavy and near the opposite corner.

Reference: closed form. The table bounces as a point mass does. With the load P at (x, y), a leg at
(xi, yi) = (+-a, +-b) carries (W + P (1 + x xi / a^2 + y yi / b^2)) / 4, and where one would pull,
all shift by the same amount, alternately up and down, until it carries nothing.
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

SIDES = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
LEGS = ("right back", "left back", "left front", "right front")
STEP_ON, WALK = 0.3, 4.0  # seconds until the load is on the table in full, and that it walks


@dataclass(frozen=True)
class RedundantTable(go.Case):
    """Height and two small tilts of a rectangular plate on legs; the load is a moving force."""

    reference = "closed form: bounces, and minimum-norm forces that do not pull"
    laws = ("newton", "poisson", "sequential")

    mass: float = go.parameter(10.0, "kg", "mass of the table")
    load: float = go.parameter(30.0, "kg", "mass of the load, which acts by its weight only")
    half_length: float = go.parameter(0.8, "m", "half the distance between legs, left to right")
    half_width: float = go.parameter(0.5, "m", "half the distance between legs, front to back")
    reach: float = go.parameter(0.8, "", "how far the load goes, 1 being the lines of the legs")
    height: float = go.parameter(0.1, "m", "height the table is dropped from")
    restitution: float = go.parameter(0.4, "", "coefficient of restitution of the legs, below 1")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("mass", "half_length", "half_width", "height", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if self.load < 0.0 or not 0.0 <= self.reach < 1.0 or not 0.0 <= self.restitution < 1.0:
            raise go.InputError(
                "load must not be negative; reach and restitution must be at least 0 and below 1"
            )

    @property
    def legs(self) -> np.ndarray:
        """Places of the legs on the plate, (4, 2)."""
        return SIDES * [self.half_length, self.half_width]

    @property
    def fall(self) -> float:
        """Time to the first impact."""
        return float(np.sqrt(2.0 * self.height / self.gravity))

    @property
    def rest(self) -> float:
        """Time from which the table stands still, and the load steps on."""
        return self.fall * (1.0 + self.restitution) / (1.0 - self.restitution) + 0.1

    def place(self, t: float) -> np.ndarray:
        """Where the load is: on a figure of eight over the plate."""
        turn = 2.0 * np.pi * min(max((t - self.rest - STEP_ON) / WALK, 0.0), 1.0)
        ahead, aside = np.sin(turn), np.sin(2.0 * turn)
        return self.reach * np.array([self.half_length * ahead, self.half_width * aside])

    def weight(self, t: float) -> float:
        """Weight of the load that is on the table."""
        share = min(max((t - self.rest) / STEP_ON, 0.0), 1.0)
        return self.load * self.gravity * share**2 * (3.0 - 2.0 * share)

    def build(self) -> go.Setup:
        m, g = self.mass, self.gravity

        def force(q, v, t):
            t = float(t)
            x, y = self.place(t)
            return np.array([-m * g, 0.0, 0.0]) - self.weight(t) * np.array([1.0, x, y])

        contacts = [
            go.Contact(
                name,
                lambda q, t, x=x, y=y: q[0] + x * q[1] + y * q[2],
                restitution=self.restitution,
            )
            for name, (x, y) in zip(LEGS, self.legs, strict=True)
        ]
        inertia = m / 3.0 * np.array([self.half_length**2, self.half_width**2])
        table = go.System(
            mass=[m, *inertia],
            force=force,
            contacts=contacts,
            potential=lambda q, t: m * g * q[0],
            coordinates=["height", "slope in x", "slope in y"],
        )
        kinks = [self.rest, self.rest + STEP_ON, self.rest + STEP_ON + WALK]
        return go.Setup(
            table, [self.height, 0.0, 0.0], [0.0, 0.0, 0.0], (0.0, kinks[-1] + 0.2),
            {"breakpoints": kinks, "max_step": WALK / 80.0},
        )  # fmt: skip

    def forces(self, t: float) -> np.ndarray:
        """Forces of the legs at rest: the minimum-norm ones among those that do not pull."""
        x, y = self.place(t) / [self.half_length, self.half_width]
        share = 1.0 + SIDES @ [x, y]
        plain = 0.25 * (self.mass * self.gravity + self.weight(t) * share)
        # What opposite legs take more and the other two less balances itself.
        in_turn = np.array([1.0, -1.0, 1.0, -1.0])
        lacking = max(0.0, -plain.min())
        return plain + lacking * in_turn * in_turn[plain.argmin()]

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impacts = [event for event in result.events if event.kind == "impact"]
        first = impacts[0]
        yield go.Check("lands at", first.t, self.fall, 1e-10, "s")
        yield go.Check("legs that land together", len(first.contacts), 4, 0)
        blow = 0.25 * (1.0 + self.restitution) * self.mass * self.gravity * self.fall
        for name in LEGS:
            yield go.Check.relative(f"blow on {name}", first.impulses[name], blow, 1e-9, "N s")
        last = [event for event in result.events if event.kind in ("impact", "accumulation")][-1]
        yield go.Check("stands still from", last.t, self.rest - 0.1, 1e-9, "s")
        tilt = np.abs(result.q[:, 1:]).max()
        yield go.Check.at_most("largest tilt", tilt, 1e-9, "rad")

        standing = result.t > self.rest
        ours = np.stack([result.multipliers[name][standing] for name in LEGS], axis=1)
        exact = np.array([self.forces(float(t)) for t in result.t[standing]])
        full = (self.mass + self.load) * self.gravity
        total = np.array([self.weight(float(t)) for t in result.t[standing]])
        total += self.mass * self.gravity
        off = np.abs(ours.sum(axis=1) - total).max() / full
        yield go.Check.at_most("error of the total force, relative", off, 1e-9)
        yield go.Check.at_most("pull of the floor", max(0.0, -ours.min()), 0.0, "N")
        off = np.abs(ours - exact).max() / full
        yield go.Check.at_most("error of the minimum-norm forces, relative", off, 1e-9)
        moved = np.abs(result.q[standing]).max() / self.height
        yield go.Check.at_most("height while standing, of the drop", moved, 1e-9)

        eighth = self.rest + STEP_ON + WALK / 8.0
        answer = go.accelerate(result.system, np.zeros(3), np.zeros(3), eighth)
        yield go.Check("forces are reported as unique", answer.solution.unique, False, 0)
        yield go.Check.at_most("acceleration", np.abs(answer.acceleration).max(), 1e-9, "m/s^2")
        account = np.abs(result.energy.residual).max() / (self.mass * self.gravity * self.height)
        yield go.Check.at_most("energy account, relative", account, 1e-9)
        yield go.Check.at_most("worst certificate", result.stats.worst_residual, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        # Seen from the front and a little from above: depth goes up and to the right.
        def seen(x: float, y: float, z: float) -> np.ndarray:
            return np.array([x + 0.35 * y, 0.45 * y + z])

        a, b = self.half_length, self.half_width
        leg, up = 0.7 * a, np.array([0.0, 1.0])
        under = [seen(x, y, q[0] + x * q[1] + y * q[2]) for x, y in self.legs]
        top = [point + leg * up for point in under]
        x, y = self.place(t)
        foot = seen(x, y, q[0] + x * q[1] + y * q[2]) + leg * up
        heavy = self.mass * self.gravity + self.load * self.gravity
        push = 1.2 * leg * self.forces(t) / heavy if t > self.rest else np.zeros(4)
        down = 0.8 * leg * self.weight(t) / heavy
        floor = [seen(1.5 * s * a, 1.6 * r * b, 0.0) for s, r in SIDES]
        return [
            scene.polygon(floor, "ghost"),
            *(
                scene.line([low, high], "string", 5.0, contacts=name)
                for low, high, name in zip(under, top, LEGS, strict=True)
            ),
            scene.polygon(top),
            scene.arrow(foot + down * up, foot, role="second", width=3.0),
            *(
                scene.arrow(low - force * up, low, role="force", width=2.5)
                for low, force in zip(under, push, strict=True)
            ),
        ]

    def figures(self, result: go.Result) -> dict[str, Callable[[], Figure]]:
        def legs() -> Figure:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(8.0, 3.6), layout="constrained")
            axis = figure.subplots()
            colors = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")
            for name, color in zip(LEGS, colors, strict=True):
                axis.plot(result.t, result.multipliers[name], color=color, label=name)
            axis.set(xlabel="t / s", ylabel="force of the leg / N", xlim=(0.0, result.t[-1]))
            figure.legend(ncols=4, loc="outside upper center")
            return figure

        return {"legs": legs}
