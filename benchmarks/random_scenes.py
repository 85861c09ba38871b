"""Random planar scenes, each made from one seed and written down as plain numbers.

Balls between walls, straight and slanted, that strike each other; strings (unilateral), rods
(bilateral), stops, springs, sometimes a floor that goes up and down; a coefficient of restitution
for each contact. Some scenes have round numbers, so that much happens at the same instant.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

import numpy as np

import gauss_opt as go

Array = np.ndarray

G = 9.81
LAWS = ("newton", "poisson", "sequential")


@dataclass(frozen=True)
class Scene:
    """A scene as numbers. Balls are 0, 1, ...; a place is a ball's number or a fixed point.

    Attributes
    ----------
    masses, radii, q, v : lists
        Of the balls; q and v are x, y of each in turn.
    walls : list of [angle, offset, restitutions]
        n = (cos, sin) of the angle points into the free side, n.p >= offset + radius.
    pairs : list of [i, j, restitution]
        Balls that can strike each other.
    strings, rods, springs : lists
        [i, place, length, restitution], [i, place, length], [i, place, stiffness].
    stops : list of [i, axis, side, limit, restitution]
        side * (coordinate - limit) >= 0.
    floor : [amplitude, frequency, level, restitutions] or None
        y >= level + amplitude sin(frequency t) + radius.
    """

    law: str
    solver: str
    gravity: float
    end: float
    masses: list[float]
    radii: list[float]
    q: list[float]
    v: list[float]
    walls: list[Any]
    pairs: list[Any]
    strings: list[Any]
    rods: list[Any]
    springs: list[Any]
    stops: list[Any]
    floor: list[Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """As plain words and numbers."""
        return asdict(self)

    @property
    def at_rest(self) -> bool:
        """Whether nothing in it moves by itself."""
        return self.floor is None

    def system(self) -> go.System:
        """The model, as a user would write it."""
        mass = np.repeat(self.masses, 2)
        weight = -self.gravity * mass * np.tile([0.0, 1.0], len(self.masses))

        def force(q: Array, v: Array, t: float) -> Array:
            pull = [0.0] * len(mass)
            for i, place, stiffness in self.springs:
                for axis in (0, 1):
                    tension = stiffness * (_at(q, place)[axis] - q[2 * i + axis])
                    pull[2 * i + axis] = pull[2 * i + axis] + tension
                    if isinstance(place, int):
                        pull[2 * place + axis] = pull[2 * place + axis] - tension
            return weight + np.array(pull)

        rods = [
            go.Holonomic(f"rod {k}", _rod(i, place, length))
            for k, (i, place, length) in enumerate(self.rods)
        ]
        return go.System(
            mass, force, rods, self.contacts(), potential=lambda q, t: self.potential(q)
        )

    def potential(self, q: Array) -> Any:
        """Energy of weight and springs."""
        total = 0.0
        for i, mass in enumerate(self.masses):
            total = total + self.gravity * mass * q[2 * i + 1]
        for i, place, stiffness in self.springs:
            x, y = _at(q, place)
            total = total + 0.5 * stiffness * ((q[2 * i] - x) ** 2 + (q[2 * i + 1] - y) ** 2)
        return total

    def contacts(self) -> list[go.Contact]:
        """Every contact, by name."""
        found = []
        for k, (angle, offset, coefficients) in enumerate(self.walls):
            for i, e in enumerate(coefficients):
                gap = _wall(i, angle, offset + self.radii[i])
                found.append(go.Contact(f"wall {k} ball {i}", gap, e))
        for i, j, e in self.pairs:
            gap = _pair(i, j, self.radii[i] + self.radii[j])
            found.append(go.Contact(f"balls {i} {j}", gap, e))
        for k, (i, place, length, e) in enumerate(self.strings):
            found.append(go.Contact(f"string {k}", _string(i, place, length), e))
        for k, (i, axis, side, limit, e) in enumerate(self.stops):
            found.append(go.Contact(f"stop {k}", _stop(2 * i + axis, side, limit), e))
        if self.floor is not None:
            amplitude, frequency, level, coefficients = self.floor
            for i, e in enumerate(coefficients):
                gap = _floor(i, amplitude, frequency, level + self.radii[i])
                found.append(go.Contact(f"floor ball {i}", gap, e))
        return found


def from_dict(numbers: dict[str, Any]) -> Scene:
    """The scene of a file."""
    return Scene(**numbers)


def _at(q: Array, place: Any) -> Any:
    return (q[2 * place], q[2 * place + 1]) if isinstance(place, int) else place


def _square(q: Array, i: int, place: Any) -> Any:
    x, y = _at(q, place)
    return (q[2 * i] - x) ** 2 + (q[2 * i + 1] - y) ** 2


def _wall(i: int, angle: float, offset: float) -> Callable[..., Any]:
    c, s = float(np.cos(angle)), float(np.sin(angle))
    return lambda q, t: c * q[2 * i] + s * q[2 * i + 1] - offset


def _pair(i: int, j: int, distance: float) -> Callable[..., Any]:
    return lambda q, t: np.sqrt(_square(q, i, j)) - distance


def _string(i: int, place: Any, length: float) -> Callable[..., Any]:
    # Near its length this is length - distance; it is smooth also where the distance is 0.
    return lambda q, t: (length**2 - _square(q, i, place)) / (2.0 * length)


def _rod(i: int, place: Any, length: float) -> Callable[..., Any]:
    return lambda q, t: (_square(q, i, place) - length**2) / (2.0 * length)


def _stop(coordinate: int, side: float, limit: float) -> Callable[..., Any]:
    return lambda q, t: side * (q[coordinate] - limit)


def _floor(i: int, amplitude: float, frequency: float, level: float) -> Callable[..., Any]:
    return lambda q, t: q[2 * i + 1] - level - amplitude * np.sin(frequency * t)


def random_scene(seed: int | tuple[int, ...], solvers: tuple[str, ...] = ("osqp",)) -> Scene:
    """The scene that belongs to a seed; the same seed gives the same numbers."""
    rng = np.random.default_rng(seed)
    round_numbers = bool(rng.random() < 0.25)
    count = int(rng.integers(1, 6))
    places = _places(rng, count, round_numbers)
    count = len(places)
    masses = [1.0] * count if round_numbers else (10 ** rng.uniform(-1, 1, count)).tolist()
    radii = [0.1] * count if round_numbers else rng.uniform(0.05, 0.12, count).tolist()
    speeds = 2.0 * rng.normal(size=2 * count) * (rng.random() < 0.85)
    if round_numbers:
        speeds = np.round(speeds)
    restitution = _restitution(rng)
    moving = bool(rng.random() < 0.2)
    rods, strings, springs = _links(rng, places, restitution, anchored=not moving)
    tied = {frozenset(rod[:2]) for rod in rods if isinstance(rod[1], int)}
    pairs = [
        [i, j, restitution()]
        for i, j in combinations(range(count), 2)
        if frozenset((i, j)) not in tied
    ]
    q = places.ravel()
    walls = _walls(rng, places, np.array(radii), round_numbers, restitution)
    if moving:
        del walls[3]  # the ceiling, against which a rising floor could crush a ball
    return Scene(
        law=str(rng.choice(LAWS)),
        solver=str(rng.choice(solvers)),
        gravity=G if rng.random() < 0.7 else 0.0,
        end=float(rng.choice([1.0, 2.0, 4.0])),
        masses=masses,
        radii=radii,
        q=q.tolist(),
        v=_along_rods(masses, rods, q, speeds).tolist(),
        walls=walls,
        pairs=pairs,
        strings=strings,
        rods=rods,
        springs=springs,
        stops=[] if moving else _stops(rng, places, restitution),
        floor=_moving_floor(rng, places, radii, restitution) if moving else None,
    )


def _restitution(rng: np.random.Generator) -> Callable[[], float]:
    """One coefficient for all, or a new one for each contact; ends of the range are common."""
    one = float(rng.choice([0.0, 0.5, 0.8, 1.0, rng.uniform()]))
    if rng.random() < 0.4:
        return lambda: one
    return lambda: float(rng.choice([0.0, 1.0, rng.uniform()], p=[0.15, 0.15, 0.7]))


def _places(rng: np.random.Generator, count: int, round_numbers: bool) -> Array:
    """Centres in a box from -1 to 1 and 0 to 2, apart; round ones may touch."""
    found: list[Array] = []
    for _ in range(200):
        place = rng.uniform([-0.8, 0.2], [0.8, 1.8])
        if round_numbers:
            place = np.round(place * 5.0) / 5.0
        apart = 0.2 - 1e-12 if round_numbers else 0.26
        if all(np.hypot(*(place - other)) >= apart for other in found):
            found.append(place)
        if len(found) == count:
            break
    return np.array(found)


def _walls(
    rng: np.random.Generator,
    places: Array,
    radii: Array,
    round_numbers: bool,
    restitution: Callable[[], float],
) -> list[Any]:
    """Four walls around the balls, slanted unless numbers are round; some touch a ball."""
    walls = []
    for quarter in range(4):
        angle = quarter * np.pi / 2.0
        angle += 0.0 if round_numbers or rng.random() < 0.4 else rng.uniform(-0.5, 0.5)
        normal = np.array([np.cos(angle), np.sin(angle)])
        nearest = float((places @ normal - radii).min())
        room = 0.0 if rng.random() < 0.2 else rng.uniform(0.02, 0.6)
        if round_numbers:
            room = round(room * 5.0) / 5.0
        walls.append([float(angle), nearest - room, [restitution() for _ in places]])
    return walls


def _links(
    rng: np.random.Generator, places: Array, restitution: Callable[[], float], anchored: bool
) -> tuple[list[Any], list[Any], list[Any]]:
    """Rods along a chain of balls, strings and springs between balls or to fixed points.

    Next to a floor that moves by itself nothing is anchored: what the floor lifts must be free.
    """
    rods: list[Any] = []
    strings: list[Any] = []
    springs: list[Any] = []
    for i in range(len(places)):
        kind = rng.choice(["none", "rod", "string", "spring"], p=[0.4, 0.2, 0.25, 0.15])
        other: Any = int(rng.integers(0, i)) if i and rng.random() < 0.7 else None
        if other is None:
            if not anchored:
                continue
            other = (places[i] + rng.uniform(-0.6, 0.6, 2)).tolist()
        distance = float(np.hypot(*(places[i] - _at(places.ravel(), other))))
        if kind == "rod":
            rods.append([i, other, distance])
        elif kind == "string":
            longer = 1.0 if rng.random() < 0.2 else rng.uniform(1.0, 1.6)
            strings.append([i, other, distance * longer, restitution()])
        elif kind == "spring":
            springs.append([i, other, float(10 ** rng.uniform(0.0, 2.5))])
    return rods, strings, springs


def _along_rods(masses: list[float], rods: list[Any], q: Array, v: Array) -> Array:
    """The nearest velocity, in the mass metric, that leaves the lengths of the rods."""
    rows = np.zeros((len(rods), len(q)))
    for row, (i, place, _) in zip(rows, rods, strict=True):
        apart = q[2 * i : 2 * i + 2] - np.array(_at(q, place))
        row[2 * i : 2 * i + 2] += apart
        if isinstance(place, int):
            row[2 * place : 2 * place + 2] -= apart
    inverse = np.repeat(1.0 / np.array(masses), 2)
    gram = (rows * inverse) @ rows.T
    return v - inverse * (rows.T @ np.linalg.lstsq(gram, rows @ v, rcond=None)[0])


def _stops(rng: np.random.Generator, places: Array, restitution: Callable[[], float]) -> list[Any]:
    stops = []
    for i in range(len(places)):
        if rng.random() < 0.25:
            axis, side = int(rng.integers(0, 2)), float(rng.choice([-1.0, 1.0]))
            limit = float(places[i, axis]) - side * float(rng.uniform(0.0, 0.5))
            stops.append([i, axis, side, limit, restitution()])
    return stops


def _moving_floor(
    rng: np.random.Generator,
    places: Array,
    radii: list[float],
    restitution: Callable[[], float],
) -> list[Any]:
    """A floor below all balls that goes up and down."""
    amplitude, frequency = float(rng.uniform(0.01, 0.08)), float(rng.uniform(2.0, 25.0))
    level = float((places[:, 1] - np.array(radii)).min()) - float(rng.uniform(0.0, 0.3))
    return [amplitude, frequency, level, [restitution() for _ in places]]
