"""Runs with Coulomb friction against closed forms: when contacts stick, slip, turn back, let go."""

import numpy as np
import pytest

import gauss_opt as go

g = 9.81
TIGHT = {"rtol": 1e-12}


def told(result):
    """Kinds of the events in order, those of user events left out."""
    return [str(event.kind) for event in result.events]


def sure(result):
    """A run that is proved, with certificates, cones and an energy account that closes."""
    assert result.success, result.message
    assert not result.stats.unsettled
    assert result.stats.worst_residual < 1e-9
    energy = result.energy
    size = max(np.abs(energy.total).max(), np.abs(energy.kinetic).max(), 1e-30)
    assert np.abs(energy.residual).max() < 1e-9 * size
    assert (np.diff(energy.friction) <= 1e-12 * size).all()
    return result


def on_floor(radius=0.0, mu=0.3, **options):
    """A floor under a body with coordinates x, y, angle; positive slip is to the right."""
    return go.Contact(
        "floor", lambda q, t: q[1] - radius, friction=mu,
        slip=lambda q, v, t: v[0] + radius * v[2], **options,
    )  # fmt: skip


def on_floor_alone(mu, **options):
    return go.Contact("floor", lambda q, t: q[1], slip=lambda q, v, t: v[0], friction=mu, **options)


def particle(force, mu, **options):
    return go.System([1.0, 1.0], force, contacts=[on_floor_alone(mu, **options)])


# A block


def incline(mu, angle=0.3):
    return particle([-g * np.sin(angle), -g * np.cos(angle)], mu)


def test_a_block_thrown_up_a_steep_enough_incline_sticks_where_it_stops():
    result = sure(go.simulate(incline(0.4), [0, 0], [2, 0], (0, 3), **TIGHT))
    assert told(result) == ["stick"]
    assert result.events[0].t == pytest.approx(0.3008516986429785, abs=1e-12)
    assert np.abs(result.v[-1]).max() < 1e-14
    assert set(result.states["floor"]) == {"slide+", "stick"}


def test_on_less_friction_it_slides_back():
    result = sure(go.simulate(incline(0.2), [0, 0], [2, 0], (0, 3), **TIGHT))
    assert told(result) == ["reversal"]
    assert result.events[0].detail == "backward"
    assert result.events[0].t == pytest.approx(0.4189865060019928, abs=1e-12)
    assert result.v[-1, 0] == pytest.approx(-2.644720742169445, abs=1e-12)


def test_a_growing_pull_lets_it_slip_at_the_limit():
    result = sure(
        go.simulate(particle(lambda q, v, t: [2 * t, -g], 0.3), [0, 0], [0, 0], (0, 3), **TIGHT)
    )
    assert told(result) == ["slip"]
    assert result.events[0].detail == "forward"
    assert result.events[0].t == pytest.approx(1.4715, abs=1e-12)
    assert result.q[-1, 0] == pytest.approx(1.190351091375, abs=1e-11)


def test_static_friction_holds_until_it_gives_way_and_then_only_sliding_friction_brakes():
    system = particle(lambda q, v, t: [2 * t, -g], 0.2, static_friction=0.3)
    result = sure(go.simulate(system, [0, 0], [0, 0], (0, 2), **TIGHT))
    assert told(result) == ["slip"]
    assert result.events[0].t == pytest.approx(1.4715, abs=1e-12)
    s, t = 1.4715, 2.0
    assert result.v[-1, 0] == pytest.approx(t * t - s * s - 0.2 * g * (t - s), abs=1e-11)


# Rolling


def ball(mu, radius=0.11):
    inertia = 0.4 * radius**2
    return go.System([1.0, 1.0, inertia], [0.0, -g, 0.0], contacts=[on_floor(radius, mu)])


