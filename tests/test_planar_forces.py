"""Forces between bodies: springs, dampers, motors, applied forces."""

import numpy as np
import pytest

import gauss_opt as go
import gauss_opt.planar as pl

TIGHT = {"rtol": 1e-11}


def block_on_rail():
    m = pl.Mechanism()
    block = m.particle("block", mass=2.0)
    m.lock("rail", block.y, 0.0)
    return m, block


def test_a_spring_and_a_damper_are_a_damped_oscillator():
    m, block = block_on_rail()
    m.spring("spring", m.ground.at(-1, 0), block.center, length=1.0, stiffness=50.0, damping=4.0)
    run = m.simulate({block.x: 0.2}, (0, 3), **TIGHT)
    w, decay = np.sqrt(50.0 / 2.0 - 1.0), 1.0
    exact = 0.2 * np.exp(-run.t) * (np.cos(w * run.t) + decay / w * np.sin(w * run.t))
    assert run.path(block)[:, 0] == pytest.approx(exact, abs=1e-9)
    tension = 50.0 * run.path(block)[:, 0] + 4.0 * run.velocity(block)[:, 0]
    assert run.force("spring") == pytest.approx(tension, abs=1e-12)
    assert np.abs(run.energy.residual).max() < 1e-9


def test_a_spring_law_of_ones_own():
    """A hardening spring: speed by energy."""
    m, block = block_on_rail()
    m.spring("spring", m.ground.at(-1, 0), block.center, length=1.0, law=lambda s, r: 300.0 * s**3)
    run = m.simulate({block.x: 0.3}, (0, 1.5), **TIGHT)
    x, v = run.path(block)[:, 0], run.velocity(block)[:, 0]
    assert v**2 == pytest.approx(300.0 / 4.0 * (0.3**4 - x**4), abs=1e-9)


def test_a_torsion_spring_between_two_free_discs():
    m = pl.Mechanism()
    a, b = (m.body(name, mass=1.0, inertia=i, at=(0, 0)) for name, i in (("a", 2.0), ("b", 3.0)))
    m.turning_spring("shaft", a, b, angle=0.1, stiffness=6.0)
    run = m.simulate({b.angle: 0.5}, (0, 2), **TIGHT)
    w = np.sqrt(6.0 * (1 / 2.0 + 1 / 3.0))
    turn = run.value(pl.between(a, b)) - 0.1
    assert turn == pytest.approx(0.4 * np.cos(w * run.t), abs=1e-9)
    assert 2.0 * run.value(a.rate) + 3.0 * run.value(b.rate) == pytest.approx(0.0, abs=1e-12)


def test_a_motor_runs_up_to_its_free_speed():
    """A straight curve gives an exponential; the piecewise one has kinks and the same end."""
    m = pl.Mechanism()
    rotor = m.body("rotor", pl.Disc(0.1), mass=2.0, at=(0, 0))
    m.pin("axle", m.ground.at(0, 0), rotor.center)
    m.motor("motor", rotor, pl.Curve([0.0, 100.0], [1.0, 0.0]))
    run = m.simulate({}, (0, 2), **TIGHT)
    rate = 1.0 / (100.0 * 0.01)
    assert run.value(rotor.rate) == pytest.approx(100 * (1 - np.exp(-rate * run.t)), abs=1e-7)
    assert run.force("motor") == pytest.approx(np.exp(-rate * run.t), abs=1e-9)
    curve = pl.Curve([0, 50, 100, 150], [1.0, 1.2, 0.5, 0.0])
    speeds = np.linspace(-20, 180, 41)
    inside = (speeds >= 0) & (speeds <= 150)
    table = np.interp(speeds, curve.x, curve.y)
    assert [curve(w) for w in speeds[inside]] == pytest.approx(table[inside])


def test_the_motor_turns_its_mount_the_other_way():
    m = pl.Mechanism()
    ship = m.body("ship", pl.Box(1.0, 1.0), mass=6.0, at=(0, 0))
    wheel = m.body("wheel", pl.Disc(0.5), mass=4.0)
    m.pin("axle", ship.center, wheel.center)
    m.motor("motor", wheel, lambda speed, t: 2.0 * np.cos(t) - 0.1 * speed, on=ship)
    run = m.simulate({wheel.angle: 0.0}, (0, 3), **TIGHT)
    momentum = ship.inertia * run.value(ship.rate) + wheel.inertia * run.value(wheel.rate)
    assert np.abs(momentum).max() < 1e-10
    assert np.abs(run.value(ship.rate)).max() > 0.5


def test_a_thruster_turns_with_its_body_and_a_wind_does_not():
    m = pl.Mechanism()
    a = m.body("a", pl.Box(1.0, 1.0), mass=1.0, at=(0, 0))
    b = m.particle("b", mass=2.0, at=(0, 5))
    m.force("thruster", a.at(0.0, -0.5), (3.0, 0.0), turning=True)
    m.force("wind", b.center, lambda t: (4.0 * t, 0.0))
    run = m.simulate({}, (0, 1), **TIGHT)
    spin = 3.0 * 0.5 / a.inertia
    assert run.value(a.rate) == pytest.approx(spin * run.t, abs=1e-9)
    pushed = 3.0 * np.stack([np.cos(run.value(a.angle)), np.sin(run.value(a.angle))], axis=1)
    assert run.acceleration(a) == pytest.approx(pushed, abs=1e-9)
    assert run.path(b)[:, 0] == pytest.approx(run.t**3 / 3.0, abs=1e-10)


@pytest.mark.parametrize(
    ("words", "build"),
    [
        ("does nothing", lambda m, b: m.spring("s", m.ground.at(0, 0), b.center)),
        (
            "either law=",
            lambda m, b: m.spring(
                "s", m.ground.at(0, 0), b.center, stiffness=1.0, law=lambda s, r: s
            ),
        ),
        ("has no angle", lambda m, b: m.torque("t", b, 1.0)),
        ("acts on nothing", lambda m, b: m.force("f", m.ground.at(0, 0), (1, 0))),
        ("no force is called 'x'", lambda m, b: m.simulate({}, (0, 0.1)).force("x")),
        ("must ascend", lambda m, b: pl.Curve([0, 0], [1, 2])),
        ("at least two points", lambda m, b: pl.Curve([0], [1])),
        ("must be a pair of numbers", lambda m, b: m.force("f", b.center, 3.0)),
    ],
)
def test_a_bad_force_is_explained(words, build):
    m = pl.Mechanism()
    bob = m.particle("bob", mass=1.0, at=(0, 0))
    with pytest.raises(go.ModelError, match=words):
        build(m, bob)
