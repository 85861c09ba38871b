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


def test_a_run_resumed_before_a_rank_drop_has_the_same_bits(tmp_path):
    setup = go.find_case("four_bar").create({"duration": 1.0}).build()
    start = setup.system, setup.q0, setup.v0, (0.0, 1.0)
    options = {"rtol": 1e-10, "checkpoint": tmp_path / "c.npz", "checkpoint_every": 1}
    whole = go.simulate(*start, rtol=1e-10)
    assert whole.stats.rank_drops
    for count in range(15, whole.stats.steps, 5):
        stopped = go.simulate(*start, **options, max_steps=count, throw=False)
        assert not stopped.success
        resumed = go.simulate(*start, **options, resume=True)
        np.testing.assert_array_equal(resumed.q, whole.q)
        assert resumed.stats.qp_total == whole.stats.qp_total
