"""Chaplygin's sleigh turns its spin into speed and ends up sliding straight ahead.

Teaches that a constraint without friction can look like damping: the energy is conserved, yet the
spin dies out and the forward speed tends to a limit, because volume in the space of velocities is
not conserved. The blade is behind the mass centre; the motion with the blade ahead is unstable.

Reference: closed form. With J = I + m a^2 and V^2 = v^2 + (J/m) w^2 the speed of the blade is
V tanh(k (t - t0)) and the spin V sqrt(m/J) / cosh(k (t - t0)), k = a V m / J. The position is a
quadrature.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class ChaplyginSleigh(go.Case):
    """A body on ice with one blade behind its mass centre, seen from above."""

    reference = "closed form: tanh and 1/cosh of the time"

    mass: float = go.parameter(1.0, "kg", "mass")
    inertia: float = go.parameter(0.5, "kg m^2", "moment of inertia about the mass centre")
    arm: float = go.parameter(0.3, "m", "distance from the blade to the mass centre ahead of it")
    speed: float = go.parameter(0.0, "m/s", "speed of the blade at the start")
    spin: float = go.parameter(1.5, "rad/s", "angular velocity at the start")
    duration: float = go.parameter(8.0, "s", "simulated time")

    def __post_init__(self) -> None:
        for name in ("mass", "inertia", "arm", "duration"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive")
        if self.spin == 0.0:
            raise go.InputError("the spin must not be zero: the sleigh would go straight ahead")

    @property
    def gyration(self) -> float:
        """sqrt(J/m), with J the moment of inertia about the blade."""
        return float(np.sqrt(self.inertia / self.mass + self.arm**2))

    @property
    def limit(self) -> float:
        """The speed V that it tends to."""
        return float(np.hypot(self.speed, self.gyration * self.spin))

    def phase(self, t: np.ndarray | float) -> np.ndarray:
        """k (t - t0): zero when the blade turns from going backwards to going forwards."""
        rate = self.arm * self.limit / self.gyration**2
        return np.asarray(rate * np.asarray(t) + np.arctanh(self.speed / self.limit))

    def motion(self, t: np.ndarray | float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Speed of the blade, spin and heading, in closed form."""
        phase, side = self.phase(t), np.sign(self.spin)
        spin = side * self.limit / self.gyration / np.cosh(phase)
        turned = np.arctan(np.sinh(phase)) - np.arctan(np.sinh(self.phase(0.0)))
        return self.limit * np.tanh(phase), spin, side * self.gyration / self.arm * turned

    def place(self, t: float) -> np.ndarray:
        """Where the mass centre is, by quadrature of the blade's velocity."""
        options = {"epsabs": 1e-13, "epsrel": 1e-13, "limit": 400}

        def along(part: int, s: float) -> float:
            speed, _, heading = self.motion(s)
            return float(speed * (np.cos(heading), np.sin(heading))[part])

        blade = [quad(lambda s, i=i: along(i, s), 0.0, t, **options)[0] for i in (0, 1)]
        heading = self.motion(t)[2]
        return np.array(blade) + self.arm * np.array([np.cos(heading), np.sin(heading)])

    def build(self) -> go.Setup:
        a = self.arm
        blade = go.Nonholonomic(
            "blade", lambda q, v, t: -v[0] * np.sin(q[2]) + v[1] * np.cos(q[2]) - a * v[2]
        )
        sleigh = go.System(
            mass=[self.mass, self.mass, self.inertia],
            constraints=[blade],
            potential=lambda q, t: 0.0,
            coordinates=["x", "y", "heading"],
        )
        start = [self.speed, a * self.spin, self.spin]
        return go.Setup(sleigh, [a, 0.0, 0.0], start, (0.0, self.duration), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        t = result.t
        along = np.array([np.cos(result.q[:, 2]), np.sin(result.q[:, 2])])
        ours = ((result.v[:, :2].T * along).sum(axis=0), result.v[:, 2], result.q[:, 2])
        exact = self.motion(t)
        units = {"speed": "m/s", "spin": "rad/s", "heading": "rad"}
        for (word, unit), mine, theirs in zip(units.items(), ours, exact, strict=True):
            off = np.abs(mine - theirs).max()
            yield go.Check.at_most(f"largest error of the {word}", off, 1e-8, unit)
        place = self.place(float(t[-1]))
        yield go.Check("x at the end", result.q[-1, 0], place[0], 1e-8, "m")
        yield go.Check("y at the end", result.q[-1, 1], place[1], 1e-8, "m")
        side = self.inertia * exact[0] * exact[1] / self.gyration**2
        off = np.abs(result.multipliers["blade"] - side).max()
        yield go.Check.at_most("largest error of the blade's force", off, 1e-8, "N")
        kinetic = 0.5 * self.mass * self.limit**2
        off = np.abs(result.energy.kinetic - kinetic).max() / kinetic
        yield go.Check.at_most("change of the energy, relative", off, 1e-9)
        drift = np.abs(result.values["blade"]).max()
        yield go.Check.at_most("sliding across", drift, 1e-9, "m/s")
        if self.at_defaults and t[-1] >= 4.0:
            state = result(4.0)
            forward = state.v[0] * np.cos(state.q[2]) + state.v[1] * np.sin(state.q[2])
            yield go.Check("speed at 4 s", forward, 1.13112868280774, 1e-8, "m/s")
            yield go.Check("spin at 4 s", state.v[2], 0.285371904029706, 1e-8, "rad/s")
            yield go.Check("heading at 4 s", state.q[2], 3.5317438008646, 1e-8, "rad")

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        along = np.array([np.cos(q[2]), np.sin(q[2])])
        across = np.array([-along[1], along[0]])
        centre, a = q[:2], self.arm
        blade = centre - a * along
        outline = [(1.9, 0.0), (1.2, 0.6), (-1.2, 0.6), (-1.2, -0.6), (1.2, -0.6)]
        hull = [centre + a * (x * along + y * across) for x, y in outline]
        return [
            scene.trail(blade, role="second", width=1.5),
            scene.trail(centre),
            scene.polygon(hull),
            scene.line([blade - 0.55 * a * along, blade + 0.55 * a * along], "string", 4.0),
            scene.dot(centre, role="accent", size=5),
        ]
