"""A structure with a constrained double pendulum, at rest and under El Centro 1940."""

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm

import gauss_opt as go

G = 9.81
ELCENTRO = Path(__file__).parents[1] / "cases" / "data" / "elcentro.csv"


def still(t):
    return 0.0


def structure(ground=still):
    return go.System(
        [3.0], lambda q, v, t: np.array([-400.0 * q[0] - 1.386 * v[0] - 3.0 * ground(t)])
    )


def structure_with_pendulum(ground=still, gravity=-G):
    """Coordinates xp, x1, y1, x2, y2 relative to the ground; ``gravity`` along y, as printed."""
    l1, l2, h = 2.4, 0.9, 3.0

    def force(q, v, t):
        u = ground(t)
        roller = 15.0 * (q[3] - q[0]) + 1.386 * (v[3] - v[0])
        return np.array([
            -400.0 * q[0] - 1.386 * v[0] + roller - 3.0 * u,
            -0.3 * u, 0.3 * gravity, -roller - 0.03 * u, 0.03 * gravity,
        ])  # fmt: skip

    return go.System([3.0, 0.3, 0.3, 0.03, 0.03], force, [
        go.Holonomic("upper", lambda q, t: (q[1] - q[0]) ** 2 + q[2] ** 2 - l1**2),
        go.Holonomic("lower", lambda q, t: (q[3] - q[1]) ** 2 + (q[4] - q[2]) ** 2 - l2**2),
        go.Holonomic("roller", lambda q, t: q[4] - h),
    ])  # fmt: skip


def pendulum_start():
    """The printed start is rounded: assemble it."""
    guess = [0.0, 0.5953, 2.325, 0.0, 3.0]
    return go.assemble(structure_with_pendulum(), guess, np.zeros(5), hold_q=[0, 3])


def test_structure_alone_has_its_period_and_damping():
    def top(q, v, t):
        return v[0]

    top.direction = -1
    result = go.simulate(structure(), [0.0], [1.0], (0, 6), rtol=1e-11, events=top)
    times = np.array([event.t for event in result.events])
    heights = np.array([event.q[0] for event in result.events])
    decrement = np.log(heights[:-1] / heights[1:])
    damping = decrement / np.hypot(2 * np.pi, decrement)
    assert_allclose(damping, 0.0200052, rtol=0, atol=5e-8)
    assert_allclose(np.diff(times) * np.sqrt(1 - damping**2), 0.54413980927, rtol=0, atol=1e-9)


def test_pendulum_starts_at_the_printed_height():
    q, v = pendulum_start()
    assert_allclose(q, [0.0, 0.595294044989533, 2.325, 0.0, 3.0], rtol=0, atol=1e-12)
    assert_allclose(v, 0.0, atol=1e-15)


@pytest.mark.parametrize(("gravity", "offset"), [(-G, 0.0403), (G, -0.0375)])
def test_pendulum_without_earthquake_settles_beside_the_floor(gravity, offset):
    system = structure_with_pendulum(gravity=gravity)
    q, v = pendulum_start()
    result = go.simulate(system, q, v, (0, 60), rtol=1e-8)
    assert result.q[-1, 3] - result.q[-1, 0] == pytest.approx(offset, abs=5e-5)
    assert np.abs(result.v[-1]).max() < 1e-9
    assert np.abs(go.accelerate(system, result.q[-1], result.v[-1]).acceleration).max() < 1e-8


def earthquake():
    times, share = np.loadtxt(ELCENTRO, delimiter=",", unpack=True)
    return times, G * share


def test_record_is_the_published_one():
    times, ground = earthquake()
    assert len(times) == 1560
    assert_allclose(np.diff(times), 0.02, rtol=1e-9)
    assert np.abs(ground).max() == pytest.approx(0.31882 * G, rel=1e-12)
    assert times[np.abs(ground).argmax()] == 2.04
    assert ground[1] == pytest.approx(0.0063 * G, rel=1e-12)


def exact_response(times, ground):
    """The structure alone under a piecewise linear ground, by the matrix exponential."""
    step = times[1] - times[0]
    flow = np.zeros((4, 4))  # of (x, x', u, u')
    flow[0, 1], flow[1], flow[2, 3] = 1.0, [-400 / 3, -1.386 / 3, -1.0, 0.0], 1.0
    advance = expm(flow * step)
    state, states = np.zeros(2), [np.zeros(2)]
    for u, slope in zip(ground[:-1], np.diff(ground) / step, strict=True):
        state = (advance @ [*state, u, slope])[:2]
        states.append(state)
    return np.array(states)


def test_pendulum_lowers_the_peak_under_el_centro():
    times, ground = earthquake()
    times, ground = times[:601], ground[:601]  # 12 s, with the strong motion

    def shake(t):
        return np.interp(t, times, ground)

    options = {"t_span": (0, times[-1]), "breakpoints": times, "rtol": 1e-9}
    alone = go.simulate(structure(shake), [0.0], [0.0], **options)
    exact = exact_response(times, ground)
    rows = np.searchsorted(alone.t, times)
    assert_allclose(alone.q[rows, 0], exact[:, 0], rtol=0, atol=1e-8)
    assert_allclose(alone.v[rows, 0], exact[:, 1], rtol=0, atol=1e-8)
    for gravity in (-G, G):
        system = structure_with_pendulum(shake, gravity)
        q, v = pendulum_start()
        helped = go.simulate(system, q, v, **options)
        assert np.abs(helped.q[:, 0]).max() < 0.8 * np.abs(alone.q[:, 0]).max()
        assert max(np.abs(phi).max() for phi in helped.values.values()) < 1e-9
