"""Pieces of dense output: a polynomial kept as its values at Chebyshev points."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from gauss_opt.base.chebyshev import differentiation_matrix, nodes
from gauss_opt.results.dense_output import Piece

SIZES = [2, 3, 8, 13]


def random_piece(k, seed, n=3, degree=None):
    """A piece of k values, the polynomials it was made from, and their derivatives."""
    rng = np.random.default_rng(seed)
    t0, span = rng.normal(scale=3.0), 10.0 ** rng.uniform(-3, 3)
    degree = k - 1 if degree is None else degree
    exact = [
        np.polynomial.Chebyshev(rng.normal(size=degree + 1), domain=[t0, t0 + span])
        for _ in range(n)
    ]
    at = lambda t: np.array([p(t) for p in exact]).T  # noqa: E731
    slope = lambda t: np.array([p.deriv()(t) for p in exact]).T  # noqa: E731
    return Piece(t0, t0 + span, at(t0 + span * nodes(k)), (2, 5)), at, slope


# Nodes


@pytest.mark.parametrize("k", SIZES)
def test_nodes_ascend_from_0_to_1_and_are_symmetric(k):
    x = nodes(k)
    assert x.shape == (k,)
    assert (x[0], x[-1]) == (0.0, 1.0)
    assert (np.diff(x) > 0).all()
    assert_allclose(x + x[::-1], 1.0, rtol=1e-15)
    assert_allclose(x, np.sin(0.5 * np.pi * np.arange(k) / (k - 1)) ** 2, atol=1e-16)


@pytest.mark.parametrize("k", SIZES)
def test_the_differentiation_matrix_is_exact_for_polynomials(k):
    x, D = nodes(k), differentiation_matrix(k)
    assert_allclose(D.sum(axis=1), 0.0, atol=1e-13 * k**2)
    for power in range(1, k):
        assert_allclose(D @ x**power, power * x ** (power - 1), atol=1e-13 * k**2)


# Values


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", SIZES)
def test_a_polynomial_of_full_degree_is_kept_exactly(k, seed):
    piece, exact, _ = random_piece(k, seed)
    times = np.random.default_rng(seed).uniform(piece.t0, piece.t1, 50)
    size = np.abs(piece.values).max()
    rounding = 1e-14 * size * (1 + abs(piece.t0) / (piece.t1 - piece.t0)) * k
    assert_allclose(piece.many(times), exact(times), rtol=0, atol=rounding)


@pytest.mark.parametrize("k", SIZES)
def test_values_at_the_points_are_the_stored_ones_to_the_bit(k):
    piece, _, _ = random_piece(k, 1)
    assert_array_equal(piece(piece.t0), piece.values[0])
    assert_array_equal(piece(piece.t1), piece.values[-1])
    assert (piece.times[0], piece.times[-1]) == (piece.t0, piece.t1)
    assert_allclose(piece.many(piece.times), piece.values, rtol=1e-9, atol=1e-12)
    assert_array_equal(piece.many(np.array([piece.t0, piece.t1])), piece.values[[0, -1]])


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 13), st.integers(0, 10**6), st.lists(st.floats(0, 1), max_size=6))
def test_many_times_at_once_are_the_times_one_by_one(k, seed, shares):
    piece, _, _ = random_piece(k, seed)
    times = piece.t0 + (piece.t1 - piece.t0) * np.array(shares)
    one_by_one = np.array([piece(t) for t in times.tolist()]).reshape(len(times), 3)
    size = np.abs(piece.values).max()
    assert_allclose(piece.many(times), one_by_one, rtol=1e-13, atol=1e-13 * size)


def test_a_value_handed_out_can_be_changed_without_changing_the_piece():
    piece, _, _ = random_piece(8, 0)
    kept = piece.values.copy()
    piece(piece.t0)[:] = 7.0
    piece(piece.t1)[:] = 7.0
    piece.many(np.array([piece.t0]))[:] = 7.0
    assert_array_equal(piece.values, kept)


# Parts


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(SIZES), st.integers(0, 10**6), st.floats(0.01, 1.0))
def test_the_part_until_a_time_is_the_same_polynomial(k, seed, share):
    piece, _, _ = random_piece(k, seed)
    t = piece.t0 + share * (piece.t1 - piece.t0)
    part = piece.until(t)
    assert (part.t0, part.t1, part.held) == (piece.t0, t, piece.held)
    assert_array_equal(part.values[0], piece.values[0])
    times = np.linspace(piece.t0, t, 23)
    rounding = 1e-13 * np.abs(piece.values).max() * (1 + abs(piece.t0) / (t - piece.t0)) * k
    assert_allclose(part.many(times), piece.many(times), rtol=0, atol=rounding)


def test_the_part_until_the_end_is_the_whole():
    piece, _, _ = random_piece(8, 3)
    whole = piece.until(piece.t1)
    assert_array_equal(whole.values[-1], piece.values[-1])
    rounding = 1e-13 * np.abs(piece.values).max() * (1 + abs(piece.t0) / (piece.t1 - piece.t0))
    assert_allclose(whole.values, piece.values, rtol=0, atol=rounding)


@pytest.mark.parametrize("seed", range(5))
def test_a_part_of_a_part_is_a_part(seed):
    piece, _, _ = random_piece(8, seed)
    middle, early = piece.t0 + np.array([0.7, 0.3]) * (piece.t1 - piece.t0)
    twice, once = piece.until(float(middle)).until(float(early)), piece.until(float(early))
    rounding = 1e-13 * np.abs(piece.values).max() * (1 + abs(piece.t0) / (piece.t1 - piece.t0))
    assert_allclose(twice.values, once.values, rtol=0, atol=10 * rounding)


@pytest.mark.parametrize("k", SIZES)
def test_halving_keeps_the_points_and_adds_those_half_way(k):
    piece, _, _ = random_piece(k, 4)
    times, values = piece.halved()
    assert times.shape == (2 * k - 1,)
    assert (times[0], times[-1]) == (piece.t0, piece.t1)
    assert (np.diff(times) > 0).all()
    assert_allclose(times[::2], piece.times, rtol=1e-15)
    assert_allclose(times[1::2], 0.5 * (piece.times[:-1] + piece.times[1:]), rtol=1e-14)
    assert_allclose(values[::2], piece.values, rtol=1e-14, atol=1e-14)
    rounding = 1e-13 * np.abs(values).max() * (1 + abs(piece.t0) / (piece.t1 - piece.t0)) * k
    assert_allclose(values, piece.many(times), rtol=0, atol=rounding)


# Slopes


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("k", SIZES)
def test_the_slope_at_the_end_is_the_derivative(k, seed):
    piece, _, slope = random_piece(k, seed)
    span = piece.t1 - piece.t0
    size = np.abs(piece.values).max() / span * k**2
    rounding = 1e-14 * size * k * (1 + abs(piece.t0) / span)
    assert_allclose(piece.end_slope(), slope(piece.t1), rtol=0, atol=rounding)


def test_a_constant_has_no_slope_and_keeps_its_value():
    piece = Piece(1.0, 3.0, np.full((8, 2), 0.1))
    assert_allclose(piece.end_slope(), 0.0, atol=1e-14)
    assert_allclose(piece.many(np.linspace(1, 3, 17)), 0.1, rtol=1e-15)


@pytest.mark.parametrize(("t0", "span"), [(1e9, 1e-6), (0.0, 1e-300), (-1e-12, 2e-12)])
def test_a_very_short_or_late_step_is_no_special_case(t0, span):
    t1 = t0 + span
    piece = Piece(t0, t1, np.linspace(1.0, 2.0, 8)[:, None] * np.ones(2))
    assert_array_equal(piece(t0), piece.values[0])
    assert_array_equal(piece(t1), piece.values[-1])
    middle = piece(t0 + 0.5 * (t1 - t0))
    assert ((middle > 1.0) & (middle < 2.0)).all()


def test_a_step_of_no_length_has_the_value_it_starts_from():
    piece = Piece(2.0, 2.0, np.arange(8.0)[:, None])
    assert piece(2.0) == [0.0]
    assert_array_equal(piece.times, 2.0)


def test_a_step_of_no_length_has_that_value_for_many_times_too():
    piece = Piece(2.0, 2.0, np.arange(8.0)[:, None])
    assert_array_equal(piece.many(np.array([2.0, 2.0])), [[0.0], [0.0]])


def test_a_time_next_to_nothing_after_the_start_has_the_value_of_the_start():
    piece = Piece(0.0, 1.0, np.linspace(1.0, 2.0, 8)[:, None])
    assert piece(1e-310) == [1.0]
    assert piece.many(np.array([1e-310])) == [[1.0]]
