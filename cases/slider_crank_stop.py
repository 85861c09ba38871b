"""A slider crank whose slider strikes a stop, bounces ever lower and comes to rest at it.

Teaches impact in a mechanism: the contact is at the slider, but the impulse runs through every pin.
Newton's law holds for the rate of the gap, and the whole mechanism rebounds with it. The mechanism
is that of the case slider_crank.

Reference: the equation of motion of the crank's angle alone, integrated by scipy from impact to
impact with event location; at an impact its speed changes by the factor -e. The force of the stop
at rest follows from statics.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

import gauss_opt as go
import gauss_opt.planar as pl

SliderCrank = go.find_case("slider_crank")


@dataclass(frozen=True)
class SliderCrankStop(SliderCrank):
    """The slider crank with a stop on its guide."""

    reference = "the crank's angle alone, integrated from impact to impact; statics"
    laws = ("newton", "poisson", "sequential")

    stop: float = go.parameter(0.9, "m", "distance of the stop from the ground pin")
    restitution: float = go.parameter(0.6, "", "coefficient of restitution of the stop")
    angle: float = go.parameter(120.0, "deg", "angle of the crank at the start")
    speed: float = go.parameter(-6.0, "rad/s", "angular speed of the crank at the start")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.slider(np.radians(self.angle))[0] >= self.stop:
            raise go.InputError(f"the slider starts beyond the stop at {self.stop:g} m")

    @cached_property
    def mechanism(self) -> pl.Mechanism:
        """The slider crank, and what its slider cannot pass."""
        m = super().mechanism
        _, _, rod = m.bodies
        wall = pl.HalfPlane(normal=(-1.0, 0.0), offset=-self.stop)
        m.stop("stop", rod.end, wall, restitution=self.restitution)
        return m

    def slider(self, angle: float) -> tuple[float, float]:
        """Position of the slider by the crank's angle, and its derivative."""
        place, first, _ = self.position(angle)
        s2, c2 = np.sin(place[5]), np.cos(place[5])
        return place[3] + self.rod * c2, first[3] - self.rod * s2 * first[5]

    def bounces(self, count: int, end: float) -> Iterator[tuple[float, float, float]]:
        """Time, angle and speed before each of the first impacts, by the angle alone."""

        def reached(t, y):
            return self.stop - self.slider(y[0])[0]

        # Only a falling gap: it is zero at the start of a flight too.
        reached.terminal, reached.direction = True, -1
        t, state, step, fastest = 0.0, (np.radians(self.angle), self.speed), np.inf, 0.0
        for _ in range(count):
            leg = self.turning((t, end), *state, events=reached, max_step=step)
            if not leg.t_events[0].size:
                return
            t, (angle, speed) = leg.t_events[0][0], leg.y_events[0][0]
            yield t, angle, speed
            fastest = max(fastest, abs(speed))
            if self.restitution * abs(speed) < 1e-3 * fastest:
                return  # too low for scipy's event location
            state = (angle, -self.restitution * speed)
            # Several steps in a low bounce, or scipy would not see the gap open and close.
            pull = abs(self.angular_acceleration(angle, 0.0))
            step = 0.5 * abs(state[1]) / pull if pull > 0.0 else np.inf

    def check(self, result: go.Result) -> Iterator[go.Check]:
        impacts = [event for event in result.events if event.kind == "impact"]
        bounces = list(self.bounces(len(impacts), result.t[-1]))
        e = self.restitution
        for k, (event, exact) in enumerate(zip(impacts[:4], bounces, strict=False), 1):
            t, angle, speed = exact
            _, first, _ = self.position(angle)
            inertia, lever = self.inertia * first @ first, self.slider(angle)[1]
            after = -lever * event.v_after[2]
            loss = -0.5 * (1.0 - e**2) * inertia * speed**2
            impulse = (1.0 + e) * inertia * abs(speed / lever)
            yield go.Check(f"impact {k}", event.t, t, 1e-8, "s")
            yield go.Check(f"impact {k}: gap rate after", after, e * lever * speed, 1e-8, "m/s")
            yield go.Check(f"impact {k}: energy change", event.energy_change, loss, 1e-8, "J")
            yield go.Check(f"impact {k}: impulse", event.impulses["stop"], impulse, 1e-8, "N s")
        for event in impacts[:1]:
            before, after = (self.gap_rate(event, v) for v in (event.v_before, event.v_after))
            yield go.Check("Newton's law at the slider", after, -e * before, 1e-12, "m/s")
        yield from self.check_rest(result, bounces)
        yield go.Check.at_most("deepest penetration", -result.gaps["stop"].min(), 1e-9, "m")
        yield from self.check_run(result)

    def gap_rate(self, event: go.Event, v: np.ndarray) -> float:
        """Rate of the gap by the velocity of the rod's end."""
        return -v[3] + self.rod * np.sin(event.q[5]) * v[5]

    def check_rest(self, result: go.Result, bounces: list) -> Iterator[go.Check]:
        """Where the bounces end, and what the stop carries afterwards."""
        for event in result.events:
            if event.kind != "accumulation":
                continue
            t, angle, speed = bounces[-1]
            e = self.restitution
            pull = abs(self.angular_acceleration(angle, 0.0))
            # Bounces as low as the last ones have constant acceleration.
            end = t + 2.0 * e * abs(speed) / (pull * (1.0 - e))
            yield go.Check("the impacts accumulate", event.t, end, 1e-8, "s")
            _, first, _ = self.position(angle)
            force = abs(self.weight @ first / self.slider(angle)[1])
            stop = result.multipliers["stop"][-1]
            yield go.Check("force of the stop at rest", stop, force, 1e-8, "N")
