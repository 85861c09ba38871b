"""Restitution and friction of a pair: said of the pair, of its two materials, or combined."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, sqrt
from typing import Any

from ...base.carrying import Carried
from ...base.errors import ModelError
from ...base.words.choices import choices
from ..bodies import Body

__all__ = ["Coefficients", "Materials"]


@dataclass(frozen=True)
class Coefficients:
    """Of one material or of a pair.

    Attributes
    ----------
    restitution : float
        Between 0 and 1.
    friction : float
        Coulomb's coefficient.
    """

    restitution: float = 0.0
    friction: float = 0.0

    def with_other(self, other: Coefficients) -> Coefficients:
        """The rule: the smaller restitution, and the geometric mean of the friction.

        >>> Coefficients(0.8, 0.2).with_other(Coefficients(0.5, 0.8))
        Coefficients(restitution=0.5, friction=0.4)
        """
        friction = sqrt(self.friction * other.friction)
        return Coefficients(min(self.restitution, other.restitution), friction)


class Materials(Carried):
    """What is known of materials by name, and of pairs of them."""

    def __init__(self) -> None:
        self._alone: dict[str, Coefficients] = {}
        self._pairs: dict[frozenset[str], Coefficients] = {}

    def add(self, name: Any, restitution: Any, friction: Any) -> None:
        """A material."""
        if not isinstance(name, str) or not name:
            raise ModelError(f"the name of a material must be a non-empty string, got {name!r}")
        if name in self._alone:
            raise ModelError(f"there is already a material called {name!r}")
        self._alone[name] = coefficients(f"material {name!r}", restitution, friction)

    def add_pair(self, a: Any, b: Any, restitution: Any, friction: Any) -> None:
        """What holds between two materials, whatever the rule says."""
        what = f"the pair of materials {a!r} and {b!r}"
        for name in (a, b):
            if name not in self._alone:
                raise ModelError(f"{what}: {self._unknown(name)}")
        self._pairs[frozenset((a, b))] = coefficients(what, restitution, friction)

    def between(self, a: Body, b: Body) -> Coefficients:
        """Of two bodies: their pair, or the rule; a body without a material goes by the other."""
        for body in (a, b):
            if body.material and body.material not in self._alone:
                raise ModelError(f"body {body.name!r}: {self._unknown(body.material)}")
        pair = frozenset((a.material, b.material))
        if pair in self._pairs:
            return self._pairs[pair]
        known = [self._alone[body.material] for body in (a, b) if body.material]
        if len(known) < 2:
            return known[0] if known else Coefficients()
        return known[0].with_other(known[1])

    def _unknown(self, name: Any) -> str:
        known = choices(str(name), self._alone)
        return f"no material is called {name!r}; {known}. Add it by material()"


def coefficients(what: str, restitution: Any, friction: Any) -> Coefficients:
    """Both, checked."""
    bounds = (("restitution", restitution, 1.0, "between 0 and 1"),
              ("friction", friction, inf, "a number >= 0"))  # fmt: skip
    for word, value, most, words in bounds:
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and isfinite(value) and 0.0 <= value <= most):
            raise ModelError(f"the {word} of {what} must be {words}, got {value!r}")
    return Coefficients(float(restitution), float(friction))
