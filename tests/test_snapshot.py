"""Rows, rates and right-hand sides of every kind of constraint, against finite differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

RNG = np.random.default_rng(7)
PLACE = (RNG.normal(size=3), RNG.normal(size=3), 0.4)


def on_position(q, t):
    return q[0] * np.sin(q[1] + t) + np.exp(-t) * q[2] ** 2 - 0.3 * t**2


def on_positions(q, t):
    return np.array([on_position(q, t), np.hypot(q[0] - t, q[2]) - 1.0, q[0] * q[1] * q[2]])


def on_velocity(q, v, t):
    return v[0] * np.cos(q[2] + t) + q[1] * v[1] ** 2 - v[2] ** 3 * t + 0.2


def on_velocities(q, v, t):
    return np.array([on_velocity(q, v, t), v @ v - q[0] ** 2 * np.exp(t)])


POSITION = {
    "Holonomic": lambda f: ([go.Holonomic("it", f)], []),
    "Servo": lambda f: ([go.Servo("it", f, frequency=3.0, damping=0.7)], []),
    "Contact": lambda f: ([], [go.Contact("it", f)]),
}
VELOCITY = {
    "Nonholonomic": lambda f: ([go.Nonholonomic("it", f)], []),
    "VelocityLimit": lambda f: ([go.VelocityLimit("it", f)], []),
}


def system_of(pieces, **options):
    constraints, contacts = pieces
    return go.System([1.0, 2.0, 3.0], None, constraints, contacts, **options)


def derivative(function, h=1e-5):
    """Of a function of one number at 0, with an error of h^4."""
    near = np.asarray(function(h)) - np.asarray(function(-h))
    far = np.asarray(function(2 * h)) - np.asarray(function(-2 * h))
    return (8 * near - far) / (12 * h)


def jacobian(function, x):
    columns = [derivative(lambda s, e=e: function(x + s * e)) for e in np.eye(len(x))]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("kind", POSITION)
@pytest.mark.parametrize("phi", [on_position, on_positions], ids=["scalar", "vector"])
def test_a_constraint_on_positions_gives_its_second_derivative(kind, phi):
    q, v, t = PLACE
    snapshot = go.evaluate(system_of(POSITION[kind](phi)), q, v, t)
    a = RNG.normal(size=3)

    def along(s):
        return phi(q + s * v + s**2 / 2 * a, t + s)

    def rate_along(s):
        return derivative(lambda r: along(s + r), 1e-3)

    assert_allclose(snapshot.value, np.atleast_1d(phi(q, t)), rtol=1e-14)
    assert_allclose(snapshot.rate, np.atleast_1d(derivative(along)), rtol=1e-9, atol=1e-9)
    columns = np.atleast_2d(jacobian(lambda x: phi(x, t), q))
    assert_allclose(snapshot.rows, columns, rtol=1e-9, atol=1e-9)
    second = snapshot.rows @ a - snapshot.rhs
    if kind == "Servo":
        second -= 2 * 0.7 * 3.0 * snapshot.rate + 9.0 * snapshot.value
    assert_allclose(second, np.atleast_1d(derivative(rate_along, 1e-3)), rtol=1e-8, atol=1e-8)
    assert np.ndim(snapshot.values["it"]) == (phi is on_positions)


@pytest.mark.parametrize("kind", VELOCITY)
@pytest.mark.parametrize("phi", [on_velocity, on_velocities], ids=["scalar", "vector"])
def test_a_constraint_nonlinear_in_the_velocity_gives_its_first_derivative(kind, phi):
    q, v, t = PLACE
    snapshot = go.evaluate(system_of(VELOCITY[kind](phi)), q, v, t)
    a = RNG.normal(size=3)
    assert_allclose(snapshot.value, np.atleast_1d(phi(q, v, t)), rtol=1e-14)
    assert_allclose(snapshot.rate, snapshot.value)
    columns = np.atleast_2d(jacobian(lambda x: phi(q, x, t), v))
    assert_allclose(snapshot.rows, columns, rtol=1e-9, atol=1e-9)
    along = derivative(lambda s: phi(q + s * v, v + s * a, t + s))
    assert_allclose(snapshot.rows @ a - snapshot.rhs, np.atleast_1d(along), rtol=1e-8, atol=1e-8)
    assert_allclose(snapshot.offset, snapshot.rate - snapshot.rows @ v, rtol=1e-14)


# --- positions that are not the integrals of velocities ---------------------------------------


def turn(q):
    """An angle as (cos, sin) beside a length x: q' = N v with v = (x', angle')."""
    zero, one = 0.0 * q[0], 1.0 + 0.0 * q[0]
    return np.array([[one, zero], [zero, -q[2]], [zero, q[1]]])


