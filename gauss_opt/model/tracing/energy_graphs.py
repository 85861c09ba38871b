"""What the energy account needs of the traced functions: the rate of the mass, and forces at rest.

For the rate of the mass the step of a difference would have to know the units; the trace does not.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from ...base.arrays import Array, Mask
from ...base.errors import TraceError
from ...base.lazy import lazy
from ..dynamics import Motion, Parameters
from .buffered import BufferedFunction, SampledFunction
from .system_graph import SystemGraph

__all__ = ["EnergyGraphs", "RestForces"]


class RestForces(NamedTuple):
    """Forces at v = 0 at k states, beside those of the potential.

    Attributes
    ----------
    force, gradient : (k, nv) arrays
        Q(q, 0, t), and grad V.
    force_slope, gradient_slope : (k, nv, nv) arrays
        Their derivatives: entry (i, j) is that of component i by q[j].
    uneven : (k, nv) array
        Q(q, v, t) + Q(q, -v, t) - 2 Q(q, 0, t): zero for what only resists the motion.
    varies, slope_varies : (nv,) masks
        Whether the force, and its derivative at rest, depend on time explicitly.
    """

    force: Array
    gradient: Array
    force_slope: Array
    gradient_slope: Array
    uneven: Array
    varies: Mask
    slope_varies: Mask


class EnergyGraphs:
    """Functions made of the graphs of a system when they are asked for."""

    def __init__(self, graph: SystemGraph) -> None:
        self._graph = graph
        symbols = graph.symbols
        self._inputs = [symbols.q, symbols.v, symbols.t, symbols.p]

    @lazy
    def inertia_power(self) -> Motion | None:
        """1/2 v' M' v along the motion, as a vector of one; None where the mass has no trace."""
        mass, symbols = self._graph.graphs.get("mass"), self._graph.symbols
        if mass is None:
            return None
        kinetic = 0.5 * symbols.v.T @ mass @ symbols.v
        q_dot = self._graph.graphs.get("qdot", symbols.v)
        # q' takes the place of the direction, so that v is constant in the derivative.
        along = ca.gradient(kinetic, symbols.q).T @ q_dot + ca.jacobian(kinetic, symbols.t)
        function = ca.Function("inertia_power", self._inputs, [ca.densify(ca.cse(along))])
        return BufferedFunction(function).at

    def at_rest(
        self, q: Array, v: Array, times: Array, parameters: Parameters
    ) -> RestForces | None:
        """Forces at rest at many states; None where there is nothing that can be compared."""
        if self._rest is None:
            return None
        function, varies, slope_varies = self._rest
        k, nv = len(q), self._graph.symbols.v.shape[0]
        out = function(np.hstack([q, v]), times, parameters)
        force, gradient, uneven = (out[:, i * nv : (i + 1) * nv] for i in range(3))
        slopes = out[:, 3 * nv :].reshape(k, 2, nv, nv).transpose(0, 1, 3, 2)
        return RestForces(force, gradient, slopes[:, 0], slopes[:, 1], uneven, varies, slope_varies)

    @lazy
    def _rest(self) -> tuple[SampledFunction, Mask, Mask] | None:
        graph, symbols = self._graph, self._graph.symbols
        if graph.potential is None or "force" not in graph.graphs or "N" in graph.graphs:
            return None
        try:
            energy, _ = graph.potential.trace(symbols)
        except TraceError:
            return None
        q, v, force = symbols.q, symbols.v, graph.graphs["force"]
        at_rest = ca.substitute(force, v, ca.SX.zeros(*v.shape))
        gradient = ca.gradient(energy, q)
        uneven = force + ca.substitute(force, v, -v) - 2.0 * at_rest
        slopes = [ca.jacobian(at_rest, q), ca.jacobian(gradient, q)]
        parts = [at_rest, gradient, uneven, *(ca.vec(ca.densify(slope)) for slope in slopes)]
        output = ca.densify(ca.cse(ca.vertcat(*parts)))
        function = SampledFunction(ca.Function("at_rest", self._inputs, [output]), q.shape[0])
        return function, _vary(force, symbols.t), _vary(slopes[0], symbols.t)


def _vary(graph: Any, t: Any) -> Mask:
    """Rows of a graph that depend on time."""
    rows = [ca.depends_on(graph[i, :], t) for i in range(graph.shape[0])]
    return np.array(rows, dtype=bool)
