"""What must hold for every random problem and every random scene, and a tally of how it went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np
from random_problems import RandomProblem
from random_scenes import Scene
from scipy.optimize import linprog

import gauss_opt as go
from gauss_opt.qp.whitening import whiten
from gauss_opt.reference.oracles import enumerate_active_sets, lcp

Array = np.ndarray

AGREEMENT = 1e-8  # distance of two answers, in the mass metric, relative
# Rows at a small angle to each other leave their corner uncertain by what a row may be violated
# by, over the angle. Solvers have been seen up to 7e-12 over the angle apart; this is the limit
# above which it is a finding, not one that follows from theory.
CORNER = 1e-11
CERTIFICATE = 1e-9
PENETRATION = 1e-8  # metres, in scenes about a metre in size
ENERGY = 1e-7  # relative to the energies of the run
IMPACT_GAIN = 1e-9
MAX_ENUMERATED = 7
WALL_TIME = 60.0
COMPARED_EVENTS = 5
EVENT_TIME = 1e-7
PROBES = 100


@dataclass
class Tally:
    """Counts that add up, worst figures with the seed they belong to, and findings.

    Attributes
    ----------
    counts : Counter
    worst : dict
        Name -> [figure, seed]; the largest is kept.
    findings : list of dict
        Each with ``seed``, ``what`` and, once saved, ``file``.
    """

    counts: Counter[str] = field(default_factory=Counter)
    worst: dict[str, list[Any]] = field(default_factory=dict)
    findings: list[dict[str, Any]] = field(default_factory=list)

    def note(self, name: str, figure: float, seed: Any) -> None:
        """Keep a figure if it is the largest so far; NaN is larger than any."""
        figure = float(figure)
        if name not in self.worst or not figure <= self.worst[name][0]:
            self.worst[name] = [figure, seed]

    def find(self, what: str, seed: Any) -> None:
        """Something that must not be."""
        self.findings.append({"seed": seed, "what": what})

    def add(self, other: Tally) -> None:
        """Take in another tally."""
        self.counts.update(other.counts)
        for name, (figure, seed) in other.worst.items():
            self.note(name, figure, seed)
        self.findings += other.findings


# Problems


def check_problem(
    given: RandomProblem, solvers: dict[str, go.GaussSolver], seed: Any = None
) -> Tally:
    """All solvers and oracles on one problem."""
    tally = Tally(Counter({"problems": 1, f"problems: {given.kind}": 1}))
    for feature in given.features:
        tally.counts[f"problems with {feature.split(' 1e')[0]}"] += 1
    if given.kind == "contradiction":
        _check_contradiction(given, solvers, tally, seed)
    else:
        _check_answers(given, solvers, tally, seed)
    return tally


def _check_answers(
    given: RandomProblem, solvers: dict[str, go.GaussSolver], tally: Tally, seed: Any
) -> None:
    problem = given.problem
    white = whiten(problem)
    close = max(AGREEMENT, CORNER / given.tilt)
    first: go.GaussSolution | None = None
    for name, solver in solvers.items():
        try:
            solution = solver.solve(problem)
        except go.GaussError as error:
            tally.find(f"{name} refuses a feasible problem: {type(error).__name__}", seed)
            continue
        tally.counts["answers of solvers"] += 1
        tally.counts["answers by a fallback solver"] += bool(solution.attempts)
        residual = go.certify(problem, solution.x, solution.row_multipliers).worst
        tally.note("certificate of a problem", residual, seed)
        if not residual <= CERTIFICATE:
            tally.find(f"{name}: certificate {residual:.1e}", seed)
        if first is None:
            first = solution
        _compare(tally, "solvers", f"{name}", _distance(white, first.x, solution.x), close, seed)
        if solution.unique != first.unique and given.tilt == 1.0:
            tally.find(f"{name} and {first.solver} differ on whether forces are unique", seed)
        force = (solution.row_multipliers - first.row_multipliers) @ problem.rows
        apart = _distance(white, first.x, first.x + _effect(white, force))
        _compare(tally, "solvers, forces", f"forces of {name}", apart, close, seed)
    if first is None:
        return
    if given.answer is not None:
        apart = _distance(white, given.answer, first.x)
        _compare(tally, "the known answer", first.solver, apart, close, seed)
    _check_oracles(given, first.x, white, close, tally, seed)


def _check_oracles(
    given: RandomProblem, x: Array, white: Any, close: float, tally: Tally, seed: Any
) -> None:
    problem = given.problem
    pieces = (problem.metric, problem.load, problem.Ae, problem.be, problem.Ai, problem.bi)
    oracles: dict[str, Callable[..., Any]] = {}
    if given.tilt == 1.0:  # nearly parallel rows are beyond the precision of pivoting
        oracles["complementarity oracle"] = lcp
    if problem.n_inequality <= MAX_ENUMERATED:
        oracles["enumeration oracle"] = enumerate_active_sets
    for name, oracle in oracles.items():
        try:
            other = oracle(*pieces).x
        except np.linalg.LinAlgError:
            tally.counts[f"{name} gave up"] += 1
            continue
        except ValueError as error:
            tally.find(f"{name} refuses a feasible problem: {error}", seed)
            continue
        tally.counts[f"answers of the {name}"] += 1
        _compare(tally, f"the {name}", name, _distance(white, x, other), close, seed)


def _compare(tally: Tally, whom: str, name: str, apart: float, close: float, seed: Any) -> None:
    if close == AGREEMENT:
        tally.note(f"distance between answers: {whom}", apart, seed)
    else:
        tally.note("distance between answers, rows nearly parallel", apart, seed)
    if not apart <= close:
        tally.find(f"{name} is {apart:.1e} away ({whom})", seed)


def _check_contradiction(
    given: RandomProblem, solvers: dict[str, go.GaussSolver], tally: Tally, seed: Any
) -> None:
    problem = given.problem
    for name, solver in solvers.items():
        try:
            solver.solve(problem)
        except go.InfeasibleError as error:
            tally.counts["contradictions proved"] += 1
            if not error.constraints or not _proves(problem, error.certificate.multipliers):
                tally.find(f"{name}: the Farkas certificate does not prove it", seed)
        except go.GaussError as error:
            tally.find(f"{name} does not prove a contradiction: {type(error).__name__}", seed)
        else:
            tally.find(f"{name} solves a contradiction", seed)
    if _has_a_point(problem):
        tally.find("linear programming finds a feasible point", seed)


def _proves(problem: go.GaussProblem, unit: Array) -> bool:
    """Whether A'y = 0 and b'y > 0 with y >= 0 on inequalities, from the rows themselves."""
    lengths = whiten(problem).lengths
    y = np.divide(unit, lengths, out=np.zeros(len(unit)), where=lengths > 0.0)
    left = np.abs(y @ problem.rows)
    terms = np.abs(y) @ np.abs(problem.rows)
    signs = (y[problem.n_equality :] >= 0.0).all()
    return bool(signs and y @ problem.rhs > 0.0 and (left <= 1e-9 * terms).all())


def _has_a_point(problem: go.GaussProblem) -> bool:
    """The word of another code on feasibility, with columns and rows of comparable size."""
    columns = np.abs(problem.rows).max(axis=0, initial=0.0)
    rows = problem.rows / np.where(columns > 0.0, columns, 1.0)
    size = np.abs(rows).max(axis=1, initial=0.0)
    size = np.where(size > 0.0, size, 1.0)
    rows, rhs, ne = rows / size[:, None], problem.rhs / size, problem.n_equality
    rhs = rhs / max(np.abs(rhs).max(initial=0.0), 1e-300)
    found = linprog(
        np.zeros(rows.shape[1]), -rows[ne:], -rhs[ne:], rows[:ne], rhs[:ne], bounds=(None, None)
    )
    return bool(found.status == 0)


def _distance(white: Any, x: Array, y: Array) -> float:
    size = np.linalg.norm(x @ white.factor) + np.linalg.norm(white.center)
    return float(np.linalg.norm((x - y) @ white.factor) / (size + 1e-300))


def _effect(white: Any, force: Array) -> Array:
    """What a force would add to x."""
    return np.linalg.solve(white.factor @ white.factor.T, force)


# Scenes


def check_scene(scene: Scene, compare_with: str | None = None, seed: Any = None) -> Tally:
    """Run a scene and check it; with ``compare_with``, a second solver must give its events."""
    tally = Tally(Counter({"scenes": 1, f"scenes: {scene.law}": 1}))
    system = scene.system()
    start = perf_counter()
    try:
        result = _run(system, scene, scene.solver)
    except go.GaussError as error:
        tally.find(f"{type(error).__name__}: {error}", seed)
        return tally
    tally.note("seconds of a scene", perf_counter() - start, seed)
    for event in result.events:
        tally.counts[f"events: {event.kind}"] += 1
    tally.counts["steps"] += result.stats.steps
    tally.counts["QPs of scenes"] += result.stats.qp_total
    tally.counts["accumulations closed at round-off"] += sum(not e.exact for e in result.events)
    if not result.success:
        tally.find(f"no success: {result.message}", seed)
    if not all(np.isfinite(part).all() for part in (result.q, result.v, result.a)):
        tally.find("a number that is not finite", seed)
        return tally
    tally.note("certificate of a scene", result.stats.worst_residual, seed)
    tally.note("drift of held constraints", result.stats.worst_drift, seed)
    if not result.stats.worst_residual <= CERTIFICATE:
        tally.find(f"certificate {result.stats.worst_residual:.1e}", seed)
    _check_gaps(scene, result, tally, seed)
    _check_energy(scene, result, tally, seed)
    if compare_with is not None:
        _check_events(system, scene, result, compare_with, tally, seed)
    return tally


def _run(system: go.System, scene: Scene, solver: str, **options: Any) -> go.Result:
    return go.simulate(
        system,
        scene.q,
        scene.v,
        (0.0, scene.end),
        law=scene.law,
        solver=solver,
        max_wall_time=WALL_TIME,
        **options,
    )


def _check_gaps(scene: Scene, result: go.Result, tally: Tally, seed: Any) -> None:
    """Gaps at all rows, and between them: computed from the scene, not taken from the result."""
    contacts = scene.contacts()
    times = np.random.default_rng(len(result.t)).uniform(0.0, scene.end, PROBES)
    states = [(t, q) for t, q in zip(times, result(times)[0], strict=True)]
    for place, rows in (("stored", zip(result.t, result.q, strict=True)), ("dense", states)):
        deepest, name, when = 0.0, "", 0.0
        for t, q in rows:
            for contact in contacts:
                gap = float(contact.gap(q, t))
                if not gap >= deepest:
                    deepest, name, when = gap, contact.name, float(t)
        tally.note(f"penetration, {place} (m)", -deepest, seed)
        if not deepest >= -PENETRATION:
            tally.find(f"{name!r} is {-deepest:.1e} deep at t = {when:.9g} ({place})", seed)


def _check_energy(scene: Scene, result: go.Result, tally: Tally, seed: Any) -> None:
    account = result.energy
    size = float(np.abs(account.kinetic).max() + np.abs(account.potential).max()) + 1e-300
    residual = float(np.abs(account.residual).max()) / size
    tally.note("energy account, residual", residual, seed)
    if not residual <= ENERGY:
        tally.find(f"the energy account is open by {residual:.1e}", seed)
    gains = [e for e in result.events if e.energy_change - e.constraint_work > IMPACT_GAIN * size]
    for event in gains:
        tally.find(f"energy rises at {event}", seed)
    if scene.at_rest:
        rise = float(np.diff(account.total).max(initial=0.0)) / size
        tally.note("rise of energy in one step", rise, seed)
        if not rise <= ENERGY:
            tally.find(f"the energy rises by {rise:.1e}", seed)


def _check_events(
    system: go.System, scene: Scene, result: go.Result, solver: str, tally: Tally, seed: Any
) -> None:
    """Every QP sent to a second solver: the first events are the same."""
    try:
        other = _run(system, scene, solver, reuse_active_set=False)
    except go.GaussError as error:
        tally.find(f"with {solver}: {type(error).__name__}: {error}", seed)
        return
    tally.counts["scenes run by a second solver"] += 1
    if len(result.events[:COMPARED_EVENTS]) != len(other.events[:COMPARED_EVENTS]):
        tally.find(f"{solver} has {len(other.events)} events for {len(result.events)}", seed)
        return
    for mine, theirs in zip(result.events[:COMPARED_EVENTS], other.events, strict=False):
        apart = abs(mine.t - theirs.t) / scene.end
        tally.note("time between events: two solvers, relative", apart, seed)
        same = mine.kind == theirs.kind and set(mine.contacts) == set(theirs.contacts)
        if not same or apart > EVENT_TIME:
            tally.find(f"{solver} has {theirs} for {mine}", seed)
            return
