"""Rows that are dependent on the constraint surface only: mechanisms written as they are built."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go
from gauss_opt.qp.light_masses import solve_split

# Rows of the hinges that are independent, picked by hand.
BY_HAND = {"bricard": np.arange(29), "spherical_four_bar": np.r_[0:15, 18, 19]}
DISTANCES = (1e-12, 1e-10, 1e-8, 1e-6)
MECHANISMS = pytest.mark.parametrize("name", BY_HAND)


def setup_of(name):
    return go.find_case(name)().build()


def with_rows(system, rows, **other):
    """The system with some of the rows of its hinges."""
    phi = system.constraints[0].phi
    return go.System(
        mass=system.mass,
        force=system.force,
        constraints=[go.Holonomic("hinges", lambda q, t: phi(q, t)[rows])],
        kinematics=system.kinematics,
        nq=system.nq,
        **other,
    )


@pytest.fixture(scope="module")
def pairs():
    """By name: the system with all rows, the one with rows picked by hand, and a state of both."""
    made = {}

    def get(name):
        if name not in made:
            setup = setup_of(name)
            few = with_rows(setup.system, BY_HAND[name])
            moved = go.simulate(few, setup.q0, setup.v0, (0.0, 0.5), rtol=1e-11)
            made[name] = setup.system, few, *go.assemble(few, moved.q[-1], moved.v[-1])
        return made[name]

    return get


# Runs


@MECHANISMS
def test_all_rows_take_no_more_steps_than_rows_picked_by_hand(name):
    setup = setup_of(name)
    ask = setup.q0, setup.v0, setup.t_span
    few = go.simulate(with_rows(setup.system, BY_HAND[name]), *ask, rtol=1e-9)
    every = go.simulate(setup.system, *ask, rtol=1e-9)
    assert every.success
    assert every.stats.steps <= 1.1 * few.stats.steps
    for t in np.linspace(*setup.t_span, 7):
        assert_allclose(every(t).q, few(t).q, atol=1e-7)
    assert every.stats.worst_drift <= 1e-9


@MECHANISMS
def test_a_run_stopped_and_resumed_has_the_same_bits(name, tmp_path):
    setup = setup_of(name)
    start = setup.system, setup.q0, setup.v0, (0.0, 1.0)
    options = {"checkpoint": tmp_path / "c.npz", "checkpoint_every": 1}
    whole = go.simulate(*start)
    for count in range(3, whole.stats.steps, 4):
        stopped = go.simulate(*start, **options, max_steps=count, throw=False)
        assert not stopped.success
        resumed = go.simulate(*start, **options, resume=True)
        assert_array_equal(resumed.q, whole.q)
        assert resumed.stats.qp_total == whole.stats.qp_total


def test_a_contact_of_a_mechanism_with_dependent_rows():
    """Bricard's mechanism strikes a floor: the same events as with rows picked by hand."""
    setup = setup_of("bricard")
    floor = go.Contact("floor", lambda q, t: q[7 * 3 + 1] + 1.15, restitution=0.4)
    phi = setup.system.constraints[0].phi
    runs = []
    for rows in (np.arange(30), BY_HAND["bricard"]):
        system = go.System(
            mass=setup.system.mass,
            force=setup.system.force,
            constraints=[go.Holonomic("hinges", lambda q, t, rows=rows: phi(q, t)[rows])],
            contacts=[floor],
            kinematics=setup.system.kinematics,
            nq=35,
        )
        runs.append(go.simulate(system, setup.q0, setup.v0, (0.0, 2.0), rtol=1e-9))
    every, few = runs
    # How many bounces it takes until their limit can be told depends on round-off; the limit
    # does not.
    series = [[e for e in run.events if e.kind != "accumulation"] for run in runs]
    bounces = min(map(len, series))
    assert bounces >= 10
    for one, other in zip(*series, strict=False):
        assert (one.kind, one.contacts) == (other.kind, other.contacts)
        assert abs(one.t - other.t) < 1e-7
    limits = [[e.t for e in run.events if e.kind == "accumulation"] for run in runs]
    assert len(limits[0]) == len(limits[1]) > 0
    assert_allclose(*limits, atol=1e-7)
    assert_allclose(every.q[-1], few.q[-1], atol=1e-6)


