"""Tolerances of pictures: what is too small to be seen, or must not be magnified."""

from __future__ import annotations

from .table import Room

_viz = Room("viz")

FLAT_CURVE = _viz(
    "FLAT_CURVE",
    1e-6,
    "the largest value shown",
    "a curve that varies less is drawn flat, so that its round-off is not magnified",
)
STILL_COORDINATE = _viz(
    "STILL_COORDINATE",
    1e-9,
    "the largest value of the coordinate",
    "a coordinate that varies less does not move, and is drawn with room around it, as is "
    "a gap that is smaller",
)
POINT_SCENE = _viz(
    "POINT_SCENE",
    1e-12,
    "nothing (in the units of the scene)",
    "the least size of a scene: that of a point that does not move",
)
DRAWN_ZERO = _viz(
    "DRAWN_ZERO",
    1e-18,
    "nothing (a relative residual)",
    "a smaller residual, such as an exact zero, is drawn here on a logarithmic axis",
)
HIGHEST_RESIDUAL = _viz(
    "HIGHEST_RESIDUAL",
    1e-8,
    "nothing (a relative residual)",
    "the axis of residuals reaches at least as high",
)
DRAWN_FINENESS = _viz(
    "DRAWN_FINENESS",
    1e-4,
    "the size of the scene",
    "the coordinates of a film in a report are rounded to about this",
)
