"""Coulomb friction at a state: accelerations and impacts with known answers."""

import numpy as np
import pytest

import gauss_opt as go

g = 9.81


def block(mu=0.3, push=0.0, **options):
    floor = go.Contact(
        "floor", lambda q, t: q[1], slip=lambda q, v, t: v[0], friction=mu, **options
    )
    return go.System([1.0, 1.0], [push, -g], contacts=[floor])


def disc(mu, e=0.0, inertia=0.5, **options):
    floor = go.Contact(
        "floor",
        lambda q, t: q[1] - 1.0,
        e,
        slip=lambda q, v, t: v[0] + v[2],
        friction=mu,
        **options,
    )
    return go.System([1.0, 1.0, inertia], [0.0, -g, 0.0], contacts=[floor])


def rod(mu, e=0.0):
    """A uniform rod of 1 m and 1 kg at an angle from the floor, on its lower tip."""
    tip = go.Contact(
        "tip", lambda q, t: q[1] - 0.5 * np.sin(q[2]), e, friction=mu,
        slip=lambda q, v, t: v[0] + 0.5 * np.sin(q[2]) * v[2],
    )  # fmt: skip
    return go.System([1.0, 1.0, 1 / 12], [0.0, -g, 0.0], contacts=[tip])


def rod_at(theta):
    return [0.0, 0.5 * np.sin(theta), theta]


def ladder(mu_floor, mu_wall, degrees):
    floor = go.Contact(
        "floor", lambda q, t: q[1] - 0.5 * np.sin(q[2]), friction=mu_floor,
        slip=lambda q, v, t: v[0] - 0.5 * np.sin(q[2]) * v[2],
    )  # fmt: skip
    wall = go.Contact(
        "wall", lambda q, t: q[0] - 0.5 * np.cos(q[2]), friction=mu_wall,
        slip=lambda q, v, t: v[1] + 0.5 * np.cos(q[2]) * v[2],
    )  # fmt: skip
    angle = np.radians(degrees)
    system = go.System([1.0, 1.0, 1 / 12], [0.0, -g, 0.0], contacts=[floor, wall])
    return system, [0.5 * np.cos(angle), 0.5 * np.sin(angle), angle], [0.0, 0.0, 0.0]


def kane():
    """Two uniform rods of 1 m and 1 kg; the tip of the lower one strikes a rough floor."""
    height = np.cos(np.radians(20)) + np.cos(np.radians(30))

    def mass(q, t):
        c = 0.5 * np.cos(q[0] - q[1])
        return np.array([[4 / 3, c], [c, 1 / 3]])

    floor = go.Contact(
        "floor", lambda q, t: height - np.cos(q[0]) - np.cos(q[1]), 0.5, friction=0.5,
        slip=lambda q, v, t: np.cos(q[0]) * v[0] + np.cos(q[1]) * v[1],
    )  # fmt: skip
    return go.System(mass, lambda q, v, t: 0.0 * v, contacts=[floor])


# Accelerations


def test_a_block_sticks_up_to_its_limit_and_slides_beyond():
    still = go.accelerate(block(0.3, 2.9), [0, 0], [0, 0])
    assert still.states["floor"] == "stick"
    assert still.friction["floor"] == pytest.approx(-2.9)
    moved = go.accelerate(block(0.3, 3.0), [0, 0], [0, 0])
    assert moved.states["floor"] == "slide+"
    assert moved.acceleration[0] == pytest.approx(3.0 - 0.3 * g, abs=1e-12)
    assert moved.multipliers["floor"] == pytest.approx(g)
    assert moved.unique


def test_friction_opposes_the_slip_whatever_the_push():
    answer = go.accelerate(block(0.3, 10.0), [0, 0], [-1.0, 0])
    assert answer.states["floor"] == "slide-"
    assert answer.acceleration[0] == pytest.approx(10.0 + 0.3 * g)


def test_forces_add_up_and_are_named():
    answer = go.accelerate(disc(0.2), [0, 1, 0], [1, 0, 0])
    total = sum(answer.forces.values())
    assert np.allclose(total, answer.constraint_force)
    assert np.allclose(answer.forces["floor"], [-0.2 * g, g, -0.2 * g])
    assert "slide+" in str(answer)


def test_static_friction_holds_more_than_sliding_leaves():
    """0.4 holds 3.5 N; once it gives way, at 4.5 N, only 0.3 brakes."""
    assert go.accelerate(block(0.3, 3.5, static_friction=0.4), [0, 0], [0, 0]).states == {
        "floor": "stick"
    }
    loose = go.accelerate(block(0.3, 4.5, static_friction=0.4), [0, 0], [0, 0])
    assert loose.acceleration[0] == pytest.approx(4.5 - 0.3 * g, abs=1e-12)
    slides = go.accelerate(block(0.3, 3.5, static_friction=0.4), [0, 0], [0.1, 0])
    assert slides.acceleration[0] == pytest.approx(3.5 - 0.3 * g, abs=1e-12)


