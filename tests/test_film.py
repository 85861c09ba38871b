"""Films: shapes at evenly spaced times, flashes at impacts, everything in view."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go
from gauss_opt.viz.film import FLASH, shoot

G = 9.81


@pytest.fixture(scope="module")
def ball():
    floor = go.Contact("floor", lambda q, t: q[1], 0.8)
    system = go.System([1.0, 1.0], [0.0, -G], contacts=[floor])
    return go.simulate(system, [0.0, 1.0], [0.5, 0.0], (0, 2))


def draw(q, t):
    return [
        go.scene.ground([0, 0], [1, 0], contacts="floor"),
        go.scene.disc(q, 0.1),
        go.scene.text([0.5, 1.0], "ball"),
    ]


def test_frames_are_evenly_spaced_and_on_the_motion(ball):
    film = shoot(ball, draw, speed=0.5, frames_per_second=10)
    assert_allclose(film.times, np.linspace(0, 2, 41))
    assert film.frames_per_second == pytest.approx(10)
    for k in (0, 7, 40):
        assert_allclose(film.points[1][k, 0], ball(float(film.times[k])).q)


def test_the_number_of_frames_is_limited(ball):
    film = shoot(ball, draw, max_frames=11)
    assert len(film.times) == 11
    assert film.frames_per_second == pytest.approx(5)


def test_shapes_flash_at_impacts_of_their_contacts_only(ball):
    film = shoot(ball, draw, frames_per_second=100)
    impact = ball.events[0].t
    first = int(np.searchsorted(film.times, impact))
    assert film.flashes[first - 1, 0] == 0.0
    assert film.flashes[first, 0] > 0.9
    assert film.flashes[film.times > impact + FLASH, 0][0] == 0.0
    assert not film.flashes[:, 1:].any()


def test_every_impact_is_seen_however_few_the_frames(ball):
    film = shoot(ball, draw, max_frames=5)
    first = int(np.searchsorted(film.times, ball.events[0].t))
    assert film.flashes[first, 0] > 0.0


def test_everything_is_in_view(ball):
    film = shoot(ball, draw)
    left, right, bottom, top = film.bounds
    assert left < -0.1
    assert right > 1.1
    assert bottom < -0.08
    assert top > 1.1


def test_a_drawing_with_changing_shapes_is_refused(ball):
    def other_kinds(q, t):
        return draw(q, t)[: 3 if t < 1 else 2]

    def other_sizes(q, t):
        return [go.scene.line([q] * (2 if t < 1 else 3))]

    with pytest.raises(go.InputError, match="same kinds in the same order"):
        shoot(ball, other_kinds)
    with pytest.raises(go.InputError, match="line 0 of the drawing has 3 points at t = 1"):
        shoot(ball, other_sizes, frames_per_second=10)


def test_unusable_speeds_are_refused(ball):
    for options in ({"speed": 0.0}, {"speed": np.nan}, {"frames_per_second": -1}):
        with pytest.raises(go.InputError, match="must be positive"):
            shoot(ball, draw, **options)
    with pytest.raises(go.InputError, match="max_frames"):
        shoot(ball, draw, max_frames=1)


def test_an_empty_drawing_is_an_empty_film(ball):
    film = shoot(ball, lambda q, t: [], frames_per_second=5)
    assert film.points == ()
    assert film.flashes.shape == (11, 0)
