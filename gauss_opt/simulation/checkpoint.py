"""A run put on disk so that it can go on after anything, with the same numbers to the last bit.

A file holds the result so far, the :class:`RunState`, and the active sets that the solver
remembers: forces that are not unique depend on the set that is tried first. A one-step method goes
on from its state and step size alone. Methods that remember more (LSODA, BDF, Radau) start afresh
at every checkpoint, in the interrupted run as in the resumed one.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ..base.arrays import Array
from ..base.errors import InputError
from ..base.frozen import frozen_deeply
from ..results.result import Result
from ..results.result_file import pack, read, unpack
from ..results.result_file import write as write_file
from .event_driven.stepper import Stepper
from .state_file import pack_state, unpack_state

__all__ = ["restore", "write"]

VERSION = 1  # of the state; that of the result beside it is its own
PREFIX = "state_"  # of the arrays of the state among those of the result


def write(stepper: Stepper, path: str | os.PathLike[str]) -> None:
    """Write a checkpoint: complete, or the old one stays."""
    state = stepper.freeze()
    arrays, header = pack(stepper.result())
    kept, header["checkpoint"] = pack_state(state)
    arrays |= {f"{PREFIX}{name}": array for name, array in kept.items()}
    header["checkpoint_version"] = VERSION
    header["active_sets"] = stepper.solver.remembered()
    arrays["start"] = np.concatenate([stepper.start.q, stepper.start.v])
    write_file(path, arrays, header)


def restore(stepper: Stepper, path: str | os.PathLike[str]) -> None:
    """Put a new stepper, made with the same arguments, where the checkpoint was written."""

    def fill(arrays: dict[str, Any], header: dict[str, Any]) -> None:
        if "checkpoint" not in header:
            raise InputError(f"{path} is a result, not a checkpoint: nothing to go on with")
        if header.get("checkpoint_version") != VERSION:
            raise InputError(
                f"{path} was written by another version of gauss_opt: it can be loaded as a "
                f"result, but not resumed"
            )
        result = Result(**unpack(arrays, header))
        _check_same(stepper, result, arrays["start"], path)
        kept = {k.removeprefix(PREFIX): a for k, a in arrays.items() if k.startswith(PREFIX)}
        state = unpack_state(kept, header["checkpoint"], stepper.start, stepper.settings)
        stepper.solver.recall(header["active_sets"])
        stepper.resume(state, result)

    read(path, fill)


def _check_same(
    stepper: Stepper, result: Result, began: Array, path: str | os.PathLike[str]
) -> None:
    asked = frozen_deeply({**stepper.settings.describe(), **stepper.solver.describe()})
    different = [k for k, value in asked.items() if result.settings.get(k) != value]
    start = np.concatenate([stepper.start.q, stepper.start.v])
    if not np.array_equal(start, began):
        different.append("the initial state")
    if result.row_names != stepper.layout.names:
        different.append("the constraints")
    if different:
        raise InputError(
            f"{path} is the checkpoint of another run: {', '.join(different)} differ. Resume with "
            f"the same system and options, or remove the file"
        )
