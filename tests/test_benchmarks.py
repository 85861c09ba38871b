"""The benchmarks: their problems have the closed forms they are measured by, and peers may miss."""

import sys
from pathlib import Path

import numpy as np
import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
sys.path[:0] = [str(BENCHMARKS / "costs"), str(BENCHMARKS / "peers")]

import gauss_opt_side  # noqa: E402
import own  # noqa: E402
import page  # noqa: E402
import precision  # noqa: E402
import scenes  # noqa: E402
import scipy_side  # noqa: E402
from compare import apart, ratio  # noqa: E402
from problems import PROBLEMS, ball_impacts, oscillator_impacts, pendulum_place  # noqa: E402
from side import MissingError, Side, race  # noqa: E402

CLOSED_FORMS = {"bouncing ball": ball_impacts, "oscillator on a stop": oscillator_impacts}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_two_codes_hit_the_stop_when_the_closed_form_says(name):
    exact = CLOSED_FORMS[name](PROBLEMS[name])
    by_hand = scipy_side.impacts(name, rtol=1e-11, repeats=1)
    ours = gauss_opt_side.impacts(name, engine="python", rtol=1e-11, repeats=1)
    for answer in (by_hand, ours):
        assert apart(answer["t"], exact) < 1e-11
        restitution = -np.array(answer["after"]) / answer["before"]
        np.testing.assert_allclose(restitution, PROBLEMS[name]["restitution"], rtol=1e-12)


def test_two_codes_swing_as_elliptic_functions_say():
    exact = pendulum_place(precision._angle(5.0))
    for answer in (
        scipy_side.pendulum(rtol=1e-11, repeats=1),
        gauss_opt_side.pendulum(engine="python", rtol=1e-11, repeats=1),
    ):
        np.testing.assert_allclose(answer["place"], exact, atol=1e-10)


def test_scenes_grow_in_what_they_say():
    for k in (2, 4):
        assert scenes.chain(k).run().q.shape[1] == 3 * k
        assert len(scenes.loose_chain(5, k).run().row_names) == 2 * k
        assert len(scenes.near_walls(k).run().contacts) == k
    few = scenes.forced(8).run()
    assert 5 <= len(few.events) <= 8
    assert {event.kind for event in few.events} == {"impact"}


def test_ratios_have_their_one_on_the_smaller_side():
    assert [ratio(3.0, 1.0), ratio(1.0, 2.0), ratio(40.0, 2.0)] == ["3.0 : 1", "1 : 2.0", "20 : 1"]


def test_contestants_take_turns_and_keep_their_least_time():
    turns, times = [], iter([3.0, 5.0, 2.0, 6.0])

    def contestant(name):
        turns.append(name)
        return {"seconds": next(times)}

    best = race({name: lambda name=name: contestant(name) for name in "ab"}, 2)
    assert turns == ["a", "b", "a", "b"]
    assert [best[name]["seconds"] for name in "ab"] == [2.0, 5.0]


def test_a_side_that_is_not_there_says_why(tmp_path):
    with pytest.raises(MissingError, match="No such file"):
        Side(str(tmp_path / "python"), "scipy_side.py")
    empty = tmp_path / "problems.py"
    empty.write_text("raise SystemExit('not installed here')")
    with pytest.raises(MissingError, match="not installed here"):
        Side(sys.executable, str(empty))


def test_a_page_without_peers_names_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.setattr(own, "SCENES", {"ball": scenes.ball})
    monkeypatch.setattr(own, "FOR_THREADS", ["ball"])
    monkeypatch.setattr(own.os, "getloadavg", lambda: (0.0, 0.0, 0.0))
    monkeypatch.setattr(own, "GROWING", {"bars": ("bars", scenes.chain, (1, 2))})
    monkeypatch.setattr(own, "first_run", lambda engines, repeats: ["first"])
    monkeypatch.setattr(precision, "RTOLS", (1e-4, 1e-6))
    sides = page.Sides(str(tmp_path / "siconos"), str(tmp_path / "mujoco"))
    text = page.page(sides, 1, 1, tmp_path)
    for side in sides.values():
        side.close()
    assert "siconos: [Errno 2]" in text
    assert "mujoco: [Errno 2]" in text
    assert "Siconos is not installed here." in text
    assert "Python engine" in text
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        f"## {title}" for title in page.REMARKS
    ]
    assert (tmp_path / page.PICTURE).stat().st_size > 10_000
