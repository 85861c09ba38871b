"""Whole motions against published end states, other codes and closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_validation_nonholonomic import appell_hamel, knife_edge, sleigh
from test_validation_smooth import DUFFING_START, andrews, duffing

import gauss_opt as go

G = 9.81


# --- IVP test set -----------------------------------------------------------------------------


def test_andrews_mechanism_ends_where_published():
    q0 = [
        -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
        0.222668390165885884674473185609, 0.487364979543842550225598953530,
        -0.222668390165885884674473185609, 1.23054744454982119249735015568,
    ]  # fmt: skip
    q = [
        15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
        0.5244099658805304, 0.5347301163226948, 1.048080741042263,
    ]  # fmt: skip
    v = [
        1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385,
        0.5735699284790808, -19.29337464421385, 0.3231791658026955,
    ]  # fmt: skip
    result = go.simulate(andrews(), q0, np.zeros(7), (0, 0.03), rtol=1e-11)
    assert_allclose(result.q[-1], q, rtol=1e-9)
    assert_allclose(result.v[-1], v, rtol=1e-7)
    assert np.abs(result.values["loops"]).max() < 1e-12


def car_axis():
    k, length, rest, r, w = 10 * 1e-2**2 / 2, 1.0, 0.5, 0.1, 10.0

    def right_end(t):
        y = r * np.sin(w * t)
        return np.sqrt(length**2 - y**2), y

    def force(q, v, t):
        xl, yl, xr, yr = q
        xb, yb = right_end(t)
        left, right = np.hypot(xl, yl), np.hypot(xr - xb, yr - yb)
        pull_left, pull_right = (rest - left) / left, (rest - right) / right
        return np.array([
            pull_left * xl, pull_left * yl - k,
            pull_right * (xr - xb), pull_right * (yr - yb) - k,
        ])  # fmt: skip

    def axis(q, t):
        xl, yl, xr, yr = q
        xb, yb = right_end(t)
        return np.array([xl * xb + yl * yb, (xl - xr) ** 2 + (yl - yr) ** 2 - length**2])

    return go.System([k] * 4, force, [go.Holonomic("axis", axis)])


def test_car_axis_ends_where_published_with_the_published_multipliers():
    start = [0.0, 0.5, 1.0, 0.5], [-0.5, 0.0, -0.5, 0.0]
    result = go.simulate(car_axis(), *start, (0, 3), rtol=1e-11)
    q = [0.0493455784275402809, 0.496989460230171154, 1.04174252488542152, 0.373911027265361257]
    v = [
        -0.0770583684040972358, 0.00744686658723778553, 0.0175568157537232222,
        0.770341043779251976,
    ]  # fmt: skip
    force = [-0.00473688659084893325, -0.00110468033125734369]
    assert_allclose(result.q[-1], q, rtol=0, atol=1e-9)
    assert_allclose(result.v[-1], v, rtol=0, atol=1e-9)
    assert_allclose(result.multipliers["axis"][-1], force, rtol=0, atol=1e-9)
    assert np.abs(result.energy.residual).max() < 1e-9 * result.energy.kinetic.max()


# --- IFToMM benchmarks ------------------------------------------------------------------------


def test_pendulum_is_where_elliptic_functions_say_and_its_rod_carries_three_weights():
    rod = go.Holonomic("rod", lambda q, t: q @ q - 1.0)
    pendulum = go.System([1.0, 1.0], [0.0, -G], [rod], potential=lambda q, t: G * q[1])

    def bottom(q, v, t):
        return q[0]

    result = go.simulate(pendulum, [-1, 0], [0, 0], (0, 10), rtol=1e-11, events=bottom)
    published = {
        1: (0.98629175113188, -0.16501085312554),
        5: (-0.94230543504376, -0.334754338414),
        10: (-0.27508746257612, -0.96141920509913),
    }
    for t, q in published.items():
        assert_allclose(result(t).q, q, rtol=0, atol=1e-8)
    passes = [event.t for event in result.events]
    quarter = 1.854074677301372 / np.sqrt(G)
    assert_allclose(passes, quarter * np.arange(1, 2 * len(passes), 2), rtol=0, atol=1e-8)
    rows = np.isin(result.t, passes)
    total = result.constraint_force.total[rows]
    assert_allclose(total, np.tile([0.0, 3 * G], (rows.sum(), 1)), rtol=0, atol=1e-8)
    assert np.abs(result.energy.residual).max() < 1e-8


def test_two_four_bars_pass_the_flat_position():
    def joints(q, t):
        bodies = [q[3 * i : 3 * i + 3] for i in range(5)]

        def end(i, side):
            x, y, angle = bodies[i]
            return np.array([x + side * 0.5 * np.cos(angle), y + side * 0.5 * np.sin(angle)])

        pins = [end(i, -1) - np.array([float(i), 0.0]) for i in range(3)]
        left = [end(3 + i, -1) - end(i, 1) for i in range(2)]
        right = [end(3 + i, 1) - end(i + 1, 1) for i in range(2)]
        return np.concatenate(pins + left + right)

    system = go.System([1.0, 1.0, 1 / 12] * 5, [0.0, -G, 0.0] * 5, [go.Holonomic("joints", joints)])
    up = np.pi / 2
    q0 = [0, 0.5, up, 1, 0.5, up, 2, 0.5, up, 0.5, 1, 0, 1.5, 1, 0]
    v0 = [0.5, 0, -1] * 3 + [1, 0, 0] * 2
    result = go.simulate(system, q0, v0, (0, 10), rtol=1e-10)
    published = {
        1: (-0.19502030194944, -0.98079920566217),
        5: (-0.81131046100511, -0.58461554534898),
        10: (0.32845811154082, 0.9445185381786),
    }
    for t, tip in published.items():
        angle = result(t).q[2]
        assert_allclose([np.cos(angle), np.sin(angle)], tip, rtol=0, atol=1e-6)
    assert result.stats.rank_drops
    for t in result.stats.rank_drops:  # reported where the crank is nearly flat
        assert abs(np.sin(result(t).q[2])) < 0.05
    assert np.abs(result.values["joints"]).max() < 1e-9


# --- coupled Duffing oscillators; the other two weights are in test_validation_smooth ----------


def test_duffing_oscillators_meet_at_whole_seconds():
    times = np.linspace(0.0, 10.0, 201)
    result = go.simulate(duffing(), *DUFFING_START, (0, 10), rtol=1e-11)
    q, v = result(times)
    for t, position in {
        1: -0.1035607612,
        2: -0.5683615482,
        5: 2.5485403396,
        10: 0.7758174024,
    }.items():
        assert_allclose(result(t).q, position, rtol=0, atol=1e-8)
    for t, force in {0: -17.2825952122, 5: -42.2308058756}.items():
        state = result(t)
        answer = go.accelerate(duffing(), state.q, state.v, t)
        assert_allclose(answer.constraint_force, [force, -force], rtol=0, atol=1e-8)
    wanted = np.exp(-times) * np.sin(2 * np.pi * times)
    slope = np.exp(-times) * (2 * np.pi * np.cos(2 * np.pi * times)) - wanted
    assert np.abs(q[:, 0] - q[:, 1] - wanted).max() < 1e-9
    assert np.abs(v[:, 0] - v[:, 1] - slope).max() < 1e-9
    assert np.abs(result.values["coupling"]).max() < 1e-9


# --- nonholonomic, and a pendulum with reactions ------------------------------------------------


def test_knife_edge_follows_its_cycloid():
    result = go.simulate(knife_edge(), [0, 0, 0], [0, 0, 2.0], (0, 3), rtol=1e-11)
    assert_allclose(result.q[-1, :2], [0.047868520776070, 3.843243135174508], rtol=0, atol=1e-8)
    times = np.linspace(0, 3, 50)
    size, wt = G * np.sin(np.pi / 6) / 8, 2 * times
    path = np.column_stack([size * np.sin(wt) ** 2, size * (wt - np.sin(2 * wt) / 2)])
    assert_allclose(result(times)[0][:, :2], path, rtol=0, atol=1e-8)


def test_sleigh_reaches_the_published_state():
    result = go.simulate(sleigh(), [0.3, 0, 0], [0, 0.45, 1.5], (0, 4), rtol=1e-11)
    v, angle = result.v[-1], result.q[-1, 2]
    reached = [v[0] * np.cos(angle) + v[1] * np.sin(angle), v[2], angle]
    expected = [1.13112868280774, 0.285371904029706, 3.5317438008646]
    assert_allclose(reached, expected, rtol=0, atol=1e-8)


def test_appell_hamel_reaches_the_published_state():
    result = go.simulate(appell_hamel(), np.zeros(3), [0.42, 0.56, -1.0], (0, 2))
    v = [5.950469798658, 7.933959731544, -14.167785234899]
    assert_allclose(result.v[-1], v, rtol=0, atol=1e-8)
    assert result.q[-1, 2] == pytest.approx(-15.167785234899, abs=1e-8)


def test_physical_pendulum_agrees_with_adams_and_the_closed_form():
    def pin(q, t):
        return np.array([q[0] - 2 * np.cos(q[2]), q[1] - 2 * np.sin(q[2])])

    system = go.System([1.0, 1.0, 0.1], [0.0, -9.80665, 0.0], [go.Holonomic("pin", pin)])
    result = go.simulate(system, [2, 0, 0], [0, 0, 0], (0, 2), rtol=1e-11)
    assert_allclose(result(1).q[:2], [-0.8923814855, -1.7898757734], rtol=0, atol=1e-8)
    assert_allclose(result(2).q[:2], [-1.9511171688, -0.4394790026], rtol=0, atol=1e-8)
    assert_allclose(result(1).q[:2], [-0.892381, -1.78988], rtol=5e-6)
    assert_allclose(result(2).q[:2], [-1.95112, -0.439479], rtol=5e-6)
