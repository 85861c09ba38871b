"""From a problem to a certified answer: active sets, counters, infeasibility, repeatability."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import block_diag

from gauss_opt import GaussProblem, GaussSolver, InfeasibleError, InputError, SolverError, solve
from gauss_opt.qp.solvers import Adapter, Proposal, available
from gauss_opt.reference.closed_form import weighted_force


def corner(x=-1.0, y=2.0, **more):
    """A point that wants to (x, y), in the quadrant x, y >= 0."""
    return GaussProblem.create([1.0, 1.0], target=[x, y], Ai=np.eye(2), bi=[0, 0], **more)


def random_problem(seed, n=8, ne=2, ni=12):
    rng = np.random.default_rng(seed)
    root, point = rng.normal(size=(n, n)), rng.normal(size=n)
    Ae, Ai = rng.normal(size=(ne, n)), rng.normal(size=(ni, n))
    return GaussProblem.create(
        root @ root.T + np.eye(n),
        rng.normal(size=n) * 5,
        Ae=Ae,
        be=Ae @ point,
        Ai=Ai,
        bi=Ai @ point - rng.uniform(0, 1, ni),
    )


def test_the_solution_reports_what_is_active_and_who_found_it():
    solution = solve(corner(), "daqp")
    assert solution.active.tolist() == [True, False]
    assert solution.solver == "daqp"
    assert solution.unique
    assert solution.attempts == ()
    assert solution.multipliers["inequality 0"].tolist() == [1.0]
    assert "1 of 2 inequality rows active; multipliers unique" in str(solution)


def test_the_last_active_set_is_tried_first():
    solver = GaussSolver("daqp")
    solver.solve(corner(-1, 2))
    again = solver.solve(corner(-3, 1))
    assert again.solver == "active set"
    assert again.x.tolist() == [0, 1]
    assert (solver.counts.qp_total, solver.counts.qp_from_active_set) == (2, 1)
    assert (solver.counts.qp_solver_calls, solver.counts.qp_fallbacks) == (1, 0)


def test_a_changed_active_set_goes_to_the_solver():
    solver = GaussSolver("daqp")
    solver.solve(corner(-1, 2))
    other = solver.solve(corner(1, -2))
    assert other.solver == "daqp"
    assert other.x.tolist() == [1, 0]
    assert solver.counts.qp_solver_calls == 2


def test_problems_of_another_kind_or_with_other_names_have_their_own_set():
    solver = GaussSolver("daqp")
    solver.solve(corner(kind="impact"))
    assert solver.solve(corner(kind="acceleration")).solver == "daqp"
    assert solver.solve(corner(inequality_names=["a", "b"])).solver == "daqp"
    assert solver.solve(corner(kind="impact")).solver == "active set"


def test_without_reuse_every_problem_goes_to_the_solver():
    solver = GaussSolver("daqp", reuse_active_set=False)
    for _ in range(3):
        assert solver.solve(corner()).solver == "daqp"
    assert (solver.counts.qp_from_active_set, solver.counts.qp_solver_calls) == (0, 3)


def test_equalities_alone_need_no_solver():
    solver = GaussSolver("daqp")
    problem = GaussProblem.create([1, 1], target=[0, 0], Ae=[[1, 1]], be=[2])
    assert_allclose(solver.solve(problem).x, [1, 1])
    assert solver.counts.qp_solver_calls == 0


def test_without_rows_the_answer_is_the_target():
    assert_allclose(solve(GaussProblem.create([2, 4], load=[2, 2])).x, [1, 0.5])


def test_repeating_a_series_gives_bit_equal_answers():
    problems = [random_problem(seed) for seed in range(20)]
    runs = []
    for _ in range(2):
        solver = GaussSolver("osqp")
        answers = [solver.solve(problem) for problem in problems]
        runs.append(b"".join(a.x.tobytes() + a.row_multipliers.tobytes() for a in answers))
    assert runs[0] == runs[1]


@pytest.mark.parametrize("seed", range(6))
def test_all_solvers_give_bit_equal_answers(seed):
    problem = random_problem(seed)
    answers = {solve(problem, name).x.tobytes() for name in available()}
    assert len(answers) == 1


def test_all_solvers_give_bit_equal_answers_when_rows_are_redundant_and_weak():
    # The optimum is the tip of a pyramid whose sides need not all push.
    sides = np.array([[1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [2, 2, 0], [1, 0, 0]])
    problem = GaussProblem.create([1, 2, 3], target=[-1.0, 0.5, 0.0], Ai=sides, bi=np.zeros(6))
    answers = [solve(problem, name) for name in available()]
    assert len({a.x.tobytes() + a.row_multipliers.tobytes() for a in answers}) == 1
    assert not any(a.unique for a in answers)


def test_a_fresh_solve_and_a_reused_set_are_bit_equal():
    problem = random_problem(3)
    solver = GaussSolver("osqp")
    first, second = solver.solve(problem), solver.solve(problem)
    assert second.solver == "active set"
    assert first.x.tobytes() == second.x.tobytes()
    assert first.row_multipliers.tobytes() == second.row_multipliers.tobytes()


@pytest.mark.parametrize("name", ["daqp", "osqp", "active_set", "nnls"])
def test_a_weak_contact_touches_without_force(name):
    # The target is on the second wall already.
    solution = solve(corner(-1.0, 0.0), name)
    assert_allclose(solution.x, [0, 0])
    assert_allclose(solution.inequality_multipliers, [1, 0])
    assert solution.unique


def test_a_target_on_every_boundary_stays_where_it_is():
    rng = np.random.default_rng(0)
    point, rows = rng.normal(size=3), rng.normal(size=(9, 3))
    problem = GaussProblem.create([1, 2, 3], target=point, Ai=rows, bi=rows @ point)
    for name in available():
        solution = solve(problem, name)
        assert (solution.x == solve(problem, "daqp").x).all()
        assert_allclose(solution.x, point, atol=1e-14)


def conflict(**pieces):
    with pytest.raises(InfeasibleError) as caught:
        solve(GaussProblem.create([1.0, 2.0], load=[1.0, 1.0], kind="impact", **pieces))
    error = caught.value
    assert error.certificate.residual < 1e-9
    assert "impact" in str(error)
    assert error.problem.kind == "impact"
    return set(error.constraints)


def test_equalities_in_conflict_are_named():
    names = ["rod", "rail", "rope"]
    rows = {"Ae": [[1, 1], [1, 0], [2, 2]], "be": [1, 0, 3], "equality_names": names}
    assert conflict(**rows) == {"rod", "rope"}


def test_inequalities_in_conflict_are_named():
    rows = {"Ai": [[1, 0], [0, 1], [-1, -1]], "bi": [1, 1, -1]}
    assert conflict(**rows, inequality_names=["left", "right", "roof"]) == {"left", "right", "roof"}


def test_an_equality_and_an_inequality_in_conflict_are_named():
    rows = {"Ae": [[1, 0]], "be": [0], "Ai": [[1, 0], [0, 1]], "bi": [0.5, 0]}
    found = conflict(**rows, equality_names=["rail"], inequality_names=["wall", "floor"])
    assert found == {"rail", "wall"}


@pytest.mark.parametrize("gap", [1e-12, 1e-3])
def test_walls_that_just_meet_are_solved_and_walls_that_just_miss_are_not(gap):
    narrow = {"Ai": [[1, 0], [-1, 0]], "load": [1, 1], "metric": [1, 1]}
    assert_allclose(solve(GaussProblem.create(**narrow, bi=[3, -3 - gap])).x[0], 3, rtol=1e-3)
    with pytest.raises(InfeasibleError):
        solve(GaussProblem.create(**narrow, bi=[3 + 1e-6, -3]))


def test_a_workspace_survives_an_infeasible_problem():
    bad = GaussProblem.create([1.0, 1.0], target=[0, 0], Ai=[[1, 0], [-1, 0]], bi=[1, 1])
    for name in available():
        solver = GaussSolver(name, fallback=(), reuse_active_set=False)
        with pytest.raises(InfeasibleError):
            solver.solve(bad)
        assert solver.solve(corner()).x.tolist() == [0, 2]


def test_a_weighted_constraint_force_is_the_same_problem_in_another_metric():
    rng = np.random.default_rng(4)
    M, R = (a @ a.T + np.eye(4) for a in rng.normal(size=(2, 4, 4)))
    Q, A, b = rng.normal(size=4), rng.normal(size=(2, 4)), rng.normal(size=2)
    metric = M @ R @ M
    solution = solve(GaussProblem.create(metric, M @ R @ Q, Ae=A, be=b))
    assert_allclose(solution.x, weighted_force(M, Q, A, b, R).acceleration, atol=1e-12)


class Mute(Adapter):
    def propose(self, problem):
        return Proposal("out of order")


def test_when_nobody_answers_the_error_carries_the_problem_and_every_reason():
    with pytest.raises(SolverError, match="Mute: out of order") as caught:
        solve(corner(), Mute(), fallback=())
    assert caught.value.attempts == (("Mute", "out of order"),)
    assert caught.value.problem.n == 2


@pytest.mark.parametrize("tolerance", [0.0, -1.0, 1.0, float("nan")])
def test_a_tolerance_that_accepts_nothing_or_everything_is_refused(tolerance):
    with pytest.raises(InputError, match="tolerance"):
        GaussSolver(tolerance=tolerance)


def test_options_are_refused_next_to_a_solver_that_has_its_own():
    with pytest.raises(InputError, match="options cannot be given"):
        solve(corner(), GaussSolver("daqp"), tolerance=1e-6)


def test_a_single_name_is_a_list_of_one():
    assert GaussSolver("osqp", fallback="daqp").solver_names == ("osqp", "daqp")


def test_a_remembered_set_that_holds_only_within_the_tolerance_is_corrected():
    # Two nearly opposite walls hold y >= 1; where it is violated they still hold to 3e-10.
    tilt = 1e-11
    walls = {"Ai": [[1, 0], [-1, tilt]], "bi": [0, tilt]}
    solver = GaussSolver("daqp")
    above = solver.solve(GaussProblem.create([1, 1], target=[-1, 2], **walls))
    assert_allclose(above.x, [0, 2], atol=1e-12)
    below = solver.solve(GaussProblem.create([1, 1], target=[-1, 0.5], **walls))
    assert below.solver == "active set"
    assert_allclose(below.x, [0, 1], atol=1e-4)


def test_a_solution_shows_what_the_solver_itself_answered():
    rng = np.random.default_rng(4)
    Ae, Ai, inside = rng.normal(size=(2, 6)), rng.normal(size=(9, 6)), rng.normal(size=6)
    problem = GaussProblem.create(
        10.0 ** rng.uniform(-3, 3, 6), target=4 * rng.normal(size=6),
        Ae=Ae, be=Ae @ inside, Ai=Ai, bi=Ai @ inside - rng.exponential(size=9),
    )  # fmt: skip
    for name in available():
        solution = solve(problem, name, fallback=())
        raw = solution.raw
        assert raw.status == "solved"
        np.testing.assert_allclose(raw.x, solution.x, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(
            raw.inequality_multipliers, solution.inequality_multipliers, rtol=1e-4, atol=1e-4
        )
        assert raw.seconds > 0.0
        assert (raw.iterations is None) == (name == "nnls")
        assert "its own answer: solved" in str(solution)


def test_a_solution_from_the_last_active_set_has_no_solvers_answer():
    solver = GaussSolver("daqp")
    problem = GaussProblem.create([1.0], target=[-1.0], Ai=[[1.0]], bi=[0.0])
    assert solver.solve(problem).raw.x == 0.0
    assert solver.solve(problem).raw is None


# Problems that fall apart


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("solver", ["osqp", "daqp"])
def test_a_problem_that_falls_apart_is_solved_as_its_parts_are(solver, seed):
    """Sizes differ by up to 1e14 from part to part; each is as exact as it is by itself."""
    rng = np.random.default_rng(seed)
    sizes = 10.0 ** rng.uniform(-7, 7, 3)
    parts = []
    for size in sizes:
        rows, n = rng.integers(1, 4), 3
        parts.append((rng.normal(size=(rows, n)), size * rng.normal(size=rows),
                      size * rng.normal(size=n), rng.uniform(0.1, 10.0, n)))  # fmt: skip
    alone = [
        solve(GaussProblem.create(mass, target=target, Ai=rows, bi=rhs), solver)
        for rows, rhs, target, mass in parts
    ]
    mixed = rng.permutation(9)
    Ai = block_diag(*(part[0] for part in parts))
    order = rng.permutation(len(Ai))
    problem = GaussProblem.create(
        np.concatenate([part[3] for part in parts])[mixed],
        target=np.concatenate([part[2] for part in parts])[mixed],
        Ai=Ai[order][:, mixed],
        bi=np.concatenate([part[1] for part in parts])[order],
    )
    whole = GaussSolver(solver)
    answer = whole.solve(problem)
    expected = np.concatenate([solution.x for solution in alone])[mixed]
    sizes = np.repeat([np.abs(solution.x).max() for solution in alone], 3)[mixed]
    assert (np.abs(answer.x - expected) <= 1e-12 * sizes).all()
    forces = np.concatenate([solution.row_multipliers for solution in alone])[order]
    assert_allclose(answer.row_multipliers, forces, rtol=1e-10, atol=1e-12 * forces.max())
    assert answer.certificate.passes(1e-9)
    assert whole.counts.qp_total == 1
    again = whole.solve(problem)
    assert whole.counts.qp_from_active_set == 1
    assert np.array_equal(again.x, answer.x)
