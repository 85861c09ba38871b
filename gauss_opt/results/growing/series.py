"""A sequence that grows, of which some items are made only when somebody looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Generic, TypeVar

__all__ = ["Series"]

Item = TypeVar("Item")


class Series(Generic[Item]):
    """Items one after another; what has been made once stays the same object.

    >>> series = Series[int]([1, 2])
    >>> series.extend(3, lambda: [len("made now"), 9, 10])
    >>> series.append(11)
    >>> len(series), series.since(2)()
    (6, (8, 9, 10, 11))
    """

    def __init__(self, items: Iterable[Item] = ()) -> None:
        self._parts: list[list[Item] | _Unmade[Item]] = [list(items)]
        self._count = len(self._parts[0])  # type: ignore[arg-type]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        return chain.from_iterable(self._parts)

    def append(self, item: Item) -> None:
        """Add an item that is there."""
        last = self._parts[-1]
        if not isinstance(last, list):
            last = []
            self._parts.append(last)
        last.append(item)
        self._count += 1

    def extend(self, count: int, make: Callable[[], Iterable[Item]]) -> None:
        """Add so many items that ``make`` gives when they are looked at."""
        if count:
            self._parts.append(_Unmade(make))
            self._count += count

    def since(self, first: int) -> Callable[[], tuple[Item, ...]]:
        """What gives the items from ``first`` to the present end, now or later."""
        parts = [tuple(part) if isinstance(part, list) else part for part in self._parts]
        count = self._count
        return lambda: tuple(chain.from_iterable(parts))[first:count]


class _Unmade(Generic[Item]):
    """Items that are made at the first look."""

    def __init__(self, make: Callable[[], Iterable[Item]]) -> None:
        self._make: Callable[[], Iterable[Item]] | None = make
        self._items: Sequence[Item] = ()

    def __iter__(self) -> Iterator[Item]:
        make = self._make
        if make is not None:
            self._items = tuple(make())
            self._make = None
        return iter(self._items)
