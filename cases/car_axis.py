"""A car axis on a bumpy road: constraints that move with time, and their forces.

The axle is held by two stiff springs; its left wheel is on level ground, the right one goes over
bumps. Teaches constraints that depend on time, whose work the energy account books by itself.
Masses and spring forces are scaled as in the benchmark, which is in no particular unit.

Reference: the Test Set for IVP Solvers, problem car axis: positions, velocities and multipliers at
the end; and the two degrees of freedom that are left, integrated by scipy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import gauss_opt as go
from gauss_opt.viz import scene

NAMES = ("xl", "yl", "xr", "yr")
END = (0.0493455784275402809, 0.496989460230171154, 1.04174252488542152, 0.373911027265361257)
END_VELOCITIES = (
    -0.0770583684040972358, 0.00744686658723778553, 0.0175568157537232222, 0.770341043779251976,
)  # fmt: skip
END_MULTIPLIERS = (-0.00473688659084893325, -0.00110468033125734369)


@dataclass(frozen=True)
class CarAxis(go.Case):
    """Coordinates: left and right end of the axle, over the wheels at 0 and at the bump."""

    reference = "Test Set for IVP Solvers: car axis; two degrees of freedom by scipy"

    epsilon: float = go.parameter(1e-2, "", "small number: mass by stiffness is m epsilon^2 / 2")
    mass: float = go.parameter(10.0, "", "m")
    length: float = go.parameter(1.0, "m", "between the wheels, and of the axle")
    rest_length: float = go.parameter(0.5, "m", "of the springs")
    bump: float = go.parameter(0.1, "m", "height of the bumps")
    frequency: float = go.parameter(10.0, "rad/s", "of the bumps")
    gravity: float = go.parameter(1.0, "m/s^2", "gravitational acceleration")
    duration: float = go.parameter(3.0, "s", "simulated time")

    def __post_init__(self) -> None:
        positive = (self.epsilon, self.mass, self.length, self.rest_length, self.duration)
        if not min(positive) > 0.0:
            raise go.InputError("epsilon, mass, lengths and duration must be positive")
        if not abs(self.bump) < self.length:
            raise go.InputError(f"bumps of {self.bump:g} m are too high for {self.length:g} m")

    @property
    def inertia(self) -> float:
        """k = m epsilon^2 / 2 of each end."""
        return 0.5 * self.mass * self.epsilon**2

    def wheel(self, t):
        """The right wheel."""
        y = self.bump * np.sin(self.frequency * t)
        return np.sqrt(self.length**2 - y**2), y

    def force(self, q, t):
        """Of springs and gravity."""
        xl, yl, xr, yr = q
        xb, yb = self.wheel(t)
        left, right = np.hypot(xl, yl), np.hypot(xr - xb, yr - yb)
        push_left, push_right = (self.rest_length - left) / left, (self.rest_length - right) / right
        weight = self.inertia * self.gravity
        return np.array([
            push_left * xl, push_left * yl - weight,
            push_right * (xr - xb), push_right * (yr - yb) - weight,
        ])  # fmt: skip

    def build(self) -> go.Setup:
        length, rest = self.length, self.rest_length

        def axle(q, t):
            xl, yl, xr, yr = q
            xb, yb = self.wheel(t)
            return np.array([xl * xb + yl * yb, (xl - xr) ** 2 + (yl - yr) ** 2 - length**2])

        def potential(q, t):
            xl, yl, xr, yr = q
            xb, yb = self.wheel(t)
            left, right = np.hypot(xl, yl) - rest, np.hypot(xr - xb, yr - yb) - rest
            return 0.5 * (left**2 + right**2) + self.inertia * self.gravity * (yl + yr)

        system = go.System(
            mass=[self.inertia] * 4,
            force=lambda q, v, t: self.force(q, t),
            constraints=[go.Holonomic("axle", axle)],
            potential=potential,
            coordinates=NAMES,
        )
        # The ends go with the foot of the left spring, which turns with the road at first.
        drift = -self.bump * self.frequency * rest / length
        q0, v0 = [0.0, rest, length, rest], [drift, 0.0, drift, 0.0]
        return go.Setup(system, q0, v0, (0.0, self.duration), {"rtol": 1e-11})

    def two_coordinates(self, times: np.ndarray) -> np.ndarray:
        """Positions by the length of the left spring and the angle of the axle."""
        L, w = self.length, self.frequency

        def frame(t):
            """Direction of the left spring, at right angles to the road, and its derivatives."""
            tilt = np.arcsin(self.bump * np.sin(w * t) / L)
            rate = self.bump * w * np.cos(w * t) / (L * np.cos(tilt))
            turn = (np.sin(tilt) * rate**2 - self.bump * w**2 * np.sin(w * t) / L) / np.cos(tilt)
            normal = np.array([-np.sin(tilt), np.cos(tilt)])
            road = np.array([np.cos(tilt), np.sin(tilt)])
            return normal, -rate * road, -turn * road - rate**2 * normal

        def place(t, s, angle):
            left = s * frame(t)[0]
            return np.array([*left, *(left + L * np.array([np.cos(angle), np.sin(angle)]))])

        def slope(t, y):
            s, angle, s1, angle1 = y
            normal, normal1, normal2 = frame(t)
            along, across = (
                np.array([np.cos(angle), np.sin(angle)]),
                np.array([-np.sin(angle), np.cos(angle)]),
            )
            moves = np.column_stack([[*normal, *normal], [0.0, 0.0, *(L * across)]])
            common = 2.0 * s1 * normal1 + s * normal2
            bias = np.array([*common, *(common - L * angle1**2 * along)])
            load = self.force(place(t, s, angle), t) / self.inertia - bias
            return [s1, angle1, *np.linalg.solve(moves.T @ moves, moves.T @ load)]

        accuracy = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-13}
        start = [self.rest_length, 0.0, 0.0, 0.0]
        y = solve_ivp(slope, (0.0, times[-1]), start, t_eval=times, **accuracy).y
        return np.array([place(t, s, angle) for t, s, angle in zip(times, y[0], y[1], strict=True)])

    def check(self, result: go.Result) -> Iterator[go.Check]:
        if self.at_defaults:
            for i, name in enumerate(NAMES):
                q, v = result.q[-1, i], result.v[-1, i]
                yield go.Check(f"{name} at the end", q, END[i], 1e-9, "m")
                yield go.Check(f"{name}' at the end", v, END_VELOCITIES[i], 1e-9, "m/s")
            for i, published in enumerate(END_MULTIPLIERS):
                got = result.multipliers["axle"][-1, i]
                yield go.Check(f"multiplier {i + 1} at the end", got, published, 1e-9)
        off = np.abs(result.q - self.two_coordinates(result.t)).max()
        yield go.Check.at_most("off two degrees of freedom", off, 1e-8, "m")
        drift = np.abs(result.values["axle"]).max()
        yield go.Check.at_most("drift", drift, 1e-9, "m^2")
        energy = result.energy
        residual = np.abs(energy.residual).max() / (energy.kinetic.max() or 1.0)
        yield go.Check.at_most("energy account, by kinetic energy", residual, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size, wheel = self.length, np.array(self.wheel(t))
        radius, low = 0.06 * size, -0.06 * size - abs(self.bump)
        return [
            scene.ground([-0.25 * size, low], [1.25 * size, low], depth=0.05 * size),
            scene.disc([0.0, 0.0], radius, "string"),
            scene.disc(wheel, radius, "string"),
            scene.line([[0.0, 0.0], wheel], "ghost", 1.5),
            scene.spring([0.0, 0.0], q[:2], width=0.04 * size),
            scene.spring(wheel, q[2:], width=0.04 * size),
            scene.trail(q[2:]),
            scene.line([q[:2], q[2:]], "body", 7.0),
            scene.dot(q[:2], "second", 5.0),
            scene.dot(q[2:], "second", 5.0),
        ]
