"""What the compiled engine is told besides the system: options, tolerances, coefficients."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.integrate import DOP853

from ...base import chebyshev
from ...base.arrays import Array
from ...base.tolerances import base, mechanics, model, qp, results, simulation
from ...mechanics.impact_laws import ImpactLaw, Newton, Poisson, Sequential
from ..event_driven.integrator import dop853_basis
from ..settings import Settings

__all__ = ["law_number", "options", "tables"]

NODES, CUTS = 8, 8

# The order is that of Settings in native/engine.h.
TOLERANCES = (
    results.AT_THE_START, simulation.ROUND_OFF, simulation.SIMULTANEOUS, simulation.LONG_RUN,
    simulation.ATOL_BY_RTOL, simulation.ATOL_FLOOR, simulation.DRIFT, simulation.JUMP,
    simulation.JUMP_BY_RTOL, simulation.EXACT_OUTPUT, simulation.GRAZE, simulation.INSIDE,
    simulation.NEWTON_STEP, simulation.SLOW, simulation.SLOW_IN_IMPACT, simulation.ACCUMULATED,
    simulation.NO_FORCE, simulation.SAME_ACCELERATION, simulation.BESIDE_CONTACT,
    simulation.NO_GRADIENT, simulation.NEXT_TO_NOTHING, base.TINY, base.ADJACENT_TIMES,
    base.FINEST_TIME, base.ASKED_AGAIN,
    base.COEFFICIENT_NOISE, model.ENCLOSURE_ULP, model.LEAST_LOGARITHM, model.SHORTEST_PART,
    qp.CLEARLY_INDEPENDENT, qp.NEARLY_DEPENDENT, qp.VIOLATED, qp.RHS_ROUND_OFF, qp.ROW_FLOOR,
    qp.CANCELLING, qp.WEAK, qp.SHARP, qp.LIGHT, base.SUSPECT_PIVOT, qp.SHORTEST_ROW,
    qp.LONGEST_ROW, mechanics.MOTION_FLOOR, mechanics.ENERGY_GAIN, mechanics.IMPACT_CONVERGED,
    mechanics.SAME_ROWS, mechanics.RETURNED_UNDERFLOW, mechanics.LEFT_APPROACH,
    mechanics.APPROACH_ROUND_OFF, mechanics.TIED_APPROACH, mechanics.PRODUCT_ROUND_OFF,
)  # fmt: skip


def law_number(law: ImpactLaw) -> int | None:
    """The number of an impact law; None for one that the engine does not have."""
    if type(law) is Sequential:
        return 2 if law.law == Newton() and type(law.law) is Newton else None
    if type(law) is Newton:
        return None if law.equality else 0
    return 1 if type(law) is Poisson else None


def options(settings: Settings, tolerance: float, most_steps: float) -> Array:
    """The options of a run, and all tolerances, in the order of the engine."""
    law = law_number(settings.law)
    assert law is not None
    collisions = settings.law.max_collisions if isinstance(settings.law, Sequential) else 0
    first = (
        settings.t1, settings.time_scale, settings.rtol, settings.max_step, settings.closure,
        tolerance, settings.length_scale is not None, settings.atol is not None,
        settings.t_eval is None, law, collisions, most_steps, settings.max_events,
    )  # fmt: skip
    return np.array((*first, *TOLERANCES), dtype=float)


@cache
def tables() -> Array:
    """Coefficients of DOP853 and of Chebyshev interpolation, one after the other."""
    stages, extra = DOP853.n_stages, len(DOP853.C_EXTRA)
    every = stages + 1 + extra
    A = np.zeros((every, every))
    A[:stages, :stages] = DOP853.A
    A[stages + 1 :, : DOP853.A_EXTRA.shape[1]] = DOP853.A_EXTRA
    C = np.concatenate([DOP853.C, [1.0], DOP853.C_EXTRA])
    found = np.concatenate([
        np.ravel(part) for part in (
            A, DOP853.B, C, DOP853.E3, DOP853.E5, DOP853.D, dop853_basis(),
            chebyshev.nodes(NODES), chebyshev.weights(NODES),
            chebyshev.differentiation_matrix(NODES), chebyshev.cutting(NODES, CUTS),
            chebyshev.coefficients(NODES),
        )
    ])  # fmt: skip
    found.setflags(write=False)
    return found
