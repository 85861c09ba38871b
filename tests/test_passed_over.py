"""Peaks of forces between the stages of a step: no step passes over them unseen."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import quad

import gauss_opt as go
from gauss_opt.model.enclosure.hidden import hidden_parts, smooth_on

SHAPES = {
    "Gauss": lambda u: np.exp(-(u**2)),
    "algebraic": lambda u: 1.0 / (1.0 + u**2) ** 4,
    "parabola": lambda u: np.maximum(0.0, 1.0 - u**2),
    "box": lambda u: np.where(u * u < 1.0, 1.0, 0.0),
}


def wide(rng, low, high):
    return float(10.0 ** rng.uniform(low, high))


def impulse(shape, width, moment):
    """The integral of a shape over the run from 0 to 1."""
    low, high = max(-moment / width, -60.0), min((1.0 - moment) / width, 60.0)
    corners = [p for p in (-10.0, -1.0, 0.0, 1.0, 10.0) if low < p < high]
    return width * quad(shape, low, high, points=corners, limit=500)[0]


@pytest.mark.parametrize("method", ["DOP853", "RK45", "Radau", "LSODA"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_free_body_takes_up_every_pulse(shape, method):
    wrong = []
    for k in range(8):
        rng = np.random.default_rng([20, k, len(shape), len(method)])
        width, moment, weight = (
            wide(rng, -4.0, -0.3),
            rng.uniform(0.1, 0.9),
            rng.choice([0.0, 9.81]),
        )
        size = wide(rng, -1.0, 2.0) * rng.choice([-1.0, 1.0 / width])

        def force(q, v, t, size=size, moment=moment, width=width, weight=weight):
            return np.array([size * SHAPES[shape]((t - moment) / width) - weight])

        result = go.simulate(go.System([1.0], force), [0.0], [0.3], (0.0, 1.0), method=method)
        change = size * impulse(SHAPES[shape], width, moment)
        exact = 0.3 - weight + change
        if abs(result.v[-1, 0] - exact) > 1e-5 * (1.0 + abs(exact) + abs(change)):
            wrong.append((k, width, size, float(result.v[-1, 0]), exact))
    assert wrong == []


def test_a_bead_keeps_its_energy_over_hills_narrower_than_its_steps():
    wrong = []
    for k in range(12):
        rng = np.random.default_rng([21, k])
        width, place, speed = wide(rng, -3.5, -0.5), rng.uniform(0.2, 0.8), rng.uniform(1.5, 3.0)
        height = rng.uniform(0.55, 2.0) * 0.5 * speed**2 * rng.choice([-1.0, 1.0])

        def potential(q, t, height=height, place=place, width=width):
            return height * np.exp(-(((q[0] - place) / width) ** 2))

        result = go.simulate(go.System([1.0], potential=potential), [0.0], [speed], (0.0, 1.0))
        turned = bool(result.v[-1, 0] < 0.0)
        energy = 0.5 * result.v[:, 0] ** 2 + potential(result.q.T, 0.0)
        if turned != (height > 0.5 * speed**2) or np.ptp(energy) > 1e-5 * speed**2:
            wrong.append((k, width, height, speed))
    assert wrong == []


def test_a_rail_that_moves_for_an_instant_takes_the_bead_along():
    """q0 is held at a peak of time; q1 hangs on it by a damper, and is left behind by its area."""
    for width in (0.2, 0.01, 1e-3):
        rail = go.Holonomic("rail", lambda q, t, w=width: q[0] - np.exp(-(((t - 0.6) / w) ** 2)))
        system = go.System([1.0, 1.0], lambda q, v, t: np.array([0.0, 5.0 * q[0]]), [rail])
        result = go.simulate(system, [np.exp(-((0.6 / width) ** 2)), 0.0], [0.0, 0.0], (0.0, 1.0),
                             project_start=True)  # fmt: skip
        change = 5.0 * impulse(SHAPES["Gauss"], width, 0.6)
        assert abs(result.v[-1, 1] - change) < 1e-6


def test_a_belt_with_a_pulse_of_speed_carries_its_load_as_far_as_it_runs():
    """Before the pulse the belt creeps at 1e-200 m/s, which is no size to be accurate to."""
    for width in (0.1, 0.013, 1e-3):
        belt = go.Nonholonomic(
            "belt", lambda q, v, t, w=width: v[0] - 2.0 * np.exp(-(((t - 0.3) / w) ** 2))
        )
        system = go.System([1.0, 1.0], [0.0, -9.81], [belt])
        start = [0.0, 0.0], [2.0 * np.exp(-((0.3 / width) ** 2)), 0.0]
        result = go.simulate(system, *start, (0.0, 1.0))
        way = 2.0 * impulse(SHAPES["Gauss"], width, 0.3)
        assert abs(result.q[-1, 0] - way) < 1e-7


def test_a_mass_that_is_large_for_an_instant_is_seen():
    for width in (0.1, 1e-2, 1e-4):

        def mass(q, t, w=width):
            return np.array([[1.0 + 30.0 * np.exp(-(((t - 0.6) / w) ** 2))]])

        result = go.simulate(go.System(mass, [1.0], nv=1), [0.0], [0.0], (0.0, 1.0))
        lost = impulse(lambda u: 1.0 - 1.0 / (1.0 + 30.0 * np.exp(-(u**2))), width, 0.6)
        assert abs(result.v[-1, 0] - (1.0 - lost)) < 1e-7


def test_a_force_at_one_speed_only_is_seen():
    """The time it takes to get to a speed is the integral of 1 / force over the speeds."""
    for width in (0.1, 1e-2, 1e-3):

        def force(q, v, t, w=width):
            return np.array([1.0 + 20.0 * np.exp(-(((v[0] - 0.5) / w) ** 2))])

        result = go.simulate(go.System([1.0], force), [0.0], [0.0], (0.0, 0.8))
        saved = impulse(lambda u: 1.0 - 1.0 / (1.0 + 20.0 * np.exp(-(u**2))), width, 0.5)
        assert abs(result.v[-1, 0] - (0.8 + saved)) < 1e-6


def test_a_block_on_a_table_that_drops_for_an_instant_falls_behind():
    """Held, and by an implicit method whose steps are longer than the drop."""
    width = 0.004
    depth = 1.5 * 9.81 * width**2

    def gap(q, t):
        return q[0] - depth * np.exp(-(((t - 0.5) / width) ** 2))

    system = go.System([1.0], [-9.81], contacts=[go.Contact("table", gap)])
    result = go.simulate(system, [0.0], [0.0], (0.0, 0.6), method="Radau", rtol=1e-7)
    times = np.linspace(0.48, 0.52, 401)
    assert gap(result(times)[0].T, times).min() > -1e-9
    assert [event.kind for event in result.events][:2] == ["release", "impact"]


def test_waves_much_shorter_than_a_step_are_seen():
    system = go.System([1.0], lambda q, v, t: np.array([1e3 * np.sin(400.0 * np.pi * t) ** 8]))
    result = go.simulate(system, [0.0], [0.0], (0.0, 1.0), rtol=1e-6)
    assert abs(result.v[-1, 0] / (1e3 * 35.0 / 128.0) - 1.0) < 1e-3


@pytest.mark.parametrize("case", ["simple_pendulum", "andrews", "car_axis", "four_bar"])
def test_smooth_motion_is_stepped_as_before(case, monkeypatch):
    from gauss_opt.model.enclosure.enclosures import Enclosures

    setup = go.find_case(case).create({}).build()
    looked_at = setup.run(max_steps=60, throw=False)
    monkeypatch.setattr(Enclosures, "resolution", None)
    before = setup.run(max_steps=60, throw=False)
    assert looked_at.q.tobytes() == before.q.tobytes()


def test_a_resumed_run_takes_the_same_steps_again(tmp_path):
    system = go.System(
        [1.0], lambda q, v, t: np.array([50.0 * np.exp(-(((t - 0.7) / 0.002) ** 2))])
    )
    given = {"q0": [0.0], "v0": [0.3], "t_span": (0.0, 1.0)}
    whole = go.simulate(system, **given)
    assert whole.stats.restarts > 0
    for stop in (3, 9, 15):
        left = iter(range(stop))
        kept = {"checkpoint": tmp_path / f"{stop}.npz", "checkpoint_every": 2}
        go.simulate(system, **given, **kept, callback=lambda s, left=left: next(left, None) is None)
        again = go.simulate(system, **given, **kept, resume=True)
        assert again.t.tobytes() == whole.t.tobytes()
        assert again.v.tobytes() == whole.v.tobytes()


def hidden(function, low, high):
    """Whether it is smooth on a box, and how much of it may be hidden there."""
    x, a, b = ca.SX.sym("x"), ca.SX.sym("a"), ca.SX.sym("b")
    graph = ca.Function("f", [x], [function(x)])
    found = ca.Function("g", [a, b], [smooth_on(graph, [(a, b)]), hidden_parts(graph, [(a, b)])])
    smooth, part = (float(out) for out in found(low, high))
    return bool(smooth), part


def test_what_may_be_hidden_in_an_operation():
    assert hidden(lambda x: 1.0 + x * x * x, -1e6, 1e6) == (True, 0.0)
    assert hidden(ca.sin, 0.0, 2.0) == (True, 0.0)
    assert hidden(lambda x: 3.0 * ca.sin(x), 0.0, 20.0) == (False, 6.0)
    assert hidden(lambda x: 1.0 / x, 1.0, 2.0) == (True, 0.0)
    assert hidden(lambda x: 1.0 / x, -1.0, 2.0) == (False, np.inf)
    assert hidden(lambda x: x * ca.fmax(0.0, 1.0 - x * x), 2.0, 3.0) == (True, 0.0)
    smooth, part = hidden(lambda x: x * ca.fmax(0.0, 1.0 - x * x), -3.0, 3.0)
    assert not smooth
    assert 3.0 <= part < 3.1
    assert hidden(lambda x: ca.if_else(x > 1.0, 5.0, 0.0), 0.0, 2.0) == (False, 5.0)
    assert hidden(lambda x: ca.if_else(x > 1.0, 5.0, 0.0), 1.5, 2.0) == (True, 0.0)


def test_nothing_that_changes_within_a_box_is_overlooked():
    """What is called smooth is a polynomial of degree 9 up to a hundredth of its change."""
    rng = np.random.default_rng(5)
    unary = [ca.exp, ca.sin, ca.cos, ca.tanh, ca.atan, ca.sqrt, ca.fabs, lambda x: 1.0 / x,
             lambda x: ca.fmax(x, 0.5), lambda x: x * x, ca.log, lambda x: x**2.5]  # fmt: skip
    x = ca.SX.sym("x")
    smooth = 0
    for _ in range(300):
        first, second = rng.choice(len(unary), 2)
        a, b, c = rng.normal(size=3)
        graph = ca.Function("f", [x], [unary[second](c + b * unary[first](a * x))])
        low = float(rng.normal())
        high = low + wide(rng, -1.0, 2.0)
        fine, _ = hidden(lambda x, g=graph: g(x), low, high)
        if not fine:
            continue
        smooth += 1
        points = np.linspace(low, high, 400)
        values = np.array(graph(points[None])).ravel()
        fit = np.polynomial.Chebyshev.fit(points, values, 9)
        assert np.abs(fit(points) - values).max() <= 0.01 * np.ptp(values) + 1e-12
    assert smooth > 50
