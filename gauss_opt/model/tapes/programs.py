"""The programs of a traced system: each is made when it is asked for, and kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..dynamics import Parameters
from ..enclosure.enclosures import Enclosures
from ..tracing.system_graph import SystemGraph
from ..tracing.user_function import UserFunction
from .builder import program_of
from .program import Program
from .tape import NoProgram

__all__ = ["Programs"]


class Programs:
    """What a compiled engine takes of a system.

    Parameters
    ----------
    graph : SystemGraph
    enclosures : Enclosures
        Of the same system.
    """

    def __init__(self, graph: SystemGraph, enclosures: Enclosures) -> None:
        self._graph, self._enclosures = graph, enclosures
        self._kept: dict[tuple[Any, ...], Program | str] = {}

    def of(self, watched: Sequence[UserFunction], parameters: Parameters) -> Program:
        """The program, with functions whose zeros must not be missed either.

        Raises
        ------
        NoProgram
            Where there is none; it says why.
        """
        key = tuple(user.function for user in watched)
        if key not in self._kept:
            try:
                graphs = self._graphs(watched, parameters)
                self._kept[key] = program_of(self._graph, self._enclosures.resolution, graphs)
            except NoProgram as error:
                self._kept[key] = str(error)
        found = self._kept[key]
        if isinstance(found, str):
            raise NoProgram(found)
        return found

    def _graphs(self, watched: Sequence[UserFunction], parameters: Parameters) -> list[Any]:
        graphs = [self._enclosures.graph_of(user, parameters) for user in watched]
        for user, graph in zip(watched, graphs, strict=True):
            if graph is None:
                raise NoProgram(f"{user.label} cannot be traced")
        return graphs
