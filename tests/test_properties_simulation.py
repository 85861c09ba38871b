"""Properties of impacts and runs on random systems: symmetries, conservation, and same answers."""

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go

LAWS = ("newton", "poisson", "sequential")
seeds = st.integers(0, 2**32 - 1)


def examples(count):
    slow = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
    return settings(max_examples=count, deadline=None, derandomize=True, suppress_health_check=slow)


def random_mass(rng, n):
    root = rng.normal(size=(n, n))
    return root @ root.T / n + 0.3 * np.eye(n)


# --- one impact ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Blow:
    """Planes through the origin, some bilateral and some not, and a velocity into them."""

    mass: np.ndarray
    bilateral: np.ndarray
    planes: np.ndarray
    restitution: np.ndarray
    v: np.ndarray

    def collide(self, law, order=None, **options):
        order = range(len(self.planes)) if order is None else order
        contacts = [
            go.Contact(f"plane {i}", lambda q, t, i=i: self.planes[i] @ q, self.restitution[i])
            for i in order
        ]
        rods = [
            go.Holonomic(f"rod {i}", lambda q, t, row=row: row @ q)
            for i, row in enumerate(self.bilateral)
        ]
        n = len(self.v)
        system = go.System(self.mass, np.zeros(n), rods, contacts)
        return go.collide(system, np.zeros(n), self.v, law=law, **options)

    @property
    def energy(self):
        return 0.5 * self.v @ self.mass @ self.v

    def distance(self, v, other):
        """Distance of two velocities in the metric of the mass, relative to the speed before."""
        return np.sqrt(0.5 * (v - other) @ self.mass @ (v - other) / self.energy)


@st.composite
def blows(draw, most=5, same=False):
    """Contacts approach, rest or separate; their rows may be redundant."""
    rng = np.random.default_rng(draw(seeds))
    n = draw(st.integers(2, most))
    m = draw(st.integers(0, n - 2))
    k = draw(st.integers(1, 5))
    mass = random_mass(rng, n) * 10.0 ** draw(st.integers(-6, 6))
    bilateral, planes = rng.normal(size=(m, n)), rng.normal(size=(k, n))
    v = rng.normal(size=n)
    v -= np.linalg.pinv(bilateral) @ (bilateral @ v)
    away = rng.random(k) < 0.2
    away[0] = False
    planes *= -np.where(away, -1.0, 1.0)[:, None] * np.sign(planes @ v)[:, None]
    if k > 1 and draw(st.booleans()):  # the second plane rests
        planes[1] -= (planes[1] @ v) / (v @ v) * v
    e = np.full(k, draw(st.floats(0, 1))) if same else rng.choice([0.0, 1.0, *rng.random(4)], k)
    return Blow(mass, bilateral, planes, e, v)


def values(by_name):
    return np.array([by_name[name] for name in sorted(by_name) if name.startswith("plane")])


@examples(60)
@given(blows(), st.randoms(use_true_random=False), st.sampled_from(LAWS))
def test_order_of_contacts_does_not_matter_in_an_impact(blow, random, law):
    order = list(range(len(blow.planes)))
    random.shuffle(order)
    one, other = blow.collide(law), blow.collide(law, order)
    assert blow.distance(one.v_after, other.v_after) < 1e-9
    assert one.unique == other.unique
    # minimum-norm impulses are unique too, whether or not there are others
    size = values(one.impulses).max(initial=0.0)
    assert_allclose(values(other.impulses), values(one.impulses), rtol=0, atol=1e-7 * size)


@examples(60)
@given(blows(), st.data(), st.sampled_from(LAWS))
def test_copy_of_a_contact_changes_no_velocity_after_an_impact(blow, data, law):
    one = blow.collide(law)
    assume(law != "poisson" or one.unique)  # otherwise it depends on how impulses are shared
    i = data.draw(st.integers(0, len(blow.planes) - 1))
    stretch = data.draw(st.sampled_from([1.0, 0.2, 30.0]))
    doubled = replace(
        blow,
        planes=np.vstack([blow.planes, stretch * blow.planes[i]]),
        restitution=np.append(blow.restitution, blow.restitution[i]),
    )
    other = doubled.collide(law)
    assert blow.distance(one.v_after, other.v_after) < 1e-9
    assert other.energy_change == pytest.approx(one.energy_change, abs=1e-9 * blow.energy)


@examples(60)
@given(blows(), *[st.floats(-6, 6)] * 2, st.sampled_from(LAWS))
def test_units_do_not_matter_in_an_impact(blow, mass, speed, law):
    m, c = 10.0**mass, 10.0**speed
    one, other = blow.collide(law), replace(blow, mass=m * blow.mass, v=c * blow.v).collide(law)
    assert blow.distance(one.v_after, other.v_after / c) < 1e-9
    assert other.energy_change == pytest.approx(
        m * c**2 * one.energy_change, rel=0, abs=1e-9 * m * c**2 * blow.energy
    )
    size = values(one.impulses).max(initial=0.0)
    assert_allclose(values(other.impulses) / (m * c), values(one.impulses), atol=1e-7 * size)


