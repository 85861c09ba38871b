"""Kane's pendulum strikes a rough floor: Newton's law gains energy, Poisson's does not.

Teaches why Poisson's law is the default with friction, and that every impact is audited: under
Newton's law the run goes on, but the event says that the law has increased the energy, and what to
use instead.

Reference: Kane's example of two uniform rods, with the changes of the kinetic energy from an
independent solution of the two complementarity problems.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

NEWTON, POISSON = 0.5874946869298471, -0.4551339365114762


@dataclass(frozen=True)
class KanePendulum(go.Case):
    """Two uniform rods of 1 m and 1 kg, angles from the downward vertical."""

    reference = "an independent solution of the complementarity problems"
    laws = ("poisson",)

    first: float = go.parameter(20.0, "deg", "angle of the upper rod at the impact")
    second: float = go.parameter(30.0, "deg", "angle of the lower rod at the impact")
    friction: float = go.parameter(0.5, "", "coefficient of friction")
    restitution: float = go.parameter(0.5, "", "coefficient of restitution")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(0.5, "s", "simulated time")

    def __post_init__(self) -> None:
        if not (0.0 < self.first < 90.0 and 0.0 < self.second < 90.0 and self.gravity > 0.0):
            raise go.InputError("angles must be between 0 and 90 degrees, gravity positive")

    @property
    def start(self) -> list[float]:
        """The angles in radians."""
        return [float(np.radians(self.first)), float(np.radians(self.second))]

    @property
    def depth(self) -> float:
        """How far the floor is below the pivot."""
        return float(np.cos(self.start).sum())

    def system(self) -> go.System:
        """The pendulum with the floor under its tip."""
        depth, g = self.depth, self.gravity

        def mass(q: np.ndarray, t: float) -> np.ndarray:
            c = 0.5 * np.cos(q[0] - q[1])
            return np.array([[4.0 / 3.0, c], [c, 1.0 / 3.0]])

        def force(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
            s = 0.5 * np.sin(q[0] - q[1])
            return np.array([
                -s * v[1] ** 2 - 1.5 * g * np.sin(q[0]),
                s * v[0] ** 2 - 0.5 * g * np.sin(q[1]),
            ])  # fmt: skip

        floor = go.Contact(
            "floor",
            lambda q, t: depth - np.cos(q[0]) - np.cos(q[1]),
            self.restitution,
            slip=lambda q, v, t: np.cos(q[0]) * v[0] + np.cos(q[1]) * v[1],
            friction=self.friction,
        )
        return go.System(
            mass,
            force,
            contacts=[floor],
            potential=lambda q, t: -g * (1.5 * np.cos(q[0]) + 0.5 * np.cos(q[1])),
            coordinates=["upper", "lower"],
        )

    def build(self) -> go.Setup:
        return go.Setup(self.system(), self.start, [-0.1, -0.2], (0.0, self.duration))

    def check(self, result: go.Result) -> Iterator[go.Check]:
        for law, tabulated in (("newton", NEWTON), ("poisson", POISSON)):
            hit = go.collide(self.system(), self.start, [-0.1, -0.2], law=law)
            before = 0.5 * hit.v_before @ hit.snapshot.mass @ hit.v_before
            if self.at_defaults:
                change = hit.energy_change / before
                yield go.Check(f"{law}: change of the energy, relative", change, tabulated, 1e-9)
                yield go.Check(f"{law}: a gain is seen", hit.gains_energy, law == "newton", 0)
        first = result.events[0]
        yield go.Check("the run begins with the impact", first.kind == "impact", True, 0)
        yield go.Check("without a gain", any(e.gains_energy for e in result.events), False, 0)
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-8, "J")
        if self.at_defaults:
            event = self.run(law="newton", t_end=0.01).events[0]
            yield go.Check("under Newton's law the event says so", event.gains_energy, True, 0)
            yield go.Check("and the remedy", "poisson" in " ".join(event.remarks), True, 0)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        knee = np.array([np.sin(q[0]), -np.cos(q[0])])
        tip = knee + np.array([np.sin(q[1]), -np.cos(q[1])])
        return [
            scene.ground([-0.5, -self.depth], [1.6, -self.depth], contacts="floor"),
            scene.trail(tip),
            scene.line([[0.0, 0.0], knee, tip], width=5.0),
            scene.dot([0.0, 0.0], role="string"),
            scene.dot(knee, role="second"),
            scene.dot(tip, role="second", contacts="floor"),
        ]
