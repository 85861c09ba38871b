"""The distance between runs: jumps that are shifted, other steps, accumulations, refusals."""

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.results.comparison import graph_distance

FALL = float(np.sqrt(2 / 9.81))


def ball(restitution=0.8, names=("x", "y")):
    floor = go.Contact("floor", lambda q, t: q[1], restitution=restitution)
    return go.System([1.0, 1.0], [0.0, -9.81], contacts=[floor], coordinates=names)


def bounced(height=1.0, t_end=1.0, restitution=0.8, **options):
    return go.simulate(ball(restitution), [0, height], [0.5, 0], (0, t_end), **options)


def test_a_run_has_no_distance_from_itself():
    result = bounced()
    assert graph_distance(result, result) == 0.0


@pytest.mark.parametrize("shift", [1e-3, 1e-6, 1e-9, 1e-12])
def test_a_shifted_impact_counts_by_its_shift_and_not_by_its_jump(shift):
    first, second = bounced(), bounced(height=0.5 * 9.81 * (FALL + shift) ** 2)
    assert second.events[0].t - first.events[0].t == pytest.approx(shift, rel=1e-3)
    distance = graph_distance(first, second)
    assert 0.3 * shift < distance < 30 * shift
    assert distance == graph_distance(second, first)


def test_a_coefficient_of_restitution_that_differs_is_seen():
    one, other = bounced(), bounced(restitution=0.7)
    # The speeds after it differ by 0.1 of the speed before, and v ranges over 1.8 of that.
    assert 0.03 < graph_distance(one, other) < 0.3


def test_steps_and_rows_do_not_matter():
    coarse = bounced()
    fine = bounced(max_step=0.01, t_eval=np.linspace(0, 1, 7))
    assert len(fine.pieces) > 5 * len(coarse.pieces)
    assert graph_distance(coarse, fine) < 1e-11


def test_runs_of_another_integrator_are_near():
    assert graph_distance(bounced(), bounced(method="Radau")) < 1e-7


def test_accumulations_of_impacts_are_near_when_their_starts_are():
    one, other = bounced(t_end=5.0), bounced(t_end=5.0, height=1.0 + 1e-8)
    assert [event.kind for event in one.events].count("impact") > 40
    assert 1e-10 < graph_distance(one, other) < 1e-7


def test_a_ball_that_does_not_bounce_is_as_far_as_the_bounce_is_high():
    # The first bounce is e^2 = 0.64 high; nothing of the ball at rest is nearer than its foot.
    distance = graph_distance(bounced(t_end=5.0), bounced(t_end=5.0, restitution=0.0))
    assert 0.4 < distance < 0.65


def test_a_run_that_ends_earlier_is_as_far_as_its_end_is():
    """The free particle: a straight line in (t, x, v), so the distance is known."""
    free = go.System([1.0], [0.0])
    long, short = (go.simulate(free, [0.0], [1.0], (0.0, end)) for end in (1.0, 0.75))
    assert graph_distance(long, short) == pytest.approx(0.25 * np.sqrt(2.0), rel=1e-12)


def test_bodies_at_rest_do_not_make_round_off_a_motion():
    still = go.System([1.0, 1.0], [0.0, 0.0])
    runs = [go.simulate(still, [3.0 + off, 0.0], [0.0, 1.0], (0, 1)) for off in (0.0, 1e-15)]
    assert graph_distance(*runs) < 1e-10


def test_a_run_of_no_duration():
    point = go.simulate(ball(), [0, 1], [0, 0], (0, 0))
    assert graph_distance(point, point) == 0.0


def test_phases_are_joined_by_their_impacts():
    rod = go.Holonomic("rod", lambda q, t, pin: (q[0] - pin) ** 2 + q[1] ** 2 - 1.0)
    bead = go.System([1.0, 1.0], [0.0, 0.0], [rod], parameters={"pin": 0.0})

    def halfway(q, v, t):
        return q[0] - 0.5

    def caught(number, event):
        return go.Phase(bead.with_parameters(pin=1.0), until=())

    def run(speed):
        first = go.Phase(bead, halfway)
        return go.simulate_phases(first, [0.0, 1.0], [speed, 0.0], (0, 1), caught)

    assert 1e-10 < graph_distance(run(1.0), run(1.0 + 1e-8)) < 1e-6


def test_saved_runs_are_the_same(tmp_path):
    result = bounced()
    result.save(tmp_path / "run.npz")
    assert graph_distance(result, go.load(tmp_path / "run.npz")) == 0.0


def test_other_coordinates_are_refused():
    other = go.simulate(go.System([1.0], [0.0]), [0.0], [1.0], (0, 1))
    with pytest.raises(go.InputError, match="different coordinates: 2 positions"):
        graph_distance(bounced(), other)
    renamed = go.simulate(ball(names=("a", "b")), [0, 1], [0.5, 0], (0, 1))
    with pytest.raises(go.InputError, match="x, y; a, b"):
        graph_distance(bounced(), renamed)


def test_a_run_without_dense_output_is_refused():
    with pytest.raises(go.InputError, match="dense"):
        graph_distance(bounced(), bounced(dense_output=False))
