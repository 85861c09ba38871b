"""Animations: the right frames for the right time, whole files, and drawings made by themselves."""

import os
import stat

import numpy as np
import pytest
from numpy.testing import assert_allclose
from PIL import Image

import gauss_opt as go
from gauss_opt.viz.animate import HOLD
from gauss_opt.viz.canvas import SceneArtists, prepare
from gauss_opt.viz.default_drawing import default_drawing
from gauss_opt.viz.film import shoot
from gauss_opt.viz.plots.panels import figure

G = 9.81


@pytest.fixture(scope="module")
def ball():
    system = go.System(
        [1.0, 1.0], [0.0, -G], contacts=[go.Contact("floor", lambda q, t: q[1], 0.8)]
    )
    return go.simulate(system, [0.0, 1.0], [0.5, 0.0], (0, 1))


def draw(q, t):
    floor = go.scene.ground([-0.2, 0.0], [1.0, 0.0], contacts="floor")
    return [floor, go.scene.trail(q), go.scene.dot(q, contacts="floor")]


def seconds(image):
    """How long all frames of a GIF take."""
    total = 0
    for k in range(image.n_frames):
        image.seek(k)
        total += image.info["duration"]
    return total / 1000


@pytest.mark.parametrize(("speed", "rate"), [(1.0, 30), (0.5, 12), (2.0, 25)])
def test_a_gif_has_the_frames_and_the_duration_of_the_run(ball, tmp_path, speed, rate):
    path = ball.animate(tmp_path / "ball.gif", draw, speed=speed, frames_per_second=rate, dpi=40)
    with Image.open(path) as image:
        assert image.format == "GIF"
        assert image.n_frames == np.ceil(rate / speed) + 1
        shown = 1.0 / speed + 1.0 / rate
        assert seconds(image) == pytest.approx(shown + HOLD, abs=0.06)
    assert os.listdir(tmp_path) == ["ball.gif"]
    assert stat.S_IMODE(path.stat().st_mode) & stat.S_IRUSR


def test_a_gif_shows_the_colours_of_the_roles(ball, tmp_path):
    path = ball.animate(tmp_path / "ball.gif", draw, frames_per_second=5, dpi=60)
    with Image.open(path) as image:
        colors = {color for _, color in image.convert("RGB").getcolors(1 << 20)}
    assert {(255, 255, 255), (0x00, 0x72, 0xB2)} <= colors


def test_the_paper_of_a_gif_stays_white(ball, tmp_path):
    for k in (7, 20):
        path = ball.animate(tmp_path / "ball.gif", max_frames=k, dpi=50)
        with Image.open(path) as image:
            for frame in range(image.n_frames):
                image.seek(frame)
                assert image.convert("RGB").getpixel((0, 0)) == (255, 255, 255)


def test_few_frames_are_shown_longer(ball, tmp_path):
    path = ball.animate(tmp_path / "ball.gif", draw, speed=1.0, max_frames=5, dpi=40)
    with Image.open(path) as image:
        assert image.n_frames == 5
        assert seconds(image) == pytest.approx(1.25 + HOLD, abs=0.02)


def test_progress_is_reported(ball, tmp_path):
    shares = []
    ball.animate(tmp_path / "a.gif", draw, max_frames=4, dpi=40, progress=shares.append)
    assert shares == [0.25, 0.5, 0.75, 1.0]


def test_a_failure_leaves_the_old_file(ball, tmp_path):
    path = tmp_path / "ball.gif"
    path.write_bytes(b"old")

    def stop(share):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ball.animate(path, draw, max_frames=4, dpi=40, progress=stop)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["ball.gif"]


def test_unusable_requests_are_refused(ball, tmp_path, monkeypatch):
    with pytest.raises(go.InputError, match=r"a \.gif or an \.mp4"):
        ball.animate(tmp_path / "ball.avi", draw)
    with pytest.raises(go.InputError, match="there is no folder"):
        ball.animate(tmp_path / "nowhere" / "ball.gif", draw)
    with pytest.raises(go.InputError, match="must be positive"):
        ball.animate(tmp_path / "ball.gif", draw, speed=0.0)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(go.MissingPackageError, match="needs the program 'ffmpeg'"):
        ball.animate(tmp_path / "ball.mp4", draw)


def test_an_mp4_goes_frame_by_frame_through_ffmpeg(ball, tmp_path, monkeypatch):
    """A stand-in for ffmpeg keeps its arguments and the bytes that it is given."""
    programs = tmp_path / "programs"
    programs.mkdir()
    fake = programs / "ffmpeg"
    fake.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/arguments\nfor x; do :; done\ncat > "$x"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    path = ball.animate(tmp_path / "ball.mp4", draw, speed=1.0, max_frames=4, dpi=50)
    words = (tmp_path / "arguments").read_text().split()
    width, height = map(int, words[words.index("-s") + 1].split("x"))
    assert width % 2 == height % 2 == 0
    assert path.stat().st_size == 4 * width * height * 4
    assert float(words[words.index("-framerate") + 1]) == pytest.approx(3.0)


