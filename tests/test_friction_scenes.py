"""Random planar scenes with friction: gaps, cones, signs and energies hold, and every run ends."""

from collections import Counter

import numpy as np
import pytest

import gauss_opt as go

g = 9.81
SEEDS = 6


def disc(i, radius, restitution, mu):
    o = 3 * i
    return [
        go.Contact(
            f"disc {i}", lambda q, t: q[o + 1] - radius, restitution, friction=mu,
            slip=lambda q, v, t: v[o] + radius * v[o + 2],
        )
    ]  # fmt: skip


def box(i, half, restitution, mu):
    """Contacts of the four corners of a square."""
    o = 3 * i

    def corner(s, c):
        def gap(q, t):
            return q[o + 1] + half * (s * np.sin(q[o + 2]) + c * np.cos(q[o + 2]))

        def slip(q, v, t):
            return v[o] - half * (s * np.sin(q[o + 2]) + c * np.cos(q[o + 2])) * v[o + 2]

        name = f"corner {s:+d} {c:+d} of {i}"
        return go.Contact(name, gap, restitution, friction=mu, slip=slip)

    return [corner(s, c) for s, c in ((-1, -1), (1, -1), (1, 1), (-1, 1))]


def scene(seed):
    """Discs and boxes on a tilted floor, beside each other, maybe on springs, maybe pulled."""
    rng = np.random.default_rng(seed)
    mu, e = float(rng.uniform(0.05, 0.9)), float(rng.choice([0.0, 0.3, 0.6]))
    tilt, k = float(rng.choice([0.0, 0.2, 0.5])), float(rng.choice([0.0, 20.0]))
    pull, w = float(rng.choice([0.0, 2.0, 5.0])), float(rng.uniform(1.0, 5.0))
    contacts, mass, q, v = [], [], [], []
    n = int(rng.integers(1, 4))
    for i in range(n):
        size, m = float(rng.uniform(0.1, 0.3)), float(rng.uniform(0.5, 2.0))
        boxed, resting = rng.random() < 0.6, rng.random() < 0.5
        contacts += (box if boxed else disc)(i, size, e, mu)
        mass += [m, m, m * size**2 * (2 / 3 if boxed else 1 / 2)]
        flat = boxed and resting
        high = size if resting else size * (1.5 if boxed else 1.0) + float(rng.uniform(0, 0.5))
        q += [float(i), high, 0.0 if flat else float(rng.uniform(-0.5, 0.5))]
        v += [2.0 * float(rng.normal()), 0.0 if resting else float(rng.normal())]
        v += [0.0 if flat else 3.0 * float(rng.normal())]

    def force(q, v, t):
        found = []
        for i in range(n):
            m, along = mass[3 * i], pull * np.sin(w * t)
            along = along + m_g(m) * np.sin(tilt)
            if i > 0:
                along = along - k * (q[3 * i] - q[3 * i - 3] - 1.0)
            if i < n - 1:
                along = along + k * (q[3 * i + 3] - q[3 * i] - 1.0)
            found += [along, -m_g(m) * np.cos(tilt), 0.0]
        return found

    return go.System(mass, force, contacts=contacts), q, v


def m_g(mass):
    return mass * g


@pytest.mark.parametrize("seed", range(SEEDS))
def test_scenes_keep_gaps_cones_and_energies(seed):
    system, q, v = scene(seed)
    result = go.simulate(system, q, v, (0, 0.7), max_wall_time=30)
    assert result.success, result.message
    assert result.stats.worst_residual < 1e-9
    energy = result.energy
    size = max(np.abs(energy.total).max(), energy.kinetic.max())
    assert np.abs(energy.residual).max() < 1e-6 * size
    assert np.diff(energy.friction).max() < 1e-9 * size
    for event in result.events:
        if event.kind in ("impact", "jam"):
            assert event.energy_change < 1e-12 * size
    for contact in system.contacts:
        gap, force = result.gaps[contact.name], result.multipliers[contact.name]
        rub, slip = result.friction[contact.name], result.slips[contact.name]
        state = result.states[contact.name]
        scale = max(force.max(), g)
        assert gap.min() > -1e-8
        assert force.min() >= 0.0
        assert (np.abs(rub) - contact.friction * force).max() < 1e-8 * scale
        assert (rub * slip).max() < 1e-8 * scale * max(np.abs(slip).max(), 1.0)
        fastest = max(np.abs(slip).max(), 1.0)
        assert np.abs(slip[state == "stick"]).max(initial=0.0) < 1e-9 * fastest
        forward = state == "slide+"
        assert slip[forward].min(initial=0.0) > -1e-8 * fastest
        assert np.abs(rub + contact.friction * force)[forward].max(initial=0.0) < 1e-8 * scale