@pytest.mark.parametrize(("mu", "limit"), [((0.4, 0.3), 47.72631099390627), ((0.5, 0.0), 45.0)])
def test_a_ladder_between_rough_floor_and_wall_slides_below_its_angle(mu, limit):
    steep = go.accelerate(*ladder(*mu, limit + 1e-6))
    assert np.abs(steep.acceleration).max() < 1e-9
    assert not steep.unique or mu[1] == 0.0
    flat = go.accelerate(*ladder(*mu, limit - 1e-3))
    assert flat.acceleration[1] < -1e-5
    assert flat.states["floor"] == "slide+"


@pytest.mark.parametrize("degrees", [30.0, 47.0, 60.0])
def test_all_routes_agree_on_the_ladder(degrees):
    check = go.crosscheck(*ladder(0.4, 0.3, degrees), solver_names=["daqp", "osqp", "nnls"])
    assert check.worst < 1e-12
    names = {route.name for route in check.routes}
    assert {"Lemke", "enumeration", "oracle", "unsymmetric KKT matrix"} <= names


def test_udwadia_kalaba_agrees_where_all_slide():
    check = go.crosscheck(disc(0.2), [0, 1, 0], [7, 0, 0], solver_names=["daqp"])
    assert check.ok
    assert "Udwadia-Kalaba" in {route.name for route in check.routes}


@pytest.mark.parametrize(
    ("degrees", "wedges"), [(50.6, False), (50.7, True), (73.0, True), (73.1, False)]
)
def test_painleves_rod_wedges_between_its_two_angles(degrees, wedges):
    """For mu = 1.5 between 50.6416 and 73.0485 degrees the slipping rod has no acceleration."""
    theta = np.radians(degrees)
    ask = (rod(1.5), rod_at(theta), [-1.0, 0.0, 0.0])
    if wedges:
        with pytest.raises(go.PainleveError, match="'tip' slides with friction"):
            go.accelerate(*ask)
    else:
        assert go.accelerate(*ask).certificate.worst < 1e-9


def test_of_two_accelerations_the_rod_takes_off():
    """Turning fast enough the wedged rod has two answers; the one without force is taken."""
    theta = np.arctan(2.0)
    spin = 8.0
    v = [-1.0 - 0.5 * np.sin(theta) * spin, 0.5 * np.cos(theta) * spin, spin]
    answer = go.accelerate(rod(1.5), rod_at(theta), v)
    assert answer.states["tip"] == "open"
    assert not answer.unique


def test_a_hinged_system_rubs_as_well():
    """A cart on a rail that is a constraint, with a brake shoe as a contact."""
    rail = go.Holonomic("rail", lambda q, t: q[1])
    shoe = go.Contact("shoe", lambda q, t: q[2] - q[1], slip=lambda q, v, t: v[0], friction=0.5)
    system = go.System([2.0, 2.0, 1.0], [0.0, -2 * g, -4.0], [rail], [shoe])
    answer = go.accelerate(system, [0, 0, 0], [1, 0, 0])
    assert answer.multipliers["shoe"] == pytest.approx(4.0)
    assert answer.acceleration[0] == pytest.approx(-0.5 * 4.0 / 2.0)


def test_build_friction_is_the_problem_that_accelerate_solves():
    snapshot = go.evaluate(disc(0.2), [0, 1, 0], [7, 0, 0])
    problem = go.build_friction(snapshot)
    assert problem.slide == [1.0]
    assert np.allclose(
        go.solve(problem).x, go.accelerate(disc(0.2), [0, 1, 0], [7, 0, 0]).acceleration
    )
    assert go.build_friction(snapshot, slide=[-1.0]).slide == [-1.0]
    with pytest.raises(go.InputError, match="slide must have shape"):
        go.build_friction(snapshot, slide=[1.0, 0.0])


def test_without_friction_a_slip_changes_nothing():
    smooth = go.System([1.0, 1.0], [1.0, -g], contacts=[go.Contact("floor", lambda q, t: q[1])])
    answer = go.accelerate(block(0.0, 1.0), [0, 0], [1, 0])
    assert (answer.acceleration == go.accelerate(smooth, [0, 0], [1, 0]).acceleration).all()
    assert answer.friction == {"floor": 0.0}


# Impacts


@pytest.mark.parametrize("law", [None, "newton", "poisson"])
@pytest.mark.parametrize(
    ("mu", "v", "after"),
    [(0.2, [3, -2, 0], [2.28, 1.6, -1.44]), (0.3, [1, -2, 0.5], [0.5, 1.6, -0.5])],
)
def test_a_disc_bounces_with_slip_or_without(law, mu, v, after):
    struck = go.collide(disc(mu, 0.8), [0, 1, 0], v, law=law)
    assert np.allclose(struck.v_after, after, rtol=0, atol=1e-12)
    assert struck.slips_after["floor"] == pytest.approx(after[0] + after[2], abs=1e-12)
    assert struck.dissipation < 0.0