# Single answers beside the surface


@MECHANISMS
@pytest.mark.parametrize("off", DISTANCES)
@pytest.mark.parametrize("level", ["positions", "velocities"])
def test_accelerations_change_in_proportion_to_the_distance(name, off, level, pairs):
    every, few, q, v = pairs(name)
    rng = np.random.default_rng(3)
    exact = go.accelerate(few, q, v).acceleration
    if level == "positions":
        q = q + off * rng.normal(size=len(q))
    else:
        v = v + off * rng.normal(size=len(v))
    answer = go.accelerate(every, q, v)
    assert np.abs(answer.acceleration - exact).max() <= 1e3 * off + 1e-11
    assert answer.certificate.passes(1e-9)
    note = answer.dependence
    assert len(note.left_out) == len(every.constraints[0].phi(q, 0.0)) - len(BY_HAND[name])
    assert set(note.left_out) == {"hinges"}
    assert 1e-2 * off <= note.off <= 1e4 * off
    assert note.misfit <= 10.0 * off
    assert "hinges" in str(answer)


@MECHANISMS
@pytest.mark.parametrize("off", [0.0, 1e-9, 1e-6])
def test_a_velocity_that_no_row_allows_has_no_acceleration(name, off, pairs):
    """The rows contradict each other by as much as the velocity: no answer is right."""
    every, _, q, v = pairs(name)
    rng = np.random.default_rng(9)
    q = q + off * rng.normal(size=len(q))
    with pytest.raises((go.InfeasibleError, go.SolverError)):
        go.accelerate(every, q, v + rng.normal(size=len(v)))


@MECHANISMS
@pytest.mark.parametrize("off", DISTANCES[:-1])
def test_engaging_changes_in_proportion_to_the_distance(name, off, pairs):
    every, few, q, v = pairs(name)
    rng = np.random.default_rng(4)
    v = v + rng.normal(size=len(v))
    exact = go.engage(few, q, v).v_after
    caught = go.engage(every, q + off * rng.normal(size=len(q)), v)
    assert np.abs(caught.v_after - exact).max() <= 1e2 * off + 1e-11
    assert caught.certificate.passes(1e-9)
    assert caught.dependence.misfit <= 10.0 * off
    assert "hinges" in str(caught)


@MECHANISMS
@pytest.mark.parametrize("off", [0.0, *DISTANCES, 1e-4, 1e-2])
def test_assembly_gets_onto_all_rows(name, off, pairs):
    every, few, q, v = pairs(name)
    rng = np.random.default_rng(5)
    v = v + rng.normal(size=len(v))
    found = go.assemble(every, q + off * rng.normal(size=len(q)), v)
    there = go.evaluate(every, found.q, found.v)
    assert np.abs(there.value).max() <= 1e-14
    assert np.abs(there.rate).max() <= 1e-12
    assert found.degrees_of_freedom == (1, 1)
    assert_allclose(found.q, q, atol=30.0 * off + 1e-14)
    assert len(found.dependence.left_out) == len(there.value) - len(BY_HAND[name])
    again = go.assemble(few, found.q, v)
    assert_allclose(found.v, again.v, atol=1e-10)


@MECHANISMS
def test_a_held_position_stays_where_it_is(name, pairs):
    every, _, q, v = pairs(name)
    guess = q + 1e-3 * np.random.default_rng(6).normal(size=len(q))
    found = go.assemble(every, guess, v, hold_q=[0])
    assert found.q[0] == pytest.approx(guess[0], abs=1e-13)
    assert np.abs(go.evaluate(every, found.q, found.v).value).max() <= 1e-13


# What must not be taken for it


