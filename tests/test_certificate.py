"""The certificate: signs, scales, and answers that are wrong in one way each."""

import numpy as np
import pytest

from gauss_opt import GaussProblem, certify, solve
from gauss_opt.qp.certificate import Certificate, verify_farkas
from gauss_opt.qp.whitening import LeastDistance, whiten

TOLERANCE = 1e-9


def on_the_floor(mass=2.0):
    """A body under its weight on a floor: x >= 0, and the floor pushes with m g."""
    return GaussProblem.create([mass], load=[-9.81 * mass], Ai=[[1.0]], bi=[0.0])


def failing(problem, x, multipliers):
    certificate = certify(problem, np.array(x), np.array(multipliers))
    return {name for name, value in certificate._asdict().items() if not value <= TOLERANCE}


def test_the_force_on_the_system_is_plus_A_transposed_times_the_multipliers():
    problem = GaussProblem.create([2.0, 1.0], load=[0, 0], Ae=[[1, 1]], be=[3], Ai=[[0, 1]], bi=[5])
    solution = solve(problem, "daqp")
    force = problem.rows.T @ solution.row_multipliers
    assert np.allclose(problem.metric @ solution.x - problem.load, force)
    assert solution.inequality_multipliers[0] > 0


def test_the_floor_pushes_with_the_weight():
    assert failing(on_the_floor(), [0.0], [19.62]) == set()


def test_a_force_that_is_too_small_is_not_stationary():
    assert failing(on_the_floor(), [0.0], [19.61]) == {"stationarity"}


def test_the_opposite_sign_convention_fails():
    assert {"stationarity", "dual"} <= failing(on_the_floor(), [0.0], [-19.62])


def test_a_body_below_the_floor_violates_the_inequality():
    assert "inequality" in failing(on_the_floor(), [-1.0], [17.62])


def test_a_floor_that_pulls_is_a_negative_multiplier():
    thrown = GaussProblem.create([2.0], load=[10.0], Ai=[[1.0]], bi=[0.0])
    assert failing(thrown, [0.0], [-10.0]) == {"dual"}


def test_a_force_at_a_distance_breaks_complementarity():
    assert failing(on_the_floor(), [1.0], [21.62]) == {"complementarity"}


def test_a_broken_rod_violates_the_equality():
    rod = GaussProblem.create([1, 1], load=[0, 0], Ae=[[1, -1]], be=[1])
    assert failing(rod, [0.4, -0.4], [0.4]) == {"equality"}


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", ["x", "multipliers"])
def test_a_number_that_is_not_finite_never_passes(bad, place):
    problem = GaussProblem.create([1, 1], load=[1, 1], Ae=[[1, 0]], be=[0], Ai=np.eye(2), bi=[0, 0])
    pieces = {"x": np.array([0.0, 1.0]), "multipliers": np.array([-1.0, 0.0, 0.0])}
    assert certify(problem, **pieces).passes(TOLERANCE)
    for i in range(len(pieces[place])):
        wrong = {**pieces, place: pieces[place].copy()}
        wrong[place][i] = bad
        with np.errstate(invalid="ignore"):
            assert not certify(problem, **wrong).passes(TOLERANCE)


def test_the_worst_of_a_certificate_with_a_nan_is_nan():
    assert np.isnan(Certificate(0.0, np.nan, 1.0, 0.0, 0.0).worst)
    assert Certificate(0.0, 0.5, 1.0, 0.0, 0.0).worst == 1.0