def quaternion_rates(q):
    """q' = 1/2 q * (0, w) for a unit quaternion (scalar first) and the spin w in the body."""
    w, x, y, z = q
    return 0.5 * np.array([[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]])


CIRCLE = (np.array([0.7, np.cos(0.5), np.sin(0.5)]), np.array([0.3, -1.2]))
UNIT = RNG.normal(size=4)
SPHERE = (UNIT / np.linalg.norm(UNIT), np.array([0.4, -0.9, 1.3]))


@pytest.mark.parametrize(
    ("N", "phi", "state"),
    [
        (turn, lambda q, t: q[0] * q[1] + np.exp(t) * q[2], CIRCLE),
        (turn, lambda q, t: np.array([q[0] - q[1] * t, q[2] ** 2 * q[0]]), CIRCLE),
        # the height of a point of the body: third row of the rotation
        (quaternion_rates, lambda q, t: q[1] * q[3] - q[0] * q[2] + t * q[3] ** 2, SPHERE),
        (quaternion_rates, lambda q, t: np.array([q[0] * q[1], np.sin(t) * q[2] * q[3]]), SPHERE),
    ],
)
def test_rates_and_biases_follow_the_kinematics(N, phi, state):
    q, v = state
    t, a = 0.3, RNG.normal(size=len(v))
    constraint = go.Holonomic("it", phi)
    system = go.System(1.0, None, [constraint], kinematics=N, nq=len(q), nv=len(v))
    snapshot = go.evaluate(system, q, v, t)
    assert_allclose(snapshot.qdot, N(q) @ v, rtol=1e-14)
    columns = np.atleast_2d(jacobian(lambda x: phi(x, t), q))
    assert_allclose(snapshot.rows, columns @ N(q), rtol=1e-8, atol=1e-9)
    assert_allclose(
        snapshot.rate,
        np.atleast_1d(derivative(lambda s: phi(q + s * (N(q) @ v), t + s))),
        rtol=1e-8,
    )

    def rate(s):
        # q to second order: q'' = N a + (dN/dt) v
        bend = derivative(lambda r: N(q + r * (N(q) @ v)) @ v) + N(q) @ a
        place = q + s * (N(q) @ v) + s**2 / 2 * bend
        return go.evaluate(system, place, v + s * a, t + s).rate

    second = snapshot.rows @ a - snapshot.rhs
    assert_allclose(second, derivative(rate, 1e-4), rtol=1e-7, atol=1e-7)


def test_a_pendulum_by_cosine_and_sine_swings_like_one_by_its_angle():
    def potential(q, t):
        return 9.81 * q[1]

    def by_circle(q):
        return np.array([[-q[1]], [q[0]]])

    pendulum = go.System(1.0, potential=potential, kinematics=by_circle, nq=2, nv=1)
    q = np.array([np.cos(0.4), np.sin(0.4)])
    a = go.accelerate(pendulum, q, [2.0]).acceleration
    assert_allclose(a, -9.81 * np.cos(0.4), rtol=1e-14)


# --- derivatives by hand ----------------------------------------------------------------------