def test_a_superball_reverses_its_slip_and_keeps_its_energy():
    struck = go.collide(disc(1.0, 1.0, 0.4, tangential_restitution=1.0), [0, 1, 0], [3, -2, 0])
    assert np.allclose(struck.v_after, [9 / 7, 2.0, -30 / 7], rtol=0, atol=1e-12)
    assert abs(struck.energy_change) < 1e-12
    with pytest.raises(go.InputError, match="Newton's law only"):
        go.collide(disc(1.0, 1.0, tangential_restitution=1.0), [0, 1, 0], [3, -2, 0], law="poisson")


@pytest.mark.parametrize(
    ("degrees", "v", "e", "mu", "newton", "poisson"),
    [
        (60, [0, -2, 0], 0.5, 0.3, (2.205414402442428, 0.6616243207327284), None),
        (30, [0.5, -1, 2], 0.8, 0.4, (1.144735479061081, 0.2783171475544961),
         (0.8910314477582485, -0.03960139767814438)),
    ],
)  # fmt: skip
def test_a_rod_struck_at_its_tip(degrees, v, e, mu, newton, poisson):
    for law, expected in (("newton", newton), ("poisson", poisson or newton)):
        struck = go.collide(rod(mu, e), rod_at(np.radians(degrees)), v, law=law)
        found = struck.impulses["tip"], struck.friction_impulses["tip"]
        assert np.allclose(found, expected, rtol=0, atol=1e-12)
        assert struck.certificate.worst < 1e-9


def test_newtons_law_gains_energy_on_kanes_pendulum_and_poissons_does_not():
    q, v = np.radians([20, 30]), [-0.1, -0.2]
    newton, poisson = (go.collide(kane(), q, v, law=law) for law in ("newton", "poisson"))
    kinetic = 0.5 * np.array(v) @ newton.snapshot.mass @ np.array(v)
    assert newton.energy_change / kinetic == pytest.approx(0.5874946869298477, abs=1e-9)
    assert newton.gains_energy
    assert poisson.energy_change / kinetic == pytest.approx(-0.4551339365114762, abs=1e-9)
    assert not poisson.gains_energy


@pytest.mark.parametrize("seed", range(20))
def test_compression_loses_what_friction_takes(seed):
    """L'u+ = -sum mu L_N |u_T+|: plastic impacts dissipate, contact by contact."""
    rng = np.random.default_rng([seed, 19])
    n = int(rng.integers(1, 4))
    W, T, root = rng.normal(size=(n, 8)), rng.normal(size=(n, 8)), rng.normal(size=(8, 8))
    mu = rng.uniform(0.0, 1.0, n)
    contact = go.Contact("c", lambda q, t: W @ q, slip=lambda q, v, t: T @ v, friction=mu.tolist())
    system = go.System(root @ root.T + 0.1 * np.eye(8), np.zeros(8), contacts=[contact])
    struck = go.collide(system, np.zeros(8), rng.normal(size=8))
    L_N, L_T = struck.impulses["c"], struck.friction_impulses["c"]
    u_T = struck.slips_after["c"]
    work = L_N @ struck.rates_after["c"] + L_T @ u_T
    assert work == pytest.approx(-np.sum(mu * L_N * np.abs(u_T)), abs=1e-10)
    assert struck.energy_change <= 1e-12
    assert struck.certificate.worst < 1e-9


def test_a_moving_belt_does_work_in_an_impact():
    belt = go.Contact("belt", lambda q, t: q[1], slip=lambda q, v, t: v[0] - 2.0, friction=10.0)
    struck = go.collide(go.System([1.0, 1.0], [0.0, 0.0], contacts=[belt]), [0, 0], [0, -1])
    assert np.allclose(struck.v_after, [2.0, 0.0])
    assert struck.work_of_moving_constraints == pytest.approx(4.0)
    assert struck.dissipation == pytest.approx(1.5 - 4.0)


def test_one_after_the_other_with_friction():
    struck = go.collide(disc(0.2, 0.8), [0, 1, 0], [3, -2, 0], law=go.Sequential(go.Poisson()))
    assert np.allclose(struck.v_after, [2.28, 1.6, -1.44], rtol=0, atol=1e-12)
    with pytest.raises(go.InputError, match="not defined with friction"):
        go.collide(disc(0.2, 0.8), [0, 1, 0], [3, -2, 0], law="newton-equality")


