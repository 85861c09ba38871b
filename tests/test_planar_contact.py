"""Contact shapes: gaps, normals and places against distances of convex sets, and known motions."""

import re
from itertools import product

import numpy as np
import pytest
from scipy.optimize import nnls

import gauss_opt as go
import gauss_opt.planar as pl
from gauss_opt.planar.contact.distances import distance_of
from gauss_opt.planar.posture import Posture

ROUND = {
    "disc": pl.Disc(0.4),
    "off-centre disc": pl.Disc(0.3, (0.2, 0.1)),
    "capsule": pl.Capsule((-0.6, 0.1), (0.5, 0.0), 0.2),
}
THIN = {
    "rod": pl.Rod(1.1),
    "triangle": pl.Polygon([(0, 0), (1, 0.1), (0.2, 0.9)]),
    "box": pl.Box(0.9, 0.5, (0.1, 0.0)),
    "hexagon": pl.Polygon([(np.cos(x), np.sin(x)) for x in np.arange(6) * np.pi / 3]),
}
SHAPES = {**ROUND, **THIN}
ROUND_PAIRS = [pair for pair in product(SHAPES, SHAPES) if ROUND.keys() & set(pair)]
ROUND_PAIRS = [pair for pair in ROUND_PAIRS if pair[0] <= pair[1]]
POLYGONS = [("triangle", "box"), ("box", "box"), ("hexagon", "triangle"), ("rod", "box")]


def core(shape):
    """Corners of which a shape is the hull, and the radius around it."""
    if isinstance(shape, pl.Disc):
        return np.array([shape.center]), shape.radius
    if isinstance(shape, pl.Capsule):
        return np.array([shape.start, shape.end]), shape.radius
    return np.array(shape.corners), 0.0


def placed(shape, center, q):
    """Corners in the world, of a body with its mass centre at q[:2]."""
    points, _ = core(shape)
    c, s = np.cos(q[2]), np.sin(q[2])
    return (points - center) @ np.array([[c, s], [-s, c]]) + q[:2]


def hull_distance(a, b):
    """Distance of two hulls: the shortest vector of all differences, by nonnegative least squares.

    min |D x|^2 + (1 - sum x)^2 over x >= 0 scales the convex combination that is shortest.
    """
    differences = (b[:, None, :] - a[None, :, :]).reshape(-1, 2)
    x, _ = nnls(np.vstack([differences.T, np.ones(len(differences))]), np.array([0.0, 0.0, 1.0]))
    return float(np.hypot(*(differences.T @ (x / x.sum()))))


class Two:
    """Two free bodies with a shape each."""

    def __init__(self, one, other):
        self.m = pl.Mechanism()
        self.shapes = (SHAPES[one], SHAPES[other])
        self.bodies = [
            self.m.body(name, shape, mass=1.0, at=(0, 0))
            for name, shape in zip("ab", self.shapes, strict=True)
        ]
        self.m.collide(*self.bodies)

    def distance(self, q):
        hulls = [
            placed(shape, body.mass_center, q[body.slots])
            for shape, body in zip(self.shapes, self.bodies, strict=True)
        ]
        return hull_distance(*hulls) - sum(core(shape)[1] for shape in self.shapes)

    def slope(self, q, h=1e-6):
        """Central differences of the distance."""
        return np.array([
            (self.distance(q + h * e) - self.distance(q - h * e)) / (2 * h) for e in np.eye(6)
        ])  # fmt: skip

    def rows(self, q):
        """Numbers of the rows that exist, by name."""
        snapshot = go.evaluate(self.m.system, q, np.zeros(6))
        there = snapshot.enabled if snapshot.enabled is not None else np.ones(len(snapshot.value))
        return snapshot, np.flatnonzero(there)


def poses(seed, count, spread=1.5):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        yield np.concatenate([[0, 0, 10 * rng.normal()], spread * rng.normal(size=2),
                              [10 * rng.normal()]])  # fmt: skip


