"""Joints of planar mechanisms: known mechanisms, and Newton and Euler for every body."""

import sys

import numpy as np
import pytest
from test_validation_smooth import crank_position
from test_validation_smooth import slider_crank as slider_crank_by_hand

import gauss_opt as go
import gauss_opt.planar as pl

A1 = go.find_case("andrews")
TIGHT = {"rtol": 1e-11}


def slider_crank():
    m = pl.Mechanism(gravity=9.81)
    crank = m.body("crank", pl.Rod(0.3), mass=3.0)
    rod = m.body("rod", pl.Rod(0.7), mass=1.0)
    m.pin("ground pin", m.ground.at(0, 0), crank.start)
    m.pin("crank pin", crank.end, rod.start)
    m.slider("guide", rod.end, line=pl.Line((0, 0), (1, 0)))
    return m, crank, rod


def newton_and_euler(m, result, moments=1e-9):
    """m a = weight + reactions on each body, and the same for moments, at every row."""
    for body in m.bodies:
        if not body.moves:
            continue
        force = np.tile(np.array(m.gravity) * body.mass, (len(result.t), 1))
        torque = np.zeros(len(result.t))
        center = result.path(body)
        for joint in m.joints:
            if body not in joint.bodies:
                continue
            reaction = result.reaction(joint.name, on=body)
            arm = reaction.at - center
            force += reaction.force
            torque += reaction.torque + arm[:, 0] * reaction.force[:, 1]
            torque -= arm[:, 1] * reaction.force[:, 0]
        size = max(np.abs(force).max(), body.mass * 9.81, 1.0)
        off = np.abs(body.mass * result.acceleration(body) - force).max()
        assert off < 1e-9 * size, (body.name, off)
        if body.size == 3:
            turn = result.a[:, body.slots[2]]
            assert np.abs(body.inertia * turn - torque).max() < moments * size, body.name


def test_the_slider_crank_is_the_one_written_by_hand():
    m, crank, rod = slider_crank()
    case = go.find_case("slider_crank")()
    place, slope, _ = crank_position(np.radians(60.0))
    by_hand = go.simulate(slider_crank_by_hand(), place, 4.0 * slope, (0, 2), rtol=1e-11)
    t = np.linspace(0.0, 2.0, 50)
    result = m.simulate({crank.angle: 60 * pl.deg, crank.rate: 4.0}, (0, 2), rtol=1e-11)
    assert np.abs(result(t)[0] - by_hand(t)[0]).max() < 1e-8
    turning = case.turning((0.0, 2.0), np.radians(60.0), 4.0, t_eval=result.t).y
    exact = np.array([case.reactions(*state) for state in turning.T])
    size = np.abs(exact).max()
    ground = result.reaction("ground pin", on=crank).force
    pin = result.reaction("crank pin", on=rod).force
    guide = result.reaction("guide", on=rod).force
    assert np.abs(ground - exact[:, :2]).max() < 1e-8 * size
    assert np.abs(pin - exact[:, 2:4]).max() < 1e-8 * size
    assert np.abs(guide - np.outer(exact[:, 4], [0, 1])).max() < 1e-8 * size
    assert np.abs(result.path(rod.end)[:, 1]).max() < 1e-12
    assert np.abs(result.reaction("crank pin", on=crank).force + pin).max() == 0.0
    newton_and_euler(m, result)


@pytest.mark.parametrize("ratio", [1.0001, 1.1, 3.0, 30.0])
def test_a_slider_crank_is_assembled_on_the_side_of_its_guide_at_every_angle(ratio):
    for angle in (-400.0, -90.0, -37.0, 0.0, 89.0, 90.0, 135.0, 180.0, 271.0):
        case = go.find_case("slider_crank")(rod=0.15 * ratio, angle=angle)
        setup = case.build()
        place, slope, _ = case.position(np.radians(angle))  # closed form
        assert np.abs(setup.q0 - place).max() < 1e-10
        assert np.abs(setup.v0 - case.speed * slope).max() < 1e-10 * np.abs(slope).max()