def test_derivatives_by_hand_stand_for_the_traced_ones():
    def phi(q, t):
        return q[0] ** 2 + np.interp(q[1], [-100.0, 100.0], [-200.0, 200.0]) - np.sin(t)

    by_hand = {
        "jacobian": lambda q, t: [2 * q[0], 2.0],
        "bias": lambda q, v, t: 2 * v[0] ** 2 + np.sin(t),
        "time_derivative": lambda q, t: -np.cos(t),
    }
    given, traced = (
        go.System([1.0, 1.0], None, [go.Servo("s", f, frequency=2.0, damping=0.5, **options)])
        for f, options in ((phi, by_hand), (lambda q, t: q[0] ** 2 + 2 * q[1] - np.sin(t), {}))
    )
    state = ([0.3, 0.4], [1.0, -2.0], 0.8)
    ours, theirs = go.evaluate(given, *state), go.evaluate(traced, *state)
    for word in ("value", "rate", "rows", "rhs"):
        assert_allclose(getattr(ours, word), getattr(theirs, word), rtol=1e-13, err_msg=word)


def test_derivatives_by_hand_of_a_constraint_on_velocities():
    limit = go.VelocityLimit(
        "speed", lambda q, v, t: 4.0 - max(v @ v, 0.0), jacobian=lambda q, v, t: -2 * v,
        bias=lambda q, v, t: 0.0,
    )  # fmt: skip
    snapshot = go.evaluate(go.System([1.0, 1.0], None, [limit]), [0.0, 0.0], [1.0, 0.5])
    assert_allclose(snapshot.rows, [[-2.0, -1.0]])
    assert_allclose((snapshot.value, snapshot.rhs), ([2.75], [0.0]))


# --- the snapshot itself ----------------------------------------------------------------------


def test_rows_come_as_equalities_contacts_limits_whatever_their_order():
    limit = go.VelocityLimit("limit", lambda q, v, t: 5.0 - v[0])
    rod = go.Holonomic("rod", lambda q, t: q[1:])
    floor = go.Contact("floor", lambda q, t: q[0])
    snapshot = go.evaluate(system_of(([limit, rod], [floor])), [1.0, 2.0, 3.0], [4.0, 5.0, 6.0])
    assert snapshot.layout.names == ("rod", "rod", "floor", "limit")
    assert_allclose(snapshot.value, [2.0, 3.0, 1.0, 1.0])
    assert snapshot.gaps == {"floor": 1.0}
    assert snapshot.rates == {"floor": 4.0}
    assert "rod: [2. 3.]" in str(snapshot)


def test_a_contact_exists_only_while_its_condition_holds():
    swing = go.Contact("foot", lambda q, t: q[0], active_when=lambda q, v, t, late: t > late)
    system = go.System([1.0], [-9.81], contacts=[swing], parameters={"late": 1.0})
    early, late = (go.accelerate(system, [0.0], [0.0], t) for t in (0.5, 1.5))
    assert early.acceleration == -9.81
    assert_allclose((late.acceleration[0], late.multipliers["foot"]), (0.0, 9.81), atol=1e-14)
    assert not go.evaluate(system, [0.0], [0.0], 0.5).enabled.any()


def test_a_snapshot_cannot_be_written_into():
    snapshot = go.evaluate(system_of(POSITION["Holonomic"](on_positions)), *PLACE)
    for word in ("q", "v", "mass", "force", "rows", "rhs", "value", "rate", "qdot"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(snapshot, word)[...] = 0.0


def test_snapshots_do_not_share_their_arrays():
    system = system_of(POSITION["Holonomic"](on_positions))
    first = go.evaluate(system, *PLACE)
    rows, force = first.rows.copy(), first.force.copy()
    go.evaluate(system, PLACE[0] + 1.0, PLACE[1], 2.0)
    assert np.array_equal(first.rows, rows)
    assert np.array_equal(first.force, force)