def test_artists_follow_the_film(ball):
    film = shoot(ball, draw, frames_per_second=10)
    ax = figure().add_subplot()
    prepare(ax, film)
    artists = SceneArtists(ax, film)
    artists.show(4)
    trail, dot = artists.artists[1], artists.artists[2]
    assert_allclose(np.ravel(dot.get_data()), ball(float(film.times[4])).q)
    assert len(trail.get_xdata()) == 5
    quiet = artists.artists[0].get_facecolor()
    artists.show(int(np.argmax(film.flashes[:, 0])))
    assert artists.artists[0].get_facecolor() != quiet


def kinds(result, times=(0.0, 0.5)):
    drawing = default_drawing(result)
    shapes = [drawing(result(t).q, t) for t in times]
    assert [s.kind for s in shapes[0]] == [s.kind for s in shapes[1]]
    return shapes[0], shapes[1]


def test_a_plane_shows_where_gaps_and_constraints_are_zero():
    system = go.System(
        [1.0, 1.0],
        [0.0, -G],
        [go.Holonomic("rod", lambda q, t: q[0] ** 2 + q[1] ** 2 - 1.0)],
        [go.Contact("wall", lambda q, t: q[0] + 0.2, 0.5)],
    )
    result = go.simulate(system, [0.8, -0.6], [0.0, 0.0], (0, 1))
    shapes, _ = kinds(result)
    (wall,) = (s for s in shapes if s.kind == "line" and s.contacts == ("wall",))
    assert_allclose(wall.points[:, 0], -0.2, atol=1e-9)
    rods = [s for s in shapes if s.kind == "line" and s.role == "string"]
    for rod in rods:
        assert_allclose(np.hypot(*rod.points.T), 1.0, atol=1e-3)
    assert rods
    assert_allclose(shapes[-1].points[0], [0.8, -0.6])


def test_a_zero_line_that_moves_is_drawn_where_it_is():
    system = go.System(
        [1.0, 1.0], [0, 0], contacts=[go.Contact("lid", lambda q, t: 1.5 - t - q[1])]
    )
    result = go.simulate(system, [0.0, 0.0], [1.0, 1.0], (0, 0.7))
    early, late = kinds(result, (0.65, 0.7))
    place = [s.kind == "line" and s.contacts == ("lid",) for s in late].index(True)
    assert_allclose(late[place].points[:, 1], 0.8, atol=1e-9)
    assert early[place].points.shape == late[place].points.shape
    shoot(result, default_drawing(result), frames_per_second=10)


def test_a_track_shows_where_gaps_are_zero():
    system = go.System(
        [1.0],
        [-G],
        contacts=[
            go.Contact("floor", lambda q, t: q[0], 0.5),
            go.Contact("table", lambda q, t: q[0] + 1e-3, 0.5),
            go.Contact("racket", lambda q, t: q[0] + 0.4 - 0.1 * q[0] ** 2, 0.5),
        ],
        coordinates=["height"],
    )
    result = go.simulate(system, [1.0], [0.0], (0, 1))
    shapes, _ = kinds(result)
    marks = [s for s in shapes if s.kind == "line" and s.role == "ground"]
    assert_allclose([s.points[0, 1] for s in marks if s.contacts == ("floor",)], [0.0], atol=1e-12)
    words = [s.text for s in shapes if s.kind == "text"]
    assert "table, floor" in words
    assert "height" in words


def test_many_coordinates_are_beads_with_names():
    names = [f"angle {i}" for i in range(30)]
    system = go.System(np.ones(30), lambda q, v, t: -q, coordinates=names)
    result = go.simulate(system, np.linspace(0, 1, 30), np.zeros(30), (0, 1))
    shapes, _ = kinds(result)
    words = [s.text for s in shapes if s.kind == "text"]
    assert words[:2] == ["angle 0", "angle 1"]
    assert "and 6 more coordinates" in words
    heights = [s.points[0, 1] for s in shapes if s.kind == "dot"]
    assert len(heights) == 24
    assert_allclose(heights[1:], 1.0)


def test_a_result_from_a_file_is_animated_with_points_only(ball, tmp_path):
    ball.save(tmp_path / "ball.npz")
    loaded = go.load(tmp_path / "ball.npz")
    shapes, _ = kinds(loaded)
    assert not [s for s in shapes if s.kind == "line" and s.role != "ghost"]
    path = loaded.animate(tmp_path / "ball.gif", max_frames=4, dpi=40, dark=True)
    with Image.open(path) as image:
        assert image.n_frames == 4
