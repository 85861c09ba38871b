"""How a run gets on, and what keeps its steps small."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator

from ..guards.happening import Happening, HappeningKind
from ..present import Present
from .force_jumps import jump_on_the_way, velocity

__all__ = ["Pace"]

LOOKED_BACK = 100  # steps
OFTEN = 4  # one step in so many ends at an event, or at a breakpoint: these keep the run
LAST_IS_SHORT = 0.1  # of the mean
MOST_NAMED = 3  # contacts
RUBS = (HappeningKind.STOP, HappeningKind.SLIP)
AT_MAX_STEP = 0.9  # of max_step: it is what keeps the steps small


class Pace:
    """Where the last steps of a run ended.

    It is no part of the state of a run: a resumed run looks back on what it has done itself.
    """

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=LOOKED_BACK + 1)
        self._met: deque[Happening] = deque(maxlen=LOOKED_BACK)

    def note(self, t: float) -> None:
        """A step has ended at a time."""
        self._times.append(t)

    def met(self, found: Happening) -> Happening:
        """A step ends at something found inside it, which is returned."""
        self._met.append(found)
        return found

    @property
    def steps(self) -> int:
        """Number of steps looked back on."""
        return max(len(self._times) - 1, 0)

    @property
    def size(self) -> float:
        """Their mean size."""
        return (self._times[-1] - self._times[0]) / self.steps if self.steps else 0.0

    def whereabouts(self, present: Present, *, stuck: bool = False) -> str:
        """Where the run is, how large its steps are, and what keeps them so.

        ``stuck``: there is no smaller step.
        """
        settings = present.context.settings
        text = f"at t = {present.now.t:.9g} of {settings.t1:g}"
        if not self.steps:
            return text
        text += f", with steps of {self.size:.2g} on average"
        last = self._times[-1] - self._times[-2]
        if last < LAST_IS_SHORT * self.size:
            text += f" and {last:.2g} at last"
        return ": ".join([text, *self._causes(present, stuck)])

    def _causes(self, present: Present, stuck: bool) -> Iterator[str]:
        settings, since = present.context.settings, self._times[0]
        again = [found for found in self._met if found.t == since]
        if since == present.now.t and again:
            layout = present.context.layout
            kinds = [(str(x.kind), name) for x in again for name in layout.names_of(x.rows)]
            yield f"found there again and again ({_most(Counter(kinds))})"
            if any(x.kind in RUBS for x in again):
                yield "another rtol= can find a way through"
            return
        recent = [event for event in present.recording.recorder.events if event.t > since]
        if OFTEN * len(recent) >= self.steps and not stuck:
            named = Counter((str(event.kind), name) for event in recent for name in event.contacts)
            yield f"{len(recent)} events in the last {self.steps} steps ({_most(named)})"
            return
        stops = sum(since < b <= present.now.t for b in settings.breakpoints)
        if OFTEN * stops >= self.steps:
            yield f"{stops} of the last {self.steps} steps ended at breakpoints"
            return
        jump = jump_on_the_way(present)
        if jump is not None:
            yield str(jump)
            return
        last = self._times[-1] - self._times[-2]
        if max(self.size, last) >= AT_MAX_STEP * settings.max_step:
            yield f"max_step = {settings.max_step:g} keeps them small"
            return
        segment, text = present.segment, ""
        place = None if segment is None else segment.largest_error()
        if place is not None:
            what = _component(present, place)
            text = f"the error estimate of {what} sets their size (rtol = {settings.rtol:g})"
        if stuck:
            text += "; " * bool(text) + (
                "the motion may be singular there, or a force not smooth; give its kinks as "
                "breakpoints="
            )
        if text:
            yield text


def _most(named: Counter[tuple[str, str]]) -> str:
    """What there is most of, in words."""
    most = [f"{kind} of {name!r}" for (kind, name), _ in named.most_common(MOST_NAMED)]
    return ", ".join(most) + (", ..." if len(named) > MOST_NAMED else "")


def _component(present: Present, place: int) -> str:
    """An entry of (q, v) in words."""
    nq = len(present.now.q)
    if place >= nq:
        return velocity(present, place - nq)
    system = present.context.system
    name = system.coordinate_name(place)
    return name if system.coordinates is None else repr(name)
