"""One battery for all impact laws: a new one is tested by being there."""

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.mechanics.impact_laws import LAWS

# What a law may do that the others must not: leave an approach, pull, gain energy.
MAY = {"newton-equality": {"pull", "gain energy"}}

SEEDS = range(25)
battery = pytest.mark.parametrize("name", list(LAWS))


def _wall(name, row, restitution):
    return go.Contact(name, lambda q, t: row @ q, restitution=restitution)


def _struck(seed):
    """One to four fixed walls through the origin, all struck; maybe a rod, or a wall twice."""
    rng = np.random.default_rng(seed)
    n = rng.integers(2, 6)
    k = rng.integers(1, n)
    root, v = rng.normal(size=(n, n)), rng.normal(size=n)
    rows, fixed = rng.normal(size=(k, n)), rng.normal(size=n)
    rods = []
    if seed % 2:
        v -= fixed * (fixed @ v) / (fixed @ fixed)
        rods = [go.Holonomic("rod", lambda q, t: fixed @ q)]
    rows *= -np.sign(rows @ v)[:, None]
    if seed % 3 == 0:
        rows = np.vstack([rows, 2.0 * rows[0]])
    restitution = rng.choice([0.0, 0.3, 0.8, 1.0], size=len(rows))
    if len(rows) > k:
        restitution[-1] = restitution[0]
    walls = [_wall(f"wall {i}", row, float(restitution[i])) for i, row in enumerate(rows)]
    mass = (root @ root.T + 0.1 * np.eye(n)) * 10.0 ** rng.integers(-3, 4)
    return go.System(mass, np.zeros(n), rods, walls), v


@battery
@pytest.mark.parametrize("seed", SEEDS)
def test_a_law_leaves_no_approach_pulls_nowhere_and_gains_no_energy(name, seed):
    system, v = _struck(seed)
    may = MAY.get(name, set())
    collision = go.collide(system, np.zeros(len(v)), v, law=name)
    contacts = list(collision.rates_before)
    before = np.array([collision.rates_before[wall] for wall in contacts])
    after = np.array([collision.rates_after[wall] for wall in contacts])
    impulses = np.array([collision.impulses[wall] for wall in contacts])
    if "approach" not in may:
        assert after.min() >= -1e-8 * np.abs(before).max()
    if "pull" not in may:
        assert impulses.min() >= -1e-9 * np.abs(impulses).max()
    if "gain energy" not in may:
        assert not collision.gains_energy
        assert collision.energy_change <= 1e-12 * (v @ system.mass @ v)
    assert collision.certificate.worst < 1e-9


@battery
def test_a_law_answers_the_same_when_asked_again(name):
    system, v = _struck(4)
    answers = [go.collide(system, np.zeros(len(v)), v, law=name).v_after for _ in range(2)]
    assert (answers[0] == answers[1]).all()


def test_the_exceptions_are_laws_that_need_them():
    assert set(MAY) <= set(LAWS)
    for name in MAY:
        gains = pulls = False
        for seed in SEEDS:
            system, v = _struck(seed)
            collision = go.collide(system, np.zeros(len(v)), v, law=name)
            gains |= collision.gains_energy
            pulls |= min(collision.impulses[wall] for wall in collision.rates_before) < 0.0
        found = {"gain energy": gains, "pull": pulls}
        assert {word for word in found if found[word]} == MAY[name]
