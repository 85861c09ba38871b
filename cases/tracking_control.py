"""The tip of a two-link arm is made to follow a figure of eight, exactly.

Teaches servo constraints: a trajectory is a constraint, and the force that keeps it is the control
force; nothing is linearised. The arm starts at rest and off the trajectory. Its error decays as the
servo prescribes, phi'' + 2 zeta w phi' + w^2 phi = 0, whatever the weight and the inertia of the
arm.

Reference: the error in closed form, and the control force by inverse dynamics: joint angles from
the position of the tip by trigonometry, torques link by link from Newton's and Euler's laws. After
F. E. Udwadia, Recent Advances in Multi-body Dynamics and Nonlinear Control (2005).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import expm

import gauss_opt as go
from gauss_opt.viz import scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def cross(a: np.ndarray, b: np.ndarray) -> float:
    """Moment of b at the arm a."""
    return float(a[0] * b[1] - a[1] * b[0])


@dataclass(frozen=True)
class TrackingControl(go.Case):
    """Two uniform links in a vertical plane, by their angles from the horizontal."""

    reference = "closed form of the error; inverse dynamics by Newton and Euler"

    lengths: tuple[float, ...] = go.parameter((1.0, 0.8), "m", "lengths of the links", size=2)
    masses: tuple[float, ...] = go.parameter((2.0, 1.5), "kg", "masses of the links", size=2)
    centre: tuple[float, ...] = go.parameter(
        (0.9, 0.6), "m", "centre of the figure of eight", size=2
    )
    width: float = go.parameter(0.4, "m", "half width of the figure of eight")
    height: float = go.parameter(0.25, "m", "half height of it")
    period: float = go.parameter(3.0, "s", "time to go around it once")
    offset: tuple[float, ...] = go.parameter(
        (0.15, -0.3), "m", "error of the tip at the start", size=2
    )
    frequency: float = go.parameter(4.0, "rad/s", "w of the servo")
    damping: float = go.parameter(0.5, "", "zeta of the servo; 1 is critical")
    duration: float = go.parameter(4.5, "s", "simulated time")
    gravity: float = go.parameter(9.81, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("lengths", "masses", "centre", "offset"):
            if len(getattr(self, name)) != 2:
                raise go.InputError(f"{name} must be two numbers")
        positive = {"period": self.period, "frequency": self.frequency, "duration": self.duration}
        positive |= {"lengths": min(self.lengths), "masses": min(self.masses)}
        for name, value in positive.items():
            if not value > 0.0:
                raise go.InputError(f"{name} must be positive")
        if self.damping < 0.0:
            raise go.InputError("damping must be at least 0")
        times = np.linspace(0.0, self.duration, 400)
        reach = np.array([np.hypot(*self.tip(t)[0]) for t in times])
        inner, outer = abs(self.lengths[0] - self.lengths[1]), sum(self.lengths)
        if reach.min() < 1.01 * inner + 0.01 * outer or reach.max() > 0.99 * outer:
            raise go.InputError(
                f"the tip would have to go from {reach.min():.3g} to {reach.max():.3g} m from the "
                f"shoulder, but an arm of these links works between {inner:.3g} and {outer:.3g} m"
            )

    def path(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The trajectory with its first and second time derivatives."""
        w, a, b = 2.0 * np.pi / self.period, self.width, self.height
        s, c, s2, c2 = np.sin(w * t), np.cos(w * t), np.sin(2 * w * t), np.cos(2 * w * t)
        place = np.array([self.centre[0] + a * s, self.centre[1] + b * s2])
        return place, w * np.array([a * c, 2 * b * c2]), -(w**2) * np.array([a * s, 4 * b * s2])

    def error(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Closed form of the tip's distance from the trajectory, and its rate."""
        w, zeta = self.frequency, self.damping
        start = np.array([self.offset, -self.path(0.0)[1]])  # the arm is at rest
        value, rate = expm(t * np.array([[0.0, 1.0], [-(w**2), -2.0 * zeta * w]])) @ start
        return value, rate

    def tip(self, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Place, velocity and acceleration of the tip: the trajectory plus the error."""
        (place, velocity, acceleration), (value, rate) = self.path(t), self.error(t)
        w, zeta = self.frequency, self.damping
        return (
            place + value, velocity + rate, acceleration - 2.0 * zeta * w * rate - w**2 * value
        )  # fmt: skip

    def angles(self, place: np.ndarray) -> np.ndarray:
        """Angles of the links for a place of the tip, with the elbow on the left of the arm."""
        (l1, l2), r = self.lengths, np.hypot(*place)
        shoulder = np.arccos((l1**2 + r**2 - l2**2) / (2.0 * l1 * r))
        first = np.arctan2(place[1], place[0]) + shoulder
        rest = place - l1 * np.array([np.cos(first), np.sin(first)])
        return np.array([first, np.arctan2(rest[1], rest[0])])

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Velocity of the tip over the rates of the angles."""
        return np.array([-np.sin(q), np.cos(q)]) * self.lengths

    def torques(self, t: float) -> np.ndarray:
        """Control force on the two angles by inverse dynamics, link by link."""
        place, velocity, acceleration = self.tip(t)
        q = self.angles(place)
        along = np.array([np.cos(q), np.sin(q)]).T
        (l1, l2), (m1, m2), arm = self.lengths, self.masses, self.jacobian(q)
        w = np.linalg.solve(arm, velocity)
        inward = [-l1 * w[0] ** 2 * along[0], -l2 * w[1] ** 2 * along[1]]
        turning = np.linalg.solve(arm, acceleration - inward[0] - inward[1])
        first, second = (arm[:, i] * turning[i] + inward[i] for i in (0, 1))
        lift = np.array([0.0, self.gravity])
        pull = m2 * (first + 0.5 * second + lift)  # force of the first link on the second
        elbow = m2 * l2**2 / 12.0 * turning[1] + cross(0.5 * l2 * along[1], pull)
        shoulder = m1 * l1**2 / 3.0 * turning[0] + cross(0.5 * l1 * along[0], m1 * lift)
        return np.array([shoulder + cross(l1 * along[0], pull), elbow])

    def build(self) -> go.Setup:
        (l1, l2), (m1, m2), g = self.lengths, self.masses, self.gravity
        coupling = 0.5 * m2 * l1 * l2

        def mass(q, t):
            c = coupling * np.cos(q[0] - q[1])
            return np.array([[(m1 / 3 + m2) * l1**2, c], [c, m2 * l2**2 / 3]])

        def force(q, v, t):
            s = coupling * np.sin(q[0] - q[1])
            weight = np.array([(m1 / 2 + m2) * l1 * np.cos(q[0]), m2 / 2 * l2 * np.cos(q[1])])
            return np.array([-s * v[1] ** 2, s * v[0] ** 2]) - g * weight

        def off(q, t):
            tip = l1 * np.array([np.cos(q[0]), np.sin(q[0])])
            return tip + l2 * np.array([np.cos(q[1]), np.sin(q[1])]) - self.path(t)[0]

        arm = go.System(
            mass,
            force,
            [go.Servo("tip", off, frequency=self.frequency, damping=self.damping)],
            potential=lambda q, t: (
                g * ((m1 / 2 + m2) * l1 * np.sin(q[0]) + m2 / 2 * l2 * np.sin(q[1]))
            ),
            nv=2,
            coordinates=["first angle", "second angle"],
        )
        q0 = self.angles(self.tip(0.0)[0])
        return go.Setup(arm, q0, [0.0, 0.0], (0.0, self.duration), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        exact = np.array([self.error(t)[0] for t in result.t])
        off = np.abs(result.values["tip"] - exact).max()
        yield go.Check.at_most("largest deviation of the error from closed form", off, 1e-8, "m")
        angles = np.array([self.angles(self.tip(t)[0]) for t in result.t])
        wrapped = np.angle(np.exp(1j * (result.q - angles)))
        yield go.Check.at_most("largest error of the angles", np.abs(wrapped).max(), 1e-8, "rad")
        torques = np.array([self.torques(t) for t in result.t])
        off, most = np.abs(result.constraint_force.total - torques), np.abs(torques).max()
        yield go.Check.at_most("largest error of the control force", off.max(), 1e-8 * most, "N m")
        for i, name in enumerate(("first", "second")):
            ours = result.constraint_force.total[-1, i]
            yield go.Check(f"{name} control force at the end", ours, torques[-1, i], 1e-8, "N m")
        account = np.abs(result.energy.residual).max()
        yield go.Check.at_most("energy account", account, 1e-8 * most, "J")
        drift = np.abs(self._from_the_trajectory().values["tip"]).max()
        yield go.Check.at_most("error after a start on the trajectory", drift, 1e-9, "m")

    def _from_the_trajectory(self) -> go.Result:
        """The same arm, started with the place and velocity that it should have."""
        setup, (place, velocity, _) = self.build(), self.path(0.0)
        q = self.angles(place)
        v = np.linalg.solve(self.jacobian(q), velocity)
        return go.simulate(setup.system, q, v, setup.t_span, **setup.options)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        figure = [self.path(s)[0] for s in np.linspace(0.0, self.period, 121)]
        steps = np.array([np.cos(q), np.sin(q)]).T * np.array(self.lengths)[:, None]
        elbow, tip = steps[0], steps[0] + steps[1]
        size = 0.04 * sum(self.lengths)
        return [
            scene.line(figure, role="ghost", width=2.5),
            scene.trail(tip, role="accent", width=1.5),
            scene.ground([-3 * size, -size], [3 * size, -size], depth=size),
            scene.line([[0.0, 0.0], elbow], width=8.0),
            scene.line([elbow, tip], role="second", width=6.0),
            scene.disc([0.0, 0.0], size, role="string"),
            scene.disc(elbow, 0.7 * size, role="string"),
            scene.dot(self.path(t)[0], role="third", size=8),
            scene.dot(tip, role="accent", size=6),
        ]

    def figures(self, result: go.Result) -> Mapping[str, Callable[[], Figure]]:
        return {"error and control force": lambda: self._error_and_force(result)}

    def _error_and_force(self, result: go.Result) -> Figure:
        """The error with its closed form, and the control force with inverse dynamics."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.0, 5.0), layout="constrained")
        errors, forces = figure.subplots(2, 1, sharex=True)
        times = np.linspace(result.t[0], result.t[-1], 60)
        exact = np.array([self.error(t)[0] for t in times])
        torques = np.array([self.torques(t) for t in times])
        names = (("horizontal", "vertical"), ("on the first link", "on the second link"))
        for axes, ours, theirs, words in (
            (errors, result.values["tip"], exact, names[0]),
            (forces, result.constraint_force.total, torques, names[1]),
        ):
            for i, colour in enumerate(("#0072B2", "#E69F00")):
                axes.plot(result.t, ours[:, i], color=colour, label=words[i])
                axes.plot(times, theirs[:, i], "o", color=colour, markersize=3, fillstyle="none")
            axes.plot(
                [], [], "o", color="#666666", markersize=3, fillstyle="none", label="reference"
            )
            axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
        errors.set(ylabel="error of the tip (m)")
        forces.set(xlabel="time (s)", ylabel="control force (N m)")
        return figure
