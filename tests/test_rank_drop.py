"""Across configurations at which constraint rows become dependent, whatever the tolerance."""

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
