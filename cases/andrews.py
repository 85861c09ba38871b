"""Andrews' squeezing mechanism: seven bodies, six constraints, a thousand radians per second.

A motor drives a small crank; three pairs of bodies are closed by loops, and a stiff spring holds
one of them. Teaches a mass that depends on the configuration: its velocity terms belong in the
force. It is a standard test of integrators for constrained mechanics.

Reference: the Test Set for IVP Solvers, problem Andrews' squeezing mechanism: accelerations at the
start, and positions and velocities at the end. The published end state is itself good to about
3e-10 in the positions and 5e-8 in the velocities.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

m1, m2, m3, m4, m5, m6, m7 = 0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498
I1, I2, I3, I4 = 2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7
I5, I6, I7 = 1.169e-5, 5.667e-7, 1.912e-5
A, B, C = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])
d, da, e, ea, rr, ra = 0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092
ss, sa, sb, sc, sd, ta, tb = 0.035, 0.01874, 0.01043, 0.018, 0.02, 0.02308, 0.00916
u, ua, ub, zf, zt, fa = 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421
FREE_LENGTH = 0.07785

NAMES = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon")
START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
    0.222668390165885884674473185609, 0.487364979543842550225598953530,
    -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip
START_ACCELERATIONS = (14222.4439199541, -10666.8329399656, 0.0, 0.0, 0.0, 0.0, 0.0)
END = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 1.048080741042263,
)  # fmt: skip
END_VELOCITIES = (
    1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385,
    0.5735699284790808, -19.29337464421385, 0.3231791658026955,
)  # fmt: skip


def mass(q, t):
    """Of the seven angles; bodies connected to each other are coupled."""
    th, ph, om = q[1], q[3], q[5]
    M11 = m1 * ra**2 + m2 * (rr**2 - 2 * da * rr * np.cos(th) + da**2) + I1 + I2
    M21 = m2 * (da**2 - da * rr * np.cos(th)) + I2
    M54 = m4 * ((e - ea) ** 2 + zt * (e - ea) * np.sin(ph)) + I4
    M55 = m4 * (zt**2 + 2 * zt * (e - ea) * np.sin(ph) + (e - ea) ** 2)
    M55 = M55 + m5 * (ta**2 + tb**2) + I4 + I5
    M76 = m6 * ((zf - fa) ** 2 - u * (zf - fa) * np.sin(om)) + I6
    M77 = m6 * ((zf - fa) ** 2 - 2 * u * (zf - fa) * np.sin(om) + u**2)
    M77 = M77 + m7 * (ua**2 + ub**2) + I6 + I7
    M22, M33 = m2 * da**2 + I2, m3 * (sa**2 + sb**2) + I3
    M44, M66 = m4 * (e - ea) ** 2 + I4, m6 * (zf - fa) ** 2 + I6
    return np.array([
        [M11, M21, 0, 0, 0, 0, 0],
        [M21, M22, 0, 0, 0, 0, 0],
        [0, 0, M33, 0, 0, 0, 0],
        [0, 0, 0, M44, M54, 0, 0],
        [0, 0, 0, M54, M55, 0, 0],
        [0, 0, 0, 0, 0, M66, M76],
        [0, 0, 0, 0, 0, M76, M77],
    ])  # fmt: skip


def inertia_force(q, v):
    """The velocity terms that go with the mass."""
    th, ph, om = q[1], q[3], q[5]
    be1, th1, _, ph1, de1, om1, ep1 = v
    return np.array([
        -m2 * da * rr * th1 * (th1 + 2 * be1) * np.sin(th),
        m2 * da * rr * be1**2 * np.sin(th),
        0.0,
        m4 * zt * (e - ea) * de1**2 * np.cos(ph),
        -m4 * zt * (e - ea) * ph1 * (ph1 + 2 * de1) * np.cos(ph),
        -m6 * u * (zf - fa) * ep1**2 * np.cos(om),
        m6 * u * (zf - fa) * om1 * (om1 + 2 * ep1) * np.cos(om),
    ])  # fmt: skip


def spring_arm(ga):
    """From the fixed end of the spring to its moving end, and how that moves with gamma."""
    s, c = np.sin(ga), np.cos(ga)
    arm = np.array([sd * c + sc * s + B[0] - C[0], sd * s - sc * c + B[1] - C[1]])
    return arm, np.array([sc * c - sd * s, sd * c + sc * s])


def loops(q, t):
    """The joint P of all three chains, seen from the motor and from their other ends."""
    be, th, ga, ph, de, om, ep = q
    X = rr * np.cos(be) - d * np.cos(be + th)
    Y = rr * np.sin(be) - d * np.sin(be + th)
    return np.array([
        X - ss * np.sin(ga) - B[0],
        Y + ss * np.cos(ga) - B[1],
        X - e * np.sin(ph + de) - zt * np.cos(de) - A[0],
        Y + e * np.cos(ph + de) - zt * np.sin(de) - A[1],
        X - zf * np.cos(om + ep) - u * np.sin(ep) - A[0],
        Y - zf * np.sin(om + ep) + u * np.cos(ep) - A[1],
    ])  # fmt: skip


@dataclass(frozen=True)
class Andrews(go.Case):
    """The mechanism, from rest, under a constant torque."""

    reference = "Test Set for IVP Solvers: Andrews' squeezing mechanism"

    torque: float = go.parameter(0.033, "N m", "of the motor")
    stiffness: float = go.parameter(4530.0, "N/m", "of the spring")
    duration: float = go.parameter(0.03, "s", "simulated time")

    def __post_init__(self) -> None:
        if not self.stiffness >= 0.0 or not self.duration > 0.0:
            raise go.InputError("stiffness must not be negative, and duration must be positive")

    def build(self) -> go.Setup:
        def force(q, v, t):
            arm, turn = spring_arm(q[2])
            length = np.hypot(arm[0], arm[1])
            spring = -self.stiffness * (length - FREE_LENGTH) / length * (arm @ turn)
            applied = np.array([self.torque, 0.0, spring, 0.0, 0.0, 0.0, 0.0])
            return applied + inertia_force(q, v)

        def potential(q, t):
            arm, _ = spring_arm(q[2])
            stretch = np.hypot(arm[0], arm[1]) - FREE_LENGTH
            return 0.5 * self.stiffness * stretch**2 - self.torque * q[0]

        system = go.System(
            mass=mass,
            force=force,
            constraints=[go.Holonomic("loops", loops)],
            potential=potential,
            nv=7,
            coordinates=NAMES,
        )
        return go.Setup(system, START, np.zeros(7), (0.0, self.duration), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        if self.at_defaults:
            start = go.accelerate(self.build().system, START, np.zeros(7)).acceleration
            for name, got, published in zip(NAMES, start, START_ACCELERATIONS, strict=True):
                # One unit of the last published digit is 1e-10; exact zeros are not published.
                digits = 1e-10 if published else 1e-8
                yield go.Check(f"{name}'' at the start", got, published, digits, "rad/s^2")
            for name, got, published in zip(NAMES, result.q[-1], END, strict=True):
                yield go.Check.relative(f"{name} at the end", got, published, 1e-9, "rad")
            for name, got, published in zip(NAMES, result.v[-1], END_VELOCITIES, strict=True):
                yield go.Check.relative(f"{name}' at the end", got, published, 1e-7, "rad/s")
        drift = np.abs(result.values["loops"]).max()
        yield go.Check.at_most("drift", drift, 1e-12, "m")
        energy = result.energy
        size = energy.kinetic.max() + np.ptp(energy.potential) or 1.0
        off = np.abs(energy.total - energy.total[0]).max() / size
        yield go.Check.at_most("energy of motor, spring and motion changed", off, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        be, th, ga, _, de, _, ep = q
        crank = rr * np.array([np.cos(be), np.sin(be)])
        joint = crank - d * np.array([np.cos(be + th), np.sin(be + th)])
        arm, _ = spring_arm(ga)
        upper = A + zt * np.array([np.cos(de), np.sin(de)])
        lower = A + u * np.array([np.sin(ep), -np.cos(ep)])
        pins = [scene.dot(p, "ground", 4.0) for p in (np.zeros(2), A, B, C)]
        return [
            scene.spring(C, C + arm, width=0.003),
            scene.polygon([B, joint, C + arm], "third"),
            scene.line([A, upper, joint], "second", 4.0),
            scene.line([A, lower, joint], "accent", 4.0),
            scene.line([crank, joint], "string", 4.0),
            scene.line([[0.0, 0.0], crank], "body", 5.0),
            *pins,
            scene.dot(joint, "string", 3.0),
        ]