# What is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"friction": 0.1}, "friction needs slip="),
        ({"slip": lambda q, v, t: v[0] ** 2, "friction": 0.1}, "affine in v"),
        ({"slip": lambda q, v, t: v[0], "friction": np.nan}, "friction must be a finite number"),
        ({"slip": lambda q, v, t: v[0], "friction": -0.1}, "friction must be a finite number"),
        ({"slip": lambda q, v, t: v[0], "friction": 0.3, "static_friction": 0.2}, "at least"),
        ({"slip": lambda q, v, t: v[0], "tangential_restitution": 1.5}, "between 0 and 1"),
        ({"slip": lambda q, v, t: v[:3], "friction": 0.3}, r"1 value\(s\) in the plane"),
        ({"slip": lambda q, v, t: v[0], "friction": [0.1, 0.2]}, "2 values of friction"),
    ],
)
def test_a_contact_that_makes_no_sense_is_refused(options, words):
    with pytest.raises(go.ModelError, match=words):
        go.System([1.0] * 3, contacts=[go.Contact("floor", lambda q, t: q[1], **options)])


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize(
    ("gap", "slip"),
    [
        (lambda q: q[1], lambda q, v: v[1]),
        (lambda q: q[1] - 0.5 * np.cos(q[2]), lambda q, v: v[1] + 0.5 * np.sin(q[2]) * v[2]),
        (lambda q: np.sqrt(q[0]) + q[1], lambda q, v: 0.5 * v[0] / np.sqrt(q[0]) + v[1]),
    ],
)
def test_a_slip_that_is_the_rate_of_its_gap_is_refused(gap, slip, sign):
    floor = go.Contact(
        "floor", lambda q, t: gap(q), slip=lambda q, v, t: sign * slip(q, v) - 0.2, friction=0.3
    )
    with pytest.raises(go.ModelError, match="slip of 'floor' is the rate of its gap: it must be"):
        go.System([1.0] * 3, [0.0, -g, 0.0], contacts=[floor])


def test_the_row_whose_slip_is_the_rate_of_its_gap_is_found_among_others():
    walls = go.Contact(
        "walls", lambda q, t: q[:2], slip=lambda q, v, t: np.array([v[1], v[1]]), friction=0.3
    )
    with pytest.raises(go.ModelError, match="slip of 'walls' is the rate of its gap"):
        go.System([1.0] * 3, contacts=[walls])


def test_a_slip_of_the_same_size_as_the_rate_of_its_gap_is_none():
    corner = go.Contact(
        "corner", lambda q, t: q[1] + q[0], slip=lambda q, v, t: v[0] - v[1], friction=0.3
    )
    assert go.System([1.0, 1.0], contacts=[corner]).contacts[0].rough


def test_what_friction_cannot_be_combined_with_is_refused():
    with pytest.raises(go.InputError, match="together with friction"):
        go.accelerate(block(), [0, 0], [1, 0], weight=1.0)
    floor = go.Contact("floor", lambda q, t: q[1], slip=lambda q, v, t: v[0], friction=0.1)
    resisted = go.System(
        [1.0, 1.0], [0, -g], contacts=[floor], nonideal=lambda q, v, t, ideal: -0.1 * ideal
    )
    with pytest.raises(go.ModelError, match="not supported together with friction"):
        go.accelerate(resisted, [0, 0], [1, 0])


def test_a_simulation_with_friction_in_space_is_refused():
    floor = go.Contact(
        "floor", lambda q, t: q[2], slip=lambda q, v, t: np.array([v[0], v[1]]), friction=0.1
    )
    point = go.System([1.0, 1.0, 1.0], [0, 0, -g], contacts=[floor])
    with pytest.raises(go.ModelError, match=r"in space \('floor'\) is not supported"):
        go.simulate(point, [0, 0, 0], [1, 0, 0], (0, 1))


def in_space(force):
    """A block on a rough plane, with two slips for its one gap."""
    floor = go.Contact(
        "floor", gap=lambda q, t: q[2], slip=lambda q, v, t: np.array([v[0], v[1]]), friction=0.2
    )
    return go.System(np.ones(3), force, contacts=[floor])


def test_a_contact_that_slides_in_space_is_slowed_against_its_slip():
    answer = go.accelerate(in_space([0.0, 0.0, -10.0]), np.zeros(3), [3.0, 4.0, 0.0])
    assert answer.acceleration == pytest.approx([-1.2, -1.6, 0.0], abs=1e-9)


def test_what_is_not_solved_in_space_has_no_answer_rather_than_a_wrong_one():
    # Each push alone is below mu m g, both together are above it: a pyramid would let it stick.
    pushed = in_space([1.8, 1.8, -10.0])
    with pytest.raises(go.SolverError, match="no certified answer"):
        go.accelerate(pushed, np.zeros(3), np.zeros(3))
    with pytest.raises(go.SolverError, match="no certified answer"):
        go.collide(pushed, np.zeros(3), [3.0, 4.0, -2.0])
