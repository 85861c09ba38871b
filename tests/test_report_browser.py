"""Reports in a browser: they play, follow, filter and zoom, and stay within their file."""

import shutil

import numpy as np
import pytest

import gauss_opt as go
from gauss_opt.viz import scene

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium is installed")
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        chromium = playwright.chromium.launch(executable_path=BROWSER, args=options)
        yield chromium
        chromium.close()


def bouncing(name="floor"):
    floor = go.Contact(name, lambda q, t: q[1], restitution=0.8)
    ball = go.System([1.0, 1.0], [0.0, -9.81], contacts=[floor], coordinates=["x", "y"])
    return go.simulate(ball, [0.0, 1.0], [0.5, 0.0], (0, 5))


@pytest.fixture(scope="module")
def result():
    return bouncing()


@pytest.fixture(scope="module")
def report(result, tmp_path_factory):
    def draw(q, t):
        return [
            scene.ground([-1, 0], [4, 0], contacts="floor"),
            scene.trail(q),
            scene.disc(q, 0.05, contacts="floor"),
            scene.arrow(q, [q[0], q[1] + 0.3]),
            scene.text([0, 1.2], "a ball"),
        ]

    checks = [go.Check("a", 1.0, 1.0, 0.0), go.Check("b", 2.0, 1.0, 0.0)]
    path = tmp_path_factory.mktemp("report") / "ball.html"
    return result.report(path, title="A ball", drawing=draw, checks=checks, parameters={"e": 0.8})


