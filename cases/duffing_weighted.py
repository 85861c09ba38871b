"""Coupled Duffing oscillators: of all forces that keep a constraint, nature takes Gauss's.

Two masses on nonlinear springs are made to move as x1 - x2 = beta exp(-alpha t) sin(omega t). Many
constraint forces v do that; minimising v' R v picks one. Teaches what the weight R decides: only
R = M^-1 is Gauss's principle, the others keep the constraint just as well and move differently.

:func:`gauss_opt.simulate` has no option for the weight and needs none: the weighted problem is that
of a system with the mass M R M and the force M R Q, and this is what runs here. Its energy account
is then that of this substitute, in no physical unit unless R = M^-1.

Reference: H.-C. Eun, K.-H. Yang, H.-S. Chung, Dynamic Optimization Algorithm of Constrained Motion
(2002), application 1 with its misprints corrected: figures to ten digits; and the motion of the one
degree of freedom that is left, integrated by scipy.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import solve_ivp

import gauss_opt as go
from gauss_opt.viz import scene

# x1 = x2 at whole seconds.
POSITIONS = {
    "R1": {1: -0.1035607612, 2: -0.5683615482, 5: 2.5485403396, 10: 0.7758174024},
    "R2": {1: 1.0904482110, 5: 0.6873759582, 10: -0.7801704642},
    "R3": {1: 2.2632055781, 5: -3.6724374931},
}
START_FORCES = {"R1": (-17.2825952122, 17.2825952122), "R2": (-10.3695571273, 20.7391142546)}
FORCE_AT_5 = -42.2308058756  # on mass 1, with R1
LABELS = {"R1": "$R_1 = M^{-1}$", "R2": "$R_2 = I$", "R3": "$R_3$ = diag(0.5, 0.3)"}
COLOURS = {"R1": "#0072B2", "R2": "#E69F00", "R3": "#009E73"}


@dataclass(frozen=True)
class DuffingWeighted(go.Case):
    """Two masses in a row, the second on a spring to the wall, the first on the second."""

    reference = "Eun, Yang and Chung (2002), application 1; one degree of freedom by scipy"

    weight: str = go.parameter(
        "R1", "", "weight of the force: R1 = M^-1, R2 = I, R3 = diag(0.5, 0.3)"
    )
    masses: tuple[float, ...] = go.parameter((2.0, 1.0), "kg", "m1, m2", size=2)
    stiffness: tuple[float, ...] = go.parameter(
        (10.0, 12.0), "N/m", "k1 between, k2 to the wall", size=2
    )
    cubic: tuple[float, ...] = go.parameter(
        (1.0, 2.0), "N/m^3", "cubic stiffness of the same", size=2
    )
    damping: tuple[float, ...] = go.parameter((0.1, 0.15), "N s/m", "damping of the same", size=2)
    amplitude: float = go.parameter(1.0, "m", "beta of the prescribed distance")
    decay: float = go.parameter(1.0, "1/s", "alpha of the prescribed distance")
    frequency: float = go.parameter(1.0, "Hz", "omega / 2 pi of the prescribed distance")

    def __post_init__(self) -> None:
        if self.weight not in LABELS:
            raise go.InputError(f"weight is {self.weight!r}; choose from: {', '.join(LABELS)}")
        for name in ("masses", "stiffness", "cubic", "damping"):
            if len(getattr(self, name)) != 2:
                raise go.InputError(f"{name} needs two numbers")
        if not min(self.masses) > 0.0:
            raise go.InputError(f"masses must be positive, got {self.masses}")

    @property
    def matrix(self) -> np.ndarray:
        """R, diagonal."""
        inverse_mass = 1.0 / np.array(self.masses)
        return np.diag(
            {"R1": inverse_mass, "R2": np.ones(2), "R3": np.array([0.5, 0.3])}[self.weight]
        )

    def force(self, x, v):
        """Of springs and dampers on both masses."""
        (k1, k2), (n1, n2), (c1, c2) = self.stiffness, self.cubic, self.damping
        between = k1 * (x[0] - x[1]) + n1 * (x[0] - x[1]) ** 3 + c1 * (v[0] - v[1])
        wall = k2 * x[1] + n2 * x[1] ** 3 + c2 * v[1]
        return np.array([-between, between - wall])

    def distance(self, t):
        """x1 - x2 as prescribed."""
        w = 2.0 * np.pi * self.frequency
        return self.amplitude * np.exp(-self.decay * t) * np.sin(w * t)

    def rates(self, t):
        """First and second derivative of the distance, for the start and the reference."""
        w, alpha = 2.0 * np.pi * self.frequency, self.decay
        swing = self.amplitude * np.exp(-alpha * t) * np.cos(w * t)
        first = w * swing - alpha * self.distance(t)
        return first, -2.0 * alpha * w * swing + (alpha**2 - w**2) * self.distance(t)

    def system(self, weighted: bool = True) -> go.System:
        """The oscillators; ``weighted`` with M R M for the mass and M R Q for the force."""
        M = np.diag(self.masses)
        MR = M @ self.matrix if weighted else np.eye(2)
        return go.System(
            mass=MR @ M,
            force=lambda x, v, t: MR @ self.force(x, v),
            constraints=[go.Holonomic("distance", lambda x, t: x[0] - x[1] - self.distance(t))],
            coordinates=["x1", "x2"],
        )

    def build(self) -> go.Setup:
        start = [2.0 + self.rates(0.0)[0], 2.0]
        return go.Setup(self.system(), [1.0, 1.0], start, (0.0, 10.0), {"rtol": 1e-11})

    def forces(self, result: go.Result) -> np.ndarray:
        """Constraint force on both masses, (nt, 2): the run's own is M R times that."""
        return np.linalg.solve(
            np.diag(self.masses) @ self.matrix, result.constraint_force.total.T
        ).T

    def one_coordinate(self, times: np.ndarray) -> np.ndarray:
        """x2 by the equation of motion of the one coordinate that is free."""
        m = np.array(self.masses)
        # The force is R^-1 M^-1 (1, -1) times a number; these are the accelerations it makes.
        share = np.array([1.0, -1.0]) / (np.diag(self.matrix) * m**2)

        def slope(t, y):
            first, second = self.rates(t)
            x, v = np.array([y[0] + self.distance(t), y[0]]), np.array([y[1] + first, y[1]])
            free = self.force(x, v) / m
            size = (second - free[0] + free[1]) / (share[0] - share[1])
            return [y[1], free[1] + share[1] * size]

        span, accuracy = (0.0, times[-1]), {"rtol": 1e-13, "atol": 1e-13}
        return solve_ivp(slope, span, [1.0, 2.0], "DOP853", t_eval=times, **accuracy).y[0]

    def check(self, result: go.Result) -> Iterator[go.Check]:
        measure = {}
        for name in LABELS:  # the same problem with each of the three weights
            case = replace(self, weight=name)
            run = result if name == self.weight else case.run()
            yield from case.check_one(run)
            measure[name] = case.forces(run)[0] ** 2 @ (1.0 / np.array(self.masses))
        for name in ("R2", "R3"):  # v' M^-1 v in the state they share: Gauss's is the least
            what = f"Gauss's function of the start force, R1 below {name}"
            yield go.Check.at_most(what, measure["R1"], measure[name] + 1e-9, "N^2/kg")

    def check_one(self, result: go.Result) -> Iterator[go.Check]:
        """With one weight."""
        name = self.weight
        q0, v0 = result.q[0], result.v[0]
        answer = go.accelerate(self.system(weighted=False), q0, v0, weight=self.matrix)
        force = self.forces(result)
        off = np.abs(answer.constraint_force - force[0]).max()
        yield go.Check.at_most(f"{name}: start force off accelerate(weight=)", off, 1e-8, "N")
        if replace(self, weight="R1").at_defaults:
            for i, published in enumerate(START_FORCES.get(name, ())):
                got = answer.constraint_force[i]
                yield go.Check(f"{name}: force {i + 1} at t = 0", got, published, 1e-8, "N")
            for t, position in POSITIONS[name].items():
                for i, x in enumerate(result(t).q):
                    yield go.Check(f"{name}: x{i + 1} at t = {t} s", x, position, 1e-8, "m")
            if name == "R1":
                at = result(5)
                got = go.accelerate(self.system(), at.q, at.v, 5.0).constraint_force[0]
                yield go.Check("R1: force 1 at t = 5 s", got, FORCE_AT_5, 1e-8, "N")
        off = np.abs(result.q[:, 1] - self.one_coordinate(result.t)).max()
        yield go.Check.at_most(f"{name}: x2 off one degree of freedom", off, 1e-8, "m")
        off = np.abs(result.q[:, 0] - result.q[:, 1] - self.distance(result.t)).max()
        yield go.Check.at_most(f"{name}: constraint error", off, 1e-9, "m")
        account = result.energy
        residual = np.abs(account.residual).max() / account.kinetic.max()
        yield go.Check.at_most(f"{name}: energy account of the substitute", residual, 1e-9)

    def figures(self, result: go.Result):
        return {"weights": lambda: self.draw_weights(result)}

    def draw_weights(self, result: go.Result):
        """Displacements, constraint forces and constraint error with each weight."""
        from matplotlib.figure import Figure

        figure = Figure(figsize=(9.0, 6.4), layout="constrained")
        axes = figure.subplots(2, 2, sharex=True).ravel()
        times = np.linspace(0.0, result.t[-1], 1001)
        for name, label in LABELS.items():
            case = replace(self, weight=name)
            run = result if name == self.weight else case.run(t_end=result.t[-1])
            x, force, style = run(times)[0], case.forces(run), {"color": COLOURS[name], "lw": 1.3}
            axes[0].plot(times, x[:, 0], "--", **style)
            axes[0].plot(times, x[:, 1], label=label, **style)
            axes[1].plot(run.t, force[:, 0], **style)
            axes[2].plot(run.t, force[:, 1], **style)
            axes[3].plot(run.t, 1e12 * (run.q[:, 0] - run.q[:, 1] - self.distance(run.t)), **style)
        titles = ("(a) $x_1$ (dashed) and $x_2$", "(b) force on mass 1", "(c) force on mass 2")
        units = ("displacement (m)", "force (N)", "force (N)", "error ($10^{-12}$ m)")
        for axis, title, unit in zip(axes, (*titles, "(d) constraint error"), units, strict=True):
            axis.set_title(title, loc="left", fontsize=10)
            axis.set_ylabel(unit)
            axis.grid(alpha=0.3)
        for axis in axes[2:]:
            axis.set_xlabel("time (s)")
        figure.legend(loc="outside upper center", ncols=3, frameon=False)
        return figure

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        x2, x1 = q[1], q[0] + 4.0  # drawn apart, from the wall at -6 m on
        return [
            scene.ground([-6.0, 1.2], [-6.0, -0.6], depth=-0.3),
            scene.ground([-6.0, -0.6], [10.0, -0.6], depth=0.3),
            scene.spring([-6.0, 0.0], [x2 - 0.6, 0.0], width=0.25),
            scene.spring([x2 + 0.6, 0.0], [x1 - 0.6, 0.0], width=0.25),
            scene.polygon(_box(x2), "second"),
            scene.polygon(_box(x1), "body"),
        ]


def _box(x: float) -> np.ndarray:
    return np.array([[x - 0.6, -0.6], [x + 0.6, -0.6], [x + 0.6, 0.6], [x - 0.6, 0.6]])