@pytest.mark.parametrize(
    ("v0", "w0", "t", "v", "x"),
    [
        (7.0, 0.0, 1.019367991845056, 5.0, 6.116207951070336),
        (3.0, 60.0, 1.397990388816077, 0.2571428571428571, 2.276727204643325),
    ],
)
def test_a_bowling_ball_slides_until_it_rolls(v0, w0, t, v, x):
    result = sure(go.simulate(ball(0.2), [0, 0.11, 0], [v0, 0, w0], (0, 2), **TIGHT))
    assert told(result) == ["stick"]
    event = result.events[0]
    assert event.t == pytest.approx(t, abs=1e-12)
    assert event.v_after[0] == pytest.approx(v, abs=1e-12)
    assert event.q[0] == pytest.approx(x, abs=1e-11)
    assert result.v[-1, 0] == pytest.approx(v, abs=1e-12)
    assert result.slips["floor"][-1] == pytest.approx(0.0, abs=1e-13)


@pytest.mark.parametrize(
    ("mu", "v", "w"),
    [(0.15, 7.261287236662397, -25.48712763337603), (0.25, 6.54, -32.7)],
)
def test_a_disc_on_an_incline_rolls_up_to_a_third_of_the_slope(mu, v, w):
    a, R = np.pi / 6, 0.2
    system = go.System(
        [1.0, 1.0, 0.5 * R**2], [g * np.sin(a), -g * np.cos(a), 0.0], contacts=[on_floor(R, mu)]
    )
    result = sure(go.simulate(system, [0, R, 0], [0, 0, 0], (0, 2), **TIGHT))
    assert told(result) == []
    assert result.v[-1, 0] == pytest.approx(v, abs=1e-10)
    assert result.v[-1, 2] == pytest.approx(w, abs=1e-10)
    slip = 2.163861709987191 if mu == 0.15 else 0.0
    assert result.slips["floor"][-1] == pytest.approx(slip, abs=1e-10)


# A falling rod


def falling_rod(mu):
    """A uniform rod on its foot, at an angle from the vertical, with the floor under its top."""
    foot = go.Contact(
        "foot", lambda q, t: q[1] - 0.5 * np.cos(q[2]), friction=mu,
        slip=lambda q, v, t: v[0] - 0.5 * np.cos(q[2]) * v[2],
    )  # fmt: skip
    return go.System([1.0, 1.0, 1 / 12], [0.0, -g, 0.0], contacts=[foot])


def test_a_falling_rod_slips_back_then_forward():
    def flat(q, v, t):
        return q[2] - np.pi / 2

    flat.terminal = True
    start = [0.5 * np.sin(0.1), 0.5 * np.cos(0.1), 0.1]
    result = sure(go.simulate(falling_rod(0.2), start, [0, 0, 0], (0, 2), events=[flat], **TIGHT))
    assert told(result) == ["slip", "reversal", "user"]
    slip, reversal, end = result.events
    assert slip.detail == "backward"
    assert slip.t == pytest.approx(0.4308106792780835, abs=1e-9)
    assert slip.q[2] == pytest.approx(0.2699890876164744, abs=1e-9)
    assert slip.v_after[2] == pytest.approx(0.9587019581632386, abs=1e-9)
    assert reversal.t == pytest.approx(0.7981335309727644, abs=1e-9)
    assert end.t == pytest.approx(0.8866762756898737, abs=1e-9)


# A belt


def on_belt(static=None):
    belt = go.Contact(
        "belt", lambda q, t: q[1], slip=lambda q, v, t: v[0] - 0.2, friction=0.4,
        static_friction=static,
    )  # fmt: skip
    return go.System(
        [1.0, 1.0], lambda q, v, t: [-100.0 * q[0], -g], contacts=[belt],
        potential=lambda q, t: 50.0 * q[0] ** 2 + g * q[1],
    )  # fmt: skip


@pytest.mark.parametrize("rtol", [1e-12, 1e-9, 1e-7])
def test_a_block_on_a_belt_sticks_slips_and_then_only_touches_zero_slip(rtol):
    result = go.simulate(on_belt(), [0, 0], [0, 0], (0, 8), rtol=rtol)
    assert told(result) == ["stick", "slip"]
    stick, slip = result.events
    near = 100 * rtol
    assert stick.t == pytest.approx(0.05348174581667207, abs=near)
    assert stick.q[0] == pytest.approx(0.005479407588136135, abs=near)
    assert slip.t == pytest.approx(0.2222847078759914, abs=near)
    assert slip.q[0] == pytest.approx(0.03924, abs=near)
    assert slip.detail == "backward"
    if rtol == 1e-12:
        sure(result)


