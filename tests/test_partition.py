"""A step cut into parts on which it is certain what a gap does."""

from itertools import pairwise

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.base.chebyshev import nodes
from gauss_opt.model.enclosure.partition import Wanted, partition
from gauss_opt.model.enclosure.way import Way

NONE = np.zeros(0)


def flight(duration=1.0, speed=1.0, height=1.0):
    """A point in free fall over one step: x = speed t, y = height - g t^2 / 2."""
    t = duration * nodes(8)
    values = np.stack([speed * t, height - 4.905 * t**2, 0 * t + speed, -9.81 * t], axis=1)
    return Way(0.0, duration, values, 2)


def gap_row(gap):
    system = go.System([1.0, 1.0], [0.0, -9.81], contacts=[go.Contact("it", gap)])
    return system.dynamics(2).enclosures.row(0)


def bump(center, width, height):
    return lambda q, t: q[1] - height * np.exp(-(((q[0] - center) / width) ** 2))


def signs_between(row, way, found, gap):
    """Whether, on every part, the gap changes sign at most as its ends and bends say."""
    for begin, end in pairwise(found.edges):
        t = np.linspace(begin, end, 400)
        y = [way.at(way.of(np.arange(4)), s) for s in t]
        values = np.array([gap(state[:2], s) for state, s in zip(y, t, strict=True)])
        changes = np.count_nonzero(np.diff(np.sign(values)))
        assert changes <= 2
        if changes == 2:  # a dip and back: the part must be convex, and its ends must show it
            slopes = np.diff(values)
            assert slopes[0] < 0.0 < slopes[-1]


@pytest.mark.parametrize("width", [1.0, 0.1, 1e-2, 1e-3, 1e-5])
@pytest.mark.parametrize("seed", range(4))
def test_no_bump_is_too_narrow(width, seed):
    rng = np.random.default_rng(seed)
    center = rng.uniform(0.1, 0.4)
    way = flight(0.4)
    clear = 1.0 - 4.905 * center**2  # height of the flight above the middle of the bump
    for height, hit in ((0.9 * clear, False), (1.001 * clear, True)):
        gap = bump(center, width, height)
        row = gap_row(gap)
        found = partition(row, way, NONE, Wanted(noise=1e-15))
        assert found.proved
        assert found.may_vanish or not hit
        assert found.edges[0] == 0.0
        assert found.edges[-1] == way.t1
        assert found.edges == sorted(found.edges)
        signs_between(row, way, found, gap)
        if hit:
            values = row.values_on(way)
            gaps = [row.value_and_rate(way.at(values, t), t, NONE) for t in found.edges]
            # Some part begins above on the way down, and ends below or on the way up.
            assert any(
                a[0] > 0.0 and a[1] < 0.0 and (b[0] < 0.0 or b[1] > 0.0) for a, b in pairwise(gaps)
            )


def test_what_is_far_away_is_settled_at_once():
    row = gap_row(lambda q, t: q[1] + 10.0)
    found = partition(row, flight(), NONE, Wanted())
    assert (found.cells, found.may_vanish, found.proved) == (1, False, True)
    assert found.edges == [0.0, 1.0]


def test_a_monotone_gap_needs_no_cut():
    row = gap_row(lambda q, t: q[1])
    found = partition(row, flight(), NONE, Wanted())
    assert (found.cells, found.may_vanish) == (1, True)


def test_nothing_behind_what_is_asked_for_is_looked_at():
    row = gap_row(lambda q, t: np.sin(200.0 * q[0]) + 0.5)
    every = partition(row, flight(), NONE, Wanted())
    early = partition(row, flight(), NONE, Wanted(until=0.05))
    first = partition(row, flight(), NONE, Wanted(first_only=True))
    assert every.proved
    assert early.cells < every.cells
    assert first.cells < every.cells
    assert early.edges[-1] < 0.2
    assert first.edges[-1] < 0.1


def test_a_gap_that_stays_zero_is_settled_by_its_size():
    t = nodes(8)
    values = np.stack([t, 1.0 + t, 0 * t + 1.0, 0 * t + 1.0], axis=1)
    row = gap_row(lambda q, t: q[1] - q[0] - 1.0)
    found = partition(row, Way(0.0, 1.0, values, 2), NONE, Wanted(noise=2e-15))
    assert found.proved
    assert found.cells == 1


def test_what_is_not_settled_within_the_limit_is_counted(monkeypatch):
    monkeypatch.setattr("gauss_opt.model.enclosure.partition.MAX_CELLS", 20)
    row = gap_row(lambda q, t: np.sin(200.0 * q[0]) + 0.5)
    found = partition(row, flight(), NONE, Wanted())
    assert found.unsettled > 0
    assert not found.proved
    assert found.edges[-1] == 1.0


@pytest.mark.parametrize(("gap", "may"), [
    (lambda q, t: np.abs(q[0] - 0.5) + 0.01, False),
    (lambda q, t: np.maximum(q[1], q[0]) - 0.5, True),
    (lambda q, t: np.where(q[0] > 0.5, 1.0, 0.1) + 0.3 * q[1], False),
])  # fmt: skip
def test_kinks_and_jumps_are_enclosed_without_second_derivatives(gap, may):
    found = partition(gap_row(gap), flight(0.4), NONE, Wanted(noise=1e-15))
    assert found.proved
    assert found.may_vanish == may


def test_contacts_of_one_form_share_what_is_compiled():
    def apart(i, j):
        return lambda q, t: np.hypot(q[2 * j] - q[2 * i], q[2 * j + 1] - q[2 * i + 1]) - 0.2

    contacts = [go.Contact(f"{i}{j}", apart(i, j)) for i, j in ((0, 1), (0, 2), (1, 2))]
    system = go.System(np.ones(6), np.zeros(6), contacts=contacts)
    rows = [system.dynamics(6).enclosures.row(i) for i in range(3)]
    assert rows[0]._template is rows[1]._template is rows[2]._template
    rng = np.random.default_rng(0)
    values = rng.normal(size=(8, 12))
    for row, (i, j) in zip(rows, ((0, 1), (0, 2), (1, 2)), strict=True):
        way = Way(0.0, 1.0, values, 6)
        y = way.at(row.values_on(way), 0.3)
        q = way.at(values, 0.3)[:6]
        assert row.value_and_rate(y, 0.3, NONE)[0] == pytest.approx(apart(i, j)(q, 0.3), rel=1e-13)