def walker(foot):
    """A hip of 1 kg on two legs with light feet, one of them pinned, in mid-step."""

    def legs(q, t):
        stance = (q[0] - q[2]) ** 2 + (q[1] - q[3]) ** 2 - 1.0
        swing = (q[4] - q[2]) ** 2 + (q[5] - q[3]) ** 2 - 1.0
        return np.array([stance, swing])

    pin = go.Holonomic("pin", lambda q, t: np.array([q[0], q[1]]))
    mass = np.array([foot, foot, 1.0, 1.0, foot, foot])
    weight = mass * np.tile([np.sin(0.009), -np.cos(0.009)], 3)
    system = go.System(mass, weight, [go.Holonomic("legs", legs), pin])
    angle, speed = 0.200310900544247, -0.199832473004952
    hip = np.array([-np.sin(angle), np.cos(angle)])
    forward = speed * np.array([-np.cos(angle), -np.sin(angle)])
    between, turning = -angle, speed * np.cos(2.0 * angle)
    foot_from_hip = np.array([np.sin(between), -np.cos(between)])
    q = np.concatenate([[0.0, 0.0], hip, hip + foot_from_hip])
    swing = turning * np.array([np.cos(between), np.sin(between)])
    return system, q, np.concatenate([[0.0, 0.0], forward, forward + swing])


@pytest.mark.parametrize("off", [0.0, *DISTANCES, 1e-4])
def test_light_feet_are_not_dependent_rows(off):
    """Their rows are nearly dependent when whitened, on the surface as much as beside it."""
    system, q, v = walker(1e-8)
    rng = np.random.default_rng(7)
    exact = go.accelerate(walker(1e-4)[0], q, v).acceleration
    answer = go.accelerate(system, q + off * rng.normal(size=6), v + off * rng.normal(size=6))
    assert answer.dependence is None
    # The feet are too light to matter: heavier ones change the motion by their mass.
    assert_allclose(answer.acceleration, exact, atol=20.0 * off + 3e-4)
    found = go.assemble(system, q + off * rng.normal(size=6), v)
    assert found.dependence is None
    assert found.degrees_of_freedom == (2, 2)


def test_a_walker_with_light_feet_walks():
    system, q, v = walker(1e-8)
    result = go.simulate(system, q, v, (0.0, 3.8))
    assert result.success
    assert_allclose(result.q[-1, 2:4], [0.18208056, 0.98328362], atol=1e-6)


def test_rows_that_truly_contradict_each_other_stay_infeasible():
    """Two copies of a driven rod whose drives differ, at a moment when both hold."""

    def rods(q, t):
        length = q[0] ** 2 + q[1] ** 2
        return np.array([length - 1.0 - t**2, length - 1.0 - 1.01 * t**2])

    rod = go.System([1.0, 1.0], [0.0, -9.81], [go.Holonomic("rods", rods)])
    with pytest.raises(go.InfeasibleError, match="rods"):
        go.accelerate(rod, [0.6, 0.8], [0.0, 0.0])
    with pytest.raises((go.InfeasibleError, go.ModelError)):
        go.assemble(rod, [0.6, 0.8], [0.0, 0.0], 0.1)


# Random redundant mechanisms


def random_mechanism(seed):
    """Point masses on rods, pinned; the same with redundant rows; a state; and the redundancy."""
    rng = np.random.default_rng(seed)
    dim, n = int(rng.integers(2, 4)), int(rng.integers(3, 6))
    places = rng.normal(size=(n, dim))
    pairs = [(i, i + 1) for i in range(n - 1)]
    squares = [float(np.sum((places[i] - places[j]) ** 2)) for i, j in pairs]
    anchor = places[0].copy()

    def base(q):
        points = [q[dim * i : dim * i + dim] for i in range(n)]
        rods = [
            sum((points[i][c] - points[j][c]) ** 2 for c in range(dim)) - square
            for (i, j), square in zip(pairs, squares, strict=True)
        ]
        return [*(points[0][c] - anchor[c] for c in range(dim)), *rods]

    ways = {
        "a copy": lambda f, c: c[0] * f[0],
        "a function": lambda f, c: np.exp(c[0] * f[0]) - 1.0,
        "a product": lambda f, c: f[0] * f[1],
        "a square": lambda f, c: f[0] * f[0],
        "bent": lambda f, c: f[0] + c[0] * f[0] * f[1],
        "combined": lambda f, c: c[0] * f[0] + c[1] * f[1] + c[2] * f[0] * f[1] + c[3] * f[2] ** 2,
    }
    added = [
        (str(rng.choice(list(ways))), rng.choice(dim + n - 1, 3, replace=False), rng.normal(size=4))
        for _ in range(int(rng.integers(1, 4)))
    ]

    def redundant(q, t):
        f = base(q)
        return np.array([*f, *(ways[way]([f[i] for i in which], c) for way, which, c in added)])

    mass = np.repeat(np.exp(rng.normal(size=n)), dim)
    weight = mass * np.tile(np.r_[np.zeros(dim - 1), -9.81], n)
    few = go.System(mass, weight, [go.Holonomic("rods", lambda q, t: np.array(base(q)))])
    every = go.System(mass, weight, [go.Holonomic("rods", redundant)])
    return few, every, *go.assemble(few, places.ravel(), rng.normal(size=n * dim)), rng


