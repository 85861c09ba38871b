"""A system as a program: everything that a compiled engine needs, in arrays that nobody changes.

It has one tape for the smooth part (mass, force, kinematics, equality rows), and for each contact
and each velocity limit two: one for the row at a state, one for its value with its first and second
time derivative along the motion, by which it is proved that no zero is missed. Rows of one form,
such as the distances of many pairs of discs, share their tapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import NamedTuple

from ...base.arrays import Array
from .tape import Integers

__all__ = ["Arrays", "Holds", "MassKind", "Program"]


class MassKind(IntEnum):
    """How the mass is given."""

    DIAGONAL = 0
    CONSTANT = 1
    FUNCTION = 2


class Holds(IntFlag):
    """What an equality row holds; a servo holds neither."""

    POSITION = 1
    VELOCITY = 2
    ON_VELOCITY = 4


class Arrays(NamedTuple):
    """The arrays of a program, in the order in which the engine takes them.

    Attributes
    ----------
    header : (11,) array of int32
        nq, nv, parameters, equality rows, contacts, velocity limits, watched functions, kind of the
        mass, whether q' = N v, tapes, the tape that says whether a step is smooth (0: it is).
    tapes : (tapes, 8) array of int32
        First instruction, instructions, those of the first output, numbers in between, inputs,
        outputs, first constant, constants. The first tape is the smooth part.
    code : (k, 4) array of int32
    constants : array
    starts, columns : arrays of int32
        Where each equality row begins among its entries, and their columns.
    kinds : array of int32
        :class:`Holds` of each equality row.
    pair_starts, pairs : arrays of int32
        For each equality row the rows up to it that have a column in common with it.
    functions : (f, 8) array of int32
        Of each contact, limit and watched function: tape of the row, first index and number of its
        coordinates, first index and number of its columns, tape of the guard, first index and
        number of its coordinates.
    indices : array of int32
    mass : (nv, nv) array
        Where it is constant.
    """

    header: Integers
    tapes: Integers
    code: Integers
    constants: Array
    starts: Integers
    columns: Integers
    kinds: Integers
    pair_starts: Integers
    pairs: Integers
    functions: Integers
    indices: Integers
    mass: Array


@dataclass(frozen=True, eq=False)
class Program:
    """A system for a compiled engine.

    Attributes
    ----------
    arrays : Arrays
    nq, nv, m : int
        Positions, velocities, rows of constraints.
    """

    arrays: Arrays
    nq: int
    nv: int
    m: int
