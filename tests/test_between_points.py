"""A few of the scenes in which samples would miss an event, of every family, on fresh seeds."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import gauss_opt as go

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from between_points import FAMILIES, counted


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.__name__)
def test_nothing_between_the_points_is_missed(family):
    count = counted(family, [11, 12], 4)
    assert (count.trials, count.wrong, count.errors) == (8, 0, 0)


def test_a_judge_sees_what_was_missed():
    """The judgement itself: a run whose contact was taken away has passed through."""
    for family in FAMILIES[:7]:
        found = 0
        for k in range(6):
            trial = family(np.random.default_rng([5, k]))
            blind = trial.run()
            if not blind.events:
                continue
            n = blind.q.shape[1]
            for force in (np.zeros(n), np.full(n, -9.81)):
                free = go.System(np.ones(n), force)
                passing = go.simulate(free, blind.q[0], blind.v[0], (0.0, float(blind.t[-1])))
                found += trial.wrong(passing)
        assert found > 0, family.__name__


def test_what_is_only_sampled_is_named_with_the_reason():
    floor = go.Contact("floor", lambda q, t: q[0], 0.5, jacobian=lambda q, t: [1.0],
                       bias=lambda q, v, t: 0.0)  # fmt: skip
    result = go.simulate(go.System([1.0], [-9.81], contacts=[floor]), [1.0], [0.0], (0.0, 1.0))
    assert result.success
    assert result.stats.sampled == {"floor": "derivatives by hand"}
    assert "floor: derivatives by hand" in str(result)


def test_a_force_that_cannot_be_traced_is_named():
    system = go.System(
        [1.0], lambda q, v, t: np.array([-9.81 + np.interp(t, [0, 1], [0.0, 1.0])]),
        contacts=[go.Contact("floor", lambda q, t: q[0])],
    )  # fmt: skip
    result = go.simulate(system, [0.0], [0.0], (0.0, 1.0))
    assert result.success
    assert "force of floor" in result.stats.sampled


def test_a_run_says_that_everything_was_proved():
    system = go.System([1.0], [-9.81], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    result = go.simulate(system, [1.0], [0.0], (0.0, 2.0))
    assert result.stats.sampled == result.stats.unsettled == {}
    assert result.stats.guard_cells > 0
    assert "no event missed along the dense output" in str(result)


def test_what_was_not_settled_is_no_success_unless_asked_for(monkeypatch):
    monkeypatch.setattr("gauss_opt.model.enclosure.partition.MAX_CELLS", 10)

    def comb(q, t):
        return q[1] - 0.5 * np.sin(300.0 * q[0]) - 0.5 * np.sin(211.0 * q[0])

    system = go.System([1.0, 1.0], [0.0, 0.0], contacts=[go.Contact("comb", comb)])
    ask = (system, [0.0, 0.999], [1.0, 0.0], (0.0, 1.0))
    result = go.simulate(*ask)
    assert not result.success
    assert result.status == "finished"
    assert "not proved for all of 'comb'" in result.message
    assert result.stats.unsettled["comb"] > 0
    assert go.simulate(*ask, sampled_guards=True).success


def test_what_a_run_proved_travels_in_files(tmp_path):
    floor = go.Contact("floor", lambda q, t: q[0], 0.5, jacobian=lambda q, t: [1.0],
                       bias=lambda q, v, t: 0.0)  # fmt: skip
    result = go.simulate(go.System([1.0], [-9.81], contacts=[floor]), [1.0], [0.0], (0.0, 1.0))
    result.save(tmp_path / "run.npz")
    assert go.load(tmp_path / "run.npz").stats == result.stats
