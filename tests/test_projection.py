"""Drift removed: the nearest state on the rows, in the metric of the mass."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize

import gauss_opt as go
from gauss_opt.mechanics.consistency.projection import Scales, drift, project

N, K = 6, 3
NONE = np.arange(0)


def scales_of(q, v, length=None, time=1.0):
    scales = Scales(q, v, length, time)
    scales.update(q, v)
    return scales


def projected(system, q, v, t=0.0, position=None, velocity=None, tolerance=1e-15):
    """The state, projected onto all rows (or the given ones)."""
    snapshot = go.evaluate(system, q, v, t)
    rows = np.arange(snapshot.layout.n_rows)
    position = rows if position is None else np.asarray(position, dtype=np.intp)
    velocity = rows if velocity is None else np.asarray(velocity, dtype=np.intp)
    scales = scales_of(snapshot.q, snapshot.v)
    return project(snapshot, position, velocity, scales, tolerance)


class Linear:
    """Linear rows A q = b sin(w t) with a random mass."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(N, N))
        self.mass = root @ root.T + np.diag(10.0 ** rng.uniform(-2, 2, N))
        self.A, self.b = rng.normal(size=(K, N)), rng.normal(size=K)
        self.q, self.v, self.t = rng.normal(size=N), rng.normal(size=N), 0.3
        self.system = go.System(
            self.mass,
            constraints=[go.Holonomic("rows", lambda q, t: self.A @ q - self.b * np.sin(2.0 * t))],
        )
        self.targets = self.b * np.sin(0.6), 2.0 * self.b * np.cos(0.6)

    def nearest(self, x, target):
        """x + M^-1 A' (A M^-1 A')^-1 (target - A x)."""
        spread = np.linalg.solve(self.mass, self.A.T)
        return x + spread @ np.linalg.solve(self.A @ spread, target - self.A @ x)


@pytest.mark.parametrize("seed", range(8))
def test_onto_linear_rows_it_is_the_mass_weighted_pseudoinverse(seed):
    model = Linear(seed)
    after = projected(model.system, model.q, model.v, model.t)
    assert_allclose(after.q, model.nearest(model.q, model.targets[0]), rtol=1e-9, atol=1e-10)
    assert_allclose(after.v, model.nearest(model.v, model.targets[1]), rtol=1e-9, atol=1e-10)
    assert after.t == model.t


@pytest.mark.parametrize("seed", range(8))
def test_the_move_is_orthogonal_in_the_mass_metric_to_all_that_the_rows_allow(seed):
    model = Linear(seed)
    after = projected(model.system, model.q, model.v, model.t)
    free = np.linalg.svd(model.A)[2][K:]
    for before, put in ((model.q, after.q), (model.v, after.v)):
        work = free @ model.mass @ (put - before)
        assert_allclose(work, 0.0, atol=1e-12 * np.abs(model.mass @ (put - before)).max())


@pytest.mark.parametrize("seed", range(5))
def test_onto_a_curved_surface_it_agrees_with_an_optimiser_up_to_second_order(seed):
    """Steps of Newton end on the surface; the least distance differs by curvature times move^2."""
    rng = np.random.default_rng(seed)
    mass = rng.uniform(0.5, 2.0, 3)
    sphere = go.System(mass, constraints=[go.Holonomic("sphere", lambda q, t: q @ q - 1.0)])
    on = rng.normal(size=3)
    on /= np.linalg.norm(on)
    ratios = []
    for off in (1e-2, 1e-3):
        q = on + off * rng.normal(size=3)
        after = projected(sphere, q, np.zeros(3))
        assert abs(after.q @ after.q - 1.0) <= 4e-16
        best = minimize(
            lambda x, q=q, off=off: (x - q) @ (mass * (x - q)) / off**2,
            after.q,
            constraints={"type": "eq", "fun": lambda x: x @ x - 1.0},
            method="SLSQP",
            options={"ftol": 1e-14},
        ).x
        ratios.append(np.abs(after.q - best).max() / off**2)
    assert max(ratios) < 20.0