@pytest.mark.parametrize("mass", [1e-12, 1.0, 1e12])
@pytest.mark.parametrize("error", [1e-11, 1e-7])
def test_a_mass_of_1e12_passes_or_fails_like_a_mass_of_1e_minus_12(mass, error):
    force = 9.81 * mass
    certificate = certify(on_the_floor(mass), np.zeros(1), np.array([force * (1 + error)]))
    assert certificate.passes(TOLERANCE) == (error < TOLERANCE)


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_of_length_time_and_rows_do_not_matter(unit):
    x, multipliers = np.array([0.3, -0.2]), np.array([0.5, 0.1])
    pieces = {"load": np.array([1.0, -2.0]), "Ae": np.array([[1.0, 2.0]]), "be": np.array([0.3])}
    contact = {"Ai": np.array([[2.0, -1.0]]), "bi": np.array([0.1])}
    plain = certify(GaussProblem.create([1, 3], **pieces, **contact), x, multipliers)
    scaled = certify(
        GaussProblem.create(
            [1, 3],
            load=unit * pieces["load"],
            Ae=pieces["Ae"] / unit,
            be=pieces["be"],
            Ai=contact["Ai"],
            bi=unit * contact["bi"],
        ),
        unit * x,
        multipliers * [unit**2, unit],
    )
    assert np.allclose(plain, scaled, rtol=1e-10)


def test_a_light_body_is_not_judged_by_the_forces_on_a_heavy_one():
    problem = GaussProblem.create(
        [1e8, 1e-6], load=[-9.81e8, -9.81e-6], Ai=np.eye(2), bi=[0.0, 0.0]
    )
    assert certify(problem, np.zeros(2), -problem.load).passes(TOLERANCE)
    fallen = certify(problem, np.array([0.0, -9.81]), np.array([9.81e8, 0.0]))
    assert not fallen.passes(TOLERANCE)
    sunk = certify(problem, np.array([0.0, -0.1]), np.array([9.81e8, 9.71e-6]))
    assert not sunk.passes(TOLERANCE)


def test_huge_forces_of_nearly_opposite_contacts_do_not_hide_one_that_pulls():
    # The first two rows pinch the second coordinate with forces of 1e10; the third coordinate
    # is free to stay at 0, but held at -1 by a row that pulls.
    pinch = 1e-10
    problem = GaussProblem.create(
        [1, 1, 1],
        target=[0, 0, 0],
        Ai=[[1, 0, 0], [-1, pinch, 0], [0, 0, 1]],
        bi=[0, pinch, -1],
    )
    wrong = certify(problem, np.array([0.0, 1.0, -1.0]), np.array([1 / pinch, 1 / pinch, -1.0]))
    assert not wrong.passes(TOLERANCE)
    right = certify(problem, np.array([0.0, 1.0, 0.0]), np.array([1 / pinch, 1 / pinch, 0.0]))
    assert right.passes(TOLERANCE)


def test_a_problem_without_rows_is_certified_by_its_gradient():
    problem = GaussProblem.create([2.0], load=[4.0])
    assert failing(problem, [2.0], []) == set()
    assert failing(problem, [2.1], []) == {"stationarity"}


def contradiction(gap=1.0):
    return LeastDistance(np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([gap, 0.0]), 0)


def test_multipliers_that_prove_a_contradiction_are_verified():
    certificate = verify_farkas(contradiction(), np.array([2.0, 2.0]))
    assert certificate is not None
    assert certificate.multipliers @ contradiction().rhs == pytest.approx(1)


@pytest.mark.parametrize(
    "y", [[1.0, 0.0], [1.0, 0.5], [-1.0, -1.0], [0.0, 0.0], [np.nan, 1.0], [np.inf, np.inf]]
)
def test_multipliers_that_prove_nothing_are_not(y):
    assert verify_farkas(contradiction(), np.array(y)) is None


def test_nearly_opposite_rows_that_meet_far_away_are_not_called_contradictory():
    rows = np.array([[1.0, 1e-10], [-1.0, 1e-10]])
    assert verify_farkas(LeastDistance(rows, np.array([1.0, 1.0]), 0), np.ones(2)) is None


def test_round_off_of_the_right_hand_sides_proves_nothing():
    # Twice the same row; b - A x^ differs by the round-off of A x^.
    problem = GaussProblem.create(
        [1, 1], target=[1e6 / 3, 0.1], Ae=[[3, 1], [0.9, 0.3]], be=[1e6 + 0.1, 0.3 * (1e6 + 0.1)]
    )
    unit = whiten(problem).normalised()
    for y in (np.array([1.0, -1.0]), np.array([-1.0, 1.0])):
        assert verify_farkas(unit, y) is None