@pytest.mark.parametrize(("one", "other"), ROUND_PAIRS)
def test_the_nearest_row_of_round_shapes_is_their_distance(one, other):
    """Apart, touching or overlapping by less than the radii; its row of J is the slope of it."""
    two, compared = Two(one, other), 0
    for q in poses(1, 150):
        distance = two.distance(q)
        if distance + sum(core(shape)[1] for shape in two.shapes) < 0.05:
            continue  # the hulls overlap
        snapshot, there = two.rows(q)
        nearest = there[snapshot.value[there].argmin()]
        assert snapshot.value[nearest] == pytest.approx(distance, abs=1e-9)
        assert np.abs(snapshot.rows[nearest] - two.slope(q)).max() < 1e-6
        compared += 1
    assert compared > 80


@pytest.mark.parametrize(("one", "other"), POLYGONS)
def test_a_corner_at_an_edge_is_the_distance_and_changes_sign_at_the_surface(one, other):
    two, compared = Two(one, other), 0
    for q in poses(2, 300):
        distance = two.distance(q)
        if distance < 0.01:
            continue
        slope = two.slope(q)
        moved = q.copy()
        moved[3:5] -= distance * slope[3:5]  # until they touch
        snapshot, there = two.rows(moved)
        touching = there[np.abs(snapshot.value[there]) < 1e-7]
        corner_on_corner = hull_corners_touch(two, moved)
        if corner_on_corner:
            continue
        assert len(touching) == 1
        assert np.abs(snapshot.rows[touching[0]] - slope).max() < 1e-5
        before, _ = two.rows(q)
        assert before.value[touching[0]] == pytest.approx(distance, abs=1e-7)
        moved[3:5] -= 1e-3 * slope[3:5]
        behind, _ = two.rows(moved)
        assert behind.value[touching[0]] == pytest.approx(-1e-3, abs=1e-6)
        compared += 1
    assert compared > 40


def hull_corners_touch(two, q):
    a, b = (
        placed(shape, body.mass_center, q[body.slots])
        for shape, body in zip(two.shapes, two.bodies, strict=True)
    )
    return np.hypot(*(a[:, None] - b[None]).reshape(-1, 2).T).min() < 1e-5


@pytest.mark.parametrize("name", SHAPES)
def test_half_planes_and_circles_around_meet_the_corner_that_is_nearest(name):
    shape = SHAPES[name]
    points, radius = core(shape)
    m = pl.Mechanism()
    wall = m.fixed("wall", pl.HalfPlane((1, 2), offset=0.3), at=(0.2, -0.4), angle=0.7)
    ring = m.fixed("ring", pl.InnerDisc(2.5, (0.1, 0.0)), at=(0.5, 0.5))
    body = m.body("body", shape, mass=1.0, at=(0, 0))
    m.collide(wall, body)
    m.collide(ring, body)
    normal = np.array([1.0, 2.0]) / np.sqrt(5.0)
    normal = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]]) @ normal
    surface = np.array([0.2, -0.4]) + 0.3 * normal
    for q in poses(3, 40, spread=0.5):
        q = q[3:]
        corners = placed(shape, body.mass_center, q)
        snapshot = go.evaluate(m.system, q, np.zeros(3))
        gaps = np.array(list(snapshot.gaps.values()))
        heights = (corners - surface) @ normal - radius
        assert gaps[: len(points)] == pytest.approx(heights, abs=1e-12)
        room = 2.5 - radius - np.hypot(*(corners - [0.6, 0.5]).T)
        assert (np.sign(gaps[len(points) :]) == np.sign(room)).all()
        # At the circle it is the distance, with its slope.
        k = int(room.argmin())
        out = (corners[k] - [0.6, 0.5]) / np.hypot(*(corners[k] - [0.6, 0.5]))
        q = q + np.append(room[k] * out, 0.0)
        there = go.evaluate(m.system, q, np.zeros(3))
        row = len(points) + k
        assert there.value[row] == pytest.approx(0.0, abs=1e-12)
        assert there.rows[row, :2] == pytest.approx(-out, abs=1e-9)


