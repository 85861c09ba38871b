"""Frozen objects that cost almost nothing: attributes on demand, and all fields set at once.

functools.cached_property does the same as ``lazy`` but in Python 3.11 takes a lock at every first
access, which costs more than most of what is computed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

__all__ = ["lazy", "made"]

Value = TypeVar("Value")


class lazy(Generic[Value]):  # noqa: N801 (used as a decorator, like property)
    """Decorator for a method without arguments; its value replaces it in the instance.

    >>> class Answer:
    ...     @lazy
    ...     def value(self) -> int:
    ...         return 42
    >>> Answer().value
    42
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> lazy[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...

    def __get__(self, instance: object | None, owner: type) -> Value | lazy[Value]:
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.function(instance)
        return value


def made(cls: type[Value], **fields: Any) -> Value:
    """A frozen dataclass from all of its fields.

    Its own ``__init__`` sets them one by one, which takes as long as the traced functions do.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Point:
    ...     x: float
    ...     y: float
    >>> made(Point, x=1.0, y=2.0) == Point(1.0, 2.0)
    True
    """
    instance = cls.__new__(cls)
    object.__setattr__(instance, "__dict__", fields)
    return instance
