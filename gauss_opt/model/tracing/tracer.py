"""From a system to its :class:`Dynamics`: traced, compared with its functions, probed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import numpy as np

from ...base.errors import InputError, ModelError, TraceError
from ...base.tolerances.model import TRACE_AGREES
from ..dynamics import Dynamics, Parameters
from ..mass import full_mass
from .hand_derivatives import HandDynamics
from .system_graph import NEED_NO_DERIVATIVE, SystemGraph, system_graph
from .traced import TracedDynamics
from .user_function import UserFunction, probe_points

if TYPE_CHECKING:
    from ..system import System

__all__ = ["trace_system"]

log = logging.getLogger(__name__)


def trace_system(system: System, nq: int, nv: int) -> Dynamics:
    """Trace everything a system consists of, and compare the traces with the functions."""
    known = system.parameters
    untraceable: set[str] = set()
    while True:
        graph = system_graph(system, nq, nv, untraceable)
        traced = TracedDynamics(graph, known)
        failed = _first_disagreement(traced, known)
        if failed is None:
            break
        function, difference = failed
        if function.label not in NEED_NO_DERIVATIVE:
            raise TraceError(difference)
        log.warning("%s; it is called directly instead", difference)
        untraceable.add(function.label)
    _probe_plain(graph, known)
    _require_slips_along_surfaces(traced, known)
    return HandDynamics(traced, graph.rows.by_hand) if graph.rows.by_hand else traced


def _first_disagreement(
    traced: TracedDynamics, parameters: Parameters
) -> tuple[UserFunction, str] | None:
    for q, v, t in probe_points(traced.nq, traced.nv):
        failed = traced.disagreement(q, v, t, parameters)
        if failed is not None:
            return failed
    return None


def _require_slips_along_surfaces(traced: TracedDynamics, parameters: Parameters) -> None:
    """Refuse a slip that is the rate of its gap, W_T = W_N or -W_N, at every state tried.

    With a single coordinate there is no other velocity to write.
    """
    layout = traced.layout
    if traced.nv == 1 or not len(layout.normal_of):
        return
    along, apart = layout.tangents, layout.normal_of
    same = np.zeros(len(apart), dtype=bool)
    differs = same.copy()
    for q, v, t in probe_points(traced.nq, traced.nv):
        with np.errstate(all="ignore"):
            rates = np.abs(traced.rows(q, v, t, parameters).dot(v))
            slips, gaps = rates[along], rates[apart]
            equal = np.abs(slips - gaps) <= TRACE_AGREES * gaps
            same |= equal & (gaps > 0.0)
            differs |= ~equal & np.isfinite(slips + gaps)
    for row in apart[same & ~differs]:
        raise ModelError(
            f"the slip of {layout.names[row]!r} is the rate of its gap: it must be the velocity "
            f"along the surface, such as v[0] for a floor with the gap q[1]"
        )


def _probe_plain(graph: SystemGraph, parameters: Parameters) -> None:
    """Try the functions that are called directly; refuse one that never returns the right shape."""
    nq, nv = graph.symbols.q.shape[0], graph.symbols.v.shape[0]
    for user, shape in graph.direct_functions():
        wrong: InputError | None = None
        for q, v, t in probe_points(nq, nv):
            arguments = {"q": q, "v": v, "t": t, "ideal_force": 0.0 * v}
            try:
                value = user.probe(arguments, parameters, shape)
                if value is not None and user.label == "mass":
                    full_mass(value, nv)
            except InputError as error:
                wrong = error
            else:
                if value is not None:
                    wrong = None
                    break
        if wrong is not None:
            raise wrong
