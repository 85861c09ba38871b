"""All cases beside their references: the table that shows the numbers are right."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import perf_counter

from ..base.errors import GaussError
from ..base.tolerances.studies import SAME_EVENT
from ..base.words import html
from .case import Case, Check
from .case_files import case_names, find_case
from .check import table_of
from .every_qp import EveryQp

__all__ = ["Validation", "Validations", "markdown", "validate"]


@dataclass(frozen=True)
class Validation:
    """One case with its checks.

    Attributes
    ----------
    case : Case
    checks : tuple of Check
    seconds : float
        Wall time of the run and its checks.
    failure : str
        Why it could not be run or checked, if so.
    """

    case: Case
    checks: tuple[Check, ...]
    seconds: float
    failure: str = ""

    @property
    def ok(self) -> bool:
        """Whether it ran and every figure is within its tolerance."""
        return not self.failure and bool(self.checks) and all(check.ok for check in self.checks)

    def __str__(self) -> str:
        right = sum(check.ok for check in self.checks)
        verdict = self.failure or f"{right} of {len(self.checks)} figures within tolerance"
        return f"{'ok' if self.ok else 'FAILED'}: {self.case.name()}: {verdict}"

    def _repr_html_(self) -> str:
        return f"<div>{html.heading(str(self))}{table_of(self.checks)}</div>"


class Validations(tuple[Validation, ...]):
    """Cases with their checks; a notebook shows one table for each."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        return f"<div>{''.join(validation._repr_html_() for validation in self)}</div>"


def validate(
    names: Iterable[str] | None = None, report: Callable[[Validation], object] | None = None
) -> Validations:
    """Run cases at their defaults and compare every figure with its reference.

    Parameters
    ----------
    names : iterable of str, optional
        Cases; all of them by default.
    report : callable, optional
        Called with each :class:`Validation` as it is done.

    Examples
    --------
    >>> (ball,) = validate(["bouncing_ball"])
    >>> ball.ok
    True
    """
    done = []
    for name in case_names() if names is None else names:
        done.append(_validated(find_case(name)()))
        if report is not None:
            report(done[-1])
    return Validations(done)


def _validated(case: Case) -> Validation:
    start = perf_counter()
    try:
        result = case.run()
        checks = tuple(case.check(result))
    except Exception as error:  # a check that finds nothing to look at is a failure, not the end
        kind = "" if isinstance(error, GaussError) else f"{type(error).__name__}: "
        return Validation(case, (), perf_counter() - start, f"{kind}{error}")
    failure = "" if result.success else result.message
    return Validation(case, checks, perf_counter() - start, failure)


_HEAD = """# Validation

Written by `make validate`, which runs `gauss-opt validate`; no figure on
this page is typed by hand.
Every row is a figure of an actual run. A row with a reference compares it with one that is not our
own output: a closed form, an independent computation, or a published figure. "Tabulated" figures
are closed forms or limit cycles evaluated independently of this package. A row with "at most" is a
limit: on the largest difference from such a reference along the whole run, or on what must vanish
in any run, such as drift, penetration and the residual of the energy account. The same command runs
with every change to the package and fails when a figure leaves its tolerance.

{count} figures of {cases} cases, all within tolerance: {verdict}.

One case from Python:

```python
import gauss_opt as go

case = go.find_case("bouncing_ball")()
print(all(check.ok for check in case.check(case.run())))
```

```text
True
```
"""


def markdown(validations: Sequence[Validation], every: Sequence[EveryQp] = ()) -> str:
    """The page with one table for each case, and one for each solver that got every problem."""
    verdict = "yes" if all(validation.ok for validation in validations) else "**no**"
    count = sum(len(validation.checks) for validation in validations)
    parts = [_HEAD.format(count=count, cases=len(validations), verdict=verdict)]
    parts += [_section(validation) for validation in validations]
    if every:
        parts.append(_EVERY)
    for solver in dict.fromkeys(one.solver for one in every):
        parts.append(_every_section(solver, [one for one in every if one.solver == solver]))
    return "\n".join(parts)


_EVERY = """## Every problem by a named solver

A usual run tries the active set of the problem before, computes the answer on it exactly, and
proves it; a solver is asked only when that proof fails. Both ways end in the same certificate, and
the minimiser is unique, so it is the same answer. Below, each case is run once more with every
problem sent to the solver (`gauss-opt run CASE --every-qp`). Problems that the solver is not asked
have no row at all, or are the collision of a single contact. "Events" compares kinds, contacts and
times; "apart" is the largest difference of times, by the length of the run. Times are of one run on
one machine.
"""


def _every_section(solver: str, runs: Sequence[EveryQp]) -> str:
    calls, failed = sum(r.qp_solver_calls for r in runs), sum(r.qp_fallbacks for r in runs)
    usual, seconds = sum(r.usual_seconds for r in runs), sum(r.seconds for r in runs)
    right, figures = sum(r.right for r in runs), sum(r.figures for r in runs)
    same = sum(r.apart <= SAME_EVENT for r in runs)
    lines = [
        f"### {solver}",
        "",
        f"{right} of {figures} figures within tolerance, the same events in {same} of {len(runs)} "
        f"cases; {calls} problems by {solver}, {failed} of them by another solver after it had "
        f"failed; {seconds:.1f} s in all, {usual:.1f} s as usual.",
        "",
        f"| case | figures | events | apart | problems | by {solver} | failed | usual | time | |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---|",
    ]
    for r in runs:
        lines.append(
            f"| {r.case.name()} | {r.right} of {r.figures} | {r.events} | {r.apart:.0e} "
            f"| {r.qp_total} | {r.qp_solver_calls} | {r.qp_fallbacks} | {r.usual_seconds:.2f} s "
            f"| {r.seconds:.2f} s | {'ok' if r.ok else f'**FAILED** {r.failure}'} |"
        )
    return "\n".join([*lines, ""])


def _section(validation: Validation) -> str:
    case = validation.case
    lines = [
        f"## {case.name()}",
        "",
        f"{case.title()}. Reference: {case.reference}. Time: {validation.seconds:.2f} s.",
        "",
        "| quantity | reference | ours | difference | tolerance | |",
        "|---|---:|---:|---:|---:|---|",
    ]
    lines += [_row(check) for check in validation.checks]
    if validation.failure:
        lines += ["", f"**Failed:** {validation.failure}"]
    return "\n".join([*lines, ""])


def _row(check: Check) -> str:
    what = check.what.replace("|", "\\|") + (f", {check.unit}" if check.unit else "")
    verdict = "ok" if check.ok else "**FAILED**"
    if check.limit:
        return f"| {what} | at most {check.reference:.3g} | {check.value:.3g} | | | {verdict} |"
    return (
        f"| {what} | {check.reference:.14g} | {check.value:.14g} | {check.difference:.1e} "
        f"| {check.tolerance:.1e} | {verdict} |"
    )
