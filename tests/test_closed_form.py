"""Closed forms and oracles of Gauss's problem, against mechanics and against each other."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from gauss_opt.reference.closed_form import (
    impact_velocity,
    kkt,
    udwadia_kalaba,
    udwadia_phohomsiri,
    weighted_force,
)
from gauss_opt.reference.oracles import enumerate_active_sets, lcp

GRAVITY = 9.81
ORACLES = [enumerate_active_sets, lcp]
seeds = st.integers(0, 2**32 - 1)


def mass_norm(M, x):
    return np.sqrt(x @ M @ x)


def close(M, x, y, tolerance=1e-10):
    return mass_norm(M, x - y) <= tolerance * (mass_norm(M, x) + mass_norm(M, y))


def all_accelerations(M, Q, A, b):
    return {
        "udwadia_kalaba": udwadia_kalaba(M, Q, A, b).acceleration,
        "udwadia_phohomsiri": udwadia_phohomsiri(M, Q, A, b),
        "kkt": kkt(M, Q, A, b)[0],
        "weighted_force": weighted_force(M, Q, A, b, np.linalg.inv(M)).acceleration,
        "enumeration": enumerate_active_sets(M, Q, A, b, [], []).x,
        "lcp": lcp(M, Q, A, b, [], []).x,
    }


def random_equalities(rng, n=None):
    n = n or int(rng.integers(2, 7))
    k = int(rng.integers(1, n))
    root = rng.normal(size=(n, n))
    return (
        root @ root.T + np.eye(n),
        rng.normal(size=n),
        rng.normal(size=(k, n)),
        rng.normal(size=k),
    )


def exact_kkt(M, p, A, b):
    """Solve the multiplier system in rational arithmetic; floats are rationals."""
    n, k = len(p), len(b)
    system = np.block([[np.asarray(M), -np.transpose(A), np.reshape(p, (n, 1))]])
    system = np.vstack([system, np.column_stack([A, np.zeros((k, k)), b])])
    table = [[Fraction(float(entry)) for entry in line] for line in system]
    for c in range(n + k):
        pivot = next(i for i in range(c, n + k) if table[i][c])
        table[c], table[pivot] = table[pivot], table[c]
        for i in range(n + k):
            if i != c and table[i][c]:
                factor = table[i][c] / table[c][c]
                table[i] = [u - factor * v for u, v in zip(table[i], table[c], strict=True)]
    return np.array([float(table[i][-1] / table[i][i]) for i in range(n)])


def check_optimality(M, p, Ae, be, Ai, bi, s, tolerance=1e-8):
    """The conditions of Karush, Kuhn and Tucker, which prove a minimiser by themselves."""
    coordinate = np.sqrt(np.diag(M))
    size = np.linalg.norm(p / coordinate) + mass_norm(M, s.x)
    stationarity = M @ s.x - p - Ae.T @ s.equality_multipliers - Ai.T @ s.inequality_multipliers
    assert np.linalg.norm(stationarity / coordinate) <= tolerance * size
    lengths = np.linalg.norm(Ai / coordinate, axis=1)
    slack = (Ai @ s.x - bi) / lengths
    load = s.inequality_multipliers * lengths
    assert_allclose(Ae @ s.x, be, atol=tolerance * size, rtol=tolerance)
    assert (slack >= -tolerance * size).all()
    assert (load >= -tolerance * size).all()
    assert abs(slack @ load) <= tolerance * size**2
    assert set(np.flatnonzero(s.inequality_multipliers)) <= set(s.active)


# Equality rows: mechanics


def test_a_particle_on_an_incline_slides_with_g_sin_of_the_slope():
    slope, m = 0.4, 3.0
    normal = np.array([-np.sin(slope), np.cos(slope)])
    weight = [0.0, -m * GRAVITY]
    expected = -GRAVITY * np.sin(slope) * np.array([np.cos(slope), np.sin(slope)])
    for name, x in all_accelerations(m * np.eye(2), weight, [normal], [0.0]).items():
        assert_allclose(x, expected, rtol=1e-13, err_msg=name)
    s = udwadia_kalaba(m * np.eye(2), weight, [normal], [0.0])
    assert_allclose(s.multipliers, [m * GRAVITY * np.cos(slope)], rtol=1e-13)
    assert_allclose(s.ideal_force, m * GRAVITY * np.cos(slope) * normal, rtol=1e-13)


def test_friction_as_a_nonideal_force_slows_the_slide_and_leaves_the_normal_force():
    slope, m, friction = 0.4, 3.0, 0.2
    normal = np.array([-np.sin(slope), np.cos(slope)])
    downhill = -np.array([np.cos(slope), np.sin(slope)])
    resistance = -friction * m * GRAVITY * np.cos(slope) * downhill
    s = udwadia_kalaba(m * np.eye(2), [0, -m * GRAVITY], [normal], [0.0], C=resistance)
    along = GRAVITY * (np.sin(slope) - friction * np.cos(slope))
    assert_allclose(s.acceleration, along * downhill, rtol=1e-13)
    assert_allclose(s.nonideal_force, resistance, rtol=1e-12)
    assert_allclose(s.multipliers, [m * GRAVITY * np.cos(slope)], rtol=1e-13)


def test_an_atwood_machine_accelerates_with_the_difference_over_the_sum_of_its_masses():
    m1, m2 = 2.0, 5.0
    expected = (m2 - m1) / (m1 + m2) * GRAVITY * np.array([1, -1])
    masses, weights = np.diag([m1, m2]), [-m1 * GRAVITY, -m2 * GRAVITY]
    for name, x in all_accelerations(masses, weights, [[1.0, 1.0]], [0.0]).items():
        assert_allclose(x, expected, rtol=1e-13, err_msg=name)
    tension = 2 * m1 * m2 / (m1 + m2) * GRAVITY
    assert_allclose(kkt(masses, weights, [[1.0, 1.0]], [0.0])[1], [tension], rtol=1e-13)


def test_a_duplicated_row_changes_no_acceleration_and_shares_its_force():
    M, Q, A, b = random_equalities(np.random.default_rng(1), n=4)
    once, doubled = udwadia_kalaba(M, Q, A, b), np.vstack([A, A])
    for name, x in all_accelerations(M, Q, doubled, np.tile(b, 2)).items():
        assert close(M, x, once.acceleration), name
    for multipliers in (
        udwadia_kalaba(M, Q, doubled, np.tile(b, 2)).multipliers,
        kkt(M, Q, doubled, np.tile(b, 2))[1],
    ):
        assert_allclose(multipliers, np.tile(once.multipliers / 2, 2), rtol=1e-10)


def test_a_row_of_zeros_is_harmless():
    for name, x in all_accelerations(np.eye(2), [1.0, 2.0], [[0, 0], [1, 0]], [0, 0]).items():
        assert_allclose(x, [0, 2], atol=1e-14, err_msg=name)


def test_without_rows_the_motion_is_free():
    for name, x in all_accelerations(np.diag([2.0, 4.0]), [2.0, 2.0], [], []).items():
        assert_allclose(x, [1.0, 0.5], rtol=1e-14, err_msg=name)


def test_two_equal_balls_exchange_velocities_in_an_elastic_impact():
    after = impact_velocity(np.eye(2), [3.0, 1.0], [[-1.0, 1.0]], [4.0])
    assert_allclose(after, [1.0, 3.0], rtol=1e-14)


def test_an_impact_of_unequal_balls_keeps_momentum_and_restitution():
    m, before, e = np.array([1e-3, 7.0]), np.array([3.0, -1.0]), 0.6
    rate = before[1] - before[0]
    after = impact_velocity(np.diag(m), before, [[-1, 1], [-1, 1]], np.full(2, -(1 + e) * rate))
    assert_allclose(m @ after, m @ before, rtol=1e-14)
    assert_allclose(after[1] - after[0], -e * rate, rtol=1e-14)


# Equality rows: identities


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_ideal_and_nonideal_accelerations_are_mass_orthogonal(seed):
    rng = np.random.default_rng(seed)
    M, Q, A, b = random_equalities(rng)
    C = rng.normal(size=len(Q))
    s = udwadia_kalaba(M, Q, A, b, C)
    product = s.ideal_force @ np.linalg.solve(M, s.nonideal_force)
    size = np.linalg.norm(s.ideal_force) * np.linalg.norm(np.linalg.solve(M, s.nonideal_force))
    assert abs(product) <= 1e-11 * (1 + size)
    assert_allclose(M @ s.acceleration, Q + s.ideal_force + s.nonideal_force, atol=1e-10)
    assert_allclose(A.T @ s.multipliers, s.ideal_force + s.nonideal_force - C, atol=1e-10)
    assert_allclose(s.ideal_force, udwadia_kalaba(M, Q, A, b).ideal_force, atol=1e-12)


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_nonideal_motion_is_ideal_motion_with_a_replaced_by_a_plus_c(seed):
    rng = np.random.default_rng(seed)
    M, Q, A, b = random_equalities(rng)
    C = rng.normal(size=len(Q))
    nonideal = udwadia_kalaba(M, Q, A, b, C)
    ideal = udwadia_kalaba(M, Q + C, A, b)
    assert close(M, nonideal.acceleration, ideal.acceleration)
    assert_allclose(nonideal.multipliers, ideal.multipliers, rtol=1e-8, atol=1e-10)


@settings(deadline=None, max_examples=60)
@given(seeds, st.sampled_from([1e-12, 1.0, 1e12]))
def test_all_closed_forms_agree_with_rational_arithmetic_in_any_unit_of_mass(seed, unit):
    M, Q, A, b = random_equalities(np.random.default_rng(seed), n=4)
    M, Q = unit * M, unit * Q
    exact = exact_kkt(M, Q, A, b)
    for name, x in all_accelerations(M, Q, A, b).items():
        assert close(M, x, exact), name


@settings(deadline=None, max_examples=60)
@given(seeds)
def test_a_mass_ratio_of_1e8_costs_less_than_half_the_digits(seed):
    rng = np.random.default_rng(seed)
    _, acceleration, A, b = random_equalities(rng, n=4)
    M = np.diag([1e-6, 1e2, *10.0 ** rng.uniform(-6, 2, 2)])
    exact = exact_kkt(M, M @ acceleration, A, b)
    for name, x in all_accelerations(M, M @ acceleration, A, b).items():
        assert close(M, x, exact, 1e-8), name


@pytest.mark.parametrize("split", [1e-3, 1e-6, 1e-9])
def test_rows_near_a_rank_drop_are_not_cut_off(split):
    A, b = np.array([[1.0, 2, 3], [1 + split, 2 - split, 3]]), np.array([1.0, 1.0 + split])
    M, Q = np.diag([1.0, 2.0, 3.0]), np.array([1.0, -1.0, 2.0])
    exact = exact_kkt(M, Q, A, b)
    for name, x in all_accelerations(M, Q, A, b).items():
        assert close(M, x, exact, 1e-14 / split), name


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_the_weight_inverse_mass_gives_udwadia_kalaba(seed):
    M, Q, A, b = random_equalities(np.random.default_rng(seed))
    s, gauss = weighted_force(M, Q, A, b, np.linalg.inv(M)), udwadia_kalaba(M, Q, A, b)
    assert close(M, s.acceleration, gauss.acceleration)
    assert_allclose(s.ideal_force, gauss.ideal_force, rtol=1e-8, atol=1e-10)
    assert_allclose(s.multipliers, gauss.multipliers, rtol=1e-8, atol=1e-10)


@settings(deadline=None, max_examples=50)
@given(seeds)
def test_a_weighted_force_is_gauss_with_the_metric_mrm(seed):
    rng = np.random.default_rng(seed)
    M, Q, A, b = random_equalities(rng, n=4)
    R = random_equalities(rng, n=4)[0]
    s = weighted_force(M, Q, A, b, R)
    metric = M @ R @ M
    other = udwadia_kalaba(metric, metric @ np.linalg.solve(M, Q), A, b)
    assert close(M, s.acceleration, other.acceleration, 1e-7)
    force = np.linalg.solve(R, np.linalg.solve(M, A.T @ s.multipliers))
    assert_allclose(s.ideal_force, force, rtol=1e-7, atol=1e-8)


# Singular mass


def test_a_massless_pulley_between_spring_and_load_moves_with_the_rope():
    M, Q, A = np.diag([0.0, 2.0]), [5.0, -20.0], [[2.0, 1.0]]
    # Virtual work: 5 d1 - (20 + 2 x2) d2 = 0 with d2 = -2 d1.
    expected = [11.25 / 2, -11.25]
    for x in (
        udwadia_phohomsiri(M, Q, A, [0.0]),
        kkt(M, Q, A, [0.0])[0],
        lcp(M, Q, A, [0.0], [], []).x,
    ):
        assert_allclose(x, expected, rtol=1e-13)


@settings(deadline=None, max_examples=50)
@given(seeds, st.sampled_from([1e-9, 1.0, 1e9]))
def test_routes_for_a_singular_mass_agree_in_any_unit_of_the_massless_coordinate(seed, unit):
    rng = np.random.default_rng(seed)
    root, A = rng.normal(size=(4, 2)), rng.normal(size=(3, 4))
    M, Q, b = root @ root.T, rng.normal(size=4), rng.normal(size=3)
    M[3], M[:, 3], A[:, 3] = 0.0, 0.0, A[:, 3] * unit
    Q[3] *= unit
    scale = np.array([1, 1, 1, unit])
    reference = kkt(M, Q, A, b)[0] * scale
    size = np.abs(reference).max()
    for x in (udwadia_phohomsiri(M, Q, A, b), lcp(M, Q, A, b, [], []).x):
        assert_allclose(x * scale, reference, atol=1e-8 * size)


@pytest.mark.parametrize("M", [np.diag([1.0, 0.0]), np.ones((2, 2))], ids=["zero", "rank one"])
def test_a_direction_without_mass_or_constraint_is_refused(M):
    with pytest.raises(ValueError, match="positive definite"):
        udwadia_kalaba(M, [1.0, 1.0], [], [])
    for route in (udwadia_phohomsiri, kkt):
        with pytest.raises(ValueError, match="full column rank"):
            route(M, [1.0, 1.0], [], [])
    for oracle in ORACLES:  # a contact alone does not hold a massless coordinate
        with pytest.raises(ValueError, match="full column rank"):
            oracle(M, [1.0, 1.0], [], [], np.eye(2), [0.0, 0.0])


@pytest.mark.parametrize("M", [np.diag([1.0, -1.0]), [[1.0, 2.0], [2.0, 1.0]], [[1, 0.5], [0, 1]]])
def test_an_indefinite_or_asymmetric_mass_is_refused(M):
    for route in (udwadia_kalaba, udwadia_phohomsiri, kkt):
        with pytest.raises(ValueError, match=r"positive|symmetric"):
            route(M, [1.0, 1.0], [[1.0, 0.0]], [0.0])


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("rows", [[[1.0, 1.0], [2.0, 2.0]], [[1.0, 0.0], [0.0, 0.0]]])
def test_contradictory_equalities_are_refused_in_any_unit(rows, unit):
    M, Q, b = unit * np.eye(2), unit * np.ones(2), [1.0, 3.0]
    for route in (udwadia_kalaba, udwadia_phohomsiri, kkt):
        with pytest.raises(ValueError, match=r"contradict|zero"):
            route(M, Q, rows, b)
    for oracle in ORACLES:
        with pytest.raises(ValueError, match=r"contradict|zero"):
            oracle(M, Q, rows, b, [[1.0, 0.0]], [0.0])
    with pytest.raises(ValueError, match=r"contradict|zero"):
        impact_velocity(M, Q, rows, b)


def test_wrong_shapes_and_numbers_are_refused():
    for A, b in (([[1.0, 0.0, 0.0]], [0.0]), ([[np.nan, 0.0]], [0.0]), ([[1.0, 0.0]], [0.0, 1.0])):
        with pytest.raises(ValueError, match="finite numbers"):
            udwadia_kalaba(np.eye(2), [0.0, 0.0], A, b)
    with pytest.raises(ValueError, match="shape of M"):
        weighted_force(np.eye(2), [0.0, 0.0], [], [], np.eye(3))


# Inequality rows


@pytest.mark.parametrize("oracle", ORACLES)
def test_a_floor_pushes_but_never_pulls(oracle):
    pressed = oracle([[2.0]], [-20.0], [], [], [[1.0]], [0.0])
    lifted = oracle([[2.0]], [20.0], [], [], [[1.0]], [0.0])
    assert_allclose([pressed.x[0], pressed.inequality_multipliers[0]], [0.0, 20.0], atol=1e-13)
    assert_allclose([lifted.x[0], lifted.inequality_multipliers[0]], [10.0, 0.0], atol=1e-13)
    assert (pressed.active, lifted.active) == ((0,), ())


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("load_at", [0.0, 0.4, 1.0])
def test_a_rigid_beam_on_three_supports_rests_with_forces_in_balance(oracle, load_at):
    """Coordinates: height and angle. Three contacts on two freedoms are redundant."""
    places = np.array([-1.0, 0.0, 1.0])
    supports = np.column_stack([np.ones(3), places])
    beam = (np.diag([3.0, 1.0]), [-30.0, -30.0 * load_at], np.zeros((0, 2)), [])
    s = oracle(*beam, supports, np.zeros(3))
    assert_allclose(s.x, 0.0, atol=1e-13)
    assert (s.inequality_multipliers >= 0).all()
    assert_allclose(s.inequality_multipliers.sum(), 30.0, rtol=1e-12)
    assert_allclose(s.inequality_multipliers @ places, 30.0 * load_at, atol=1e-12)


@pytest.mark.parametrize("oracle", ORACLES)
def test_a_beam_loaded_beyond_its_support_tips_over_it(oracle):
    supports = [[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]]
    s = oracle(np.diag([3.0, 1.0]), [-30.0, -45.0], [], [], supports, np.zeros(3))
    assert s.active == (2,)
    assert_allclose(s.x, [3.75, -3.75], rtol=1e-13)


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_inequalities_that_leave_no_point_are_refused(oracle, unit):
    M, p = unit * np.eye(2), unit * np.array([1.0, 2.0])
    with pytest.raises(ValueError):
        oracle(M, p, [], [], [[1.0, 0.0], [-1.0, 0.0]], [1.0, -0.5])
    with pytest.raises(ValueError):  # only all three together are impossible
        oracle(M, p, [], [], [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]], [0.0, 0.0, 1.0])
    with pytest.raises(ValueError):
        oracle(M, p, [[1.0, 1.0]], [0.0], [[2.0, 2.0]], [1.0])
    with pytest.raises(ValueError):
        oracle(M, p, [], [], [[0.0, 0.0]], [1.0])


@pytest.mark.parametrize("oracle", ORACLES)
def test_contacts_that_pinch_a_single_point_are_feasible_up_to_round_off(oracle):
    """0.1 + 0.2 lies above 0.3 by one unit in the last place."""
    s = oracle(np.eye(1), [5.0], [], [], [[1.0], [-1.0]], [0.1 + 0.2, -0.3])
    assert_allclose(s.x, [0.3], rtol=1e-12)


@pytest.mark.parametrize("oracle", ORACLES)
def test_a_contact_that_the_equalities_already_hold_carries_no_force(oracle):
    Ae, be, Ai, bi = (
        np.array([[1.0, 1.0]]),
        np.array([1.0]),
        np.array([[2.0, 2.0]]),
        np.array([1.0]),
    )
    s = oracle(np.eye(2), [0.0, 0.0], Ae, be, Ai, bi)
    assert_allclose(s.x, [0.5, 0.5], rtol=1e-13)
    assert s.active == ()


@pytest.mark.parametrize("oracle", ORACLES)
def test_a_massless_coordinate_held_by_an_equality_can_carry_a_contact(oracle):
    s = oracle(np.diag([1.0, 0.0]), [-4.0, 0.0], [[1.0, -1.0]], [0.0], [[0.0, 1.0]], [0.0])
    assert_allclose(s.x, 0.0, atol=1e-13)
    assert_allclose(s.inequality_multipliers, [4.0], rtol=1e-13)
    assert_allclose(s.equality_multipliers, [4.0], rtol=1e-13)


def test_too_many_rows_to_enumerate_are_refused_but_lcp_takes_them():
    n = 15
    problem = (np.eye(n), -np.arange(1.0, n + 1), [], [], np.eye(n), np.zeros(n))
    with pytest.raises(ValueError, match="max_rows"):
        enumerate_active_sets(*problem)
    s = lcp(*problem)
    assert_allclose(s.inequality_multipliers, np.arange(1.0, n + 1), rtol=1e-12)


def random_contacts(rng, *, redundant):
    n = int(rng.integers(2, 6))
    ke, ki = int(rng.integers(0, n)), int(rng.integers(1, 6))
    Ae, Ai = rng.normal(size=(ke, n)), rng.normal(size=(ki, n))
    point = rng.normal(size=n)
    be, bi = Ae @ point, Ai @ point - rng.exponential(size=ki) * rng.integers(0, 2, size=ki)
    if redundant:
        mixed = np.abs(rng.normal(size=(2, ki)))
        Ai, bi = np.vstack([Ai, mixed @ Ai]), np.concatenate([bi, mixed @ bi])
        Ae, be = np.vstack([Ae, 3 * Ae]), np.concatenate([be, 3 * be])
    return rng.normal(size=n) * 3, Ae, be, Ai, bi


@settings(deadline=None, max_examples=100)
@given(seeds, st.booleans(), st.sampled_from([1e-12, 1.0, 1e12]))
def test_lcp_enumeration_and_kkt_of_the_active_set_agree(seed, redundant, unit):
    rng = np.random.default_rng(seed)
    p, Ae, be, Ai, bi = random_contacts(rng, redundant=redundant)
    M, p = unit * random_equalities(rng, n=len(p))[0], unit * p
    tried, pivoted = (oracle(M, p, Ae, be, Ai, bi) for oracle in ORACLES)
    for s in (tried, pivoted):
        check_optimality(M, p, Ae, be, Ai, bi, s)
    active = list(pivoted.active)
    x, _ = kkt(M, p, np.vstack([Ae, Ai[active]]), np.concatenate([be, bi[active]]))
    assert close(M, tried.x, pivoted.x, 1e-9)
    assert close(M, tried.x, x, 1e-9)


@settings(deadline=None, max_examples=60)
@given(seeds, st.booleans())
@example(28500, False)  # rows nearly parallel in the mass metric: two sets within 1e-9
def test_oracles_agree_for_mass_ratios_of_1e8(seed, redundant):
    rng = np.random.default_rng(seed)
    acceleration, Ae, be, Ai, bi = random_contacts(rng, redundant=redundant)
    M = np.diag([1e-6, 1e2, *10.0 ** rng.uniform(-6, 2, len(acceleration) - 2)])
    tried, pivoted = (oracle(M, M @ acceleration, Ae, be, Ai, bi) for oracle in ORACLES)
    assert close(M, tried.x, pivoted.x, 1e-8)


@settings(deadline=None, max_examples=60)
@given(seeds)
def test_oracles_agree_on_whether_arbitrary_rows_are_feasible(seed):
    rng = np.random.default_rng(seed)
    rows, limits = rng.normal(size=(6, 2)), rng.normal(size=6)
    answers = []
    for oracle in ORACLES:
        try:
            answers.append(oracle(np.eye(2), np.zeros(2), [], [], rows, limits).x)
        except ValueError:
            answers.append(None)
    if answers[0] is None or answers[1] is None:
        assert answers[0] is answers[1]
    else:
        assert_allclose(answers[0], answers[1], rtol=1e-9, atol=1e-12)