def test_it_converges_quadratically():
    """Each step about squares what is off: the tolerance decides how many are taken."""
    sphere = go.System(np.ones(3), constraints=[go.Holonomic("sphere", lambda q, t: q @ q - 1.0)])
    q = np.array([0.9, 0.6, 0.3])
    off = [q @ q - 1.0]
    for tolerance in (1e-1, 1e-2, 1e-4, 1e-8, 1e-15):
        after = projected(sphere, q, np.zeros(3), tolerance=tolerance)
        off.append(abs(after.q @ after.q - 1.0))
        assert off[-1] <= 2.5 * tolerance
    for before, after in pairwise(off):
        assert after <= before
    assert off[-1] <= 4e-16
    errors = [abs(x) for x in dict.fromkeys(off) if abs(x) > 1e-15]
    for before, after in pairwise(errors):
        assert after <= before**2


def test_a_state_on_the_rows_is_handed_back_as_it_is():
    rod = go.System([1.0, 1.0], constraints=[go.Holonomic("rod", lambda q, t: q @ q - 1.0)])
    snapshot = go.evaluate(rod, [0.6, 0.8], [0.8, -0.6])
    rows = np.array([0])
    assert project(snapshot, rows, rows, scales_of(snapshot.q, snapshot.v), 1e-15) is snapshot


def test_velocities_are_put_right_after_positions():
    """At the place it ends at, and not the one it came from."""
    rod = go.System([1.0, 1.0], constraints=[go.Holonomic("rod", lambda q, t: q @ q - 1.0)])
    after = projected(rod, [0.7, 0.8], [1.0, 0.5])
    assert_allclose(after.q @ after.q, 1.0, rtol=1e-15)
    assert_allclose(after.q @ after.v, 0.0, atol=1e-15)
    normal = after.q
    assert_allclose(after.v, np.array([1.0, 0.5]) - normal * (normal @ [1.0, 0.5]), atol=1e-15)


def test_a_velocity_constraint_that_is_not_linear_is_iterated():
    cone = go.Nonholonomic("cone", lambda q, v, t: v[0] ** 2 + v[1] ** 2 - 0.5 * v[2] ** 2)
    system = go.System(np.ones(3), constraints=[cone])
    q = np.array([0.3, 0.2, 0.1])
    after = projected(system, q, [1.0, 0.5, 1.4], position=[])
    assert_array_equal(after.q, q)
    assert abs(after.v[0] ** 2 + after.v[1] ** 2 - 0.5 * after.v[2] ** 2) <= 1e-15


def test_only_the_rows_asked_for_are_met():
    model = Linear(3)
    after = projected(model.system, model.q, model.v, model.t, position=[1], velocity=[0, 2])
    value, rate = model.A @ after.q - model.targets[0], model.A @ after.v - model.targets[1]
    assert_allclose(value[1], 0.0, atol=1e-14)
    assert_allclose(rate[[0, 2]], 0.0, atol=1e-14)
    assert np.abs(value[[0, 2]]).min() > 1e-3
    assert abs(rate[1]) > 1e-3


def test_without_rows_nothing_moves_and_nothing_is_off():
    model = Linear(0)
    snapshot = go.evaluate(model.system, model.q, model.v)
    scales = scales_of(snapshot.q, snapshot.v)
    assert drift(snapshot, NONE, NONE, scales) == (0.0, 0.0)
    assert project(snapshot, NONE, NONE, scales, 1e-15) is snapshot


def test_rows_said_twice_are_met_once():
    twice = go.System(
        [1.0, 2.0],
        constraints=[go.Holonomic(name, lambda q, t: q @ q - 1.0) for name in ("one", "two")],
    )
    once = go.System([1.0, 2.0], constraints=[go.Holonomic("one", lambda q, t: q @ q - 1.0)])
    state = [0.7, 0.8], [1.0, 0.5]
    assert_allclose(projected(twice, *state).q, projected(once, *state).q, rtol=1e-14)
    assert_allclose(projected(twice, *state).v, projected(once, *state).v, atol=1e-14)


def test_a_mass_that_depends_on_the_place_measures_there():
    """A coordinate without much inertia moves, the heavy one stays."""
    system = go.System(
        lambda q, t: np.array([1e6 * (1.0 + q[0] ** 2), 1e-3]),
        np.zeros(2),
        constraints=[go.Holonomic("line", lambda q, t: q[0] + q[1] - 1.0)],
        nv=2,
    )
    after = projected(system, [0.5, 0.4], [0.0, 1.0])
    assert_allclose(after.q, [0.5, 0.5], atol=1e-9)
    assert_allclose(after.v, 0.0, atol=1e-8)


# Drift is relative