@examples(60)
@given(blows(), seeds, st.sampled_from(LAWS))
def test_coordinates_do_not_matter_in_an_impact(blow, seed, law):
    n = len(blow.v)
    T = np.random.default_rng(seed).normal(size=(n, n)) + 2.0 * np.eye(n)
    assume(np.linalg.cond(T) < 100)
    turned = Blow(
        T.T @ blow.mass @ T,
        blow.bilateral @ T,
        blow.planes @ T,
        blow.restitution,
        np.linalg.solve(T, blow.v),
    )
    one, other = blow.collide(law), turned.collide(law)
    assert blow.distance(one.v_after, T @ other.v_after) < 1e-9
    size = values(one.impulses).max(initial=0.0)
    assert_allclose(values(other.impulses), values(one.impulses), rtol=0, atol=1e-7 * size)


@examples(120)
@given(blows(), st.sampled_from(LAWS))
def test_energy_never_rises_with_rods_and_contacts_that_rest_or_leave(blow, law):
    collision = blow.collide(law)
    assert collision.energy_change <= 1e-11 * blow.energy
    speed = np.abs(blow.planes @ blow.v).max()
    assert values(collision.rates_after)[collision.contacts - len(blow.bilateral)].min() > (
        -1e-8 * speed
    )
    assert_allclose(blow.bilateral @ collision.v_after, 0.0, atol=1e-11 * np.abs(blow.v).max())


@examples(80)
@given(blows(), st.sampled_from(["newton", "poisson"]))
def test_impulses_push_and_are_complementary(blow, law):
    """Newton: L with rate+ + e rate-. Poisson: Lc with rate_c, then Le - e Lc with rate+."""
    collision = blow.collide(law)
    rows = collision.contacts
    planes, e = (a[rows - len(blow.bilateral)] for a in (blow.planes, blow.restitution))
    stages = []
    if law == "newton":
        slack = planes @ collision.v_after + e * (planes @ blow.v)
        stages.append((collision.row_impulses[rows], slack))
    else:
        compression, expansion = collision.jumps
        given_back = e * compression.impulses[rows]
        stages.append((compression.impulses[rows], planes @ compression.v))
        stages.append((expansion.impulses[rows] - given_back, planes @ collision.v_after))
        total = compression.impulses + expansion.impulses
        assert_allclose(collision.row_impulses, total, rtol=1e-12)
    # sizes in the metric of the mass: an impulse over a row's length is a speed
    lengths = np.sqrt(np.einsum("ij,ij->i", planes, np.linalg.solve(blow.mass, planes.T).T))
    speed = np.sqrt(2.0 * blow.energy)
    for impulses, slack in stages:
        impulses, slack = impulses * lengths / speed, slack / lengths / speed
        assert impulses.min() > -1e-9
        assert slack.min() > -1e-9
        assert np.abs(impulses * slack).max() < 1e-9 * max(1.0, impulses.max())


@examples(60)
@given(blows(), st.sampled_from(LAWS))
def test_momentum_along_free_directions_is_conserved(blow, law):
    collision = blow.collide(law)
    struck = blow.planes[collision.contacts - len(blow.bilateral)]
    rows = np.vstack([blow.bilateral, struck])
    _, s, basis = np.linalg.svd(rows)
    free = basis[np.count_nonzero(s > 1e-10 * s[0]) :]
    assume(len(free))
    change = free @ blow.mass @ (collision.v_after - blow.v)
    assert np.abs(change).max() <= 1e-11 * np.abs(free @ blow.mass).max() * np.abs(blow.v).max()


@examples(60)
@given(blows(same=True))
def test_newton_is_poisson_for_equal_coefficients_with_rods(blow):
    newton, poisson = blow.collide("newton"), blow.collide("poisson")
    assert blow.distance(newton.v_after, poisson.v_after) < 1e-9


@examples(40)
@given(blows(most=4), blows(most=4))
def test_newton_is_poisson_when_coefficients_commute_with_the_coupling(one, other):
    """Two separate systems side by side, one coefficient in each: E commutes with W'M^-1 W."""
    n, m = len(one.v), len(other.v)

    def side_by_side(a, b):
        return np.block([[a, np.zeros((len(a), m))], [np.zeros((len(b), n)), b]])

    both = Blow(
        side_by_side(one.mass / np.trace(one.mass), other.mass / np.trace(other.mass)),
        side_by_side(one.bilateral, other.bilateral),
        side_by_side(one.planes, other.planes),
        np.repeat([one.restitution[0], other.restitution[0]], [len(one.planes), len(other.planes)]),
        np.concatenate([one.v, other.v]),
    )
    newton, poisson = both.collide("newton"), both.collide("poisson")
    assert both.distance(newton.v_after, poisson.v_after) < 1e-9


