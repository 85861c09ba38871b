"""The event-driven time stepper: smooth segments with a frozen active set, strung by events.

Each call of :meth:`Stepper.step` takes one accepted step of the integrator, or the part of it up
to the first event inside and the event itself. At every accepted step the full inequality problem
(G) is solved and certified; when the frozen set is not its minimiser, the event is inside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import NamedTuple

import numpy as np

from .acceleration import Acceleration, ideal_force
from .accumulation import Accumulation, Bounce, detect
from .active_set import Indices
from .compiled import Compiled
from .contact_state import ContactState, Mask
from .errors import (
    GaussError,
    InputError,
    NonFiniteError,
    SimulationError,
)
from .flow import Flow
from .guards import first_crossing, first_sign_change
from .impact import Collision, Impact, collide_snapshot
from .integrator import Integrator
from .interpolate import Piece, differentiation_matrix
from .ladder import GaussSolver
from .problem import Array, GaussProblem
from .projection import Scales, drift, held_rows, project, state_snapshot
from .rank_drop import independence, leap
from .recorder import Recorder
from .records import Event, Stats
from .result import Result
from .settings import Settings
from .snapshot import Snapshot, evaluate
from .solution import GaussSolution
from .system import System

__all__ = ["Stepper"]

# All of these are relative to the scales of the run.
CLOSED = 1e-9  # a gap this small is closed when its contact's event has come
SLOW = 1e-10  # a rate this small is zero
CONSISTENT = 1e-8  # a start this far off its constraints is corrected without a word
DRIFT = 1e-12  # drift beyond this is projected away
SIMULTANEOUS = 1e-12  # events closer in time are one
ACCUMULATED = 1e-9  # bounces lower than this may be summed up
LOST = 1e-15  # bounces lower than this are round-off
LIMIT_SPREAD = 1e-10  # spread of the estimates of an accumulation time
ROUND_OFF = 1e-15
SAME = 1e-9  # accelerations this close are the same
MAX_REPEATED_IMPACTS = 100
MAX_RETRIES = 8
COLLAPSED = 0.02  # a step this much smaller than the longest of late
NEARLY_DEPENDENT = 0.02  # unit rows this close to dependence may be about to drop in rank


class Happening(NamedTuple):
    """What was found first inside a step."""

    t: float
    kind: str
    rows: Indices
    name: str = ""
    terminal: bool = False


class Memory(NamedTuple):
    """What the future of a run depends on besides its present state."""

    state: ContactState
    scales: Scales
    struck: Array
    bounce_rate: Array
    bounces: list[Bounce]
    pending: tuple[Accumulation, Event] | None
    next_step: float | None
    atol: Array | None
    t_eval: int
    recent: int
    at_event: bool


class Stepper:
    """A simulation driven by hand; made by :func:`gauss_opt.start`.

    Attributes
    ----------
    t, q, v : float and arrays
        Where it is now.
    status : str
        ``"running"``, ``"finished"``, ``"terminated"`` or ``"failed"``.
    events : list of Event
        What has happened so far.
    """

    def __init__(
        self, system: System, q0: Array, v0: Array, settings: Settings, solver: GaussSolver
    ) -> None:
        snapshot = evaluate(system, q0, v0, settings.t0)
        self.system = system
        self.settings = settings
        self.solver = solver
        self.status = "running"
        self.message = ""
        self.stats = Stats()
        self._compiled: Compiled = snapshot.compiled
        self._layout = self._compiled.layout
        self._state = ContactState.open(self._layout)
        self._scales = Scales(snapshot.q, snapshot.v, settings.length_scale, settings.time_scale)
        self._recorder = Recorder(system, self._compiled, dense=settings.dense_output)
        self._integrator: Integrator | None = None
        self._flow: Flow | None = None
        self._first_step = settings.first_step
        self._struck = np.full(self._layout.n_rows, -np.inf)
        self._bounce_rate = np.zeros(self._layout.n_rows)
        self._bounces: list[Bounce] = []
        self._pending: tuple[Accumulation, Event] | None = None
        self._harvest: list[GaussProblem] | None = None
        self._atol: Array | None = None
        self._now = self.start = snapshot
        self._t_eval = 0
        self._recent: deque[Piece] = deque(maxlen=40)

    @property
    def t(self) -> float:
        """Current time."""
        return self._now.t

    @property
    def q(self) -> Array:
        """Current position."""
        return self._now.q

    @property
    def v(self) -> Array:
        """Current velocity."""
        return self._now.v

    @property
    def events(self) -> list[Event]:
        """Events so far."""
        return self._recorder.events

    @property
    def compiled(self) -> Compiled:
        """The traced functions of the system."""
        return self._compiled

    @property
    def row_names(self) -> tuple[str, ...]:
        """Constraint of each row."""
        return self._layout.names

    def harvest(self) -> list[GaussProblem]:
        """From now on keep every problem that is solved, in the list returned."""
        self._harvest = [] if self._harvest is None else self._harvest
        return self._harvest

    # --------------------------------------------------------------------------- checkpoints

    def memory(self) -> Memory:
        """What a checkpoint must keep besides the result."""
        integrator = self._integrator
        if integrator is not None and not integrator.one_step:
            self._end_segment()
            integrator = None
        return Memory(
            state=self._state,
            scales=self._scales,
            struck=self._struck,
            bounce_rate=self._bounce_rate,
            bounces=self._bounces,
            pending=self._pending,
            next_step=None if integrator is None else integrator.next_step,
            atol=None if integrator is None else self._atol,
            t_eval=self._t_eval,
            recent=len(self._recent),
            at_event=self._recorder_at_event,
        )

    def remember(
        self, *, now: Snapshot, result: Result, stats: Stats, bounces: list[Bounce],
        pending: tuple[Accumulation, Event] | None, next_step: float | None, atol: Array | None,
        t_eval: int, recent: int, at_event: bool,
    ) -> None:  # fmt: skip
        """Go on from a checkpoint instead of from the start."""
        self._recorder.refill(result)
        self._now, self.stats, self._bounces, self._pending = now, stats, bounces, pending
        self._first_step, self._atol, self._t_eval = next_step, atol, t_eval
        self._recorder_at_event = at_event
        self.status, self.message = "running", ""
        if next_step is not None:
            self._begin_segment()
            self._recent.extend(result.pieces[len(result.pieces) - recent :])
        if self.t >= self.settings.t1:
            self._at_bound()

    # ---------------------------------------------------------------------------------- start

    def begin(self) -> None:
        """Check the start, and settle what touches already."""
        snapshot = self._checked_start(self._now)
        self._now = snapshot
        self._scales.update(snapshot.q, snapshot.v)
        touching = self._closed(snapshot)
        self._finish_event(snapshot, touching, record_left=False)
        if self.settings.t1 == self.settings.t0:
            self.status, self.message = "finished", "t_span is one point"

    def _checked_start(self, snapshot: Snapshot) -> Snapshot:
        position, velocity = held_rows(self._compiled, self._state.held)
        off = drift(snapshot, position, velocity, self._scales)
        contacts = self._layout.contacts
        gaps = snapshot.value[contacts]
        enabled = True if snapshot.enabled is None else snapshot.enabled[contacts]
        depth = np.where(enabled, -gaps, 0.0) - CLOSED * self._scales.lengths(snapshot)[contacts]
        limits = snapshot.value[self._layout.limits]
        below = -limits - CLOSED * self._scales.speeds(snapshot)[self._layout.limits]
        bad_start = max(off) > CONSISTENT or (depth > 0).any() or (below > 0).any()
        if bad_start and not self.settings.project_start:
            raise InputError(self._describe_bad_start(snapshot, off, depth, below))
        if bad_start:
            from .consistency import assemble

            q, v = assemble(self.system, snapshot.q, snapshot.v, snapshot.t, solver=self.solver)
            return state_snapshot(self.system, self._compiled, q, v, snapshot.t)
        if max(off) > DRIFT:
            return project(snapshot, position, velocity, self._scales, 1e-15)
        return snapshot

    def _describe_bad_start(
        self, snapshot: Snapshot, off: tuple[float, float], depth: Array, below: Array
    ) -> str:
        names = self._layout.names
        if len(depth) and depth.max() > 0:
            row = self._layout.contacts.start + int(depth.argmax())
            what = f"contact {names[row]!r} is penetrated by {-snapshot.value[row]:.6g}"
        elif len(below) and below.max() > 0:
            row = self._layout.limits.start + int(below.argmax())
            what = f"velocity limit {names[row]!r} is violated: psi = {snapshot.value[row]:.6g}"
        else:
            level = "position" if off[0] > CONSISTENT else "velocity"
            values = snapshot.value if level == "position" else snapshot.rate
            position, velocity = held_rows(self._compiled, self._state.held)
            rows = position if level == "position" else velocity
            row = int(rows[np.abs(values[rows]).argmax()])
            what = f"the {level} violates {names[row]!r} by {values[row]:.6g}"
        return (
            f"the start is not consistent: {what}. Use gauss_opt.assemble() to get a consistent "
            f"start, or project_start=True"
        )

    # ----------------------------------------------------------------------------------- step

    def step(self) -> None:
        """One accepted step, or the part up to the first event and that event."""
        if self.status != "running":
            raise SimulationError(f"the run has ended: {self.message}", self.result())
        try:
            self._advance()
        except SimulationError as error:
            self.status, self.message = "failed", str(error)
            error.result = self.result()
            raise
        except (GaussError, ArithmeticError, np.linalg.LinAlgError) as error:
            self.status, self.message = "failed", str(error)
            raise SimulationError(
                f"the simulation failed at t = {self.t:.9g}: {error}", self.result()
            ) from error

    def _advance(self) -> None:
        clock = perf_counter()
        if self._integrator is None:
            self._begin_segment()
        integrator = self._integrator
        assert integrator is not None
        self._take_step(integrator)
        integrator = self._integrator
        assert integrator is not None
        piece = integrator.piece()
        clock = self._lap("integrate", clock)
        found = self._first_happening(piece)
        clock = self._lap("guard", clock)
        if found is None:
            end = state_snapshot(self.system, self._compiled, *self._split(integrator.y), piece.t1)
            found = self._accept(piece, end, integrator)
            clock = self._lap("qp", clock)
        if found is not None:
            self._to_event(piece, found)
            self._end_segment()
            self._lap("event", clock)
        elif integrator.finished:
            self._end_segment()
            self._at_bound()
        elif self._steps_collapse():
            self._leap()
        if self.stats.steps >= self.settings.max_steps:
            raise SimulationError(f"the limit of {self.settings.max_steps} steps was reached")
        if len(self.events) >= self.settings.max_events:
            raise SimulationError(f"the limit of {self.settings.max_events} events was reached")

    def _steps_collapse(self) -> bool:
        """Whether steps have become far smaller than they were, with rows nearly dependent."""
        integrator, flow = self._integrator, self._flow
        if integrator is None or flow is None or integrator.next_step is None:
            return False
        if not len(flow.held) or len(self._recent) < 4:
            return False
        longest = max(piece.t1 - piece.t0 for piece in self._recent)
        if integrator.next_step > COLLAPSED * longest:
            return False
        return independence(self._now, flow.held) < NEARLY_DEPENDENT

    def _leap(self) -> None:
        """Step over a configuration at which the rank of the constraints drops."""
        flow = self._flow
        assert flow is not None
        position, velocity = held_rows(self._compiled, flow.held)

        def arrive(t: float, y: Array) -> Snapshot:
            snapshot = state_snapshot(self.system, self._compiled, *self._split(y), t)
            return project(snapshot, position, velocity, self._scales, ROUND_OFF)

        found = leap(list(self._recent), self._now, flow.held, arrive, self._next_bound())
        if found is None:
            return
        there, piece = found
        self._store_piece(piece)
        self.stats.rank_drops.append(there.t)
        self._now = there
        self._end_segment()
        self._record(self._full_problem(there))

    def _at_bound(self) -> None:
        """The end of the run, of a smooth stretch between breakpoints, or of an accumulation."""
        if self._pending is not None and self.t >= self._pending[0].t:
            self._close_accumulation()
        if self.t >= self.settings.t1:
            self.status = "finished"
            self.message = f"reached the end, t = {self.settings.t1:g}"

    def _begin_segment(self) -> None:
        held = self._state.held
        self._flow = Flow(self.system, self._compiled, held)
        self._atol = self._absolute_tolerances() if self._atol is None else self._atol
        self._integrator = self._new_integrator(self._now, self._next_bound(), self._first_step)
        self._first_step = None

    def _end_segment(self) -> None:
        self._integrator = None
        self._atol = None
        self._recent.clear()

    def _next_bound(self) -> float:
        bounds = [b for b in self.settings.breakpoints if b > self.t]
        bounds.append(self.settings.t1)
        if self._pending is not None:
            bounds.append(max(self._pending[0].t, np.nextafter(self.t, np.inf)))
        return min(bounds)

    def _new_integrator(
        self, start: Snapshot, bound: float, first_step: float | None = None
    ) -> Integrator:
        settings = self.settings
        flow = self._flow
        assert flow is not None
        return Integrator(
            settings.method,
            flow,
            start.t,
            np.concatenate([start.q, start.v]),
            bound,
            rtol=settings.rtol,
            atol=self._atol if self._atol is not None else self._absolute_tolerances(),
            max_step=settings.max_step,
            first_step=first_step,
        )

    def _absolute_tolerances(self) -> Array:
        """Absolute tolerances: the user's, or far below rtol times the size of each coordinate."""
        n = len(self.q) + len(self.v)
        if self.settings.atol is not None:
            return np.broadcast_to(self.settings.atol, (n,)).copy()
        sizes = []
        for part in (self._scales.q, self._scales.v):
            largest = part.max(initial=0.0) or 1.0
            sizes.append(np.where(part > 1e-3 * largest, part, 1e-3 * largest))
        return 1e-2 * self.settings.rtol * np.concatenate(sizes)

    def _take_step(self, integrator: Integrator) -> None:
        """One integrator step; where a function is not finite, again with a smaller one."""
        flow = self._flow
        assert flow is not None
        for retry in range(MAX_RETRIES + 1):
            before = flow.calls
            try:
                failure = integrator.step()
            except NonFiniteError:
                if retry == MAX_RETRIES:
                    raise
                self.stats.restarts += 1
                size = (integrator.next_step or self._scales.time) * 0.1 ** (retry + 1)
                size = max(size, 1e-13 * self._scales.time)
                integrator = self._new_integrator(self._now, self._next_bound(), size)
                self._integrator = integrator
                continue
            finally:
                self.stats.rhs_calls += flow.calls - before
            if failure is None:
                self.stats.steps += 1
                return
            raise SimulationError(
                f"the step size became too small at t = {self.t:.9g} ({failure}): the motion may "
                f"be singular there, or a force not smooth; give its kinks as breakpoints="
            )

    def _split(self, y: Array) -> tuple[Array, Array]:
        return y[: self._compiled.nq], y[self._compiled.nq :]

    def _lap(self, part: str, since: float) -> float:
        now = perf_counter()
        self.stats.seconds[part] = self.stats.seconds.get(part, 0.0) + now - since
        return now

    # ----------------------------------------------------------------------------------- accept

    def _accept(self, piece: Piece, snapshot: Snapshot, integrator: Integrator) -> Happening | None:
        """Accept a step when the frozen set is still right at its end; otherwise say what is."""
        flow = self._flow
        assert flow is not None
        position, velocity = held_rows(self._compiled, flow.held)
        self._scales.update(snapshot.q, snapshot.v)
        off = drift(snapshot, position, velocity, self._scales)
        projected = max(off) > DRIFT
        if projected:
            snapshot = project(snapshot, position, velocity, self._scales, ROUND_OFF)
        answer = self._full_problem(snapshot)
        if self._pending is None:
            wrong = self._set_change(piece, answer)
            if wrong is not None:
                return wrong
        if projected:
            self.stats.projections += 1
            off = drift(snapshot, position, velocity, self._scales)
            taken = integrator.put(np.concatenate([snapshot.q, snapshot.v]))
            if not taken and not integrator.finished:
                self._end_segment()
        self._note(snapshot, max(off))
        self._store_piece(piece)
        self._now = snapshot
        self._recent.append(piece)
        self._state.leaving &= snapshot.value <= ROUND_OFF * self._scales.lengths(snapshot)
        self._record(answer)
        return None

    def _note(self, snapshot: Snapshot, off: float) -> None:
        """Keep the worst drift and penetration."""
        self.stats.worst_drift = max(self.stats.worst_drift, off)
        rows = self._state.open_contacts
        if len(rows):
            gaps = snapshot.value[rows] / np.maximum(self._scales.lengths(snapshot)[rows], 1e-300)
            if snapshot.enabled is not None:
                gaps = gaps[snapshot.enabled[rows]]
            deepest = float(-gaps.min(initial=0.0))
            self.stats.worst_penetration = max(self.stats.worst_penetration, deepest)

    def _record(self, answer: Acceleration) -> None:
        """Store a row, unless only chosen times are wanted."""
        if self.settings.t_eval is None or answer.snapshot.t in (
            self.settings.t0,
            self.settings.t1,
        ):
            self._store(answer)

    def _store(self, answer: Acceleration) -> None:
        if (
            self._recorder.times
            and self._recorder.times[-1] == answer.snapshot.t
            and not self._recorder_at_event
        ):
            return
        self._recorder_at_event = False
        self._recorder.row(answer.snapshot, answer.acceleration, self._spread(answer.solution))

    _recorder_at_event = False

    def _store_piece(self, piece: Piece) -> None:
        """Keep dense output, and the rows that fall on chosen times."""
        self._recorder.piece(piece, tuple(self._state.held.tolist()))
        wanted = self.settings.t_eval
        if wanted is None:
            return
        while self._t_eval < len(wanted) and wanted[self._t_eval] <= piece.t1:
            t = float(wanted[self._t_eval])
            self._t_eval += 1
            if t <= piece.t0 or t == piece.t1 == self.settings.t1:
                continue
            snapshot = state_snapshot(self.system, self._compiled, *self._split(piece(t)), t)
            flow = self._flow
            assert flow is not None
            position, velocity = held_rows(self._compiled, flow.held)
            snapshot = project(snapshot, position, velocity, self._scales, ROUND_OFF)
            self._store(self._full_problem(snapshot))

    def _spread(self, solution: GaussSolution) -> Array:
        """Multipliers on the rows of the layout."""
        multipliers = np.zeros(self._layout.n_rows)
        multipliers[self._problem_rows()] = solution.row_multipliers
        return multipliers

    def _problem_rows(self) -> Indices:
        """Rows of the layout that take part in (G) at present."""
        part = self._state.resting | self._state.carrying
        part[self._layout.equalities] = True
        return np.flatnonzero(part)

    def _full_problem(self, snapshot: Snapshot) -> Acceleration:
        """Solve (G) with its inequalities: resting contacts and reached limits."""
        rows = self._problem_rows()
        ne = self._layout.equalities.stop
        names = tuple([self._layout.names[i] for i in rows])

        def solve(at: Snapshot) -> GaussSolution:
            load = at.force if at.nonideal is None else at.force + at.nonideal
            problem = GaussProblem(
                at.mass, load, at.rows[rows], at.rhs[rows], ne, names, "acceleration"
            )
            if self._harvest is not None:
                self._harvest.append(problem)
            return self.solver.solve(problem)

        if snapshot.needs_ideal_force:
            first = solve(snapshot)
            snapshot = snapshot.with_ideal_force(ideal_force(snapshot, first))
        solution = solve(snapshot)
        worst = solution.certificate.worst
        self.stats.worst_residual = max(self.stats.worst_residual, worst)
        return Acceleration(snapshot, solution)

    # ---------------------------------------------------------------------------- set changes

    def _set_change(self, piece: Piece, answer: Acceleration) -> Happening | None:
        """Where inside the step the frozen set stopped being the answer to (G)."""
        if not self._state.resting.any() and not self._state.carrying.any():
            return None
        flow = self._flow
        assert flow is not None
        pressing = self._state.pressing

        def multipliers(t: float) -> Array:
            snapshot = state_snapshot(self.system, self._compiled, *self._split(piece(t)), t)
            spread = np.zeros(self._layout.n_rows)
            spread[flow.held] = flow.accelerate(snapshot)[1]
            return spread

        frozen, forces, _ = flow.accelerate(answer.snapshot)
        if self._regular(answer.snapshot):
            ends = np.zeros(self._layout.n_rows)
            ends[flow.held] = forces
            times = piece.times[[0, 3, 5, -1]]
            samples = np.array([*(multipliers(float(t)) for t in times[:-1]), ends])
            found: list[tuple[float, int]] = []
            for row in pressing:
                values = samples[:, row]
                threshold = 1e-12 * np.abs(values).max()
                if values.min() >= -threshold:
                    continue
                values = np.where(np.abs(values) <= threshold, 0.0, values)
                if values[0] <= 0.0:
                    found.append((piece.t0, int(row)))
                    continue

                def force(s: float, r: int = int(row)) -> float:
                    return float(multipliers(s)[r])

                t = first_sign_change(times, values, force, -1)
                if t is not None:
                    found.append((t, int(row)))
            if found:
                first = min(t for t, _ in found)
                near = SIMULTANEOUS * self._scales.time
                rows = np.array([row for t, row in found if t <= first + near])
                return Happening(first, "release", rows)
        if self._still_right(answer, frozen):
            return None
        return Happening(self._bisect(piece), "release", np.arange(0))

    def _regular(self, snapshot: Snapshot) -> bool:
        """Whether the multipliers of the held rows are unique."""
        flow = self._flow
        assert flow is not None
        rows = snapshot.rows[flow.held]
        return bool(np.linalg.matrix_rank(rows) == len(rows)) if len(rows) else True

    def _still_right(self, answer: Acceleration, frozen: Array) -> bool:
        """Whether the frozen acceleration solves (G), and idle resting contacts stay closed."""
        snapshot = answer.snapshot
        scale = np.abs(answer.acceleration).max() + np.abs(frozen).max()
        size = np.abs(snapshot.force).max() / max(np.abs(snapshot.mass).max(), 1e-300)
        if np.abs(answer.acceleration - frozen).max() > SAME * (scale + size):
            return False
        idle = np.flatnonzero(self._state.resting & ~self._state.carrying)
        opening = snapshot.rows[idle] @ frozen - snapshot.rhs[idle]
        sizes = np.abs(snapshot.rows[idle]) @ np.abs(frozen) + np.abs(snapshot.rhs[idle])
        return bool((np.abs(opening) <= SAME * (sizes + size)).all())

    def _bisect(self, piece: Piece) -> float:
        """The first time in a step at which the frozen set is not the answer to (G)."""
        flow = self._flow
        assert flow is not None
        low, high = piece.t0, piece.t1
        while high - low > SIMULTANEOUS * self._scales.time and high > np.nextafter(low, high):
            middle = 0.5 * (low + high)
            snapshot = state_snapshot(
                self.system, self._compiled, *self._split(piece(middle)), middle
            )
            right = self._still_right(self._full_problem(snapshot), flow.accelerate(snapshot)[0])
            low, high = (middle, high) if right else (low, middle)
        return high

    # ------------------------------------------------------------------------------- guards

    def _first_happening(self, piece: Piece) -> Happening | None:
        """The first gap, limit or user event inside a step; releases before it come first."""
        candidates = [*self._gap_events(piece), *self._limit_events(piece)]
        candidates += self._user_events(piece)
        if not candidates:
            return None
        first = min(candidates, key=lambda happening: happening.t)
        near = SIMULTANEOUS * self._scales.time
        same = [h for h in candidates if h.t <= first.t + near and h.kind == first.kind]
        if first.kind != "user":
            rows = np.unique(np.concatenate([h.rows for h in same]))
            first = first._replace(rows=rows)
        if self._pending is None and self._state.carrying.any() and first.t > piece.t0:
            earlier = self._release_before(piece, first.t)
            if earlier is not None:
                return earlier
        return first

    def _release_before(self, piece: Piece, t: float) -> Happening | None:
        """A contact may let go before the next one is reached."""
        part = Piece(piece.t0, t, np.array([piece(s) for s in _stretch(piece, t)]))
        end = state_snapshot(self.system, self._compiled, *self._split(piece(t)), t)
        found = self._set_change(part, self._full_problem(end))
        return found if found is not None and found.t < t else None

    def _guard_rows(self, t: float, y: Array) -> tuple[Array, Array]:
        """Values and rates of all rows."""
        q, v = self._split(y)
        if self._compiled.by_hand:
            snapshot = state_snapshot(self.system, self._compiled, q, v, t)
            return snapshot.value, snapshot.rate
        out = self._compiled.run(q, v, t, self.system.parameters)
        slices = self._compiled.slices
        return out[slices["value"]], out[slices["rate"]]

    def _gap_events(self, piece: Piece) -> list[Happening]:
        rows = self._state.open_contacts
        if not len(rows):
            return []
        times = piece.times
        sampled = [self._guard_rows(float(t), y) for t, y in zip(times, piece.values, strict=True)]
        gaps = np.array([value for value, _ in sampled])[:, rows]
        rates = np.array([rate for _, rate in sampled])[:, rows]
        lengths = self._scales.lengths(self._now)[rows]
        reach = np.diff(times)[:, None] * np.maximum(np.abs(rates[:-1]), np.abs(rates[1:]))
        lowest = np.minimum(gaps[:-1], gaps[1:]) - reach
        suspicious = (lowest <= 0.0).any(axis=0)
        happenings = []
        for j in np.flatnonzero(suspicious):
            row = int(rows[j])
            crossing = self._crossing(
                piece, row, times, gaps[:, j], rates[:, j], ROUND_OFF * float(lengths[j])
            )
            if crossing is not None:
                happenings.append(crossing)
        return happenings

    def _crossing(
        self, piece: Piece, row: int, times: Array, gaps: Array, rates: Array, noise: float
    ) -> Happening | None:
        """The first crossing of one gap at which the contact exists."""
        switch = next((c for b, c in self._compiled.switches if b.rows.start <= row < b.rows.stop),
                      None)  # fmt: skip

        def gap(t: float) -> float:
            return float(self._guard_rows(t, piece(t))[0][row])

        def rate(t: float) -> float:
            return float(self._guard_rows(t, piece(t))[1][row])

        start, leaving = 0, bool(self._state.leaving[row])
        while True:
            if switch is not None and not leaving:
                above = np.flatnonzero(gaps[start:] > 0.0)
                if not len(above):
                    return None
                start += int(above[0])
            found = first_crossing(
                times[start:], gaps[start:], rates[start:], gap, rate, noise=noise, leaving=leaving
            )
            if found is None:
                return None
            kind = "graze" if found.graze else "contact"
            happening = Happening(found.t, kind, np.array([row]))
            if switch is None:
                return happening
            q, v = self._split(piece(found.t))
            arguments = {"q": q, "v": v, "t": found.t}
            if bool(switch.plain(arguments, self.system.parameters)):
                return happening
            start = int(np.searchsorted(times, found.t, side="right"))
            leaving = False
            if start >= len(times) - 1:
                return None

    def _limit_events(self, piece: Piece) -> list[Happening]:
        rows = self._state.inactive_limits
        if not len(rows):
            return []
        times = piece.times
        sampled = np.array(
            [self._guard_rows(float(t), y)[0] for t, y in zip(times, piece.values, strict=True)]
        )[:, rows]
        slopes = differentiation_matrix(len(times)) @ sampled / (piece.t1 - piece.t0)
        happenings = []
        speeds = self._scales.speeds(self._now)[rows]
        for j, row in enumerate(rows):

            def value(t: float, row: int = int(row)) -> float:
                return float(self._guard_rows(t, piece(t))[0][row])

            def slope(t: float, row: int = int(row)) -> float:
                h = 1e-6 * (piece.t1 - piece.t0)
                return (value(min(t + h, piece.t1), row) - value(max(t - h, piece.t0), row)) / h

            noise = ROUND_OFF * float(speeds[j])
            found = first_crossing(
                times, sampled[:, j], slopes[:, j], value, slope, noise=noise,
                leaving=bool(sampled[0, j] <= 10 * noise),
            )  # fmt: skip
            if found is not None and not found.graze:
                happenings.append(Happening(found.t, "limit", np.array([row])))
        return happenings

    def _user_events(self, piece: Piece) -> list[Happening]:
        happenings = []
        for event in self.settings.events:

            def value(t: float, function: Callable[..., float] = event.function) -> float:
                q, v = self._split(piece(t))
                q.setflags(write=False)
                v.setflags(write=False)
                return float(function(q, v, t))

            times = piece.times
            values = np.array([value(float(t)) for t in times])
            t = first_sign_change(times, values, value, event.direction)
            if t is not None and t > piece.t0:
                happenings.append(Happening(t, "user", np.arange(0), event.name, event.terminal))
        return happenings

    # ------------------------------------------------------------------------------- events

    def _to_event(self, piece: Piece, found: Happening) -> None:
        """Go to an event inside the step, and through it."""
        snapshot = self._arrive(piece, found)
        flow = self._flow
        assert flow is not None
        position, velocity = held_rows(self._compiled, flow.held)
        snapshot = project(snapshot, position, velocity, self._scales, ROUND_OFF)
        self._scales.update(snapshot.q, snapshot.v)
        left = self._full_problem_left(snapshot)
        self._recorder_at_event = True
        self._store(left)
        snapshot = left.snapshot
        self._now = snapshot
        if found.kind == "user":
            self._user_event(snapshot, found, left)
            return
        if found.kind == "release":
            self._release(snapshot, found)
            return
        self._finish_event(snapshot, found.rows, kind=found.kind)

    def _full_problem_left(self, snapshot: Snapshot) -> Acceleration:
        return self._full_problem(snapshot)

    def _user_event(self, snapshot: Snapshot, found: Happening, left: Acceleration) -> None:
        self._add_event(Event("user", found.t, (found.name,), snapshot.q, snapshot.v, snapshot.v))
        self._recorder_at_event = True
        self._store(left)
        # Not to find the same zero again, the next segment starts a hair later by itself: a sign
        # change needs a nonzero value first.
        if found.terminal:
            self.status = "terminated"
            self.message = f"user event {found.name!r} at t = {found.t:g}"

    def _release(self, snapshot: Snapshot, found: Happening) -> None:
        """Contacts whose force has reached zero let go; all others are asked again."""
        state = self._state
        before = state.resting | state.carrying
        for row in found.rows:
            state.carrying[row] = False
            if row < self._layout.contacts.stop:
                state.resting[row] = False
                state.leaving[row] = True
        after = self._classify(snapshot)
        gone = before & ~(state.resting | state.carrying)
        self._announce_releases(snapshot, gone)
        self._recorder_at_event = True
        self._store(after)

    def _announce_releases(self, snapshot: Snapshot, gone: Mask) -> None:
        for kind, part in (("release", self._layout.contacts), ("limit", self._layout.limits)):
            rows = np.arange(part.start, part.stop)[gone[part]]
            if len(rows):
                self._add_event(
                    Event(kind, snapshot.t, self._names(rows), snapshot.q, snapshot.v, snapshot.v,
                          detail="off" if kind == "limit" else "")
                )  # fmt: skip

    def _arrive(self, piece: Piece, found: Happening) -> Snapshot:
        """The state at an event, with the integrator's own accuracy."""
        t = found.t
        if t <= piece.t0:
            return self._now
        integrator = self._integrator_for_event(t)
        if integrator is None:
            end = state_snapshot(self.system, self._compiled, *self._split(piece(t)), t)
            self._store_piece(Piece(piece.t0, t, np.array([piece(s) for s in _stretch(piece, t)])))
            return end
        pieces, y = integrator
        end = state_snapshot(self.system, self._compiled, *self._split(y), pieces[-1].t1)
        if found.kind == "contact" and len(found.rows):
            t = self._corrected(end, found, piece)
            if t != pieces[-1].t1:
                again = self._integrator_for_event(t)
                if again is not None:
                    pieces, y = again
                    end = state_snapshot(self.system, self._compiled, *self._split(y), t)
        for part in pieces:
            self._store_piece(part)
        return end

    def _corrected(self, end: Snapshot, found: Happening, piece: Piece) -> float:
        """One Newton step on the time at which a gap is zero."""
        row = int(found.rows[0])
        gap, rate = float(end.value[row]), float(end.rate[row])
        noise = 4 * ROUND_OFF * float(self._scales.lengths(end)[row])
        if abs(gap) <= noise or rate >= 0.0:
            return end.t
        t = end.t - gap / rate
        return t if piece.t0 < t <= piece.t1 else end.t

    def _integrator_for_event(self, t: float) -> tuple[list[Piece], Array] | None:
        """Integrate afresh from the last accepted state to t (one-step methods only)."""
        flow = self._flow
        assert flow is not None
        start = self._now
        before = flow.calls
        integrator = self._new_integrator(start, t, t - start.t)
        if not integrator.one_step:
            return None
        pieces = []
        while not integrator.finished:
            if integrator.step() is not None:
                return None
            pieces.append(integrator.piece())
        self.stats.rhs_calls += flow.calls - before
        return pieces, integrator.y

    def _closed(self, snapshot: Snapshot) -> Indices:
        """Open contacts whose gap is zero."""
        rows = self._state.open_contacts
        lengths = self._scales.lengths(snapshot)[rows]
        closed = snapshot.value[rows] <= CLOSED * lengths
        if snapshot.enabled is not None:
            closed &= snapshot.enabled[rows]
        result: Indices = rows[closed]
        return result

    def _simultaneous(self, snapshot: Snapshot, triggered: Indices) -> Indices:
        """The contacts of an event: those that triggered it, and any that close with them."""
        rows = self._state.open_contacts
        near = np.abs(snapshot.rate[rows]) * SIMULTANEOUS * self._scales.time
        near += 10 * ROUND_OFF * self._scales.lengths(snapshot)[rows]
        also = rows[(snapshot.value[rows] <= near)]
        if snapshot.enabled is not None:
            also = also[snapshot.enabled[also]]
        result: Indices = np.union1d(triggered, also).astype(np.intp)
        return result

    def _finish_event(
        self, snapshot: Snapshot, triggered: Indices, kind: str = "contact",
        record_left: bool = True,
    ) -> None:  # fmt: skip
        """Impacts while a closed contact approaches, then the new active set."""
        state = self._state
        before = state.resting | state.carrying
        contacts = triggered[triggered < self._layout.contacts.stop]
        closed = self._simultaneous(snapshot, contacts)
        snapshot, collisions = self._impacts(snapshot, closed)
        self._now = snapshot
        speeds = self._rate_scale(snapshot, collisions)
        touching = np.union1d(closed, np.flatnonzero(state.resting)).astype(np.intp)
        for row in touching:
            stays = abs(snapshot.rate[row]) <= speeds[row]
            state.resting[row] = stays
            state.leaving[row] = not stays
            if not stays:
                state.carrying[row] = False
        limits = triggered[triggered >= self._layout.contacts.stop]
        reached = self._reached_limits(snapshot)
        for row in np.union1d(limits, reached).astype(np.intp):
            state.carrying[row] = True
        answer = self._classify(snapshot)
        after = state.resting | state.carrying
        self._announce(snapshot, kind, collisions, triggered, before & ~after, after & ~before)
        self._recorder_at_event = True
        self._store(answer)
        self._look_for_accumulation(snapshot, collisions)

    def _reached_limits(self, snapshot: Snapshot) -> Indices:
        rows = self._state.inactive_limits
        speeds = self._scales.speeds(snapshot)[rows]
        result: Indices = rows[snapshot.value[rows] <= 1e3 * ROUND_OFF * speeds]
        return result

    def _impacts(self, snapshot: Snapshot, closed: Indices) -> tuple[Snapshot, list[Collision]]:
        """Solve impacts until no closed contact approaches."""
        collisions: list[Collision] = []
        resting = np.flatnonzero(self._state.resting)
        touching = np.union1d(closed, resting).astype(np.intp)
        for _ in range(MAX_REPEATED_IMPACTS):
            slow = self._rate_scale(snapshot, collisions)
            approaching = touching[snapshot.rate[touching] < -slow[touching]]
            if not len(approaching):
                return snapshot, collisions
            taking_part = touching[snapshot.rate[touching] <= slow[touching]]
            law = self.settings.law
            collision = collide_snapshot(snapshot, taking_part, law, self.solver)
            self._check_collision(collision)
            collisions.append(collision)
            snapshot = state_snapshot(
                self.system, self._compiled, snapshot.q, collision.v_after, snapshot.t
            )
        return self._last_resort(snapshot, touching, collisions)

    def _last_resort(
        self, snapshot: Snapshot, touching: Indices, collisions: list[Collision]
    ) -> tuple[Snapshot, list[Collision]]:
        """Contacts that pass a motion to and fro without end are stopped together."""
        impact = Impact.at(snapshot, touching, self.solver)
        jump = impact.solve(np.zeros(len(touching)))
        after = state_snapshot(self.system, self._compiled, snapshot.q, jump.v, snapshot.t)
        collisions.append(Collision(snapshot, touching, jump.v, jump.impulses, after.rate, (jump,)))
        self._last_resort_used = True
        return after, collisions

    _last_resort_used = False

    def _check_collision(self, collision: Collision) -> None:
        worst = collision.certificate.worst
        self.stats.worst_residual = max(self.stats.worst_residual, worst)
        if self._harvest is not None:
            self._harvest += [jump.solution.problem for jump in collision.jumps]
        if collision.gains_energy and self.settings.refuse_energy_gain:
            raise SimulationError(
                f"the impact at t = {collision.snapshot.t:.9g} raises the energy by "
                f"{collision.dissipation:.6g} under {self.settings.law}; use Newton() or "
                f"Poisson(), or refuse_energy_gain=False"
            )

    def _rate_scale(self, snapshot: Snapshot, collisions: list[Collision]) -> Array:
        """Rates below this are zero: relative to the speeds of the run, and of this impact."""
        slow: Array = SLOW * self._scales.speeds(snapshot)
        if collisions:
            first = collisions[0]
            fastest = float(np.abs(first.snapshot.rate[first.contacts]).max(initial=0.0))
            slow = np.minimum(slow, 1e-3 * fastest)
        return slow

    def _classify(self, snapshot: Snapshot) -> Acceleration:
        """Solve (G) for the resting contacts, and see which of them carry, idle or let go."""
        state = self._state
        contacts = self._layout.contacts
        for _ in range(2 + len(self._layout.names)):
            answer = self._full_problem(snapshot)
            rows = self._problem_rows()
            multipliers = answer.solution.row_multipliers
            working = np.zeros(len(rows), dtype=bool)
            working[answer.solution.working] = True
            a = answer.acceleration
            released = False
            size = np.abs(snapshot.force).max() / max(np.abs(snapshot.mass).max(), 1e-300)
            for position, row in enumerate(rows):
                if row < contacts.start:
                    continue
                carries = bool(working[position]) and multipliers[position] > 0.0
                state.carrying[row] = carries
                if carries or row >= contacts.stop:
                    continue
                opening = float(snapshot.rows[row] @ a - snapshot.rhs[row])
                terms = float(np.abs(snapshot.rows[row]) @ np.abs(a) + abs(snapshot.rhs[row]))
                if opening > SAME * (terms + size):
                    state.resting[row] = False
                    state.leaving[row] = True
                    released = True
            if not released:
                return answer
        return answer

    def _announce(
        self, snapshot: Snapshot, kind: str, collisions: list[Collision], triggered: Indices,
        gone: Mask, come: Mask,
    ) -> None:  # fmt: skip
        """Put what happened into the list of events."""
        for collision in collisions:
            struck = collision.contacts
            self.stats.impacts += 1
            self._add_event(
                Event(
                    "impact",
                    snapshot.t,
                    self._names(struck),
                    snapshot.q,
                    collision.v_before,
                    collision.v_after,
                    dict(collision.impulses),
                    collision.energy_change,
                    collision.work_of_moving_constraints,
                    collision.gains_energy,
                    detail="stopped as a last resort"
                    if self._last_resort_used and collision is collisions[-1]
                    else "",
                )
            )
        self._last_resort_used = False
        if not collisions and kind == "graze":
            self._add_event(
                Event("graze", snapshot.t, self._names(triggered), snapshot.q, snapshot.v,
                      snapshot.v)
            )  # fmt: skip
        self._announce_releases(snapshot, gone)
        limits = np.arange(self._layout.limits.start, self._layout.limits.stop)
        on = limits[come[limits]]
        if len(on):
            self._add_event(
                Event("limit", snapshot.t, self._names(on), snapshot.q, snapshot.v, snapshot.v,
                      detail="on")
            )  # fmt: skip

    def _names(self, rows: Indices) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._layout.names[i] for i in rows))

    def _add_event(self, event: Event) -> None:
        self.stats.events += 1
        self._recorder.events.append(event)

    # -------------------------------------------------------------------------- accumulation

    def _look_for_accumulation(self, snapshot: Snapshot, collisions: list[Collision]) -> None:
        """Note an impact, and when a series of them has a limit go there with contacts closed."""
        if not collisions:
            return
        struck = frozenset(
            int(row)
            for collision in collisions
            for row in collision.contacts
            if collision.row_impulses[row] > 0.0
        )
        t = snapshot.t
        lengths = self._scales.lengths(snapshot)
        heights = []
        for row in struck:
            apart = t - self._struck[row]
            if apart == np.inf:
                heights.append(apart)
                self._struck[row] = t
                self._bounce_rate[row] = abs(float(snapshot.rate[row]))
                continue
            fastest = max(
                self._bounce_rate[row], *(abs(float(c.snapshot.rate[row])) for c in collisions)
            )
            heights.append(apart * fastest / max(float(lengths[row]), 1e-300))
            self._struck[row] = t
            self._bounce_rate[row] = abs(float(snapshot.rate[row]))
        self._bounces.append(Bounce(t, struck, max(heights, default=np.inf)))
        del self._bounces[:-2000]
        found = detect(
            self._bounces,
            time_tolerance=LIMIT_SPREAD * max(abs(t), self._scales.time),
            height=ACCUMULATED,
            round_off=LOST,
        )
        if found is not None:
            self._begin_accumulation(snapshot, found)

    def _begin_accumulation(self, snapshot: Snapshot, found: Accumulation) -> None:
        """Close the contacts of the word and remove their rates; they rest until the limit."""
        self._bounces.clear()
        rows = np.array(sorted(found.contacts), dtype=np.intp)
        resting = np.union1d(rows, np.flatnonzero(self._state.resting)).astype(np.intp)
        impact = Impact.at(snapshot, resting, self.solver)
        jump = impact.solve(np.zeros(len(resting)), equality=True)
        change = jump.v - snapshot.v
        energy = float(0.5 * change @ snapshot.mass @ (jump.v + snapshot.v))
        after = state_snapshot(self.system, self._compiled, snapshot.q, jump.v, snapshot.t)
        self._state.resting[resting] = True
        self._state.carrying[resting] = True
        self._state.leaving[resting] = False
        self._now = after
        event = Event(
            "accumulation", found.t, self._names(rows), snapshot.q, snapshot.v, jump.v,
            energy_change=energy, exact=found.exact,
        )  # fmt: skip
        self._pending = (found, event)
        if found.t <= after.t:
            self._close_accumulation()

    def _close_accumulation(self) -> None:
        """At the limit the contacts rest for good; (G) says which of them carry force."""
        assert self._pending is not None
        pending = self._pending[1]
        self._pending = None
        snapshot = self._now
        answer = self._classify(snapshot)
        self._add_event(
            Event(
                "accumulation", snapshot.t, pending.contacts, snapshot.q, pending.v_before,
                snapshot.v, energy_change=pending.energy_change, exact=pending.exact,
            )
        )  # fmt: skip
        self._recorder_at_event = True
        self._store(answer)

    # ------------------------------------------------------------------------------- result

    def stop(self, status: str, message: str) -> None:
        """End the run from outside."""
        self.status, self.message = status, message

    def result(self) -> Result:
        """What there is so far, frozen."""
        counts = self.solver.counts
        for name in ("qp_total", "qp_from_active_set", "qp_solver_calls", "qp_fallbacks"):
            setattr(self.stats, name, getattr(counts, name))
        done = self.status in ("finished", "terminated")
        within = self.stats.worst_residual <= self.solver.tolerance
        return self._recorder.result(
            success=done and within,
            status=self.status,
            message=self.message or f"still running, t = {self.t:g}",
            stats=self.stats,
            settings={**self.settings.describe(), "solver": self.solver.name},
        )


def _stretch(piece: Piece, t: float) -> Array:
    """The Chebyshev points of the part of a piece that ends at t."""
    return Piece(piece.t0, t, piece.values).times
