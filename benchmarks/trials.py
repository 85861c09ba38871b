"""What a family of scenes draws: a run, and the judgement of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import gauss_opt as go


@dataclass(frozen=True)
class Trial:
    """One scene, and the judgement of its run.

    Attributes
    ----------
    run : callable
        Simulates it.
    wrong : callable
        Whether a successful run has missed something.
    """

    run: Callable[[], go.Result]
    wrong: Callable[[go.Result], bool]


def wide(rng: np.random.Generator, low: float, high: float) -> float:
    return float(10.0 ** rng.uniform(low, high))
