"""Series of impacts as the search for accumulations sees them: words, noise, false friends."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from gauss_opt.simulation.event_driven.accumulation import Bounce, detect

LOW = 1e-9


def found(series, tolerance=1e-10, height=LOW, round_off=1e-15):
    return detect(series, time_tolerance=tolerance, height=height, round_off=round_off)


def word_series(word, ratio, cycles, limit=2.0, noise=0.0, seed=0, first=0.5):
    """Cycles of a word, each as long as the one before times the ratio; the limit of the times."""
    rng = np.random.default_rng(seed)
    shares = np.sort(rng.uniform(0.0, 1.0, len(word)))
    series = []
    for n in range(cycles):
        left = first * ratio**n
        for share, letter in zip(shares, word, strict=True):
            t = limit - left * (1.0 - share * (1.0 - ratio))
            t += noise * rng.uniform(-1, 1)
            series.append(Bounce(t, frozenset(letter), left**2))
    return series


WORDS = {1: [{0}], 2: [{0}, {1}], 3: [{0}, {1}, {0, 2}], 4: [{0}, {1}, {0}, {2}]}


@pytest.mark.parametrize("ratio", [0.04, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("period", WORDS)
def test_the_limit_of_a_word_is_found(period, ratio):
    cycles = max(5, int(np.ceil(np.log(1e-5) / np.log(ratio))) + 3)
    found_at = found(word_series(WORDS[period], ratio, cycles), height=1e-6)
    assert found_at.exact
    assert_allclose(found_at.t, 2.0, rtol=1e-10)
    assert found_at.contacts == frozenset().union(*WORDS[period])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("noise", [1e-16, 1e-14, 1e-12])
def test_noise_in_the_times_is_noise_in_the_limit(noise, seed):
    series = word_series(WORDS[2], 0.5, 18, noise=noise, seed=seed)
    limit = found(series, tolerance=1e-9, height=1e-6)
    assert abs(limit.t - 2.0) <= 30 * noise + 1e-15


@settings(max_examples=100, deadline=None)
@given(st.floats(0.05, 0.9), st.floats(-100, 100), st.integers(1, 4))
def test_a_limit_is_never_before_the_last_impact(ratio, limit, period):
    series = word_series(WORDS[period], ratio, 40, limit=limit)
    times = [bounce.t for bounce in series]
    if all(a < b for a, b in pairwise(times)):
        at = found(series, tolerance=1e-9)
        assert at is None or at.t >= times[-1]


def test_a_series_is_told_only_when_it_is_low_enough():
    series = word_series(WORDS[1], 0.5, 30)
    for n in range(1, 30):
        told = found(series[:n], height=1e-6) is not None
        assert told == (n > 4 and series[n - 1].height <= 1e-6)


def test_too_few_impacts_say_nothing():
    for period, word in WORDS.items():
        series = word_series(word, 0.1, 4, first=1e-4)
        assert found(series[: 3 * period]) is None


@pytest.mark.parametrize("power", [1, 2])
def test_intervals_that_shrink_but_not_geometrically_have_no_exact_limit(power):
    """Harmonic sums diverge; sums of inverse squares converge, but not like this."""
    times = np.cumsum(1.0 / np.arange(1, 300) ** power)
    series = [Bounce(float(t), frozenset({0}), 1e-10) for t in times]
    assert found(series) is None


def test_steady_growing_and_random_rhythms_have_no_limit():
    rng = np.random.default_rng(0)
    for gaps in (np.ones(100), 1.1 ** np.arange(100), rng.uniform(0.1, 1.0, 100)):
        series = [Bounce(float(t), frozenset({0}), 1e-10) for t in np.cumsum(gaps)]
        assert found(series) is None


def test_a_series_without_a_word_is_left_alone():
    series = [Bounce(2 - 0.5**k, frozenset({k}), 1e-10) for k in range(40)]
    assert found(series) is None
    series = [Bounce(2 - 0.5**k, frozenset({k % 7}), 1e-10) for k in range(40)]
    assert found(series) is None


def test_a_word_of_five_letters_is_beyond_the_search():
    assert found(word_series([{i} for i in range(5)], 0.5, 30), height=1e-6) is None


def test_a_contact_that_was_struck_in_between_starts_the_series_anew():
    series = word_series(WORDS[1], 0.5, 20)
    series[-2] = Bounce(series[-2].t, frozenset({0, 1}), series[-2].height)
    assert found(series, height=1e-4) is None


def test_what_was_before_the_series_does_not_matter():
    rng = np.random.default_rng(2)
    early = [
        Bounce(float(t), frozenset({int(rng.integers(3))}), 1.0)
        for t in np.sort(rng.uniform(-5, 0, 50))
    ]
    series = word_series(WORDS[2], 0.4, 20)
    alone, after = found(series, height=1e-6), found(early + series, height=1e-6)
    assert_allclose(after.t, alone.t, rtol=1e-12)
    assert after.contacts == alone.contacts


def test_round_off_closes_a_series_at_its_last_impact():
    """The same float again and again: there is nothing to extrapolate."""
    series = [Bounce(1.0, frozenset({3}), 0.0) for _ in range(5)]
    at = found(series)
    assert at == (1.0, frozenset({3}), False)
