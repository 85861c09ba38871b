"""Smooth mechanics with answers fixed by others: benchmark sets, papers, closed forms."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp

import gauss_opt as go
from gauss_opt.mechanics.acceleration import accelerate_snapshot

G = 9.81


def flow(system, q0, v0, times, **options):
    """Integrate the accelerations of a system without contacts; rows are times, (q, v)."""
    solver = go.GaussSolver("daqp")
    nq = len(q0)

    def slope(t, y):
        snapshot = go.evaluate(system, y[:nq], y[nq:], t)
        answer = accelerate_snapshot(snapshot, solver, **options)
        return np.concatenate([snapshot.qdot, answer.acceleration])

    answer = solve_ivp(
        slope, (0.0, times[-1]), [*q0, *v0], "DOP853", t_eval=times, rtol=1e-12, atol=1e-12
    )
    assert answer.success
    return answer.y[:nq].T, answer.y[nq:].T


# --- Andrews' squeezing mechanism -------------------------------------------------------------


def andrews():
    return go.find_case("andrews")().build().system


def test_andrews_mechanism_starts_with_the_published_accelerations():
    q0 = [
        -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
        0.222668390165885884674473185609, 0.487364979543842550225598953530,
        -0.222668390165885884674473185609, 1.23054744454982119249735015568,
    ]  # fmt: skip
    system = andrews()
    snapshot = go.evaluate(system, q0, np.zeros(7))
    assert_allclose(snapshot.value, 0.0, atol=1e-16)
    a = go.accelerate(system, q0, np.zeros(7)).acceleration
    # one unit of the last published digit is 1e-10
    assert_allclose(a[:2], [14222.4439199541, -10666.8329399656], rtol=0, atol=1e-10)
    assert_allclose(a[2:], 0.0, atol=1e-8)
    assert go.crosscheck(system, q0, np.zeros(7), solver_names=["daqp", "nnls"]).ok


# --- coupled Duffing oscillators --------------------------------------------------------------

DUFFING_MASS = np.diag([2.0, 1.0])
WEIGHTS = {
    "inverse mass": np.linalg.inv(DUFFING_MASS),
    "newtons alike": np.eye(2),
    "another": np.diag([0.5, 0.3]),
}
DUFFING_START = ([1.0, 1.0], [2.0 + 2.0 * np.pi, 2.0])


def duffing():
    def force(x, v, t):
        stretch, rate = x[0] - x[1], v[0] - v[1]
        first = 10.0 * stretch + stretch**3 + 0.1 * rate
        second = 12.0 * x[1] + 2.0 * x[1] ** 3 + 0.15 * v[1]
        return np.array([-first, first - second])

    def coupling(x, t):
        return x[0] - x[1] - np.exp(-t) * np.sin(2 * np.pi * t)

    return go.System([2.0, 1.0], force, [go.Holonomic("coupling", coupling)])


@pytest.mark.parametrize(
    ("weight", "expected"),
    [
        ("inverse mass", [-17.2825952122, 17.2825952122]),
        ("newtons alike", [-10.3695571273, 20.7391142546]),
    ],
)
def test_duffing_force_at_the_start_is_the_published_one(weight, expected):
    answer = go.accelerate(duffing(), *DUFFING_START, weight=WEIGHTS[weight])
    assert_allclose(answer.constraint_force, expected, rtol=0, atol=1e-10)
    assert_allclose(answer.forces["coupling"], expected, rtol=0, atol=1e-10)


def test_gauss_is_the_weight_by_the_inverse_mass():
    plain = go.accelerate(duffing(), *DUFFING_START)
    weighted = go.accelerate(duffing(), *DUFFING_START, weight=WEIGHTS["inverse mass"])
    assert_allclose(weighted.constraint_force, plain.constraint_force, rtol=1e-14)
    assert weighted.gauss == pytest.approx(plain.gauss, rel=1e-14)


@pytest.mark.parametrize(
    ("weight", "published"),
    [
        ("inverse mass", {1: -0.1035607612, 2: -0.5683615482, 5: 2.5485403396, 10: 0.7758174024}),
        ("newtons alike", {1: 1.0904482110, 5: 0.6873759582, 10: -0.7801704642}),
        ("another", {1: 2.2632055781, 5: -3.6724374931}),
    ],
)
def test_duffing_positions_are_the_published_ones(weight, published):
    times = np.array(sorted({*published, 0.5, 1.5}), dtype=float)
    x, v = flow(duffing(), *DUFFING_START, times, weight=WEIGHTS[weight])
    for t, position in published.items():
        assert_allclose(x[times == t], position, rtol=0, atol=1e-8)
    assert_allclose(x[:, 0] - x[:, 1], np.exp(-times) * np.sin(2 * np.pi * times), atol=1e-9)
    if weight == "inverse mass":
        at = int(np.flatnonzero(times == 5.0)[0])
        force = go.accelerate(duffing(), x[at], v[at], 5.0).constraint_force
        assert force[0] == pytest.approx(-42.2308058756, abs=1e-8)


# --- slider crank -----------------------------------------------------------------------------

L1, L2, M1, M2 = 0.15, 0.35, 3.0, 1.0
J1, J2 = M1 * L1**2 / 3, M2 * L2**2 / 3
CRANK_MASS = np.array([M1, M1, J1, M2, M2, J2])
CRANK_FORCE = np.array([0.0, -M1 * G, 0.0, 0.0, -M2 * G, 0.0])


def slider_crank():
    def joints(q, t):
        x1, y1, a1, x2, y2, a2 = q
        return np.array([
            x1 - L1 * np.cos(a1),
            y1 - L1 * np.sin(a1),
            (x2 - L2 * np.cos(a2)) - (x1 + L1 * np.cos(a1)),
            (y2 - L2 * np.sin(a2)) - (y1 + L1 * np.sin(a1)),
            y2 + L2 * np.sin(a2),
        ])  # fmt: skip

    return go.System(CRANK_MASS, CRANK_FORCE, [go.Holonomic("joints", joints)])


def crank_position(angle):
    """All six positions by the crank's angle, with their first and second derivatives in it."""
    s1, c1 = np.sin(angle), np.cos(angle)
    s2 = -L1 / L2 * s1
    c2 = np.sqrt(1.0 - s2**2)
    turn = -L1 * c1 / (L2 * c2)  # d a2 / d a1, from l2 cos(a2) a2' = -l1 cos(a1) a1'
    bend = (L1 * s1 + L2 * s2 * turn**2) / (L2 * c2)
    place = [L1 * c1, L1 * s1, angle, 2 * L1 * c1 + L2 * c2, L1 * s1, np.arcsin(s2)]
    first = [-L1 * s1, L1 * c1, 1.0, -2 * L1 * s1 - L2 * s2 * turn, L1 * c1, turn]
    second = [
        -L1 * c1, -L1 * s1, 0.0, -2 * L1 * c1 - L2 * c2 * turn**2 - L2 * s2 * bend, -L1 * s1, bend,
    ]  # fmt: skip
    return np.array(place), np.array(first), np.array(second)


