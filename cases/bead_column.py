"""A column of beads falls on a floor and bounces as one body.

Teaches an impact on many contacts at once: all beads touch, only the lowest meets the floor, and
the whole column is one problem. When all coefficients of restitution are 1, Newton's law reverses
every speed, so that the column stays together.

Reference: closed form. The column is dropped from h and hits at sqrt(2 h / g) and every twice that
time later; the contact below a bead gives twice the momentum of all beads above it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class BeadColumn(go.Case):
    """Equal beads on top of each other on a vertical line, all impacts elastic."""

    reference = "closed form: the column bounces as one body"
    laws = ("newton", "poisson")

    beads: int = go.parameter(10, "", "number of beads", least=1, most=200)
    height: float = go.parameter(0.05, "m", "height the column is dropped from")
    diameter: float = go.parameter(0.02, "m", "diameter of a bead")
    mass: float = go.parameter(1.0, "kg", "mass of a bead")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in (p.name for p in self.parameters()):
            if not getattr(self, name) > 0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")

    @property
    def fall(self) -> float:
        """Time to the first impact."""
        return float(np.sqrt(2.0 * self.height / self.gravity))

    def build(self) -> go.Setup:
        n, d, weight = self.beads, self.diameter, self.mass * self.gravity
        between = [
            go.Contact(f"{i + 1}-{i + 2}", lambda q, t, i=i: q[i + 1] - q[i] - d, restitution=1.0)
            for i in range(n - 1)
        ]
        column = go.System(
            mass=np.full(n, self.mass),
            force=np.full(n, -weight),
            contacts=[go.Contact("floor", lambda q, t: q[0], restitution=1.0), *between],
            potential=lambda q, t: weight * np.sum(q),
            coordinates=[f"bead {i + 1}" for i in range(n)],  # its lowest point
        )
        q0 = self.height + d * np.arange(n)
        return go.Setup(column, q0, np.zeros(n), (0.0, 3.6 * self.fall))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impacts = [event for event in result.events if event.kind == "impact"]
        speed = self.gravity * self.fall
        yield go.Check("number of impacts", len(impacts), 2, 0)
        for k, event in enumerate(impacts[:2]):
            hit = f"impact {k + 1}"
            yield go.Check(hit, event.t, (2 * k + 1) * self.fall, 1e-10, "s")
            for side, v, exact in (
                ("before", event.v_before, -speed),
                ("after", event.v_after, speed),
            ):
                off = np.abs(v / exact - 1.0).max()
                yield go.Check.at_most(f"{hit}, error of the speeds {side}, relative", off, 1e-9)
            above = self.mass * np.arange(self.beads, 0, -1)
            impulses = np.array([event.impulses[name] for name in result.contacts])
            off = np.abs(impulses / (2.0 * speed * above) - 1.0).max()
            yield go.Check.at_most(f"{hit}, error of the impulses, relative", off, 1e-9)
        energy = self.beads * self.mass * self.gravity * self.height
        account = np.abs(result.energy.residual).max() / energy
        yield go.Check.at_most("energy account, relative", account, 1e-9)
        between = [abs(gap).max() for name, gap in result.gaps.items() if name != "floor"]
        apart = max(between, default=0.0) / self.diameter
        yield go.Check.at_most("largest gap between beads, of the diameter", apart, 1e-9)
        deepest = -result.gaps["floor"].min() / self.height
        yield go.Check.at_most("deepest penetration of the floor, of the height", deepest, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        r = 0.5 * self.diameter
        wide = 0.25 * (self.height + self.beads * self.diameter)
        names = ["floor", *(f"{i}-{i + 1}" for i in range(1, self.beads))]
        roles = ["body" if i % 2 else "second" for i in range(self.beads)]
        return [scene.ground([-wide, 0.0], [wide, 0.0], depth=0.2 * wide, contacts="floor")] + [
            scene.disc([0.0, y + r], r, role, contacts=name)
            for y, role, name in zip(q, roles, names, strict=True)
        ]
