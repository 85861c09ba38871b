"""Planar mechanisms: bodies, joints, forces and contact shapes, and their motion."""

from .bodies import Body, Point
from .forces.applied import Curve
from .freedom import Freedom
from .mechanism import Mechanism
from .quantities import Quantity, Rate, between, deg, distance
from .reactions import Impulse, Reaction
from .result import MechanismResult
from .shapes.round_shapes import Capsule, Disc, Dot, InnerDisc, Rod, Segment
from .shapes.straight_shapes import Box, HalfPlane, Line, Polygon
from .starts import Start

__all__ = [
    "Body",
    "Box",
    "Capsule",
    "Curve",
    "Disc",
    "Dot",
    "Freedom",
    "HalfPlane",
    "Impulse",
    "InnerDisc",
    "Line",
    "Mechanism",
    "MechanismResult",
    "Point",
    "Polygon",
    "Quantity",
    "Rate",
    "Reaction",
    "Rod",
    "Segment",
    "Start",
    "between",
    "deg",
    "distance",
]