def test_slips_are_velocities_of_the_two_surfaces_along_one_another():
    m = pl.Mechanism(gravity=9.81)
    belt = m.moved("belt", pl.HalfPlane((0, 1)), motion=lambda t: (3.0 * t, 0.0, 0.0))
    wheel = m.body("wheel", pl.Disc(0.5), mass=1.0)
    box = m.body("box", pl.Box(1, 1), mass=1.0)
    m.collide(belt, wheel, friction=0.3)
    m.collide(wheel, box, friction=0.5)
    q, v = [0, 0.5, 1.0, 1.0, 0.5, 0.0], [2.0, 0.1, 4.0, 0.0, 0.7, 0.0]
    snapshot = go.evaluate(m.system, q, v)
    names = snapshot.layout.names
    slips = dict(zip(names[snapshot.layout.tangents], snapshot.value[snapshot.layout.tangents],
                     strict=True))  # fmt: skip
    assert slips["belt-wheel"] == pytest.approx(2.0 + 0.5 * 4.0 - 3.0)
    # The box is on the right of the wheel: its surface moves up by 0.7, that of the wheel by 2.1.
    side = slips["wheel-box: wheel on box.edge_4"]
    assert abs(side) == pytest.approx(0.1 + 0.5 * 4.0 - 0.7)
    friction = {c.name: c.friction for c in m.system.contacts}
    assert friction["belt-wheel"] == 0.3


@pytest.mark.parametrize(
    ("friction", "shape", "rolls"),
    [(0.2, pl.Box(0.4, 0.2), False), (0.6, pl.Disc(0.1), True), (0.05, pl.Disc(0.1), False)],
)
def test_bodies_slide_and_roll_down_a_rough_slope(friction, shape, rolls):
    """g (sin - mu cos) when it slides, 2/3 g sin when a disc rolls; 0.05 is too little for that."""
    g, slope = 9.81, 20 * pl.deg
    sine, cosine = np.sin(slope), np.cos(slope)
    m = pl.Mechanism(gravity=(g * sine, -g * cosine))
    floor = m.fixed("floor", pl.Box(20.0, 1.0, (0.0, -0.5)))
    body = m.body("body", shape, mass=1.0, at=(0.0, 0.1))
    m.collide(floor, body, friction=friction)
    run = m.simulate({}, (0, 0.5))
    rate = 2 / 3 * g * sine if rolls else g * (sine - friction * cosine)
    assert run.acceleration(body)[:, 0] == pytest.approx(rate, rel=1e-9)
    assert run.path(body)[-1] == pytest.approx([0.5 * rate * 0.5**2, 0.1], abs=1e-9)
    force = run.reaction("floor-body", on=body).force
    assert force == pytest.approx(np.tile([rate - g * sine, g * cosine], (len(run.t), 1)), abs=1e-8)


def test_materials_combine_by_a_rule_or_by_a_matrix():
    m = pl.Mechanism()
    m.material("steel", restitution=0.8, friction=0.2)
    m.material("rubber", restitution=0.5, friction=0.8)
    m.material_pair("rubber", "rubber", restitution=0.7, friction=1.0)
    bodies = [
        m.body(name, pl.Disc(0.1), mass=1.0, at=(i, 0), material=material)
        for i, (name, material) in enumerate(
            [("a", "steel"), ("b", "rubber"), ("c", "rubber"), ("d", "")]
        )
    ]
    m.collide(bodies[0], bodies[3], restitution=0.1)
    m.collide(apart=[(bodies[1], bodies[3])])
    found = {c.name: (c.restitution, c.friction) for c in m.system.contacts}
    assert found == {
        "a-b": (0.5, pytest.approx(0.4)),
        "a-c": (0.5, pytest.approx(0.4)),
        "b-c": (0.7, 1.0),
        "a-d": (0.1, 0.2),
        "c-d": (0.5, 0.8),
    }


