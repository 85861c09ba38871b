"""A constrained double pendulum calms a storey under the El Centro earthquake of 1940.

A pendulum of two rods hangs from the top floor of a one-storey structure. Its lower end is on a
roller, tied to the floor by a spring and a damper. Teaches forces from a recorded signal: the
ground acceleration is linear between its samples, so the run ends a step at each of them
(``breakpoints=``) and keeps the order of its integrator. Coordinates are relative to the ground.

The equations in print let gravity act against y, which makes the pendulum stand on its roller; the
drawing in print has it hang. ``hanging`` reverses gravity.

Reference: H.-C. Eun, K.-H. Yang, H.-S. Chung, Dynamic Optimization Algorithm of Constrained Motion
(2002), application 2; for the structure alone the exact solution by the matrix exponential; for
the place where the pendulum settles, statics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
from scipy.linalg import expm
from scipy.optimize import brentq

import gauss_opt as go
from gauss_opt.viz import scene

RECORD = Path(__file__).parent / "data" / "elcentro.csv"
PERIOD, DAMPING = 0.54413980927, 0.0200052  # of the structure alone
KNEE = (0.595294044989533, 2.325)  # x1 and y1 at the start, printed as 0.5953 and 2.325
SETTLED = {False: 0.0403, True: -0.0375}  # x2 - xp without an earthquake, standing and hanging


@cache
def samples() -> tuple[np.ndarray, np.ndarray]:
    """Times and ground acceleration in g, as recorded."""
    return tuple(np.loadtxt(RECORD, delimiter=",", unpack=True))


@dataclass(frozen=True)
class PendulumStructureElCentro(go.Case):
    """Coordinates xp of the floor, (x1, y1) and (x2, y2) of the two masses of the pendulum."""

    reference = "Eun, Yang and Chung (2002), application 2; matrix exponential; statics"

    duration: float = go.parameter(31.18, "s", "simulated time; the record has 31.18 s")
    shaking: float = go.parameter(1.0, "", "factor on the recorded ground acceleration")
    hanging: bool = go.parameter(False, "", "gravity along y as drawn, not against it as printed")
    gravity: float = go.parameter(9.81, "m/s^2", "gravity, and unit of the record")
    masses: tuple[float, ...] = go.parameter(
        (3.0, 0.3, 0.03), "kg", "floor and pendulum masses", size=3
    )
    lengths: tuple[float, ...] = go.parameter((2.4, 0.9), "m", "rods of the pendulum", size=2)
    height: float = go.parameter(3.0, "m", "y of the roller")
    stiffness: tuple[float, ...] = go.parameter(
        (400.0, 15.0), "N/m", "storey, spring of roller", size=2
    )
    damping: tuple[float, ...] = go.parameter(
        (1.386, 1.386), "N s/m", "storey, damper of roller", size=2
    )

    def __post_init__(self) -> None:
        for name, count in (("masses", 3), ("lengths", 2), ("stiffness", 2), ("damping", 2)):
            if len(getattr(self, name)) != count:
                raise go.InputError(f"{name} needs {count} numbers")
        if not min(*self.masses, *self.lengths, *self.stiffness, self.duration) > 0.0:
            raise go.InputError("masses, lengths, stiffness and duration must be positive")
        if not abs(self.lengths[0] - self.lengths[1]) < self.height < sum(self.lengths):
            raise go.InputError(
                f"rods of {self.lengths[0]:g} m and {self.lengths[1]:g} m do not reach a roller "
                f"{self.height:g} m away"
            )

    def record(self) -> tuple[np.ndarray, np.ndarray]:
        """Times and ground acceleration in m/s^2; still after the last sample."""
        times, share = samples()
        ground = self.shaking * self.gravity * share
        return np.append(times, times[-1] + 0.02), np.append(ground, 0.0)

    def options(self) -> dict:
        """Of the run: steps end at the samples, unless there is no shaking."""
        return {"rtol": 1e-9, "breakpoints": self.record()[0] if self.shaking else ()}

    def knee(self, offset: float) -> np.ndarray:
        """Where the rods meet, seen from the hinge, when the roller is ``offset`` beside it."""
        (l1, l2), end = self.lengths, np.array([offset, self.height])
        reach = np.hypot(*end)
        along = 0.5 * (reach + (l1**2 - l2**2) / reach)
        across = np.sqrt(l1**2 - along**2)
        return (along * end + across * np.array([end[1], -end[0]])) / reach

    def system(self) -> go.System:
        """The structure with the pendulum."""
        (mp, m1, m2), (l1, l2), h = self.masses, self.lengths, self.height
        (kp, k), (cp, c) = self.stiffness, self.damping
        g = self.gravity if self.hanging else -self.gravity
        times, ground = self.record()

        def force(q, v, t):
            shake = np.interp(t, times, ground)
            roller = k * (q[3] - q[0]) + c * (v[3] - v[0])
            return np.array([
                -kp * q[0] - cp * v[0] + roller - mp * shake,
                -m1 * shake, m1 * g, -roller - m2 * shake, m2 * g,
            ])  # fmt: skip

        return go.System(
            mass=[mp, m1, m1, m2, m2],
            force=force,
            constraints=[
                go.Holonomic("upper rod", lambda q, t: np.hypot(q[1] - q[0], q[2]) - l1),
                go.Holonomic("lower rod", lambda q, t: np.hypot(q[3] - q[1], q[4] - q[2]) - l2),
                go.Holonomic("roller", lambda q, t: q[4] - h),
            ],
            potential=lambda q, t: (
                0.5 * kp * q[0] ** 2 + 0.5 * k * (q[3] - q[0]) ** 2 - g * (m1 * q[2] + m2 * q[4])
            ),
            coordinates=["xp", "x1", "y1", "x2", "y2"],
        )

    def build(self) -> go.Setup:
        start = [0.0, *self.knee(0.0), 0.0, self.height]
        return go.Setup(self.system(), start, np.zeros(5), (0.0, self.duration), self.options())

    def alone(self, **options) -> go.Result:
        """The structure without the pendulum, under the same ground."""
        mp, kp, cp = self.masses[0], self.stiffness[0], self.damping[0]
        times, ground = self.record()
        floor = go.System(
            mass=[mp],
            force=lambda q, v, t: np.array(
                [-kp * q[0] - cp * v[0] - mp * np.interp(t, times, ground)]
            ),
            potential=lambda q, t: 0.5 * kp * q[0] ** 2,
            coordinates=["xp"],
        )
        chosen = {"v0": [0.0], **self.options(), **options}
        return go.simulate(floor, [0.0], t_span=(0.0, self.duration), **chosen)

    def exact_alone(self) -> np.ndarray:
        """Position and velocity of the structure alone at the samples, by matrix exponentials."""
        mp, kp, cp = self.masses[0], self.stiffness[0], self.damping[0]
        times, ground = self.record()
        flow = np.zeros((4, 4))  # of x, x', ground acceleration and its slope
        flow[0, 1], flow[1], flow[2, 3] = 1.0, [-kp / mp, -cp / mp, -1.0, 0.0], 1.0
        step = times[1] - times[0]
        advance, states = expm(flow * step), [np.zeros(2)]
        for shake, slope in zip(ground[:-1], np.diff(ground) / step, strict=True):
            states.append((advance @ [*states[-1], shake, slope])[:2])
        return np.array(states)

    def settled(self) -> float:
        """x2 - xp in equilibrium: the slope of the potential over it is zero."""
        (_, m1, _), k, h = self.masses, self.stiffness[1], self.height
        g = self.gravity if self.hanging else -self.gravity

        def slope(offset: float) -> float:
            x, y = self.knee(offset)
            # How the knee moves with the roller: both rods keep their lengths.
            rods = [[x, y], [offset - x, h - y]]
            return k * offset - m1 * g * np.linalg.solve(rods, [0.0, offset - x])[1]

        return brentq(slope, -0.2, 0.2, xtol=1e-15)

    def check(self, result: go.Result) -> Iterator[go.Check]:
        alone, (times, _) = self.alone(), self.record()
        times = times[times <= self.duration]
        if self.shaking:
            rows, exact = np.searchsorted(alone.t, times), self.exact_alone()[: len(times)]
            off = np.abs(alone.q[rows, 0] - exact[:, 0]).max()
            yield go.Check.at_most("alone: xp off the exact solution", off, 1e-8, "m")
            off = np.abs(alone.v[rows, 0] - exact[:, 1]).max()
            yield go.Check.at_most("alone: velocity off the exact solution", off, 1e-8, "m/s")
        if replace(self, hanging=False).at_defaults:
            yield from self.check_published(result, alone)
        drift = max(np.abs(values).max() for values in result.values.values())
        yield go.Check.at_most("drift", drift, 1e-9, "m")
        yield go.Check.at_most("energy account", np.abs(result.energy.residual).max(), 1e-9, "J")

    def check_published(self, result: go.Result, alone: go.Result) -> Iterator[go.Check]:
        """Figures that hold for the parameters in print."""
        printed = [0.0, 0.5953, 2.325, 0.0, 3.0]
        start, _ = go.assemble(self.system(), printed, hold_q=["xp", "x2"])
        for i, axis in enumerate("xy"):
            yield go.Check(f"{axis}1(0), assembled", start[1 + i], KNEE[i], 1e-12, "m")
            yield go.Check(f"{axis}1(0), as run", result.q[0, 1 + i], KNEE[i], 1e-12, "m")

        def top(q, v, t):
            return v[0]

        top.direction = -1
        calm = replace(self, shaking=0.0, duration=2.0)
        tops = calm.alone(v0=[1.0], events=top, rtol=1e-11).events
        decrement = np.log(tops[0].q[0] / tops[1].q[0])
        damping = decrement / np.hypot(2.0 * np.pi, decrement)
        period = (tops[1].t - tops[0].t) * np.sqrt(1.0 - damping**2)
        yield go.Check("alone: damping ratio", damping, DAMPING, 5e-8)
        yield go.Check("alone: undamped period", period, PERIOD, 1e-9, "s")
        peak, limit = np.abs(result.q[:, 0]).max(), np.abs(alone.q[:, 0]).max()
        yield go.Check.at_most("peak of |xp| below that without pendulum", peak, limit, "m")
        for hanging, published in SETTLED.items():
            calm = replace(self, shaking=0.0, duration=60.0, hanging=hanging)
            end, word = calm.run().q[-1], "hanging" if hanging else "standing"
            offset = end[3] - end[0]
            yield go.Check(f"x2 - xp at rest, {word}", offset, published, 5e-5, "m")
            yield go.Check(f"x2 - xp by statics, {word}", offset, calm.settled(), 1e-8, "m")

    def figures(self, result: go.Result):
        return {"response": lambda: self.draw_response(result)}

    def draw_response(self, result: go.Result):
        """Ground motion, sway with and without the pendulum, and force of the constraints."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8.5, 7.5), layout="constrained")
        top, middle, bottom = figure.subplots(3, 1, sharex=True)
        times, ground = self.record()
        alone = self.alone()
        top.plot(times, ground / self.gravity, color="#444444", lw=0.8)
        top.set(ylabel="acceleration (g)", xlim=(0.0, self.duration))
        top.set_title("(a) ground, El Centro 1940, north-south", loc="left", fontsize=10)
        middle.plot(alone.t, 1e3 * alone.q[:, 0], "#E69F00", lw=0.9, label="without pendulum")
        middle.plot(result.t, 1e3 * result.q[:, 0], "#0072B2", lw=1.1, label="with pendulum")
        middle.set(ylabel="displacement $x_p$ (mm)")
        middle.set_title("(b) floor, relative to the ground", loc="left", fontsize=10)
        middle.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False)
        bottom.plot(result.t, result.constraint_force.total[:, 0], "#D55E00", lw=0.9)
        bottom.set(xlabel="time (s)", ylabel="force (N)")
        bottom.set_title("(c) constraint force along $x_p$", loc="left", fontsize=10)
        for axis in (top, middle, bottom):
            axis.grid(alpha=0.3)
        return figure

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        xp, h = q[0], self.height
        up = -1.0 if self.hanging else 1.0  # so that gravity acts down the page
        foot = -1.25 * h if self.hanging else -0.5 * h
        knee, end = np.array([q[1], up * q[2]]), np.array([q[3], up * q[4]])
        wall, post = 0.45 * h, xp - 0.3 * h
        shake = self.shaking * float(np.interp(t, *samples(), right=0.0))
        return [
            scene.ground([-0.7 * h, foot], [0.7 * h, foot], depth=0.1 * h),
            scene.line([[0.0, foot - 0.05 * h], [shake * h, foot - 0.05 * h]], "force", 6.0),
            scene.line([[-wall, foot], [xp - wall, 0.0]], "ground", 5.0),
            scene.line([[wall, foot], [xp + wall, 0.0]], "ground", 5.0),
            scene.line([[xp - wall, 0.0], [xp + wall, 0.0]], "body", 9.0),
            scene.line([[post, 0.0], [post, up * h]], "body", 3.0),
            scene.spring([post, up * h], end, width=0.03 * h),
            scene.line([[xp, 0.0], knee, end], "string", 3.0),
            scene.dot([xp, 0.0], "string", 3.0),
            scene.dot(knee, "second", 9.0),
            scene.dot(end, "third", 5.0),
        ]
