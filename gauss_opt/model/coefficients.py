"""Restitution and friction of every contact row, with the values that the parameters have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..base.arrays import Array, Mask
from ..base.frozen import frozen_in_place
from ..base.lazy import lazy
from .constraints import COEFFICIENTS, Contact
from .rows import RowTable

__all__ = ["Coefficients"]


@dataclass(frozen=True, eq=False)
class Coefficients:
    """Coefficients on the rows of a table; 0 for all rows that are not of contacts.

    Attributes
    ----------
    restitution, friction, static_friction, tangential_restitution : (m,) arrays
    rough : (m,) mask
        Contact rows with friction.
    """

    restitution: Array
    friction: Array
    static_friction: Array
    tangential_restitution: Array
    rough: Mask

    @classmethod
    def of(cls, layout: RowTable, parameters: Mapping[str, Any]) -> Coefficients:
        """The coefficients of the contacts of a table.

        >>> floor = Contact("floor", lambda q, t: q[:2], restitution="e")
        >>> table = RowTable.of([(floor, 2, False)])
        >>> Coefficients.of(table, {"e": 0.5}).restitution
        array([0.5, 0.5])
        """
        columns = {word: np.zeros(layout.n_rows) for word in COEFFICIENTS}
        for block in layout.blocks:
            if isinstance(block.item, Contact):
                for word, values in block.item.coefficients(parameters).items():
                    columns[word][block.rows] = values
        has_slip = np.zeros(layout.n_rows, dtype=bool)
        has_slip[layout.normal_of] = True
        rough = has_slip & (np.maximum(columns["friction"], columns["static_friction"]) > 0.0)
        for column in (*columns.values(), rough):
            frozen_in_place(column)
        return cls(**columns, rough=rough)

    @lazy
    def has_friction(self) -> bool:
        """Whether any contact has friction."""
        return bool(self.rough.any())