def crank_acceleration(angle, speed):
    """One degree of freedom: I(a) a'' + 1/2 I'(a) a'^2 = Q(a)."""
    _, first, second = crank_position(angle)
    inertia = CRANK_MASS * first @ first
    return (CRANK_FORCE @ first - CRANK_MASS * first @ second * speed**2) / inertia


def pin_reactions(angle, speed):
    """Newton and Euler for each body: ground pin, crank pin on the rod, guide."""
    place, first, second = crank_position(angle)
    a = first * crank_acceleration(angle, speed) + second * speed**2
    s2, c2 = np.sin(place[5]), np.cos(place[5])
    Bx = M2 * a[3]
    total = M2 * (a[4] + G)  # By + N
    difference = (J2 * a[5] - L2 * s2 * Bx) / (L2 * c2)  # N - By
    By, N = 0.5 * (total - difference), 0.5 * (total + difference)
    return np.array([M1 * a[0] + Bx, M1 * (a[1] + G) + By, Bx, By, N])


@pytest.mark.parametrize("angle", [0.3, 1.2, np.pi / 2, 2.5, -0.8, -2.0])
@pytest.mark.parametrize("speed", [0.0, 7.0, -20.0])
def test_slider_crank_moves_and_loads_its_pins_as_one_degree_of_freedom_says(angle, speed):
    place, first, second = crank_position(angle)
    answer = go.accelerate(slider_crank(), place, first * speed)
    expected = first * crank_acceleration(angle, speed) + second * speed**2
    assert_allclose(answer.acceleration, expected, rtol=1e-8, atol=1e-8)
    reactions = pin_reactions(angle, speed)
    assert_allclose(answer.multipliers["joints"], reactions, rtol=1e-8, atol=1e-8)


def test_slider_crank_runs_like_one_degree_of_freedom():
    place, first, _ = crank_position(1.0)
    times = np.linspace(0.0, 0.5, 6)
    q, v = flow(slider_crank(), place, 4.0 * first, times)
    single = solve_ivp(
        lambda t, y: [y[1], crank_acceleration(*y)], (0.0, 0.5), [1.0, 4.0], "DOP853",
        t_eval=times, rtol=1e-12, atol=1e-12,
    )  # fmt: skip
    expected = np.array([crank_position(angle)[0] for angle in single.y[0]])
    assert_allclose(q, expected, rtol=0, atol=1e-8)
    energy = 0.5 * v**2 @ CRANK_MASS - q @ CRANK_FORCE
    assert_allclose(energy, energy[0], rtol=1e-9)
