"""A few seconds of the soak, scenes that it found, and that it can find something at all."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import gauss_opt as go

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

from kinds.catalogue import KINDS, check_kind  # noqa: E402
from kinds.judge import judged  # noqa: E402
from random_problems import RandomProblem, random_problem  # noqa: E402
from random_scenes import from_dict, random_scene  # noqa: E402
from soak import item, replay, solvers  # noqa: E402
from soak_checks import Tally, check_problem, check_scene  # noqa: E402
from soak_report import BEGIN, END, summary, tables, write  # noqa: E402

ONCE_WRONG = [
    ("redundant tables", [7001, 3]),  # a wave tilts it between two questions
    ("piles", [2029, 5]),  # it stood still, and then took the next impact for a rate of round-off
    ("resumed", [7001, 4]),  # osqp began where the problem before had ended
]
FOUND = json.loads((Path(__file__).parent / "data" / "found_scenes.json").read_text())


def findings(tally: Tally) -> list[str]:
    return [finding["what"] for finding in tally.findings]


@pytest.mark.parametrize("k", [k for k in range(18) if k % 3 < 2])  # the rest are models
def test_items_of_a_soak_find_nothing(k, tmp_path):
    tally = item(2026, k, str(tmp_path))
    assert findings(tally) == []
    assert tally.counts["scenes"] + tally.counts["problems"] > 0


@pytest.mark.parametrize("name", FOUND)
def test_scenes_that_a_soak_once_found_wrong(name):
    assert findings(check_scene(from_dict(FOUND[name]))) == []


@pytest.mark.parametrize("kind", KINDS)
def test_models_of_every_kind_are_found_right(kind):
    tally = check_kind(kind, [2028, len(kind)], march=kind in ("moving obstacles", "stacks"))
    assert findings(tally) == []
    assert tally.counts[f"{kind}: successes"] == 1


@pytest.mark.parametrize(("kind", "seed"), ONCE_WRONG)
def test_models_that_a_soak_once_found_wrong(kind, seed):
    assert findings(check_kind(kind, seed, march=False)) == []


def test_the_judge_of_models_sees_what_was_missed():
    """The same judge, shown the motion of a body for which the surfaces are not there."""
    for kind in ("moving obstacles", "bumps", "stacks"):
        seen = 0
        for k in range(5):
            model = KINDS[kind](np.random.default_rng([9, k])).model
            hidden = replace(model, touches=[], march=False).run()
            seen += bool(judged(model, hidden, np.random.default_rng(k)).wrong)
        assert seen > 0, kind


def test_the_same_seed_gives_the_same_bits():
    assert random_scene((3, 4)) == random_scene((3, 4))
    one, other = random_problem((3, 5)).problem, random_problem((3, 5)).problem
    assert one.rows.tobytes() == other.rows.tobytes()
    assert one.load.tobytes() == other.load.tobytes()


def test_a_scene_survives_its_file():
    scene = random_scene((1, 2))
    assert from_dict(json.loads(json.dumps(scene.to_dict()))) == scene


class Liar(go.GaussSolver):
    """Shifts every answer by a little."""

    def solve(self, problem):
        solution = super().solve(problem)
        solution.x.setflags(write=True)
        solution.x[0] += 1e-4
        return solution


def test_a_wrong_answer_is_found():
    problem = go.GaussProblem.create([1.0, 1.0], target=[-1, 2], Ai=np.eye(2), bi=[0, 0])
    given = RandomProblem("known answer", (), problem, np.array([0.0, 2.0]), 1.0)
    assert findings(check_problem(given, {"daqp": go.GaussSolver("daqp")})) == []
    assert findings(check_problem(given, {"daqp": Liar("daqp")}))


def test_a_contradiction_that_is_none_is_found():
    problem = go.GaussProblem.create([1.0], target=[-1], Ai=[[1.0]], bi=[0])
    given = RandomProblem("contradiction", (), problem, None, 1.0)
    what = findings(check_problem(given, {"daqp": go.GaussSolver("daqp")}))
    assert "daqp solves a contradiction" in what


def test_a_saved_problem_is_replayed(tmp_path):
    path = tmp_path / "problem.npz"
    go.save_problem(random_problem((0, 1)).problem, path)
    assert replay(path).counts["problems"] == 1


def test_summaries_become_tables_of_a_document(tmp_path):
    tally = item(2026, 1, str(tmp_path))
    run = json.loads(json.dumps(summary(tally, 2026, 1, 2.0, list(solvers()))))
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    write(page, tables([run, run]))
    text = page.read_text()
    assert text.startswith("before")
    assert text.endswith("after\n")
    assert "old" not in text
    assert f"| problems | {2 * tally.counts['problems']} |" in text
