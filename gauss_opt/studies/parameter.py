"""The parameters of a case: defaults, units, meanings and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field
from math import isfinite
from typing import Any

from ..base.errors import InputError

__all__ = ["Parameter", "parameter"]


@dataclass(frozen=True)
class Parameter:
    """A parameter of a case.

    Attributes
    ----------
    name : str
    default : float, int, bool, str or tuple of floats
    unit, meaning : str
    least, most : float or None
        Bounds of the number, or of each number of a tuple.
    size : int or None
        How many numbers a tuple must have; any number for None.
    """

    name: str
    default: Any
    unit: str
    meaning: str
    least: float | None = None
    most: float | None = None
    size: int | None = None

    @classmethod
    def of(cls, field: Field[Any]) -> Parameter:
        """The parameter that a field of a case is."""
        return cls(field.name, field.default, **{**_PLAIN, **field.metadata})

    def convert(self, value: Any) -> Any:
        """A value, maybe a word from the command line, as the type that the default has."""
        converted = self._converted(value)
        self.require(converted)
        return converted

    def require(self, value: Any) -> None:
        """Refuse a value that is out of bounds, or a tuple of another size."""
        if self.size is not None and len(value) != self.size:
            raise InputError(
                f"parameter {self.name!r} has {len(value)} numbers; it needs {self.size}, such as "
                f"{self.shown}"
            )
        for number in value if isinstance(value, tuple) else (value,):
            low = self.least is not None and not number >= self.least
            if low or (self.most is not None and not number <= self.most):
                raise InputError(f"parameter {self.name!r} is {number}: it must be {self.bounds}")

    @property
    def bounds(self) -> str:
        """What its numbers may be, in words; empty where there is no bound."""
        if self.least is not None and self.most is not None:
            return f"between {_typed(self.least)} and {_typed(self.most)}"
        if self.least is not None:
            return f"at least {_typed(self.least)}"
        return "" if self.most is None else f"at most {_typed(self.most)}"

    def _converted(self, value: Any) -> Any:
        kind = type(self.default)
        try:
            if kind is bool:
                return _truth(value)
            if kind is tuple:
                parts = value.split(",") if isinstance(value, str) else list(value)
                return tuple(self._number(float, part) for part in parts)
            if kind in (int, float):
                return self._number(kind, value)
            return kind(value)
        except InputError:
            raise
        except (TypeError, ValueError) as error:
            expected = {
                tuple: "numbers separated by commas",
                bool: "true or false",
                int: "a whole number",
                float: "a number",
            }
            raise InputError(
                f"parameter {self.name!r} is {value!r}; expected "
                f"{expected.get(kind, kind.__name__)} such as {self.shown}"
            ) from error

    def _number(self, kind: type, value: Any) -> Any:
        number = kind(value)
        if not isfinite(number):
            raise InputError(f"parameter {self.name!r} is {value!r}: it must be finite")
        if kind is int and float(value) != number:
            raise ValueError("not a whole number")
        return number

    @property
    def shown(self) -> str:
        """The default as one would type it."""
        if isinstance(self.default, tuple):
            return ",".join(_typed(part) for part in self.default)
        return _typed(self.default) if isinstance(self.default, float) else str(self.default)


_PLAIN: Mapping[str, Any] = {"unit": "", "meaning": "", "least": None, "most": None, "size": None}


def parameter(
    default: Any,
    unit: str = "",
    meaning: str = "",
    *,
    least: float | None = None,
    most: float | None = None,
    size: int | None = None,
) -> Any:
    """A field of a case, with its unit and what it means.

    ``least`` and ``most`` bound the number (each number of a tuple): a count of bodies that no
    machine has room for is refused with a sentence. ``size`` says how many numbers a tuple has.
    """
    bounds = {"least": least, "most": most, "size": size}
    metadata = {"unit": unit, "meaning": meaning, **bounds}
    return field(default=default, metadata=metadata)


def _typed(number: float) -> str:
    """A number in as few digits as give it back."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def _truth(value: Any) -> bool:
    """A bool, or one of the words for it."""
    word = str(value).lower()
    if word not in _TRUTH:
        raise ValueError(f"{value!r} is neither true nor false")
    return _TRUTH[word]


_TRUTH = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