def test_with_more_static_friction_it_sticks_and_slips_for_ever():
    """Sliding is an oscillation about x_k; it leaves at x_s with 0.2 m/s and comes back to it."""
    result = sure(go.simulate(on_belt(0.6), [0, 0], [0, 0], (0, 5), **TIGHT))
    assert told(result)[:6] == ["stick", "slip"] * 3
    slips = [event.t for event in result.events if event.kind == "slip"]
    a, w = (0.6 - 0.4) * g / 100, 10.0  # x_s - x_k, and the frequency
    hold = 2 * a / 0.2  # from x_k - a to x_k + a with the belt
    swing = (np.pi + 2 * np.arctan2(0.2 / w, a)) / w
    assert np.diff(slips) == pytest.approx(hold + swing, abs=1e-9)


def test_what_a_belt_does_is_work_of_a_moving_constraint():
    result = sure(go.simulate(on_belt(), [0, 0], [0, 0], (0, 0.2), **TIGHT))
    energy, stick = result.energy, result.events[0]
    assert energy.constraint[-1] > 0.0
    rubbed = 0.4 * g * (0.2 * stick.t - stick.q[0])
    assert energy.friction[-1] == pytest.approx(-rubbed, rel=1e-9)


# Impacts inside a run


def disc(mu, e, inertia=0.5, **options):
    return go.System(
        [1.0, 1.0, inertia], [0.0, -g, 0.0],
        contacts=[on_floor(1.0, mu, restitution=e, **options)],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("system", "v", "after"),
    [
        (disc(0.2, 0.8), [3, -2, 0], (2.28, -1.44)),
        (disc(0.3, 0.8), [1, -2, 0.5], (0.5, -0.5)),
        (disc(0.3, 1.0, 0.4, tangential_restitution=1.0), [3, -2, 0], (9 / 7, -30 / 7)),
    ],
)
def test_discs_bounce_as_they_do_on_paper(system, v, after):
    vx, spin = after
    mu = system.contacts[0].friction
    if spin == -30 / 7:  # a superball needs as much friction as it takes
        system = disc(5.0, 1.0, 0.4, tangential_restitution=1.0)
    result = sure(go.simulate(system, [0, 1, 0], v, (0, 0.01), **TIGHT))
    assert told(result) == ["impact"]
    assert mu > 0
    assert result.v[-1, 0] == pytest.approx(vx, abs=1e-12)
    assert result.v[-1, 2] == pytest.approx(spin, abs=1e-12)


def test_a_spinning_disc_dropped_on_a_rough_floor_rolls_away():
    """Siconos' Ball2D: 4/7 rad/s and 2/7 m/s."""
    system = go.System(
        [1.0, 1.0, 0.4 * 0.25], [0.0, -g, 0.0], contacts=[on_floor(0.5, 0.5, restitution=0.0)]
    )
    result = sure(go.simulate(system, [0, 1.0, 0], [0, 0, 2.0], (0, 2), **TIGHT))
    assert told(result)[0] == "impact"
    assert result.v[-1, 2] == pytest.approx(4 / 7, abs=1e-12)
    assert result.v[-1, 0] == pytest.approx(-2 / 7, abs=1e-12)


def test_a_bouncing_disc_keeps_all_its_friction_through_the_accumulation():
    """However it bounces, the floor's impulse is m g t: mu times that brakes."""
    result = sure(go.simulate(disc(0.05, 0.5), [0, 2, 0], [5, 0, 0], (0, 3), **TIGHT))
    assert "accumulation" in told(result)
    assert result.slips["floor"][-1] > 0.1
    assert result.v[-1, 0] == pytest.approx(5 - 0.05 * g * 3, abs=1e-9)


# The woodpecker toy


