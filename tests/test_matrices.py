"""Symmetric matrices: what is round-off and what is an error, in any unit of mass."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from gauss_opt import InputError
from gauss_opt.base.matrices import factorise, require_semidefinite, symmetrised, unit_diagonal

UNITS = [1e-12, 1.0, 1e12]


@pytest.mark.parametrize("unit", UNITS)
def test_asymmetry_of_round_off_is_averaged_away(unit):
    matrix = unit * np.array([[2.0, 1.0], [1.0 + 1e-11, 3.0]])
    result = symmetrised(matrix, "mass")
    assert np.array_equal(result, result.T)
    assert_allclose(result, matrix, rtol=1e-11)


@pytest.mark.parametrize("unit", UNITS)
def test_more_asymmetry_is_shown_with_its_place(unit):
    matrix = unit * np.array([[2.0, 1.0], [1.1, 3.0]])
    with pytest.raises(InputError, match=r"mass is not symmetric: entry \(0, 1\) is .*\(1, 0\)"):
        symmetrised(matrix, "mass")


@pytest.mark.parametrize("unit", UNITS)
def test_semidefinite_is_accepted_and_indefinite_refused(unit):
    require_semidefinite(unit * np.array([[1.0, 1.0], [1.0, 1.0]]), "mass")
    with pytest.raises(InputError, match="mass is indefinite: its smallest eigenvalue is -"):
        require_semidefinite(unit * np.array([[1.0, 1.0], [1.0, 0.9]]), "mass")


@pytest.mark.parametrize("unit", UNITS)
def test_the_factor_multiplied_by_itself_is_the_mass(unit):
    root = np.random.default_rng(0).normal(size=(5, 5))
    mass = unit * (root @ root.T + np.eye(5))
    factor = factorise(mass)
    assert np.array_equal(factor, np.tril(factor))
    assert_allclose(factor @ factor.T, mass, rtol=1e-13)


@pytest.mark.parametrize("ratio", [1e-20, 1e20])
def test_a_mass_ratio_is_not_singular(ratio):
    assert_allclose(factorise(np.diag([1.0, ratio])).diagonal() ** 2, [1.0, ratio])


@pytest.mark.parametrize("unit", UNITS)
def test_a_mass_that_is_singular_but_for_round_off_has_no_factor(unit):
    assert factorise(np.zeros((2, 2))) is None
    assert factorise(unit * np.array([[1.0, 1.0], [1.0, 1.0 + 4e-16]])) is None
    rows = np.random.default_rng(1).normal(size=(3, 4))
    assert factorise(unit * (rows.T @ rows)) is None


def test_a_small_pivot_alone_is_not_singular():
    # The pivot is suspect, the eigenvalue is not round-off.
    matrix = np.array([[1.0, 1.0], [1.0, 1.0 + 1e-9]])
    assert factorise(matrix) is not None


def test_scaling_to_a_unit_diagonal_leaves_massless_coordinates_alone():
    scaled = unit_diagonal(np.array([[4.0, 2.0, 0.0], [2.0, 9.0, 0.0], [0.0, 0.0, 0.0]]))
    assert_allclose(scaled, [[1, 1 / 3, 0], [1 / 3, 1, 0], [0, 0, 0]])


def test_no_coordinates_are_fine():
    empty = np.zeros((0, 0))
    assert factorise(empty).shape == symmetrised(empty, "mass").shape == (0, 0)
