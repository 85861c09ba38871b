"""Piles finish: clusters of contacts that bounce low are closed, within bounds that are stated."""

import importlib.util
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go
from gauss_opt.mechanics.coupling import coupling
from gauss_opt.model.snapshot import evaluate

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))
from random_scenes import Scene  # noqa: E402

G = 9.81
CLOSURE = 1e-8


def box(discs, radius, restitution, seed, duration=3.0):
    spec = importlib.util.spec_from_file_location("discs_in_box", ROOT / "cases/discs_in_box.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["discs_in_box"] = module
    spec.loader.exec_module(module)
    case = module.DiscsInBox(
        discs=discs, radius=radius, gravity=G, speed=0.2, restitution=restitution, seed=seed,
        duration=duration,
    )  # fmt: skip
    return case.build()


def run(setup, law="newton", **options):
    return go.simulate(setup.system, setup.q0, setup.v0, setup.t_span, law=law, **options)


def size(result):
    """The energy that changes hands in a run."""
    return max(np.ptp(result.energy.potential), result.energy.kinetic.max())


def closings(result):
    return [e for e in result.events if e.kind == "accumulation" and "closed early" in e.detail]


def check_bounds(result, closure=CLOSURE):
    """What is promised of closings, from the events and the rows alone."""
    energy_scale = 0.5 * np.diag(result.system.mass) @ np.abs(result.v).max(axis=0) ** 2
    names = list(result.gaps)
    gaps = np.column_stack([result.gaps[name] for name in names])
    coordinates = np.abs(result.q).max()
    for event in closings(result):
        removed = event.constraint_work - event.energy_change
        assert -1e-14 * energy_scale <= removed <= closure * energy_scale * len(event.contacts)
        assert not event.exact
        before, after = event.row - 1, event.row
        assert result.t[before] == result.t[after] == event.t
        assert np.abs(gaps[after] - gaps[before]).max() <= 4.0 * closure * coordinates
        assert_array_equal(result.v[after], event.v_after)
    assert result.stats.closings == len(closings(result))


def check(result):
    assert result.success
    check_bounds(result)
    assert np.abs(result.energy.residual).max() <= 1e-9 * size(result)
    assert min(gap.min() for gap in result.gaps.values()) >= -1e-8
    assert not any(event.gains_energy for event in result.events)


@pytest.mark.parametrize("law", ["newton", "poisson", "sequential"])
@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.5])
def test_five_discs_come_to_lie_where_they_lie_without_closings(law, restitution):
    setup = box(5, 0.12, restitution, 1)
    result = run(setup, law)
    check(result)
    # All energies are taken out in the end, whether disc by disc or a cluster at a time.
    assert result.energy.kinetic[-1] <= 1e-8 * size(result)


def test_the_end_is_that_of_the_exact_run():
    setup = box(5, 0.12, 0.3, 1)
    closed, exact = run(setup), run(setup, closure=0.0)
    assert closed.stats.closings > 0
    assert exact.stats.closings == 0
    assert closed.stats.closing_loss > 0.0
    assert_allclose(closed.q[-1], exact.q[-1], atol=1e-7)


def test_ten_discs_finish_and_the_account_closes_in_every_row():
    result = run(box(10, 0.09, 0.3, 1))
    check(result)
    assert result.stats.closings > 10
    assert result.stats.worst_closing_loss <= result.stats.closing_loss
    assert result.stats.closing_loss <= 1e-6 * size(result)
    assert "clusters closed early" in str(result)


def test_closings_are_in_the_problems_that_are_kept(tmp_path):
    setup = box(5, 0.12, 0.3, 1)
    path = tmp_path / "problems.npz"
    result = run(setup, record_problems=path)
    kept = go.load_problems(path)
    assert len(kept) == result.stats.qp_total
    event = closings(result)[0]
    equalities = [p for p in kept if p.kind == "impact" and p.n_equality == len(p.rhs) > 0]
    assert any(
        p.target is not None
        and np.allclose(p.target, event.v_before, rtol=0, atol=1e-15)
        and set(event.contacts) <= set(p.names)
        for p in equalities
    )


def test_a_run_goes_on_through_closings_with_the_same_bits(tmp_path):
    setup = box(5, 0.12, 0.5, 1)
    straight = run(setup)
    assert straight.stats.closings > 1
    path = tmp_path / "run.npz"
    middle = 0.5 * (closings(straight)[0].t + closings(straight)[-1].t)
    for stop in (closings(straight)[0].t - 1e-3, middle):
        run(setup, checkpoint=path, checkpoint_every=7, callback=lambda s, t=stop: s.t > t)
        resumed = run(setup, checkpoint=path, checkpoint_every=7, resume=True)
        for name in ("t", "q", "v", "a"):
            assert_array_equal(getattr(resumed, name), getattr(straight, name))
        assert [str(e) for e in resumed.events] == [str(e) for e in straight.events]
        assert [e.row for e in resumed.events] == [e.row for e in straight.events]
        for name in ("steps", "events", "impacts", "closings", "closing_loss", "worst_penetration"):
            assert getattr(resumed.stats, name) == getattr(straight.stats, name)
        path.unlink()


def test_another_closure_does_not_resume(tmp_path):
    setup = box(5, 0.12, 0.5, 1, duration=0.3)
    path = tmp_path / "run.npz"
    run(setup, checkpoint=path, checkpoint_every=5)
    with pytest.raises(go.InputError, match="closure differ"):
        run(setup, checkpoint=path, resume=True, closure=1e-7)


