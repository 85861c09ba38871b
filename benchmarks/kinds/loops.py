"""Mechanisms of one degree of freedom with more rows than they need.

The judge has it easy: closures that hold and an energy that is constant leave one motion only.
"""

from __future__ import annotations

import numpy as np

from kinds.model import Array, Model, Trial
from kinds.nearest import gradient
from kinds.surfaces import Generator

G = 9.81
TRIES = 200


def _slope(rows, q: Array) -> Array:
    return gradient(rows, q.astype(np.longdouble), 1e-6)


def _settled(rows, q: Array) -> Array | None:
    """The nearest point at which all rows vanish, by Gauss and Newton with differences."""
    for _ in range(60):
        value = rows(q)
        if np.abs(value).max() < 1e-15:
            break
        q = q - np.linalg.pinv(_slope(rows, q), rcond=1e-6) @ value
    return q if np.abs(rows(q)).max() < 1e-14 else None


def _freedom(rows, q: Array) -> Array:
    """Directions in which all rows stay zero."""
    _, sigma, right = np.linalg.svd(_slope(rows, q))
    return right[int((sigma > 1e-5).sum()) :]


def _mechanism(rng: Generator, rows, q: Array, weights: Array, stiffness: float) -> Trial | None:
    """A mechanism under gravity in some direction, with a spring that is off its length."""
    free = _freedom(rows, q)
    if len(free) != 1:
        return None
    pull = rng.normal(size=len(q)) * rng.choice([0.0, 1.0], len(q), p=[0.5, 0.5])
    pull *= G / (np.linalg.norm(pull) + 1e-9)
    rest = q + 0.3 * rng.normal(size=len(q))
    speed = free[0] * rng.uniform(-3.0, 3.0)
    many = rng.random() < 0.5  # all rows as one vector constraint, or one by one

    def potential(q, t):
        stretch = sum((q[i] - rest[i]) ** 2 for i in range(len(rest)))
        return 0.5 * stiffness * stretch - sum(pull[i] * q[i] for i in range(len(rest)))

    count = len(rows(q))
    if many:
        closures = [("loop", lambda q, t: rows(q))]
    else:
        closures = [(f"row {k}", lambda q, t, k=k: rows(q)[k]) for k in range(count)]
    return Trial(Model(
        weights, lambda q, v, t: pull - stiffness * (q - rest), q, speed,
        float(rng.uniform(0.5, 2.0)), closures=closures, potential=potential,
    ))  # fmt: skip


def _drawn(rng: Generator, make) -> Trial:
    """The first try that is a mechanism of one degree of freedom."""
    for _ in range(TRIES):
        rows, guess = make()
        q = _settled(rows, guess)
        if q is None:
            continue
        trial = _mechanism(rng, rows, q, 10 ** rng.uniform(-0.5, 0.5, len(q)),
                           float(rng.choice([0.0, 5.0])))  # fmt: skip
        if trial is not None:
            return trial
    raise ArithmeticError("no mechanism was found")


def parallelograms(rng: Generator) -> Trial:
    """A bar on three to six equal cranks, or two such bars in a chain."""
    cranks, storeys = int(rng.integers(3, 7)), int(rng.integers(1, 3))
    length = rng.uniform(0.4, 1.0, storeys)
    places = np.sort(rng.uniform(-1.5, 1.5, cranks))
    sides = rng.uniform(-0.3, 0.3, cranks)

    def rows(q):
        found = []
        for k in range(storeys):
            x, y, c, s = q[4 * k : 4 * k + 4]
            found.append(c**2 + s**2 - 1.0)
            for a, b in zip(places, sides, strict=True):
                px, py = (a, b) if not k else _carried(q[4 * k - 4 : 4 * k], a, b)
                tx, ty = _carried((x, y, c, s), a, b)
                found.append((tx - px) ** 2 + (ty - py) ** 2 - length[k] ** 2)
        return np.array(found)

    if storeys == 2:  # the second storey has a freedom of its own: one crank is held
        inner = rows
        rows = lambda q: np.append(inner(q), q[4] - q[0] - 0.5 * length[1])  # noqa: E731

    def make():
        guess = []
        base = np.zeros(2)
        for k in range(storeys):
            angle = rng.uniform(0, 2 * np.pi) if k == 0 else np.pi / 3
            base = base + length[k] * np.array([np.cos(angle), np.sin(angle)])
            guess += [*base, 1.0, 0.0]
        return rows, np.array(guess)

    return _drawn(rng, make)


def _carried(body, a, b):
    x, y, c, s = body
    return x + c * a - s * b, y + s * a + c * b