def andrews():
    """Seven bodies with their pins, from the published lengths; own axes as in the publication."""
    k = vars(sys.modules[A1.__module__])
    m = pl.Mechanism()
    centers = {
        1: (k["ra"], 0), 2: (-k["da"], 0), 3: (k["sb"], -k["sa"]), 4: (0, k["ea"] - k["e"]),
        5: (k["ta"], -k["tb"]), 6: (k["zf"] - k["fa"], 0), 7: (k["ua"], -k["ub"]),
    }  # fmt: skip
    K = {
        i: m.body(f"K{i}", mass=k[f"m{i}"], inertia=k[f"I{i}"], center=center)
        for i, center in centers.items()
    }
    ground, P = m.ground, K[2].at(-k["d"], 0)
    m.pin("O", ground.at(0, 0), K[1].origin)
    m.pin("F", K[1].at(k["rr"], 0), K[2].origin)
    m.pin("B", ground.at(*k["B"]), K[3].origin)
    m.pin("P3", P, K[3].at(0, -k["ss"]))
    m.pin("A5", ground.at(*k["A"]), K[5].origin)
    m.pin("E", K[5].at(k["zt"], 0), K[4].origin)
    m.pin("P4", P, K[4].at(0, -k["e"]))
    m.pin("A7", ground.at(*k["A"]), K[7].origin)
    m.pin("H", K[7].at(0, -k["u"]), K[6].origin)
    m.pin("P6", P, K[6].at(k["zf"], 0))
    m.spring("spring", ground.at(*k["C"]), K[3].at(k["sd"], -k["sc"]), length=k["FREE_LENGTH"],
             stiffness=4530.0)  # fmt: skip
    m.torque("motor", K[1], 0.033)
    return m, K, k


def test_andrews_mechanism_from_seven_bodies_and_their_pins():
    m, K, k = andrews()
    be, th, ga, ph, de, om, ep = k["START"]
    angles = (be, be + th, ga, ph + de, de, om + ep, ep)
    start = {K[i].angle: angle for i, angle in enumerate(angles, 1)}
    freedom = m.freedom(start)
    assert (freedom.degrees, freedom.redundant) == (1, 0)
    run = m.simulate(start, (0.0, 0.03), rtol=1e-12)
    q = [run.value(K[i].angle)[-1] for i in K]
    v = [run.value(K[i].rate)[-1] for i in K]
    for x, published, digits in ((q, k["END"], 1e-9), (v, k["END_VELOCITIES"], 1e-7)):
        ours = [x[0], x[1] - x[0], x[2], x[3] - x[4], x[4], x[5] - x[6], x[6]]
        assert np.abs(np.array(ours) / published - 1.0).max() < digits


def test_the_pin_of_a_physical_pendulum_as_adams_has_it():
    case = go.find_case("physical_pendulum")()
    m = pl.Mechanism(gravity=9.80665)
    body = m.body("body", mass=1.0, inertia=0.1, center=(2.0, 0.0))
    m.pin("pin", m.ground.at(0, 0), body.origin)
    run = m.simulate({body.angle: 0.0}, (0, 2), **TIGHT)
    for t, place in {
        1.0: (-0.8923814855, -1.7898757734),
        2.0: (-1.9511171688, -0.4394790026),
    }.items():
        assert run.path(body, t)[0] == pytest.approx(place, abs=1e-8)
    assert run.reaction("pin").force == pytest.approx(case.reaction(run.t), abs=1e-7)
    newton_and_euler(m, run)


