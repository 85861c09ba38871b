"""Why the compiled engine hands a run back; the order is that of ``native/engine.h``."""

from __future__ import annotations

from enum import IntEnum

__all__ = ["REASONS", "Code"]


class Code(IntEnum):
    """Why it returns. Wherever it is not done, the state is that of the last accepted step."""

    DONE = 0
    FULL = 1
    GRAZE = 2
    SMALL_STEP = 3
    RANK = 4
    CERTIFICATE = 5
    ACTIVE_SET = 6
    ACCUMULATION = 7
    NOT_FINITE = 8
    UNDECIDED = 9
    LIMIT_REACHED = 10
    IRREGULAR = 11
    JUMPED = 12
    MASS = 13
    MANY_ROWS = 14
    IDLE = 15
    RELEASE_FIRST = 16
    NO_HEADWAY = 17
    ENERGY_GAIN = 18
    NONLINEAR = 19
    RISEN = 20
    HIDDEN = 21


REASONS = {
    Code.GRAZE: "a contact that only touches",
    Code.SMALL_STEP: "a step that became too small",
    Code.RANK: "rows that are nearly dependent",
    Code.CERTIFICATE: "an answer whose certificate did not pass",
    Code.ACTIVE_SET: "an active set that is not unique",
    Code.ACCUMULATION: "impacts that may accumulate",
    Code.NOT_FINITE: "a function that is not finite",
    Code.UNDECIDED: "a function of which something could not be proved",
    Code.LIMIT_REACHED: "a velocity limit or a user event",
    Code.IRREGULAR: "a gap that may have a kink where it is zero",
    Code.JUMPED: "a constraint that is off by a jump",
    Code.MASS: "a mass that is nearly singular",
    Code.MANY_ROWS: "more contacts at once than it has room for",
    Code.IDLE: "a contact that rests without force",
    Code.RELEASE_FIRST: "a contact that may let go",
    Code.NO_HEADWAY: "an event where the last one was",
    Code.ENERGY_GAIN: "an impact that may raise the energy",
    Code.NONLINEAR: "a constraint that is nonlinear in the velocity",
    Code.RISEN: "a contact that is turned by its acceleration",
    Code.HIDDEN: "a step that may have passed over something",
}
"""Each reason as the thing that the reference stepper took care of."""