@pytest.fixture
def open_page(browser):
    """Opens a file; at the end there must have been no error, no dialog and no other request."""
    pages, trouble = [], []

    def open_(path, **options):
        context = browser.new_context(**options)
        page = context.new_page()
        page.on("console", lambda m: trouble.append(m.text) if m.type != "log" else None)
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("dialog", lambda dialog: (trouble.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda r: None if r.url == path.as_uri() else trouble.append(r.url))
        page.goto(path.as_uri())
        pages.append(context)
        return page

    yield open_
    for context in pages:
        context.close()
    assert trouble == []


def now(page):
    return float(page.locator("#now").text_content().split()[2])


def cursor(page, chart=0):
    return float(page.locator(".cursor").nth(chart).get_attribute("x1"))


def set_slider(page, share):
    page.locator("#slider").evaluate(
        "(s, share) => { s.value = Number(s.min) + share * (s.max - s.min);"
        " s.dispatchEvent(new Event('input')); }",
        share,
    )


def test_everything_is_there(open_page, report, result):
    page = open_page(report)
    assert page.locator("h1").text_content() == "A ball"
    assert result.message in page.locator("#verdict").text_content()
    titles = page.locator(".chart h3").all_text_contents()
    assert titles[:4] == ["Position (m, rad)", "Velocity (m/s, rad/s)", "Gap (as defined)",
                          "Contact force (N, N m)"]  # fmt: skip
    verdicts = page.locator("#checks tbody th").all_text_contents()
    assert verdicts == ["✓ ok", "✗ failed"]
    assert page.locator("#proof .table").count() == 4


def test_the_player_plays_and_pauses(open_page, report):
    page = open_page(report)
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => Number(document.getElementById('slider').value) > 0.2")
    page.get_by_role("button", name="Pause").click()
    stopped = now(page)
    page.wait_for_timeout(150)
    assert now(page) == stopped > 0.0
    assert "real time" in page.locator("#factor").text_content()


def test_the_slider_moves_scene_and_cursors(open_page, report, result):
    page = open_page(report)
    ball = page.locator("#scene circle").first
    places, cursors = [], []
    for share in (0.1, 0.9):
        set_slider(page, share)
        assert now(page) == pytest.approx(5 * share, abs=0.01)
        places.append(float(ball.get_attribute("cx")))
        cursors.append([cursor(page, i) for i in range(page.locator(".chart").count())])
    assert places[1] > places[0]
    assert all(b > a for a, b in zip(*cursors, strict=True))
    value = float(page.locator(".legend .value").first.text_content())
    shown = float(page.locator(".chart figcaption .note").first.text_content().split()[4])
    assert shown == pytest.approx(now(page), abs=5 / 1000)
    assert value == pytest.approx(result(shown).q[0], abs=1e-4)


def test_the_event_table_goes_to_the_event_and_shows_both_sides(open_page, report, result):
    page = open_page(report)
    page.locator("#events tbody tr").nth(2).click()
    assert now(page) == pytest.approx(result.events[2].t, abs=1e-3)
    assert page.locator("#events tr[aria-current]").count() == 1
    before, after = (
        page.locator(".chart").nth(1).locator(".value").nth(1).text_content().split(" → ")
    )
    assert float(before) == pytest.approx(result.events[2].v_before[1], rel=1e-3)
    assert float(after) == pytest.approx(result.events[2].v_after[1], rel=1e-3)
    button = page.locator("#events tbody button").first
    button.focus()
    page.keyboard.press("Enter")
    assert now(page) == pytest.approx(result.events[0].t, abs=1e-3)
    page.get_by_role("button", name="Next event").click()
    assert now(page) == pytest.approx(result.events[1].t, abs=1e-3)


def test_events_are_filtered_by_kind(open_page, report):
    page = open_page(report)
    page.get_by_role("button", name="accumulation 1").click()
    assert page.locator("#events tbody tr").count() == 1
    assert "accumulation" in page.locator("#events tbody tr").text_content()


def test_the_legend_hides_a_series_by_click_and_by_key(open_page, report):
    page = open_page(report)
    chart = page.locator(".chart").first
    assert chart.locator("[data-series]").count() == 2
    button = chart.locator(".legend button").first
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert chart.locator("[data-series]").count() == 1
    button.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert chart.locator("[data-series]").count() == 2


def test_charts_zoom_by_dragging_and_show_everything_again(open_page, report):
    page = open_page(report)
    plot = page.locator(".plot").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    whole = plot.locator("text").all_text_contents()
    y = box["y"] + 0.5 * box["height"]
    page.mouse.move(box["x"] + 0.3 * box["width"], y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.4 * box["width"], y, steps=4)
    page.mouse.up()
    assert plot.locator("text").all_text_contents() != whole
    assert page.locator("#unzoom").is_visible()
    page.mouse.dblclick(box["x"] + 0.5 * box["width"], y)
    assert plot.locator("text").all_text_contents() == whole


def test_charts_answer_the_keyboard(open_page, report):
    page = open_page(report)
    page.locator(".plot").first.focus()
    page.keyboard.press("ArrowRight")
    assert now(page) == pytest.approx(0.025)
    page.keyboard.press("+")
    assert page.locator("#unzoom").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#unzoom").is_hidden()


def test_hovering_shows_values_in_all_charts(open_page, report):
    page = open_page(report)
    plot = page.locator(".plot").nth(1)
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    before = page.locator(".legend .value").first.text_content()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60)
    assert page.locator(".legend .value").first.text_content() != before
    assert page.locator(".hovering").first.get_attribute("visibility") == "visible"


def test_hostile_names_are_shown_and_do_not_run(open_page, tmp_path):
    path = bouncing(HOSTILE).report(
        tmp_path / "hostile.html", title=HOSTILE, text=HOSTILE, parameters={HOSTILE: HOSTILE},
        checks=[go.Check(HOSTILE, 1.0, 1.0, 0.0)],
    )  # fmt: skip
    page = open_page(path)
    page.wait_for_timeout(100)
    assert page.locator("img").count() == 0
    assert page.locator("h1").text_content() == HOSTILE
    assert page.locator("#parameters th").text_content() == HOSTILE
    assert HOSTILE in page.locator("#events tbody tr").first.text_content()


