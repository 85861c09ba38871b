"""A drawing of a mechanism from its shapes: bodies, joints, springs, walls, contact forces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.arrays import Array
from ..results.result import Result
from ..viz import scene
from ..viz.scene import Drawing
from .arrows import force_arrows
from .bodies import Body, Point
from .forces.springs import Spring
from .posture import Posture, turned
from .shapes.round_shapes import Capsule, Disc, Dot, InnerDisc
from .shapes.shape import Shape
from .shapes.straight_shapes import HalfPlane

if TYPE_CHECKING:
    from .mechanism import Mechanism

__all__ = ["Reach", "drawing_of"]

ROLES = ("body", "second", "third", "accent")
SAMPLES = 100  # states of a result that decide how far walls are drawn
ROOM = 0.15  # around everything, as part of its size
RIM = np.linspace(0.0, 2.0 * np.pi, 65)

Reach = Sequence[float]


def drawing_of(
    mechanism: Mechanism, result: Result | None = None, reach: Reach | None = None
) -> Drawing:
    """The shapes of all parts as a function of (q, t).

    Parameters
    ----------
    reach : (left, right, bottom, top), optional
        How far half planes are drawn; around the motion of the result when left out.
    """
    box = _reach(mechanism, result) if reach is None else np.asarray(reach, dtype=float)
    size = float(np.hypot(box[1] - box[0], box[3] - box[2])) or 1.0
    names = mechanism.contact_names()
    arrows = force_arrows(mechanism, result, 0.15 * size) if result is not None else None

    def draw(q: Array, t: float) -> list[scene.Shape]:
        p = Posture(q, None, t)
        shapes = list(_bodies(mechanism, p, box, size, names))
        shapes += _connections(mechanism, p, size)
        if arrows is not None:
            shapes += arrows(q, t)
        return shapes

    return draw


def _reach(mechanism: Mechanism, result: Result | None) -> Array:
    """Left, right, bottom and top of everything that has an end, with room around it."""
    places: list[Array] = [np.zeros((1, 2))]
    if result is None:
        states = [(np.zeros(len(mechanism.system.coordinates or ())), 0.0)]
        for body in mechanism.bodies:
            if body.moves and body.drawn is not None:
                states[0][0][body.slots] = body.drawn[: body.size]
    else:
        chosen = np.linspace(0, len(result.t) - 1, SAMPLES).round().astype(int)
        states = [(result.q[k], float(result.t[k])) for k in np.unique(chosen)]
    for q, t in states:
        p = Posture(q, None, t)
        for body in mechanism.bodies:
            places += [_world(p, body, shape.outline()) for shape in body.shapes]
        for joint in mechanism.joints:
            places += [np.array([p.at(point)], dtype=float) for point in joint.ends]
    every = np.concatenate(places)
    low, high = every.min(axis=0), every.max(axis=0)
    room = ROOM * max(float((high - low).max()), 1e-3)
    return np.array([low[0] - room, high[0] + room, low[1] - room, high[1] + room])


def _world(p: Posture, body: Body, outline: Array) -> Array:
    """Points of a body in the world."""
    if not len(outline):
        return outline
    x, y, angle = (float(part) for part in p.place(body))
    cx, cy = body.mass_center
    rx, ry = turned((outline[:, 0] - cx, outline[:, 1] - cy), angle)
    return np.stack([x + rx, y + ry], axis=1)


def _bodies(
    mechanism: Mechanism, p: Posture, box: Array, size: float, names: dict[str, tuple[str, ...]]
) -> Iterator[scene.Shape]:
    """Bodies that are given first, then those that move."""
    given = [body for body in mechanism.bodies if not body.moves]
    for body in given:
        for shape in body.shapes:
            yield from _fixed(p, body, shape, box, size, names.get(body.name, ()))
    for joint in mechanism.joints:
        if joint.kind == "stop":
            yield from _stop(joint, size)
    moving = [body for body in mechanism.bodies if body.moves]
    for k, body in enumerate(moving):
        role = ROLES[k % len(ROLES)]
        for shape in body.shapes:
            yield _moving(p, body, shape, role, names.get(body.name, ()))
        if any(isinstance(shape, Disc) for shape in body.shapes) and body.size == 3:
            yield _spoke(p, body)


def _fixed(
    p: Posture, body: Body, shape: Shape, box: Array, size: float, contacts: tuple[str, ...]
) -> Iterator[scene.Shape]:
    if isinstance(shape, HalfPlane):
        x, y, angle = (float(part) for part in p.place(body))
        normal = np.array(turned(shape.normal, angle))
        surface = np.array([x, y]) + np.array(turned(shape.points()["surface"], angle))
        yield _wall(surface, normal, box, 0.03 * size, contacts)
    elif isinstance(shape, InnerDisc):
        yield scene.line(_circle(p, body, shape), "ground", 3.0, contacts=contacts)
    elif isinstance(shape, Dot):
        yield scene.dot(_world(p, body, shape.outline()), "ground", contacts=contacts)
    elif isinstance(shape, Disc):
        place = _world(p, body, np.array([shape.center]))
        yield scene.disc(place, shape.radius, "ground", contacts=contacts)
    elif isinstance(shape, Capsule) and not shape.radius:
        yield scene.line(_world(p, body, shape.outline()), "ground", 3.0, contacts=contacts)
    else:
        yield scene.polygon(_world(p, body, shape.outline()), "ground", contacts=contacts)


def _wall(
    surface: Array, normal: Array, box: Array, depth: float, contacts: tuple[str, ...]
) -> scene.Shape:
    """A strip of a half plane, as long as everything in view."""
    along = np.array([normal[1], -normal[0]])  # what is solid is on its right
    corners = np.array([[x, y] for x in box[:2] for y in box[2:]])
    stations = (corners - surface) @ along
    a, b = surface + along * stations.min(), surface + along * stations.max()
    return scene.ground(a, b, depth=depth, contacts=contacts)


def _stop(joint: Any, size: float) -> Iterator[scene.Shape]:
    wall = joint.wall
    if wall is None:
        return
    normal, surface = np.array(wall.normal), np.array(wall.points()["surface"])
    along = np.array([normal[1], -normal[0]])
    reach = 0.08 * size
    names = tuple(item.name for item in joint.constraints)
    yield scene.ground(
        surface - reach * along, surface + reach * along, depth=0.03 * size, contacts=names
    )


def _moving(
    p: Posture, body: Body, shape: Shape, role: str, contacts: tuple[str, ...]
) -> scene.Shape:
    if isinstance(shape, Dot):
        return scene.dot(_world(p, body, shape.outline()), role, contacts=contacts)
    if isinstance(shape, InnerDisc):
        return scene.line(_circle(p, body, shape), role, 3.0, contacts=contacts)
    if isinstance(shape, Disc):
        place = _world(p, body, np.array([shape.center]))
        return scene.disc(place, shape.radius, role, contacts=contacts)
    if isinstance(shape, Capsule) and not shape.radius:
        return scene.line(_world(p, body, shape.outline()), role, 6.0, contacts=contacts)
    return scene.polygon(_world(p, body, shape.outline()), role, contacts=contacts)


def _circle(p: Posture, body: Body, shape: Disc) -> Array:
    rim = np.array(shape.center) + shape.radius * np.stack([np.cos(RIM), np.sin(RIM)], axis=1)
    return _world(p, body, rim)


def _spoke(p: Posture, body: Body) -> scene.Shape:
    """A radius that shows how a disc turns."""
    disc = next(shape for shape in body.shapes if isinstance(shape, Disc))
    x, y = disc.center
    ends = _world(p, body, np.array([[x, y], [x + disc.radius, y]]))
    return scene.line(ends, "string", 1.0)


def _connections(mechanism: Mechanism, p: Posture, size: float) -> Iterator[scene.Shape]:
    """Springs, strings, rods and pins, on top of the bodies."""
    for force in mechanism.forces:
        if isinstance(force, Spring):
            yield scene.spring(_at(p, force.a), _at(p, force.b), width=0.015 * size)
    for joint in mechanism.joints:
        ends = [_at(p, point) for point in joint.ends]
        if joint.kind in ("string", "rod"):
            yield scene.line(ends, "string", 1.5)
        elif joint.kind in ("pin", "weld", "slider", "prismatic"):
            yield scene.dot(ends[-1], "string", 4.0)


def _at(p: Posture, point: Point) -> Array:
    return np.array([float(part) for part in p.at(point)])
