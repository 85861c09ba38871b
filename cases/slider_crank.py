"""A slider crank with five constraints: motion and pin reactions of a mechanism.

Teaches a mechanism written as it is drawn: two rods, two pins and a guide along the x axis. One
degree of freedom is left, but nobody has to find it: the multipliers of the joints are the forces
of the pins and of the guide, in newtons. Lengths are half lengths, as in the source.

Reference: the model of the course ME451 (University of Wisconsin-Madison, 2014), whose multipliers
have the opposite sign. It is compared with the equation of motion of the crank's angle alone,
integrated by scipy, and with Newton's and Euler's equations of each body.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.integrate import solve_ivp

import gauss_opt as go
import gauss_opt.planar as pl
from gauss_opt.viz import scene


@dataclass(frozen=True)
class SliderCrank(go.Case):
    """A crank on a ground pin, a rod on the crank's end, and a guide for the rod's end."""

    reference = "the equation of motion of the crank's angle alone; ME451, slider crank"

    crank: float = go.parameter(0.15, "m", "half length of the crank")
    rod: float = go.parameter(0.35, "m", "half length of the rod, longer than the crank")
    crank_mass: float = go.parameter(3.0, "kg", "mass of the crank, uniform")
    rod_mass: float = go.parameter(1.0, "kg", "mass of the rod, uniform")
    angle: float = go.parameter(60.0, "deg", "angle of the crank at the start")
    speed: float = go.parameter(4.0, "rad/s", "angular speed of the crank at the start")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration, along -y")
    duration: float = go.parameter(2.0, "s", "simulated time")

    def __post_init__(self) -> None:
        if not min(self.crank, self.crank_mass, self.rod_mass, self.duration) > 0.0:
            raise go.InputError("crank, crank_mass, rod_mass and duration must be positive")
        if not self.rod > self.crank:
            raise go.InputError(
                f"the rod ({self.rod:g} m) must be longer than the crank ({self.crank:g} m), or "
                f"the crank cannot turn"
            )

    @property
    def inertia(self) -> np.ndarray:
        """Masses and moments of inertia of x1, y1, a1, x2, y2, a2."""
        m1, m2 = self.crank_mass, self.rod_mass
        return np.array([m1, m1, m1 * self.crank**2 / 3, m2, m2, m2 * self.rod**2 / 3])

    @property
    def weight(self) -> np.ndarray:
        """Generalised force of gravity."""
        return -self.gravity * self.inertia * np.array([0.0, 1.0, 0.0, 0.0, 1.0, 0.0])

    @cached_property
    def mechanism(self) -> pl.Mechanism:
        """Both rods and their joints."""
        m = pl.Mechanism(gravity=self.gravity)
        crank = m.body("crank", pl.Rod(2.0 * self.crank), mass=self.crank_mass)
        rod = m.body("rod", pl.Rod(2.0 * self.rod), mass=self.rod_mass)
        m.pin("ground pin", m.ground.at(0.0, 0.0), crank.start)
        m.pin("crank pin", crank.end, rod.start)
        m.slider("guide", rod.end, pl.Line((0.0, 0.0), (1.0, 0.0)))
        return m

    def build(self) -> go.Setup:
        m, span = self.mechanism, (0.0, self.duration)
        _, crank, _ = m.bodies
        start = m.assemble({crank.angle: self.angle * pl.deg, crank.rate: self.speed})
        return go.Setup(m.system, start.q, start.v, span, {"rtol": 1e-11})

    def position(self, angle: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All six positions by the crank's angle, with first and second derivatives in it."""
        l1, l2 = self.crank, self.rod
        s1, c1 = np.sin(angle), np.cos(angle)
        s2 = -l1 / l2 * s1
        c2 = np.sqrt(1.0 - s2**2)
        turn = -l1 * c1 / (l2 * c2)  # of the rod for one of the crank
        bend = (l1 * s1 + l2 * s2 * turn**2) / (l2 * c2)
        place = [l1 * c1, l1 * s1, angle, 2 * l1 * c1 + l2 * c2, l1 * s1, np.arcsin(s2)]
        first = [-l1 * s1, l1 * c1, 1.0, -2 * l1 * s1 - l2 * s2 * turn, l1 * c1, turn]
        second = [-l1 * c1, -l1 * s1, 0.0, 0.0, -l1 * s1, bend]
        second[3] = -2 * l1 * c1 - l2 * c2 * turn**2 - l2 * s2 * bend
        return np.array(place), np.array(first), np.array(second)

    def angular_acceleration(self, angle: float, speed: float) -> float:
        """I(a) a'' + 1/2 I'(a) a'^2 = Q(a)."""
        _, first, second = self.position(angle)
        momentum = self.inertia * first
        return float((self.weight @ first - momentum @ second * speed**2) / (momentum @ first))

    def turning(self, t_span, angle: float, speed: float, **options):
        """The crank's angle and speed over time, by scipy."""

        def slope(t, y):
            return [y[1], self.angular_acceleration(y[0], y[1])]

        accuracy = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}
        return solve_ivp(slope, t_span, [angle, speed], **accuracy, **options)

    def reactions(self, angle: float, speed: float) -> np.ndarray:
        """Newton and Euler for each body: ground pin on the crank, crank pin on the rod, guide."""
        (m1, _, _, m2, _, J2), g, l2 = self.inertia, self.gravity, self.rod
        place, first, second = self.position(angle)
        a = first * self.angular_acceleration(angle, speed) + second * speed**2
        s2, c2 = np.sin(place[5]), np.cos(place[5])
        pin_x = m2 * a[3]
        both = m2 * (a[4] + g)  # pin_y + guide, which carry the rod
        difference = (J2 * a[5] - l2 * s2 * pin_x) / (l2 * c2)  # guide - pin_y, which turn it
        pin_y, guide = 0.5 * (both - difference), 0.5 * (both + difference)
        return np.array([m1 * a[0] + pin_x, m1 * (a[1] + g) + pin_y, pin_x, pin_y, guide])

    def check(self, result: go.Result) -> Iterator[go.Check]:
        turning = self.turning(
            (0.0, result.t[-1]), np.radians(self.angle), self.speed, t_eval=result.t
        ).y
        exact = np.array([self.position(angle)[0] for angle in turning[0]])
        yield go.Check("crank angle at the end", result.q[-1, 2], exact[-1, 2], 1e-8, "rad")
        off = np.abs(result.q - exact).max()
        yield go.Check.at_most("positions off one degree of freedom", off, 1e-8, "m, rad")
        names = ("ground pin x", "ground pin y", "crank pin x", "crank pin y", "guide")
        forces = np.column_stack(
            [result.multipliers[c] for c in ("ground pin", "crank pin", "guide")]
        )
        exact = np.array([self.reactions(*state) for state in turning.T])
        size = max(1.0, np.abs(exact).max())
        for name, force, reference in zip(names, forces.T, exact.T, strict=True):
            off = np.abs(force - reference).max() / size
            yield go.Check.at_most(f"{name} off Newton and Euler, by largest force", off, 1e-8)
        yield from self.check_run(result)

    def check_run(self, result: go.Result) -> Iterator[go.Check]:
        """What holds with or without contacts."""
        energy = result.energy
        size = energy.kinetic.max() + np.ptp(energy.potential) or 1.0  # 1 J when nothing moves
        drift = max(
            np.abs(values).max()
            for name, values in result.values.items()
            if name not in result.contacts
        )
        yield go.Check.at_most("drift", drift, 1e-9, "m")
        yield go.Check.at_most("energy account", np.abs(energy.residual).max() / size, 1e-9)
        lost = np.abs(energy.total - energy.total[0] - energy.impact).max() / size
        yield go.Check.at_most("energy changed other than by impacts", lost, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        l1, l2 = self.crank, self.rod
        size, front = l1 + l2, q[3] + l2 * np.cos(q[5])
        back, low = front - 0.24 * size, -0.08 * size
        near, far = 2.0 * (l2 - l1) - 0.3 * size, 2.2 * size
        return [
            scene.ground([near, low], [far, low], depth=0.06 * size),
            scene.trail(q[3:5]),
            scene.polygon([[back, low], [front, low], [front, -low], [back, -low]], "third"),
            *self.mechanism.draw(q, t),
        ]
