"""A ratchet: a torque to and fro turns the wheel one way only.

Teaches bodies of several shapes: the wheel is a disc with triangles as teeth, and the pawl, a rod
with a round tip, slides over their backs, drops behind them with a click, and locks the wheel when
the torque turns round. Every edge, every corner and the hub are contacts of their own; all of them
come from the shapes.

Reference: geometry, which says where the wheel is locked (the tip touches the hub and the front of
a tooth), and statics, which says with what forces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import gauss_opt as go
import gauss_opt.planar as pl
from gauss_opt.viz import scene

HUB, TOP, TIP = 0.08, 0.1, 0.006  # radii of the hub, of the tops of the teeth, and of the tip
PIVOT = (0.11, 0.13)
LENGTH = 0.12  # of the pawl
BACK = 0.8  # of the pitch, that the back of a tooth takes


@dataclass(frozen=True)
class Ratchet(go.Case):
    """A wheel with teeth on an axle, and a pawl that a spring presses against it."""

    reference = "geometry and statics of the locked wheel"

    teeth: int = go.parameter(8, "", "number of teeth", least=4, most=16)
    torque: float = go.parameter(0.15, "N m", "largest torque on the wheel")
    period: float = go.parameter(0.8, "s", "period of the torque")
    spring: float = go.parameter(0.1, "N m", "torque of the spring on the pawl")
    friction: float = go.parameter(0.03, "N m s", "damping of the axle")
    duration: float = go.parameter(1.55, "s", "simulated time")

    def __post_init__(self) -> None:
        if not min(self.torque, self.period, self.spring, self.duration) > 0.0:
            raise go.InputError("torque, period, spring and duration must be positive")

    @property
    def pitch(self) -> float:
        """Angle from tooth to tooth."""
        return 2.0 * np.pi / self.teeth

    def turning(self, t):
        """The torque on the wheel over time."""
        return self.torque * np.sin(2.0 * np.pi / self.period * t)

    @cached_property
    def machine(self) -> pl.Mechanism:
        """The mechanism."""

        def tooth(k: int) -> pl.Polygon:
            front, back = k * self.pitch, (k + BACK) * self.pitch
            corners = ((HUB, front), (TOP, front), (HUB, back))
            return pl.Polygon([(r * np.cos(a), r * np.sin(a)) for r, a in corners])

        m = pl.Mechanism()
        teeth = [tooth(k) for k in range(self.teeth)]
        wheel = m.body("wheel", pl.Disc(HUB), *teeth, mass=0.5, inertia=2e-3, center=(0, 0))
        pawl = m.body("pawl", pl.Rod(LENGTH, TIP), mass=0.05, center=(0, 0), inertia=2e-4)
        m.pin("axle", m.ground.at(0, 0), wheel.at(0, 0))
        m.pin("pivot", m.ground.at(*PIVOT), pawl.start)
        m.torque("drive", wheel, self.turning)
        m.turning_spring("bearing", m.ground, wheel, damping=self.friction)
        m.torque("spring", pawl, self.spring)
        m.collide(wheel, pawl)
        return m

    def locked(self) -> tuple[float, float]:
        """Angle of the wheel, but for whole pitches, and of the pawl, when it is locked."""
        reach = HUB + TIP  # the tip from the axle, when it touches the hub
        apart = float(np.hypot(*PIVOT))
        cosine = (reach**2 + apart**2 - LENGTH**2) / (2.0 * reach * apart)
        tip = np.arctan2(PIVOT[1], PIVOT[0]) + np.arccos(cosine)
        front = tip + np.arcsin(TIP / reach)
        x, y = reach * np.cos(tip) - PIVOT[0], reach * np.sin(tip) - PIVOT[1]
        return float(front % self.pitch), float(np.arctan2(y, x))

    def forces(self, t: float) -> tuple[float, float]:
        """Of the tooth's front and of the hub on the tip, when the wheel is locked."""
        wheel, pawl = self.locked()
        reach = HUB + TIP
        front = -self.turning(t) / np.sqrt(reach**2 - TIP**2)
        along = np.array([np.cos(wheel), np.sin(wheel)])  # the front of a tooth, whichever it is
        tip = np.array(PIVOT) + LENGTH * np.array([np.cos(pawl), np.sin(pawl)])
        turns = round((np.arctan2(tip[1], tip[0]) - wheel) / self.pitch) * self.pitch
        c, s = np.cos(turns), np.sin(turns)
        along = np.array([[c, -s], [s, c]]) @ along
        push = front * np.array([along[1], -along[0]])
        arm, out = tip - PIVOT, tip / reach
        moment = arm[0] * push[1] - arm[1] * push[0] + self.spring
        return float(front), float(-moment / (arm[0] * out[1] - arm[1] * out[0]))

    def build(self) -> go.Setup:
        wheel, pawl = self.machine.bodies[1:]
        angles = self.locked()
        start = self.machine.assemble({wheel.angle: angles[0], pawl.angle: angles[1]})
        return go.Setup(
            self.machine.system, start.q, start.v, (0.0, self.duration), {"rtol": 1e-10}
        )

    def check(self, result: go.Result) -> Iterator[go.Check]:
        run = self.machine.read(result)
        wheel, pawl = self.machine.bodies[1:]
        angle = run.value(wheel.angle)
        back = (np.maximum.accumulate(angle) - angle).max() / self.pitch
        yield go.Check.at_most("it turns back at most, in pitches", back, 1.0)
        if self.at_defaults:
            turned = (angle[-1] - angle[0]) / self.pitch
            yield go.Check("whole pitches turned", turned, round(turned), 1e-8)
            yield go.Check("at least two of them (1)", float(turned > 1.5), 1.0, 0)
            yield go.Check("angle of the pawl", run.value(pawl.angle)[-1] % (2 * np.pi),
                           self.locked()[1] % (2 * np.pi), 1e-8, "rad")  # fmt: skip
            pushes = {n: f[-1] for n, f in result.multipliers.items() if n in result.contacts}
            carried = sorted(name for name, force in pushes.items() if force > 0.0)
            yield go.Check("features that carry force", len(carried), 2, 0)
            references = (("hub", "shapes 1 and 1"), ("front", "edge_1"))
            for (what, words), exact in zip(
                references, self.forces(result.t[-1])[::-1], strict=True
            ):
                force = sum(pushes[name] for name in carried if words in name)
                yield go.Check.relative(f"force of the {what}", force, exact, 1e-8, "N")
        drift = max(np.abs(result.values[name]).max() for name in ("axle", "pivot"))
        yield go.Check.at_most("drift of the pins", drift, 1e-9, "m")
        energy = result.energy
        size = energy.kinetic.max()
        rise = np.abs(energy.residual).max() / size
        yield go.Check.at_most("energy account", rise, 1e-7)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        return list(self.machine.draw(q, t))
