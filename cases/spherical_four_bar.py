"""A spherical four-bar with full hinges: twenty rows hold what seventeen would.

Three links and four hinges whose axes all pass through one point. Every hinge holds a point and two
directions, as hinges do; on the constraint surface three of the twenty rows follow from the others,
beside it they contradict them. Teaches that mechanisms may be written as they are built, without
picking rows by hand.

Reference: one degree of freedom. With the angles a of the crank and b of the rocker, closed by a
constant angle between the axes they carry, J(a) a'' + 1/2 J'(a) a'^2 + V'(a) = 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp

import gauss_opt as go
from gauss_opt.viz import scene

LINKS = 3
# The first link is short enough to go all the way round.
DIRECTIONS = np.array([[1.0, 0.1, -0.05], [0.87, 0.12, 0.5], [0.05, 0.3, 1.0], [0.35, 0.94, 0.06]])
AXES = DIRECTIONS / np.linalg.norm(DIRECTIONS, axis=1)[:, None]
# Weights of a derivative by differences, of sixth order.
STENCIL = {-3: -1 / 60, -2: 3 / 20, -1: -3 / 4, 1: 3 / 4, 2: -3 / 20, 3: 1 / 60}


def rotation(e):
    """Matrix of a quaternion, whatever its length."""
    w, x, y, z = e
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return np.array(
        [
            [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
            [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
            [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
        ]
    )


def turning(e):
    """How a quaternion follows the angular velocity in the body's frame, (4, 3)."""
    w, x, y, z = e
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def kinematics(q):
    """Positions of all links from their velocities, (21, 18)."""
    blocks = [[np.zeros((7, 6)) for _ in range(LINKS)] for _ in range(LINKS)]
    for i in range(LINKS):
        turn = np.concatenate([np.zeros((4, 3)), turning(q[7 * i + 3 : 7 * i + 7])], axis=1)
        move = np.concatenate([np.eye(3), np.zeros((3, 3))], axis=1)
        blocks[i][i] = np.concatenate([move, turn])
    return np.concatenate([np.concatenate(row, axis=1) for row in blocks])


def across(axis: np.ndarray) -> list[np.ndarray]:
    """Two directions perpendicular to an axis and to each other."""
    first = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    first /= np.linalg.norm(first)
    return [first, np.cross(axis, first)]


