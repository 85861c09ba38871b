"""How a run went, in words: the same for Result's text, the command line and the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..base.errors import InputError
from .records import Event

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Fact", "as_text", "described", "kinds_of", "require_rows", "summary", "verdict"]

MOST_SAMPLED = 5  # functions that are named
MOST_NAMES = 4  # of coordinates or contacts that are named
MOST_LETTERS = 60  # of these names together
MOST_DROPS = 5  # times of rank drops that are named


class Fact(NamedTuple):
    """One line of a summary.

    Attributes
    ----------
    label, value : str
    remark : str
        What there is to add; may be empty.
    """

    label: str
    value: str
    remark: str = ""

    def __str__(self) -> str:
        return f"{self.value} ({self.remark})" if self.remark else self.value


def summary(result: Result) -> tuple[Fact, ...]:
    """What was run, what it took and how good it is; nothing of a run that failed at once."""
    return tuple(_facts(result)) if len(result.t) else ()


def require_rows(result: Result) -> None:
    """Refuse a result without a single row."""
    if not len(result.t):
        raise InputError(f"this result has no rows: {result.message}")


def described(result: Result) -> str:
    """What was run, in one line: coordinates, constraints and contacts, time and impact law."""
    names = list(result.coordinates)
    bilateral = [n for n in dict.fromkeys(result.row_names) if n not in result.contacts]
    parts = [
        _listed("coordinate", names or [""] * result.q.shape[1]),
        _listed("constraint", bilateral),
        _listed("contact", list(result.contacts)),
        f"{result.t[0]:g} to {result.t[-1]:.4g} s",
    ]
    if result.contacts:
        parts.append(f"impact law {result.settings.get('law', '?')}")
    words = "; ".join(part for part in parts if part)
    return words[:1].upper() + words[1:]


def _listed(word: str, names: list[str]) -> str:
    """A few names, or how many there are.

    >>> _listed("contact", ["floor", "wall"]), _listed("contact", ["x"] * 9)
    ('contacts floor, wall', '9 contacts')
    """
    several = word if len(names) == 1 else f"{word}s"
    if len(names) > MOST_NAMES or not all(names) or len("".join(names)) > MOST_LETTERS:
        return f"{len(names)} {several}"
    return f"{several} {', '.join(names)}" if names else ""


def verdict(result: Result) -> str:
    """Success or not; where not, how the run ended."""
    return "success" if result.success else f"not successful ({result.status})"


def as_text(result: Result) -> str:
    """The summary as lines of text."""
    lines = [f"{verdict(result)}: {result.message}"]
    lines += [f"  {fact.label}: {fact}" for fact in summary(result)]
    return "\n".join(lines)


def kinds_of(events: Iterable[Event]) -> dict[str, int]:
    """How many events there are of each kind, in the order of their first ones."""
    return dict(Counter(str(event.kind) for event in events))


def _facts(result: Result) -> Iterator[Fact]:
    s, asked = result.stats, result.settings
    yield Fact(
        "simulated time",
        f"{result.t[0]:g} to {result.t[-1]:.6g} s",
        f"{asked.get('law', '?')} impact law",
    )
    if result.parts:
        yield Fact("phases", f"{len(result.parts)}", "joined by plastic impacts")
    yield Fact(
        "steps",
        f"{s.steps}",
        f"{asked.get('method', '?')}, rtol {asked.get('rtol', '?')}, {s.rhs_calls} right-hand "
        f"sides, {s.projections} projections, {len(result.t)} rows",
    )
    yield _events(result)
    yield Fact(
        "QPs",
        f"{s.qp_total}",
        f"{s.qp_from_active_set} from the last active set; {s.qp_solver_calls} solver calls, "
        f"{s.qp_fallbacks} of them failed",
    )
    yield from _quality(result)
    if result.energy_remarks:
        yield Fact("potential", "does not fit", "; ".join(result.energy_remarks))
    parts = ", ".join(f"{part} {1e3 * time:.1f} ms" for part, time in s.seconds.items())
    yield Fact("computing time", f"{1e3 * sum(s.seconds.values()):.0f} ms", parts)


def _events(result: Result) -> Fact:
    kinds = kinds_of(result.events)
    if not kinds:
        return Fact("events", "none", "nothing but smooth motion")
    words = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
    return Fact("events", words, f"{len(result.events)} in all" if len(kinds) > 1 else "")


def _quality(result: Result) -> Iterator[Fact]:
    s = result.stats
    yield Fact(
        "worst certificate",
        _small(s.worst_residual),
        "largest relative residual of the optimality conditions",
    )
    yield Fact("worst drift", _small(s.worst_drift), "relative violation of held constraints")
    yield Fact("worst penetration", _small(s.worst_penetration), "relative, of open contacts")
    yield _between_the_points(result)
    if s.closings:
        loss = f"{s.closing_loss:.1e} of energy in all, at most {s.worst_closing_loss:.1e} at once"
        yield Fact("clusters closed early", f"{s.closings}", f"{loss}, closure {_closure(result)}")
    if s.rank_drops:
        near = ", ".join(f"{t:.6g} s" for t in s.rank_drops[:MOST_DROPS])
        more = ", ..." if len(s.rank_drops) > MOST_DROPS else ""
        yield Fact("rank drops", f"{len(s.rank_drops)}", f"constraints dependent near {near}{more}")


def _closure(result: Result) -> str:
    return f"{result.settings.get('closure', 0.0):g}"


def _between_the_points(result: Result) -> Fact:
    """What is proved to hold between the points of the run, what is sampled only, and why."""
    s = result.stats
    sampled = [f"{name}: {why}" for name, why in s.sampled.items()]
    sampled += [f"{name}: not settled in {n} parts of steps" for name, n in s.unsettled.items()]
    if not sampled:
        return Fact(
            "between the points",
            "no event missed along the dense output",
            f"{s.guard_cells} parts proved",
        )
    named = "; ".join(sampled[:MOST_SAMPLED]) + ("; ..." if len(sampled) > MOST_SAMPLED else "")
    return Fact("sampled only", f"{len(sampled)} functions", named)


def _small(value: float) -> str:
    """A residual: its size is what counts."""
    return f"{value:.1e}" if value else "0"
