"""The methods of a mechanism that let bodies touch, and the pairs that come of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations, product

from ...base.carrying import Carried
from ...base.errors import ModelError
from ...model.constraints import Contact
from ..bodies import Body
from ..parts import Parts
from .materials import Coefficients, Materials, coefficients
from .rows import Families, Row, can_touch, rows_of

__all__ = ["Collisions", "ContactPair"]


@dataclass(frozen=True, eq=False)
class ContactPair(Carried):
    """Two bodies that can touch.

    Attributes
    ----------
    name : str
        ``"ball-floor"``: the names of both.
    bodies : (Body, Body)
    rows : tuple of Row
        One for each feature.
    contacts : tuple of Contact
        The same, as the system has them.
    """

    name: str
    bodies: tuple[Body, Body]
    rows: tuple[Row, ...]
    contacts: tuple[Contact, ...]


@dataclass(frozen=True, eq=False)
class _Wish:
    """What one call of collide() asked for."""

    bodies: tuple[Body, ...]
    given: tuple[float | None, float | None]
    joined: bool
    apart: frozenset[frozenset[Body]]

    @property
    def by_name(self) -> bool:
        """Whether one pair was named."""
        return len(self.bodies) == 2


class Collisions(Parts):
    """The methods about contact between bodies."""

    def __init__(self) -> None:
        super().__init__()
        self._materials = Materials()
        self._wishes: list[_Wish] = []
        self._pairs: tuple[int, tuple[ContactPair, ...]] | None = None

    def material(self, name: str, *, restitution: float = 0.0, friction: float = 0.0) -> None:
        """A material, for ``body(..., material=name)``.

        Two materials meet with the smaller of their restitutions and the geometric mean of their
        coefficients of friction, unless :meth:`material_pair` says otherwise.
        """
        self._materials.add(name, restitution, friction)
        self._version += 1

    def material_pair(
        self, a: str, b: str, *, restitution: float = 0.0, friction: float = 0.0
    ) -> None:
        """What holds between two materials, or between two bodies of one."""
        self._materials.add_pair(a, b, restitution, friction)
        self._version += 1

    def collide(
        self,
        *bodies: Body,
        restitution: float | None = None,
        friction: float | None = None,
        joined: bool = False,
        apart: Iterable[tuple[Body, Body]] = (),
    ) -> None:
        """Bodies that cannot enter one another: each pair of those given, of all if none is.

        Parameters
        ----------
        *bodies : Body
            Two: this pair, also if a joint connects them. What is said of a pair goes before what
            is said of many.
        restitution, friction : float, optional
            By the materials of the two bodies when left out.
        joined : bool
            Whether bodies that a joint connects collide as well.
        apart : pairs of Body, optional
            Pairs that do not collide.
        """
        chosen = tuple(self.member("collide()", body) for body in bodies)
        if len(chosen) == 1 or len(set(chosen)) < len(chosen):
            raise ModelError("collide() needs at least two bodies, each once, or none for all")
        coefficients("collide()", restitution or 0.0, friction or 0.0)
        pairs = frozenset(
            frozenset(self.member("apart= of collide()", body) for body in pair) for pair in apart
        )
        wish = _Wish(chosen, (restitution, friction), joined, pairs)
        if wish.by_name:
            for other in self._wishes:
                if other.by_name and set(other.bodies) == set(chosen):
                    names = " and ".join(repr(body.name) for body in chosen)
                    raise ModelError(f"{names} collide already")
            _require_rows(*chosen)
        self._wishes.append(wish)
        self._version += 1

    @property
    def pairs(self) -> tuple[ContactPair, ...]:
        """All pairs of bodies that can touch."""
        if self._pairs is None or self._pairs[0] != self._version:
            self._pairs = (self._version, tuple(self._paired()))
        return self._pairs[1]

    def _paired(self) -> Iterator[ContactPair]:
        families, taken = Families(), set[str]()
        joined = {
            frozenset(pair)
            for joint in self.joints
            for pair in combinations(dict.fromkeys(joint.bodies), 2)
        }
        said: set[frozenset[Body]] = set()
        for wish in sorted(self._wishes, key=lambda wish: not wish.by_name):
            every = wish.bodies or tuple(body for body in self.bodies if body.shapes)
            for a, b in combinations(every, 2):
                pair = frozenset((a, b))
                skip = pair in wish.apart or (pair in joined and not wish.joined)
                if pair in said or (skip and not wish.by_name) or not (a.moves or b.moves):
                    continue
                said.add(pair)
                rows = _rows(a, b)
                if rows:
                    yield self._pair(families, wish, a, b, rows, taken)

    def _pair(
        self, families: Families, wish: _Wish, a: Body, b: Body, rows: list[Row], taken: set[str]
    ) -> ContactPair:
        name = _free(f"{a.name}-{b.name}", taken)
        rule = self._materials.between(a, b)
        given = zip(wish.given, (rule.restitution, rule.friction), strict=True)
        values = Coefficients(*(by_rule if value is None else value for value, by_rule in given))
        names = [f"{name}: {row.name}" if row.name else name for row in rows]
        contacts = tuple(
            families.contact(each, row, values.restitution, values.friction)
            for each, row in zip(names, rows, strict=True)
        )
        return ContactPair(name, (a, b), tuple(rows), contacts)


def _rows(a: Body, b: Body) -> list[Row]:
    """All rows of two bodies; where they have several shapes, with the number of each."""
    found: list[Row] = []
    several = len(a.shapes) > 1 or len(b.shapes) > 1
    for (i, one), (j, other) in product(enumerate(a.shapes, 1), enumerate(b.shapes, 1)):
        if not can_touch(one, other):
            continue
        for row in rows_of(a, one, b, other):
            which = f"shapes {i} and {j}"
            name = f"{which}, {row.name}" if row.name else which
            found.append(row if not several else row.called(name))
    return found


def _require_rows(a: Body, b: Body) -> None:
    """Refuse a named pair that can never touch."""
    names = f"{a.name!r} and {b.name!r}"
    if not (a.moves or b.moves):
        raise ModelError(f"{names} cannot collide: neither of them can move")
    for body in (a, b):
        if not body.shapes:
            raise ModelError(f"{names} cannot collide: {body.name!r} has no shape")
    if not any(can_touch(*pair) for pair in product(a.shapes, b.shapes)):
        raise ModelError(
            f"{names} cannot collide: no two of their shapes can touch (two points never meet, and "
            f"half planes and circles around others do not meet one another)"
        )


def _free(name: str, taken: set[str]) -> str:
    """A name that no other pair has."""
    found, k = name, 2
    while found in taken:
        found, k = f"{name} ({k})", k + 1
    taken.add(found)
    return found
