"""A walker with two straight legs and no motor walks down a slope in a steady gait.

Teaches a contact with a condition: the swing foot, as long as the other leg, would scuff the slope
when it passes, so its contact counts only once it is well ahead (active_when). At touchdown the
legs change roles; which one stands, and where, are parameters of one system.

Reference: the gait of Goswami, Thuilot and Espiau (A study of the passive gait of a compass-like
biped robot, 1998) for their robot; for other parameters an integration of the two angles alone,
with the impact from the conservation of two angular momenta.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import gauss_opt as go
from gauss_opt.viz import scene

# After each impact: angles and rates of the stance leg and the swing leg; and the step.
GAIT = (0.218668802939, -0.323388558059, -1.091826677490, -0.377181558403)
STEP = 0.734720962155
AHEAD = 0.4  # how far ahead, in leg lengths, a foot must be for its contact to count
NAMES = ("stance angle", "swing angle", "stance rate", "swing rate")


@dataclass(frozen=True)
class CompassGait(go.Case):
    """Hip (x, y) and two leg angles from the vertical; masses at the hip and on the legs."""

    reference = "gait of Goswami et al. (1998); minimal coordinates by another integrator"
    laws = ("newton", "poisson", "sequential")

    hip: float = go.parameter(10.0, "kg", "mass at the hip")
    leg: float = go.parameter(5.0, "kg", "mass of a leg")
    below: float = go.parameter(0.5, "m", "from the foot to the mass of a leg")
    above: float = go.parameter(0.5, "m", "from the mass of a leg to the hip")
    slope: float = go.parameter(3.0, "deg", "angle of the slope")
    opening: float = go.parameter(0.271028680498830, "rad", "half of the angle between the legs")
    stance_rate: float = go.parameter(-1.091826677490, "rad/s", "initial rate of the stance leg")
    swing_rate: float = go.parameter(-0.377181558403, "rad/s", "initial rate of the swing leg")
    steps: int = go.parameter(4, "", "number of steps", least=1, most=1000)
    gravity: float = go.parameter(9.8, "m/s^2", "gravitational acceleration")

    def __post_init__(self) -> None:
        for name in ("hip", "leg", "below", "above", "opening", "steps", "gravity"):
            if not getattr(self, name) > 0.0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not self.stance_rate < 0.0 <= self.slope < 45.0:
            raise go.InputError("the walker must start forwards (stance_rate < 0) on a mild slope")

    @property
    def length(self) -> float:
        """Length of a leg."""
        return self.below + self.above

    @property
    def downhill(self) -> np.ndarray:
        """Unit vector down the slope."""
        angle = np.radians(self.slope)
        return np.array([np.cos(angle), -np.sin(angle)])

    def foot(self, q: np.ndarray, angle: float) -> np.ndarray:
        """The foot of a leg at an angle."""
        return np.array([q[0] + self.length * np.sin(angle), q[1] - self.length * np.cos(angle)])

    def build(self) -> go.Setup:
        total, m, b, g = self.hip + 2.0 * self.leg, self.leg, self.above, self.gravity
        normal = np.array([-self.downhill[1], self.downhill[0]])

        def mass(q: np.ndarray, t: float) -> np.ndarray:
            arms = [m * b * np.array([np.cos(angle), np.sin(angle)]) for angle in q[2:]]
            return np.array([
                [total, 0.0, arms[0][0], arms[1][0]],
                [0.0, total, arms[0][1], arms[1][1]],
                [arms[0][0], arms[0][1], m * b**2, 0.0],
                [arms[1][0], arms[1][1], 0.0, m * b**2],
            ])  # fmt: skip

        def force(q: np.ndarray, v: np.ndarray, t: float) -> np.ndarray:
            across = m * b * (v[2] ** 2 * np.sin(q[2]) + v[3] ** 2 * np.sin(q[3]))
            down = m * b * (v[2] ** 2 * np.cos(q[2]) + v[3] ** 2 * np.cos(q[3])) + total * g
            return np.array([across, -down, -m * b * g * np.sin(q[2]), -m * b * g * np.sin(q[3])])

        def standing(q: np.ndarray, stance: float) -> np.ndarray:
            return self.foot(q, (1.0 - stance) * q[2] + stance * q[3])

        def swinging(q: np.ndarray, stance: float) -> np.ndarray:
            return self.foot(q, stance * q[2] + (1.0 - stance) * q[3])

        def ahead(q: np.ndarray, v: np.ndarray, t: float, stance: float, place: np.ndarray) -> bool:
            return (swinging(q, stance) - place) @ self.downhill > AHEAD * self.length

        walker = go.System(
            mass,
            force,
            [go.Holonomic("stance foot", lambda q, t, stance, place: standing(q, stance) - place)],
            [
                go.Contact(
                    "swing foot",
                    lambda q, t, stance, place: swinging(q, stance) @ normal,
                    active_when=ahead,
                )
            ],
            potential=lambda q, t: g * (total * q[1] - m * b * (np.cos(q[2]) + np.cos(q[3]))),
            parameters={"stance": 0.0, "place": np.zeros(2)},
            coordinates=["x", "y", "leg 1", "leg 2"],
            nv=4,
        )

        def other_leg(number: int, event: go.Event) -> go.Phase | None:
            if number + 1 > self.steps:
                return None
            stance = float((number + 1) % 2)
            place = standing(event.q, stance)
            return go.Phase(walker.with_parameters(stance=stance, place=place), "swing foot")

        stand, swing, stand_rate, swing_rate = self.start
        q0 = [-self.length * np.sin(stand), self.length * np.cos(stand), stand, swing]
        hip = -self.length * stand_rate * np.array([np.cos(stand), np.sin(stand)])
        times = [t for t, _ in self.walk()]
        end = times[-1] + 0.3 * times[0]
        v0 = [*hip, stand_rate, swing_rate]
        return go.Setup(walker, q0, v0, (0.0, end), {"rtol": 1e-12}, "swing foot", other_leg)

    @property
    def start(self) -> tuple[float, float, float, float]:
        """Angles and rates of the stance leg and the swing leg at first: both feet are down."""
        slope = np.radians(self.slope)
        return self.opening - slope, -self.opening - slope, self.stance_rate, self.swing_rate

    def walk(self) -> list[tuple[float, np.ndarray]]:
        """Time of each impact and the gait after it, by the two angles alone."""
        state, t, steps = np.array(self.start), 0.0, []
        slope = np.radians(self.slope)

        def down(t: float, y: np.ndarray) -> float:
            return float(y[0] + y[1] + 2.0 * slope)  # feet level with the slope, legs apart

        down.terminal, down.direction = True, -1.0  # type: ignore[attr-defined]
        unit, options = np.sqrt(self.length / self.gravity), {"rtol": 1e-13, "atol": 1e-14}
        for _ in range(self.steps):
            # The start of a step is a zero, too: leave it before looking for the next.
            span = (0.0, 0.15 * unit)
            leave = solve_ivp(self._rates, span, state, "DOP853", **options)
            span = (0.15 * unit, 15.0 * unit)
            way = solve_ivp(self._rates, span, leave.y[:, -1], "DOP853", events=down, **options)
            stride = np.sin(way.y[1, -1] + slope) - np.sin(way.y[0, -1] + slope)
            if way.status != 1 or stride < AHEAD:
                raise go.InputError(
                    f"with these parameters the walker falls or stumbles after {len(steps)} steps"
                )
            before = way.y[:, -1]
            t += float(way.t[-1])
            after = np.linalg.solve(
                self._momenta(before[1], before[0]), self._carried(before) @ before[2:]
            )
            state = np.array([before[1], before[0], *after])
            steps.append((t, state))
        return steps

    def _rates(self, t: float, y: np.ndarray) -> np.ndarray:
        """Lagrange's equations of stance and swing angle."""
        m, b, size, g = self.leg, self.above, self.length, self.gravity
        sine, cosine = np.sin(y[0] - y[1]), np.cos(y[0] - y[1])
        coupling = m * size * b
        stance = m * self.below**2 + (self.hip + m) * size**2
        weight = m * self.below + (self.hip + m) * size
        inertia = np.array([[stance, -coupling * cosine], [-coupling * cosine, m * b**2]])
        load = np.array([
            coupling * sine * y[3] ** 2 + g * weight * np.sin(y[0]),
            -coupling * sine * y[2] ** 2 - g * m * b * np.sin(y[1]),
        ])  # fmt: skip
        return np.array([y[2], y[3], *np.linalg.solve(inertia, load)])

    def _momenta(self, stand: float, swing: float) -> np.ndarray:
        """Angular momenta about the stance foot, and of the swing leg about the hip, by rates."""
        m, b, size = self.leg, self.above, self.length
        coupling = m * size * b * np.cos(stand - swing)
        stance = m * self.below**2 + (self.hip + m) * size**2
        return np.array([[stance - coupling, m * b**2 - coupling], [-coupling, m * b**2]])

    def _carried(self, y: np.ndarray) -> np.ndarray:
        """The same two momenta just before the impact, when the other leg still stands."""
        m, a, b, size = self.leg, self.below, self.above, self.length
        cosine = np.cos(y[0] - y[1])
        turning = (self.hip + 2.0 * m) * size**2 * cosine - m * b * size * cosine - m * a * b
        return np.array([[turning - m * b * size * cosine, -m * a * b], [-m * a * b, 0.0]])

    def check(self, result: go.Result) -> Iterator[go.Check]:
        hits = [event for event in result.events if event.kind == "impact"]
        exact = self.walk()
        yield go.Check("number of steps", len(hits), self.steps, 0)
        last = 0.0
        for k, (hit, (t, gait)) in enumerate(zip(hits, exact, strict=False)):
            order = [3, 2] if k % 2 == 0 else [2, 3]  # the leg that lands stands from now on
            found = [*hit.q[order], *hit.v_after[order]]
            yield go.Check(f"impact {k + 1}", hit.t, t, 1e-8, "s")
            for name, value, reference in zip(NAMES, found, gait, strict=True):
                yield go.Check(f"{name} after impact {k + 1}", value, reference, 1e-8)
            if self.at_defaults:
                yield go.Check(f"step {k + 1}, tabulated", hit.t - last, STEP, 1e-8, "s")
                for name, value, reference in zip(NAMES, found, GAIT, strict=True):
                    yield go.Check(f"{name}, tabulated", value, reference, 1e-8)
            last = hit.t
        size = self.length
        deepest = result.stats.worst_penetration  # of contacts that count
        yield go.Check.at_most("deepest penetration, relative", deepest, 1e-9)
        drift = np.abs(result.values["stance foot"]).max() / size
        yield go.Check.at_most("drift of the stance foot, relative", drift, 1e-9)
        weight = (self.hip + 2.0 * self.leg) * self.gravity
        account = np.abs(result.energy.residual).max() / (weight * size)
        yield go.Check.at_most("energy account, relative", account, 1e-9)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        size, downhill = self.length, self.downhill
        feet = [self.foot(q, angle) for angle in q[2:]]
        masses = [q[:2] + self.above / size * (foot - q[:2]) for foot in feet]
        stride = 2.0 * size * np.sin(self.opening)
        end = (self.steps * stride + 1.2 * size) * downhill
        return [
            scene.ground(-1.2 * size * downhill, end, depth=0.08 * size),
            scene.trail(feet[0]),
            scene.trail(feet[1]),
            scene.line([q[:2], feet[0]], width=5.0, contacts="swing foot"),
            scene.line([q[:2], feet[1]], role="second", width=5.0, contacts="swing foot"),
            scene.disc(masses[0], 0.04 * size),
            scene.disc(masses[1], 0.04 * size, role="second"),
            scene.disc(q[:2], 0.08 * size, role="third"),
        ]
