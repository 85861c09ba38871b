"""An attribute computed when it is first asked for.

functools.cached_property does the same but in Python 3.11 takes a lock at every first access, which
costs more than most of what is computed here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

__all__ = ["lazy"]

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