@pytest.mark.parametrize("unit", [1e-6, 1.0, 1e6])
def test_drift_does_not_depend_on_the_unit_of_length(unit):
    rod = go.System([1.0, 1.0], constraints=[go.Holonomic("x", lambda q, t: q[0] - q[1])])
    snapshot = go.evaluate(rod, [1.0 * unit, 1.001 * unit], [2.0 * unit, 2.0 * unit])
    off = drift(snapshot, np.array([0]), np.array([0]), scales_of(snapshot.q, snapshot.v))
    assert_allclose(off.position, 0.001 / 2.001, rtol=1e-2)
    assert off.velocity == 0.0


def test_a_length_of_the_users_own_is_what_positions_are_relative_to():
    rod = go.System([1.0, 1.0], constraints=[go.Holonomic("x", lambda q, t: q[0] - q[1])])
    snapshot = go.evaluate(rod, [1.0, 1.001], [0.0, 0.0])
    scales = scales_of(snapshot.q, snapshot.v, length=100.0)
    off = drift(snapshot, np.array([0]), np.array([0]), scales)
    assert_allclose(off.position, 0.001 / 200.0, rtol=1e-2)


# Where q' = N(q) v


def quaternion_rates(q):
    w, x, y, z = q
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


def tilt(q, t):
    """Height of the body's third axis above an angle of 1.2 with the vertical."""
    return 1.0 - 2.0 * (q[1] ** 2 + q[2] ** 2) - np.cos(1.2)


def turned(angle, axis):
    return np.concatenate([[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis, float)])


@pytest.mark.parametrize("off", [1e-2, 1e-4, 1e-8])
def test_a_unit_quaternion_is_turned_and_stays_of_unit_length(off):
    """Along the flow of N v; what is left is the square of the move."""
    body = go.System(
        [1.0, 2.0, 3.0], np.zeros(3), [go.Holonomic("tilt", tilt)], kinematics=quaternion_rates,
        nq=4,
    )  # fmt: skip
    axis = np.array([0.6, 0.8, 0.0])
    after = projected(body, turned(1.2 + off, axis), [0.3, -0.2, 0.5])
    assert abs(tilt(after.q, 0.0)) <= 4e-16
    assert abs(after.q @ after.q - 1.0) <= off**2 + 4e-16
    assert_allclose(after.rate, 0.0, atol=1e-15)
    # Two axes of different inertia: the light one turns more, both turn about the horizontal.
    assert abs(after.q[3]) <= off


def angle_rates(q):
    """An angle as (cos, sin)."""
    return np.array([[-q[1], 0.0], [q[0], 0.0], [0.0, 1.0]])


@pytest.mark.parametrize("seed", range(5))
def test_an_angle_as_cosine_and_sine_is_put_where_the_angle_itself_is(seed):
    """A rod that leans on a slider: x = cos(angle), with an inertia and a mass."""
    rng = np.random.default_rng(seed)
    mass = rng.uniform(0.5, 2.0, 2)
    angle = rng.uniform(0.3, 1.2)
    off, v = 1e-5 * rng.normal(), rng.normal(size=2)
    start = np.array([angle, np.cos(angle) + off])
    minimal = go.System(mass, constraints=[go.Holonomic("lean", lambda q, t: q[1] - np.cos(q[0]))])
    plane = go.System(
        mass,
        constraints=[go.Holonomic("lean", lambda q, t: q[2] - q[0])],
        kinematics=angle_rates,
        nq=3,
    )
    one = projected(minimal, start, v)
    two = projected(plane, [np.cos(angle), np.sin(angle), start[1]], v)
    assert_allclose(two.q, [np.cos(one.q[0]), np.sin(one.q[0]), one.q[1]], atol=2 * off**2)
    assert_allclose(two.v, one.v, atol=10 * abs(off))
    assert abs(two.q[2] - two.q[0]) <= 4e-16


def test_a_mixed_number_of_positions_and_velocities_has_a_scale():
    plane = go.System(
        [1.0, 1.0],
        constraints=[go.Holonomic("lean", lambda q, t: q[2] - q[0])],
        kinematics=angle_rates,
        nq=3,
    )
    snapshot = go.evaluate(plane, [0.6, 0.8, 0.601], [0.0, 0.0])
    off = drift(snapshot, np.array([0]), np.array([0]), scales_of(snapshot.q, snapshot.v))
    assert 1e-4 < off.position < 1e-3
