"""Across configurations at which constraint rows become dependent, whatever the tolerance."""

import numpy as np
import pytest

import gauss_opt as go


@pytest.mark.parametrize(
    ("mechanisms", "rtol"), [(1, 1e-8), (3, 1e-9), (1, 1e-11), (3, 1e-11), (2, 1e-12)]
)
def test_flat_four_bars_are_passed_at_any_tolerance(mechanisms, rtol):
    case = go.find_case("four_bar").create({"duration": 4.0, "mechanisms": mechanisms})
    result = case.run(rtol=rtol)
    assert result.stats.rank_drops
    assert [str(check) for check in case.check(result) if not check.ok] == []


@pytest.mark.parametrize("dense", [True, False])
def test_a_run_resumed_before_a_rank_drop_has_the_same_bits(dense, tmp_path):
    setup = go.find_case("four_bar").create({"duration": 1.0}).build()
    start = setup.system, setup.q0, setup.v0, (0.0, 1.0)
    same = {"rtol": 1e-10, "dense_output": dense}
    options = {**same, "checkpoint": tmp_path / "c.npz", "checkpoint_every": 1}
    whole = go.simulate(*start, **same)
    assert whole.stats.rank_drops
    for count in range(15, whole.stats.steps, 5):
        stopped = go.simulate(*start, **options, max_steps=count, throw=False)
        assert not stopped.success
        resumed = go.simulate(*start, **options, resume=True)
        np.testing.assert_array_equal(resumed.q, whole.q)
        assert resumed.stats.qp_total == whole.stats.qp_total


def four_bar(**options):
    case = go.find_case("four_bar").create({"duration": 1.0})
    setup = case.build()
    return case, go.simulate(setup.system, setup.q0, setup.v0, setup.t_span, rtol=1e-10, **options)


def test_user_events_inside_a_leap_are_found():
    case, result = four_bar(events={"flat": lambda q, v, t: np.sin(q[2])})
    times = np.linspace(0.0, 1.0, 100_001)
    angles = case.angle(times)
    exact = times[:-1][np.sin(angles[:-1]) * np.sin(angles[1:]) < 0.0]
    found = [event.t for event in result.events]
    assert result.stats.rank_drops
    np.testing.assert_allclose(found, exact, atol=2e-5)


def test_a_contact_inside_a_leap_is_found():
    setup = go.find_case("four_bar").create({"duration": 1.0}).build()
    stop = go.Contact("stop", lambda q, t: np.sin(q[2]) + 0.003, restitution=0.5)
    joints = setup.system.constraints
    system = go.System(np.diag(setup.system.mass), setup.system.force, joints, [stop])
    result = go.simulate(system, setup.q0, setup.v0, (0.0, 1.0), rtol=1e-10, throw=False)
    assert result.gaps["stop"].min() > -1e-8
    assert result.events[0].contacts == ("stop",)
