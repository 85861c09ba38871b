"""Files that fit together and cannot be the result of a run are refused."""

import json

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.cli import main

BALL = go.System(
    [1.0], [-9.81], contacts=[go.Contact("floor", lambda q, t: q[0], restitution=0.5)],
    potential=lambda q, t: 9.81 * q[0],
)  # fmt: skip
RESULT = go.simulate(BALL, [1.0], [0.0], (0.0, 1.0))


def changed(path, change):
    """The saved result after a change of its arrays and its header."""
    RESULT.save(path)
    with np.load(path) as data:
        arrays = {name: data[name].copy() for name in data.files}
    header = json.loads(arrays["header"].tobytes())
    change(arrays, header)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    return path


def put(name, value):
    def change(arrays, header):
        arrays[name].flat[arrays[name].size // 2] = value

    return change


def reverse(name):
    def change(arrays, header):
        arrays[name] = arrays[name][::-1].copy()

    return change


def say(key, value):
    def change(arrays, header):
        header[key] = value

    return change


def of_event(key, value):
    def change(arrays, header):
        header["events"][0][key] = value

    return change


ARRAYS = (
    "t",
    "q",
    "v",
    "a",
    "rows_multipliers",
    "forces_total",
    "energy_kinetic",
    "event_t",
    "event_q",
    "event_v_after",
    "event_energy_change",
    "piece_t0",
    "piece_values",
)


def test_what_was_saved_is_read(tmp_path):
    loaded = go.load(changed(tmp_path / "r.npz", lambda arrays, header: None))
    assert loaded.success is True
    assert [event.exact for event in loaded.events] == [event.exact for event in RESULT.events]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("name", ARRAYS)
def test_numbers_that_are_not_finite_are_refused_with_their_place(tmp_path, name, value):
    with pytest.raises(go.InputError, match=rf"r.npz is damaged: ValueError: {name} has numbers"):
        go.load(changed(tmp_path / "r.npz", put(name, value)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (reverse("t"), "the times in t run backwards"),
        (reverse("event_t"), "the times in event_t run backwards"),
        (reverse("piece_t0"), "the times in piece_t0 run backwards"),
        (put("piece_t1", -1.0), "ends before it begins"),
        (lambda a, h: a["event_t"].__iadd__(5.0), "after the end"),
        (say("success", "no"), "'no' is neither true nor false"),
        (say("success", 0), "0 is neither true nor false"),
        (say("status", "splendid"), "'splendid' is not a status: running, finished"),
        (say("message", 7), "the message is no text: 7"),
        (of_event("exact", "no"), "'no' is neither true nor false"),
        (of_event("gains_energy", 1), "1 is neither true nor false"),
        (of_event("kind", "crash"), "'crash' is not a kind: impact, release"),
        (of_event("kind", ["impact"]), "is not a kind"),
        (of_event("detail", None), "None is no text"),
        (of_event("row", 1.5), "1.5 is not the number of a row"),
        (of_event("impulses", {"floor": "much"}), "impulse of 'floor' is not a number: 'much'"),
        (of_event("impulses", {"floor": float("nan")}), "impulse of 'floor' is not a number"),
        (of_event("contacts", "floor"), "'floor' is not a list of names"),
    ],
)
def test_what_no_run_says_is_refused(tmp_path, change, message):
    with pytest.raises(go.InputError, match=message):
        go.load(changed(tmp_path / "r.npz", change))


CASE = '''"""A stone."""
from dataclasses import dataclass
import sys
import gauss_opt as go
{top}

@dataclass(frozen=True)
class Stone(go.Case):
    def build(self):
        {build}
        return go.Setup(go.System([1.0]), [0.0], [0.0], (0.0, 1.0))

    def check(self, result):
        {check}
        yield go.Check("at rest", result.q[-1, 0], 0.0, 1e-9)
'''


@pytest.mark.parametrize("place", ["top", "build", "check"])
@pytest.mark.parametrize("code", [0, 7, "'bye'"])
def test_a_case_that_exits_does_not_decide_the_exit_code(tmp_path, capsys, place, code):
    parts = {"top": "", "build": "", "check": "", place: f"sys.exit({code})"}
    path = tmp_path / f"stone_{place}_{str(code).strip(chr(39))}.py"
    path.write_text(CASE.format(**parts), encoding="utf-8")
    given = main(["run", str(path), "--no-pictures", "--out", str(tmp_path / "out")])
    said = capsys.readouterr().err
    assert "sys.exit" in said
    assert given == (2 if place == "top" else 3)
