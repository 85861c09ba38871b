"""A run put on disk so that it can go on after anything, with the same numbers to the last bit.

A file holds the result so far, the :class:`RunState`, and the active sets that the solver
remembers: forces that are not unique depend on the set that is tried first. It grows by what is
new, so that a checkpoint late in a long run takes no longer than an early one. A one-step method
goes on from its state and step size alone. Methods that remember more (LSODA, BDF, Radau) start
afresh at every checkpoint, in the interrupted run as in the resumed one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..base.errors import InputError
from ..base.frozen import frozen_deeply
from ..base.record_file import append_record, begin_records, has_records, pack_record, read_records
from ..model.fingerprint import fingerprint, function_fingerprint
from ..results.files.growing import pack_part, together
from ..results.files.result_file import explained, read, unpack, versions
from ..results.recorder import Mark
from ..results.result import Result
from .event_driven.stepper import Stepper
from .state_file import pack_state, unpack_state

__all__ = ["Checkpoint"]

STATE_VERSION = 2  # of the state; that of the result beside it is its own
PREFIX = "state_"  # of the arrays of the state among those of the result
CHECK_SUMS = ("trace ", "values ", "numbers ")  # of fingerprints: nothing to read for anyone


class Checkpoint:
    """The file in which a run is kept.

    Parameters
    ----------
    path : path
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._end: int | None = None  # of the last whole record, once there is one of this run
        self._mark = Mark()

    def write(self, stepper: Stepper) -> None:
        """Keep the run as it is now: all that is new since the last time, or the old one stays."""
        if self._end is not None and not self._still_there(self._end):
            self._end, self._mark = None, Mark()
        state, first = stepper.freeze(), self._end is None
        arrays, header = pack_part(stepper.result(since=self._mark), first=first)
        kept, header["checkpoint"] = pack_state(state)
        arrays |= {f"{PREFIX}{name}": array for name, array in kept.items()}
        header["active_sets"] = stepper.solver.remembered()
        if first:
            header["checkpoint_version"] = STATE_VERSION
            header["fingerprint"] = _fingerprint(stepper)
            arrays["start"] = np.concatenate([stepper.start.q, stepper.start.v])
        record = pack_record(arrays, header)
        if self._end is None:
            self._end = begin_records(self.path, record)
        else:
            self._end = append_record(self.path, self._end, record)
        self._mark = stepper.mark

    def _still_there(self, end: int) -> bool:
        return self.path.is_file() and self.path.stat().st_size >= end

    def restore(self, stepper: Stepper) -> None:
        """Put a new stepper, made with the same arguments, where the file was last written."""
        if not has_records(self.path):
            self._refuse()
        records, end = read_records(self.path)
        with explained(self.path):
            first_arrays, first = records[0]
            if first.get("checkpoint_version") != STATE_VERSION:
                raise InputError(self._other_version())
            arrays, header = together(records)
            result = Result(**unpack(arrays, header))
            self._require_same(stepper, result, first_arrays["start"], first)
            kept = {k.removeprefix(PREFIX): a for k, a in arrays.items() if k.startswith(PREFIX)}
            state = unpack_state(kept, header["checkpoint"], stepper.start, stepper.settings)
            stepper.solver.recall(header["active_sets"])
            stepper.resume(state, result)
        self._end, self._mark = end, stepper.mark

    def _refuse(self) -> None:
        """Say what a file is that is no checkpoint of today."""

        def look(arrays: dict[str, Any], header: dict[str, Any]) -> str:
            if "checkpoint" in header:
                return self._other_version()
            return f"{self.path} is a result, not a checkpoint: nothing to go on with"

        raise InputError(read(self.path, look))

    def _other_version(self) -> str:
        return (
            f"{self.path} was written by another version of gauss_opt: it can be loaded as a "
            f"result, but not resumed"
        )

    def _require_same(
        self, stepper: Stepper, result: Result, began: Any, first: Mapping[str, Any]
    ) -> None:
        asked = frozen_deeply({**stepper.settings.describe(), **stepper.solver.describe()})
        different = [k for k, value in asked.items() if result.settings.get(k) != value]
        start = np.concatenate([stepper.start.q, stepper.start.v])
        if not np.array_equal(start, began):
            different.append("the initial state")
        if result.row_names != stepper.layout.names:
            different.append("the constraints")
        else:
            different += _differences(dict(first["fingerprint"]), _fingerprint(stepper))
        if different:
            raise InputError(
                f"{self.path} is the checkpoint of another run: {', '.join(different)} differ. "
                f"Resume with the same system and options, or remove the file{_tool(first)}"
            )


def _fingerprint(stepper: Stepper) -> dict[str, str]:
    """What the system and the user events are."""
    nq, nv = len(stepper.start.q), len(stepper.start.v)
    found = fingerprint(stepper.system, nq, nv)
    for event in stepper.settings.events:
        label = f"the user event {event.name!r}"
        found[label] = function_fingerprint(label, event.function, nq, nv)
    return found


def _differences(there: Mapping[str, str], here: Mapping[str, str]) -> list[str]:
    """What is different, with both values where they are short."""
    found = []
    for name in dict.fromkeys([*there, *here]):
        one, other = str(there.get(name, "none")), str(here.get(name, "none"))
        if one != other:
            in_sums = one.startswith(CHECK_SUMS) or other.startswith(CHECK_SUMS)
            found.append(name if in_sums else f"{name} ({one} there, {other} here)")
    return found


def _tool(first: Mapping[str, Any]) -> str:
    """A word on traces of another version of CasADi, which can differ for the same function."""
    there, here = first["versions"].get("casadi"), versions().get("casadi")
    if there == here:
        return ""
    return f" (it was written with CasADi {there}, and this is {here}: traces may differ for that)"
