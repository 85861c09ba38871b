"""The same motion in other units: metres or micrometres, seconds or microseconds, kg or mg."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go

G = 9.81
UNITS = {
    "m, s, kg": (1.0, 1.0, 1.0),
    "um, s, kg": (1e6, 1.0, 1.0),
    "Mm, s, kg": (1e-6, 1.0, 1.0),
    "m, us, kg": (1.0, 1e6, 1.0),
    "m, s, mg": (1.0, 1.0, 1e6),
    "um, us, mg": (1e6, 1e6, 1e6),
    "Mm, ks, t": (1e-6, 1e-3, 1e-3),
}
in_units = pytest.mark.parametrize(
    ("metre", "second", "kilogram"), list(UNITS.values()), ids=list(UNITS)
)


def same_events(result, plain, second):
    """The same events at the same times, to round-off."""
    told = [(str(e.kind), e.contacts, e.detail) for e in result.events]
    assert told == [(str(e.kind), e.contacts, e.detail) for e in plain.events]
    times = np.array([e.t for e in result.events]) / second
    assert_allclose(times, [e.t for e in plain.events], rtol=1e-8, atol=1e-10)


# Constraints that are engaged


def caught(metre, second, kilogram, off):
    """A point that passes a pin is caught by a rod, at a distance from the pin that is off."""
    rod = go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - metre**2)
    speed = metre / second
    point = go.System([kilogram, kilogram], [0.0, 0.0], [rod])
    return go.engage(point, [0.0, (1.0 + off) * metre], [3.0 * speed, 4.0 * speed])


@in_units
def test_a_constraint_is_engaged_where_it_holds(metre, second, kilogram):
    after = caught(metre, second, kilogram, 1e-9).v_after * second / metre
    assert_allclose(after, [3.0, 0.0], atol=1e-12)


@in_units
@pytest.mark.parametrize("off", [0.5, -0.5, 1e-3, 1e-5])
def test_a_constraint_is_not_engaged_beside_its_place(metre, second, kilogram, off):
    with pytest.raises(go.InputError, match="cannot be engaged here"):
        caught(metre, second, kilogram, off)


def test_a_length_scale_says_what_is_near_where_all_coordinates_are_nothing():
    tie = go.Holonomic("tie", lambda q, t: q[0] - q[1])
    carts = go.System([1.0, 1.0], [0.0, 0.0], [tie])
    at = [1e-15, 0.0], [1.0, 0.0]
    with pytest.raises(go.InputError, match="cannot be engaged here"):
        go.engage(carts, *at)
    assert_allclose(go.engage(carts, *at, length_scale=1.0).v_after, 0.5)


# The time that tolerances are relative to


def dropped(end, **options):
    """Two balls that land a millisecond apart, in a run of any length."""
    balls = go.System(
        [1.0, 1.0],
        [-G, -G],
        contacts=[go.Contact(name, lambda q, t, i=i: q[i]) for i, name in enumerate("ab")],
    )
    low = 0.5 * G * 0.45**2
    high = 0.5 * G * 0.451**2
    return go.simulate(balls, [low, high], [0.0, 0.0], (0, end), **options)


@pytest.mark.parametrize("end", [1.0, 1e3, 1e6, 1e9, 1e12])
def test_impacts_a_millisecond_apart_are_two_however_long_the_run(end):
    result = dropped(end)
    impacts = [(e.t, e.contacts) for e in result.events if e.kind == "impact"]
    assert [contacts for _, contacts in impacts] == [("a",), ("a", "b")]  # the first still rests
    assert_allclose([t for t, _ in impacts], [0.45, 0.451], rtol=1e-9)
    assert_allclose(result.q[-1], 0.0, atol=1e-12)


def test_a_time_scale_of_the_user_stays_what_it_is():
    result = dropped(1.0, time_scale=1e10)
    assert [e.contacts for e in result.events if e.kind == "impact"] == [("a", "b")]


@pytest.mark.parametrize("end", [5.0, 1e6, 1e9])
def test_a_ball_bounces_on_its_floor_however_long_the_run(end):
    floor = go.Contact("floor", lambda q, t: q[0], 0.5)
    ball = go.System([1.0], [-G], contacts=[floor])
    short = go.simulate(ball, [1.0], [0.0], (0, 5.0))
    result = go.simulate(ball, [1.0], [0.0], (0, end))
    same_events(result, short, 1.0)
    assert max(abs(event.q[0]) for event in result.events) < 1e-12


def test_a_run_with_a_long_end_is_resumed_exactly(tmp_path):
    floor = go.Contact("floor", lambda q, t: q[0], 0.5)
    ball = go.System([1.0], [-G], contacts=[floor])
    kept = {"checkpoint": tmp_path / "c.npz", "checkpoint_every": 1}
    whole = go.simulate(ball, [1.0], [0.0], (0, 1e9))
    for count in (1, 3, 8):
        (tmp_path / "c.npz").unlink(missing_ok=True)
        left = iter(range(count - 1))
        stop = lambda state, left=left: next(left, None) is None  # noqa: E731
        go.simulate(ball, [1.0], [0.0], (0, 1e9), callback=stop, **kept)
        resumed = go.simulate(ball, [1.0], [0.0], (0, 1e9), resume=True, **kept)
        assert [e.t for e in resumed.events] == [e.t for e in whole.events]


# Contacts that open beside large forces


@pytest.mark.parametrize("elsewhere", [0.0, 1.0, 1e6, 1e11, 1e13])
def test_an_idle_contact_opens_however_large_the_forces_are_elsewhere(elsewhere):
    """A body that rests without force is lifted; another is pressed against a wall meanwhile."""

    def force(q, v, t):
        return np.array([np.where(t < 0.5, 0.0, 1.0), -elsewhere])

    bodies = go.System(
        [1.0, 1.0],
        force,
        contacts=[
            go.Contact("floor", lambda q, t: q[0]),
            go.Contact("wall", lambda q, t: q[1]),
        ],
    )
    options = {"breakpoints": [0.5], "max_steps": 200}
    result = go.simulate(bodies, [0.0, 0.0], [0.0, 0.0], (0, 2), **options)
    released = [e for e in result.events if e.kind == "release" and e.contacts == ("floor",)]
    assert_allclose([e.t for e in released], [0.5], rtol=1e-6)
    assert_allclose(result.q[-1], [1.5**2 / 2, 0.0], rtol=1e-8, atol=1e-12)


def beside(elsewhere, weight, coupled=0.0):
    """A body on a floor under a force of time, beside one that is pressed against a wall."""

    def force(q, v, t):
        return np.array([weight(t), -elsewhere])

    contacts = [
        go.Contact("floor", lambda q, t: q[0] - coupled * q[1]),
        go.Contact("wall", lambda q, t: q[1]),
    ]
    bodies = go.System([1.0, 1.0], force, contacts=contacts)
    options = {"breakpoints": [0.5], "max_steps": 300}
    return go.simulate(bodies, [0.0, 0.0], [0.0, 0.0], (0, 2), **options)


def jump(t):
    return np.where(t < 0.5, 0.0, 1.0)


def ramp(t):
    return np.maximum(t - 0.5, 0.0)


@pytest.mark.parametrize("change", [jump, ramp])
@pytest.mark.parametrize(
    ("elsewhere", "coupled"),
    [(1.0, 0.0), (1e6, 0.0), (1e11, 0.0), (1e13, 0.0), (1.0, 0.1), (1e6, 0.1)],
)
class TestBesideLargeForces:
    """What a body does does not depend on the forces on another one, however large they are."""

    def test_an_idle_contact_takes_up_a_weight(self, change, elsewhere, coupled):
        result = beside(elsewhere, lambda t: -change(t), coupled)
        assert result.success
        assert_allclose(result.q, 0.0, atol=1e-12)
        assert_allclose(result.multipliers["floor"][-1], change(2.0), rtol=1e-9)

    def test_a_contact_that_carries_lets_go(self, change, elsewhere, coupled):
        result = beside(elsewhere, lambda t: 2.0 * change(t) - 0.5, coupled)
        released = [e.t for e in result.events if e.kind == "release"]
        begins = 0.5 if change is jump else 0.75
        assert_allclose(released, [begins], rtol=1e-7 if coupled else 1e-9)
        free = 2.0 - begins
        height = 1.5 * free**2 / 2 if change is jump else free**3 / 3
        assert_allclose(result.q[-1], [height, 0.0], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("elsewhere", [1e11, 1e13])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_force_too_small_to_be_seen_on_the_same_bodies_is_no_success(elsewhere, sign):
    """Beside 1e11 N on the same contact, 1 N is less than the residuals that are accepted."""
    with pytest.raises(go.SimulationError, match="too small to be seen beside other forces"):
        beside(elsewhere, lambda t: -1.0 + sign * jump(t), coupled=0.1)


@in_units
def test_a_body_at_rest_is_thrown_up_at_the_same_time_in_all_units(metre, second, kilogram):
    newton = kilogram * metre / second**2

    def force(q, v, t):
        return newton * np.array([-G + 20.0 * np.sin(t / second)])

    floor = go.Contact("floor", lambda q, t: q[0], 0.5)
    ball = go.System([kilogram], force, contacts=[floor])
    result = go.simulate(ball, [0.0], [0.0], (0, 6.0 * second), max_steps=500)
    first = result.events[0]
    assert (first.kind, first.contacts) == ("release", ("floor",))
    assert_allclose(first.t / second, np.arcsin(G / 20.0), rtol=1e-9)


@in_units
@pytest.mark.parametrize("seed", range(4))
def test_a_table_at_rest_at_zero_is_not_taken_for_a_kink(metre, second, kilogram, seed):
    """All coordinates are zero, so that lengths and speeds are nothing but round-off."""
    rng = np.random.default_rng(seed)
    feet = rng.uniform(-1.0, 1.0, size=(6, 2))
    newton = kilogram * metre / second**2

    def force(q, v, t):
        return newton * np.array([-G, 0.1 * metre * np.sin(t / second), 0.0])

    table = go.System(
        np.array([kilogram, kilogram * metre**2 / 3, kilogram * metre**2 / 3]),
        force,
        contacts=[
            go.Contact(
                f"foot {i}", lambda q, t, x=x, y=y: q[0] + metre * (x * q[1] + y * q[2]), 0.3
            )
            for i, (x, y) in enumerate(np.vstack([feet, [[1, 1], [-1, 1], [1, -1], [-1, -1]]]))
        ],
    )
    sizes = np.array([metre, 1.0, 1.0])
    atol = 1e-12 * np.concatenate([sizes, sizes / second])
    options = {"atol": atol, "max_steps": 2000}
    result = go.simulate(table, np.zeros(3), np.zeros(3), (0, second), **options)
    assert result.success
    assert result.events == ()


def pile(metre, second, kilogram):
    """Three discs of unequal size and mass that fall in a box, with restitutions of their own."""
    rng = np.random.default_rng(12)
    radii, masses = rng.uniform(0.06, 0.12, 3), rng.uniform(0.5, 2.0, 3)
    places = np.array([[0.25 * (i - 1) + 0.02 * rng.normal(), 0.2] for i in range(3)]).ravel()
    contacts = []
    for i, r in enumerate(radii * metre):
        for j in range(i):

            def apart(q, t, i=i, j=j, d=r + radii[j] * metre):
                return np.hypot(q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]) - d

            contacts.append(go.Contact(f"{j}-{i}", apart, rng.choice([0.0, 0.3, 0.5])))
        contacts += [
            go.Contact(f"floor {i}", lambda q, t, i=i, r=r: q[2 * i + 1] - r, 0.3),
            go.Contact(f"left {i}", lambda q, t, i=i, r=r: q[2 * i] + 0.5 * metre - r, 0.3),
            go.Contact(f"right {i}", lambda q, t, i=i, r=r: 0.5 * metre - q[2 * i] - r, 0.3),
        ]
    weight = masses * G * kilogram * metre / second**2
    force = np.column_stack([np.zeros(3), -weight]).ravel()
    discs = go.System(np.repeat(masses, 2) * kilogram, force, contacts=contacts)
    v = 0.5 * rng.normal(size=6) * metre / second
    return go.simulate(discs, places * metre, v, (0, 0.4 * second))


@pytest.mark.parametrize("units", ["um, us, mg", "Mm, ks, t"])
def test_a_pile_falls_in_the_same_way_in_all_units(units):
    metre, second, kilogram = UNITS[units]
    plain, other = pile(1.0, 1.0, 1.0), pile(metre, second, kilogram)
    impacts = [
        [(e.t / scale, e.contacts) for e in result.events if e.kind == "impact"]
        for result, scale in ((plain, 1.0), (other, second))
    ]
    assert len(impacts[0]) > 5
    assert [contacts for _, contacts in impacts[0]] == [contacts for _, contacts in impacts[1]]
    assert_allclose(*([t for t, _ in each] for each in impacts), rtol=1e-9)
    assert_allclose(other.q[-1] / metre, plain.q[-1], rtol=1e-9, atol=1e-12)
