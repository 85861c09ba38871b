"""``run``: simulate a case, check it, and write its result, pictures and report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import RenderableType

from ..base.errors import SimulationError
from ..results.result import Result
from ..studies.case import Check
from .answer import Answer, Exit
from .choosing import Chosen
from .motion import checks_data, checks_table, events_table, result_data, summary
from .outputs import Written, write_outputs
from .tables import heading, literal, sentence

__all__ = ["run_case"]


@dataclass(frozen=True)
class Checked:
    """The checks of a run; or why there are none, or why they could not be run."""

    checks: Sequence[Check] = ()
    skipped: str = ""
    failure: str = ""

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not self.failure and all(check.ok for check in self.checks)


def run_case(
    chosen: Chosen,
    folder: Path,
    *,
    pictures: bool = True,
    animation: Path | None = None,
    speed: float | None = None,
    progress: bool = False,
) -> Answer:
    """Run a case; what it computed is written even when it failed."""
    case, setup = chosen.case, chosen.setup()
    failure = ""
    try:
        result = chosen.run(setup, progress=progress)
        failure = "" if result.success else result.message
    except SimulationError as error:
        if error.result is None:
            raise
        result, failure = error.result, str(error)
    skipped = f"the run did not succeed: {failure}" if failure else chosen.why_no_checks(setup)
    checked = Checked(skipped=skipped) if skipped else _check(chosen, result)
    written = write_outputs(
        result,
        case,
        folder,
        checks=checked.checks,
        pictures=pictures,
        animation=animation,
        speed=speed,
    )
    code = Exit.FAILED if failure else Exit.FINE if checked.ok else Exit.CHECK_FAILED
    warnings = list(written.warnings)
    if failure:
        warnings.insert(0, f"{failure}; the partial result is in {written.result}")
    elif checked.failure:
        warnings.insert(0, checked.failure)
    data = {
        "case": case.name(),
        "title": case.title(),
        "parameters": case.values,
        "ok": code is Exit.FINE,
        **result_data(result),
        "checks": checks_data(checked.checks),
        "checks_skipped": checked.skipped,
        "checks_failure": checked.failure,
        "files": written.files,
        "warnings": warnings,
    }
    return Answer(data, _shown(chosen, result, checked, written), code, warnings)


def _check(chosen: Chosen, result: Result) -> Checked:
    try:
        return Checked(tuple(chosen.case.check(result)))
    except NotImplementedError:
        return Checked(skipped="this case has no checks")
    except Exception as error:
        name = type(error).__name__
        return Checked(failure=f"the checks could not be run: {name}: {error}")


def _shown(
    chosen: Chosen, result: Result, checked: Checked, written: Written
) -> list[RenderableType]:
    case = chosen.case
    changed = {k: v for p in case.parameters() if (v := case.values[k := p.name]) != p.default}
    shown: list[RenderableType] = [heading(f"{case.name()}: {case.title()}")]
    if changed:
        shown.append(sentence("with " + ", ".join(f"{k} = {_word(v)}" for k, v in changed.items())))
    shown += [summary(result), *events_table(result.events), heading("Checks")]
    if checked.skipped:
        shown.append(sentence(f"Not run: {checked.skipped}.", "yellow"))
    elif checked.failure:
        shown.append(sentence(checked.failure, "bold red"))
    else:
        passed = sum(check.ok for check in checked.checks)
        shown += [
            checks_table(checked.checks),
            sentence(
                f"{passed} of {len(checked.checks)} within tolerance; reference: {case.reference}",
                "green" if checked.ok else "bold red",
            ),
        ]
    shown.append(heading("Files"))
    return [*shown, *(literal(path) for path in written.files)]


def _word(value: Any) -> str:
    return ",".join(f"{part:g}" for part in value) if isinstance(value, tuple) else str(value)