@pytest.mark.parametrize("seed", range(20))
def test_redundant_rows_change_no_answer(seed):
    few, every, q, v, rng = random_mechanism(seed)
    for off in (0.0, 1e-14, *DISTANCES):
        q1, v1 = q + off * rng.normal(size=len(q)), v + off * rng.normal(size=len(v))
        for at in ((q1, v), (q, v1), (q1, v1)):
            expected = go.accelerate(few, *at).acceleration
            answer = go.accelerate(every, *at)
            size = np.abs(expected).max()
            assert_allclose(answer.acceleration, expected, atol=(1e3 * off + 1e-11) * size)
        found = go.assemble(every, q1, v1)
        assert np.abs(go.evaluate(few, found.q, found.v).value).max() <= 1e-7 * off + 1e-12
        if off < DISTANCES[-1]:
            struck = v + rng.normal(size=len(v))
            expected = go.engage(few, q1, struck).v_after
            assert_allclose(go.engage(every, q1, struck).v_after, expected, atol=1e3 * off + 1e-11)


@pytest.mark.parametrize("seed", range(20, 26))
def test_redundant_rows_change_no_run(seed):
    few, every, q, v, _ = random_mechanism(seed)
    expected = go.simulate(few, q, v, (0.0, 1.0), rtol=1e-9)
    result = go.simulate(every, q, v, (0.0, 1.0), rtol=1e-9)
    assert result.success
    assert result.stats.steps <= 1.2 * expected.stats.steps + 5
    assert_allclose(result.q[-1], expected.q[-1], atol=1e-6)


# Light masses in chains


@pytest.mark.parametrize("foot", [1e-6, 1e-9, 1e-12, 1e-15])
def test_feet_of_next_to_no_mass_keep_all_digits(foot):
    """Whitening alone would lose as many digits as there are between foot and hip."""
    system, q, v = walker(foot)
    rng = np.random.default_rng(8)
    answers = [go.accelerate(system, q * (1.0 + 1e-15 * rng.normal(size=6)), v) for _ in range(10)]
    assert np.ptp([answer.acceleration for answer in answers], axis=0).max() <= 1e-13
    assert all(answer.certificate.passes(1e-9) for answer in answers)
    # The swing foot is carried by its leg alone: m (a - g) = 2 l (foot - hip).
    answer = answers[0]
    pull = foot * (answer.acceleration[4:] - [np.sin(0.009), -np.cos(0.009)])
    leg = answer.multipliers["legs"][1] * 2.0 * (q[4:] - q[2:4])
    assert_allclose(leg, pull, rtol=1e-9)


@pytest.mark.parametrize("foot", [1e-9, 1e-12, 1e-15])
def test_feet_of_next_to_no_mass_take_no_more_steps(foot):
    system, q, v = walker(foot)
    result = go.simulate(system, q, v, (0.0, 3.8))
    heavy = go.simulate(walker(1e-3)[0], q, v, (0.0, 3.8))
    assert result.success
    assert result.stats.steps <= heavy.stats.steps + 5
    assert_allclose(result.q[-1, 2:4], [0.18208056, 0.98328362], atol=1e-7)


