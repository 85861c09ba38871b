"""The right-hand side between events, against the closed form of Udwadia and Kalaba.

The systems are random, with rows and right-hand sides written down by hand.
"""

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go
from gauss_opt.base import matrices
from gauss_opt.base.errors import NonFiniteError
from gauss_opt.base.matrices import factorise
from gauss_opt.mechanics.flow import Flow
from gauss_opt.model.tracing.system_graph import _accurate_inverse

SEEDS = range(8)
N = 5


class Random:
    """A random system of quadratic constraints, and its M, Q, C, A, b by hand.

    Rows in order: two constraints on positions, one on velocities, two contacts, one limit.
    """

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        root = rng.normal(size=(N, N))
        self.mass = root @ root.T + N * np.eye(N)
        self.stiffness, self.damping = rng.normal(size=(2, N, N))
        self.push = rng.normal(size=N)
        S = rng.normal(size=(4, N, N))
        self.S, self.c = S + S.transpose(0, 2, 1), rng.normal(size=(4, N))
        self.T, self.u = rng.normal(size=(2, N, N)), rng.normal(size=(2, N))
        self.w = rng.uniform(0.5, 3.0, 4)
        self.state = rng.normal(size=N), rng.normal(size=N), rng.uniform(0.0, 2.0)

    # Functions of the model

    def varying_mass(self, q, t):
        return self.mass + np.diag(q**2) + np.outer(np.cos(q), np.cos(q))

    def force(self, q, v, t):
        return self.push * np.cos(t) - self.stiffness @ q - self.damping @ np.sin(v)

    def opaque_force(self, q, v, t):
        """The same, in a way that nobody can trace."""
        return np.array([float(x) for x in self.force(np.asarray(q, float), v, t)])

    def resistance(self, q, v, t):
        return -0.3 * v * np.sqrt(1.0 + v @ v)

    def friction(self, q, v, t, ideal_force):
        return -0.2 * v * np.sqrt(ideal_force @ ideal_force)

    def phi(self, i):
        S, c, w = self.S[i], self.c[i], self.w[i]
        return lambda q, t: 0.5 * (q @ S @ q) + c @ q + np.sin(w * t)

    def psi(self, i):
        T, u = self.T[i], self.u[i]
        return lambda q, v, t: u @ v + q @ T @ v - t**2

    def by_hand(self, i):
        S, c, w = self.S[i], self.c[i], self.w[i]
        return {
            "jacobian": lambda q, t: S @ q + c,
            "bias": lambda q, v, t: v @ S @ v - w * w * np.sin(w * t),
            "time_derivative": lambda q, t: w * np.cos(w * t),
        }

    def system(self, *, mass=None, force=None, hand=False, **options):
        extra = self.by_hand if hand else lambda i: {}
        return go.System(
            self.mass if mass is None else mass,
            self.force if force is None else force,
            constraints=[
                go.Holonomic("first", self.phi(0), **extra(0)),
                go.Holonomic("second", self.phi(1)),
                go.Nonholonomic("rolling", self.psi(0)),
                go.VelocityLimit("governor", self.psi(1)),
            ],
            contacts=[
                go.Contact("left", self.phi(2), **extra(2)),
                go.Contact("right", self.phi(3)),
            ],
            **options,
        )

    # What they amount to

    def rows(self, held):
        q, v, t = self.state
        position = [self.S[i] @ q + self.c[i] for i in range(4)]
        velocity = [self.u[i] + self.T[i].T @ q for i in range(2)]
        A = [*position[:2], velocity[0], *position[2:], velocity[1]]
        at_rest = [self.w[i] ** 2 * np.sin(self.w[i] * t) - v @ self.S[i] @ v for i in range(4)]
        rolling = [2 * t - v @ self.T[i] @ v for i in range(2)]
        b = [*at_rest[:2], rolling[0], *at_rest[2:], rolling[1]]
        return np.array(A)[held], np.array(b)[held]

    def flow(self, system, held):
        q, v, t = self.state
        flow = Flow(system, system.dynamics(N), np.array(held, dtype=np.intp))
        return flow(t, np.concatenate([q, v]))

    def check(self, motion, held, mass=None, C=None):
        q, v, t = self.state
        mass = self.mass if mass is None else mass
        A, b = self.rows(held)
        exact = go.closed_form.udwadia_kalaba(mass, self.force(q, v, t), A, b, C=C)
        assert_array_equal(motion[:N], v)
        assert_allclose(motion[N:], exact.acceleration, rtol=1e-9, atol=1e-10)


SETS = [[], [0], [0, 1, 2], [0, 1, 2, 4], [0, 1, 2, 3, 5], [3], [2, 5]]


