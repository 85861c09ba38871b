"""Gaps that touch zero without changing sign are refused, with what to write instead."""

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.results.dense_output import Piece
from gauss_opt.simulation.event_driven.guards.happening import Happening, HappeningKind
from gauss_opt.simulation.event_driven.guards.regular import require_regular

AT_ONCE = {
    "abs": lambda q, t: np.abs(q[0]),
    "square": lambda q, t: q[0] ** 2,
    "root of square": lambda q, t: np.sqrt(q[0] ** 2),
    "distance": lambda q, t: np.hypot(q[0], q[1]),
    "fourth power": lambda q, t: q[0] ** 4,
    "sum of squares": lambda q, t: q[0] ** 2 + 3.0 * q[0] ** 2,
    "scaled abs": lambda q, t: 2.0 * np.abs(q[0]),
    "shifted abs": lambda q, t: np.abs(q[0] - 0.3),
}
AT_CONTACT = {
    "maximum": lambda q, t: np.maximum(q[0], -q[0]),
    "difference of squares": lambda q, t: (q[0] + 1.0) ** 2 - 1.0 - 2.0 * q[0],
    "abs less nothing": lambda q, t: np.abs(q[0]) - 0.0 * q[1] - (q[1] - q[1] * 1.0),
    "chosen": lambda q, t: np.where(q[0] > 0.0, q[0], -q[0]),
    "cube": lambda q, t: q[0] ** 3,
}


@pytest.mark.parametrize("name", AT_ONCE)
def test_a_gap_that_can_never_be_negative_is_refused_at_once(name):
    with pytest.raises(go.ModelError, match="can never be negative: write a gap that becomes"):
        go.System([1.0, 1.0], [0.0, 0.0], contacts=[go.Contact("wall", AT_ONCE[name])])


@pytest.mark.parametrize("start", [1.0, 0.37])
@pytest.mark.parametrize("name", AT_CONTACT)
def test_a_gap_with_a_kink_or_without_gradient_is_refused_at_contact(name, start):
    wall = go.Contact("wall", AT_CONTACT[name], restitution=0.5)

    def run():
        system = go.System([1.0, 1.0], [0.0, 0.0], contacts=[wall])
        return go.simulate(system, [start, 0.0], [-1.0, 0.1], (0.0, 2.0))

    with pytest.raises(go.GaussError, match="wall"):
        run()


@pytest.mark.parametrize("gap", [
    lambda q, t: q[0],
    lambda q, t: np.abs(q[0]) + 0.5,  # never reached: harmless
    lambda q, t: np.hypot(q[0], q[1]) - 0.2,
    lambda q, t: q[0] ** 2 + q[1] ** 2 - 0.04,
    lambda q, t: 0.5 - np.abs(q[1]),  # a strip that a body may not leave
])  # fmt: skip
def test_gaps_with_two_sides_are_not(gap):
    system = go.System([1.0, 1.0], [0.0, 0.0], contacts=[go.Contact("it", gap, 1.0)])
    assert go.simulate(system, [1.0, 0.1], [-1.0, 0.02], (0.0, 2.0)).success


@pytest.mark.parametrize("seed", range(3))
def test_rates_of_round_off_are_no_kink(seed):
    """Bodies move together, and the rate of the gap between them is what their rates cancel to."""
    touch = go.Contact("touch", lambda q, t: q[1] - 3.0 * q[0])
    pair = go.System([1.0, 1.0], contacts=[touch])
    stepper = go.start(pair, [0.1, 0.4], [1.0, 3.0], (0.0, 1.0))
    present = stepper.present
    rng = np.random.default_rng(seed)
    half = rng.normal(size=(8, 2))
    one, three = half, 3.0 * half
    piece = Piece(0.0, 0.1, np.column_stack([one[:, 0], three[:, 0], one[:, 1], three[:, 1]]))
    turned = 0
    for t in rng.uniform(1e-3, 0.099, 300).tolist():
        found = Happening(t, HappeningKind.CONTACT, np.array([0]))
        require_regular(present.context, present.state, piece, found)
        rates = [present.context.gap_and_rate(0, s, piece(s))[1] for s in (t - 1e-10, t + 1e-10)]
        turned += rates[0] < 0.0 < rates[1]
    assert turned > 5
