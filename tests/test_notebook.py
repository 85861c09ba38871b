"""What a notebook shows, and the example notebooks themselves."""

import ast
import pickle
import re
from html.parser import HTMLParser
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import gauss_opt as go
from gauss_opt.studies.validation import validate

NOTEBOOKS = sorted((Path(__file__).parents[1] / "docs" / "notebooks").glob("*.py"))
NAME = "<b onclick='x'>floor & wall</b>"
BALL = go.System(
    [1.0, 1.0],
    [0.0, -9.81],
    contacts=[go.Contact(NAME, lambda q, t: q[1], restitution=0.5)],
    potential=lambda q, t: 9.81 * q[1],
    coordinates=["x", "y"],
    units=["m", "m"],
)
RESULT = go.simulate(BALL, [0.0, 1.0], [0.3, 0.0], (0.0, 3.0))


class Shown(HTMLParser):
    """Text and tags of some HTML; tags must be closed in their order."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in ("img",):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self):
        return " ".join(self.words)


def shown(item):
    return Shown(item._repr_html_())


def test_a_result_shows_how_it_went_and_its_first_events():
    page = shown(RESULT)
    assert "success: reached the end" in page.text
    assert "worst certificate" in page.text
    assert f"{RESULT.events[0].t:.12g}" in page.text
    assert f"and {len(RESULT.events) - 10} more" in page.text


def test_names_in_tables_are_words_and_never_markup():
    for item in (RESULT, RESULT.events, RESULT.events[0], go.crosscheck(BALL, [0, 0], [0, 0])):
        page = shown(item)
        assert "b" not in page.tags
    assert NAME in shown(RESULT.events).text


def test_events_are_a_tuple_that_is_a_table():
    events = RESULT.events
    assert isinstance(events, tuple)
    assert events[1:3]._repr_html_().count("<tr>") == 3
    assert [event.kind for event in events.of("accumulation")] == ["accumulation"]
    assert pickle.loads(pickle.dumps(events)).of("impact")[0].t == events[0].t
    assert repr(events[:1]) == str(events[0])
    quiet = go.simulate(go.System([1.0]), [0.0], [0.0], (0, 1)).events
    assert "no events" in shown(quiet).text
    assert len(quiet.to_dataframe()) == 0
    assert "kind" in quiet.to_dataframe().columns


def test_long_lists_of_events_are_cut_and_say_so():
    many = type(RESULT.events)([RESULT.events[0]] * 1000)
    assert "and 900 more" in shown(many).text
    assert repr(many).endswith("and 950 more")


def test_the_table_of_events_has_the_numbers_of_the_events():
    table = RESULT.events.to_dataframe()
    assert list(table["kind"]) == [event.kind for event in RESULT.events]
    assert_array_equal(table["t"], [event.t for event in RESULT.events])
    fall = np.sqrt(2.0 * 9.81)
    assert_allclose(table["v_before[1]"][0], -fall, rtol=1e-9)
    assert_allclose(table["v_after[1]"][0], 0.5 * fall, rtol=1e-9)
    assert_allclose(table[f"impulse {NAME}"][0], 1.5 * fall, rtol=1e-9)
    assert_allclose(table["energy_change"][0], -0.75 * 9.81, rtol=1e-9)


def test_impulses_of_vector_contacts_have_a_column_each():
    corner = go.Contact("corner", lambda q, t: np.array([q[0], q[1]]))
    system = go.System([1.0, 1.0], contacts=[corner])
    events = go.simulate(system, [1.0, 1.0], [-1.0, -1.0], (0, 2)).events
    assert_allclose(events.to_dataframe()["impulse corner[1]"][0], 1.0)


def test_a_dataset_has_names_units_and_the_numbers_of_the_rows():
    dataset = RESULT.to_xarray()
    assert_array_equal(dataset["q"].sel(coordinate="y"), RESULT.q[:, 1])
    assert_array_equal(dataset["v"].sel(velocity="rate of y"), RESULT.v[:, 1])
    assert_array_equal(dataset["gap"].sel(contact=NAME), RESULT.gaps[NAME])
    assert_array_equal(dataset["multiplier"].sel(row=NAME), RESULT.multipliers[NAME])
    assert list(dataset["coordinate_unit"].values) == ["m", "m"]
    assert list(dataset["velocity_unit"].values) == ["m/s", "m/s"]
    assert dataset["t"].attrs["units"] == "s"
    assert dataset["kinetic_energy"].attrs["units"] == "J"
    assert float(np.abs(dataset["energy_residual"]).max()) < 1e-8
    after = dataset.drop_duplicates("t", keep="last")
    assert len(after["t"]) < len(dataset["t"])
    first = RESULT.events[0]
    assert_allclose(after["v"].sel(t=first.t, velocity="rate of y"), first.v_after[1])


def test_a_dataset_of_a_free_body_has_no_rows_of_contacts():
    dataset = go.simulate(go.System([1.0]), [0.0], [1.0], (0, 1)).to_xarray()
    assert (dataset.sizes["row"], dataset.sizes["contact"]) == (0, 0)
    assert_array_equal(dataset["coordinate"], ["q[0]"])


def test_a_dataset_comes_from_a_file_as_well(tmp_path):
    RESULT.save(tmp_path / "r.npz")
    loaded = go.load(tmp_path / "r.npz").to_xarray()
    assert loaded.equals(RESULT.to_xarray())


def test_a_certificate_and_a_crosscheck_show_their_numbers():
    check = go.crosscheck(BALL, [0.0, 0.0], [0.3, 0.0])
    page = shown(check)
    assert check.verdict in page.text
    assert page.tags.count("tr") == len(check.routes) + 1
    certificate = shown(check.reference.certificate)
    assert "complementarity" in certificate.text
    assert "worst" in certificate.text


def test_a_case_its_checks_and_a_validation_are_tables():
    case = go.find_case("bouncing_ball").create({"height": 2.0})
    assert "coefficient of restitution" in shown(case).text
    checks = case.checks(case.run())
    assert checks.ok
    assert all(check.what in shown(checks).text for check in checks)
    done = validate(["simple_pendulum"])
    assert "figures within tolerance" in shown(done).text
    assert "FAILED" not in shown(done).text


def test_a_film_and_a_report_are_shown_where_they_were_made(tmp_path):
    film = RESULT.animate(tmp_path / "film.gif", max_frames=3)
    assert film == tmp_path / "film.gif"
    assert film._repr_html_().startswith('<img alt="film.gif" src="data:image/gif;base64,')
    page = RESULT.report(tmp_path / "page.html")
    frame = page._repr_html_()
    assert re.match(r'<iframe sandbox="allow-scripts" [^>]* srcdoc="&lt;!DOCTYPE', frame, re.I)
    assert Shown(frame).tags == ["iframe"]  # nothing of the page gets out of the frame
    assert page.parent._repr_html_() is None
    page.unlink()
    assert page._repr_html_() is None


def test_a_picture_shows_itself(tmp_path):
    (tmp_path / "p.png").write_bytes(RESULT.plot()._repr_png_())
    assert matplotlib.image.imread(tmp_path / "p.png").std() > 0.01


def cells(path):
    """The code cells of a script in the percent form."""
    for cell in re.split(r"(?m)^# %%", path.read_text(encoding="utf-8"))[1:]:
        kind, _, source = cell.partition("\n")
        if "[markdown]" in kind:
            assert all(line.startswith("#") or not line for line in source.splitlines())
        else:
            yield source


def run_cell(source, names):
    """Run a cell; what its last line gives is what a notebook would show."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "<cell>", "exec"), names)
    return (
        None if last is None else eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
    )


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_an_example_notebook_runs(notebook, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names, rich = {"__name__": "notebook"}, 0
    for source in cells(notebook):
        item = run_cell(source, names)
        picture = getattr(item, "_repr_png_", lambda: None)()
        page = getattr(item, "_repr_html_", lambda: None)()
        rich += bool(picture or page)
    assert rich >= 3
    assert "assert " in notebook.read_text(encoding="utf-8")


def test_there_are_three_example_notebooks():
    assert [path.stem for path in NOTEBOOKS] == ["first_bounce", "solvers", "udwadia_kalaba"]