def test_bodies_joined_by_a_joint_collide_only_when_asked():
    def arms(**options):
        m = pl.Mechanism()
        one = m.body("one", pl.Rod(1.0, 0.1), mass=1.0)
        two = m.body("two", pl.Rod(1.0, 0.1), mass=1.0)
        m.pin("pin", one.end, two.start)
        m.collide(**options)
        return len(m.system.contacts)

    assert arms() == 0
    assert arms(joined=True) == 12  # 4 pairs of ends, and 4 ends at 2 sides each


@pytest.mark.parametrize(
    ("words", "build"),
    [
        ("overlap at the start, by 0.1 m near", lambda m, a, b: m.collide(a, b)),
        ("at least two bodies", lambda m, a, b: m.collide(a)),
        ("collide already", lambda m, a, b: [m.collide(a, b), m.collide(b, a)]),
        ("neither of them can move", lambda m, a, b: m.collide(m.ground, m.fixed("w", pl.Disc(1)))),
        ("has no shape", lambda m, a, b: m.collide(a, m.ground)),
        (
            "two points never meet",
            lambda m, a, b: m.collide(m.particle("p", mass=1.0), m.particle("o", mass=1.0)),
        ),
        ("not part of this mechanism", lambda m, a, b: m.collide(a, pl.Mechanism().ground)),
        ("restitution of collide() must be", lambda m, a, b: m.collide(a, b, restitution=1.5)),
        ("friction of collide() must be", lambda m, a, b: m.collide(a, b, friction=-1)),
        ("already a material", lambda m, a, b: [m.material("x"), m.material("x")]),
        ("no material is called 'wood'", lambda m, a, b: m.material_pair("wood", "wood")),
        (
            "body 'c': no material is called 'wood'",
            lambda m, a, b: m.collide(a, m.body("c", pl.Disc(1), mass=1.0, material="wood")),
        ),
        (
            "no smaller than the circle",
            lambda m, a, b: m.collide(m.fixed("ring", pl.InnerDisc(0.5)), a),
        ),
    ],
)
def test_a_bad_contact_is_explained(words, build):
    m = pl.Mechanism()
    a = m.body("a", pl.Disc(0.5), mass=1.0, at=(0, 0))
    b = m.body("b", pl.Box(1.0, 1.0), mass=1.0, at=(0.9, 0.0))
    with pytest.raises(go.ModelError, match=re.escape(words)):
        (build(m, a, b), m.simulate({}, (0, 0.1)))


def test_a_disc_that_slides_off_a_table_leaves_its_corner_at_a_known_angle():
    """cos(angle) = (2 + v^2 / (g r)) / 3: from edge to corner to free flight."""
    g, r, v = 9.81, 0.1, 0.4
    m = pl.Mechanism(gravity=g)
    table = m.fixed("table", pl.Box(2.0, 1.0, (-1.0, -0.5)))
    disc = m.body("disc", pl.Disc(r), mass=1.0)
    m.collide(table, disc)
    run = m.simulate({disc.center: (-0.2, r), disc.vx: v}, (0, 1.0), rtol=1e-11)
    corner = "table-disc: disc on table.corner_3"
    releases = [e for e in run.events if e.kind == "release" and corner in e.contacts]
    assert len(releases) == 1
    left = releases[0]
    cosine = left.q[1] / r
    assert cosine == pytest.approx((2 + v**2 / (g * r)) / 3, abs=1e-8)
    assert left.q[0] == pytest.approx(r * np.sqrt(1 - cosine**2), abs=1e-8)
    assert run.energy.total == pytest.approx(run.energy.total[0], abs=1e-9)
    carried = run.multipliers["table-disc: disc on table.edge_3"]
    assert carried[run.t < 0.49] == pytest.approx(g)