def about(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rotation by an angle about an axis."""
    return rotation(np.concatenate([[np.cos(0.5 * angle)], np.sin(0.5 * angle) * axis]))


def frame(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A right-handed frame on two directions."""
    normal = np.cross(a, b) / np.linalg.norm(np.cross(a, b))
    return np.column_stack([a, normal, np.cross(a, normal)])


@dataclass(frozen=True)
class SphericalFourBar(go.Case):
    """Crank, coupler and rocker about one point, hinged half way along the axes."""

    reference = "one degree of freedom by scipy"

    radius: float = go.parameter(0.5, "m", "distance of the hinges from the common point")
    mass: float = go.parameter(1.0, "kg", "mass of each link")
    gravity: float = go.parameter(9.81, "m/s^2", "weight per mass, along -z")
    duration: float = go.parameter(2.0, "s", "simulated time")

    def __post_init__(self) -> None:
        if not min(self.radius, self.mass, self.gravity, self.duration) > 0.0:
            raise go.InputError("all parameters must be positive")

    @property
    def hinges(self) -> np.ndarray:
        """Places of the hinges at the start, (4, 3)."""
        return self.radius * AXES

    @property
    def centres(self) -> np.ndarray:
        """Centres of the links at the start, (3, 3)."""
        return self.hinges[:-1] + self.hinges[1:]

    @property
    def inertia(self) -> np.ndarray:
        """Principal inertias of each link about its centre, in the frame of the start."""
        return self.mass * self.radius**2 * np.array([0.4, 0.48, 0.6])

    def build(self) -> go.Setup:
        hinges, centres, inertia = self.hinges, self.centres, self.inertia
        weight = self.mass * self.gravity

        def closed(q, t):
            turned = [rotation(q[7 * i + 3 : 7 * i + 7]) for i in range(LINKS)]

            def point(link, hinge):
                if not 0 <= link < LINKS:
                    return hinges[hinge]
                return q[7 * link : 7 * link + 3] + turned[link] @ (hinges[hinge] - centres[link])

            def direction(link, axis):
                return turned[link] @ axis if 0 <= link < LINKS else axis

            rows = []
            for hinge, axis in enumerate(AXES):
                rows.append(point(hinge, hinge) - point(hinge - 1, hinge))
                own = direction(hinge, axis)
                rows.append(np.array([direction(hinge - 1, d) @ own for d in across(axis)]))
            return np.concatenate(rows)

        def force(q, v, t):
            parts = []
            for i in range(LINKS):
                spin = v[6 * i + 3 : 6 * i + 6]
                parts.append(np.array([0.0, 0.0, -weight]))
                parts.append(-np.cross(spin, inertia * spin))
            return np.concatenate(parts)

        names = ("x", "y", "z", "e0", "e1", "e2", "e3")
        system = go.System(
            mass=np.tile(np.concatenate([np.full(3, self.mass), inertia]), LINKS),
            force=force,
            constraints=[go.Holonomic("hinges", closed)],
            potential=lambda q, t: weight * sum(q[7 * i + 2] for i in range(LINKS)),
            kinematics=kinematics,
            nq=7 * LINKS,
            coordinates=[f"{name} {i + 1}" for i in range(LINKS) for name in names],
        )
        upright = np.tile([1.0, 0.0, 0.0, 0.0], (LINKS, 1))
        start = np.concatenate([centres, upright], axis=1).ravel()
        span = (0.0, self.duration)
        return go.Setup(system, start, np.zeros(6 * LINKS), span, {"rtol": 1e-10})

    def closure(self, a: float) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Rotations of the links, and their angular velocities for a' = 1, at a crank angle."""
        crank = about(AXES[0], a)
        carried, kept = crank @ AXES[1], AXES[1] @ AXES[2]
        # carried . R(b) axis = kept is P cos b + Q sin b = K; b = 0 at the start.
        along = AXES[3] @ AXES[2]
        P = carried @ (AXES[2] - along * AXES[3])
        Q = carried @ np.cross(AXES[3], AXES[2])
        K = kept - along * (carried @ AXES[3])
        start = AXES[1] @ np.cross(AXES[3], AXES[2])
        b = np.arctan2(Q, P) - np.sign(start) * np.arccos(K / np.hypot(P, Q))
        rocker = about(AXES[3], b)
        held = rocker @ AXES[2]
        coupler = frame(carried, held) @ frame(AXES[1], AXES[2]).T
        first = AXES[0]
        ratio = -np.cross(AXES[0], carried) @ held / (carried @ np.cross(AXES[3], held))
        third = ratio * AXES[3]
        plane = np.cross(carried, held)
        second = first + np.cross(third - first, held) @ plane / (plane @ plane) * carried
        return [crank, coupler, rocker], [first, second, third]

    def inertia_and_height(self, a: float) -> np.ndarray:
        """J(a), and the sum of the heights of the centres of mass."""
        total, height = 0.0, 0.0
        for turned, spin, centre in zip(*self.closure(a), self.centres, strict=True):
            place = turned @ centre
            own = turned.T @ spin
            velocity = np.cross(spin, place)
            total += self.mass * (velocity @ velocity) + own @ (self.inertia * own)
            height += place[2]
        return np.array([total, height])

    def crank(self, times: np.ndarray) -> np.ndarray:
        """Angle of the crank by the one degree of freedom."""
        step = 2e-3

        def motion(t: float, y: np.ndarray) -> list[float]:
            a, speed = y
            slopes = sum(w * self.inertia_and_height(a + i * step) for i, w in STENCIL.items())
            turn, rise = slopes / step
            pull = self.mass * self.gravity * rise + 0.5 * turn * speed**2
            return [speed, -pull / self.inertia_and_height(a)[0]]

        span = (0.0, times[-1])
        accuracy = {"method": "DOP853", "rtol": 1e-9, "atol": 1e-10}
        return solve_ivp(motion, span, [0.0, 0.0], t_eval=times, **accuracy).y[0]

    def check(self, result: go.Result) -> Iterator[go.Check]:
        times = np.linspace(0.0, self.duration, 9)
        angles = self.crank(times)
        worst = 0.0
        for t, angle in zip(times, angles, strict=True):
            bodies = result(float(t)).q.reshape(LINKS, 7)
            for body, turned in zip(bodies, self.closure(angle)[0], strict=True):
                worst = max(worst, np.abs(rotation(body[3:]) - turned).max())
        yield go.Check.at_most("links off one degree of freedom", worst, 1e-7)
        yield go.Check.at_most("links that did not turn", float(np.ptp(angles) < 0.1), 0.0)
        drift = np.abs(result.values["hinges"]).max() / self.radius
        yield go.Check.at_most("drift, all twenty rows", drift, 1e-9)
        total = result.energy.total
        size = result.energy.kinetic.max()
        yield go.Check.at_most("energy changed", np.abs(total - total[0]).max() / size, 1e-7)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        def seen(points: np.ndarray) -> np.ndarray:
            points = np.atleast_2d(points)
            return np.column_stack([points[:, 1] - 0.5 * points[:, 0], points[:, 2]])

        def arc(a: np.ndarray, b: np.ndarray) -> np.ndarray:
            share = np.linspace(0.0, 1.0, 15)[:, None]
            chord = (1.0 - share) * a + share * b
            return seen(self.radius * chord / np.linalg.norm(chord, axis=1)[:, None])

        bodies = q.reshape(LINKS, 7)
        turned = [rotation(body[3:]) for body in bodies]
        ends = [(R @ AXES[i], R @ AXES[i + 1]) for i, R in enumerate(turned)]
        places = [AXES[0], ends[0][1], ends[1][1], AXES[3]]
        spokes = [scene.line(seen(np.array([0.0 * p, self.radius * p])), "ghost") for p in places]
        links = [
            scene.line(arc(*pair), "second" if i == 1 else "body", 6.0)
            for i, pair in enumerate(ends)
        ]
        pins = [scene.dot(seen(self.radius * p)[0], "string", 3.0) for p in places]
        ground = scene.line(arc(AXES[0], AXES[3]), "ground", 4.0)
        return [ground, *spokes, scene.trail(pins_of(ends, self.radius, seen)), *links, *pins]


def pins_of(ends, radius, seen):
    """Where the middle of the coupler is drawn."""
    middle = ends[1][0] + ends[1][1]
    return seen(radius * middle / np.linalg.norm(middle))[0]