@examples(40)
@given(blows())
def test_all_laws_agree_on_a_single_contact(blow):
    single = replace(blow, planes=blow.planes[:1], restitution=blow.restitution[:1])
    newton, *others = (single.collide(law) for law in LAWS)
    for other in others:
        assert blow.distance(newton.v_after, other.v_after) < 1e-9
        size = newton.impulses["plane 0"]
        assert other.impulses["plane 0"] == pytest.approx(size, rel=1e-9)
    rates = [c["plane 0"] for c in (newton.rates_before, newton.rates_after)]
    assert rates[1] == pytest.approx(-single.restitution[0] * rates[0], abs=1e-9 * abs(rates[0]))


@examples(60)
@given(blows(), st.data())
def test_copy_of_a_resting_contact_changes_no_acceleration(blow, data):
    """Curved surfaces touch at the origin; the load is random, so that some of them carry."""
    n, k = len(blow.v), len(blow.planes)
    load = blow.mass @ blow.v * 7.0
    copies = data.draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=3))

    def accelerate(chosen):
        contacts = [
            go.Contact(f"{place}", lambda q, t, i=i: blow.planes[i] @ q + 0.5 * (i + 1) * q @ q)
            for place, i in enumerate(chosen)
        ]
        return go.accelerate(go.System(blow.mass, load, (), contacts), np.zeros(n), np.zeros(n))

    one, other = accelerate(range(k)), accelerate([*copies, *range(k)])
    assert blow.distance(one.acceleration, other.acceleration) < 1e-9
    force = np.linalg.solve(blow.mass, other.constraint_force - one.constraint_force)
    assert blow.distance(force, 0.0 * force) < 1e-8


# --- whole runs ---------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Scene:
    """A body on a spring among curved walls: a matrix mass, a steady load, gaps of order one."""

    mass: np.ndarray
    load: np.ndarray
    stiffness: float
    planes: np.ndarray
    offsets: np.ndarray
    bends: np.ndarray
    restitution: np.ndarray
    v: np.ndarray
    law: str
    duration: float = 1.0

    def run(self, order=None, T=None, units=(1.0, 1.0, 1.0), span=None, start=None, **options):
        """Simulate it with its contacts in another order, in coordinates p with q = T p, or in
        units of mass, length and time of other sizes."""
        m, length, time = units
        T = np.eye(len(self.v)) if T is None else T
        unit = m * length**2 / time**2  # of energy

        def gap(p, t, i):
            q = T @ p / length
            return length * (self.planes[i] @ q + self.offsets[i] + 0.5 * self.bends[i] * (q @ q))

        def force(p, v, t):
            return unit / length * T.T @ (self.load - self.stiffness * (T @ p) / length)

        def potential(p, t):
            q = T @ p / length
            return unit * (0.5 * self.stiffness * (q @ q) - self.load @ q)

        contacts = [
            go.Contact(f"wall {i}", lambda p, t, i=i: gap(p, t, i), self.restitution[i])
            for i in (range(len(self.planes)) if order is None else order)
        ]
        system = go.System(m * T.T @ self.mass @ T, force, (), contacts, potential=potential)
        q, v = (np.zeros(len(self.v)), self.v) if start is None else start
        start = (length * np.linalg.solve(T, q), length / time * np.linalg.solve(T, v))
        span = np.array((0.0, self.duration) if span is None else span) * time
        return go.simulate(system, *start, span, law=self.law, **({"rtol": 1e-10} | options))


@st.composite
def scenes(draw, laws=LAWS):
    rng = np.random.default_rng(draw(seeds))
    n, k = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    planes = rng.normal(size=(k, n))
    planes /= np.linalg.norm(planes, axis=1)[:, None]
    load = 8.0 * rng.normal(size=n)
    planes[0] *= -np.sign(planes[0] @ load)  # something to fall on
    return Scene(
        mass=random_mass(rng, n),
        load=load,
        stiffness=draw(st.sampled_from([0.0, 5.0, 40.0])),
        planes=planes,
        offsets=rng.uniform(0.1, 0.6, k),
        bends=rng.choice([0.0, 0.3, -0.3], k),
        restitution=rng.choice([0.0, 0.3, 0.6, 0.9], k),
        v=rng.normal(size=n),
        law=draw(st.sampled_from(laws)),
    )