@pytest.mark.parametrize("seed", range(30))
def test_light_masses_against_arithmetic_of_fractions(seed):
    """Masses over 14 orders of magnitude, coupled, with rows that couple them."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    k = int(rng.integers(1, n))
    size = np.sqrt(10.0 ** rng.uniform(-14.0, 0.0, n))
    size[0], size[-1] = 1.0, 1e-6
    root = rng.normal(size=(n, n))
    mass = size[:, None] * (root @ root.T + np.eye(n)) * size
    rows = rng.normal(size=(k, n))
    problem = go.GaussProblem.create(
        mass, load=mass @ rng.normal(size=n), Ae=rows, be=rng.normal(size=k)
    )
    split = solve_split(problem, np.arange(k))
    exact = solved_exactly(problem)
    assert split is not None
    assert_allclose(split[0], exact[:n], rtol=1e-8, atol=1e-10 * np.abs(exact[:n]).max())
    left = problem.metric @ split[0] - problem.load - problem.rows.T @ split[1]
    terms = np.abs(problem.metric) @ np.abs(split[0]) + np.abs(problem.load)
    assert np.abs(left).max() <= 1e-13 * terms.max()


def solved_exactly(problem):
    """x and multipliers by elimination in fractions."""
    A, k, n = problem.rows, len(problem.rhs), problem.n
    matrix = np.block([[problem.metric, -A.T], [A, np.zeros((k, k))]])
    right = np.concatenate([problem.load, problem.rhs])
    table = [[Fraction(x) for x in row] for row in np.column_stack([matrix, right]).tolist()]
    for i in range(n + k):
        pivot = max(range(i, n + k), key=lambda row: abs(table[row][i]))
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [x / table[i][i] for x in table[i]]
        for row in range(n + k):
            if row != i and table[row][i]:
                table[row] = [
                    x - table[row][i] * y for x, y in zip(table[row], table[i], strict=True)
                ]
    return np.array([float(row[-1]) for row in table])


def test_a_state_far_off_the_surface_changes_the_acceleration_in_proportion():
    setup = setup_of("bricard")
    q, v = np.array(setup.q0, dtype=float), np.array(setup.v0, dtype=float)
    exact = go.accelerate(setup.system, q, v).acceleration
    size = np.abs(exact).max()
    for seed in range(3):
        way = np.random.default_rng(seed).normal(size=len(q))
        way /= np.linalg.norm(way)
        for off in (1e-6, 1e-4, 1e-3, 1e-2):
            moved = go.accelerate(setup.system, q + off * way, v).acceleration
            assert np.abs(moved - exact).max() < 10.0 * off * size


def test_rows_nonlinear_in_velocities_may_say_the_same_in_other_words():
    def force(q, v, t):
        return np.array([np.sin(q[1]), -q[0]])

    once = go.Nonholonomic("speed", lambda q, v, t: v[0] ** 2 + v[1] ** 2 - 1.0)
    twice = go.Nonholonomic("twice", lambda q, v, t: 2.0 * (v[0] ** 2 + v[1] ** 2) - 2.0)
    root = go.Nonholonomic("root", lambda q, v, t: np.sqrt(v[0] ** 2 + v[1] ** 2) - 1.0)
    start = [0.0, 0.3], [1.0, 0.0], (0.0, 3.0)
    alone = go.simulate(go.System([1.0, 2.0], force, [once]), *start)
    for rows in ([once, twice], [once, root], [once, twice, root]):
        result = go.simulate(go.System([1.0, 2.0], force, rows), *start)
        assert result.stats.steps == alone.stats.steps
        assert_allclose(result.q[-1], alone.q[-1], atol=1e-10)


def test_a_massless_point_is_held_by_rows_that_depend():
    mass = np.diag([1.0, 0.0, 2.0])

    def force(q, v, t):
        return np.array([0.0, -9.81, q[0]])

    def off(q):
        return q[1] - q[0] ** 2

    once = go.Holonomic("wire", lambda q, t: off(q))
    again = [go.Holonomic("twice", lambda q, t: 2.0 * off(q)),
             go.Holonomic("bent", lambda q, t: off(q) + off(q) ** 2)]  # fmt: skip
    start = [1.0, 1.0, 0.0], [0.0, 0.0, 0.0], (0.0, 2.0)
    alone = go.simulate(go.System(mass, force, [once]), *start)
    for more in (again[:1], again[1:], again):
        result = go.simulate(go.System(mass, force, [once, *more]), *start)
        assert result.stats.steps <= 2 * alone.stats.steps
        assert_allclose(result.q[-1], alone.q[-1], atol=1e-9)
