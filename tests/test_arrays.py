"""Every array from outside is copied, made of floats, and checked."""

import numpy as np
import pytest

from gauss_opt import InputError
from gauss_opt.base.arrays import real_array


@pytest.mark.parametrize("value", [3, True, [1, 2], np.arange(3), [[1.0, 2.0]], [], np.float32(1)])
def test_real_numbers_become_floats_of_the_same_shape(value):
    array = real_array("value", value)
    assert array.dtype == float
    assert array.shape == np.shape(value)
    assert np.array_equal(array, value)


@pytest.mark.parametrize("value", [np.arange(3.0), np.eye(2), np.arange(3)])
def test_the_copy_does_not_share_memory(value):
    assert not np.shares_memory(real_array("value", value), value)


def test_entries_too_large_to_be_squared_are_finite():
    assert real_array("value", [1e200, -1e200]).tolist() == [1e200, -1e200]


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([0.0, np.nan], r"load\[1\] is nan"),
        ([[0.0, 1.0], [np.inf, 0.0]], r"load\[\(1, 0\)\] is inf"),
        (-np.inf, "load is -inf"),
    ],
)
def test_what_is_not_finite_is_named_with_its_place(value, place):
    with pytest.raises(InputError, match=place):
        real_array("load", value)


@pytest.mark.parametrize("value", [1j, "1.0", None, object(), [1.0, "a"], [1 + 0j]])
def test_what_is_not_real_is_refused(value):
    with pytest.raises(InputError, match="load must hold real numbers, got dtype"):
        real_array("load", value)


def test_a_ragged_list_is_no_array():
    with pytest.raises(InputError, match="load is not an array"):
        real_array("load", [[1.0], [1.0, 2.0]])
