"""Objects with functions of the user on their way to another process, by pickle or cloudpickle.

pickle knows functions by the name under which they are imported, and lambdas have none. So what
has functions is packed by cloudpickle, which takes them by value, whoever pickles it: it passes
through process pools, whatever its functions are.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from copyreg import __newobj__  # type: ignore[attr-defined]
from typing import Any

from cloudpickle import Pickler, loads

from .errors import CarryingError

__all__ = ["Carried", "Unchanging", "packed", "unpacked"]


class Carried:
    """Base of objects that hold functions; what they consist of is what travels.

    >>> class Law(Carried):
    ...     def __init__(self, function):
    ...         self.function = function
    >>> import pickle
    >>> pickle.loads(pickle.dumps(Law(lambda x: 2 * x))).function(3)
    6
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return loads, (_packed(self),)

    def departing(self) -> dict[str, Any]:
        """What travels: the attributes, unless a class knows better."""
        return dict(vars(self))

    def functions(self) -> Iterator[tuple[str, Any]]:
        """What may hold something that cannot travel, with words for it."""
        yield from vars(self).items()


class Unchanging:
    """Base of objects that nobody can change: a copy is the object itself."""

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


def packed(what: str, value: Any) -> bytes:
    """Anything with functions of the user as bytes for :func:`unpacked`; ``what`` names it."""
    try:
        return _dumped(value)
    except CarryingError:
        raise
    except Exception as error:
        raise CarryingError(f"{what} cannot be taken to another process: {error}") from error


def unpacked(data: bytes) -> Any:
    """What :func:`packed` packed. It runs code, so it is for bytes of this program only."""
    return loads(data)


def _packed(carried: Carried) -> bytes:
    """All of it as bytes, what it is made of by reference among one another."""
    try:
        return _dumped(carried)
    except Exception as error:
        raise CarryingError(_what_cannot(carried, error)) from error


def _dumped(value: Any) -> bytes:
    stream = io.BytesIO()
    _Packer(stream).dump(value)
    return stream.getvalue()


class _Packer(Pickler):  # type: ignore[misc]
    """Packs what is within an object into the same bytes: what they share stays shared."""

    def reducer_override(self, item: Any) -> Any:
        if isinstance(item, Carried):
            return __newobj__, (type(item),), item.departing()
        return super().reducer_override(item)


def _what_cannot(carried: Carried, error: Exception) -> str:
    """Which of its parts is in the way, and why."""
    for words, part in carried.functions():
        try:
            _dumped(part)
        except Exception as cause:
            error, what = cause, words
            break
    else:
        what = str(carried)
    return (
        f"{what} cannot be taken to another process: {error}. A function takes along what it "
        f"refers to: let it refer to numbers and arrays, or put it into a module that is imported"
    )
