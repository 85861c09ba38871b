"""What nobody can change any more: arrays that are read-only, and dictionaries that stay."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from .words.choices import Named

__all__ = ["Frozen", "frozen_array", "frozen_deeply", "frozen_in_place"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")
AnyArray = TypeVar("AnyArray", bound=NDArray[Any])


class Frozen(Named[Key, Value]):
    """A dictionary that cannot be changed; equal to a plain one with the same content.

    >>> Frozen({"g": 9.81})
    {'g': 9.81}
    >>> Frozen({"g": 9.81})["g"] = 1.62
    Traceback (most recent call last):
    TypeError: this dictionary is part of something finished and cannot be changed; dict(...) \
gives a copy
    """

    def _refuse(self, *args: Any, **named: Any) -> NoReturn:
        raise TypeError(
            "this dictionary is part of something finished and cannot be changed; dict(...) gives "
            "a copy"
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return _frozen_again, (dict(self),)


def _frozen_again(content: dict[Any, Any]) -> Frozen[Any, Any]:
    """A dictionary that has travelled, with its arrays: those could be written to meanwhile."""
    for value in content.values():
        if isinstance(value, np.ndarray):
            frozen_in_place(value)
    return Frozen(content)


def frozen_in_place(array: AnyArray) -> AnyArray:
    """An array that nobody else has, read-only from now on."""
    array.setflags(write=False)
    return array


def frozen_array(array: AnyArray) -> AnyArray:
    """A read-only array of the same content; a copy unless it is one already.

    >>> own = np.zeros(2)
    >>> frozen_array(own).flags.writeable, own.flags.writeable
    (False, True)
    """
    return frozen_in_place(array.copy()) if array.flags.writeable else array


def frozen_deeply(value: Any) -> Any:
    """Mappings, lists and arrays, however nested, as ones that cannot be changed.

    >>> frozen_deeply({"t_span": [0.0, 1.0]})
    {'t_span': (0.0, 1.0)}
    """
    if isinstance(value, Mapping):
        return Frozen({key: frozen_deeply(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple([frozen_deeply(item) for item in value])
    return frozen_array(value) if isinstance(value, np.ndarray) else value