def woodpecker():
    rO, rM, hM, lM, lG, hS, lS = 0.0025, 0.0031, 0.0058, 0.010, 0.015, 0.02, 0.0201
    mM, mS, JM, JS, c, mu = 0.0003, 0.0045, 5e-9, 7e-7, 0.0056, 0.3
    mass = [
        [mS + mM, mS * lM, mS * lG],
        [mS * lM, JM + mS * lM**2, mS * lM * lG],
        [mS * lG, mS * lM * lG, JS + mS * lG**2],
    ]

    def force(q, v, t):
        spring = c * (q[1] - q[2])
        return [-(mS + mM) * g, -spring - mS * g * lM, spring - mS * g * lG]

    beak = go.Contact(
        "beak", lambda q, t: lM + lG - lS - rO - hS * q[2], 0.5, friction=mu,
        slip=lambda q, v, t: v[0] + lM * v[1] + (lG - lS) * v[2],
    )  # fmt: skip
    sleeves = [
        go.Contact(
            name, lambda q, t, s=sign: rM - rO + s * hM * q[1], 0.0, friction=mu,
            slip=lambda q, v, t: v[0] + rM * v[1],
        )
        for name, sign in (("lower", 1.0), ("upper", -1.0))
    ]  # fmt: skip
    system = go.System(mass, force, contacts=[beak, *sleeves])
    return system, [0.0, -(rM - rO) / hM, -0.2788], [-0.3411, 0.0, -7.4583]


def test_a_woodpecker_sticks_slips_lets_go_and_pecks():
    result = go.simulate(*woodpecker(), (0, 0.083), rtol=1e-10)
    assert result.success
    found = [(str(e.kind), e.contacts[0]) for e in result.events]
    assert found == [
        ("stick", "lower"), ("slip", "lower"), ("release", "lower"),
        ("impact", "upper"), ("impact", "beak"), ("impact", "upper"),
    ]  # fmt: skip
    expected = [
        0.02163631405329952, 0.0612139312479648, 0.067023398144524,
        0.077877992289728, 0.080988805418649, 0.081575328789609,
    ]  # fmt: skip
    assert [event.t for event in result.events] == pytest.approx(expected, abs=1e-9)


# Painleve


def test_a_rod_that_wedges_jams_and_leaves_the_floor():
    """L = -G^-1 (0, u_T): for a rod of 1 m at th, L_T is -(1 + 3 cos^2 th) u_T / 4."""
    theta = np.radians(63.0)
    tip = go.Contact(
        "tip", lambda q, t: q[1] - 0.5 * np.sin(q[2]), friction=1.5,
        slip=lambda q, v, t: v[0] + 0.5 * np.sin(q[2]) * v[2],
    )  # fmt: skip
    rod = go.System([1.0, 1.0, 1 / 12], [0.0, -g, 0.0], contacts=[tip])
    result = sure(go.simulate(rod, [0, 0.5 * np.sin(theta), theta], [-1, 0, 0], (0, 0.1), **TIGHT))
    assert told(result) == ["jam"]
    along = (1 + 3 * np.cos(theta) ** 2) / 4
    assert result.events[0].v_after[0] == pytest.approx(-1 + along, abs=1e-9)
    assert result.events[0].v_after[1] == pytest.approx(
        0.75 * np.sin(theta) * np.cos(theta), abs=1e-9
    )
    assert result.events[0].energy_change < 0.0


# Several contacts


def box(mu, force, half=0.5):
    """A cube on two feet; coordinates of its centre, and its angle."""

    def foot(side):
        return go.Contact(
            f"foot {side:+d}",
            lambda q, t: q[1] + side * half * np.sin(q[2]) - half * np.cos(q[2]),
            slip=lambda q, v, t: v[0] + half * (np.cos(q[2]) - side * np.sin(q[2])) * v[2],
            friction=mu,
        )

    system = go.System(
        [1.0, 1.0, 2 * half**2 / 3],
        force,
        contacts=[foot(-1), foot(1)],
        coordinates=["x", "y", "a"],
    )
    return system, [0.0, half, 0.0], [0.0, 0.0, 0.0]


