"""Families of rows: one function for many, the same numbers as one by one."""

import pickle
from itertools import combinations

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.model.families import Family

N, R = 8, 0.05


def apart(x, t, c):
    return np.hypot(x[2] - x[0], x[3] - x[1]) - c[0]


def passing(x, u, t, c):
    dx, dy = x[2] - x[0], x[3] - x[1]
    return (dy * (u[2] - u[0]) - dx * (u[3] - u[1])) / np.hypot(dx, dy)


def left_of(x, t, c):
    return (x[0] <= c[0] + 0.1 * t) & (x[1] <= 10.0)


def discs(alone, **options):
    """Discs in free flight; rows as members, or the same functions as lambdas."""
    gaps, slips, conditions = Family(apart), Family(passing), Family(left_of)
    contacts = []
    for i, j in combinations(range(N), 2):
        at, c = (2 * i, 2 * i + 1, 2 * j, 2 * j + 1), (2 * R,)
        gap, slip = gaps.gap(at, c), slips.slip(at, c)
        active = conditions.condition(at, (options.get("until", 0.1) * i,))
        if alone:
            gap, slip, active = (
                lambda q, t, f=gap: f(q, t),
                lambda q, v, t, f=slip: f(q, v, t),
                lambda q, v, t, f=active: f(q, v, t),
            )
        extra = {"slip": slip, "friction": 0.2} if options.get("rough") else {}
        if options.get("switched"):
            extra["active_when"] = active
        contacts.append(go.Contact(f"{i}-{j}", gap, 0.9, **extra))
    return go.System(np.ones(2 * N), np.zeros(2 * N), contacts=contacts)


def state(seed):
    rng = np.random.default_rng(seed)
    q = np.stack([np.repeat(np.arange(4), 2), np.tile(np.arange(2), 4)], axis=1) * 0.3
    return (q + 0.05 * rng.uniform(-1, 1, q.shape)).ravel(), rng.normal(size=2 * N)


@pytest.mark.parametrize("seed", range(3))
def test_members_have_the_numbers_of_functions_traced_one_by_one(seed):
    options = {"rough": True, "switched": True}
    members, functions = discs(alone=False, **options), discs(alone=True, **options)
    q, v = state(seed)
    for t in (0.0, 0.7):
        a, b = go.evaluate(members, q, v, t), go.evaluate(functions, q, v, t)
        for word in ("rows", "value", "rate", "rhs"):
            assert np.abs(getattr(a, word) - getattr(b, word)).max() < 1e-12
        assert (a.enabled == b.enabled).all()
        assert 0 < a.enabled.sum() < len(a.enabled)


@pytest.mark.parametrize("switched", [False, True])
def test_runs_with_members_are_the_runs_of_their_functions(switched):
    q, v = state(4)
    v = v - 3.0 * (q - 0.3)  # towards one another
    one, other = (
        go.simulate(discs(alone, switched=switched, until=0.2), q, v, (0.0, 0.6))
        for alone in (False, True)
    )
    assert len(one.events) > 2
    assert [(e.kind, e.contacts) for e in one.events] == [
        (e.kind, e.contacts) for e in other.events
    ]
    assert [e.t for e in one.events] == pytest.approx([e.t for e in other.events], abs=1e-11)
    assert one.stats.unsettled == {}
    assert one.stats.sampled == {}


def test_the_function_is_called_a_few_times_however_many_members_there_are():
    calls = []

    def counted(x, t, c):
        calls.append(1)
        return apart(x, t, c)

    def build(n):
        family = Family(counted)
        contacts = [
            go.Contact(f"{i}-{j}", family.gap((2 * i, 2 * i + 1, 2 * j, 2 * j + 1), (0.1,)))
            for i, j in combinations(range(n), 2)
        ]
        calls.clear()
        go.System(np.ones(2 * n), np.zeros(2 * n), contacts=contacts)
        return len(calls)

    assert build(3) == build(12) < 20


def test_a_system_of_members_travels():
    system = discs(alone=False, switched=True)
    again = pickle.loads(pickle.dumps(system))
    q, v = state(1)
    assert (go.evaluate(again, q, v).rows == go.evaluate(system, q, v).rows).all()


def test_a_slip_of_a_family_is_affine_and_a_gap_has_two_sides():
    flat = Family(lambda x, t, c: np.abs(x[0]))
    with pytest.raises(go.ModelError, match="can never be negative"):
        go.System([1.0], [0.0], contacts=[go.Contact("wall", flat.gap((0,), ()))])
    bent = Family(lambda x, u, t, c: u[0] ** 2)
    rough = go.Contact("floor", lambda q, t: q[0], slip=bent.slip((1,), ()), friction=0.1)
    with pytest.raises(go.ModelError, match="must be affine in v"):
        go.System([1.0, 1.0], [0.0, 0.0], contacts=[rough])
    pair = Family(lambda x, t, c: np.array([x[0], x[1]]))
    with pytest.raises(go.ModelError, match="must return one number"):
        go.System([1.0, 1.0], [0.0, 0.0], contacts=[go.Contact("two", pair.gap((0, 1), ()))])


def test_members_in_a_system_with_kinematics_are_functions_like_any():
    family = Family(lambda x, t, c: x[0] - c[0])
    spun = go.System(
        np.eye(1), [0.0], kinematics=lambda q: np.array([[2.0]]), nq=1,
        contacts=[go.Contact("wall", family.gap((0,), (1.0,)))],
    )  # fmt: skip
    snapshot = go.evaluate(spun, [3.0], [1.0])
    assert snapshot.rates["wall"] == 2.0
    assert snapshot.rows.tolist() == [[2.0]]
