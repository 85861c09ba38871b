"""All kinds by name, and the check of one of them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from soak_checks import Tally

import gauss_opt as go
from kinds import forces, loops, piles, rough, runs, surfaces, switches
from kinds.judge import judged
from kinds.march import compared
from kinds.model import Trial

KINDS: dict[str, Callable[[np.random.Generator], Trial]] = {
    made.__name__.replace("_", " "): made
    for made in (
        surfaces.bumps,
        surfaces.moving_obstacles,
        forces.pulses_at_rest,
        forces.redundant_tables,
        loops.parallelograms,
        loops.bennett,
        loops.bricards,
        loops.spherical_four_bars,
        loops.sarrus,
        piles.piles,
        piles.stacks,
        rough.rubbing_bodies,
        rough.belts,
        switches.conditions,
        switches.platforms,
        switches.velocity_limits,
        switches.user_events,
        runs.resumed,
        runs.phases,
    )
}


def meaning(kind: str) -> str:
    """What a kind is, in one sentence."""
    return (KINDS[kind].__doc__ or "").splitlines()[0]


def check_kind(kind: str, seed: list[int], *, march: bool = True) -> Tally:
    """Make the model that belongs to a kind and a seed, run it, and judge the run.

    Tiny steps take most of the time: without ``march`` they are left out.
    """
    tally = Tally(Counter({"models": 1, f"{kind}: models": 1}))
    rng = np.random.default_rng(seed)
    trial = KINDS[kind](rng)
    trial.model.march &= march
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = trial.result()
        except go.GaussError as error:
            tally.counts[f"{kind}: errors"] += 1
            tally.find(f"{kind}: {type(error).__name__}: {error}", seed)
            result = None
    for warning in caught:
        tally.find(f"{kind}: a warning leaks: {warning.message}", seed)
    if result is None:
        return tally
    if not result.success:
        tally.counts[f"{kind}: no success"] += 1
        tally.find(f"{kind}: no success: {result.message}", seed)
        return tally
    _count(tally, kind, result)
    _judge(tally, kind, trial, result, seed)
    return tally


def _count(tally: Tally, kind: str, result: go.Result) -> None:
    tally.counts[f"{kind}: successes"] += 1
    tally.counts[f"{kind}: steps"] += result.stats.steps
    tally.counts[f"{kind}: events"] += len(result.events)
    tally.counts[f"{kind}: sampled"] += bool(result.stats.sampled)


def _judge(tally: Tally, kind: str, trial: Trial, result: Any, seed: list[int]) -> None:
    wrong: list[str] = []
    if trial.run is None:
        verdict = judged(trial.model, result, np.random.default_rng(seed))
        wrong += verdict.wrong
        tally.counts.update(verdict.counts)
        for name, figure in verdict.worst.items():
            tally.note(f"{kind}: {name}", figure, seed)
        if trial.model.march:
            word, apart = compared(trial.model, result)
            tally.counts[f"{kind}: {word}"] += 1
            if word.startswith("differs"):
                wrong.append(f"{word} by {apart:.1e}")
            elif word.startswith("agrees"):
                tally.note(f"{kind}: distance from tiny steps", apart, seed)
    if trial.more is not None:
        wrong += trial.more(result)
    if wrong:
        tally.counts[f"{kind}: wrong successes"] += 1
        tally.find(
            f"{kind}: WRONG: {wrong[0]}" + (f" ({len(wrong)} such)" if wrong[1:] else ""), seed
        )
