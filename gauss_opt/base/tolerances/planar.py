"""Tolerances of planar mechanisms: shapes, starts and degrees of freedom."""

from __future__ import annotations

from .table import Room

_planar = Room("planar")

FLAT_POLYGON = _planar(
    "FLAT_POLYGON",
    1e-12,
    "the size of the polygon, squared",
    "a polygon of less area is flat, and a corner whose edges have a smaller cross product is none",
)
DEPENDENT_ROWS = _planar(
    "DEPENDENT_ROWS",
    1e-9,
    "the largest singular value of the rows of all joints, of unit length each",
    "a smaller singular value is a row that follows from the others, or a direction that is free",
)
TAKES_PART = _planar(
    "TAKES_PART",
    1e-6,
    "the largest entry of a free direction",
    "a coordinate that moves less does not take part in it",
)
CORNER_REACH = _planar(
    "CORNER_REACH",
    1e-9,
    "the length of the edge",
    "an edge reaches so far beyond its ends, so that corner stands on corner",
)
OVERLAP = _planar(
    "OVERLAP",
    1e-9,
    "the places and sizes of the two shapes",
    "shapes that are deeper in one another at the start overlap",
)