@pytest.mark.parametrize("held", SETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_constant_mass_accelerates_as_the_closed_form_says(seed, held):
    model = Random(seed)
    model.check(model.flow(model.system(), held), held)


@pytest.mark.parametrize("held", SETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_mass_that_depends_on_the_position_does_too(seed, held):
    model = Random(seed)
    system = model.system(mass=model.varying_mass, nv=N)
    mass = model.varying_mass(model.state[0], 0.0)
    model.check(model.flow(system, held), held, mass)


@pytest.mark.parametrize("held", SETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_derivatives_by_hand_change_nothing(seed, held):
    model = Random(seed)
    traced, hand = (model.flow(model.system(hand=hand), held) for hand in (False, True))
    model.check(hand, held)
    assert_allclose(hand, traced, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("held", SETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_force_that_cannot_be_traced_changes_nothing(seed, held):
    model = Random(seed)
    model.check(model.flow(model.system(force=model.opaque_force), held), held)


@pytest.mark.parametrize("held", SETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_resistance_does_the_work_the_constraints_let_through(seed, held):
    model = Random(seed)
    motion = model.flow(model.system(nonideal=model.resistance), held)
    model.check(motion, held, C=model.resistance(*model.state))


@pytest.mark.parametrize("held", SETS)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_friction_is_given_the_ideal_force(seed, held):
    model = Random(seed)
    q, v, t = model.state
    ideal = go.closed_form.udwadia_kalaba(model.mass, model.force(q, v, t), *model.rows(held))
    C = model.friction(q, v, t, ideal.ideal_force)
    model.check(model.flow(model.system(nonideal=model.friction), held), held, C=C)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_free_motion_is_the_same_on_every_way_through(seed):
    model = Random(seed)
    quick = model.flow(model.system(), [])
    opaque = model.flow(model.system(force=model.opaque_force), [])
    varying = model.flow(model.system(mass=lambda q, t: model.mass + 0.0 * q[0], nv=N), [])
    for other in (opaque, varying):
        assert_allclose(other, quick, rtol=1e-13, atol=1e-13 * np.abs(quick).max())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_diagonal_mass_is_inverted_to_the_last_bit_as_any_other(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 40))
    mass = np.diag(10.0 ** rng.uniform(-9, 9, n))
    size = np.sqrt(mass.diagonal())
    expected = np.linalg.inv(mass / np.outer(size, size)) / np.outer(size, size)
    monkeypatch.setattr(np.linalg, "cond", None)
    assert_array_equal(np.array(ca.DM(_accurate_inverse(mass))), expected)


@pytest.mark.parametrize("mass", [np.diag([1.0, 0.0]), np.array([[1.0, 1.0], [1.0, 1.0 + 1e-9]])])
def test_a_mass_without_an_accurate_inverse_has_none(mass):
    assert _accurate_inverse(mass) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_that_say_the_same_twice_change_nothing(seed):
    model = Random(seed)
    system = go.System(
        model.mass,
        model.force,
        constraints=[go.Holonomic(name, model.phi(0)) for name in ("once", "twice")],
    )
    motion = model.flow(system, [0, 1])
    model.check(motion, [0])


@pytest.mark.parametrize("seed", SEEDS)
def test_positions_follow_velocities_by_the_kinematics(seed):
    """q' = N(q) v on every way through."""
    model = Random(seed)
    rng = np.random.default_rng(seed)
    v, t = model.state[1], model.state[2]
    q = rng.normal(size=N + 1)

    def kinematics(q):
        return np.vstack([np.eye(N) * np.cos(q[0]), np.array([q[1], 0.0, q[2], 0.0, 1.0])])

    for force in (model.push, lambda q, v, t: np.array([float(x) for x in model.push])):
        for constraints in ([], [go.Holonomic("plane", lambda q, t: q @ np.arange(1.0, 7.0))]):
            system = go.System(
                model.mass, force, constraints=constraints, kinematics=kinematics, nq=N + 1
            )
            held = np.arange(len(constraints))
            motion = Flow(system, system.dynamics(N), held)(t, np.concatenate([q, v]))
            assert_allclose(motion[: N + 1], kinematics(q) @ v, rtol=1e-14, atol=1e-14)
            assert_allclose(
                motion[N + 1 :], go.accelerate(system, q, v, t).acceleration, rtol=1e-11
            )


def test_calls_are_counted():
    model = Random(0)
    system = model.system()
    flow = Flow(system, system.dynamics(N), np.arange(3))
    q, v, t = model.state
    for _ in range(5):
        flow(t, np.concatenate([q, v]))
    assert flow.calls == 5


def test_a_constant_mass_is_factorised_once_and_only_where_rows_are_held(monkeypatch):
    masses = []

    def counted(metric):
        masses.append(metric)
        return factorise(metric)

    monkeypatch.setattr("gauss_opt.base.matrices.factorise", counted)
    model = Random(2)
    system = model.system()
    model.flow(system, [])
    assert masses == []
    for held in SETS:
        model.flow(system, held)
    assert len(masses) == 1


def test_factors_are_forgotten_with_their_masses():
    mass = 2.0 * np.eye(3)
    before = len(matrices._factors)
    assert_array_equal(matrices.factorise_once(mass), matrices.factorise_once(mass.copy()))
    assert len(matrices._factors) == before + 1
    del mass
    assert len(matrices._factors) == before


def test_a_state_handed_in_is_not_changed_and_may_be_written_to():
    model = Random(1)
    q, v, t = model.state
    for system in (model.system(), model.system(force=model.opaque_force)):
        for held in ([], [0, 1, 2]):
            y = np.concatenate([q, v])
            kept = y.copy()
            motion = Flow(system, system.dynamics(N), np.array(held, dtype=np.intp))(t, y)
            assert_array_equal(y, kept)
            motion_before = motion.copy()
            y[:] = 7.0
            assert_array_equal(motion, motion_before)


# What is not finite


def pole(q, v, t):
    return np.array([1.0 / q[0], 0.0])


def opaque_pole(q, v, t):
    return np.array([np.inf if float(q[0]) == 0.0 else 1.0, 0.0])


ROD = go.Holonomic("rod", lambda q, t: q[1] - 1.0)
POLES = {
    "force": ({"mass": [1.0, 1.0], "force": pole}, "force is not finite"),
    "force with a row": (
        {"mass": [1.0, 1.0], "force": pole, "constraints": [ROD]},
        "force is not finite",
    ),
    "untraced force": ({"mass": [1.0, 1.0], "force": opaque_pole}, "force"),
    "untraced force with a row": (
        {"mass": [1.0, 1.0], "force": opaque_pole, "constraints": [ROD]},
        "force",
    ),
    "mass": (
        {"mass": lambda q, t: np.array([1.0 / q[0], 1.0]), "force": [0.0, 0.0], "nv": 2},
        "mass is not finite",
    ),
    "constraint": (
        {"mass": [1.0, 1.0], "constraints": [go.Holonomic("well", lambda q, t: np.log(q[0]))]},
        "of Holonomic 'well' is not finite",
    ),
    "root": (
        {"mass": [1.0, 1.0], "constraints": [go.Holonomic("root", lambda q, t: np.sqrt(q[0]))]},
        "of Holonomic 'root' is not finite",
    ),
    "nonideal": (
        {"mass": [1.0, 1.0], "nonideal": pole, "constraints": [ROD]},
        "nonideal",
    ),
    "kinematics": (
        {
            "mass": [1.0, 1.0],
            "kinematics": lambda q: np.array([[1.0 / q[0], 0.0], [0.0, 1.0]]),
            "nq": 2,
        },
        "kinematics is not finite",
    ),
}


@pytest.mark.parametrize("which", POLES)
def test_what_is_not_finite_is_refused_by_name(which):
    arguments, words = POLES[which]
    system = go.System(**arguments)
    held = np.arange(len(arguments.get("constraints", ())))
    flow = Flow(system, system.dynamics(2), held)
    assert np.isfinite(flow(0.5, np.array([1.0, 1.0, 0.3, 0.4]))).all()
    with pytest.raises(NonFiniteError, match=words) as error:
        flow(0.5, np.array([0.0, 1.0, 0.3, 0.4]))
    assert error.value.t == 0.5


def opaque_weight(q, v, t):
    return np.array([0.0, -9.81 + 0.0 * float(q[0])])


@pytest.mark.parametrize(
    "force",
    [
        [0.0, -9.81],
        opaque_weight,
    ],
)
def test_a_step_that_tries_a_place_where_a_row_does_not_exist_is_taken_again_smaller(force):
    """A bead in a bowl y = -sqrt(1 - x^2); a first step of 3 s looks beyond the rim."""
    bowl = go.Holonomic("bowl", lambda q, t: q[1] + np.sqrt(1 - q[0] ** 2))
    start = [0.3, -np.sqrt(1 - 0.3**2)]
    bead = go.System([1.0, 1.0], force, [bowl])
    result = go.simulate(bead, start, [0.0, 0.0], (0, 10), first_step=3.0)
    assert result.stats.restarts >= 1
    assert_allclose((result.q**2).sum(axis=1), 1.0, rtol=1e-9)
