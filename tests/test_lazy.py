"""Attributes computed once, when first read; frozen objects made of all their fields."""

from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from gauss_opt.base.lazy import lazy, made


@dataclass(frozen=True)
class Circle:
    radius: float
    name: str = "circle"

    @lazy
    def area(self) -> float:
        """Three times the square of the radius."""
        calls.append(self.radius)
        return 3.0 * self.radius**2


calls = []


@pytest.fixture(autouse=True)
def no_calls():
    calls.clear()


@pytest.mark.parametrize("circle", [Circle(2.0), made(Circle, radius=2.0, name="circle")])
def test_a_lazy_attribute_is_computed_once_and_when_first_read(circle):
    assert calls == []
    assert [circle.area, circle.area] == [12.0, 12.0]
    assert calls == [2.0]


def test_each_instance_has_its_own_value():
    small, large = Circle(1.0), Circle(2.0)
    assert (small.area, large.area, replace(small, radius=3.0).area) == (3.0, 12.0, 27.0)


def test_a_lazy_attribute_that_fails_is_tried_again():
    class Moody:
        @lazy
        def value(self):
            calls.append(1)
            return 1 // (len(calls) - 1)

    moody = Moody()
    with pytest.raises(ZeroDivisionError):
        moody.value  # noqa: B018
    assert moody.value == 1


def test_a_lazy_attribute_is_documented():
    assert isinstance(Circle.area, lazy)
    assert Circle.area.__doc__ == "Three times the square of the radius."


def test_what_is_made_equals_what_is_constructed_and_is_frozen():
    circle = made(Circle, radius=2.0, name="circle")
    assert circle == Circle(2.0)
    assert hash(circle) == hash(Circle(2.0))
    with pytest.raises(FrozenInstanceError):
        circle.radius = 3.0