def test_two_four_bar_mechanisms_in_a_row_pass_the_flat_position():
    m = pl.Mechanism(gravity=9.81)
    cranks = [m.body(f"crank {i}", pl.Rod(1.0), mass=1.0, at=(i, 0), angle=90 * pl.deg)
              for i in range(3)]  # fmt: skip
    for i, crank in enumerate(cranks):
        m.pin(f"foot {i}", m.ground.at(i, 0), crank.start)
    for i in range(2):
        coupler = m.body(f"coupler {i}", pl.Rod(1.0), mass=1.0, at=(i, 1))
        m.pin(f"left {i}", cranks[i].end, coupler.start)
        m.pin(f"right {i}", cranks[i + 1].end, coupler.end)
    run = m.simulate({cranks[0].end.vx: 1.0}, (0, 10), rtol=1e-10)
    for t, tip in {
        1.0: (-0.19502030194944, -0.98079920566217),
        5.0: (-0.81131046100511, -0.58461554534898),
        10.0: (0.32845811154082, 0.9445185381786),
    }.items():
        assert run.path(cranks[0].end, t)[0] == pytest.approx(tip, abs=1e-6)


def test_a_parallelogram_with_a_third_crank_is_redundant_but_moves():
    m = pl.Mechanism(gravity=9.81)
    coupler = m.body("coupler", pl.Rod(2.0), mass=1.0)
    for i in range(3):
        crank = m.body(f"crank {i}", pl.Rod(1.0), mass=1.0)
        m.pin(f"foot {i}", m.ground.at(i, 0), crank.start)
        m.pin(f"head {i}", crank.end, coupler.at(i, 0))
    cranks = m.bodies[2:]
    start = {crank.angle: 1.0 for crank in cranks}
    freedom = m.freedom(start)
    assert freedom.degrees == 1
    assert freedom.redundant == 1
    assert set(freedom.redundant_joints) == {f"{a} {i}" for a in ("foot", "head") for i in range(3)}
    assert freedom.moving["coupler"] == ("x", "y")  # it never turns
    assert freedom.moving["crank 1"] == ("x", "y", "angle")
    assert "1 row follows" in str(freedom)
    run = m.simulate(start, (0, 1), rtol=1e-11)
    # Three cranks of I = 1/3 and a coupler of 1 kg: one degree of freedom.
    levers = 3 * 0.5 + 1.0
    speed = 2.0 * 9.81 * levers * (np.sin(1.0) - np.sin(run.value(cranks[0].angle)))
    exact = np.sqrt(np.maximum(speed, 0.0) / (3 / 3.0 + 1.0))
    assert np.abs(np.abs(run.value(cranks[0].rate)) - exact).max() < 1e-7
    newton_and_euler(m, run)


def test_reactions_of_every_joint_balance_every_body():
    """One mechanism with all joints that hold; the pair of each joint is opposite."""
    m = pl.Mechanism(gravity=(1.0, -9.81))
    base = m.body("base", pl.Box(1.0, 0.4), mass=4.0, at=(0.3, 1.0))
    m.prismatic("rail", base.at(0.1, 0.05), pl.Line((0, 1), (1, 0.2)), angle=0.1)
    arm = m.body("arm", pl.Rod(0.8), mass=1.0, angle=0.7)
    m.pin("elbow", base.at(0.5, 0.2), arm.start)
    tip = m.body("tip", pl.Disc(0.1), mass=0.5)
    m.weld("glue", arm.end, tip.at(0.05, 0.0), angle=0.4)
    weight = m.particle("weight", mass=0.7, at=(2.0, 0.5))
    m.rod("link", tip.center, weight.center, 1.2)
    wheel = m.body("wheel", pl.Disc(0.3), mass=1.0, at=(0, 1))
    m.pin("axle", base.at(-0.3, 0.1), wheel.center)
    m.gear("gears", arm, wheel, -2.0, carrier=base, offset=0.3)
    flap = m.body("flap", pl.Rod(0.5), mass=0.3, at=(0, 1), angle=-1.0)
    m.slider("slot", flap.at(0.2, 0.0), pl.Line((0, -0.1), (1, 0)), on=base)
    m.ratio("rack", base.x, flap.angle, 0.5, offset=-1.2)
    assert m.freedom().degrees == 3 * 5 + 2 - (2 + 2 + 3 + 1 + 2 + 1 + 1 + 1)
    run = m.simulate({arm.rate: 2.0}, (0, 0.7), rtol=1e-11)
    newton_and_euler(m, run)
    for name, a, b in (("elbow", base, arm), ("glue", arm, tip), ("link", tip, weight)):
        one, other = run.reaction(name, on=a), run.reaction(name, on=b)
        assert np.abs(one.force + other.force).max() < 1e-12 * max(1, np.abs(one.force).max())
    ground = run.reaction("rail", on=m.ground)
    assert np.abs(ground.force + run.reaction("rail").force).max() < 1e-12
    along = np.array([1.0, 0.2]) / np.hypot(1.0, 0.2)
    assert np.abs(ground.force @ along).max() < 1e-9  # a smooth rail


