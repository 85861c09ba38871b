"""The problem as data: what is accepted, what is refused and in which words."""

import numpy as np
import pytest

from gauss_opt import GaussProblem, InputError
from gauss_opt.base.matrices import require_semidefinite, symmetrised


def test_a_vector_of_masses_is_a_diagonal_metric():
    problem = GaussProblem.create([2.0, 3.0], target=[1.0, -1.0])
    assert problem.metric.tolist() == [[2, 0], [0, 3]]
    assert problem.load.tolist() == [2, -3]


def test_equality_rows_come_first_and_keep_their_names():
    problem = GaussProblem.create(
        [1, 1],
        load=[0, 0],
        Ae=[[1, 0]],
        be=[2],
        Ai=[[0, 1], [1, 1]],
        bi=[3, 4],
        equality_names=["rod"],
        inequality_names=["floor", "wall"],
    )
    assert problem.names == ("rod", "floor", "wall")
    assert problem.Ae.tolist() == [[1, 0]]
    assert problem.be.tolist() == [2]
    assert problem.Ai.tolist() == [[0, 1], [1, 1]]
    assert problem.bi.tolist() == [3, 4]
    assert (problem.n, problem.n_equality, problem.n_inequality) == (2, 1, 2)


def test_unnamed_rows_get_names_by_kind_and_number():
    problem = GaussProblem.create([1], load=[0], Ae=[[1]], be=[0], Ai=[[1], [1]], bi=[0, 0])
    assert problem.names == ("equality 0", "inequality 0", "inequality 1")


def test_empty_blocks_may_be_given_in_any_shape():
    for empty in ([], [[]], np.zeros((0, 2))):
        assert GaussProblem.create([1, 1], load=[0, 0], Ae=empty, be=[]).n_equality == 0


def test_the_arrays_are_copies():
    mass = np.eye(2)
    problem = GaussProblem.create(mass, load=[0, 0])
    mass[0, 0] = 7
    assert problem.metric[0, 0] == 1


def test_the_objective_is_the_distance_to_the_target_up_to_a_constant():
    problem = GaussProblem.create([2.0, 5.0], target=[1.0, 2.0])
    x = np.array([3.0, -1.0])
    distance = 0.5 * (x - [1, 2]) @ problem.metric @ (x - [1, 2])
    constant = 0.5 * np.array([1, 2]) @ problem.metric @ [1, 2]
    assert problem.objective(x) == pytest.approx(distance - constant)


@pytest.mark.parametrize(
    ("pieces", "words"),
    [
        ({"metric": [[1, 2, 3]], "load": [0]}, "square"),
        ({"metric": [[1, 2], [3]], "load": [0]}, "metric is not an array"),
        ({"metric": [1, 1], "load": [0, np.nan]}, r"load\[1\] is nan"),
        ({"metric": [1, np.inf], "load": [0, 0]}, r"metric\[1\] is inf"),
        ({"metric": [[1, 0], [0, np.nan]], "load": [0, 0]}, r"metric\[\(1, 1\)\] is nan"),
        ({"metric": [1j], "load": [0]}, "complex"),
        ({"metric": ["1"], "load": [0]}, "real numbers"),
        ({"metric": None, "load": [0]}, "object"),
        ({"metric": [1, 1], "load": [0]}, r"shape \(2,\), got \(1,\)"),
        ({"metric": [1, 1]}, "exactly one"),
        ({"metric": [1], "load": [0], "target": [0]}, "exactly one"),
        ({"metric": [1], "load": [0], "Ae": [[1]]}, "Ae and be together"),
        ({"metric": [1, 1], "load": [0, 0], "Ai": [[1]], "bi": [0]}, "2 columns"),
        ({"metric": [1], "load": [0], "Ai": [[1], [2]], "bi": [0]}, "bi must have shape"),
        ({"metric": [1], "load": [0], "Ai": [[1], [2, 3]], "bi": [0, 0]}, "Ai"),
        (
            {"metric": [1], "load": [0], "Ai": [[1]], "bi": [0], "inequality_names": ["a", "b"]},
            "2 entries for 1 rows",
        ),
    ],
)
def test_pieces_that_do_not_fit_are_refused_by_name(pieces, words):
    with pytest.raises(InputError, match=words):
        GaussProblem.create(**pieces)


def test_round_off_in_the_mass_is_symmetrised():
    mass = np.array([[2.0, 1.0], [1.0 + 1e-14, 2.0]])
    symmetric = GaussProblem.create(mass, load=[0, 0]).metric
    assert (symmetric == symmetric.T).all()


def test_an_asymmetric_mass_is_refused_with_the_difference():
    with pytest.raises(InputError, match=r"entry \(0, 1\) is 1 .* difference of 0.5"):
        GaussProblem.create([[2, 1], [0.5, 2]], load=[0, 0])


def test_a_heavy_body_does_not_hide_the_asymmetry_of_a_light_one():
    mass = np.diag([1e12, 1.0, 1.0])
    mass[1, 2] = 0.5
    with pytest.raises(InputError, match="not symmetric"):
        symmetrised(mass, "mass")


def test_an_indefinite_mass_is_refused_with_its_eigenvalue():
    with pytest.raises(InputError, match=r"indefinite.* -1"):
        require_semidefinite(np.array([[1.0, 2.0], [2.0, 1.0]]), "mass")


def test_a_heavy_body_does_not_hide_a_negative_light_mass():
    with pytest.raises(InputError, match="indefinite"):
        require_semidefinite(np.diag([1e14, -1e-3]), "mass")


def test_its_text_counts_what_is_in_it():
    text = str(GaussProblem.create([1, 1], load=[0, 0], Ai=[[1, 0]], bi=[0], kind="impact"))
    assert text == "GaussProblem 'impact': 2 coordinates, 0 equality rows, 1 inequality row"
