"""Closed loops in space with full hinges, whose rows are dependent on the constraint surface only.

What each of them can do is known from its geometry: that is the reference, not a run of ours.
"""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

G = 9.81


def rotation(e):
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
    w, x, y, z = e
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def kinematics(links):
    def matrix(q):
        blocks = [[np.zeros((7, 6)) for _ in range(links)] for _ in range(links)]
        for i in range(links):
            turn = np.concatenate([np.zeros((4, 3)), turning(q[7 * i + 3 : 7 * i + 7])], axis=1)
            move = np.concatenate([np.eye(3), np.zeros((3, 3))], axis=1)
            blocks[i][i] = np.concatenate([move, turn])
        return np.concatenate([np.concatenate(row, axis=1) for row in blocks])

    return matrix


def across(axis):
    first = np.cross(axis, np.eye(3)[np.abs(axis).argmin()])
    first /= np.linalg.norm(first)
    return [first, np.cross(axis, first)]


def loop(places, axes, random):
    """Links between hinges at ``places`` with ``axes``, the last and the first on the ground."""
    links = len(places) - 1
    centres = 0.5 * (places[:-1] + places[1:])
    mass, inertia = random.uniform(0.5, 2.0, links), random.uniform(0.05, 0.3, (links, 3))
    down = random.normal(size=3)
    down *= G / np.linalg.norm(down)

    def hinges(q, t):
        turned = [rotation(q[7 * i + 3 : 7 * i + 7]) for i in range(links)]

        def place(link, hinge):
            if not 0 <= link < links:
                return places[hinge]
            return q[7 * link : 7 * link + 3] + turned[link] @ (places[hinge] - centres[link])

        def along(link, axis):
            return turned[link] @ axis if 0 <= link < links else axis

        rows = []
        for hinge, axis in enumerate(axes):
            own = along(hinge, axis)
            rows.append(place(hinge, hinge) - place(hinge - 1, hinge))
            rows.append(np.array([along(hinge - 1, d) @ own for d in across(axis)]))
        return np.concatenate(rows)

    def force(q, v, t):
        spins = [v[6 * i + 3 : 6 * i + 6] for i in range(links)]
        return np.concatenate(
            [p for i, w in enumerate(spins) for p in (mass[i] * down, -np.cross(w, inertia[i] * w))]
        )

    system = go.System(
        mass=np.concatenate([p for i in range(links) for p in (np.full(3, mass[i]), inertia[i])]),
        force=force,
        constraints=[go.Holonomic("hinges", hinges)],
        kinematics=kinematics(links),
        nq=7 * links,
        potential=lambda q, t: -sum(mass[i] * (down @ q[7 * i : 7 * i + 3]) for i in range(links)),
    )
    upright = np.tile([1.0, 0.0, 0.0, 0.0], (links, 1))
    return system, np.concatenate([centres, upright], axis=1).ravel(), np.zeros(6 * links)


