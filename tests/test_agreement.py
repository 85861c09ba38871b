"""Traced functions are compared with the plain ones: round-off is no difference, all else is."""

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.model.tracing.round_off import round_off
from gauss_opt.model.tracing.user_function import UserFunction


def tried(function, states):
    """Evaluate a system with this gap at states; trials that fail raise."""
    system = go.System([1.0, 1.0], contacts=[go.Contact("wall", function)])
    for q in states:
        go.evaluate(system.with_parameters(), q, [0.1, -0.2], 0.3)
        go.evaluate(go.System([1.0, 1.0], contacts=[go.Contact("wall", function)]), q, [0.1, -0.2])


def states(seed, n=25):
    """Positions of every size from 1e-18 to 1."""
    rng = np.random.default_rng(seed)
    return [rng.normal(size=2) * 10.0 ** rng.uniform(-18, 0, size=2) for _ in range(n)]


def rotated(q, t):
    """A corner of a body that is turned by a unit quaternion next to the identity."""
    x, y = q
    w = np.sqrt(1.0 - x * x / 4 - y * y / 4)
    turned = np.array([1.0 - y * y / 2, x * y / 2, -w * y])
    return np.sqrt((turned**2).sum()) - 1.0 + turned[2]


HARMLESS = {
    "one is zero": lambda q, t: np.sin(q[0]) ** 2 + np.cos(q[0]) ** 2 - 1.0,
    "one and more": lambda q, t: np.sin(q[0]) ** 2 + np.cos(q[0]) ** 2 - 1.0 + q[1],
    "there and back": lambda q, t: (q[0] + 1.0) - 1.0,
    "far there and back": lambda q, t: (q[0] + 1e6) - 1e6 + q[1],
    "exp and log": lambda q, t: np.exp(np.log(np.abs(q[0]) + 1.0)) - np.abs(q[0]) - 1.0,
    "tangent": lambda q, t: np.tan(q[0]) - np.sin(q[0]) / np.cos(q[0]),
    "quaternion": rotated,
    "choice": lambda q, t: np.where(q[0] > 0.0, (q[0] + 2.0) - 2.0, (q[1] + 3.0) - 3.0),
    "difference of roots": lambda q, t: np.sqrt(1.0 + q[0] ** 2) - np.sqrt(1.0 - 1e-9 * q[1] ** 2),
}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", HARMLESS)
def test_round_off_is_not_taken_for_random_numbers(name, seed):
    tried(HARMLESS[name], [*states(seed), np.zeros(2)])


def test_round_off_in_forces_masses_and_kinematics_is_not_taken_for_random_numbers():
    def force(q, v, t):
        return np.array([(q[0] + 1.0) - 1.0, np.sin(q[1]) ** 2 + np.cos(q[1]) ** 2 - 1.0])

    def mass(q, t):
        off = (q[0] + 1.0) - 1.0
        return np.array([[2.0, off], [off, 3.0]])

    def kinematics(q):
        return np.array([[1.0, (q[1] + 1.0) - 1.0], [0.0, 1.0]])

    for q in states(5):
        system = go.System(mass, force, kinematics=kinematics, nq=2, nv=2)
        go.evaluate(system, q, [0.1, -0.2])


@pytest.mark.parametrize("size", [1e-12, 1e-9, 1e-3, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_random_numbers_are_found_beside_terms_that_cancel(size, seed):
    rng = np.random.default_rng(seed)

    def noisy(q, t):
        return np.sin(q[0]) ** 2 + np.cos(q[0]) ** 2 - 1.0 + size * rng.uniform(0.5, 1.5)

    with pytest.raises(go.TraceError, match="not on random numbers"):
        tried(noisy, states(seed))


@pytest.mark.parametrize("size", [1e-6, 1.0])
def test_a_state_that_changes_is_found(size):
    calls = []

    def counting(q, t):
        calls.append(t)
        return (q[0] + 1.0) - 1.0 + size * len(calls)

    with pytest.raises(go.TraceError, match="state that changes"):
        tried(counting, states(1))


def test_a_function_that_looks_at_types_is_found():
    def looking(q, t):
        return (q[0] + 1.0) - 1.0 + (1e-9 if isinstance(q[0], float) else 0.0)

    with pytest.raises(go.TraceError, match="type of what it is given"):
        tried(looking, states(2))


def test_the_size_of_round_off_is_that_of_the_terms_that_cancel():
    def function(q, v, t, big):
        return np.array([q[0] + v[0], (q[0] + big) - big, q[1] * 0.0])

    user = UserFunction.of("f", function, ("q", "v", "t"), {"big": 1.0})
    arguments = {"q": np.array([1e-3, 1.0]), "v": np.array([2e-3]), "t": 0.0}
    for big in (1.0, 1e6, 1e12):
        small, cancelled, nothing = round_off(user, arguments, {"big": np.float64(big)})
        assert 1e-18 < small < 2e-17
        assert 2e-16 * big < cancelled < 2e-14 * big
        assert nothing < 1e-300


def test_the_size_of_round_off_is_nothing_where_it_cannot_be_told():
    def grim(q):
        if q[0] > 0.0:
            return q[0]
        return q[1]

    user = UserFunction.of("f", grim, ("q",), {})
    arguments = {"q": np.zeros(2), "v": np.zeros(1), "t": 0.0}
    assert round_off(user, arguments, {}) == 0.0
