"""From a system to its :class:`Dynamics`: traced, compared with its functions, probed."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ...base.errors import InputError, TraceError
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
    return HandDynamics(traced, graph.rows.by_hand) if graph.rows.by_hand else traced


def _first_disagreement(
    traced: TracedDynamics, parameters: Parameters
) -> tuple[UserFunction, str] | None:
    for q, v, t in probe_points(traced.nq, traced.nv):
        failed = traced.disagreement(q, v, t, parameters)
        if failed is not None:
            return failed
    return None


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