@pytest.mark.parametrize("closure", [-1e-9, 2e-5, np.nan])
def test_a_closure_out_of_range_is_refused(closure):
    with pytest.raises(go.InputError, match="closure must be from 0 to 1e-05"):
        run(box(5, 0.12, 0.5, 1), closure=closure)


def test_contacts_that_lose_nothing_are_never_closed():
    floor = [go.Contact(f"floor {i}", lambda q, t, i=i: q[i], 1.0) for i in range(2)]
    pair = go.Contact("pair", lambda q, t: q[1] - q[0], 1.0)
    system = go.System([1.0, 2.0], [-G, -2 * G], contacts=[*floor, pair])
    result = go.simulate(system, [0.0, 1e-9], [1e-5, 2e-5], (0, 2e-4), length_scale=1.0)
    assert result.stats.closings == 0
    assert len(result.events) > 50
    energy = 0.5 * result.v**2 @ [1.0, 2.0] + G * result.q @ [1.0, 2.0]
    assert_allclose(energy, energy[0], rtol=1e-6)


def test_one_ball_is_summed_up_exactly_whatever_the_closure():
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    runs = [go.simulate(ball, [1.0], [0.0], (0, 3), closure=c) for c in (0.0, 1e-8, 1e-5)]
    for result in runs:
        assert [e.kind for e in result.events].count("accumulation") == 1
        assert all(event.exact for event in result.events)
        assert_array_equal(result.q, runs[0].q)
        assert_array_equal(result.t, runs[0].t)


# Scenes


def pile(seed):
    """Discs of very different masses fall on slopes, some onto a moving floor or on a string."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    spread = rng.choice([0.0, 1.0, 3.0])

    def some():
        return [float(e) for e in rng.choice([0.0, 0.2, 0.5, 0.8, 0.95], n)]

    tilt = float(rng.uniform(-0.1, 0.1))
    walls = [[0.5 * np.pi + tilt, 0.0, some()], [tilt, -0.4, some()],
             [np.pi + tilt, -0.4, some()]]  # fmt: skip
    if rng.random() < 0.5:
        walls = [[0.5 * np.pi + s * rng.uniform(0.4, 1.1), 0.0, some()] for s in (-1, 1)]
    q = [c for i in range(n) for c in (0.1 * rng.uniform(-1, 1), 0.35 + 0.27 * i)]
    pairs = [[i, j, some()[0]] for i, j in combinations(range(n), 2)]
    strings = [[0, [0.1, q[1] + 0.3], 0.6, 0.5]] if rng.random() < 0.3 else []
    floor = [0.03, float(rng.uniform(3, 25)), 0.05, some()] if rng.random() < 0.3 else None
    law = ["newton", "poisson", "sequential"][seed % 3]
    masses = (10.0 ** rng.uniform(-spread, spread, n)).tolist()
    radii = rng.uniform(0.06, 0.12, n).tolist()
    v = (0.3 * rng.normal(size=2 * n)).tolist()
    return Scene(law, "osqp", G, 1.5, masses, radii, q, v, walls, pairs, strings, [], [], [], floor)


@pytest.mark.parametrize("seed", range(6))
def test_piles_of_all_kinds_keep_their_bounds(seed):
    scene = pile(seed)
    result = go.simulate(scene.system(), scene.q, scene.v, (0, scene.end), law=scene.law)
    assert result.success
    check_bounds(result)
    assert np.abs(result.energy.residual).max() <= 1e-9 * size(result)
    assert min(gap.min() for gap in result.gaps.values()) >= -1e-8
    assert not any(event.gains_energy for event in result.events)


# Coupling of contacts


def test_contacts_hang_together_through_bodies_and_through_rods():
    contacts = [go.Contact(f"floor {i}", lambda q, t, i=i: q[i], 0.5) for i in range(4)]
    rod = go.Holonomic("rod", lambda q, t: q[1] - q[0] - 1.0)
    pair = go.Contact("pair", lambda q, t: q[2] - q[1], 0.5)
    system = go.System([1.0, 2.0, 3.0, 4.0], np.zeros(4), [rod], [*contacts, pair])
    snapshot = evaluate(system, [0.0, 1.0, 1.0, 0.0], np.zeros(4))
    rows = np.arange(1, 6)
    between = coupling(snapshot, rows)
    assert_allclose(between.mobility, [1 / 3, 1 / 3, 1 / 3, 1 / 4, 1 / 3 + 1 / 3], rtol=1e-12)
    start = np.array([True, False, False, False, False])
    assert_array_equal(between.together(start), [True, True, True, False, True])


def test_what_cannot_move_the_other_does_not_hang_together():
    contacts = [go.Contact("floor", lambda q, t: q[1]), go.Contact("wall", lambda q, t: q[0])]
    snapshot = evaluate(go.System([1.0, 1.0], np.zeros(2), contacts=contacts), [0, 0], [0, 0])
    assert not coupling(snapshot, np.arange(2)).linked[0, 1]
    contacts[1] = go.Contact("slope", lambda q, t: q[0] + 0.1 * q[1])
    snapshot = evaluate(go.System([1.0, 1.0], np.zeros(2), contacts=contacts), [0, 0], [0, 0])
    assert coupling(snapshot, np.arange(2)).linked[0, 1]
