"""A force that jumps where the run is, such as one with the sign of a velocity.

The motion with such a force may have no solution beyond: to both sides of the jump the force leads
back to it. An integrator then goes to and fro across it with ever smaller steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ....base.arrays import Array
from ....base.errors import GaussError
from ....mechanics.flow import Flow
from ..present import Present
from ..segment import flow_of

__all__ = ["ForceJump", "chatter", "coordinate", "jump_on_the_way", "velocity"]

FEWEST_STEPS = 12  # to look back on
CROSSINGS = 8  # of one jump in the steps looked back on: chatter
STEPS_LEFT = 20_000  # a run that needs fewer of them gets through anyway
BISECTIONS = 60
REMAINS = 0.5  # of a change, between states that are next to each other: a jump
ASKED_EVERY = 512  # steps
AHEAD = 4  # steps
POLE = 100.0  # a jump that grows so much when looked at closely is none


@dataclass(frozen=True)
class ForceJump:
    """A jump of the acceleration between two states that are next to each other.

    Attributes
    ----------
    what : str
        The acceleration that jumps.
    low, high : float
        Its values on both sides.
    where : str
        What decides on the side.
    crossings : int
        How often the last steps crossed it.
    by_velocity : bool
        Whether it depends on velocities.
    """

    what: str
    low: float
    high: float
    where: str
    crossings: int
    by_velocity: bool

    def __str__(self) -> str:
        text = (
            f"a force jumps: the acceleration of {self.what} is {self.low:.6g} on one side and "
            f"{self.high:.6g} on the other {self.where}"
        )
        if not self.by_velocity:
            return f"{text}. Make it smooth, or give the time of the jump as breakpoints="
        return (
            f"{text}. A force such as np.sign(v) cannot hold a body at rest. Dry friction takes a "
            f"law that can stick (friction= of a Contact, docs/friction.md); or make the force "
            f"smooth, such as np.tanh(v / small)"
        )


def chatter(present: Present, step: float) -> ForceJump | None:
    """The jump that a run goes to and fro across for good, if it does; asked now and then.

    Parameters
    ----------
    present : Present
    step : float
        Size of the last steps.
    """
    context, now = present.context, present.now
    if context.stats.steps % ASKED_EVERY or len(present.state.recent) < FEWEST_STEPS:
        return None
    if context.settings.t1 - now.t < STEPS_LEFT * step:
        return None
    jump = jump_on_the_way(present)
    return jump if jump is not None and jump.crossings >= CROSSINGS else None


def jump_on_the_way(present: Present) -> ForceJump | None:
    """The largest jump of an acceleration along the last steps, if there is one."""
    recent = present.state.recent
    if len(recent) < 2:
        return None
    flow = flow_of(present.context, present.state.status)
    times = np.array([piece.t1 for piece in recent])
    states = np.array([piece.values[-1] for piece in recent])
    ahead = times[-1] - recent[-AHEAD:][0].t0  # a run may be stuck just before the jump
    try:
        times = np.append(times, times[-1] + ahead)
        states = np.vstack([states, states[-1] + ahead * flow(times[-2], states[-1])])
        return _largest_jump(present, flow, times, states)
    except (GaussError, ArithmeticError, np.linalg.LinAlgError):
        return None  # a diagnosis must not fail where the run does


def _largest_jump(present: Present, flow: Flow, times: Array, states: Array) -> ForceJump | None:
    nq = len(present.now.q)
    slopes = np.array([flow(t, y)[nq:] for t, y in zip(times, states, strict=True)])
    changes = np.abs(np.diff(slopes, axis=0))
    if not changes.any():
        return None
    step, place = np.unravel_index(int(changes.argmax()), changes.shape)
    before = (float(times[step]), states[step])
    after = (float(times[step + 1]), states[step + 1])
    low, high = float(slopes[step, place]), float(slopes[step + 1, place])
    sides = _closest(flow, before, after, nq + int(place))
    if not REMAINS <= abs(sides[1] - sides[0]) / abs(high - low) <= POLE:
        return None
    middle = 0.5 * (low + high)
    crossings = int(np.count_nonzero(np.diff(np.sign(slopes[:, place] - middle))))
    where, by_velocity = _where(present, flow, before, after, int(place))
    what = coordinate(present, int(place))
    return ForceJump(what, min(sides), max(sides), where, crossings, by_velocity)


State = tuple[float, Array]


def _closest(flow: Flow, a: State, b: State, place: int) -> tuple[float, float]:
    """An acceleration on both sides of its largest change between two states."""
    (ta, ya), (tb, yb) = a, b
    fa, fb = float(flow(ta, ya)[place]), float(flow(tb, yb)[place])
    for _ in range(BISECTIONS):
        t, y = 0.5 * (ta + tb), 0.5 * (ya + yb)
        if np.array_equal(y, ya) or np.array_equal(y, yb):
            break
        f = float(flow(t, y)[place])
        if abs(f - fa) >= abs(fb - f):
            tb, yb, fb = t, y, f
        else:
            ta, ya, fa = t, y, f
    return fa, fb


def _where(present: Present, flow: Flow, a: State, b: State, place: int) -> tuple[str, bool]:
    """What decides on the side of a jump: a velocity that changes its sign, if there is one."""
    nq = len(present.now.q)
    (t, ya), (_, yb) = a, b
    here = np.concatenate([ya[:nq], yb[nq:]])  # the velocities of the other state only
    whole = flow(b[0], yb)[nq + place] - flow(t, ya)[nq + place]
    part = flow(t, here)[nq + place] - flow(t, ya)[nq + place]
    if abs(part) < REMAINS * abs(whole):
        return "of a place, or a moment, that the last steps have passed", False
    for i in range(len(ya) - nq):
        if np.sign(ya[nq + i]) == np.sign(yb[nq + i]):
            continue
        one = ya.copy()
        one[nq + i] = yb[nq + i]
        if abs(flow(t, one)[nq + place] - flow(t, ya)[nq + place]) >= REMAINS * abs(whole):
            return f"of {velocity(present, i)} = 0", True
    return "of a relation between velocities", True


def coordinate(present: Present, i: int) -> str:
    """The coordinate of a velocity, in words."""
    if len(present.now.q) != len(present.now.v):
        return f"v[{i}]"
    name = present.context.system.coordinate_name(i)
    return name if present.context.system.coordinates is None else repr(name)


def velocity(present: Present, i: int) -> str:
    """A velocity in words."""
    if present.context.system.coordinates is None or len(present.now.q) != len(present.now.v):
        return f"v[{i}]"
    return f"the velocity of {coordinate(present, i)}"
