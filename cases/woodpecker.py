"""A woodpecker toy comes down its pole: it sticks, slips, lets go, and its beak strikes.

Teaches everything at once: contacts that stick and slip, release, plastic impacts of the sleeve
with friction, and an impact of the beak with restitution.

Reference: Glocker's parameters of the toy; the times of its first events from another event-driven
program, at a tolerance of 1e-12.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

POLE, SLEEVE, HALF_SLEEVE = 0.0025, 0.0031, 0.0058  # radii of pole and sleeve, half its height
TO_SPRING, TO_BODY = 0.010, 0.015  # from the pole to the spring, from there to the bird's centre
BEAK_HEIGHT, BEAK = 0.02, 0.0201
SLEEVE_MASS, BODY_MASS = 0.0003, 0.0045
SLEEVE_INERTIA, BODY_INERTIA, SPRING = 5e-9, 7e-7, 0.0056

EVENTS = (
    ("stick", "lower", 0.02163631405329952),
    ("slip", "lower", 0.0612139312479648),
    ("release", "lower", 0.067023398144524),
    ("impact", "upper", 0.077877992289728),
    ("impact", "beak", 0.080988805418649),
    ("impact", "upper", 0.081575328789609),
)


@dataclass(frozen=True)
class Woodpecker(go.Case):
    """Height of the sleeve, angle of the sleeve, angle of the bird."""

    reference = "an independent event-driven program at 1e-12"
    laws = ("poisson",)

    friction: float = go.parameter(0.3, "", "coefficient of friction")
    restitution: float = go.parameter(0.5, "", "coefficient of restitution of the beak")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(0.3, "s", "simulated time")

    def __post_init__(self) -> None:
        if not (self.friction > 0.0 and self.gravity > 0.0 and self.duration > 0.0):
            raise go.InputError("friction, gravity and duration must be positive")

    def build(self) -> go.Setup:
        a, b, m, g = TO_SPRING, TO_BODY, BODY_MASS, self.gravity
        mass = [
            [m + SLEEVE_MASS, m * a, m * b],
            [m * a, SLEEVE_INERTIA + m * a**2, m * a * b],
            [m * b, m * a * b, BODY_INERTIA + m * b**2],
        ]

        def force(q: np.ndarray, v: np.ndarray, t: float) -> list[float]:
            spring = SPRING * (q[1] - q[2])
            return [-(m + SLEEVE_MASS) * g, -spring - m * g * a, spring - m * g * b]

        def along_sleeve(q: np.ndarray, v: np.ndarray, t: float) -> float:
            slip: float = v[0] + SLEEVE * v[1]
            return slip

        play, mu = SLEEVE - POLE, self.friction
        beak = go.Contact(
            "beak",
            lambda q, t: a + b - BEAK - POLE - BEAK_HEIGHT * q[2],
            self.restitution,
            slip=lambda q, v, t: v[0] + a * v[1] + (b - BEAK) * v[2],
            friction=mu,
        )
        lower = go.Contact(
            "lower", lambda q, t: play + HALF_SLEEVE * q[1], slip=along_sleeve, friction=mu
        )
        upper = go.Contact(
            "upper", lambda q, t: play - HALF_SLEEVE * q[1], slip=along_sleeve, friction=mu
        )
        toy = go.System(
            mass=mass,
            force=force,
            contacts=[beak, lower, upper],
            coordinates=["height", "sleeve", "bird"],
        )
        q0, v0 = [0.0, -play / HALF_SLEEVE, -0.2788], [-0.3411, 0.0, -7.4583]
        return go.Setup(toy, q0, v0, (0.0, self.duration), {"rtol": 1e-10})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        if self.at_defaults:
            for event, (kind, name, t) in zip(result.events, EVENTS, strict=False):
                alike = (event.kind, event.contacts) == (kind, (name,))
                yield go.Check(f"{kind} of the contact {name}", alike, True, 0)
                yield go.Check(f"time of the {kind}", event.t, t, 1e-9, "s")
        size = result.energy.kinetic.max()
        account = np.abs(result.energy.residual).max() / size
        yield go.Check.at_most("energy account, relative", account, 1e-8)
        yield go.Check.at_most("work of friction", result.energy.friction.max(), 1e-12, "J")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        y, low, high = float(q[0]), -0.12, 0.05
        tilt, bird = (np.array([np.cos(s), np.sin(s)]) for s in (3.0 * q[1], q[2]))
        up = np.array([-tilt[1], tilt[0]])
        middle = np.array([0.0, y])
        corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
        sleeve = [middle + 0.0045 * (c * tilt) + HALF_SLEEVE * (d * up) for c, d in corners]
        hinge = middle + TO_SPRING * tilt
        centre = hinge + TO_BODY * bird
        above = np.array([-bird[1], bird[0]])
        head = centre + 0.018 * above
        tip = centre - BEAK * bird + BEAK_HEIGHT * above
        return [
            scene.line([[0.0, low], [0.0, high]], "ground", 5.0),
            scene.polygon(sleeve, "second", contacts=["lower", "upper"]),
            scene.spring(middle + 0.0045 * tilt, centre, width=0.002),
            scene.line([centre - 0.022 * above, centre + 0.018 * above], "body", 9.0),
            scene.disc(head, 0.006, contacts="beak"),
            scene.line([head, tip], "accent", 2.5),
        ]
