"""One figure beside its reference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import isfinite

from ..base.words import html

__all__ = ["Check", "Checks", "table_of"]


@dataclass(frozen=True)
class Check:
    """One figure of a run beside its reference.

    Attributes
    ----------
    what : str
        The quantity, in words.
    value, reference : float
        Ours, and theirs. For an upper limit the reference is the limit.
    tolerance : float
        Largest difference allowed, in the unit of the quantity.
    unit : str
    limit : bool
        Whether the reference is an upper limit instead of a value to meet.

    Examples
    --------
    >>> print(Check("first impact", 0.4515, 0.4515, 1e-10, "s"))
    ok: first impact 0.4515 s, reference 0.4515 s, difference 0.0e+00 (allowed 1.0e-10)
    """

    what: str
    value: float
    reference: float
    tolerance: float
    unit: str = ""
    limit: bool = False

    @classmethod
    def relative(
        cls, what: str, value: float, reference: float, tolerance: float, unit: str = ""
    ) -> Check:
        """A check whose tolerance is relative to the reference."""
        return cls(what, float(value), float(reference), tolerance * abs(float(reference)), unit)

    @classmethod
    def at_most(cls, what: str, value: float, limit: float, unit: str = "") -> Check:
        """A check that a quantity does not exceed a limit."""
        return cls(what, float(value), float(limit), 0.0, unit, limit=True)

    @property
    def difference(self) -> float:
        """Distance from the reference; what exceeds it, for a limit."""
        off = float(self.value) - float(self.reference)
        return max(0.0, off) if self.limit else abs(off)

    @property
    def ok(self) -> bool:
        """Whether the difference is within the tolerance; a NaN never is."""
        return isfinite(self.value) and self.difference <= self.tolerance

    def _repr_html_(self) -> str:
        return table_of([self])

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        verdict = "ok" if self.ok else "FAILED"
        if self.limit:
            return f"{verdict}: {self.what} {self.value:.6g}{unit}, at most {self.reference:.6g}"
        return (
            f"{verdict}: {self.what} {self.value:.12g}{unit}, reference {self.reference:.12g}"
            f"{unit}, difference {self.difference:.1e} (allowed {self.tolerance:.1e})"
        )


class Checks(tuple[Check, ...]):
    """Figures beside their references; a notebook shows them as a table."""

    __slots__ = ()

    @property
    def ok(self) -> bool:
        """Whether there are any, and all are within their tolerances."""
        return bool(self) and all(check.ok for check in self)

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no checks"

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return table_of(self)


def table_of(checks: Iterable[Check]) -> str:
    """Figures beside their references, as HTML."""
    rows = [
        (
            check.what,
            f"{check.value:.12g}",
            f"{'at most ' if check.limit else ''}{check.reference:.12g}",
            check.unit,
            "" if check.limit else f"{check.difference:.1e}",
            "" if check.limit else f"{check.tolerance:.1e}",
            "ok" if check.ok else "FAILED",
        )
        for check in checks
    ]
    numbers = ("ours", "reference", "difference", "allowed")
    return html.table(("quantity", *numbers[:2], "unit", *numbers[2:], ""), rows, right=numbers)