@pytest.mark.parametrize("width", [390, 768, 1440])
def test_pages_do_not_scroll_sideways(open_page, report, width):
    page = open_page(report, viewport={"width": width, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_tables_of_cross_checks_scroll_on_a_phone_beside_the_names_of_routes(
    open_page, result, tmp_path
):
    system = result.system
    checks = [go.crosscheck(system, result.q[i], result.v[i], result.t[i]) for i in (3, 20)]
    path = result.report(tmp_path / "r.html", crosscheck=checks)
    page = open_page(path, viewport={"width": 390, "height": 844})
    tables = page.locator("#proof .table")
    assert tables.count() == 3
    for i in range(3):
        one = tables.nth(i)
        one.evaluate("box => { box.scrollLeft = box.scrollWidth }")
        assert one.evaluate("box => box.scrollLeft") > 100
        first, last = one.locator("tbody th").first, one.locator("tbody td").last
        for cell in (first, last):
            box = cell.bounding_box()
            assert box["x"] >= 0.0
            assert box["x"] + box["width"] <= 390.0


def test_a_report_in_a_frame_of_a_notebook_plays(browser, report, tmp_path):
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!DOCTYPE html><body>{report._repr_html_()}</body>", encoding="utf-8")
    page, trouble = browser.new_page(), []
    page.on("pageerror", lambda error: trouble.append(error))
    page.on("console", lambda said: trouble.append(said.text) if said.type == "error" else None)
    page.goto(notebook.as_uri())
    inside = page.frame_locator("iframe")
    assert inside.locator("h1").text_content() == "A ball"
    before = inside.locator(".transport").text_content()
    inside.get_by_role("button", name="Play").click()
    page.wait_for_timeout(400)
    assert inside.locator(".transport").text_content() != before
    page.close()
    assert trouble == []


def test_dark_is_dark(open_page, report):
    colors = [
        open_page(report, color_scheme=scheme).evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]
    brightness = [sum(map(int, color[4:-1].split(","))) for color in colors]
    assert brightness[0] > 600
    assert brightness[1] < 150


def test_a_run_of_no_length_opens(open_page, tmp_path):
    still = go.simulate(go.System([1.0], [0.0]), [0.0], [0.0], (0, 0))
    page = open_page(still.report(tmp_path / "still.html"))
    assert page.locator("#slider").is_disabled()


def test_a_result_without_dense_output_opens_without_a_scene(open_page, tmp_path):
    ball = go.System([1.0], [-9.81], contacts=[go.Contact("floor", lambda q, t: q[0])])
    coarse = go.simulate(ball, [1.0], [0.0], (0, 1), dense_output=False)
    page = open_page(coarse.report(tmp_path / "coarse.html"))
    assert page.locator("#stage").is_hidden()
    page.get_by_role("button", name="Next event").click()
    assert now(page) == pytest.approx(coarse.events[0].t, abs=1e-3)


def last_place(text):
    """The unit of the last digit that a number is shown with."""
    mantissa, _, power = text.partition("e")
    return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))


def test_times_and_values_at_the_cursor_are_true_to_their_last_digit(open_page, tmp_path):
    """In a run of thousands of rows, and however far it is zoomed in."""
    rng = np.random.default_rng(11)
    floor = go.Contact("floor", lambda q, t: q[1], 0.8)
    system = go.System([1.0, 1.0], lambda q, v, t: np.array([-100.0 * q[0], -9.81]),
                       contacts=[floor], coordinates=["x", "y"], units=["m", "m"])  # fmt: skip
    t_eval = np.linspace(0.0, 6.0, 20_001)
    result = go.simulate(system, [0.6, 1.0], [0.0, 0.0], (0, 6), t_eval=t_eval)
    assert len(result.t) > 20_000
    page = open_page(result.report(tmp_path / "long.html"), viewport={"width": 1300, "height": 900})
    plot = page.locator(".plot").first
    compared = 0
    for k in range(24):
        box = plot.bounding_box()
        if k % 6 == 5:
            start = box["x"] + rng.uniform(0.1, 0.8) * box["width"]
            page.mouse.move(start, box["y"] + 60)
            page.mouse.down()
            page.mouse.move(start + 0.1 * box["width"], box["y"] + 60, steps=3)
            page.mouse.up()
        page.mouse.move(box["x"] + rng.uniform(0.1, 0.95) * box["width"], box["y"] + 60)
        for number, array in ((0, "q"), (1, "v")):
            chart = page.locator(".chart").nth(number)
            t = float(chart.locator("figcaption .note").text_content().split()[4])
            for i, text in enumerate(chart.locator(".legend .value").all_text_contents()):
                if "→" not in text and text != "0":
                    assert abs(float(text) - getattr(result(t), array)[i]) <= last_place(text)
                    compared += 1
    assert compared > 60
