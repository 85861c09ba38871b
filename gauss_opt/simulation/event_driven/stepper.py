"""The event-driven time stepper: smooth segments with a frozen active set, strung by events.

Each call of :meth:`Stepper.step` takes one accepted step of the integrator, or the part of it up
to the first event inside and the event itself. At every accepted step the full inequality problem
(G) is solved and certified; when the frozen set is not its minimiser, the event is inside.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ...base.arrays import Array
from ...base.errors import GaussError, NonFiniteError, SimulationError
from ...mechanics.flow import Flow
from ...mechanics.projection import Scales, drift
from ...model.dynamics import Dynamics as Compiled
from ...model.snapshot import Snapshot, evaluate
from ...model.system import System
from ...qp.gauss_solver import Counts, GaussSolver
from ...qp.problem import GaussProblem
from ...results.dense_output import Piece
from ...results.recorder import Recorder
from ...results.records import Event, Stats
from ...results.result import Result
from ..initial_state import consistent_start, without_round_off
from ..settings import Settings
from .arrival import arrive
from .contact_state import ContactState
from .detection import Happening, first_happening
from .impact_series import Bounces
from .integrator import Integrator
from .rank_watch import RankWatch
from .release import release_before, set_change
from .response import approaches, hold, let_go, settle, touching_at
from .run import ROUND_OFF, Run

__all__ = ["Memory", "Stepper"]

DRIFT = 1e-12  # relative drift beyond this is projected away
JUMP = 1e-5  # relative drift within one step that no smooth constraint makes,
JUMP_BY_RTOL = 1e4  # or this many times the relative tolerance
MAX_RETRIES = 8
STUCK = 20  # steps in a row that end where they began, before contacts are held
MAX_STANDSTILL = 1000  # steps in a row that end where they began


class Memory(NamedTuple):
    """What the future of a run depends on besides its present and its past."""

    run: Run
    bounces: Bounces
    in_segment: bool
    next_step: float | None
    atol: Array | None
    recent: int
    last_event: float
    correction: float


class Stepper:
    """A simulation driven by hand; made by :func:`gauss_opt.start`.

    Attributes
    ----------
    start : Snapshot
        Where it was asked to start.
    status : str
        ``"running"``, ``"finished"``, ``"terminated"``, ``"failed"``, or what stopped it.
    message : str
        The same as a sentence.
    """

    def __init__(
        self, system: System, q0: Array, v0: Array, settings: Settings, solver: GaussSolver
    ) -> None:
        asked = evaluate(system, q0, v0, settings.t0)
        self.start = without_round_off(asked, settings.time_scale, solver)
        self.settings = settings
        self.solver = solver
        self.status, self.message = "running", ""
        compiled = self.start.compiled
        state = ContactState.open(compiled.layout)
        self._run = Run(
            system,
            compiled,
            settings,
            solver,
            state,
            Scales(self.start.q, self.start.v, settings.length_scale, settings.time_scale),
            Recorder(system, compiled, dense=settings.dense_output),
            self.start,
            Flow(system, compiled, state.held),
        )
        self._bounces = Bounces.none(compiled.layout.n_rows)
        self._integrator: Integrator | None = None
        self._first_step = settings.first_step
        self._atol: Array | None = None
        self._watch = RankWatch(settings.rtol)
        self._last_event = settings.t0
        self._standstill = 0
        self._counted = replace(solver.counts)

    # What can be seen from outside

    @property
    def t(self) -> float:
        """Current time."""
        return self._run.now.t

    @property
    def q(self) -> Array:
        """Current position."""
        return self._run.now.q

    @property
    def v(self) -> Array:
        """Current velocity."""
        return self._run.now.v

    @property
    def events(self) -> list[Event]:
        """Events so far."""
        return self._run.recorder.events

    @property
    def stats(self) -> Stats:
        """What the run has taken so far."""
        return self._run.stats

    @property
    def counts(self) -> Counts:
        """How the problems of this run were solved; its solver may have been used before."""
        return self.solver.counts - self._counted

    @counts.setter
    def counts(self, counts: Counts) -> None:
        self._counted = self.solver.counts - counts

    @property
    def system(self) -> System:
        """What is simulated."""
        return self._run.system

    @property
    def compiled(self) -> Compiled:
        """The traced functions of the system."""
        return self._run.compiled

    def result(self) -> Result:
        """What there is so far, frozen."""
        stats = self._run.stats
        for name, count in asdict(self.counts).items():
            setattr(stats, name, count)
        stats.events = len(self.events)
        done = self.status in ("finished", "terminated")
        return self._run.recorder.result(
            success=done and stats.worst_residual <= self.solver.tolerance,
            status=self.status,
            message=self.message or f"still running, t = {self.t:g}",
            stats=stats,
            settings={**self.settings.describe(), "solver": self.solver.name},
        )

    def stop(self, status: str, message: str) -> None:
        """End the run from outside."""
        self.status, self.message = status, message

    def harvest(self) -> list[GaussProblem]:
        """From now on keep every problem that is solved, in the list returned."""
        if self._run.harvest is None:
            self._run.harvest = []
        return self._run.harvest

    # Checkpoints

    def memory(self) -> Memory:
        """What a checkpoint must keep besides the result."""
        integrator = self._integrator
        if integrator is not None and not integrator.one_step:
            self._end_segment()
            integrator = None
        return Memory(
            self._run,
            self._bounces,
            integrator is not None,
            self._first_step if integrator is None else integrator.next_step,
            self._atol,
            len(self._watch.recent),
            self._last_event,
            self._watch.correction,
        )

    def remember(self, result: Result, now: Snapshot, stats: Stats, memory: Memory) -> None:
        """Go on from a checkpoint instead of from the start."""
        run = self._run
        run.recorder.refill(result)
        run.now, run.stats = now, stats
        self._first_step, self._atol = memory.next_step, memory.atol
        self._last_event = memory.last_event
        self.status, self.message = "running", ""
        if memory.in_segment:
            self._begin_segment()
            self._watch.recent.extend(result.pieces[len(result.pieces) - memory.recent :])
            self._watch.correction = memory.correction
        if self.t >= self.settings.t1:
            self._at_bound()

    # Steps

    def begin(self) -> None:
        """Check the start, and settle what touches already."""
        run = self._run
        run.now = consistent_start(run)
        run.scales.update(run.now.q, run.now.v)
        touching = touching_at(run, run.now)
        if approaches(run, run.now, touching):
            run.store(run.solve(run.now))  # the near side of an impact at the start
        collisions = settle(run, run.now, touching, "contact")
        self._bounces.note(run, collisions)
        if self.settings.t1 == self.settings.t0:
            self.stop("finished", "t_span is one point")

    def step(self) -> None:
        """One accepted step, or the part up to the first event and that event."""
        if self.status != "running":
            raise SimulationError(f"the run has ended: {self.message}", self.result())
        try:
            self._advance()
        except SimulationError as error:
            self.stop("failed", str(error))
            error.result = self.result()
            raise
        except (GaussError, ArithmeticError, np.linalg.LinAlgError) as error:
            self.stop("failed", str(error))
            raise SimulationError(
                f"the simulation failed at t = {self.t:.9g}: {error}", self.result()
            ) from error

    def _advance(self) -> None:
        clock, t = perf_counter(), self.t
        if self._integrator is None:
            self._begin_segment()
        integrator = self._take_step()
        if integrator is None:
            return
        piece = integrator.piece()
        clock = self._lap("integrate", clock)
        found = self._look_for_events(piece)
        clock = self._lap("guards", clock)
        if found is None:
            found = self._accept(integrator, piece)
            clock = self._lap("qp", clock)
        if found is not None:
            suggested = integrator.next_step
            self._to_event(piece, found)
            self._end_segment()
            self._first_step = self._step_after_event(piece, suggested)
            if self.t >= self.settings.t1 and self.status == "running":
                self._at_bound()
            self._lap("events", clock)
        elif integrator.finished:
            self._end_segment()
            self._at_bound()
        elif self._watch.steps_collapse(integrator.next_step, self._run):
            self._leap()
        self._standstill = self._standstill + 1 if self.t == t else 0
        self._check_limits()

    def _check_limits(self) -> None:
        settings = self.settings
        if self._standstill > MAX_STANDSTILL:
            raise SimulationError(f"time stands still at t = {self.t:.17g}: events without end")
        if self.stats.steps >= settings.max_steps and self.status == "running":
            raise SimulationError(f"the limit of {settings.max_steps} steps was reached")
        if len(self.events) >= settings.max_events and self.status == "running":
            raise SimulationError(f"the limit of {settings.max_events} events was reached")

    def _look_for_events(self, piece: Piece) -> Happening | None:
        run = self._run
        found = first_happening(run, piece)
        if found is None or found.t <= piece.t0 or self._bounces.pending is not None:
            return found
        if run.state.carrying.any():
            return release_before(run, piece, found.t) or found
        return found

    def _accept(self, integrator: Integrator, piece: Piece) -> Happening | None:
        """Accept a step when the frozen set is still right at its end; otherwise say what is."""
        run = self._run
        snapshot = run.at(piece.t1, integrator.y)
        run.scales.update(snapshot.q, snapshot.v)
        position, velocity = run.flow.position_rows, run.flow.velocity_rows
        off = max(drift(snapshot, position, velocity, run.scales))
        projected = off > DRIFT
        allowed = max(JUMP, JUMP_BY_RTOL * self.settings.rtol)
        if off > allowed:
            self._refuse_jump(snapshot, piece, allowed)
        if projected:
            snapshot = run.on_constraints(snapshot)
            off = max(drift(snapshot, position, velocity, run.scales))
        answer = run.solve(snapshot)
        if self._bounces.pending is None:
            found = set_change(run, piece, answer)
            if found is not None:
                return found
        if projected:
            self.stats.projections += 1
            taken = integrator.put(np.concatenate([snapshot.q, snapshot.v]))
            if not taken and not integrator.finished:
                self._end_segment()
        self._note(snapshot, off)
        run.store_piece(piece)
        run.now = snapshot
        self._watch.recent.append(piece)
        if run.state.leaving.any():
            run.state.leaving &= snapshot.value <= ROUND_OFF * run.scales.lengths(snapshot)
        run.store_step(answer)
        return None

    def _refuse_jump(self, snapshot: Snapshot, piece: Piece, allowed: float) -> None:
        """Refuse a step in which a held constraint did what no smooth one can do.

        Lengths and speeds vouch for each other here: where one of them is nothing but round-off,
        so is what is off by as much.
        """
        run = self._run
        lengths, speeds = run.scales.lengths(snapshot), run.scales.speeds(snapshot)
        time = run.scales.time
        position, velocity = run.flow.position_rows, run.flow.velocity_rows
        rows = np.concatenate([position, velocity])
        off = np.abs(np.concatenate([snapshot.value[position], snapshot.rate[velocity]]))
        sizes = [(lengths + time * speeds)[position], (speeds + lengths / time)[velocity]]
        if not (off > allowed * np.concatenate(sizes)).any():
            return
        raise SimulationError(
            f"{run.layout.names[int(rows[off.argmax()])]!r} is off by {off.max():.3g} after the "
            f"step from t = {piece.t0:.6g} to {piece.t1:.6g}, although it is held: its function "
            f"has a jump or a kink there. Make it twice differentiable, or use one contact for "
            f"each feature, with active_when="
        )

    def _note(self, snapshot: Snapshot, off: float) -> None:
        """Keep the worst drift and penetration."""
        run, stats = self._run, self.stats
        stats.worst_drift = max(stats.worst_drift, off)
        rows = run.state.open_contacts
        if snapshot.enabled is not None:
            rows = rows[snapshot.enabled[rows]]
        if len(rows) and snapshot.value[rows].min() < 0.0:
            depth = -snapshot.value[rows] / run.scales.lengths(snapshot)[rows]
            stats.worst_penetration = max(stats.worst_penetration, float(depth.max()))

    def _lap(self, part: str, since: float) -> float:
        now = perf_counter()
        seconds = self.stats.seconds
        seconds[part] = seconds.get(part, 0.0) + now - since
        return now

    # Segments

    def _begin_segment(self) -> None:
        run = self._run
        run.flow = Flow(run.system, run.compiled, run.state.held)
        if self._atol is None:
            self._atol = self._absolute_tolerances()
        self._integrator = self._new_integrator(self._next_bound(), self._first_step)
        self._first_step = None

    def _step_after_event(self, piece: Piece, suggested: float | None) -> float | None:
        """A first step for the next segment; error control rejects it should it be too large.

        A jump leaves the time scales of the forces as they were. So: the last step, or as much
        as lay between this event and the one before, but not more than the method suggested.
        """
        between = self.t - self._last_event
        self._last_event = self.t
        if suggested is None:
            return None
        return min(suggested, max(piece.t1 - piece.t0, between))

    def _end_segment(self) -> None:
        self._integrator = None
        self._atol = None
        self._watch.forget()

    def _at_bound(self) -> None:
        """The end of the run, of a smooth stretch between breakpoints, or of an accumulation."""
        pending = self._bounces.pending
        if pending is not None and self.t >= pending[0].t:
            self._bounces.reach_limit(self._run)
        if self.t >= self.settings.t1:
            self.stop("finished", f"reached the end, t = {self.settings.t1:g}")

    def _next_bound(self) -> float:
        bounds = [b for b in self.settings.breakpoints if b > self.t]
        if self._bounces.pending is not None:
            bounds.append(max(self._bounces.pending[0].t, float(np.nextafter(self.t, np.inf))))
        return min([*bounds, self.settings.t1])

    def _new_integrator(self, bound: float, first_step: float | None) -> Integrator:
        settings, now = self.settings, self._run.now
        assert self._atol is not None
        return Integrator(
            settings.method,
            self._run.flow,
            now.t,
            np.concatenate([now.q, now.v]),
            bound,
            rtol=settings.rtol,
            atol=self._atol,
            max_step=settings.max_step,
            first_step=first_step,
        )

    def _absolute_tolerances(self) -> Array:
        """The user's, or far below rtol times the size of each coordinate."""
        scales = self._run.scales
        n = len(scales.q) + len(scales.v)
        if self.settings.atol is not None:
            return np.broadcast_to(self.settings.atol, (n,)).copy()
        sizes = []
        for part in (scales.q, scales.v):
            largest = part.max(initial=0.0) or 1.0
            sizes.append(np.where(part > 1e-3 * largest, part, 1e-3 * largest))
        return 1e-2 * self.settings.rtol * np.concatenate(sizes)

    def _take_step(self) -> Integrator | None:
        """One integrator step; where a function is not finite, again with a smaller one.

        None: it could not go on, and a rank drop was stepped over instead.
        """
        flow = self._run.flow
        for retry in range(MAX_RETRIES + 1):
            integrator = self._integrator
            assert integrator is not None
            before = flow.calls
            try:
                failure = integrator.step()
            except NonFiniteError:
                if retry == MAX_RETRIES:
                    raise
                self.stats.restarts += 1
                scale = self._run.scales.time
                size = (integrator.next_step or scale) * 0.1 ** (retry + 1)
                size = max(size, 1e-13 * scale)
                self._integrator = self._new_integrator(self._next_bound(), size)
                continue
            finally:
                self.stats.rhs_calls += flow.calls - before
            if failure is None:
                self.stats.steps += 1
                return integrator
            break
        if self._leap(last_resort=True):
            return None
        raise SimulationError(
            f"the step size became too small at t = {self.t:.9g}: the motion may be singular "
            f"there, or a force not smooth; give its kinks as breakpoints="
        )

    @staticmethod
    def _stops(found: Happening) -> bool:
        """Whether a happening is more than a user event to take note of."""
        return found.kind != "user" or any(user.terminal for user, _ in found.users)

    def _announce_users(self, now: Snapshot, found: Happening) -> None:
        for user, way in found.users:
            self.events.append(Event("user", now.t, (user.name,), now.q, now.v, now.v, detail=way))
            if user.terminal:
                self.stop("terminated", f"user event {user.name!r} at t = {now.t:g}")

    def _integrator_to(self, t: float) -> Integrator:
        """A new one from the last accepted state to a time."""
        return self._new_integrator(t, t - self.t)

    # Events

    def _to_event(self, piece: Piece, found: Happening) -> None:
        """Go to an event inside the step, and through it."""
        self._through_event(arrive(self._run, piece, found, self._integrator_to), found)

    def _through_event(self, snapshot: Snapshot, found: Happening) -> None:
        run = self._run
        snapshot = run.on_constraints(snapshot)
        run.scales.update(snapshot.q, snapshot.v)
        before = run.solve(snapshot)
        run.store(before)
        run.now = before.snapshot
        self._announce_users(run.now, found)
        if found.kind == "user" or self.status != "running":
            run.store(before, far_side=True)
        elif found.kind == "release":
            let_go(run, run.now, found.rows)
        elif found.kind == "contact" and self._standstill >= STUCK:
            hold(run, run.now, found.rows)
        else:
            collisions = settle(run, run.now, found.rows, found.kind)
            self._bounces.note(run, collisions)

    def _leap(self, *, last_resort: bool = False) -> bool:
        """Step over a configuration at which the rank of the constraints drops, if one is near."""
        run = self._run
        found = self._watch.landing(run, self._next_bound(), last_resort=last_resort)
        if found is None:
            return False
        piece = found.piece
        self.stats.rank_drops.append(0.5 * (piece.t0 + piece.t1))
        happening = self._look_for_events(piece)
        if happening is not None and self._stops(happening):
            part = piece.until(happening.t)
            run.store_piece(part)
            self._through_event(run.at(happening.t, part.values[-1]), happening)
        else:
            if happening is not None:  # nothing changes there, so the leap need not end there
                self._announce_users(run.on_constraints(run.at(happening.t, piece(happening.t))),
                                     happening)  # fmt: skip
            run.store_piece(piece)
            run.now = found.snapshot
            run.scales.update(run.now.q, run.now.v)
            self._note(run.now, 0.0)
            run.store_step(run.solve(run.now))
        self._end_segment()
        return True