def test_a_driver_reports_the_torque_it_takes():
    m = pl.Mechanism(gravity=9.81)
    arm = m.body("arm", pl.Rod(2.0), mass=3.0)
    m.pin("pin", m.ground.at(0, 0), arm.start)
    m.drive("motor", arm.angle, lambda t: 0.3 + t**2)
    run = m.simulate({}, (0, 1), **TIGHT)
    angle = 0.3 + run.t**2
    torque = 3.0 * 2.0**2 / 3.0 * 2.0 + 3.0 * 9.81 * np.cos(angle)
    assert run.multipliers["motor"] == pytest.approx(torque, rel=1e-9)
    assert run.reaction("motor").torque == pytest.approx(torque, rel=1e-9)
    assert np.abs(run.value(arm.angle) - angle).max() < 1e-9


def test_a_body_moved_as_given_carries_a_pendulum():
    """A pivot accelerated by a0: in its frame gravity is tilted, and the pendulum hangs so."""
    m = pl.Mechanism(gravity=9.81)
    cart = m.moved("cart", pl.Box(0.4, 0.2), motion=lambda t: (1.5 * t**2, 0.0, 0.0))
    bob = m.body("bob", pl.Disc(0.1, (0.0, -1.0)), mass=2.0)
    m.pin("pin", cart.at(0, 0), bob.origin)
    hang = np.arctan2(-3.0, 9.81)
    run = m.simulate({bob.angle: hang}, (0, 1), **TIGHT)
    assert np.abs(run.value(bob.angle) - hang).max() < 1e-9
    assert run.reaction("pin").force == pytest.approx(
        np.tile([6.0, 2 * 9.81], (len(run.t), 1)), abs=1e-8
    )
    assert run.velocity(cart.at(0.1, 0.0))[-1] == pytest.approx([3.0, 0.0])
    assert run.acceleration(cart.at(0.1, 0.0))[-1] == pytest.approx([3.0, 0.0])


def test_a_disc_rolls_down_a_slope_with_two_thirds_of_gravity():
    slope = 20 * pl.deg
    line = pl.Line((0, 0), (np.cos(slope), -np.sin(slope)))
    m = pl.Mechanism(gravity=9.81)
    disc = m.body("disc", pl.Disc(0.5), mass=2.0)
    m.rolling("wheel", disc.center, 0.5, line)
    place = 0.5 * np.array(line.normal)
    run = m.simulate({disc.center: place, disc.angle: 0.0}, (0, 1), **TIGHT)
    way = np.hypot(*(run.path(disc)[-1] - place))
    assert way == pytest.approx(0.5 * 2 / 3 * 9.81 * np.sin(slope), rel=1e-9)
    assert run.value(disc.angle)[-1] == pytest.approx(-way / 0.5, rel=1e-9)
    friction = run.reaction("wheel roll").force @ np.array(line.direction)
    assert friction == pytest.approx(-np.full(len(run.t), 2 * 9.81 * np.sin(slope) / 3), rel=1e-9)


