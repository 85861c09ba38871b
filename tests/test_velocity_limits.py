"""Velocity limits together with contacts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go
from gauss_opt.simulation.event_driven.accumulation import Accumulation
from gauss_opt.simulation.event_driven.contact_status import Status
from gauss_opt.simulation.event_driven.impact_series import close_contacts
from gauss_opt.simulation.event_driven.response import hold

G = 9.81
BRAKE = 4.0  # metres per second downwards


def braked_ball(e=0.5):
    return go.System(
        [1.0],
        [-G],
        constraints=[go.VelocityLimit("brake", lambda q, v, t: BRAKE + v[0])],
        contacts=[go.Contact("floor", lambda q, t: q[0], e)],
    )


def landing(height=1.0):
    """When a ball that is let fall reaches the floor, the last part at the speed of the brake."""
    return BRAKE / G + (height - BRAKE**2 / (2 * G)) / BRAKE


def test_a_limit_that_an_impact_leaves_is_off_and_the_ball_flies_freely():
    result = go.simulate(braked_ball(), [1.0], [0.0], (0, 3))
    assert [str(event.kind) for event in result.events[:3]] == ["limit", "impact", "limit"]
    on, first, off = result.events[:3]
    assert_allclose([on.t, first.t], [BRAKE / G, landing()], rtol=1e-12)
    assert (off.t, off.detail) == (first.t, "off")
    top = first.t + 0.5 * BRAKE / G
    assert_allclose(result(top).v, [0.0], atol=1e-12)
    assert_allclose(result(top).q, [(0.5 * BRAKE) ** 2 / (2 * G)], rtol=1e-12)
    end = landing() + 2 * 0.5 * BRAKE / G / (1 - 0.5)
    assert_allclose(result.events[-1].t, end, rtol=1e-9)
    assert result.success


def test_a_limit_that_an_elastic_ball_reaches_again_brakes_it_again():
    result = go.simulate(braked_ball(1.0), [1.0], [0.0], (0, 2))
    kinds = [(str(event.kind), event.detail) for event in result.events]
    assert kinds[:3] == [("limit", "on"), ("impact", ""), ("limit", "off")]
    impacts = [event for event in result.events if event.kind == "impact"]
    assert_allclose(np.diff([event.t for event in impacts]), 2 * BRAKE / G, rtol=1e-9)
    assert_allclose([event.v_after[0] for event in impacts], BRAKE, rtol=1e-9)


def test_a_plastic_impact_switches_the_limit_off():
    result = go.simulate(braked_ball(0.0), [1.0], [0.0], (0, 1))
    assert result.multipliers["floor"][-1] == pytest.approx(G)
    assert result.multipliers["brake"][-1] == 0.0
    assert [str(event) for event in result.events if event.detail == "off"]


def leaning(e):
    """A ball on a slope that rises to the right, with a limit of its speed in that direction."""
    incline = go.Contact("incline", lambda q, t: q[1] - 0.5 * q[0], e)
    limit = go.VelocityLimit("limit", lambda q, v, t: 3.0 - v[0])
    return go.System([1.0, 1.0], [5.0, -G], constraints=[limit], contacts=[incline])


def standing(system, q, v, limit):
    """The context and the state of a run with its limit held or not."""
    stepper = go.start(system, [0.0, 1.0], [1.0, -1.0], (0, 1))
    state = stepper.freeze()
    state.status = np.array([Status.OPEN, limit], dtype=np.int8)
    context = stepper.present.context
    return context, state, context.at(0.5, np.array([*q, *v], dtype=float))


@pytest.mark.parametrize("way", ["held", "closed as a series"])
def test_a_limit_is_off_when_contacts_that_are_stopped_take_it_away(way):
    """The contact slows the ball down; the limit must not draw it back."""
    asked = standing(leaning(0.5), [0, 0], [3.0, -2.0], Status.CARRYING)
    if way == "held":
        response = hold(*asked, np.array([0]))
    else:
        response, _ = close_contacts(*asked, Accumulation(0.6, frozenset({0}), True))
    assert response.snapshot.v[0] < 3.0
    assert response.snapshot.rate[0] == pytest.approx(0.0, abs=1e-14)
    assert response.status[1] == Status.OPEN
    assert [e.detail for e in response.events if e.kind == "limit"] == ["off"]


@pytest.mark.parametrize("way", ["held", "closed as a series"])
def test_a_limit_stays_on_when_contacts_that_are_stopped_do_not_move_it(way):
    floor = go.Contact("floor", lambda q, t: q[1], 0.5)
    limit = go.VelocityLimit("limit", lambda q, v, t: 3.0 - v[0])
    ball = go.System([1.0, 1.0], [5.0, -G], constraints=[limit], contacts=[floor])
    asked = standing(ball, [0, 0], [3.0, -1e-5], Status.CARRYING)
    if way == "held":
        response = hold(*asked, np.array([0]))
    else:
        response, _ = close_contacts(*asked, Accumulation(0.6, frozenset({0}), True))
    assert response.status[1] == Status.CARRYING
    assert not [e for e in response.events if e.kind == "limit"]
