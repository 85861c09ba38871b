"""A driven oscillator strikes a stop once in each period, and otherwise in many ways.

Teaches periodic orbits, their stability, and bifurcation diagrams: the orbit is followed through
its impacts by its saltation matrices, and a sweep over the frequency shows what takes its place
where it is not stable.

Reference: closed form (S. W. Shaw and P. J. Holmes, A periodically forced piecewise linear
oscillator, 1983). Between impacts the motion is that of a linear oscillator, so that the orbit with
one impact solves a quadratic equation. Its multipliers are those of the matrix
(-e, 0; (a+ + e a-) / v-, -e) exp(A T).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

import gauss_opt as go
from gauss_opt.viz import scene


@dataclass(frozen=True)
class ImpactOscillator(go.Case):
    """x'' + 2 zeta x' + x = cos(w t) with a stop at x = gap."""

    reference = "closed form: linear flights between impacts"

    frequency: float = go.parameter(2.0, "", "frequency of the force over that of the oscillator")
    damping: float = go.parameter(0.05, "", "damping ratio")
    gap: float = go.parameter(0.3, "", "distance of the stop, over the static deflection")
    restitution: float = go.parameter(0.8, "", "coefficient of restitution")
    periods: int = go.parameter(10, "", "periods simulated")
    points: int = go.parameter(8, "", "frequencies of the bifurcation diagram; 200 make a picture")
    settled: int = go.parameter(6, "", "periods of each that are left out of the diagram")

    def __post_init__(self) -> None:
        for name in ("frequency", "gap", "periods", "points"):
            if not getattr(self, name) > 0:
                raise go.InputError(f"{name} must be positive, got {getattr(self, name):g}")
        if not 0.0 <= self.damping < 1.0:
            raise go.InputError(f"damping must be at least 0 and below 1, got {self.damping:g}")
        self.orbit()

    @property
    def period(self) -> float:
        """Of the force."""
        return 2.0 * np.pi / self.frequency

    @property
    def linear(self) -> np.ndarray:
        """A of y' = A y + (0, cos w t), y = (x, v)."""
        return np.array([[0.0, 1.0], [-1.0, -2.0 * self.damping]])

    def response(self) -> complex:
        """Complex amplitude of the motion without a stop."""
        w = self.frequency
        return 1.0 / (1.0 - w**2 + 2j * self.damping * w)

    def grazing(self) -> float:
        """Frequency at which the motion without impacts just reaches the stop."""
        b = 1.0 - 2.0 * self.damping**2
        return float(np.sqrt(b + np.sqrt(b**2 - 1.0 + 1.0 / self.gap**2)))

    def orbit(self) -> tuple[float, np.ndarray]:
        """Time of the impact and state just after it, of the orbit with one impact.

        With the force cos(w s + phase), where s is the time since the impact, x is linear in
        cos(phase) and sin(phase); that both belong to one angle is the quadratic equation.
        """
        w, e, amplitude = self.frequency, self.restitution, self.response()
        flow = expm(self.linear * self.period)
        parts = []  # the periodic motion for phase 0 and for phase pi / 2: x and v at the impact
        for turn in (1.0, 1j):
            z = amplitude * turn
            parts.append(np.array([z.real, (1j * w * z).real]))
        forced = np.array(parts).T
        # y+ = (gap, u), y- = flow (y+ - forced) + forced, u = -e v-.
        stop = np.array([self.gap, 0.0])
        rest = (np.eye(2) - flow) @ forced
        # Rows: x- = gap, u + e v- = 0; unknown u, cos, sin.
        matrix = np.array([
            [flow[0, 1], *rest[0]],
            [1.0 + e * flow[1, 1], *(e * rest[1])],
        ])  # fmt: skip
        right = np.array([self.gap - (flow @ stop)[0], -e * (flow @ stop)[1]])
        one = np.linalg.lstsq(matrix, right, rcond=None)[0]
        way = np.linalg.svd(matrix)[2][-1]
        a, b, c = way[1:] @ way[1:], 2.0 * one[1:] @ way[1:], one[1:] @ one[1:] - 1.0
        if b**2 < 4.0 * a * c:
            raise go.InputError("there is no orbit with one impact in each period here")
        roots = [(-b + sign * np.sqrt(b**2 - 4.0 * a * c)) / (2.0 * a) for sign in (1.0, -1.0)]
        found = [one + root * way for root in roots]
        speed, cosine, sine = min(found, key=lambda u: u[0])  # the one that leaves faster
        if not speed < 0.0:
            raise go.InputError("there is no orbit with one impact in each period here")
        # cos(w s + phase) with z = amplitude (cosine + 1j sine): the phase is that angle.
        phase = float(np.arctan2(sine, cosine)) % (2.0 * np.pi)
        return phase / w, np.array([self.gap, speed])

    def state(self, t: float) -> np.ndarray:
        """The orbit at a time, in closed form."""
        hit, after = self.orbit()
        since = (t - hit) % self.period
        w = self.frequency

        def forced(s: float) -> np.ndarray:
            z = self.response() * np.exp(1j * w * (hit + s))
            return np.array([z.real, (1j * w * z).real])

        return expm(self.linear * since) @ (after - forced(0.0)) + forced(since)

    def exact_monodromy(self) -> np.ndarray:
        """From just after an impact to just after the next one."""
        hit, after = self.orbit()
        e, v = self.restitution, -after[1] / self.restitution
        push = np.cos(self.frequency * hit) - self.gap
        before, behind = (push - 2.0 * self.damping * speed for speed in (v, after[1]))
        jump = np.array([[-e, 0.0], [(behind + e * before) / v, -e]])
        return jump @ expm(self.linear * self.period)

    def system(self) -> go.System:
        """The frequency is a parameter, so that sweeps trace nothing again."""
        zeta, gap = self.damping, self.gap
        return go.System(
            mass=[1.0],
            force=lambda q, v, t, w: np.array([np.cos(w * t) - 2.0 * zeta * v[0] - q[0]]),
            contacts=[go.Contact("stop", lambda q, t: gap - q[0], restitution=self.restitution)],
            parameters={"w": self.frequency},
            coordinates=["x"],
            units=["1"],
        )

    def build(self) -> go.Setup:
        x, v = self.state(0.0)
        return go.Setup(self.system(), [x], [v], (0.0, self.periods * self.period), {"rtol": 1e-11})

    def check(self, result: go.Result) -> Iterator[go.Check]:
        hits = [event for event in result.events if event.kind == "impact"]
        hit, after = self.orbit()
        yield go.Check("number of impacts", len(hits), self.periods, 0)
        yield go.Check("phase of the first", hits[0].t, hit, 1e-8)
        yield go.Check("velocity after it", hits[0].v_after[0], after[1], 1e-8)
        x, v = self.state(0.0)
        orbit = go.periodic_orbit(result.system, [x + 0.01], [v], self.period, solver="daqp")
        yield go.Check("position of the orbit at t = 0", orbit.q[0], x, 1e-8)
        yield go.Check("velocity of the orbit at t = 0", orbit.v[0], v, 1e-8)
        exact = np.linalg.eigvals(self.exact_monodromy())
        sizes = np.abs(orbit.multipliers), np.sort(np.abs(exact))[::-1]
        for number, (ours, theirs) in enumerate(zip(*sizes, strict=True), 1):
            yield go.Check(f"size of multiplier {number}", ours, theirs, 1e-7)
        area = self.restitution**2 * np.exp(-2.0 * self.damping * self.period)
        yield go.Check.relative("area left after a period", orbit.monodromy.determinant, area, 1e-9)
        exponents = go.lyapunov(result).sum
        exact_sum = -2.0 * self.damping + np.log(self.restitution**2) / self.period
        yield go.Check("sum of the Lyapunov exponents", exponents, exact_sum, 1e-9)
        deepest = -result.gaps["stop"].min()
        yield go.Check.at_most("deepest penetration", deepest, 1e-9)

    def diagram(self, low: float, high: float) -> go.Sweep:
        """Positions at the section, by frequency, after the transients."""
        skip, kept = self.settled, 8

        def settle(system, w):
            period = 2.0 * np.pi / w
            run = go.simulate(system, [0.0], [0.0], (0.0, (skip + kept) * period), solver="daqp")
            found = go.section(run, period=period, since=(skip + 0.5) * period)
            return {"x at the section": found.q[:, 0], "impacts": run.stats.impacts}

        return go.sweep(self.system(), {"w": np.linspace(low, high, self.points)}, settle)

    def figures(self, result: go.Result):
        return {"bifurcation": self.draw_bifurcation}

    def draw_bifurcation(self):
        """Where the motion is after its transients, over the frequency."""
        end = 1.06 * self.grazing()
        ax = self.diagram(0.8 * self.frequency, end).plot("x at the section", "w")
        ax.axvline(self.grazing(), color="#9A9A9A", lw=0.8, label="grazing of the free motion")
        ax.plot(self.frequency, self.state(0.0)[0], "s", color="#D55E00", ms=6, label="this case")
        ax.set_xlabel("frequency of the force")
        ax.legend(frameon=False, fontsize=9)
        return ax.figure

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        push = 0.5 * np.cos(self.frequency * t)
        x = float(q[0])
        return [
            scene.ground([-3.2, -0.25], [1.0, -0.25], depth=0.15),
            scene.ground([-3.2, -0.25], [-3.2, 0.4], depth=0.15),
            scene.ground([self.gap + 0.25, -0.25], [self.gap + 0.25, 0.4], contacts="stop"),
            scene.spring([-3.2, 0.0], [x - 0.25, 0.0], width=0.12),
            scene.polygon(
                [[x - 0.25, -0.22], [x + 0.25, -0.22], [x + 0.25, 0.22], [x - 0.25, 0.22]],
                contacts="stop",
            ),
            scene.arrow([x, 0.45], [x + push, 0.45], role="force"),
        ]