def test_a_knife_edge_on_a_slope():
    g = 9.81 * np.sin(30 * pl.deg)
    m = pl.Mechanism(gravity=(g, 0.0))
    skate = m.body("skate", mass=1.0, inertia=1.0, at=(0, 0))
    m.knife_edge("blade", skate.origin)
    run = m.simulate({skate.rate: 2.0}, (0, 3), **TIGHT)
    assert run.path(skate)[-1] == pytest.approx([0.047868520776070, 3.843243135174508], abs=1e-8)


def test_one_way_joints():
    """A string tightens, a clutch takes along, a speed limiter brakes, a limit stops."""
    m = pl.Mechanism(gravity=9.81)
    bob = m.particle("bob", mass=1.0, at=(0.6, 0.0))
    m.string("string", m.ground.at(0, 0), bob.center, 1.0)
    run = m.simulate({}, (0, 1), **TIGHT)
    tight = next(e for e in run.events if e.kind == "impact")
    assert tight.t == pytest.approx(np.sqrt(2 * 0.8 / 9.81), abs=1e-9)
    assert run.impulses("string")[0].force @ [0.6, -0.8] < 0.0  # it pulls the bob back

    m = pl.Mechanism()
    wheels = [m.body(name, pl.Disc(1.0), mass=2.0, at=(0, 0)) for name in "ab"]
    for wheel in wheels:
        m.pin(f"axle {wheel.name}", m.ground.at(0, 0), wheel.center)
    m.torque("brake", wheels[1], -1.0)
    m.clutch("clutch", *wheels)
    run = m.simulate({wheels[0].rate: 1.0, wheels[1].rate: 2.0}, (0, 2), **TIGHT)
    # b slows down by 1 rad/s^2 until it meets a at t = 1; then both by half of that.
    assert run(2.0).v[[2, 5]] == pytest.approx([0.5, 0.5], abs=1e-9)

    m = pl.Mechanism(gravity=9.81)
    cage = m.particle("cage", mass=2.0, at=(0, 10.0))
    m.lock("rails", cage.x, 0.0)
    m.speed_limit("governor", cage.y, 3.0)
    m.limit("shaft", cage.y, lower=8.0, upper=11.0, restitution=0.0)
    run = m.simulate({cage.vy: 2.0}, (0, 2), **TIGHT)
    assert run.path(cage)[-1, 1] == pytest.approx(8.0, abs=1e-12)
    assert run.reaction("shaft").force[-1] == pytest.approx([0.0, 2 * 9.81])


