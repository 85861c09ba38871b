"""Shapes: what a drawing is made of."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import gauss_opt as go
from gauss_opt.viz import scene


def test_a_spring_ends_where_it_is_told_whatever_its_length():
    for end in ([2.0, 1.0], [0.1, 0.0], [0.0, 0.0]):
        points = scene.spring([0.0, 0.0], end).points
        assert_allclose(points[0], [0.0, 0.0])
        assert_allclose(points[-1], end)
        assert len(points) == len(scene.spring([0, 0], [1, 0]).points)


def test_ground_is_solid_on_the_right():
    points = scene.ground([0.0, 0.0], [2.0, 0.0], depth=0.1).points
    assert points[:, 1].min() == pytest.approx(-0.1)
    assert points[:, 1].max() == 0.0
    wall = scene.ground([1.0, 0.0], [1.0, 2.0], depth=0.1).points  # going up, solid to the right
    assert wall[:, 0].max() == pytest.approx(1.1)


def test_contacts_may_be_one_name_or_several():
    assert scene.dot([0, 0], contacts="floor").contacts == ("floor",)
    assert scene.dot([0, 0], contacts=["floor", "wall"]).contacts == ("floor", "wall")


def test_an_unknown_role_lists_the_known_ones():
    with pytest.raises(go.InputError, match="no role is called 'blue'; choose from: body, second"):
        scene.dot([0, 0], role="blue")


def test_a_point_that_is_not_finite_is_refused():
    with pytest.raises(go.InputError, match="not finite"):
        scene.line([[0.0, 0.0], [np.nan, 1.0]])


def test_the_ground_is_solid_on_the_side_that_is_asked_for():
    floor = scene.ground([0.0, 0.0], [1.0, 0.0], depth=0.1)
    ceiling = scene.ground([0.0, 0.0], [1.0, 0.0], depth=0.1, solid="left")
    assert (floor.points[2:, 1] == -0.1).all()
    assert (ceiling.points[2:, 1] == 0.1).all()
    with pytest.raises(go.InputError, match="solid must be 'right' or 'left', got 'up'"):
        scene.ground([0.0, 0.0], [1.0, 0.0], solid="up")


def test_a_pivot_stands_with_its_tip_at_the_pin_and_turns():
    for angle in (0.0, 1.0, np.pi):
        tip, left, right = scene.pivot([2.0, 3.0], 0.5, angle=angle).points
        down = 0.5 * (left + right) - tip
        assert_allclose(tip, [2.0, 3.0])
        assert_allclose(down, 0.5 * np.array([np.sin(angle), -np.cos(angle)]), atol=1e-15)
        assert abs(down @ (right - left)) < 1e-12