def impacts_that_matter(result, time, ends):
    """Impacts that lose a millionth of the energy or more, and not just before an accumulation.

    How many of the ever quicker ones are seen before their sum is taken is a matter of round-off.
    """
    least = 1e-6 * result.energy.kinetic.max()
    return [
        event
        for event in result.events
        if event.kind == "impact"
        and -event.energy_change > least
        and not any(0.0 <= end - event.t / time < 1e-6 for end in ends)
    ]


def assert_same_motion(one, other, T=None, units=(1.0, 1.0, 1.0)):
    """Same impacts, energies and physical positions; ``other`` in coordinates T and units."""
    m, length, time = units
    T = np.eye(one.q.shape[1]) if T is None else T
    assert one.success
    assert other.success
    runs = ((one, 1.0), (other, time))
    ends = [e.t / unit for run, unit in runs for e in run.events if e.kind == "accumulation"]
    mine, theirs = (impacts_that_matter(run, unit, ends) for run, unit in runs)
    assert [set(e.contacts) for e in theirs] == [set(e.contacts) for e in mine]
    assert_allclose([e.t / time for e in theirs], [e.t for e in mine], rtol=0, atol=1e-7)
    unit = m * length**2 / time**2
    for a, b in zip(mine, theirs, strict=True):
        assert_allclose(T @ b.q / length, a.q, rtol=0, atol=1e-7)
        assert_allclose(T @ b.v_after * time / length, a.v_after, rtol=0, atol=1e-6)
        assert b.energy_change / unit == pytest.approx(a.energy_change, abs=1e-6)
    assert other.energy.impact[-1] / unit == pytest.approx(one.energy.impact[-1], abs=1e-6)
    times = np.linspace(one.t[0], one.t[-1], 9)
    expected = one(times)[0]
    found = other(np.clip(times * time, other.t[0], other.t[-1]))[0] @ T.T / length
    assert_allclose(found, expected, rtol=0, atol=1e-7)


@examples(25)
@given(scenes(), st.randoms(use_true_random=False))
def test_order_of_contacts_does_not_matter_in_a_run(scene, random):
    order = list(range(len(scene.planes)))
    random.shuffle(order)
    assert_same_motion(scene.run(), scene.run(order))


@examples(25)
@given(scenes(), st.tuples(*[st.floats(-4, 4)] * 3))
def test_units_of_mass_length_and_time_do_not_matter_in_a_run(scene, powers):
    units = tuple(10.0**power for power in powers)
    assert_same_motion(scene.run(), scene.run(units=units), units=units)


@examples(25)
@given(scenes(), seeds)
def test_coordinates_do_not_matter_in_a_run(scene, seed):
    n = len(scene.v)
    T = np.random.default_rng(seed).normal(size=(n, n)) + 2.0 * np.eye(n)
    assume(np.linalg.cond(T) < 20)
    assert_same_motion(scene.run(), scene.run(T=T), T=T)


@examples(10)
@given(scenes())
def test_every_solver_gives_the_same_run(scene):
    reference = scene.run()
    for name in go.solvers.available():
        other = scene.run(solver=name, reuse_active_set=False)
        assert_same_motion(reference, other)
        # Single collisions of the sequential law are solved in closed form.
        assert other.stats.qp_solver_calls > 0 or scene.law == "sequential"


@examples(25)
@given(scenes(), st.floats(0.1, 0.9))
def test_two_parts_of_a_run_are_the_whole(scene, part):
    whole = scene.run()
    middle = part * scene.duration
    assume(all(abs(event.t - middle) > 1e-6 for event in whole.events))
    first = scene.run(span=(0.0, middle))
    second = scene.run(span=(middle, scene.duration), start=(first.q[-1], first.v[-1]))
    assert_allclose(second.q[-1], whole.q[-1], rtol=0, atol=1e-7)
    assert_allclose(second.v[-1], whole.v[-1], rtol=0, atol=1e-6)
    lost = first.energy.impact[-1] + second.energy.impact[-1]
    assert lost == pytest.approx(whole.energy.impact[-1], abs=1e-6)


@examples(15)
@given(scenes())
def test_runs_survive_a_file_to_the_last_bit(scene):
    run = scene.run()
    with tempfile.TemporaryDirectory() as folder:
        run.save(Path(folder) / "run.npz")
        loaded = go.load(Path(folder) / "run.npz")
    for name in ("t", "q", "v", "a"):
        assert_array_equal(getattr(loaded, name), getattr(run, name))
    for name in run.contacts:
        assert_array_equal(loaded.multipliers[name], run.multipliers[name])
        assert_array_equal(loaded.gaps[name], run.gaps[name])
    assert [str(event) for event in loaded.events] == [str(event) for event in run.events]
    assert_array_equal(loaded.energy.residual, run.energy.residual)
    times = np.linspace(0.0, scene.duration, 7)
    assert_array_equal(loaded(times)[0], run(times)[0])