def test_two_feet_slip_when_no_forces_within_their_cones_are_left():
    """Forces of least norm would announce it too early: the feet share the pull as they can."""
    result = sure(go.simulate(*box(0.3, lambda q, v, t: [2 * t, -g, 0.0]), (0, 2)))
    assert told(result) == ["slip"]
    assert result.events[0].contacts == ("foot -1", "foot +1")
    assert result.events[0].t == pytest.approx(1.4715, abs=1e-9)
    assert "redundant" in result.stats.sampled["friction of foot +1"]


# Pictures


def test_pictures_show_friction_in_its_cone_and_slips_with_sticking_shaded():
    result = go.simulate(on_belt(0.6), [0, 0], [0, 0], (0, 1.0))
    panels = {axes.get_ylabel(): axes for axes in result.plot().axes}
    force = next(axes for label, axes in panels.items() if label.startswith("friction force"))
    slip = next(axes for label, axes in panels.items() if label.startswith("slip"))
    assert force.collections, "no band of the cone"
    stuck = sum(str(event.kind) == "stick" for event in result.events)
    assert len(slip.patches) == stuck


# Together with other constraints and options


def test_two_coupled_bodies_slip_together_also_where_constraints_are_dependent():
    """Pulled with 6t, of 1 and 2 kg on mu = 0.3: they slip at 1.4715 s."""
    floors = [
        go.Contact(
            f"floor {i}", lambda q, t, i=i: q[2 * i + 1], slip=lambda q, v, t, i=i: v[2 * i],
            friction=0.3,
        )
        for i in (0, 1)
    ]  # fmt: skip
    slot = go.Holonomic("slot", lambda q, t: q[2] - q[0] - 1.0)
    twice = go.Holonomic("twice", lambda q, t: 2.0 * (q[2] - q[0] - 1.0))
    for held in ([slot], [slot, twice]):
        pulled = go.System(
            [1.0, 1.0, 2.0, 2.0], lambda q, v, t: [0, -g, 6 * t, -2 * g], held, contacts=floors
        )
        result = sure(go.simulate(pulled, [0, 0, 1, 0], [0, 0, 0, 0], (0, 2)))
        assert told(result) == ["slip"]
        assert result.events[0].t == pytest.approx(1.4715, abs=1e-9)


def test_a_block_slides_from_ice_onto_sand_and_stops_there():
    """From one contact to the next: v^2 / 2 is what both have rubbed away."""
    ice = go.Contact(
        "ice", lambda q, t: q[1], slip=lambda q, v, t: v[0], friction=0.01,
        active_when=lambda q, v, t: q[0] < 1.0,
    )  # fmt: skip
    sand = go.Contact(
        "sand", lambda q, t: q[1], slip=lambda q, v, t: v[0], friction=0.5,
        active_when=lambda q, v, t: q[0] >= 1.0,
    )  # fmt: skip
    block = go.System([1.0, 1.0], [0.0, -g], contacts=[ice, sand])
    result = sure(go.simulate(block, [0, 0], [2, 0], (0, 2)))
    assert told(result) == ["release", "stick"]
    assert result.q[-1, 0] == pytest.approx(1 + (2 - 0.01 * g) / (0.5 * g), abs=1e-10)


def test_rows_of_a_vector_gap_rub_each_for_itself():
    floor = go.Contact(
        "floor", lambda q, t: np.array([q[1], q[3]]), friction=[0.2, 0.4],
        slip=lambda q, v, t: np.array([v[0], v[2]]),
    )  # fmt: skip
    pair = go.System([1.0] * 4, [0, -g, 0, -g], contacts=[floor])
    result = sure(go.simulate(pair, [0] * 4, [2, 0, 2, 0], (0, 2)))
    stops = [event.t for event in result.events]
    assert stops == pytest.approx([2 / (0.4 * g), 2 / (0.2 * g)], abs=1e-12)
    assert result.friction["floor"].shape == result.slips["floor"].shape == (len(result.t), 2)
    assert result.gaps["floor"].shape == (len(result.t), 2)
    assert list(result.states["floor"][-1]) == ["stick", "stick"]
