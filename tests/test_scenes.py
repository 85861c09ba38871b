"""Random scenes of discs in a box: they end, keep apart, and never gain energy."""

import numpy as np
import pytest

import gauss_opt as go

RADIUS = 0.1
G = 9.81


def discs(masses, gravity, restitution):
    """Discs between two walls and over a floor; coordinates x, y of each."""
    contacts = []
    for i in range(len(masses)):
        contacts += [
            go.Contact(f"left {i}", lambda q, t, i=i: q[2 * i] - RADIUS, restitution),
            go.Contact(f"right {i}", lambda q, t, i=i: 1 - RADIUS - q[2 * i], restitution),
            go.Contact(f"floor {i}", lambda q, t, i=i: q[2 * i + 1] - RADIUS, restitution),
        ]
        for j in range(i):
            contacts.append(
                go.Contact(
                    f"{j}-{i}",
                    lambda q, t, i=i, j=j: (
                        np.hypot(q[2 * i] - q[2 * j], q[2 * i + 1] - q[2 * j + 1]) - 2 * RADIUS
                    ),
                    restitution,
                )
            )
    mass = np.repeat(masses, 2)
    return go.System(mass, -gravity * mass * np.tile([0.0, 1.0], len(masses)), contacts=contacts)


def check(system, gravity, q, v, law):
    result = go.simulate(system, q, v, (0, 2), law=law, rtol=1e-8, max_wall_time=60)
    mass = np.diag(system.mass)
    height = (result.q * mass)[:, 1::2].sum(axis=1)
    energy = 0.5 * (mass * result.v**2).sum(axis=1) + gravity * height
    assert result.success
    assert np.diff(energy).max() <= 1e-7 * energy[0]
    assert min(gap.min() for gap in result.gaps.values()) >= -1e-8
    assert result.stats.worst_residual <= 1e-9


@pytest.mark.parametrize("law", ["newton", "poisson", "sequential"])
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("gravity", [0.0, G])
def test_discs_in_a_box_end_apart_and_without_more_energy(law, restitution, gravity):
    rng = np.random.default_rng(7)
    for _ in range(3):
        masses = rng.uniform(0.5, 3.0, 3)
        q = np.array([0.2, 0.2, 0.5, 0.7, 0.8, 1.2]) + rng.uniform(-0.05, 0.05, 6)
        system = discs(masses, gravity, restitution)
        check(system, gravity, q, 2.0 * rng.normal(size=6), law)


FOUND = {
    "plastic discs drift together without any force": (
        [0.45230485223638983, 0.4072812450716212, 0.2896076479652826, 0.7325804766374518,
         0.4171470757767609, 0.972807086772391],
        [-1.3312665945687483, 0.37642705488253336, 2.1066711068425183, 0.6911342132830993,
         -2.745473430720039, -2.8263291395109564],
        [0.8765681885708755, 0.8008964574596349, 2.7032050154729528], "sequential", 0.0,
    ),
    "a contact without force opens by next to nothing": (
        [0.5815228464766887, 0.5157144871153155, 0.65342467034747, 1.0503800911317194,
         0.8207550054624771, 0.321915311197201],
        [0.5440401876573546, 1.3256914172838057, 0.8273695267926776, 0.6596230880832115,
         0.5419574577464533, 2.3520712700589588],
        [2.662178952970017, 2.626641839052464, 1.6208361113933762], "newton", G,
    ),
    "a graze is not found again at its own place": (
        [0.6637115067662819, 1.3867737059085807, 0.17878337925328885, 1.3278657496810942,
         0.6732086560661157, 0.900896963328684],
        [3.0030403843224565, 1.4176231322113482, 0.7252254402398213, 1.8652423792412962,
         2.1200302354925986, -2.8716945003950527],
        [1.4625306617685103, 2.840491794576041, 1.132709108818184], "newton", G,
    ),
}  # fmt: skip


@pytest.mark.parametrize("scene", FOUND)
def test_scenes_that_once_went_on_without_end(scene):
    q, v, masses, law, gravity = FOUND[scene]
    check(discs(masses, gravity, 0.0), gravity, q, v, law)


def test_a_motion_passed_to_and_fro_ends_at_round_off_of_the_whole_motion():
    """A ball between a wall and a slow ball; the speed of a third sets the round-off of all."""
    system = go.System(
        [0.119, 0.558, 2.0],
        [0.0, 0.0, 0.0],
        contacts=[
            go.Contact("wall", lambda q, t: q[0], 0.876),
            go.Contact("balls", lambda q, t: q[1] - q[0] - 1.0, 0.0193),
        ],
    )
    collision = go.collide(system, [0.0, 1.0, 5.0], [0.0, -6e-9, 3.0], law="sequential")
    assert len(collision.jumps) < 200
    # 1e-14 of the whole motion, 4.2 kg^1/2 m/s, times the length of a row, 2.9 kg^-1/2.
    assert min(collision.rates_after.values()) > -1.3e-13


def test_a_body_without_force_that_rests_but_for_round_off_is_no_jump():
    wall = go.Contact("wall", lambda q, t: 0.6 * q[0] + 0.8 * q[1] - 0.3, restitution=0.5)
    ball = go.System([1.0, 1.0], [0.0, 0.0], contacts=[wall])
    for size in (1e-15, 1e-18, 1e-25):
        result = go.simulate(ball, [0.1, 0.3], [size, -0.75 * size], (0.0, 2.0))
        assert result.success