def step_along(length, twist, angle):
    """From one hinge of a chain to the next, after Denavit and Hartenberg."""
    c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
    return np.array(
        [
            [c, -s * ct, s * st, length * c],
            [s, c * ct, -c * st, length * s],
            [0.0, st, ct, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )


def bennett(random):
    """Bennett's linkage: four skew hinges; it moves only because a/sin(alpha) = b/sin(beta)."""
    alpha, beta, a = random.uniform(0.3, 1.2), random.uniform(1.3, 2.5), random.uniform(0.5, 1.5)
    b = a * np.sin(beta) / np.sin(alpha)
    ratio = np.sin(0.5 * (beta + alpha)) / np.sin(0.5 * (beta - alpha))
    first = random.uniform(0.4, 2.5)
    second = 2.0 * np.arctan(ratio / np.tan(0.5 * first))
    frame, places, axes = np.eye(4), [], []
    angles = first, second, 2.0 * np.pi - first, 2.0 * np.pi - second
    for angle, (length, twist) in zip(angles, [(a, alpha), (b, beta)] * 2, strict=True):
        places.append(frame[:3, 3])
        axes.append(frame[:3, 2])
        frame = frame @ step_along(length, twist, angle)
    assert_allclose(frame, np.eye(4), atol=1e-12)
    return np.array(places), np.array(axes), ratio


def angle_about(axis, before, after):
    """The angle by which a direction has been turned about an axis."""
    before, after = before - axis * (axis @ before), after - axis * (axis @ after)
    return np.arctan2(axis @ np.cross(before, after), before @ after)


@pytest.mark.parametrize("seed", range(4))
def test_bennetts_linkage_keeps_the_ratio_of_its_half_angles(seed):
    random = np.random.default_rng([41, seed])
    places, axes, ratio = bennett(random)
    system, q0, v0 = loop(places, axes, random)
    result = go.simulate(system, q0, v0, (0, 1), rtol=1e-9)
    assert result.stats.steps < 400
    first = 2.0 * np.arctan2(*_half_turn(places, axes, 0))
    for t in np.linspace(0.0, 1.0, 9):
        q = result(t).q
        turned = [rotation(q[7 * i + 3 : 7 * i + 7]) for i in range(3)]
        crank = angle_about(axes[0], places[1] - places[0], turned[0] @ (places[1] - places[0]))
        own = turned[0] @ axes[1]
        coupler = angle_about(
            own, turned[0] @ (places[2] - places[1]), turned[1] @ (places[2] - places[1])
        )
        second = 2.0 * np.arctan(ratio / np.tan(0.5 * first))
        product = np.tan(0.5 * (first + crank)) * np.tan(0.5 * (second + coupler))
        assert_allclose(product, ratio, rtol=1e-6)
    assert np.abs(result.energy.residual).max() < 1e-6


def _half_turn(places, axes, hinge):
    """Sine and cosine of half the angle of a hinge, from the link before it to the one after."""
    common = np.cross(axes[-1], axes[0])
    common *= np.sign(common @ (places[0] - places[-1]))
    angle = angle_about(axes[0], common, places[1] - places[0])
    return np.sin(0.5 * angle), np.cos(0.5 * angle)


@pytest.mark.parametrize("seed", range(4))
def test_the_plate_of_sarrus_linkage_goes_straight_up_and_down(seed):
    random = np.random.default_rng([42, seed])
    x0, x, h = random.uniform(0.3, 1.0), random.uniform(0.2, 0.5), random.uniform(0.4, 1.0)
    right = [[x0, 0, 0], [x0 + x, 0, 0.5 * h], [x0, 0, h]]
    back = [[0, x0, h], [0, x0 + 1.1 * x, 0.45 * h], [0, x0, 0]]
    axes = np.array([[0.0, 1.0, 0.0]] * 3 + [[1.0, 0.0, 0.0]] * 3)
    system, q0, v0 = loop(np.array(right + back, dtype=float), axes, random)
    result = go.simulate(system, q0, v0, (0, 1), rtol=1e-9)
    assert result.stats.steps < 400
    plate = result.q[:, 14:21]
    assert np.ptp(plate[:, 2]) > 0.1
    assert_allclose(plate[:, :2], np.broadcast_to(q0[14:16], plate[:, :2].shape), atol=1e-8)
    assert_allclose(plate[:, 4:], 0.0, atol=1e-8)
    assert np.abs(result.energy.residual).max() < 1e-6


@pytest.mark.parametrize("seed", range(4))
def test_a_planar_four_bar_hinged_in_space_stays_in_its_plane(seed):
    random = np.random.default_rng([43, seed])
    turned = np.linalg.qr(random.normal(size=(3, 3)))[0]
    flat = np.array([[0, 0, 0], [0.3, 0.2, 0], [1.1, 0.8, 0], [1.0, 0, 0]])
    axes = np.tile(turned[:, 2], (4, 1))
    system, q0, v0 = loop(flat @ turned.T, axes, random)
    result = go.simulate(system, q0, v0, (0, 1), rtol=1e-9)
    assert result.stats.steps < 400
    for i in range(3):
        assert_allclose(result.q[:, 7 * i : 7 * i + 3] @ turned[:, 2], 0.0, atol=1e-9)
    assert np.abs(result.energy.residual).max() < 1e-6


def test_velocity_rows_that_follow_from_each_other_change_nothing():
    """A knife edge said once, and again in forms that are the same only where it holds."""

    def slip(q, v):
        return v[0] * np.sin(q[2]) - v[1] * np.cos(q[2])

    edge = go.Nonholonomic("edge", lambda q, v, t: slip(q, v))
    scaled = go.Nonholonomic("scaled", lambda q, v, t: slip(q, v) * (1.0 + q[0] ** 2))
    bent = go.Nonholonomic("bent", lambda q, v, t: slip(q, v) + slip(q, v) ** 2)
    pull = [4.905, 0.0, 0.0]
    once = go.System([1.0, 1.0, 0.5], pull, [edge])
    often = go.System([1.0, 1.0, 0.5], pull, [edge, scaled, bent])
    start = [0.3, 0.1, 0.0], [0.0, 0.0, 2.0], (0, 3)
    one, many = (go.simulate(system, *start, rtol=1e-10) for system in (once, often))
    assert_allclose(many.q[-1], one.q[-1], atol=1e-9)
    assert many.stats.steps == one.stats.steps
    on = np.array([0.3 * np.cos(0.4), 0.3 * np.sin(0.4), 1.0])
    for off in (1e-12, 1e-8, 1e-4, 1e-2):
        state = [0.3, 0.1, 0.4], on + off * np.array([0.3, 0.5, 0.2])
        exact, found = (go.accelerate(system, *state).acceleration for system in (once, often))
        assert_allclose(found, exact, atol=off)