def test_these_scenes_have_events_of_every_kind_that_matters():
    wanted, found = {"impact", "stick", "accumulation"}, Counter()
    for seed in range(SEEDS):
        system, q, v = scene(seed)
        result = go.simulate(system, q, v, (0, 0.7), max_wall_time=30)
        found.update(str(event.kind) for event in result.events)
        if wanted <= set(found):
            return
    raise AssertionError(found)


# What cannot be


def block(**options):
    floor = {"slip": lambda q, v, t: v[0], "friction": 0.3, **options}
    return go.System(
        [1.0, 1.0], [0.0, -g], contacts=[go.Contact("floor", lambda q, t: q[1], **floor)]
    )


@pytest.mark.parametrize("word", ["friction", "static_friction"])
@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf")])
def test_coefficients_that_are_none_are_refused(word, value):
    with pytest.raises(go.ModelError, match=word):
        block(**{"friction": 0.0, word: value})


def test_static_friction_below_sliding_friction_is_refused():
    with pytest.raises(go.ModelError, match="at least friction"):
        block(static_friction=0.2)


def test_friction_needs_a_slip_that_is_affine_in_the_velocity():
    with pytest.raises(go.ModelError, match="slip"):
        go.Contact("floor", lambda q, t: q[1], friction=0.3)
    with pytest.raises(go.ModelError, match="affine"):
        block(slip=lambda q, v, t: v[0] ** 2)


def test_a_gain_of_newtons_law_is_seen_and_names_the_remedy():
    height = np.cos(np.radians(20)) + np.cos(np.radians(30))

    def mass(q, t):
        c = 0.5 * np.cos(q[0] - q[1])
        return np.array([[4 / 3, c], [c, 1 / 3]])

    floor = go.Contact(
        "floor", lambda q, t: height - np.cos(q[0]) - np.cos(q[1]), 0.5, friction=0.5,
        slip=lambda q, v, t: np.cos(q[0]) * v[0] + np.cos(q[1]) * v[1],
    )  # fmt: skip
    kane = go.System(mass, lambda q, v, t: 0.0 * v, contacts=[floor])
    start = np.radians([20.0, 30.0])
    result = go.simulate(kane, start, [-0.1, -0.2], (0, 0.01), law="newton")
    assert result.events[0].gains_energy
    assert "law='poisson'" in str(result.events[0])
    with pytest.raises(go.SimulationError, match="with friction use law='poisson'"):
        go.simulate(kane, start, [-0.1, -0.2], (0, 0.01), law="newton", refuse_energy_gain=True)


# Files, checkpoints, phases


def belt():
    contact = go.Contact(
        "belt",
        lambda q, t: q[1],
        slip=lambda q, v, t: v[0] - 0.2,
        friction=0.4,
        static_friction=0.6,
    )
    return go.System([1.0, 1.0], lambda q, v, t: [-100.0 * q[0], -g], contacts=[contact])


def test_a_result_with_friction_survives_its_file(tmp_path):
    result = go.simulate(belt(), [0, 0], [0, 0], (0, 1))
    result.save(tmp_path / "belt.npz")
    loaded = go.load(tmp_path / "belt.npz")
    for name in ("friction", "slips", "states"):
        assert (getattr(loaded, name)["belt"] == getattr(result, name)["belt"]).all()
    assert (loaded.energy.friction == result.energy.friction).all()
    assert [piece.slides for piece in loaded.pieces] == [piece.slides for piece in result.pieces]
    assert {"stick", "slide-"} <= set(loaded.states["belt"])


def test_a_run_that_sticks_goes_on_from_its_checkpoint_to_the_last_bit(tmp_path):
    path = tmp_path / "belt.ckpt"

    def stop(state):
        return state.t > 0.5

    go.simulate(
        belt(), [0, 0], [0, 0], (0, 1.5), checkpoint=path, checkpoint_every=1, callback=stop
    )
    resumed = go.simulate(belt(), [0, 0], [0, 0], (0, 1.5), checkpoint=path, resume=True)
    whole = go.simulate(belt(), [0, 0], [0, 0], (0, 1.5))
    assert (resumed.q[-1] == whole.q[-1]).all()
    assert [e.t for e in resumed.events] == [e.t for e in whole.events]
    assert (resumed.states["belt"] == whole.states["belt"]).all()
