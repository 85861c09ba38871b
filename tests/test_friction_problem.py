"""Contacts with Coulomb friction, as a problem: all routes agree, or say that there are several."""

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.qp.friction.lemke import lemke_forces
from gauss_opt.qp.friction.reduced import Reduced
from gauss_opt.qp.friction.states import forces_of, options, read_states
from gauss_opt.qp.friction.uniqueness import all_sets, surely_unique

SOLVERS = ("daqp", "osqp", "nnls", "active_set")


def data(rng, n, nv, mu, *, equalities=0, sliding=0.0, preload=False):
    """Rows of all lengths, masses of all kinds."""
    root = rng.normal(size=(nv, nv))
    return {
        "metric": root @ root.T + 0.1 * np.eye(nv),
        "load": rng.normal(size=nv),
        "normals": rng.normal(size=(n, nv)) * rng.choice([0.1, 1.0, 10.0], size=(n, 1)),
        "tangents": rng.normal(size=(n, nv)) * rng.choice([0.1, 1.0, 10.0], size=(n, 1)),
        "normal_rhs": rng.normal(size=n),
        "tangent_rhs": rng.normal(size=n),
        "friction": rng.uniform(0.0, mu, n) * rng.choice([0.0, 1.0, 1.0], n),
        "slide": np.where(rng.random(n) < sliding, rng.choice([-1.0, 1.0], n), 0.0),
        "Ae": rng.normal(size=(equalities, nv)),
        "be": rng.normal(size=equalities),
        "preload": rng.uniform(0.0, 1.0, n) if preload else np.zeros(n),
    }