def test_a_disc_that_rolls_off_a_table_keeps_its_energy_until_it_slips():
    """The corner takes over from the edge without a blow; then friction no longer suffices."""
    r, v = 0.1, 0.3
    m = pl.Mechanism(gravity=9.81)
    table = m.fixed("table", pl.Box(2.0, 1.0, (-1.0, -0.5)))
    disc = m.body("disc", pl.Disc(r), mass=1.0)
    m.collide(table, disc, friction=0.8)
    start = {disc.center: (-0.05, r), disc.vx: v, disc.rate: -v / r}
    run = m.simulate(start, (0, 0.4), rtol=1e-10)
    assert [str(e.kind) for e in run.events][-2:] == ["slip", "release"]
    slips, leaves = run.events[-2:]
    assert run.energy.total[run.t < slips.t] == pytest.approx(run.energy.total[0], abs=1e-9)
    # Rolling about a corner: 3/4 r^2 w^2 grows by what the centre falls; it slips where the force
    # along the surface, g sin / 3, is 0.8 of g cos - r w^2.
    angle = np.arctan2(slips.q[0], slips.q[1])
    square = (v / r) ** 2 + 4.0 / 3.0 * 9.81 / r * (1.0 - np.cos(angle))
    pressed = 9.81 * np.cos(angle) - r * square
    assert 9.81 * np.sin(angle) / 3.0 == pytest.approx(0.8 * pressed, rel=1e-7)
    assert slips.v_before[2] == pytest.approx(-np.sqrt(square), rel=1e-8)
    assert leaves.t > slips.t


def test_boxes_of_one_width_stand_upon_one_another():
    """Corner on corner: rows at the ends of edges, where round-off decides on neither side."""
    m = pl.Mechanism(gravity=9.81)
    floor = m.fixed("floor", pl.HalfPlane((0, 1)))
    boxes = [m.body(f"box {i}", pl.Box(0.3, 0.1), mass=1.0 + i, at=(0.1, 0.05 + 0.1 * i))
             for i in range(3)]  # fmt: skip
    m.collide()
    run = m.simulate({}, (0, 0.5))
    assert np.abs(run.q - run.q[0]).max() < 1e-12
    assert len(run.events) == 0
    weight = [9.81 * 6.0, 9.81 * 5.0, 9.81 * 3.0]
    for lower, upper, force in zip([floor, *boxes], boxes, weight, strict=False):
        total = run.reaction(f"{lower.name}-{upper.name}", on=upper).force
        assert total[-1] == pytest.approx([0.0, force], abs=1e-9)


def overlap(m, run, times):
    """Deepest overlap of any two bodies, by distances of hulls."""
    q = run(times)[0]
    return min(
        distance_of(*pair.bodies, Posture(q[k], None, 0.0)).value
        for k in range(len(times)) for pair in m.pairs
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_tumbling_bodies_miss_no_contact(seed):
    """No overlap at any of many times, and the energy only falls."""
    rng = np.random.default_rng(seed)
    m = pl.Mechanism(gravity=9.81)
    m.fixed("floor", pl.HalfPlane((0, 1)))
    m.fixed("left", pl.HalfPlane((1, 0.3), offset=-0.8))
    m.fixed("right", pl.HalfPlane((-1, 0.3), offset=-0.8))
    shapes = [pl.Box(0.4, 0.25), pl.Polygon([(0, 0), (0.4, 0), (0.1, 0.3)])]
    shapes.append(pl.Capsule((-0.1, 0.0), (0.15, 0.0), 0.06) if seed % 2 else pl.Box(0.2, 0.2))
    bodies = [
        m.body(f"b{i}", shape, mass=1.0, at=(0.5 * rng.uniform(-1, 1), 0.6 + 0.5 * i),
               angle=float(rng.uniform(0, 6)))
        for i, shape in enumerate(shapes)
    ]  # fmt: skip
    m.collide(restitution=0.6)
    start = {body.rate: float(3 * rng.normal()) for body in bodies}
    run = m.simulate(start, (0, 0.6), rtol=1e-8)
    assert run.success
    assert len(run.events) > 3
    assert overlap(m, run, np.linspace(0, 0.6, 200)) > -1e-7
    energy = run.energy.total
    assert (np.diff(energy) < 1e-7 * abs(energy).max()).all()
    assert run.stats.unsettled == {}