@pytest.mark.parametrize(
    ("words", "build"),
    [
        (
            "not part of this mechanism",
            lambda m, r: m.pin("p", pl.Mechanism().ground.at(0, 0), r.end),
        ),
        ("has no point 'tip'", lambda m, r: r.tip),
        ("must be a point, got the body 'rod'", lambda m, r: m.pin("p", m.ground.at(0, 0), r)),
        ("already a part called 'rod'", lambda m, r: m.body("rod", pl.Rod(1.0), mass=1.0)),
        (
            "is 'first' once more",
            lambda m, r: [m.pin(n, m.ground.at(0, 0), r.end) for n in ("first", "again")],
        ),
        ("connects 'rod' with itself", lambda m, r: m.pin("p", r.start, r.end)),
        (
            "neither of which can move",
            lambda m, r: m.pin("p", m.ground.at(0, 0), m.fixed("wall").origin),
        ),
        ("area is zero", lambda m, r: pl.Polygon([(0, 0), (1, 1), (2, 2)])),
        ("not convex", lambda m, r: pl.Polygon([(0, 0), (2, 0), (0.5, 0.5), (0, 2)])),
        ("must be a positive number", lambda m, r: pl.Disc(0.0)),
        ("must be a positive number", lambda m, r: pl.Box(1.0, 0.0)),
        (
            "no mass and no joint holds it",
            lambda m, r: (m.body("b", pl.Rod(1.0), mass=0.0), m.system),
        ),
        ("no shape to take its inertia from", lambda m, r: m.body("b", mass=1.0)),
        ("has no angle", lambda m, r: m.particle("b", mass=1.0).angle),
        (
            "cannot move freely",
            lambda m, r: m.body("b", pl.HalfPlane((0, 1)), mass=1.0, inertia=1.0),
        ),
        ("twice", lambda m, r: m.assemble({r.angle: 1.0, r.angle: 2.0})),
        ("is none", lambda m, r: m.assemble({"angle": 1.0})),
        (
            "under-determined: 1 more value",
            lambda m, r: (m.pin("p", m.ground.at(0, 0), r.start), m.assemble({})),
        ),
        (
            "over-determined",
            lambda m, r: (
                m.pin("p", m.ground.at(0, 0), r.start),
                m.assemble({r.angle: 0.0, r.end: (0, 1)}),
            ),
        ),
        (
            "cannot be assembled|over-determined",
            lambda m, r: (m.pin("p", m.ground.at(0, 0), r.start), m.assemble({r.end: (0, 3)})),
        ),
        ("no joint or pair is called 'q'", lambda m, r: m.simulate({}, (0, 0.1)).reaction("q")),
        ("needs lower=", lambda m, r: m.limit("l", r.angle)),
        ("lower must be below upper", lambda m, r: m.limit("l", r.angle, lower=1.0, upper=-1.0)),
        ("does nothing", lambda m, r: m.spring("s", m.ground.at(0, 0), r.end)),
        ("nothing in this mechanism can move", lambda m, r: pl.Mechanism().system),
        ("gravity must be", lambda m, r: pl.Mechanism(gravity="down")),
    ],
)
def test_a_bad_model_is_explained(words, build):
    m = pl.Mechanism(gravity=9.81)
    rod = m.body("rod", pl.Rod(1.0), mass=1.0)
    with pytest.raises(go.ModelError, match=words):
        build(m, rod)


def test_a_massless_body_that_joints_hold_is_welcome():
    """A rod without mass between two pins is the same as a distance."""
    runs = []
    for massless in (True, False):
        m = pl.Mechanism(gravity=9.81)
        bob = m.particle("bob", mass=1.0, at=(1.0, 0.0))
        if massless:
            rod = m.body("rod", pl.Rod(1.0), mass=0.0)
            m.pin("a", m.ground.at(0, 0), rod.start)
            m.pin("b", rod.end, bob.center)
        else:
            m.rod("rod", m.ground.at(0, 0), bob.center, 1.0)
        runs.append(m.simulate({bob.center: (1.0, 0.0)}, (0, 1), **TIGHT).path(bob)[-1])
    assert runs[0] == pytest.approx(runs[1], abs=1e-9)


def test_a_result_is_drawn_saved_and_read_back(tmp_path):
    m, crank, rod = slider_crank()
    m.stop("stop", rod.end, pl.HalfPlane((-1, 0), offset=-0.95), restitution=0.4)
    run = m.simulate({crank.angle: 1.0, crank.rate: 4.0}, (0, 1))
    assert run.animate(tmp_path / "crank.gif", max_frames=4).stat().st_size > 1000
    assert run.report(tmp_path / "crank.html").stat().st_size > 1000
    kinds = [shape.kind for shape in m.drawing(run)(run.q[0], 0.0)]
    assert kinds.count("line") == 2
    assert kinds.count("dot") == 3
    assert "arrow" not in kinds  # the stop only strikes, and flashes
    assert [shape.kind for shape in m.draw(run.q[0], 0.0)].count("polygon") == 1  # the stop
    run.save(tmp_path / "crank.npz")
    again = m.read(tmp_path / "crank.npz")
    assert (again.reaction("crank pin").force == run.reaction("crank pin").force).all()
    with pytest.raises(go.ModelError, match="not a result of this mechanism"):
        slider_crank()[0].read(go.find_case("bouncing_ball")().run())
