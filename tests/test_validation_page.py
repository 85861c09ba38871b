"""The validation page is written from runs, and a figure out of tolerance fails it."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.studies.every_qp import events_apart, with_every_qp
from gauss_opt.studies.validation import Validation, markdown, validate

PAGE = Path(__file__).parents[1] / "docs" / "validation.md"


def test_a_case_within_tolerance_is_ok_and_its_figures_are_on_the_page():
    (ball,) = validate(["bouncing_ball"])
    assert ball.ok
    page = markdown([ball])
    assert "all within tolerance: yes" in page
    for check in ball.checks:
        assert check.what in page
    assert "0.45152364098573" in page


@pytest.mark.parametrize("name", ["bouncing_ball", "particle_on_sphere", "pendulum_wall"])
@pytest.mark.parametrize("solver", ["osqp", "cvxpy"])
def test_every_problem_by_a_solver_gives_the_same_figures_and_events(name, solver):
    done = with_every_qp(go.find_case(name)(), solver)
    assert done.ok
    assert done.right == done.figures > 0
    assert done.apart < 1e-12
    assert done.qp_solver_calls > 30
    assert done.qp_fallbacks == 0
    page = markdown([], [done])
    assert "Every problem by a named solver" in page
    assert f"| {name} | {done.figures} of {done.figures} |" in page


def test_other_events_are_not_the_same():
    ball = go.find_case("bouncing_ball")()
    long, short = ball.run(), ball.run(t_end=1.0)
    assert events_apart(long, long) == 0.0
    assert events_apart(long, short) == np.inf
    lower = go.find_case("bouncing_ball").create({"height": 0.99}).run()
    assert events_apart(long, lower) > 1e-4


def test_a_case_that_cannot_run_fails_with_every_problem_too():
    done = with_every_qp(Impossible(), "osqp")
    assert not done.ok
    assert "there is nothing to run" in markdown([], [done])


def test_one_figure_out_of_tolerance_fails_the_page():
    (ball,) = validate(["bouncing_ball"])
    wrong = replace(ball.checks[0], value=ball.checks[0].value + 1e-9)
    broken = replace(ball, checks=(wrong, *ball.checks[1:]))
    assert not broken.ok
    assert "all within tolerance: **no**" in markdown([broken])
    assert "**FAILED**" in markdown([broken])


@dataclass(frozen=True)
class Impossible(go.Case):
    """A case that cannot be run."""

    def build(self):
        raise go.InputError("there is nothing to run")


def test_a_case_that_cannot_run_is_a_failure_with_its_reason():
    from gauss_opt.studies.validation import _validated

    failed = _validated(Impossible())
    assert not failed.ok
    assert "there is nothing to run" in str(failed)


@dataclass(frozen=True)
class Hollow(go.Case):
    """A case whose check finds nothing to look at."""

    def run(self, **options):
        return go.find_case("bouncing_ball")().run(t_end=0.1)

    def check(self, result):
        yield go.Check("first impact", result.events[0].t, 0.45, 1e-9)


def test_a_check_that_raises_is_a_failure_of_its_case_alone():
    from gauss_opt.studies.validation import _validated

    failed = _validated(Hollow())
    assert not failed.ok
    assert "IndexError" in str(failed)


def test_a_case_without_checks_proves_nothing():
    assert not Validation(Impossible(), (), 0.0).ok


def test_progress_is_reported_case_by_case():
    seen = []
    validate(["bouncing_ball"], seen.append)
    assert str(seen[0]).startswith("ok: bouncing_ball: ")


def test_the_page_in_the_documents_has_every_case_and_no_failure():
    page = PAGE.read_text(encoding="utf-8")
    for name in go.case_names():
        assert f"\n## {name}\n" in page
        assert page.count(f"\n| {name} |") == 2  # every problem by OSQP, and by cvxpy
    assert page.count("\n## ") == len(go.case_names()) + 1
    assert "FAILED" not in page
