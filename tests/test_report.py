"""Reports: what is in the file, and that nothing in it can become code."""

import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.viz import scene
from gauss_opt.viz.report.numbers import thinned
from gauss_opt.viz.report.page import SCRIPTS, report_page

HOSTILE = "</script><img src=x onerror=alert(1)>&\u2028'\""


def bouncing(name="floor", **options):
    ball = go.System(
        [1.0, 1.0],
        [0.0, -9.81],
        contacts=[go.Contact(name, lambda q, t: q[1], restitution=0.8)],
        potential=lambda q, t: 9.81 * q[1],
        coordinates=["x", "y"],
    )
    return go.simulate(ball, [0.0, 1.0], [0.5, 0.0], (0, 5), **options)


def draw(q, t):
    return [scene.ground([-1, 0], [4, 0], contacts="floor"), scene.trail(q), scene.dot(q)]


@pytest.fixture(scope="module")
def result():
    return bouncing()


def embedded(page):
    """The data of a page, as a program would read it."""
    return json.loads(
        re.search(r'<script type="application/json" id="data">(.*?)</script>', page)[1]
    )


class Tags(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def test_charts_hold_the_rows_of_the_result(result):
    data = embedded(report_page(result))
    chart = {c["title"]: c for c in data["charts"]}
    for title, columns in (("Position", result.q), ("Velocity", result.v)):
        t = np.array(data["times"][chart[title]["t"]])
        drawn = np.array([series["y"] for series in chart[title]["series"]], dtype=float).T
        both_sides = np.isin(t, result.t)
        np.testing.assert_array_equal(t[both_sides], result.t)
        np.testing.assert_allclose(drawn[both_sides], columns, rtol=1e-7)
    energy = {s["name"]: s["y"] for s in chart["Energy"]["series"]}
    assert energy["total"][0] == pytest.approx(9.81 + 0.125, rel=1e-7)
    assert energy["lost at impacts"][-1] == pytest.approx(-result.energy.impact[-1], rel=1e-7)


def test_tables_hold_the_numbers_of_the_result(result):
    checks = [go.Check("first impact", result.events[0].t, np.sqrt(2 / 9.81), 1e-10, "s"),
              go.Check.at_most("a limit not kept", 2.0, 1.0)]  # fmt: skip
    data = embedded(report_page(result, checks=checks, parameters={"e": 0.8, "on": True}))
    assert data["stats"]["steps"] == result.stats.steps
    assert data["stats"]["worst_residual"] == result.stats.worst_residual
    assert data["message"] == result.message
    assert data["success"]
    assert [c["ok"] for c in data["checks"]] == [True, False]
    assert data["checks"][0]["value"] == result.events[0].t
    assert data["parameters"] == [["e", "0.8"], ["on", "yes"]]
    for row, event in zip(data["events"]["rows"], result.events, strict=True):
        assert (row["kind"], row["t"]) == (event.kind, event.t)
        assert row["energy_change"] == event.energy_change
    assert data["events"]["rows"][0]["impulses"] == [
        ["floor", result.events[0].impulses["floor"], "N s, N m s"]
    ]
    assert all(check["ok"] for check in data["crosschecks"])
    assert "1 inequality row" in data["crosschecks"][-1]["problem"]


def test_jumps_keep_both_sides(result):
    data = embedded(report_page(result))
    chart = data["charts"][1]
    at = [i for i, t in enumerate(data["times"][chart["t"]]) if t == result.events[0].t]
    assert len(at) == 2
    before, after = (chart["series"][1]["y"][i] for i in at)
    assert before == pytest.approx(result.events[0].v_before[1])
    assert after == pytest.approx(result.events[0].v_after[1])


def test_the_film_has_the_balls_place_at_every_impact(result):
    film = embedded(report_page(result, drawing=draw))["scene"]
    ball = film["shapes"][2]
    for event in result.events[:5]:
        frame = film["times"].index(event.t)
        np.testing.assert_allclose(ball["points"][frame], event.q, atol=1e-3)
    assert film["impacts"]["floor"][0] == pytest.approx(result.events[0].t)
    assert not film["shapes"][0]["moving"]
    assert len(film["shapes"][0]["points"]) == 1


def test_a_result_without_a_drawing_gets_a_plain_one(result):
    film = embedded(report_page(result))["scene"]
    assert film["shapes"]
    assert not film["to_scale"]


def test_hostile_names_stay_text():
    page = report_page(bouncing(HOSTILE), title=HOSTILE, text=HOSTILE,
                       parameters={HOSTILE: HOSTILE},
                       checks=[go.Check(HOSTILE, 1.0, 1.0, 0.0, HOSTILE)])  # fmt: skip
    tags = Tags(page).tags
    assert "img" not in [tag for tag, _ in tags]
    assert [tag for tag, _ in tags].count("script") == 2
    assert not any(name.startswith("on") for _, attributes in tags for name in attributes)
    assert "\u2028" not in re.search(r'id="data">(.*)</script>', page)[1]
    data = embedded(page)
    assert data["title"] == HOSTILE
    assert data["parameters"] == [[HOSTILE, HOSTILE]]
    assert data["events"]["rows"][0]["contacts"] == [HOSTILE]


def test_nothing_is_loaded_and_the_policy_allows_only_what_is_in_the_file(result):
    page = report_page(result)
    for tag, attributes in Tags(page).tags:
        assert tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
    for word in ("http:", "https:", "@import", "fetch(", "XMLHttpRequest", "innerHTML", "eval("):
        assert word not in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'")
    assert "unsafe" not in policy
    for tag in ("script", "style"):
        source = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[1]
        digest = b64encode(sha256(source.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_the_same_result_gives_the_same_page(result):
    assert report_page(result, drawing=draw) == report_page(result, drawing=draw)


def test_numbers_that_json_does_not_have_become_null(result):
    data = embedded(report_page(result, checks=[go.Check("nothing", float("nan"), np.inf, 1.0)]))
    assert data["checks"][0]["value"] is None
    assert not data["checks"][0]["ok"]


def test_the_file_is_replaced_only_by_a_complete_one(result, tmp_path):
    path = tmp_path / "run.html"
    assert result.report(path, title="first") == path
    before = path.read_bytes()

    def broken(q, t):
        raise RuntimeError("no picture")

    with pytest.raises(RuntimeError, match="no picture"):
        result.report(path, drawing=broken)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["run.html"]
    assert len(before) < 1_000_000


def test_results_from_files_and_without_dense_output_have_reports(result, tmp_path):
    result.save(tmp_path / "run.npz")
    data = embedded(report_page(go.load(tmp_path / "run.npz")))
    assert data["crosschecks"] == []
    assert "Energy" in [chart["title"] for chart in data["charts"]]
    data = embedded(report_page(bouncing(dense_output=False), drawing=draw))
    assert data["scene"] is None
    assert "Energy" not in [chart["title"] for chart in data["charts"]]


def test_a_run_of_no_length_has_a_report():
    still = go.simulate(go.System([1.0], [0.0]), [0.0], [0.0], (0, 0))
    assert embedded(report_page(still))["span"] == [0.0, 0.0]


def test_crosschecks_that_are_given_are_shown_with_their_times(result):
    given = go.crosscheck(result.system, [0, 0], [0, 0], solver_names=["daqp"])
    (shown,) = embedded(report_page(result, crosscheck=given))["crosschecks"]
    assert [route["name"] for route in shown["routes"]] == [route.name for route in given.routes]
    assert shown["routes"][0]["seconds"] == given.routes[0].seconds
    assert len(embedded(report_page(result, crosscheck=[given, given]))["crosschecks"]) == 2
    assert shown["verdict"] == given.verdict == "all routes agree to 1e-08"


def test_thinning_keeps_events_and_extrema():
    t = np.sort(np.concatenate([np.linspace(0, 1, 50_000), [0.3, 0.7]]))
    wave = np.sin(300 * t) + (t > 0.3)
    rows = thinned(t, np.column_stack([wave, -wave]), [0.3, 0.7], limit=2000)
    assert len(rows) < 2100
    assert {wave.argmin(), wave.argmax(), 0, len(t) - 1} <= set(rows.tolist())
    assert set(np.flatnonzero((t == 0.3) | (t == 0.7))) <= set(rows.tolist())


def test_a_speed_of_nothing_is_refused(result):
    with pytest.raises(go.InputError, match="speed must be positive"):
        report_page(result, speed=0.0)


def test_docstrings_become_paragraphs(result):
    text = "A ball.\n\nIt falls\nand rests.\n\n    t = sqrt(2 h / g)\n"
    data = embedded(report_page(result, title="A ball", text=text))
    assert data["text"] == [{"fixed": False, "text": "It falls and rests."},
                            {"fixed": True, "text": "    t = sqrt(2 h / g)"}]  # fmt: skip


@pytest.mark.parametrize("name", ["report.html", "report.css", *(f"{s}.js" for s in SCRIPTS)])
def test_assets_cannot_end_their_own_element(name):
    source = (files("gauss_opt.viz.report") / "assets" / name).read_text(encoding="utf-8")
    if name != "report.html":
        assert "</" not in source
        assert "<!--" not in source
    assert "\r" not in source
