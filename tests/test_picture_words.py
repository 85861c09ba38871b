"""Words on pictures: nothing is cut off, nothing overlaps, and what is left out is counted."""

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.text import Text

import gauss_opt as go
from gauss_opt.viz.fitting import broken, shortened, width_of
from gauss_opt.viz.plots import (
    accuracy,
    contact_forces,
    energy,
    gaps,
    impulses,
    phase_portrait,
    pictures,
    positions,
    velocities,
)
from gauss_opt.viz.style import LINES

LONG = "the floor of the second laboratory under the table with the broken leg " * 2
WIDE = "MW" * 40
NAMES = {"short": ("floor", "x"), "long": (LONG, WIDE), "odd": ("a $x^2$ \\b_", "$y_1$ 高さ" * 9)}


pytestmark = pytest.mark.filterwarnings("ignore:Glyph .* missing from font")


@pytest.fixture(scope="module", autouse=True)
def agg():
    """Plain pyplot without a screen."""
    matplotlib.use("Agg")
    yield
    plt.close("all")


def ball(contact="floor", coordinate="x", **options):
    floor = go.Contact(contact, lambda q, t: q[1], 0.6)
    wall = go.Contact(f"{contact} too", lambda q, t: 2.0 - q[0])
    system = go.System(
        [1.0, 1.0],
        [0.0, -9.81],
        contacts=[floor, wall],
        coordinates=[coordinate, f"{coordinate}'"],
        units=["m", "m"],
    )
    return go.simulate(system, [0.0, 1.0], [0.7, 0.0], (0, 3), **options)


def crowd(number=40):
    """Balls that bounce without touching each other: a contact for each."""
    contacts = [go.Contact(f"floor {i}", lambda q, t, i=i: q[i], 0.5) for i in range(number)]
    system = go.System(np.ones(number), np.full(number, -9.81), contacts=contacts)
    return go.simulate(system, np.linspace(0.5, 1.0, number), np.zeros(number), (0, 0.6))


@pytest.fixture(scope="module")
def crowded():
    return crowd()


def words_of(figure):
    """Everything written but the numbers of axes, with the pixels it takes."""
    figure.draw_without_rendering()
    numbers = {
        tick
        for ax in figure.axes
        for axis in (ax.xaxis, ax.yaxis)
        for tick in axis.get_ticklabels(which="both")
    }
    found = [t for t in figure.findobj(Text) if t.get_visible() and t not in numbers]
    return [(t.get_text(), t.get_window_extent()) for t in found if t.get_text().strip()]


def within(box, other):
    """Whether a box is inside another, up to a pixel."""
    low, high = other.min - 1.0, other.max + 1.0
    return bool((box.min >= low).all() and (box.max <= high).all())


def assert_all_on_paper(figure):
    """All words are on the paper, and none of axes' names covers another."""
    paper = figure.bbox
    for text, box in words_of(figure):
        assert within(box, paper), text
    boxes = [ax.yaxis.label.get_window_extent() for ax in figure.axes]
    for i, box in enumerate(boxes):
        assert not any(box.overlaps(other) for other in boxes[i + 1 :])


@pytest.mark.parametrize("names", NAMES)
def test_no_picture_of_ours_cuts_words_off(names):
    result = ball(*NAMES[names])
    assert_all_on_paper(result.plot())
    for draw in pictures(result).values():
        assert_all_on_paper(draw())


def test_no_picture_of_many_contacts_cuts_words_off(crowded):
    assert_all_on_paper(crowded.plot())
    for draw in pictures(crowded).values():
        assert_all_on_paper(draw())


def test_a_long_message_is_broken_into_lines():
    result = ball(max_events=4, throw=False)
    assert not result.success
    assert_all_on_paper(result.plot(title="a title of many words " * 12))


DRAWN = (positions, velocities, gaps, contact_forces, impulses, energy, accuracy, phase_portrait)


@pytest.mark.parametrize("size", [(6.4, 4.8), (3.0, 2.5), (12.0, 4.0)], ids=str)
@pytest.mark.parametrize("names", NAMES)
def test_in_plain_subplots_no_legend_leaves_its_axes(names, size):
    result = ball(*NAMES[names])
    for draw in DRAWN:
        figure, axes = plt.subplots(1, 2, figsize=size)
        ax = draw(result, ax=axes[1])
        figure.draw_without_rendering()
        legend = ax.get_legend().get_window_extent()
        assert within(legend, ax.get_window_extent()), draw.__name__
        plt.close(figure)


def test_pictures_fit_into_parts_of_a_figure():
    """Subfigures, grids within grids and insets have their own room."""
    figure = plt.figure(layout="constrained")
    left, right = figure.subfigures(1, 2)
    inner = left.add_gridspec(2, 1)[0].subgridspec(1, 2)
    for ax in (right.subplots(), left.add_subplot(inner[0]), figure.add_axes((0.7, 0.7, 0.2, 0.2))):
        assert positions(ball(), ax) is ax
    assert_all_on_paper(figure)


def test_names_are_shortened_only_where_they_must():
    result = ball()
    _, ax = plt.subplots()
    gaps(result, ax)
    shown = [text.get_text() for text in ax.get_legend().get_texts()]
    assert shown[:2] == ["floor", "floor too"]


@pytest.mark.parametrize("shape", [(1, 1), (2, 3), (3, 4)], ids=str)
def test_what_a_legend_has_no_room_for_is_counted(crowded, shape):
    """Curves are counted, marks of events are not."""
    _, axes = plt.subplots(*shape, squeeze=False)
    ax = gaps(crowded, axes[0, 0])
    entries = [text.get_text() for text in ax.get_legend().get_texts()]
    (more,) = (entry for entry in entries if entry.startswith("and "))
    named = [entry for entry in entries if entry.startswith("floor")]
    assert int(more.split()[1]) == 40 - len(named)


@pytest.mark.parametrize("draw", [gaps, impulses, positions])
def test_no_two_curves_of_a_picture_look_the_same(crowded, draw):
    ax = draw(crowded)
    looks = [
        (line.get_color(), line.get_linestyle(), line.get_markerfacecolor())
        for line in ax.get_lines()
        if line.get_label().startswith(("floor", "q["))
    ]
    assert len(looks) == len(LINES)
    assert len(set(looks)) == len(looks)


def test_where_no_contact_carries_force_the_picture_says_so(crowded):
    ax = contact_forces(go.simulate(crowded.system, crowded.q[0], crowded.v[0], (0, 0.01)))
    assert [text.get_text() for text in ax.texts] == ["no contact force"]


def test_a_name_keeps_both_ends():
    short = shortened("left foot of the second walker", 80.0, 9.0)
    assert short.startswith("left")
    assert short.endswith("ker")
    assert width_of(short, 9.0) <= 80.0
    assert shortened("floor", 1.0, 9.0) == "floor"  # nothing shorter would tell anything


def test_lines_are_broken_between_words():
    lines = broken("one two three four five six\nseven", 60.0, 10.0).split("\n")
    assert " ".join(lines) == "one two three four five six seven"
    assert max(width_of(line, 10.0) for line in lines) <= 60.0


def test_axes_of_a_picture_of_their_own_show_it_in_a_notebook():
    for draw in (positions, velocities, accuracy, phase_portrait):
        assert draw(ball())._repr_png_().startswith(b"\x89PNG")
