"""Whole motions with q' = N(q) v, against the same motion in minimal coordinates."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

G = 9.81
A, B = 1.0, 0.4  # half sides of a plate
CORNERS = [(sx * A, sy * B) for sx in (-1, 1) for sy in (-1, 1)]
MASS, INERTIA = 2.0, 2.0 * (A * A + B * B) / 3.0


def heights(c, s, y):
    """Heights of the corners of a plate at y, turned by an angle with this cosine and sine."""
    return [y + s * a + c * b for a, b in CORNERS]


def plate(e, minimal, constraints=()):
    """A plate above a floor: (x, y, angle), or (x, y, cos, sin) with the same velocities."""
    if minimal:
        gap = lambda i: lambda q, t: heights(np.cos(q[2]), np.sin(q[2]), q[1])[i]  # noqa: E731
        extra = {}
    else:
        gap = lambda i: lambda q, t: heights(q[2], q[3], q[1])[i]  # noqa: E731
        extra = {"nq": 4, "kinematics": turning}
    return go.System(
        [MASS, MASS, INERTIA],
        [0.0, -MASS * G, 0.0],
        constraints=constraints,
        contacts=[go.Contact(f"corner {i}", gap(i), e) for i in range(4)],
        potential=lambda q, t: MASS * G * q[1],
        **extra,
    )


def turning(q):
    return np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, -q[3]], [0, 0, q[2]]])


def circled(q):
    """(x, y, angle) as (x, y, cos, sin)."""
    q = np.asarray(q)
    return np.stack([q[..., 0], q[..., 1], np.cos(q[..., 2]), np.sin(q[..., 2])], axis=-1)


START = np.array([0.0, 2.0, 0.3]), np.array([0.5, -1.0, 1.1])


def both(e, span, start=START, **options):
    q, v = start
    one = go.simulate(plate(e, True), q, v, (0, span), **options)
    two = go.simulate(plate(e, False), circled(q), v, (0, span), **options)
    return one, two


@pytest.mark.parametrize("law", ["newton", "poisson", "sequential"])
@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
def test_a_plate_hits_the_floor_as_in_minimal_coordinates(e, law):
    one, two = both(e, 0.9, law=law, rtol=1e-10)
    assert [x.kind for x in two.events] == [x.kind for x in one.events]
    assert any(x.kind == "impact" for x in two.events)
    for mine, theirs in zip(two.events, one.events, strict=True):
        assert mine.contacts == theirs.contacts
        assert_allclose(mine.t, theirs.t, rtol=1e-8)
        assert_allclose(mine.v_after, theirs.v_after, atol=1e-6)
        for name, impulse in theirs.impulses.items():
            assert_allclose(mine.impulses[name], impulse, atol=1e-6)
    assert_allclose(two.q[-1], circled(one.q[-1]), atol=1e-6)
    assert_allclose(two.v[-1], one.v[-1], atol=1e-6)


def test_elastic_blows_keep_the_energy():
    _, two = both(1.0, 3.0, rtol=1e-11)
    assert sum(event.kind == "impact" for event in two.events) >= 2
    assert_allclose(two.energy.total, two.energy.total[0], rtol=1e-8)
    assert_allclose((two.q[:, 2:] ** 2).sum(axis=1), 1.0, atol=1e-9)


def test_a_plate_comes_to_rest_on_a_side():
    flat = np.array([0.0, B + 0.05, 0.02]), np.zeros(3)
    one, two = both(0.3, 3.0, start=flat)
    for result in (one, two):
        assert result.success
        assert_allclose(result.v[-1], 0.0, atol=1e-9)
        assert_allclose(result.q[-1, 1], B, atol=1e-9)
        forces = [result.multipliers[f"corner {i}"][-1] for i in range(4)]
        assert_allclose(sum(forces), MASS * G, rtol=1e-9)
        assert_allclose(min(gap.min() for gap in result.gaps.values()), 0.0, atol=1e-9)
    assert_allclose(two.q[-1], circled(one.q[-1]), atol=1e-9)


def test_an_edge_that_rests_slides_and_tips_over_as_in_minimal_coordinates():
    """A plate on one corner, let go: the corner stays on the floor while it falls over."""
    angle = 0.7
    corner = heights(np.cos(angle), np.sin(angle), 0.0)
    start = np.array([0.0, -min(corner), angle]), np.zeros(3)
    one, two = both(0.0, 0.5, start=start, rtol=1e-10)
    times = np.linspace(0, 0.25, 11)
    assert_allclose(
        [two(t).q for t in times], circled(np.array([one(t).q for t in times])), atol=1e-8
    )
    assert [x.kind for x in two.events] == [x.kind for x in one.events]


def test_a_joint_on_a_circle_stays_closed():
    """A pendulum whose pin holds a corner of the plate, for many swings."""
    ax, ay = A, B

    def pin(q, t):
        return np.array([q[0] + q[2] * ax - q[3] * ay, q[1] + q[3] * ax + q[2] * ay - 5.0])

    swing = plate(0.5, False, [go.Holonomic("pin", pin)])
    start = [-ax, 5.0 - ay, 1.0, 0.0]
    result = go.simulate(swing, start, np.zeros(3), (0, 10))
    assert result.success
    assert_allclose(result.energy.total, result.energy.total[0], rtol=1e-6)
    for q in result.q:
        assert_allclose(pin(q, 0.0), 0.0, atol=1e-9)
    assert_allclose((result.q[:, 2:] ** 2).sum(axis=1), 1.0, atol=1e-7)


def test_a_start_off_its_joint_is_put_right():
    tilt = go.Holonomic("tilt", lambda q, t: q[3] - np.sin(0.5))
    tilted = plate(0.5, False, [tilt])
    start = circled([0.0, 5.0, 0.45])
    with pytest.raises(go.InputError, match="the position violates 'tilt'"):
        go.simulate(tilted, start, np.zeros(3), (0, 0.1))
    result = go.simulate(tilted, start, np.zeros(3), (0, 0.1), project_start=True)
    assert_allclose(result.q[0], circled([0.0, 5.0, 0.5]), atol=1e-12)


def test_a_tumbling_body_bounces_on_its_tip_and_keeps_its_energy():
    """A free body with a tip on its third axis: height and a unit quaternion, in body rates."""
    inertia = np.array([0.2, 0.3, 0.1])

    def force(q, v, t):
        spin = v[1:]
        gyro = np.array(
            [
                (inertia[1] - inertia[2]) * spin[1] * spin[2],
                (inertia[2] - inertia[0]) * spin[2] * spin[0],
                (inertia[0] - inertia[1]) * spin[0] * spin[1],
            ]
        )
        return np.concatenate([np.array([-G]), gyro])

    def kinematics(q):
        w, a, b, c = q[1], q[2], q[3], q[4]
        half = 0.5
        return np.array(
            [
                [1.0, 0, 0, 0],
                [0, -half * a, -half * b, -half * c],
                [0, half * w, -half * c, half * b],
                [0, half * c, half * w, -half * a],
                [0, -half * b, half * a, half * w],
            ]
        )

    top = go.System(
        np.array([1.0, *inertia]),
        force,
        contacts=[
            go.Contact(
                name,
                lambda q, t, s=sign: q[0] + s * (1.0 - 2.0 * (q[2] ** 2 + q[3] ** 2)),
                1.0,
            )
            for name, sign in (("tip", -1.0), ("tail", 1.0))
        ],
        potential=lambda q, t: G * q[0],
        kinematics=kinematics,
        nq=5,
    )
    result = go.simulate(top, [2.5, 1, 0, 0, 0], [0.0, 1.0, 2.0, 0.5], (0, 3), rtol=1e-11)
    assert sum(event.kind == "impact" for event in result.events) >= 3
    assert_allclose(result.energy.total, result.energy.total[0], rtol=1e-8)
    assert_allclose((result.q[:, 1:] ** 2).sum(axis=1), 1.0, atol=1e-8)
    for gap in result.gaps.values():
        assert gap.min() >= -1e-9
