"""Runs in phases: constraints change, and the phases are one result."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go

G = 9.81
APART = 2 * np.sin(np.pi / 8)  # distance of the feet of a wheel without rim


def leg(q, t, foot):
    """Hub of a wheel without rim on a leg of 1 m that stands at foot."""
    return (q[0] - foot) ** 2 + q[1] ** 2 - 1.0


def ahead(q, t, foot):
    """How far the next leg is from touching."""
    return q[1] - np.sqrt(1.0 - 0.25 * APART**2)


WHEEL = go.System(
    [2.0, 2.0],
    [0.0, -2.0 * G],
    [go.Holonomic("leg", leg)],
    [go.Contact("next leg", ahead, active_when=lambda q, v, t, foot: q[0] > foot)],
    potential=lambda q, t: 2.0 * G * q[1],
    parameters={"foot": 0.0},
    coordinates=["x", "y"],
)
BEGIN = [0.0, 1.0], [4.0, 0.0]


def next_leg(number, event):
    return go.Phase(WHEEL.with_parameters(foot=(number + 1) * APART), "next leg")


def roll(t_end=1.0, following=next_leg, until="next leg", **options):
    return go.simulate_phases(go.Phase(WHEEL, until), *BEGIN, (0, t_end), following, **options)


@pytest.fixture(scope="module")
def rolled():
    return roll()


def joints(result):
    return [event for event in result.events if event.kind == "impact"]


def speed_before_first_impact():
    drop = 1.0 - np.cos(np.pi / 8)
    return np.sqrt(4.0**2 + 2 * G * drop)


# --- one result -------------------------------------------------------------------------------


def test_phases_are_joined_to_one_result(rolled):
    assert rolled.success
    assert rolled.status == "finished"
    assert rolled.t[0] == 0.0
    assert rolled.t[-1] == 1.0
    assert (np.diff(rolled.t) >= 0.0).all()
    assert len(rolled.parts) == len(joints(rolled)) + 1 >= 3
    for name in ("t", "q", "v", "a"):
        joined = np.concatenate([getattr(part, name) for part in rolled.parts])
        assert_array_equal(getattr(rolled, name), joined)
    assert len(rolled.multipliers["leg"]) == len(rolled.gaps["next leg"]) == len(rolled.t)
    assert rolled.settings["t_span"] == (0.0, 1.0)
    assert "success" in str(rolled)


def test_every_part_ends_where_the_next_begins(rolled):
    for part, after, event in zip(rolled.parts, rolled.parts[1:], joints(rolled), strict=False):
        assert part.t[-1] == after.t[0] == event.t
        assert part.status == "terminated"
        assert part.success
        assert_array_equal(part.q[-1], event.q)
        assert_array_equal(part.v[-1], event.v_before)
        assert_allclose(after.q[0], event.q, rtol=0, atol=1e-12)
        assert_allclose(after.v[0], event.v_after, rtol=0, atol=1e-12)


def test_both_sides_of_a_joint_are_stored(rolled):
    for event in joints(rolled):
        (rows,) = np.nonzero(rolled.t == event.t)
        assert len(rows) == 2
        assert_array_equal(rolled.v[rows[0]], event.v_before)
        assert_allclose(rolled.v[rows[1]], event.v_after, rtol=0, atol=1e-12)
        # the near side carries the force of the leg that stood, the far side of the one that stands
        before, after = rolled.multipliers["leg"][rows]
        assert before != after


def test_dense_output_has_both_sides_of_a_joint(rolled):
    event = joints(rolled)[1]
    assert_array_equal(rolled(event.t, side="left").v, event.v_before)
    assert_allclose(rolled(event.t).v, event.v_after, rtol=0, atol=1e-12)
    near, far = event.t - 1e-9, event.t + 1e-9
    assert_allclose(rolled(near).v, event.v_before, rtol=0, atol=1e-7)
    assert_allclose(rolled(far).v, event.v_after, rtol=0, atol=1e-7)


def test_dense_output_stays_on_the_constraint_of_its_phase(rolled):
    for number, part in enumerate(rolled.parts):
        for t in np.linspace(part.t[0], part.t[-1], 7)[1:-1]:
            x, y = rolled(t).q
            assert abs((x - number * APART) ** 2 + y**2 - 1.0) < 1e-12
    q, v = rolled(np.linspace(0.0, 1.0, 11))
    assert q.shape == v.shape == (11, 2)


def test_the_closing_impact_has_impulse_and_loss_of_theory(rolled):
    first = joints(rolled)[0]
    speed = speed_before_first_impact()
    assert_allclose(np.linalg.norm(first.v_before), speed, rtol=1e-9)
    # only the part of the speed across the new leg is left
    assert_allclose(np.linalg.norm(first.v_after), speed * np.cos(np.pi / 4), rtol=1e-9)
    assert_allclose(first.energy_change, -(speed**2) * np.sin(np.pi / 4) ** 2, rtol=1e-9)
    # phi = r^2 - 1 has the gradient 2 r, so its impulse is half of the one along the leg
    assert_allclose(first.impulses["leg"], 2.0 * speed * np.sin(np.pi / 4) / 2, rtol=1e-9)
    assert first.impulses["next leg"] == 0.0
    assert not first.gains_energy
    assert first.contacts == ("next leg",)
    assert first.detail == "the next phase begins"


def test_the_energy_account_closes_across_phases(rolled):
    energy = rolled.energy
    assert len(energy.kinetic) == len(rolled.t)
    assert np.abs(energy.residual).max() < 1e-8
    lost = sum(event.energy_change for event in joints(rolled))
    assert_allclose(energy.impact[-1], lost, rtol=1e-12)
    assert_allclose(energy.kinetic, (rolled.v**2).sum(axis=1), rtol=1e-12)


def test_counts_are_those_of_all_phases(rolled):
    stats, parts = rolled.stats, [part.stats for part in rolled.parts]
    assert stats.impacts == len(joints(rolled))
    assert stats.events == len(rolled.events)
    for name in ("steps", "rhs_calls", "qp_total", "projections"):
        assert getattr(stats, name) == sum(getattr(part, name) for part in parts)
        assert min(getattr(part, name) for part in parts) >= 0
    assert stats.worst_drift == max(part.worst_drift for part in parts)
    assert stats.seconds["integrate"] > 0.0


def test_a_solver_for_all_phases_is_counted_once():
    solver = go.GaussSolver("daqp")
    result = roll(solver=solver)
    assert result.stats.qp_total == solver.counts.qp_total
    again = roll(solver=solver)
    assert again.stats.qp_total == result.stats.qp_total


def test_a_joined_result_is_saved_and_loaded(rolled, tmp_path):
    rolled.save(tmp_path / "rolled.npz")
    loaded = go.load(tmp_path / "rolled.npz")
    for name in ("t", "q", "v", "a"):
        assert_array_equal(getattr(loaded, name), getattr(rolled, name))
    assert_array_equal(loaded.energy.residual, rolled.energy.residual)
    assert [str(event) for event in loaded.events] == [str(event) for event in rolled.events]
    event = joints(rolled)[0]
    assert joints(loaded)[0].impulses == event.impulses
    assert_array_equal(loaded(event.t, side="left").v, event.v_before)
    for t in (0.1, event.t, 0.9):
        assert_allclose(loaded(t).q, rolled(t).q, rtol=0, atol=1e-9)


def test_one_phase_is_a_plain_simulation():
    def never(number, event):
        raise AssertionError("there is no second phase")

    result = roll(0.05, never)
    plain = go.simulate(WHEEL, *BEGIN, (0, 0.05))
    assert result.parts == ()
    assert_array_equal(result.q, plain.q)
    assert result.status == "finished"


# --- times ------------------------------------------------------------------------------------


def test_t_eval_holds_across_phases(rolled):
    times = np.linspace(0.0, 1.0, 21)
    result = roll(t_eval=times)
    stored = {0.0, 1.0, *times.tolist(), *(event.t for event in joints(result))}
    assert_array_equal(np.unique(result.t), sorted(stored))
    assert_allclose(result.q[-1], rolled.q[-1], rtol=0, atol=1e-8)
    assert np.abs(result.energy.residual).max() < 1e-8


def test_t_eval_at_a_joint_adds_no_third_row(rolled):
    event = joints(rolled)[0]
    result = roll(t_eval=[event.t])
    assert (result.t == event.t).sum() == 2


def test_t_eval_outside_of_the_run_is_refused():
    with pytest.raises(go.InputError, match="t_eval must lie within"):
        roll(t_eval=[0.5, 2.0])


def test_tolerances_do_not_shrink_with_the_time_that_is_left():
    seen = []
    roll(progress=lambda share, stepper: seen.append(stepper.settings.time_scale))
    assert set(seen) == {1.0}


def test_progress_is_of_the_whole_run():
    shares = []
    roll(progress=lambda share, stepper: shares.append(share))
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


# --- what ends a phase --------------------------------------------------------------------------


def touch(q, v, t):
    return q[1] - np.sqrt(1.0 - 0.25 * APART**2)


touch.direction = -1


@pytest.mark.parametrize("until", [touch, [touch], {"touch": touch}, ["next leg", touch]])
def test_functions_end_a_phase_as_contacts_do(rolled, until):
    def following(number, event):
        return go.Phase(WHEEL.with_parameters(foot=(number + 1) * APART), until)

    result = roll(following=following, until=until)
    times = [event.t for event in joints(result)]
    assert_allclose(times, [event.t for event in joints(rolled)], rtol=0, atol=1e-9)
    assert_allclose(result.q[-1], rolled.q[-1], rtol=0, atol=1e-8)
    assert "user" not in {event.kind for event in result.events}
    assert np.abs(result.energy.residual).max() < 1e-8


def test_next_phase_is_told_the_number_and_the_event():
    told = []

    def following(number, event):
        told.append((number, event.kind, event.contacts))
        return next_leg(number, event)

    roll(following=following)
    assert told[:2] == [(0, "impact", ("next leg",)), (1, "impact", ("next leg",))]


def test_none_ends_the_run_at_the_event():
    result = roll(following=lambda number, event: None)
    assert result.success
    assert result.status == "terminated"
    assert "next leg" in result.message
    assert result.parts == ()
    assert result.events[-1].t == result.t[-1] < 1.0


def test_none_ends_the_run_after_some_phases():
    result = roll(following=lambda n, event: next_leg(n, event) if n < 1 else None)
    assert result.success
    assert result.status == "terminated"
    assert len(result.parts) == 2
    assert np.abs(result.energy.residual).max() < 1e-8


def test_other_contacts_do_not_end_a_phase():
    floor = go.Contact("floor", lambda q, t, wall: q[1], restitution=0.5)
    wall = go.Contact("wall", lambda q, t, wall: wall - q[0])
    ball = go.System(
        [1.0, 1.0],
        [0.0, -G],
        contacts=[floor, wall],
        potential=lambda q, t: G * q[1],
        parameters={"wall": 1.0},
    )

    def beyond(number, event):
        return go.Phase(ball.with_parameters(wall=2.0))

    result = go.simulate_phases(go.Phase(ball, "wall"), [0, 1], [1, 0], (0, 1.5), beyond)
    kinds = [(event.kind, event.contacts) for event in result.events]
    assert kinds[0] == ("impact", ("floor",))
    (through,) = [event for event in result.events if event.detail]
    assert through.contacts == ("wall",)
    assert_allclose(through.t, 1.0, rtol=1e-12)
    # nothing closes at the joint, so nothing is lost
    assert_array_equal(through.v_after, through.v_before)
    assert result.stats.impacts == sum(kind == "impact" for kind, _ in kinds)
    assert np.abs(result.energy.residual).max() < 1e-8


def test_a_phase_that_ends_as_it_begins_takes_no_time():
    """A trapdoor shuts under a falling ball, and gives way at once."""
    floor = go.Contact("floor", lambda q, t, height: q[0] - height, restitution=0.5)
    ball = go.System(
        [1.0], [-G], contacts=[floor], potential=lambda q, t: G * q[0], parameters={"height": 0.0}
    )

    def halfway(q, v, t):
        return q[0] - 0.5

    def following(number, event):
        return go.Phase(ball.with_parameters(height=[0.5, 0.0][number]), ["floor", ()][number])

    result = go.simulate_phases(go.Phase(ball, halfway), [1.0], [0.0], (0, 0.6), following)
    shut, gave_way, landed = result.events
    assert shut.t == gave_way.t
    assert result.parts[1].t.tolist() == [shut.t]
    assert_allclose(gave_way.v_after, -np.sqrt(G), rtol=1e-9)
    assert_allclose(landed.v_after, 0.5 * np.sqrt(2 * G), rtol=1e-9)
    assert np.abs(result.energy.residual).max() < 1e-8


# --- what goes wrong ----------------------------------------------------------------------------


def test_the_limit_of_phases_ends_the_run_with_what_there_is():
    with pytest.raises(go.SimulationError, match="limit of 2 phases") as caught:
        roll(max_phases=2)
    result = caught.value.result
    assert result.status == "phase limit"
    assert not result.success
    assert len(result.parts) == 2
    assert np.abs(result.energy.residual).max() < 1e-8
    quiet = roll(max_phases=2, throw=False)
    assert quiet.status == "phase limit"
    with pytest.raises(go.InputError, match="max_phases"):
        roll(max_phases=0)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ({"max_steps": 12}, "limit of 12 steps"),
        ({"max_events": 2}, "limit of 2 events"),
        ({"max_wall_time": 1e-9}, "wall time"),
    ],
)
def test_limits_are_for_all_phases_together(limit, message):
    result = roll(20.0, throw=False, **limit)
    assert not result.success
    assert message in result.message
    assert result.t[-1] < 20.0


def test_a_failure_in_a_later_phase_keeps_the_earlier_ones():
    def force(q, v, t, foot):
        if foot > 1.5 * APART and t > joint + 0.01:
            raise ValueError("out of fuel")
        return np.array([0.0, -2.0 * G])

    def following(number, event):
        return go.Phase(brittle.with_parameters(foot=(number + 1) * APART), "next leg")

    joint = joints(roll())[1].t
    brittle = go.System(
        WHEEL.mass, force, WHEEL.constraints, WHEEL.contacts, parameters={"foot": 0.0}
    )
    with pytest.raises(go.SimulationError, match="out of fuel") as caught:
        go.simulate_phases(go.Phase(brittle, "next leg"), *BEGIN, (0, 1), following)
    result = caught.value.result
    assert len(result.parts) == 3
    assert result.status == "failed"
    assert not result.success
    assert len(joints(result)) == 2
    assert joint <= result.t[-1] <= joint + 0.02


def wrong_place(number, event):
    return go.Phase(WHEEL.with_parameters(foot=5.0), "next leg")


def raises(number, event):
    raise ValueError("no plan")


def other_names(number, event):
    strut = go.Holonomic("strut", WHEEL.constraints[0].phi)
    return go.Phase(go.System([2.0, 2.0], None, [strut], parameters={"foot": APART}))


def other_size(number, event):
    both = go.Holonomic("leg", lambda q, t, foot: np.array([leg(q, t, foot), q[0] - q[1]]))
    system = go.System([2.0, 2.0], None, [both], WHEEL.contacts, parameters={"foot": APART})
    return go.Phase(system)


def other_kind(number, event):
    leg_only = go.Contact("leg", WHEEL.constraints[0].phi)
    system = go.System(
        [2.0, 2.0], None, [], [leg_only, *WHEEL.contacts], parameters={"foot": APART}
    )
    return go.Phase(system)


def unknown_contact(number, event):
    return go.Phase(WHEEL.with_parameters(foot=APART), "ceiling")


def a_system(number, event):
    return WHEEL


@pytest.mark.parametrize(
    ("following", "message"),
    [
        (wrong_place, "cannot be engaged here"),
        (raises, "next_phase raised ValueError: no plan"),
        (other_names, "same names.*'leg'.*'strut'"),
        (other_size, "same names, kinds and sizes"),
        (other_kind, "same names, kinds and sizes"),
        (unknown_contact, "until='ceiling' is not a contact.*next leg"),
        (a_system, "must return a Phase or None"),
    ],
)
def test_a_phase_that_cannot_begin_leaves_the_phases_before_it(following, message):
    def second(number, event):
        return next_leg(number, event) if number == 0 else following(number, event)

    with pytest.raises(go.SimulationError, match=message) as caught:
        roll(following=second)
    result = caught.value.result
    assert len(result.parts) == 2
    assert result.status == "failed"
    assert not result.success
    assert np.abs(result.energy.residual).max() < 1e-8
    assert roll(following=second, throw=False).status == "failed"


def test_an_unknown_contact_in_the_first_phase_is_refused_at_once():
    with pytest.raises(go.ModelError, match="until='ceiling' is not a contact of the phase"):
        roll(until="ceiling")


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"events": touch}, "until="),
        ({"checkpoint": "run.npz"}, "has no checkpoint="),
        ({"resume": True}, "has no resume="),
        ({"record_problems": "qps.npz"}, "has no record_problems="),
    ],
)
def test_options_that_phases_do_not_have_are_refused(option, message):
    with pytest.raises(go.InputError, match=message):
        roll(**option)


@pytest.mark.parametrize("span", [(0,), (0, 1, 2), 3.0])
def test_a_wrong_span_is_refused(span):
    with pytest.raises(go.InputError, match="t_span must be"):
        go.simulate_phases(go.Phase(WHEEL), *BEGIN, span, next_leg)


def test_a_callback_stops_the_run_in_a_later_phase():
    result = roll(callback=lambda state: state.q[0] > APART)
    assert result.status == "terminated"
    assert result.success
    assert "callback" in result.message
    assert len(result.parts) == 2


def test_interruption_returns_what_there_is():
    def interrupt(share, stepper):
        if share > 0.6:
            raise KeyboardInterrupt

    result = roll(progress=interrupt)
    assert result.status == "interrupted"
    assert not result.success
    assert len(result.parts) >= 2
    assert result.t[-1] > 0.6


def test_a_callback_ends_the_run_even_at_the_last_step_of_a_phase():
    rod = go.Holonomic("rod", lambda q, t, pin: (q[0] - pin) ** 2 + q[1] ** 2 - 1.0)
    bead = go.System([1.0, 1.0], [0.0, 0.0], [rod], parameters={"pin": 0.0})
    asked = []

    def halfway(q, v, t):
        return q[0] - 0.5

    def following(number, event):
        asked.append(number)
        return go.Phase(bead.with_parameters(pin=1.0), until=())

    result = go.simulate_phases(
        go.Phase(bead, halfway), [0.0, 1.0], [1.0, 0.0], (0, 1), following,
        callback=lambda state: state.t >= 0.5235987,
    )  # fmt: skip
    assert not asked
    assert result.status == "terminated"
    assert "callback" in result.message
