"""Every route to the same acceleration, and what the solvers themselves returned."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from test_validation_smooth import crank_position, slider_crank

import gauss_opt as go
from gauss_opt.mechanics.crosscheck import compare_routes

FAST = ["daqp", "nnls", "active_set", "osqp"]


def box():
    floor, wall = go.Contact("floor", lambda q, t: q[1]), go.Contact("wall", lambda q, t: q[0])
    return go.System([1.0, 2.0], [-3.0, -9.81], contacts=[floor, wall])


def test_all_installed_solvers_and_closed_forms_agree_on_a_mechanism():
    place, slope, _ = crank_position(0.7)
    check = go.crosscheck(slider_crank(), place, 3.0 * slope)
    assert check.ok, str(check)
    names = [route.name for route in check.routes]
    assert {f"solver {name}" for name in go.solvers.available()} <= set(names)
    assert {"Udwadia-Kalaba", "KKT matrix"} <= set(names)
    assert check.worst <= 1e-12


def test_contacts_add_the_complementarity_problem_and_the_enumeration():
    check = go.crosscheck(box(), [0.0, 0.0], [0.0, 0.0], solver_names=FAST)
    assert check.ok, str(check)
    assert {"complementarity (LCP)", "enumeration"} <= {route.name for route in check.routes}


def test_a_singular_mass_takes_the_other_closed_form():
    tie = go.Holonomic("tie", lambda q, t: q[0] - q[1])
    system = go.System([1.0, 0.0], [3.0, 0.0], [tie])
    check = go.crosscheck(system, [0.0, 0.0], [0.0, 0.0], solver_names=FAST)
    assert check.ok, str(check)
    (route,) = [route for route in check.routes if route.name == "Udwadia-Phohomsiri"]
    assert_allclose(route.acceleration, [3.0, 3.0])
    assert np.isnan(route.multiplier_difference)


@pytest.mark.parametrize("nonideal", [lambda q, v, t: -v, lambda q, v, t, f: -0.1 * f - v])
def test_nonideal_forces_are_in_every_route(nonideal):
    rod = go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)
    system = go.System([1.0, 2.0], [0.0, -9.81], [rod], nonideal=nonideal)
    check = go.crosscheck(system, [0.6, -0.8], [0.8, 0.6], solver_names=FAST)
    assert check.ok, str(check)


def test_redundant_contacts_do_not_count_as_a_difference():
    legs = [go.Contact(f"leg {i}", lambda q, t: q[0]) for i in range(3)]
    system = go.System([1.0], [-9.81], contacts=legs)
    check = go.crosscheck(system, [0.0], [0.0], solver_names=FAST)
    assert check.ok, str(check)


def test_the_solvers_own_point_is_shown_beside_the_exact_one():
    check = go.crosscheck(box(), [0.0, 0.0], [0.0, 0.0], solver_names=FAST)
    own = {route.name: route.raw_difference for route in check.routes}
    assert own["solver daqp"] <= 1e-12
    assert own["solver osqp"] <= 1e-6
    assert np.isnan(own["KKT matrix"])
    assert "solver's own x" in str(check)


@pytest.mark.parametrize("mass", [1e-9, 1.0, 1e9])
def test_a_sloppy_solver_is_seen_in_its_own_point_only(mass, monkeypatch):
    from gauss_opt.qp.solvers import daqp

    exact = daqp.Solver.propose

    def sloppy(self, problem):
        answer = exact(self, problem)
        return answer._replace(z=answer.z * (1 + 1e-3))

    monkeypatch.setattr(daqp.Solver, "propose", sloppy)
    system = go.System(
        [mass, mass], [-3.0 * mass, -mass], contacts=[go.Contact("floor", lambda q, t: q)]
    )
    check = go.crosscheck(system, [0.0, 0.0], [0.0, 0.0], solver_names=["daqp"])
    (route,) = [route for route in check.routes if route.name == "solver daqp"]
    assert route.acceleration_difference <= 1e-12
    assert route.raw_difference == pytest.approx(1e-3, rel=1e-6)


@pytest.fixture
def silent(monkeypatch):
    """The name of a solver that never answers."""
    from gauss_opt.qp.solvers import nnls

    def broken(self, problem):
        raise RuntimeError("out of order")

    monkeypatch.setattr(nnls.Solver, "propose", broken)
    return "nnls"


def test_a_route_without_an_answer_is_not_one_that_disagrees(silent):
    check = go.crosscheck(box(), [0.0, 0.0], [0.0, 0.0], solver_names=["daqp", silent])
    assert check.agree
    assert not check.ok
    assert (check.disagreeing, check.unanswered) == ((), ("solver nnls",))
    assert "routes with an answer agree to 1e-08; no answer from solver nnls" in str(check)
    assert "out of order" in check.routes[1].failure
    assert "DISAGREE" not in str(check)


def test_a_route_with_another_answer_disagrees(silent):
    check = go.crosscheck(box(), [0.0, 0.0], [0.0, 0.0], solver_names=["daqp", silent])
    off = replace(check.routes[0], acceleration_difference=1e-3)
    wrong = replace(check, routes=(off, *check.routes[1:]))
    assert not wrong.agree
    assert wrong.disagreeing == ("solver daqp",)
    assert wrong.verdict == (
        "routes DISAGREE beyond 1e-08: solver daqp; no answer from solver nnls"
    )
    nowhere = replace(off, acceleration_difference=float("nan"))
    assert replace(check, routes=(nowhere,)).disagreeing == ("solver daqp",)


def test_no_route_with_an_answer_is_said(silent):
    check = go.crosscheck(box(), [0.0, 0.0], [0.0, 0.0], solver_names=[silent])
    alone = replace(check, routes=check.routes[:1])
    assert alone.verdict == "no route gave an answer"
    assert not alone.ok


def test_a_wrong_route_is_reported_as_disagreement(monkeypatch):
    from gauss_opt.reference import closed_form

    exact = closed_form.kkt
    monkeypatch.setattr(closed_form, "kkt", lambda *a: (exact(*a)[0] + 1e-3, exact(*a)[1]))
    check = go.crosscheck(box(), [0.0, 0.0], [0.0, 0.0], solver_names=["daqp"])
    assert not check.ok


def test_a_solved_problem_can_be_compared_without_a_system():
    problem = go.GaussProblem.create([1.0, 2.0], load=[-1.0, 3.0], Ai=np.eye(2), bi=[0.0, 0.0])
    check = compare_routes(go.solve(problem, "daqp"), solver_names=FAST)
    assert check.ok, str(check)


def test_all_solvers_agree_on_free_motion_without_being_asked():
    check = go.crosscheck(box(), [1.0, 1.0], [0.0, 0.0])
    assert check.ok, str(check)
    assert all(np.isnan(route.raw_difference) for route in check.routes)