def _ring(links, fixed_point, fixed_axis):
    """Rows of a closed chain of hinges with points P and unit axes u, link 0 fixed.

    Of link i from hinge i to i + 1: length, both axes across it, and the twist between them with
    its sign. The last hinge and the first belong to the fixed link.
    """
    n = len(links)

    def hinge(q, i):
        i %= n
        if i < 2:
            return fixed_point[i], fixed_axis[i]
        k = 6 * (i - 2)
        return q[k : k + 3], q[k + 3 : k + 6]

    def rows(q):
        found = []
        for i in range(1, n):
            (p, u), (r, w) = hinge(q, i), hinge(q, i + 1)
            length, twist = links[i]
            d = r - p
            found += [_dot(d, d) - length**2, _dot(u, d), _dot(w, d)]
            found += [_dot(u, w) - np.cos(twist), _dot(_cross(u, w), d) - length * np.sin(twist)]
        for i in range(2, n):
            u = hinge(q, i)[1]
            found.append(_dot(u, u) - 1.0)
        return np.array(found)

    return rows


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _fixed(length: float, twist: float):
    return (
        [np.zeros(3), np.array([length, 0.0, 0.0])],
        [np.array([0.0, 0.0, 1.0]), np.array([0.0, -np.sin(twist), np.cos(twist)])],
    )


def bennett(rng: Generator) -> Trial:
    """Bennett's linkage: four hinges whose axes neither meet nor are parallel."""
    alpha, beta = rng.uniform(0.3, 1.2), rng.uniform(0.3, 1.2)
    a = rng.uniform(0.5, 1.0)
    links = [(a, alpha), (a * np.sin(beta) / np.sin(alpha), beta)] * 2
    rows = _ring(links, *_fixed(*links[0]))
    return _drawn(rng, lambda: (rows, rng.normal(size=12)))


def bricards(rng: Generator) -> Trial:
    """Bricard's linkage: six equal links, each hinge across the one before."""
    links = [(1.0, np.pi / 2), (1.0, -np.pi / 2)] * 3
    rows = _ring(links, *_fixed(*links[0]))
    return _drawn(rng, lambda: (rows, rng.normal(size=24)))


def spherical_four_bars(rng: Generator) -> Trial:
    """Axes through one point, each hinge held at two points, with lengths and angles together."""
    axes = rng.normal(size=(4, 3))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    radii = rng.uniform(0.4, 1.0, 2)

    def rows(q):
        u, w, p, r = q[:3], q[3:6], q[6:9], q[9:12]
        found = [_dot(u, u) - 1.0, _dot(w, w) - 1.0]
        found += [_dot(axes[0], u) - axes[0] @ axes[1], _dot(u, w) - axes[1] @ axes[2],
                  _dot(w, axes[3]) - axes[2] @ axes[3]]  # fmt: skip
        found += [p[i] - radii[0] * u[i] for i in range(3)]
        found += [r[i] - radii[1] * w[i] for i in range(3)]
        # What follows from these already.
        found += [
            _dot(p, p) - radii[0] ** 2,
            _dot(p, r) - radii[0] * radii[1] * (axes[1] @ axes[2]),
        ]
        found += [_dot(_cross(p, u), axes[0]), _dot(p, axes[0]) - radii[0] * (axes[0] @ axes[1])]
        return np.array(found)

    start = np.concatenate([axes[1], axes[2], radii[0] * axes[1], radii[1] * axes[2]])
    return _drawn(rng, lambda: (rows, start + 1e-3 * rng.normal(size=12)))


def sarrus(rng: Generator) -> Trial:
    """Sarrus's linkage: two pairs of hinged plates move a platform along a straight line."""
    a, b = rng.uniform(0.6, 1.0, 2)
    arms = rng.uniform(0.1, 0.3, 2)
    ex, ey = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])

    def rows(q):
        # Elbows, the platform's centre, and its three directions.
        first, second, centre = q[:3], q[3:6], q[6:9]
        f = [q[9:12], q[12:15], q[15:18]]
        found = [_dot(f[i], f[j]) - float(i == j) for i in range(3) for j in range(i, 3)]
        for elbow, axis, other, size, arm in (
            (first, ex, 1, a, arms[0]), (second, ey, 0, b, arms[1])
        ):  # fmt: skip
            foot = arm * (ey if other == 1 else ex)
            top = [centre[i] + arm * f[other][i] for i in range(3)]
            for begin, end in ((foot, elbow), (elbow, top)):
                d = [end[i] - begin[i] for i in range(3)]
                found += [_dot(d, d) - size**2, _dot(axis, d)]
            # The hinge on the platform is parallel to the one on the ground.
            own = f[1 - other]
            found += [own[i] for i in range(3) if not axis[i]]
        return np.array(found)

    def make():
        height = rng.uniform(0.4, 1.0)
        guess = [0.0, arms[0] + 0.4, height / 2, arms[1] + 0.4, 0.0, height / 2, 0.0, 0.0, height]
        return rows, np.array([*guess, *np.eye(3).ravel()]) + 0.05 * rng.normal(size=18) * 0.2

    return _drawn(rng, make)
