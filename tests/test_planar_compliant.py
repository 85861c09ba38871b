"""Compliant contact: Hertz with damping against closed forms, and against the rigid bounce."""

import re

import numpy as np
import pytest
from scipy.optimize import brentq

import gauss_opt as go
import gauss_opt.planar as pl

TIGHT = {"rtol": 1e-10}
MASS, SPEED = 2.0, 3.0


def thrown(stiffness, **options):
    """A disc thrown at a wall without gravity; the run until after the bounce."""
    m = pl.Mechanism()
    wall = m.fixed("wall", pl.HalfPlane((1, 0)))
    disc = m.body("disc", pl.Disc(0.1), mass=MASS, at=(0.2, 0.0))
    m.compliant("touch", wall, disc, stiffness=stiffness, **options)
    return m, disc, m.simulate({disc.vx: -SPEED}, (0.0, 0.2), **TIGHT)


def restitution(product):
    """Of Hunt and Crossley's force with D v: from separating v dv / (1 + D v) = -K d^n dd / m."""
    loaded = product - np.log1p(product)
    return brentq(
        lambda e: -e * product - np.log1p(-e * product) - loaded,
        1e-9,
        min(1.0, (1.0 - 1e-12) / product),
    )


def test_hertz_gives_everything_back_after_a_known_time_at_a_known_depth():
    K = 1e7
    _, disc, run = thrown(K)
    assert run.v[-1, 0] == pytest.approx(SPEED, rel=1e-8)
    # m v^2 / 2 = K d^(5/2) / (5/2)
    depth = (5 * MASS * SPEED**2 / (4 * K)) ** 0.4
    at = run.t[run.q[:, 0] < 0.1]
    t = np.linspace(at.min() - 1e-3, at.max() + 1e-3, 20_001)
    x = run.path(disc, t)[:, 0]
    assert 0.1 - x.min() == pytest.approx(depth, rel=1e-6)
    # 2 (d / v) times the integral of 1 / sqrt(1 - s^(5/2)).
    inside = t[x < 0.1]
    assert inside[-1] - inside[0] == pytest.approx(2.943 * depth / SPEED, rel=2e-3)
    assert run.force("touch", t).max() == pytest.approx(K * depth**1.5, rel=1e-6)
    assert np.abs(run.energy.residual).max() < 1e-7 * run.energy.total[0]


@pytest.mark.parametrize("damping", [0.05, 0.2, 0.6])
def test_the_damping_of_hunt_and_crossley_takes_what_the_closed_form_says(damping):
    """Whatever the stiffness is."""
    for stiffness in (1e6, 1e8):
        _, _, run = thrown(stiffness, damping=damping)
        assert run.v[-1, 0] / SPEED == pytest.approx(restitution(damping * SPEED), abs=1e-7)


def test_the_laws_give_about_the_restitution_asked_for():
    for law, e, within in (
        ("hunt-crossley", 0.95, 0.01),
        ("flores", 0.9, 0.04),
        ("flores", 0.3, 0.1),
    ):
        _, _, run = thrown(1e7, law=law, restitution=e, speed=SPEED)
        assert run.v[-1, 0] / SPEED == pytest.approx(e, abs=within), law


def test_it_goes_to_the_rigid_bounce_as_the_duration_of_contact_does():
    """Both leave later than a rigid ball, by a time that goes like K^(-2/5)."""
    m = pl.Mechanism()
    wall = m.fixed("wall", pl.HalfPlane((1, 0)))
    disc = m.body("disc", pl.Disc(0.1), mass=MASS, at=(0.2, 0.0))
    m.collide(wall, disc, restitution=1.0)
    rigid = m.simulate({disc.vx: -SPEED}, (0.0, 0.2), **TIGHT)
    late = [rigid.q[-1, 0] - thrown(K)[2].q[-1, 0] for K in (1e5, 32e5, 1024e5)]
    assert late[0] / late[1] == pytest.approx(4.0, rel=1e-5)
    assert late[1] / late[2] == pytest.approx(4.0, rel=1e-4)


@pytest.mark.parametrize(
    ("shape", "rows"),
    [(pl.Disc(0.1), 1), (pl.Capsule((-0.2, 0), (0.2, 0), 0.1), 2), (pl.Box(0.4, 0.2), 2)],
)
def test_a_body_at_rest_sinks_in_until_the_force_is_its_weight(shape, rows):
    K, g = 1e6, 9.81
    m = pl.Mechanism(gravity=g)
    floor = m.fixed("floor", pl.Box(2.0, 0.5, (0.0, -0.25)))
    body = m.body("body", shape, mass=MASS, at=(0.0, 0.0))
    m.compliant("touch", floor, body, stiffness=K)
    depth = (MASS * g / rows / K) ** (2 / 3)
    run = m.simulate({body.y: 0.1 - depth}, (0.0, 0.1), **TIGHT)
    assert run.v == pytest.approx(0.0, abs=1e-8)
    assert run.force("touch") == pytest.approx(MASS * g, rel=1e-6)


def test_two_boxes_that_meet_keep_their_momentum():
    m = pl.Mechanism()
    a = m.body("a", pl.Box(0.4, 0.2), mass=1.0, at=(0.0, 0.0))
    b = m.body("b", pl.Box(0.3, 0.3), mass=2.0, at=(0.5, 0.1), angle=0.5)
    m.compliant("touch", a, b, stiffness=1e6, damping=0.1)
    run = m.simulate({a.velocity: (1.5, 0.0), b.velocity: (-1.0, 0.0)}, (0.0, 0.2), **TIGHT)
    mass = np.array([1.0, 1.0, a.inertia, 2.0, 2.0, b.inertia])
    momentum = (run.v * mass).reshape(len(run.t), 2, 3)
    linear = momentum[:, :, :2].sum(axis=1)
    places = run.q.reshape(len(run.t), 2, 3)
    moment = places[:, :, 0] * momentum[:, :, 1] - places[:, :, 1] * momentum[:, :, 0]
    angular = (moment + momentum[:, :, 2]).sum(axis=1)
    assert run.force("touch").max() > 100.0
    assert np.abs(linear - linear[0]).max() < 1e-9
    assert np.abs(angular - angular[0]).max() < 1e-9
    kinetic = 0.5 * (run.v**2 * mass).sum(axis=1)
    assert kinetic[-1] < 0.99 * kinetic[0]


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("stiffness of 'touch' must be above zero", {"stiffness": 0.0}),
        ("exponent of 'touch' must be above zero", {"stiffness": 1.0, "exponent": 0}),
        ("damping of 'touch' must be at least 0", {"stiffness": 1.0, "damping": -1.0}),
        ("restitution= and speed= together", {"stiffness": 1.0, "restitution": 0.5}),
        ("one of 'hunt-crossley', 'flores'", {"stiffness": 1.0, "law": "hertz"}),
        (
            "too for 'flores'",
            {"stiffness": 1.0, "law": "flores", "restitution": 0.0, "speed": 1.0},
        ),
    ],
)
def test_a_bad_compliant_contact_is_explained(words, options):
    m = pl.Mechanism()
    a, b = (m.body(name, pl.Disc(0.1), mass=1.0) for name in "ab")
    with pytest.raises(go.ModelError, match=re.escape(words)):
        m.compliant("touch", a, b, **options)
