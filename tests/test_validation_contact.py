"""Contact that is kept and lost, against closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

G = 9.81
TIGHT = {"rtol": 1e-12}
CLOSE = {"rtol": 0, "atol": 1e-8}


def row(result, event, side=0):
    """Row of the result at an event: 0 before, -1 after."""
    return np.flatnonzero(result.t == event.t)[side]


# --- a particle on a sphere ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def slide():
    sphere = go.Contact("sphere", lambda q, t: np.hypot(q[0], q[1]) - 1.0)
    plane = go.Contact("plane", lambda q, t: q[1] + 1.0)
    particle = go.System(
        [1.0, 1.0], [0.0, -G], contacts=[sphere, plane], potential=lambda q, t: G * q[1]
    )
    return go.simulate(particle, [0.0, 1.0], [0.5, 0.0], (0, 1.5), **TIGHT)


def test_particle_leaves_the_sphere_where_its_weight_no_longer_bends_the_path(slide):
    leave = slide.events[0]
    assert (leave.kind, leave.contacts) == ("release", ("sphere",))
    assert_allclose(np.arctan2(*leave.q), 0.82961284957365, **CLOSE)
    assert_allclose(np.linalg.norm(leave.v_before), 2.5735837529277, **CLOSE)
    assert_allclose(leave.t, 0.75423883800255, **CLOSE)


def test_particle_from_the_sphere_lands_on_the_plane(slide):
    leave, land = slide.events
    assert (land.kind, land.contacts) == ("impact", ("plane",))
    assert_allclose(land.t - leave.t, 0.42208463869996, **CLOSE)
    assert_allclose(land.q, [1.4710777250571, -1.0], **CLOSE)
    assert_allclose(slide.multipliers["plane"][-1], G, **CLOSE)


def test_sphere_presses_by_weight_less_centrifugal_force_and_never_pulls(slide):
    before = slide.t < slide.events[0].t
    angle = np.arctan2(slide.q[before, 0], slide.q[before, 1])
    speed2 = (slide.v[before] ** 2).sum(axis=1)
    assert_allclose(slide.multipliers["sphere"][before], G * np.cos(angle) - speed2, **CLOSE)
    assert slide.multipliers["sphere"].min() >= -1e-9
    assert min(slide.gaps[name].min() for name in slide.gaps) > -1e-9
    assert np.abs(slide.energy.residual).max() < 1e-8


# --- a ladder -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ladder():
    contacts = [
        go.Contact("wall", lambda q, t: q[0] - np.cos(q[2])),
        go.Contact("floor", lambda q, t: q[1] - np.sin(q[2])),
        go.Contact("top on the floor", lambda q, t: q[1] + np.sin(q[2])),
    ]
    rod = go.System(
        [1.0, 1.0, 1 / 3], [0.0, -G, 0.0], contacts=contacts, potential=lambda q, t: G * q[1]
    )
    angle = np.pi / 3
    start = [np.cos(angle), np.sin(angle), angle]
    return go.simulate(rod, start, [0.0, 0.0, 0.0], (0, 1), **TIGHT)


def test_ladder_leaves_the_wall_at_two_thirds_of_its_height(ladder):
    leave = ladder.events[0]
    assert (leave.kind, leave.contacts) == ("release", ("wall",))
    assert_allclose(leave.q[2], 0.61547970867039, **CLOSE)
    assert_allclose(leave.t, 0.459662826377, **CLOSE)
    assert_allclose(leave.v_before[2], -2.0610324125454, **CLOSE)
    assert_allclose(ladder.multipliers["floor"][row(ladder, leave)], G / 4, **CLOSE)
    assert_allclose(ladder.multipliers["floor"][row(ladder, leave, -1)], G / 4, **CLOSE)


def test_ladder_falls_flat_and_stays(ladder):
    leave, flat = ladder.events
    assert flat.kind == "impact"
    assert "top on the floor" in flat.contacts
    assert_allclose(flat.t - leave.t, 0.22647668935564, **CLOSE)
    assert_allclose(flat.v_before[2], -3.417835596587, **CLOSE)
    assert_allclose(ladder.q[-1, 1:], 0.0, atol=1e-9)
    assert_allclose(ladder.v[-1, 1:], 0.0, atol=1e-9)
    # it slides on, away from the wall, at the speed it had when it left
    assert_allclose(ladder.v[-1, 0], leave.v_before[0], **CLOSE)
    assert_allclose(ladder.multipliers["floor"][-1], G / 2, **CLOSE)
    assert np.abs(ladder.energy.residual).max() < 1e-8


# --- a string that goes slack -------------------------------------------------------------------


@pytest.fixture(scope="module")
def string():
    taut = go.Contact("string", lambda q, t: 1.0 - np.hypot(q[0], q[1]))
    bob = go.System([1.0, 1.0], [0.0, -G], contacts=[taut], potential=lambda q, t: G * q[1])
    return go.simulate(bob, [0.0, -1.0], [np.sqrt(3.5 * G), 0.0], (0, 1.5), **TIGHT)


def test_string_goes_slack_at_120_degrees(string):
    slack = string.events[0]
    assert slack.kind == "release"
    assert_allclose(np.arctan2(slack.q[0], -slack.q[1]), np.radians(120), **CLOSE)
    assert_allclose(slack.t, 0.4819942834614, **CLOSE)


def test_string_tightens_at_the_lowest_point_and_takes_the_speed_along_it(string):
    tight = string.events[1]
    assert (tight.kind, tight.contacts) == ("impact", ("string",))
    assert_allclose(tight.t, 1.2640561704672, **CLOSE)
    assert_allclose(tight.q, [0.0, -1.0], **CLOSE)
    assert_allclose(tight.v_before, [-1.1073617295175, -5.75402033364499], **CLOSE)
    assert_allclose(tight.v_after, [-1.1073617295175, 0.0], **CLOSE)
    assert_allclose(tight.impulses["string"], 5.75402033364499, **CLOSE)
    assert_allclose(tight.energy_change, -(5.75402033364499**2) / 2, rtol=1e-8)
    assert len(string.events) == 2
    assert np.abs(string.energy.residual).max() < 1e-8


# --- Atwood's machine with a one-way string -------------------------------------------------------


@pytest.fixture(scope="module")
def atwood():
    contacts = [
        go.Contact("string", lambda q, t: q[0] + q[1] - 1.0),
        go.Contact("floor", lambda q, t: q[0]),
    ]
    weights = go.System(
        [2.0, 1.0], [-2.0 * G, -G], contacts=contacts, potential=lambda q, t: G * (2 * q[0] + q[1])
    )
    return go.simulate(weights, [1.0, 0.0], [0.0, 0.0], (0, 3), **TIGHT)


def test_heavy_weight_lands_with_a_third_of_free_fall(atwood):
    land = atwood.events[0]
    assert land.kind == "impact"
    assert "floor" in land.contacts
    assert_allclose(land.t, 0.7820618870, **CLOSE)
    assert_allclose(land.v_before, [-2.5573423705089, 2.5573423705089], **CLOSE)
    assert_allclose(land.v_after, [0.0, 2.5573423705089], **CLOSE)
    assert_allclose(atwood.multipliers["string"][0], 4 * G / 3, **CLOSE)


def test_string_jerks_the_heavy_weight_up_again(atwood):
    jerk = next(e for e in atwood.events[1:] if e.kind == "impact")
    assert "string" in jerk.contacts
    assert_allclose(jerk.t, 1.3034364783, **CLOSE)
    speed = 2.5573423705089
    assert_allclose(jerk.v_before, [0.0, -speed], **CLOSE)
    assert_allclose(jerk.v_after, [speed / 3, -speed / 3], **CLOSE)


def test_landings_and_jerks_accumulate_and_everything_rests(atwood):
    (end,) = [event for event in atwood.events if event.kind == "accumulation"]
    assert end is atwood.events[-1]
    assert end.exact
    assert set(end.contacts) == {"string", "floor"}
    assert_allclose(end.t, 2.3461856610, **CLOSE)
    assert_allclose(atwood.q[-1], [0.0, 1.0], atol=1e-9)
    assert_allclose(atwood.v[-1], 0.0, atol=1e-9)
    assert_allclose(atwood.multipliers["string"][-1], G, **CLOSE)
    assert_allclose(atwood.multipliers["floor"][-1], G, **CLOSE)
    assert np.abs(atwood.energy.residual).max() < 1e-8


def test_landings_and_jerks_come_in_turn_with_ratio_one_third(atwood):
    landings = [e.t for e in atwood.events if e.kind == "impact" and e.v_before[0] < -1e-9]
    gaps = np.diff(landings)
    assert len(gaps) >= 6
    assert_allclose(gaps[1:6] / gaps[:5], 1 / 3, rtol=1e-6)
