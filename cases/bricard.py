"""Bricard's mechanism: six hinges that should lock, and move all the same.

Five rods and six hinges between them and the ground: thirty constraint rows for thirty velocities,
and yet one degree of freedom, for on the constraint surface one row follows from the others. Beside
the surface, by as little as round-off, all thirty are independent and contradict each other.
Teaches that the rank is decided on the surface and held: the motion is unique, the forces in the
hinges are not.

Reference: positions of the point P3 printed for problem A04 of the IFToMM multibody benchmark. They
are stated there for 1 m and 9.81 m/s^2; for others, lengths grow with L and times with sqrt(L / g).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import gauss_opt as go
from gauss_opt.viz import scene

# Position of P3 in rod lengths at times for L = 1 m and g = 9.81 m/s^2.
PUBLISHED = {
    0.5: (0.96828368, -1.22462516, 0.75014661),
    1.0: (0.51050146, -1.64916760, 0.14012311),
    2.0: (-0.96934034, -1.22124689, 0.75427801),
    4.0: (0.52489959, -1.64387600, 0.14883585),
    5.0: (1.00000000, -1.00006726, 0.99993274),
}
GRAVITY = 9.81
JOINTS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], float)
AXES = np.eye(3)[[1, 2, 0, 1, 2, 0]]
RODS = 5
LOOK = np.array([0.5, 0.3])  # where depth is drawn to


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
    """Positions of all rods from their velocities, (35, 30)."""
    blocks = [[np.zeros((7, 6)) for _ in range(RODS)] for _ in range(RODS)]
    for i in range(RODS):
        turn = np.concatenate([np.zeros((4, 3)), turning(q[7 * i + 3 : 7 * i + 7])], axis=1)
        move = np.concatenate([np.eye(3), np.zeros((3, 3))], axis=1)
        blocks[i][i] = np.concatenate([move, turn])
    return np.concatenate([np.concatenate(row, axis=1) for row in blocks])


@dataclass(frozen=True)
class Bricard(go.Case):
    """Rods along the edges of a cube, hinged about the axes x, y and z in turn."""

    reference = "IFToMM multibody benchmark A04"

    length: float = go.parameter(1.0, "m", "length of each rod")
    mass: float = go.parameter(1.0, "kg", "mass of each rod")
    section: float = go.parameter(0.1, "", "side of the square section, by length of the rod")
    gravity: float = go.parameter(GRAVITY, "m/s^2", "weight per mass, along -y")
    duration: float = go.parameter(5.0, "s", "simulated time")

    def __post_init__(self) -> None:
        values = (self.length, self.mass, self.section, self.gravity, self.duration)
        if not min(values) > 0.0:
            raise go.InputError("all parameters must be positive")

    @property
    def corners(self) -> np.ndarray:
        """Places of the hinges at the start, (6, 3)."""
        return self.length * JOINTS

    @property
    def centres(self) -> np.ndarray:
        """Places of the centres of the rods at the start, (5, 3)."""
        return 0.5 * (self.corners[:-1] + self.corners[1:])

    def inertia(self) -> np.ndarray:
        """Principal inertias of each rod about its centre, (5, 3); its frame is the world's."""
        side = self.section**2
        across, along = (1.0 + side) / 12.0, side / 6.0
        direction = np.abs(JOINTS[1:] - JOINTS[:-1])
        return self.mass * self.length**2 * (across + (along - across) * direction)

    def build(self) -> go.Setup:
        corners, centres, inertia = self.corners, self.centres, self.inertia()
        weight = self.mass * self.gravity

        def hinges(q, t):
            turned = [rotation(q[7 * i + 3 : 7 * i + 7]) for i in range(RODS)]

            def point(rod, joint):
                if not 0 <= rod < RODS:
                    return corners[joint]
                arm = corners[joint] - centres[rod]
                return q[7 * rod : 7 * rod + 3] + turned[rod] @ arm

            def direction(rod, axis):
                return turned[rod] @ axis if 0 <= rod < RODS else axis

            rows = []
            for joint, axis in enumerate(AXES):
                before, after = joint - 1, joint
                rows.append(point(after, joint) - point(before, joint))
                across = [np.roll(axis, 1), np.roll(axis, 2)]
                own = direction(after, axis)
                rows.append(np.array([direction(before, other) @ own for other in across]))
            return np.concatenate(rows)

        def force(q, v, t):
            parts = []
            for i in range(RODS):
                spin = v[6 * i + 3 : 6 * i + 6]
                parts.append(np.array([0.0, -weight, 0.0]))
                parts.append(-np.cross(spin, inertia[i] * spin))
            return np.concatenate(parts)

        masses = np.concatenate([np.full((RODS, 3), self.mass), inertia], axis=1)
        names = ("x", "y", "z", "e0", "e1", "e2", "e3")
        system = go.System(
            mass=masses.ravel(),
            force=force,
            constraints=[go.Holonomic("hinges", hinges)],
            potential=lambda q, t: weight * sum(q[7 * i + 1] for i in range(RODS)),
            kinematics=kinematics,
            nq=7 * RODS,
            coordinates=[f"{name} {i + 1}" for i in range(RODS) for name in names],
        )
        upright = np.tile([1.0, 0.0, 0.0, 0.0], (RODS, 1))
        start = np.concatenate([centres, upright], axis=1).ravel()
        span = (0.0, self.duration)
        return go.Setup(system, start, np.zeros(6 * RODS), span, {"rtol": 1e-9})

    def ends(self, q: np.ndarray) -> np.ndarray:
        """Both ends of each rod, (5, 2, 3)."""
        bodies = q.reshape(RODS, 7)
        half = 0.5 * (self.corners[1:] - self.corners[:-1])
        arms = [rotation(body[3:]) @ arm for body, arm in zip(bodies, half, strict=True)]
        return np.stack([bodies[:, :3] - arms, bodies[:, :3] + arms], axis=1)

    def check(self, result: go.Result) -> Iterator[go.Check]:
        slower = np.sqrt(self.length * GRAVITY / self.gravity)
        for published, place in PUBLISHED.items():
            t = published * slower
            if t > self.duration:
                continue
            ours = self.ends(result(t).q)[2, 1] / self.length
            for name, value, expected in zip("xyz", ours, place, strict=True):
                yield go.Check(f"P3 {name} at t = {t:g} s, in rods", value, expected, 1e-7)
        drift = np.abs(result.values["hinges"]).max() / self.length
        yield go.Check.at_most("drift, all thirty rows", drift, 1e-9)
        total = result.energy.total
        size = result.energy.kinetic.max()
        yield go.Check.at_most("energy changed", np.abs(total - total[0]).max() / size, 1e-7)

    def draw(self, q: np.ndarray, t: float) -> list[scene.Shape]:
        def seen(points: np.ndarray) -> np.ndarray:
            depth = points[..., 2:]
            return points[..., :2] + depth * LOOK

        ends = seen(self.ends(q))
        ground = seen(self.corners[[0, 5]])
        return [
            scene.line(ground, "ground", 5.0),
            scene.trail(ends[2, 1]),
            *(scene.line(rod, "body" if i % 2 else "second", 6.0) for i, rod in enumerate(ends)),
            *(scene.dot(pin, "string", 3.0) for pin in [*ends[:, 0], ends[-1, 1]]),
        ]
