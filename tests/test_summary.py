"""One summary of a run: its text, the command line and the report say the same."""

import json
import re
from dataclasses import replace

import pytest

import gauss_opt as go
from gauss_opt.cli import main
from gauss_opt.results.records import EventKind, RunStatus
from gauss_opt.results.summary import kinds_of, summary
from gauss_opt.viz.report.page import report_page


@pytest.fixture(scope="module")
def result():
    ball = go.System([1.0], [-9.81], contacts=[go.Contact("floor", lambda q, t: q[0], 0.5)])
    return go.simulate(ball, [1.0], [0.0], (0, 3))


def test_text_command_line_and_report_say_the_same(result, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    result.save(tmp_path / "ball.npz")
    assert main(["show", str(tmp_path / "ball.npz")]) == 0
    shown = capsys.readouterr().out
    page = report_page(result)
    data = json.loads(re.search(r'id="data">(.*?)</script>', page)[1])
    tiles = [(tile["label"], tile["value"], tile["remark"]) for tile in data["summary"]]
    assert tiles == [tuple(fact) for fact in summary(result)]
    for fact in summary(result):
        assert f"{fact.label}: {fact}" in str(result)
        assert re.search(rf"{fact.label} +{re.escape(str(fact))}", shown)


def test_a_summary_has_the_numbers_of_the_run(result):
    facts = {fact.label: fact for fact in summary(result)}
    assert facts["steps"].value == str(result.stats.steps)
    assert facts["QPs"].value == str(result.stats.qp_total)
    assert float(facts["worst certificate"].value) == pytest.approx(
        result.stats.worst_residual, 0.1
    )
    assert "1 accumulation" in facts["events"].value
    assert facts["events"].remark == f"{len(result.events)} in all"
    assert str(result).startswith("success: reached the end")


def test_events_are_counted_by_kind_in_the_order_of_their_first_ones(result):
    counts = kinds_of(result.events)
    assert list(counts) == ["impact", "accumulation"]
    assert sum(counts.values()) == len(result.events)
    assert all(type(kind) is str for kind in counts)


def test_smooth_motion_has_no_events():
    free = go.simulate(go.System([1.0], [0.0]), [0.0], [1.0], (0, 1))
    facts = {fact.label: fact for fact in summary(free)}
    assert facts["events"] == ("events", "none", "nothing but smooth motion")
    assert "rank drops" not in facts


def test_a_failure_is_said_first(result):
    failed = replace(result, success=False, status="failed", message="the mass is singular")
    assert str(failed).startswith("not successful (failed): the mass is singular\n")


def test_kinds_and_statuses_are_strings_for_those_outside():
    assert EventKind.IMPACT == "impact"
    assert f"{RunStatus.WALL_TIME} {EventKind.USER!r}" == "wall time 'user'"
    assert json.dumps([EventKind.GRAZE]) == '["graze"]'
