"""Contacts at the edge of what floats resolve, by hand-given derivatives, and in mixed company."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go

G = 9.81


def kinds(result):
    return [event.kind for event in result.events]


# Bounces shorter than the distance of two floats


def balls(n, force=None, e=1.0):
    contacts = [go.Contact(f"floor {i}", lambda q, t, i=i: q[i], e) for i in range(n)]
    return go.System(np.ones(n), np.full(n, -G) if force is None else force, contacts=contacts)


@pytest.mark.parametrize("speed", [1e-7, 1e-9])
@pytest.mark.parametrize("n", [1, 2, 6])
def test_a_ball_that_comes_back_in_less_time_than_two_floats_rests(n, speed):
    """At t = 1e9 floats are 1.2e-7 apart; the flights take 2 speed / g."""
    v = speed * np.linspace(0.5, 2.0, n)
    result = go.simulate(balls(n), np.zeros(n), v, (1e9, 1e9 + 1.0))
    assert result.success
    assert_allclose(result.q[-1], 0.0, atol=speed * 1.2e-7)
    assert_array_equal(result.v[-1], 0.0)
    for force in result.multipliers.values():
        assert_allclose(force[-1], G, rtol=1e-12)


def test_a_ball_that_is_held_is_let_go_when_a_force_lifts_it():
    """An updraught that grows with the way along the floor, at 1e-6 m/s."""
    slide = go.System(
        [1.0, 1.0],
        lambda q, v, t: np.array([0.0, G * (2e6 * q[0] - 1.0)]),
        contacts=[go.Contact("floor", lambda q, t: q[1], 1.0)],
    )
    late = 1e9
    result = go.simulate(slide, [0.0, 0.0], [1e-6, 1e-7], (late, late + 1.5))
    assert kinds(result) == ["release"]
    assert_allclose(result.events[0].t, late + 0.5, atol=1e-6)
    assert_allclose(result.q[-1], [1.5e-6, 2.0 * G / 6], rtol=1e-5)


def test_a_slide_goes_on_while_the_bounce_is_held():
    slide = go.System([1.0, 1.0], [0.0, -G], contacts=[go.Contact("floor", lambda q, t: q[1], 1.0)])
    result = go.simulate(slide, [0.0, 0.0], [3e-7, 1e-7], (1e9, 1e9 + 10.0))
    assert_allclose(result.q[-1], [3e-6, 0.0], rtol=1e-9, atol=1e-14)
    assert_allclose(result.v[-1], [3e-7, 0.0], rtol=1e-12)


def test_bounces_of_a_few_floats_end_with_the_ball_at_rest():
    result = go.simulate(balls(6), np.zeros(6), 1e-6 * np.linspace(0.5, 2, 6), (1e9, 1e9 + 1e-5))
    assert result.success
    assert_allclose(result.q, 0.0, atol=1e-12)


# Derivatives by hand


def moving_floor(t):
    return 0.1 * np.sin(3.0 * t)


FLOORS = {
    "flat": (
        lambda q, t: q[1],
        {"jacobian": lambda q, t: np.array([0.0, 1.0]), "bias": lambda q, v, t: 0.0},
    ),
    "moving": (
        lambda q, t: q[1] - 0.1 * np.sin(3.0 * t),
        {
            "jacobian": lambda q, t: np.array([0.0, 1.0]),
            "bias": lambda q, v, t: 0.9 * np.sin(3.0 * t),
            "time_derivative": lambda q, t: -0.3 * np.cos(3.0 * t),
        },
    ),
    "round": (
        lambda q, t: np.sqrt(q[0] ** 2 + (q[1] + 5.0) ** 2) - 5.0,
        {
            "jacobian": lambda q, t: np.array([q[0], q[1] + 5.0])
            / np.sqrt(q[0] ** 2 + (q[1] + 5.0) ** 2),
            "bias": lambda q, v, t: (q[0] * v[1] - (q[1] + 5.0) * v[0]) ** 2
            / (q[0] ** 2 + (q[1] + 5.0) ** 2) ** 1.5,
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("which", FLOORS)
def test_impacts_by_hand_given_derivatives_come_when_the_traced_ones_do(which, e):
    gap, derivatives = FLOORS[which]
    results = [
        go.simulate(
            go.System([1.0, 2.0], [0.0, -2 * G], contacts=[go.Contact("floor", gap, e, **hand)]),
            [0.2, 1.0],
            [0.3, 0.0],
            (0, 1.6),
        )
        for hand in ({}, derivatives)
    ]
    traced, hand = results
    blows = [[e for e in run.events if e.kind == "impact"] for run in results]
    assert len(blows[1]) >= 1
    for theirs, mine in zip(*blows, strict=False):
        if np.abs(theirs.v_after - theirs.v_before).max() < 1e-3:
            break  # bounces next to their limit end when round-off says so
        assert_allclose(mine.t, theirs.t, rtol=1e-12)
        assert_allclose(mine.v_after, theirs.v_after, rtol=1e-9, atol=1e-9)
    assert_allclose(hand.q[-1], traced.q[-1], rtol=1e-9, atol=1e-11)
    assert_allclose(
        hand.multipliers["floor"][-1], traced.multipliers["floor"][-1], rtol=1e-9, atol=1e-9
    )


def test_a_graze_by_hand_given_derivatives_is_the_traced_one():
    gap, derivatives = FLOORS["flat"]
    for hand in ({}, derivatives):
        system = go.System([1.0, 1.0], [0.0, 2.0], contacts=[go.Contact("floor", gap, **hand)])
        result = go.simulate(system, [0.0, 1.0], [1.0, -2.0], (0, 3))
        assert kinds(result) == ["graze"]
        assert_allclose(result.events[0].t, 1.0, rtol=1e-7)
        assert_allclose(result.q[-1], [3.0, 4.0], rtol=1e-9)


def test_a_body_leaves_a_sphere_by_hand_given_derivatives_where_the_force_vanishes():
    gap, derivatives = FLOORS["round"]
    sphere = go.Contact("sphere", gap, **derivatives)
    bead = go.System([1.0, 1.0], [0.0, -G], contacts=[sphere])
    a = 0.1
    result = go.simulate(bead, [5 * np.sin(a), 5 * np.cos(a) - 5], [0.0, 0.0], (0, 3.0))
    (release,) = [event for event in result.events if event.kind == "release"]
    assert_allclose(release.q[1] + 5, 5 * 2 * np.cos(a) / 3, rtol=1e-7)


def test_a_velocity_limit_by_hand_given_derivatives_holds():
    limit = go.VelocityLimit(
        "governor",
        lambda q, v, t: 3.0 - v[0],
        jacobian=lambda q, v, t: np.array([-1.0]),
        bias=lambda q, v, t: 0.0,
    )
    cart = go.System([1.0], lambda q, v, t: np.array([10 * np.cos(t)]), constraints=[limit])
    result = go.simulate(cart, [0.0], [0.0], (0, 3))
    assert [event.detail for event in result.events] == ["on", "off"]
    assert_allclose([e.t for e in result.events], [np.arcsin(0.3), np.pi / 2], rtol=1e-9)


# One impact, of chosen contacts


def corner(e=0.0):
    return go.System(
        [1.0, 2.0],
        contacts=[
            go.Contact("wall", lambda q, t: q[0], e),
            go.Contact("floor", lambda q, t: q[1], e),
            go.Contact("far", lambda q, t: 10.0 - q[0] - q[1], e),
        ],
    )


def test_only_the_contacts_that_are_named_take_part_in_a_collision():
    state = [0.0, 0.0], [-1.0, -2.0]
    both = go.collide(corner(0.5), *state)
    assert_allclose(both.v_after, [0.5, 1.0])
    one = go.collide(corner(0.5), *state, contacts=["floor"])
    assert_allclose(one.v_after, [-1.0, 1.0])
    assert one.impulses["wall"] == 0.0
    assert_allclose(one.impulses["floor"], 6.0)
    word = go.collide(corner(0.5), *state, contacts="wall")
    assert_allclose(word.v_after, [0.5, -2.0])
    none = go.collide(corner(0.5), *state, contacts=[])
    assert_array_equal(none.v_after, state[1])
    twice = go.collide(corner(0.5), *state, contacts=["floor", "wall"])
    assert_allclose(twice.v_after, both.v_after)


@pytest.mark.parametrize("law", ["newton", "poisson", "sequential"])
def test_a_collision_of_no_contact_changes_nothing(law):
    none = go.collide(corner(0.5), [0.0, 0.0], [-1.0, -2.0], law=law, contacts=[])
    assert_allclose(none.v_after, [-1.0, -2.0], rtol=4e-16)
    assert_allclose(none.energy_change, 0.0, atol=1e-14)


def test_a_contact_that_is_named_takes_part_though_it_does_not_touch():
    """Where a latch closes, or to ask what if."""
    ahead = go.collide(corner(), [1.0, 1.0], [-1.0, -2.0], contacts=["floor"])
    assert_allclose(ahead.v_after, [-1.0, 0.0], atol=1e-15)


def test_a_contact_that_is_named_twice_takes_part_once():
    once = go.collide(corner(0.5), [0.0, 0.0], [-1.0, -2.0], contacts=["floor"])
    twice = go.collide(corner(0.5), [0.0, 0.0], [-1.0, -2.0], contacts=["floor", "floor"])
    assert_allclose(twice.v_after, once.v_after)
    assert_allclose(twice.impulses["floor"], once.impulses["floor"])


@pytest.mark.parametrize(
    ("names", "error", "words"),
    [
        (["ceiling"], go.ModelError, "no constraint is called 'ceiling'"),
        (["tie"], go.InputError, "Holonomic 'tie' is not a contact"),
    ],
)
def test_what_is_no_contact_cannot_collide(names, error, words):
    system = go.System(
        [1.0, 1.0],
        constraints=[go.Holonomic("tie", lambda q, t: q[0] - q[1])],
        contacts=[go.Contact("floor", lambda q, t: q[1])],
    )
    with pytest.raises(error, match=words):
        go.collide(system, [0.0, 0.0], [-1.0, -1.0], contacts=names)
