"""What to choose from, where a name is not known, and what may have been meant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import fields
from difflib import get_close_matches
from functools import wraps
from typing import Any, TypeVar

from ..errors import UnknownNameError, UnknownOptionError

__all__ = ["Named", "choices", "keywords_checked", "nearest"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
Kind = TypeVar("Kind", bound=type)

MOST = 40  # names that are listed


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a mistyped one, if any is like it.

    >>> nearest("Flor", ["floor", "wall"])
    'floor'
    """
    lowered = {other.lower(): other for other in known}
    near = get_close_matches(name.lower(), lowered, n=1)
    return lowered[near[0]] if near else None


def choices(name: str, known: Iterable[str], more: str = "") -> str:
    """What there is instead of an unknown name: all names, ``more``, and what may be meant.

    >>> choices("flor", ["floor", "wall"])
    "choose from: floor, wall; did you mean 'floor'?"
    """
    names = list(known)
    listed = ", ".join(names[:MOST]) or "none"
    if len(names) > MOST:
        listed += f", ... ({len(names)} in all)"
    near = nearest(name, names)
    hint = "" if near is None else f"; did you mean {near!r}?"
    return f"choose from: {listed}{more}{hint}"


class Named(dict[Key, Value]):
    """A dictionary that says what there is when it is asked for a name that it does not have.

    >>> Named({"floor": 9.81})["flor"]
    Traceback (most recent call last):
    gauss_opt.base.errors.UnknownNameError: nothing here is called 'flor'; choose from: floor; \
did you mean 'floor'?
    """

    def __missing__(self, key: Any) -> Value:
        raise UnknownNameError(
            f"nothing here is called {key!r}; {choices(str(key), map(str, self))}"
        )


def keywords_checked(cls: Kind) -> Kind:
    """Decorator for a dataclass: an argument that it does not have is refused with the nearest.

    >>> from dataclasses import dataclass
    >>> @keywords_checked
    ... @dataclass
    ... class Ball:
    ...     radius: float
    >>> Ball(radus=1.0)
    Traceback (most recent call last):
    gauss_opt.base.errors.UnknownOptionError: Ball() has no argument 'radus'; choose from: radius; \
did you mean 'radius'?
    """
    positional_first = sorted(fields(cls), key=lambda field: field.kw_only is True)
    names = tuple(field.name for field in positional_first if field.init)
    init = vars(cls)["__init__"]

    @wraps(init)
    def checked(self: Any, *values: Any, **named: Any) -> None:
        for name in named:
            if name not in names:
                listed = choices(name, names)
                raise UnknownOptionError(f"{cls.__name__}() has no argument {name!r}; {listed}")
        init(self, *values, **named)

    type.__setattr__(cls, "__init__", checked)
    return cls
