"""Rocking and walking: smooth phases joined by plastic impacts that stick."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

CLOSE = {"rtol": 0, "atol": 1e-8}


def terminal(function, direction):
    function.terminal = True
    function.direction = direction
    return function


# --- Housner's rocking block --------------------------------------------------------------------

HALF_WIDTH, HALF_HEIGHT = 0.2, 1.0
SLENDERNESS = np.arctan2(HALF_WIDTH, HALF_HEIGHT)


def corner(q, side):
    """Corner on the floor side of a block (x, y, angle): -1 left, 1 right."""
    across, down = side * HALF_WIDTH, HALF_HEIGHT
    cos, sin = np.cos(q[2]), np.sin(q[2])
    return np.array([q[0] + across * cos + down * sin, q[1] + across * sin - down * cos])


def block(side):
    """The block pinned at the corner on one side; it stands at x = 0."""
    foot = np.array([side * HALF_WIDTH, 0.0])
    pin = go.Holonomic("pin", lambda q, t: corner(q, side) - foot)
    inertia = (HALF_WIDTH**2 + HALF_HEIGHT**2) / 3
    return go.System([1.0, 1.0, inertia], [0.0, -9.81, 0.0], [pin])


def tilted(angle):
    """Centre of the block tilted by an angle about its right corner (angle < 0)."""
    arm = corner(np.array([0.0, 0.0, angle]), 1)
    return np.array([HALF_WIDTH - arm[0], -arm[1], angle])


def rock(side, q, v):
    """From one impact to the next: state before it, and the time taken."""

    def upright(q, v, t):
        return q[2]

    result = go.simulate(block(side), q, v, (0, 5), events=terminal(upright, side), rtol=1e-12)
    assert result.status == "terminated"
    return result.q[-1], result.v[-1], result.t[-1]


def test_rocking_block_hits_when_and_as_fast_as_housner_says():
    q, v, t = rock(1, tilted(-SLENDERNESS / 2), np.zeros(3))
    assert_allclose(t, 0.490864457849, **CLOSE)
    assert_allclose(v[2], 0.458239851116, **CLOSE)
    caught = go.engage(block(-1), q, v)
    assert_allclose(caught.v_after[2] / v[2], 0.942307692307692, rtol=0, atol=1e-12)
    assert caught.energy_change < 0
    assert caught.pseudoinverse_difference < 1e-12
    # the corner it stood on lifts off, so letting go of it was right
    lift = 2 * HALF_WIDTH * caught.v_after[2]
    assert lift > 0
    assert_allclose(caught.v_after[:2], caught.v_after[2] * np.array([-HALF_HEIGHT, HALF_WIDTH]))


def test_rocking_block_loses_the_same_share_of_speed_at_every_impact():
    q, v, _ = rock(1, tilted(-SLENDERNESS / 2), np.zeros(3))
    speeds, side = [v[2]], 1
    for _ in range(4):
        side = -side
        v = go.engage(block(side), q, v).v_after
        q, v, _ = rock(side, q, v)
        speeds.append(v[2])
    ratios = np.array(speeds[1:]) / speeds[:-1]
    assert_allclose(ratios, -0.942307692307692, **CLOSE)


def test_engaging_a_pin_out_of_reach_is_refused():
    with pytest.raises(go.InputError, match="cannot be engaged"):
        go.engage(block(-1), tilted(-0.1), np.zeros(3))


# --- rimless wheel ------------------------------------------------------------------------------

HALF_ANGLE, SLOPE = np.pi / 8, 0.08


def wheel(step):
    """A hub on the leg of step number ``step``; legs are massless, 1 m long."""
    foot = spoke_foot(step)
    leg = go.Holonomic("leg", lambda q, t: (q[0] - foot[0]) ** 2 + (q[1] - foot[1]) ** 2 - 1.0)
    return go.System([1.0, 1.0], [0.0, -9.81], [leg])


def spoke_foot(step):
    return step * 2 * np.sin(HALF_ANGLE) * np.array([np.cos(SLOPE), -np.sin(SLOPE)])


def roll(step, q, v):
    """To the touch-down of the next leg: state before, and the time taken."""
    ahead = spoke_foot(step + 1)

    def touch(q, v, t):
        return (q[0] - ahead[0]) ** 2 + (q[1] - ahead[1]) ** 2 - 1.0

    result = go.simulate(wheel(step), q, v, (0, 5), events=terminal(touch, -1), rtol=1e-12)
    assert result.status == "terminated"
    return result.q[-1], result.v[-1], result.t[-1]


def wheel_start(rate):
    """Just after an impact on leg 0: angle SLOPE - HALF_ANGLE from the vertical, rolling down."""
    angle = SLOPE - HALF_ANGLE
    return np.array([np.sin(angle), np.cos(angle)]), rate * np.array(
        [np.cos(angle), -np.sin(angle)]
    )


def test_rimless_wheel_rolls_on_its_limit_cycle():
    q, v = wheel_start(1.0954628396477)
    for step in range(4):
        q, before, t = roll(step, q, v)
        assert_allclose(t, 1.0345498114233, **CLOSE)
        assert_allclose(np.linalg.norm(before), 1.5492184049055, **CLOSE)
        caught = go.engage(wheel(step + 1), q, before)
        v = caught.v_after
        assert_allclose(np.linalg.norm(v), 1.0954628396477, **CLOSE)
        assert_allclose(caught.energy_change, 0.5 * (v @ v - before @ before), rtol=1e-12)


def test_rimless_wheel_is_drawn_to_its_limit_cycle():
    q, v = wheel_start(1.3)
    for step in range(28):
        q, before, _ = roll(step, q, v)
        v = go.engage(wheel(step + 1), q, before).v_after
    assert_allclose(np.linalg.norm(v), 1.0954628396477, **CLOSE)


# --- compass gait -------------------------------------------------------------------------------

HIP, LEG, B, LENGTH, GAMMA = 10.0, 5.0, 0.5, 1.0, np.radians(3.0)
GAIT = np.array([0.218668802939, -0.323388558059, -1.091826677490, -0.377181558403])
DOWNHILL = np.array([np.cos(GAMMA), -np.sin(GAMMA)])


def foot(q, leg):
    """Foot of leg 0 or 1 of a walker (hip x, hip y, two leg angles from the vertical)."""
    angle = q[2 + leg]
    return np.array([q[0] + LENGTH * np.sin(angle), q[1] - LENGTH * np.cos(angle)])


def walker(stance, place, wait=True):
    """The walker on one foot; the other meets the slope, once the legs have crossed if it waits."""
    swing = 1 - stance

    def mass(q, t):
        M = np.diag([HIP + 2 * LEG, HIP + 2 * LEG, LEG * B**2, LEG * B**2]) + 0.0 * q[2]
        for i in (2, 3):
            arm = LEG * B * np.array([np.cos(q[i]), np.sin(q[i])])
            M[:2, i] += arm
            M[i, :2] += arm
        return M

    def force(q, v, t):
        g = 9.8
        pull = LEG * B * (v[2] ** 2 * np.sin(q[2]) + v[3] ** 2 * np.sin(q[3]))
        push = LEG * B * (v[2] ** 2 * np.cos(q[2]) + v[3] ** 2 * np.cos(q[3]))
        weight = (HIP + 2 * LEG) * g
        turn = -LEG * B * g * np.array([np.sin(q[2]), np.sin(q[3])])
        return np.array([pull, -push - weight, turn[0], turn[1]])

    def height(q, t):
        return foot(q, swing) @ np.array([np.sin(GAMMA), np.cos(GAMMA)])

    def crossed(q, v, t):
        return (foot(q, swing) - foot(q, stance)) @ DOWNHILL > 0.4

    pin = go.Holonomic("stance foot", lambda q, t: foot(q, stance) - place)
    touch = go.Contact("swing foot", height, active_when=crossed if wait else None)
    return go.System(mass, force, [pin], contacts=[touch], nv=4)


def walker_start(gait):
    """Leg 0 stands at the origin."""
    stand, swing, stand_rate, swing_rate = gait
    hip = LENGTH * np.array([-np.sin(stand), np.cos(stand)])
    speed = -LENGTH * stand_rate * np.array([np.cos(stand), np.sin(stand)])
    return np.array([*hip, stand, swing]), np.array([*speed, stand_rate, swing_rate])


def stride(stance, place, q, v):
    """One step: state on the next leg, where it stands, and the time taken."""
    result = go.simulate(walker(stance, place), q, v, (0, 0.8), rtol=1e-12)
    strike = result.events[0]
    assert (strike.kind, strike.contacts) == ("impact", ("swing foot",))
    swing = 1 - stance
    landed = foot(strike.q, swing)
    caught = go.engage(walker(swing, landed), strike.q, strike.v_before)
    return strike.q, caught.v_after, landed, strike.t


def test_compass_gait_repeats_itself():
    q, v = walker_start(GAIT)
    stance, place = 0, np.zeros(2)
    for _ in range(2):
        q, v, place, t = stride(stance, place, q, v)
        stance = 1 - stance
        order = [2 + stance, 3 - stance]
        assert_allclose([*q[order], *v[order]], GAIT, **CLOSE)
        assert_allclose(t, 0.734720962155, **CLOSE)
    # feet stay on the slope
    assert place @ np.array([np.sin(GAMMA), np.cos(GAMMA)]) == pytest.approx(0.0, abs=1e-9)


def test_swing_foot_scuffs_unless_its_contact_waits():
    q, v = walker_start(GAIT)
    result = go.simulate(walker(0, np.zeros(2)), q, v, (0, 0.7), rtol=1e-10)
    assert not result.events
    assert result.gaps["swing foot"].min() < -1e-3
    eager = go.simulate(walker(0, np.zeros(2), wait=False), q, v, (0, 0.7), rtol=1e-10)
    assert eager.events[0].kind == "impact"
    assert eager.gaps["swing foot"].min() > -1e-9
