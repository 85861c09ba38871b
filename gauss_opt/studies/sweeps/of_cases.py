"""A sweep over parameters of a case: which names are swept, and how each point is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...base.errors import InputError, SimulationError
from ..case import Case, Setup
from ..case_files import find_case

__all__ = ["CaseBuild", "CaseMeasure", "Ready", "parsed_axis"]


@dataclass(frozen=True)
class Ready:
    """A case and what it simulates."""

    case: Case
    setup: Setup


@dataclass(frozen=True)
class CaseBuild:
    """Makes a case from the parameters that are swept and those that are not.

    Attributes
    ----------
    name : str
        Name of the case, or path of its file.
    fixed : mapping
        Parameters that are the same at every point.
    """

    name: str
    fixed: Mapping[str, Any]

    def __call__(self, **swept: Any) -> Ready:
        case = find_case(self.name).create({**self.fixed, **swept})
        return Ready(case, case.build())


@dataclass(frozen=True)
class CaseMeasure:
    """Runs a case and takes what it measures; a run that did not succeed has no row of numbers.

    Attributes
    ----------
    options : mapping
        Options of simulate.
    """

    options: Mapping[str, Any]

    def __call__(self, ready: Ready) -> Mapping[str, Any]:
        result = ready.setup.run(**{"law": ready.case.laws[0], **self.options})
        if not result.success:
            raise SimulationError(result.message)
        return ready.case.measure(result)


def parsed_axis(name: str, words: str) -> list[float] | None:
    """Values of ``a:b:n`` (evenly spaced) or ``a:b:n:log``; None where it is no range.

    >>> parsed_axis("e", "0:1:3"), parsed_axis("k", "1:100:3:log"), parsed_axis("e", "0.5")
    ([0.0, 0.5, 1.0], [1.0, 10.0, 100.0], None)
    """
    parts = words.split(":")
    if len(parts) == 1:
        return None
    try:
        low, high, count = float(parts[0]), float(parts[1]), int(parts[2])
        if len(parts) > 4 or count < 1 or (len(parts) == 4 and parts[3] != "log"):
            raise ValueError
        if len(parts) == 3:
            return list(np.linspace(low, high, count).tolist())
        if not low * high > 0.0:
            raise ValueError
        return [float(f"{x:.15g}") for x in np.geomspace(low, high, count).tolist()]
    except (ValueError, IndexError) as error:
        raise InputError(
            f"parameter {name!r} is {words!r}; a range is written first:last:count, such as "
            f"0.1:0.9:17, or first:last:count:log with both ends of one sign"
        ) from error