def oracle(d):
    return go.oracles.coulomb_answers(
        d["metric"], d["load"], d["Ae"], d["be"], d["normals"], d["normal_rhs"], d["tangents"],
        d["tangent_rhs"], d["friction"], d["slide"],
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_every_route_finds_an_answer_of_the_oracle_or_none_when_there_is_none(seed):
    rng = np.random.default_rng([seed, 14])
    n = int(rng.integers(1, 4))
    d = data(rng, n, n * 2 + int(rng.integers(1, 4)), rng.choice([0.4, 2.0]),
             equalities=int(rng.integers(0, 2)), sliding=rng.choice([0.0, 0.5, 1.0]))  # fmt: skip
    problem, answers = go.FrictionProblem.create(**d), oracle(d)
    for solver in SOLVERS:
        if not answers:
            with pytest.raises(go.PainleveError):
                go.solve(problem, solver)
            continue
        solution = go.solve(problem, solver)
        assert solution.certificate.worst <= 1e-9
        off = [np.abs(a.x - solution.x).max() for a in answers]
        assert min(off) <= 1e-8 * (1.0 + np.abs(solution.x).max())
        assert solution.unique == (len(answers) == 1)


@pytest.mark.parametrize("seed", range(10))
def test_of_several_answers_the_one_of_least_force_is_taken(seed):
    rng = np.random.default_rng([seed, 15])
    for _ in range(200):
        d = data(rng, 1, 3, 3.0, sliding=1.0)
        answers = oracle(d)
        if len(answers) > 1:
            break
    metric = d["metric"]
    free = np.linalg.solve(metric, d["load"])
    gauss = [0.5 * (a.x - free) @ metric @ (a.x - free) for a in answers]
    solution = go.solve(go.FrictionProblem.create(**d), "daqp")
    assert solution.gauss == pytest.approx(min(gauss), abs=1e-9)
    assert not solution.unique


@pytest.mark.parametrize("seed", range(10))
def test_lemke_finds_sets_that_pass(seed):
    rng = np.random.default_rng([seed, 16])
    reduced = Reduced(go.FrictionProblem.create(**data(rng, 3, 8, 0.6, sliding=0.3)))
    proposed = [read_states(reduced, f, reduced.bounds(f)) for f in lemke_forces(reduced)]
    right = [states.tobytes() for states, _ in all_sets(reduced, 1e-9)]
    assert any(states.tobytes() in right for states in proposed)


@pytest.mark.parametrize("seed", range(20))
def test_small_coefficients_leave_one_answer(seed):
    rng = np.random.default_rng([seed, 17])
    reduced = Reduced(go.FrictionProblem.create(**data(rng, 2, 7, 0.3)))
    if surely_unique(reduced):
        assert len({f.round(9).tobytes() for _, f in all_sets(reduced, 1e-9)}) == 1


@pytest.mark.parametrize("seed", range(10))
def test_units_and_lengths_of_rows_change_nothing(seed):
    """Masses times 1e6, lengths times 1e-3; a normal twice as long halves its coefficient."""
    rng = np.random.default_rng([seed, 18])
    d = data(rng, 3, 9, 0.5, equalities=1)
    first = go.solve(go.FrictionProblem.create(**d), "daqp")
    kg, m = 1e6, 1e-3
    scaled = {
        **d, "metric": kg * d["metric"], "load": kg * m * d["load"], "be": m * d["be"],
        "normal_rhs": m * d["normal_rhs"], "tangent_rhs": m * d["tangent_rhs"],
    }  # fmt: skip
    other = go.solve(go.FrictionProblem.create(**scaled), "daqp")
    assert other.states == first.states
    assert np.allclose(other.x, m * first.x, rtol=1e-9, atol=1e-12 * m)
    size = rng.uniform(0.1, 10.0, 3)
    longer = {
        **d, "normals": size[:, None] * d["normals"], "normal_rhs": size * d["normal_rhs"],
        "friction": size * d["friction"],
    }  # fmt: skip
    third = go.solve(go.FrictionProblem.create(**longer), "osqp")
    assert np.allclose(third.x, first.x, rtol=1e-9, atol=1e-11)


def test_a_preload_counts_for_friction_but_not_for_the_normal():
    """A block held down by 5 N in its load sticks up to mu 5 N although l_N is 0."""
    pushed = {"normals": [[0, 1]], "tangents": [[1, 0]], "friction": 0.5, "preload": [5.0]}
    still = go.solve(go.FrictionProblem.create([1.0, 1.0], [2.0, 5.0], **pushed), "daqp")
    assert np.allclose(still.x, [0.0, 5.0])
    assert np.allclose(still.tangent_multipliers, -2.0)
    moved = go.solve(go.FrictionProblem.create([1.0, 1.0], [4.0, 5.0], **pushed), "daqp")
    assert np.allclose(moved.x, [1.5, 5.0])


def test_forces_of_redundant_feet_stay_within_their_cones():
    """Two feet of a block under a side load: equal shares of the side load would not hold."""
    feet = {"normals": [[0, 1, -1], [0, 1, 1]], "tangents": [[1, 0, 1], [1, 0, 1]]}
    problem = go.FrictionProblem.create([1, 1, 1 / 3], [0.29, -1.0, 0.55], friction=0.3, **feet)
    solution = go.solve(problem, "daqp")
    assert solution.states == ("stick", "stick")
    assert np.abs(solution.x).max() < 1e-12
    assert (np.abs(solution.tangent_multipliers) <= 0.3 * solution.normal_multipliers + 1e-12).all()
    assert not solution.unique


def test_a_wrong_answer_does_not_pass():
    problem = go.FrictionProblem.create(
        [1.0, 1.0], [2.0, -10.0], normals=[[0, 1]], tangents=[[1, 0]], friction=0.1
    )
    right = go.solve(problem)
    assert right.states == ("slide+",)
    for x, forces in (([2.0, 0.0], [10.0, 0.0]), ([3.0, 0.0], [10.0, 1.0]), ([0, 0], [10.0, -2.0])):
        assert not go.certify_friction(problem, np.array(x), np.array(forces)).passes(1e-9)


def test_an_open_contact_is_judged_by_what_could_load_it():
    problem = go.FrictionProblem.create(
        [1.0, 1.0], [2.0, 10.0], normals=[[0, 1]], tangents=[[1, 0]], friction=0.1
    )
    assert go.solve(problem).states == ("open",)
    assert go.solve(problem).certificate.worst == 0.0


def test_the_last_set_is_tried_first():
    solver = go.GaussSolver("daqp")
    pieces = {"normals": [[0, 1]], "tangents": [[1, 0]], "friction": 0.1}
    for push in (2.0, 2.1, 2.2):
        solver.solve_friction(go.FrictionProblem.create([1.0, 1.0], [push, -10.0], **pieces))
    assert solver.counts.qp_from_active_set == 2


def test_problems_with_friction_are_saved_beside_others(tmp_path):
    rng = np.random.default_rng(3)
    first = go.FrictionProblem.create(**data(rng, 2, 5, 0.5, sliding=0.5, preload=True))
    plain = go.GaussProblem.create([1.0], target=[-1.0], Ai=[[1.0]], bi=[0.0])
    go.save_problems([first, plain], tmp_path / "p.npz")
    again, other = go.load_problems(tmp_path / "p.npz")
    assert isinstance(again, go.FrictionProblem)
    assert isinstance(other, go.GaussProblem)
    assert (again.smooth.rows == first.smooth.rows).all()
    assert (again.slide == first.slide).all()
    assert (go.solve(again).x == go.solve(first).x).all()


def test_contradicting_rows_are_named():
    problem = go.FrictionProblem.create(
        [1.0, 1.0], [0.0, 0.0], normals=[[0, 1]], tangents=[[1, 0]], friction=0.1,
        Ae=[[0, 1]], be=[-1.0], equality_names=["lift"], names=["floor"],
    )  # fmt: skip
    with pytest.raises(go.InfeasibleError) as caught:
        go.solve(problem)
    assert set(caught.value.constraints) == {"lift", "floor"}


def test_painleves_rod_is_named():
    """A uniform rod at tan th = 2 slides with mu = 1.5: c_N < 0, and its own force pulls it in."""
    tip = (np.array([0.0, 1.0, -np.cos(np.arctan(2))]), np.array([1.0, 0.0, np.sin(np.arctan(2))]))
    pieces = {"normals": [tip[0]], "tangents": [tip[1]], "friction": 1.5, "names": ["tip"]}
    weight = [0.0, -9.81, 0.0]
    wedged = go.FrictionProblem.create([1, 1, 1 / 3], weight, slide=[-1.0], **pieces)
    with pytest.raises(go.PainleveError, match="'tip' slides with friction") as caught:
        go.solve(wedged)
    assert caught.value.contacts == ("tip",)
    assert go.solve(go.FrictionProblem.create([1, 1, 1 / 3], weight, slide=[1.0], **pieces)).unique


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"friction": -0.1}, "must not be negative"),
        ({"friction": np.nan}, "finite"),
        ({"slide": [0.5]}, "unit direction"),
        ({"preload": [-1.0]}, "preload must not be negative"),
        ({"normal_of": [1]}, "normal_of"),
        ({"names": ["a", "b"]}, "as many names"),
        ({"tangent_rhs": [1.0, 2.0]}, "shape"),
    ],
)
def test_what_cannot_be_is_refused(wrong, words):
    pieces = {"normals": [[0, 1]], "tangents": [[1, 0]], "friction": 0.1}
    with pytest.raises(go.InputError, match=words):
        go.FrictionProblem.create([1.0, 1.0], [0.0, -1.0], **pieces | wrong)


def test_every_set_has_its_forces_or_none():
    reduced = Reduced(go.FrictionProblem.create(**data(np.random.default_rng(5), 2, 6, 1.0)))
    for first in options(reduced)[0]:
        forces = forces_of(reduced, np.array([first, 0], dtype=np.int8))
        assert forces is None or (forces[[1, 3]] == 0.0).all()
