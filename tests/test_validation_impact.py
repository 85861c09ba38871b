"""Impacts against closed forms, textbooks and another code's figures."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

G = 9.81


def hits(result):
    return np.array([event.t for event in result.events if event.kind == "impact"])


def last(result):
    """The final event, which must be an accumulation."""
    event = result.events[-1]
    assert event.kind == "accumulation"
    return event


# --- one coordinate: ball, box, oscillator, pendulum ----------------------------------------------


def ball(e, floor=0.0, m=1.0):
    contact = go.Contact("floor", lambda q, t: q[0] - floor, restitution=e)
    return go.System([m], [-m * G], contacts=[contact], potential=lambda q, t: m * G * q[0])


@pytest.mark.parametrize(
    ("e", "end"), [(0.8, 4.0637127688716), (0.5, 1.3545709229572), (0.9, 8.5789491787289)]
)
@pytest.mark.parametrize("floor", [0.0, 10.0])
def test_bouncing_ball_comes_to_rest_at_the_accumulation_of_its_hits(e, end, floor):
    result = go.simulate(ball(e, floor, m=2.0), [floor + 1.0], [0.0], (0, end + 1.0))
    assert_allclose(last(result).t, end, rtol=0, atol=1e-10)
    assert last(result).exact
    assert_allclose(result.q[-1], floor, rtol=1e-12, atol=1e-12)
    assert_allclose(result.v[-1], 0.0, atol=1e-12)
    assert_allclose(result.multipliers["floor"][-1], 2.0 * G, rtol=1e-12)
    fall = 2.0 * G * 1.0
    assert np.abs(result.energy.residual).max() < 1e-8 * fall


def test_bouncing_ball_hits_at_the_closed_times():
    expected = [
        0.45152364098573, 1.1739614665629, 1.7519117270246, 2.214271935394, 2.5841601020895,
        2.8800706354459,
    ]  # fmt: skip
    result = go.simulate(ball(0.8), [1.0], [0.0], (0, 5))
    assert_allclose(hits(result)[:6], expected, rtol=0, atol=1e-10)


def test_ball_in_a_box_hits_ceiling_and_floor_in_turn_then_the_floor_alone():
    contacts = [
        go.Contact("floor", lambda q, t: q[0], restitution=0.8),
        go.Contact("ceiling", lambda q, t: 1.5 - q[0], restitution=0.8),
    ]
    box = go.System([1.0], [-10.0], contacts=contacts)
    result = go.simulate(box, [1.0], [10.0], (0, 8))
    expected = [
        0.0513167019494862, 0.228318780052882, 0.466548616019545, 0.741359965747224,
        1.83453542101504, 2.7090757852293, 3.4087080766007,
    ]  # fmt: skip
    assert_allclose(hits(result)[:7], expected, rtol=0, atol=1e-10)
    struck = [event.contacts for event in result.events[:5]]
    assert struck == [("ceiling",), ("floor",), ("ceiling",), ("floor",), ("floor",)]
    assert_allclose(last(result).t, 6.20723724208631, rtol=0, atol=1e-10)
    assert_allclose(result.multipliers["floor"][-1], 10.0, rtol=1e-10)


def test_oscillator_on_a_stop_ends_resting_with_its_weight():
    stop = go.Contact("stop", lambda q, t: q[0], restitution=0.9)
    oscillator = go.System(
        [1e-3], lambda q, v, t: np.array([-100.0 * q[0] - 9.81e-3]), contacts=[stop]
    )
    result = go.simulate(oscillator, [1.0], [0.0], (0, 1.2), rtol=1e-12)
    first = result.events[0]
    assert_allclose(first.t, 0.00496698394388863, rtol=0, atol=1e-10)
    assert_allclose(first.v_before, -316.258786439207, rtol=1e-10)
    assert_allclose(first.v_after, 284.632907795, rtol=1e-10)
    last(result)
    assert_allclose(result.multipliers["stop"][-1], 9.81e-3, rtol=1e-8)


def test_pendulum_against_a_wall_hits_at_the_elliptic_times():
    wall = go.Contact("wall", lambda q, t: q[0], restitution=0.7)
    pendulum = go.System([1.0], lambda q, v, t: np.array([-G * np.sin(q[0])]), contacts=[wall])
    result = go.simulate(pendulum, [np.pi / 3], [0.0], (0, 4), rtol=1e-12)
    expected = [0.53821866672013, 1.5742853773352, 2.5929009032251, 3.6034341811652]
    assert_allclose(hits(result), expected, rtol=0, atol=1e-10)


def test_pendulum_as_a_constrained_point_hits_the_wall_at_the_same_times():
    rod = go.Holonomic("rod", lambda q, t: q @ q - 1.0)
    wall = go.Contact("wall", lambda q, t: q[0], restitution=0.7)
    pendulum = go.System([1.0, 1.0], [0.0, -G], [rod], contacts=[wall])
    start = [np.sin(np.pi / 3), -np.cos(np.pi / 3)]
    result = go.simulate(pendulum, start, [0.0, 0.0], (0, 4), rtol=1e-12)
    expected = [0.53821866672013, 1.5742853773352, 2.5929009032251, 3.6034341811652]
    assert_allclose(hits(result), expected, rtol=0, atol=1e-8)


# --- chains of balls ------------------------------------------------------------------------------


def chain(masses, restitution):
    n = len(masses)
    e = np.broadcast_to(restitution, n - 1)
    contacts = [
        go.Contact(f"{i}-{i + 1}", lambda q, t, i=i: q[i + 1] - q[i] - 1.0, restitution=float(e[i]))
        for i in range(n - 1)
    ]
    return go.System([float(m) for m in masses], np.zeros(n), contacts=contacts)


def struck(masses, restitution, law):
    n = len(masses)
    return go.collide(chain(masses, restitution), np.arange(n), np.eye(n)[0], law=law)


TABLE = [
    ((1, 1, 1), (1, 1), (-1 / 3, 2 / 3, 2 / 3), (-1 / 3, 2 / 3, 2 / 3)),
    ((1, 1, 1), (0.6, 0.9), (-1 / 15, 8 / 15, 8 / 15), (-1 / 15, 13 / 30, 19 / 30)),
    ((1, 1, 1), (0, 1), (1 / 3, 1 / 3, 1 / 3), (1 / 6, 1 / 6, 2 / 3)),
    ((1, 1, 1), (1, 0), (-1 / 3, 2 / 3, 2 / 3), (-1 / 3, 2 / 3, 2 / 3)),
    ((1, 2, 3), 0.5, (-1 / 4, 1 / 4, 1 / 4), (-1 / 4, 1 / 4, 1 / 4)),
    ((1, 1, 1, 1, 1), 0.8, (-0.44, 0.36, 0.36, 0.36, 0.36), (-0.44, 0.36, 0.36, 0.36, 0.36)),
]


@pytest.mark.parametrize(("masses", "e", "newton", "poisson"), TABLE)
def test_chain_of_touching_balls(masses, e, newton, poisson):
    for law, expected in (("newton", newton), ("poisson", poisson)):
        collision = struck(masses, e, law)
        assert_allclose(collision.v_after, expected, rtol=0, atol=1e-12)
        assert collision.pseudoinverse_difference < 1e-12
        assert collision.certificate.worst < 1e-12
        assert not collision.gains_energy


@pytest.mark.parametrize(("masses", "e", "newton", "poisson"), TABLE)
def test_chain_in_a_simulation_takes_the_same_impact(masses, e, newton, poisson):
    n = len(masses)
    start = np.arange(n, dtype=float)
    start[0] -= 0.5
    for law, expected in (("newton", newton), ("poisson", poisson)):
        result = go.simulate(chain(masses, e), start, np.eye(n)[0], (0, 0.6), law=law)
        assert_allclose(result.events[0].t, 0.5, rtol=0, atol=1e-12)
        assert_allclose(result.events[0].v_after, expected, rtol=0, atol=1e-12)


def test_sequential_impacts_pass_everything_to_the_last_ball_of_a_cradle():
    assert_allclose(struck((1,) * 5, 1.0, "sequential").v_after, np.eye(5)[4], atol=1e-12)


def test_sequential_impacts_with_losses_leave_a_decreasing_row_after_the_first_pass():
    collision = struck((1,) * 5, 0.8, "sequential")
    first_pass = [0.1, 0.09, 0.081, 0.0729, 0.6561]
    assert_allclose(collision.jumps[3].v, first_pass, rtol=0, atol=1e-12)
    assert min(collision.rates_after.values()) >= -1e-9
    assert collision.v_after.sum() == pytest.approx(1.0, abs=1e-12)


def test_column_of_ten_beads_bounces_as_one_under_newton():
    n = 10
    contacts = [go.Contact("floor", lambda q, t: q[0], restitution=1.0)]
    contacts += [
        go.Contact(f"{i}-{i + 1}", lambda q, t, i=i: q[i + 1] - q[i] - 0.1, restitution=1.0)
        for i in range(n - 1)
    ]
    column = go.System(np.ones(n), np.full(n, -G), contacts=contacts)
    fall = np.sqrt(0.1 / G)
    result = go.simulate(column, 0.05 + 0.1 * np.arange(n), np.zeros(n), (0, 3.5 * fall))
    assert_allclose(hits(result), [fall, 3 * fall], rtol=0, atol=1e-10)
    for event in result.events:
        if event.kind == "impact":
            assert_allclose(event.v_before, -G * fall, rtol=1e-10)
            assert_allclose(event.v_after, G * fall, rtol=1e-10)
            assert_allclose(event.impulses["floor"], 2 * n * G * fall, rtol=1e-10)


# --- a rod, three balls, a hinge ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "e", "newton", "poisson"),
    [((-1, -1), (0.5, 0.2), (0.5, 0.2), (0.75, 0.0)), ((0, -1), (1, 0), (0, 0), (0.5, 0.0))],
)
def test_rod_with_contacts_at_its_ends(before, e, newton, poisson):
    contacts = [
        go.Contact("left", lambda q, t: q[0] - q[1], restitution=float(e[0])),
        go.Contact("right", lambda q, t: q[0] + q[1], restitution=float(e[1])),
    ]
    rod = go.System([1.0, 1 / 3], [0.0, 0.0], contacts=contacts)
    v = [0.5 * (before[0] + before[1]), 0.5 * (before[1] - before[0])]
    for law, expected in (("newton", newton), ("poisson", poisson)):
        collision = go.collide(rod, [0.0, 0.0], v, law=law)
        assert_allclose(list(collision.rates_after.values()), expected, rtol=0, atol=1e-12)
        assert collision.pseudoinverse_difference < 1e-12


@pytest.mark.parametrize(
    ("e", "first", "others"),
    [
        (1.0, -2.0, (6.0, 3.464101615138)),
        (0.5, 1.0, (4.5, 2.598076211353)),
        (0.0, 4.0, (3.0, 1.732050807569)),
    ],
)
@pytest.mark.parametrize("law", ["newton", "poisson", "sequential"])
def test_bernoulli_ball_into_two_touching_ones(e, first, others, law):
    def apart(i, j):
        return lambda q, t: np.hypot(q[2 * j] - q[2 * i], q[2 * j + 1] - q[2 * i + 1]) - 1.0

    pairs = ((0, 1), (0, 2), (1, 2))
    contacts = [go.Contact(f"{i}-{j}", apart(i, j), restitution=e) for i, j in pairs]
    balls = go.System(np.ones(6), np.zeros(6), contacts=contacts)
    q = [0.0, 0.0, np.sqrt(3) / 2, 0.5, np.sqrt(3) / 2, -0.5]
    collision = go.collide(balls, q, [10.0, 0, 0, 0, 0, 0], law=law)
    x, y = others
    assert_allclose(collision.v_after, [first, 0.0, x, y, x, -y], rtol=0, atol=1e-11)


def hinged_rod(e=0.8):
    """Rod by its centre (x, y, angle from hanging), hinged at the origin; a ball moving in x."""

    def hinge(q, t):
        return np.array([q[0] - 0.6 * np.sin(q[2]), q[1] + 0.6 * np.cos(q[2])])

    contact = go.Contact("tip", lambda q, t: q[0] + 0.6 * np.sin(q[2]) - q[3], restitution=e)
    mass = [8.0, 8.0, 8.0 * 1.2**2 / 12, 2.0]
    return go.System(mass, np.zeros(4), [go.Holonomic("hinge", hinge)], contacts=[contact])


@pytest.mark.parametrize("law", ["newton", "poisson", "sequential"])
def test_ball_turns_a_hinged_rod(law):
    collision = go.collide(hinged_rod(), [0.0, -0.6, 0.0, 0.0], [0.0, 0.0, 0.0, 5.0], law=law)
    omega, ball_after = 45 / 14, -1 / 7
    expected = [0.6 * omega, 0.0, omega, ball_after]
    assert_allclose(collision.v_after, expected, rtol=0, atol=1e-12)
    blow = 2.0 * (5.0 - ball_after)
    assert collision.impulses["tip"] == pytest.approx(blow, abs=1e-12)
    # the hinge gives what the centre of the rod gains beyond the blow
    assert_allclose(collision.impulses["hinge"], [8.0 * 0.6 * omega - blow, 0.0], atol=1e-12)
    assert collision.pseudoinverse_difference < 1e-12


def test_ball_flying_into_a_hinged_rod_turns_it_in_a_simulation():
    result = go.simulate(hinged_rod(), [0.0, -0.6, 0.0, -1.0], [0.0, 0.0, 0.0, 5.0], (0, 0.3))
    event = result.events[0]
    assert_allclose(event.t, 0.2, rtol=0, atol=1e-12)
    assert_allclose(event.v_after[2:], [45 / 14, -1 / 7], rtol=0, atol=1e-10)
    assert np.abs(result.values["hinge"]).max() < 1e-9
