"""The case and the options named on the command line."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..base.errors import GaussError, InputError
from ..results.result import Result
from ..studies.case import Case, Setup
from ..studies.case_files import find_case

__all__ = ["Chosen", "choose", "from_words"]


@dataclass(frozen=True)
class Chosen:
    """A case with its parameters, and how to run it.

    Attributes
    ----------
    case : Case
    options : mapping
        Options of simulate that were asked for.
    t_end : float or None
        End time instead of the case's own.
    """

    case: Case
    options: Mapping[str, Any]
    t_end: float | None

    def setup(self) -> Setup:
        """What the case simulates; parameters that make no sense are refused in one sentence."""
        try:
            return self.case.build()
        except GaussError:
            raise
        except Exception as error:
            raise InputError(
                f"case {self.case.name()!r} cannot be built with these parameters: "
                f"{type(error).__name__}: {error}"
            ) from error

    def run(self, setup: Setup, *, progress: bool = False) -> Result:
        """Simulate."""
        options = {"law": self.case.laws[0], **self.options, "progress": progress}
        return setup.run(t_end=self.t_end, **options)

    def why_no_checks(self, setup: Setup) -> str:
        """Why the checks do not apply to this run; empty when they do."""
        law = self.options.get("law")
        if law is not None and law not in self.case.laws:
            return f"the checks hold for the law {' or '.join(self.case.laws)}, not for {law}"
        own = setup.t_span[1]
        if self.t_end is not None and self.t_end != own:
            return f"the checks hold for the case's own end, t = {own:.12g}, not for {self.t_end:g}"
        return ""


def choose(
    name: str,
    assignments: Sequence[str] = (),
    file: Path | None = None,
    *,
    t_end: float | None = None,
    **options: Any,
) -> Chosen:
    """A case by name or path; parameters on the command line override those in a file."""
    kind = find_case(name)
    values = {**_from_file(file), **from_words(assignments)}
    try:
        case = kind.create(values)
    except GaussError:
        raise
    except Exception as error:  # a check of its own that the case makes of its parameters
        raise InputError(
            f"case {kind.name()!r} does not accept these parameters: {error}"
        ) from error
    return Chosen(case, {k: v for k, v in options.items() if v is not None}, t_end)


def from_words(assignments: Sequence[str]) -> dict[str, str]:
    """Names and values out of words such as ``height=2``."""
    values = {}
    for words in assignments:
        name, equals, value = words.partition("=")
        if not equals or not name.strip():
            raise InputError(f"a parameter is given as name=value, got {words!r}")
        values[name.strip()] = value.strip()
    return values


def _from_file(path: Path | None) -> dict[str, Any]:
    if path is None:
        return {}
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a TOML file: {error}") from error
    for name, value in values.items():
        if isinstance(value, dict):
            raise InputError(f"{path} must be a flat table of parameters, but {name!r} is a table")
    return values
