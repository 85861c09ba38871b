"""What an event does: answers that say what is to be, and write into nothing."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go
from gauss_opt.simulation.event_driven import contact_status as contact
from gauss_opt.simulation.event_driven.accumulation import Accumulation, Bounce
from gauss_opt.simulation.event_driven.contact_status import Status
from gauss_opt.simulation.event_driven.event_impacts import approaches, impacts
from gauss_opt.simulation.event_driven.guards.happening import HappeningKind
from gauss_opt.simulation.event_driven.impact_series import close_contacts, noted, reach_limit
from gauss_opt.simulation.event_driven.response import (
    classify,
    hold,
    let_go,
    merged,
    settle,
    touching_at,
)
from gauss_opt.simulation.run_state import ImpactSeries

_, OPEN, LEAVING, RESTING, CARRYING = list(Status)[:5]
G = 9.81
FLOOR, WALL = np.array([0]), np.array([1])
NONE = np.arange(0)


class Scene:
    """A ball over a floor beside a wall, some time before anything happens."""

    def __init__(self, e=0.5, force=(0.0, -G)):
        system = go.System(
            [1.0, 1.0],
            np.array(force),
            contacts=[
                go.Contact("floor", lambda q, t: q[1], e),
                go.Contact("wall", lambda q, t: q[0], e),
            ],
        )
        stepper = go.start(system, [1.0, 1.0], [-2.0, -3.0], (0, 10))
        self.context = stepper.present.context
        self.state = stepper.freeze()

    def at(self, q, v, t=0.5):
        return self.context.at(t, np.array([*q, *v], dtype=float))

    def standing(self, *status):
        self.state.status = np.array(status, dtype=np.int8)
        return self.context, self.state


@pytest.fixture
def scene():
    """A scene whose state must be after the test what it was when it was first asked."""
    scene = Scene()
    yield scene
    kept = scene.state.copy()
    assert_array_equal(kept.scales.q, [1.0, 1.0])
    assert_array_equal(kept.scales.v, [2.0, 3.0])
    assert kept.t == 0.0
    assert kept.series.bounces == ()


def test_an_impact_reverses_the_rate_and_the_contact_leaves(scene):
    asked = scene.standing(OPEN, OPEN)
    response = settle(*asked, scene.at([1, 0], [-2, -3]), FLOOR, HappeningKind.CONTACT)
    assert_allclose(response.snapshot.v, [-2.0, 1.5], rtol=1e-14)
    assert_array_equal(response.status, [LEAVING, OPEN])
    assert [(event.kind, event.contacts) for event in response.events] == [("impact", ("floor",))]
    assert len(response.collisions) == 1
    assert_array_equal(asked[1].status, [OPEN, OPEN])


def test_contacts_that_close_together_are_one_impact(scene):
    asked = scene.standing(OPEN, OPEN)
    response = settle(*asked, scene.at([0, 0], [-2, -3]), FLOOR, HappeningKind.CONTACT)
    assert response.events[0].contacts == ("floor", "wall")
    assert_allclose(response.snapshot.v, [1.0, 1.5], rtol=1e-14)


def test_a_plastic_impact_leaves_a_contact_that_carries_the_weight():
    scene = Scene(e=0.0)
    asked = scene.standing(OPEN, OPEN)
    response = settle(*asked, scene.at([1, 0], [-2, -3]), FLOOR, HappeningKind.CONTACT)
    assert_array_equal(response.status, [CARRYING, OPEN])
    assert response.answer.multipliers["floor"] == pytest.approx(G)


def test_a_graze_is_an_event_without_a_jump(scene):
    asked = scene.standing(OPEN, OPEN)
    response = settle(*asked, scene.at([1, 0], [-2, 0]), FLOOR, HappeningKind.GRAZE)
    assert [event.kind for event in response.events] == ["graze"]
    assert_array_equal(response.snapshot.v, [-2.0, 0.0])


def test_a_contact_without_force_lets_go():
    scene = Scene(force=(0.0, 1.0))
    asked = scene.standing(CARRYING, OPEN)
    response = let_go(*asked, scene.at([1, 0], [-2, 0]), FLOOR)
    assert_array_equal(response.status, [LEAVING, OPEN])
    assert [(event.kind, event.contacts) for event in response.events] == [("release", ("floor",))]
    assert_allclose(response.answer.acceleration, [0.0, 1.0], atol=1e-15)


def test_idle_contacts_are_set_free_when_nothing_else_explains_the_change():
    scene = Scene(force=(0.0, 0.0))
    asked = scene.standing(RESTING, OPEN)
    response = let_go(*asked, scene.at([1, 0], [-2, 0]), NONE)
    assert_array_equal(response.status, [LEAVING, OPEN])


def test_a_contact_that_is_held_has_no_rate_and_carries(scene):
    asked = scene.standing(LEAVING, OPEN)
    response = hold(*asked, scene.at([1, 0], [-2, -1e-12]), FLOOR)
    assert_array_equal(response.snapshot.v, [-2.0, 0.0])
    assert_array_equal(response.status, [CARRYING, OPEN])
    assert response.events == ()


@pytest.mark.parametrize(("force", "expected"), [(-G, CARRYING), (0.0, RESTING), (1.0, LEAVING)])
def test_the_force_says_how_a_closed_contact_stands(force, expected):
    scene = Scene(force=(0.0, force))
    context, state = scene.standing(RESTING, OPEN)
    found = classify(context, state.scales, state.status, scene.at([1, 0], [0, 0]))
    assert_array_equal(found.status, [expected, OPEN])


def test_what_touches_at_the_start_is_found(scene):
    _, state = scene.standing(OPEN, OPEN)
    assert_array_equal(touching_at(state, scene.at([1, 0], [0, -1])), FLOOR)
    assert_array_equal(touching_at(state, scene.at([0, 1e-3], [0, -1])), WALL)
    assert approaches(scene.at([1, 0], [0, -1]), FLOOR, state.scales)
    assert not approaches(scene.at([1, 0], [0, -1e-12]), FLOOR, state.scales)


def test_without_an_approach_there_is_no_impact(scene):
    context, state = scene.standing(OPEN, OPEN)
    at_rest = scene.at([1, 0], [-2, 0])
    assert impacts(context, state.scales, at_rest, FLOOR).collisions == ()


def bounced(scene, times):
    """A state that has seen the floor struck at some times."""
    series = ImpactSeries(
        np.array([times[-1], -np.inf]), np.array([1e-11, 0.0]),
        np.zeros(2, dtype=int), np.zeros(2, dtype=int),
        tuple(Bounce(t, frozenset({0}), 1e-12) for t in times),
    )  # fmt: skip
    state = scene.state.copy()
    state.series = series
    return state


def test_an_impact_is_added_to_the_series_without_changing_the_old_one():
    scene = Scene()
    context, state = scene.standing(OPEN, OPEN)
    response = settle(context, state, scene.at([1, 0], [-2, -3]), FLOOR, HappeningKind.CONTACT)
    series, limit = noted(state, response.snapshot, response.collisions)
    assert limit is None
    assert [bounce.contacts for bounce in series.bounces] == [frozenset({0})]
    assert series.struck[0] == 0.5
    assert series.rates[0] == pytest.approx(1.5)
    assert state.series.bounces == ()
    assert state.series.struck[0] == -np.inf


def test_without_an_impact_the_series_stays_the_same():
    scene = Scene()
    _, state = scene.standing(OPEN, OPEN)
    series, limit = noted(state, scene.at([1, 1], [0, 0]), ())
    assert series is state.series
    assert limit is None


def test_a_geometric_series_has_its_limit():
    scene = Scene()
    times = (0.5 - 2.0 ** -np.arange(30.0, 45.0)).tolist()
    state = bounced(scene, times[:-1])
    context, _ = scene.standing(OPEN, OPEN)
    falling = scene.at([1, 0], [-2, -1e-8], times[-1])
    collision = settle(context, state, falling, FLOOR, HappeningKind.CONTACT).collisions
    series, limit = noted(state, falling, collision)
    assert limit is not None
    assert limit.t == pytest.approx(0.5, abs=1e-11)
    assert limit.contacts == {0}
    assert series.bounces == ()


def test_contacts_of_a_limit_are_closed_and_rest_when_it_is_reached(scene):
    context, state = scene.standing(LEAVING, OPEN)
    now = scene.at([1, 0], [-2, 1e-9])
    limit = Accumulation(0.75, frozenset({0}), True)
    response, pending = close_contacts(context, state, now, limit)
    assert_array_equal(response.snapshot.v, [-2.0, 0.0])
    assert_array_equal(response.status, [CARRYING, OPEN])
    assert response.answer is None
    assert (pending.t, pending.rows, pending.exact) == (0.75, (0,), True)
    assert pending.energy_change == pytest.approx(-0.5e-18)
    later = scene.at([0.5, 0], [-2, 0], 0.75)
    reached = reach_limit(context, state, later, pending)
    assert [(event.kind, event.contacts, event.t) for event in reached.events] == [
        ("accumulation", ("floor",), 0.75)
    ]


@pytest.mark.parametrize(
    ("some", "others", "expected"),
    [([], [], []), ([1], [], [1]), ([], [2], [2]), ([1, 3], [1, 3], [1, 3]), ([3], [1], [1, 3])],
)
def test_rows_are_merged_in_order(some, others, expected):
    rows = merged(np.array(some, dtype=np.intp), np.array(others, dtype=np.intp))
    assert_array_equal(rows, expected)


def test_a_run_keeps_to_the_rules_of_statuses_at_every_step():
    system = go.System(
        [1.0, 1.0],
        lambda q, v, t: np.array([np.sin(3 * t), -G * np.cos(t)]),
        constraints=[go.VelocityLimit("slow", lambda q, v, t: 3.0 + v[1])],
        contacts=[
            go.Contact("floor", lambda q, t: q[1], 0.4),
            go.Contact("wall", lambda q, t: q[0] + 0.5, 0.2),
        ],
    )
    stepper = go.start(system, [0.0, 1.0], [-1.0, 0.0], (0, 4))
    seen = set()
    while stepper.status == "running":
        stepper.step()
        status = stepper.freeze().status
        contact.require_valid(status, stepper.layout)
        seen |= set(status.tolist())
    assert seen >= {OPEN, LEAVING, CARRYING}
    assert stepper.result().success


def test_user_functions_of_the_same_name_are_told_apart():
    fall = go.System([1.0], [-G])
    events = [lambda q, v, t: q[0] - 0.5, lambda q, v, t: q[0] - 0.25]
    result = go.simulate(fall, [1.0], [0.0], (0, 1), events=events)
    assert_allclose([e.t for e in result.events], np.sqrt(2 * np.array([0.5, 0.75]) / G))


def test_the_problems_of_a_run_that_fails_are_kept(tmp_path):
    ball = go.System([1.0], [-G], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    path = tmp_path / "problems.npz"
    with pytest.raises(go.SimulationError) as failed:
        go.simulate(ball, [1.0], [0.0], (0, 5), max_events=3, record_problems=path)
    assert len(go.load_problems(path)) == failed.value.result.stats.qp_total


def test_a_solver_keeps_problems_only_while_it_is_asked_to():
    solver = go.GaussSolver("daqp")
    problem = go.GaussProblem.create([1.0], target=[2.0])
    with solver.recording() as outer:
        solver.solve(problem)
        with solver.recording() as inner:
            solver.solve(problem)
    solver.solve(problem)
    assert (len(outer), len(inner)) == (1, 1)


def test_an_event_holds_the_impulses_of_what_took_part_only():
    """Two balls above a floor, a rod between two others, a servo and a limit: one ball lands."""
    gaps = [go.Contact(f"ball {i}", lambda q, t, i=i: q[i], 0.5) for i in range(2)]
    system = go.System(
        [1.0] * 5,
        [-9.81, -9.81, 0.0, 0.0, 0.0],
        [
            go.Holonomic("rod", lambda q, t: q[3] - q[2] - 1.0),
            go.Servo("motor", lambda q, t: q[4], frequency=1.0),
            go.VelocityLimit("limit", lambda q, v, t: 100.0 - v[0]),
        ],
        gaps,
    )
    result = go.simulate(system, [1.0, 9.0, 0.0, 1.0, 0.0], np.zeros(5), (0, 0.5))
    (event,) = result.events
    assert event.contacts == ("ball 0",)
    assert event.impulses == {"rod": 0.0, "ball 0": pytest.approx(1.5 * np.sqrt(2 * 9.81))}
