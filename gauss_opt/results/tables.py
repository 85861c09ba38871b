"""A result as a table of pandas, as a dataset of xarray, and as what a notebook shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..base.optional import optional_package
from ..base.words import html
from .energy import has_energy
from .names import (
    by_component,
    coordinate_names,
    coordinate_units,
    energy_name,
    velocity_names,
    velocity_units,
)
from .summary import require_rows, summary, verdict

if TYPE_CHECKING:
    from .result import Result

__all__ = ["Tabled"]

FIRST = 10  # events shown with the summary
OF_ROWS = ("multipliers",)
OF_CONTACTS = {"gaps": "contact", "friction": "tangent", "slips": "tangent"}  # and over what


class Tabled:
    """The methods of a :class:`Result` that make tables of it."""

    def to_dataframe(self) -> Any:
        """All rows as a pandas DataFrame; needs pandas."""
        result = cast("Result", self)
        pandas = optional_package("pandas", "to_dataframe()")
        columns = {"t": result.t}
        for name in ("q", "v", "a"):
            for i, column in enumerate(getattr(result, name).T):
                columns[f"{name}[{i}]"] = column
        for word in (*OF_ROWS, *OF_CONTACTS):
            for name, values in by_component(getattr(result, word)).items():
                columns[f"{word.removesuffix('s')} {name}"] = values
        return pandas.DataFrame(columns)

    def to_xarray(self) -> Any:
        """All rows as an xarray Dataset over named dimensions, with units; needs xarray.

        Dimensions are ``t``, ``coordinate``, ``velocity``, ``row`` (one for each row of a
        constraint or contact), ``contact`` (one for each row of a contact) and ``tangent`` (one for
        each direction of friction). Both sides of a
        jump are rows with the same t; ``dataset.drop_duplicates("t", keep="last")`` leaves the
        side after it.

        Examples
        --------
        >>> import gauss_opt as go
        >>> ball = go.System([1.0], [-9.81], coordinates=["height"], units=["m"])
        >>> dataset = go.simulate(ball, [1.0], [0.0], (0, 0.4)).to_xarray()
        >>> print(dict(dataset.sizes)["coordinate"], dataset.q.sel(coordinate="height").values[0])
        1 1.0
        """
        result = cast("Result", self)
        require_rows(result)
        xarray = optional_package("xarray", "to_xarray()")
        variables: dict[str, Any] = {
            "q": (("t", "coordinate"), result.q),
            "v": (("t", "velocity"), result.v),
            "a": (("t", "velocity"), result.a),
        }
        coordinates: dict[str, Any] = {
            "t": ("t", result.t, {"units": "s"}),
            "coordinate": coordinate_names(result),
            "velocity": velocity_names(result),
            "coordinate_unit": ("coordinate", coordinate_units(result)),
            "velocity_unit": ("velocity", velocity_units(result)),
        }
        for word, over in (*zip(OF_ROWS, ["row"], strict=True), *OF_CONTACTS.items()):
            parts = by_component(getattr(result, word))
            coordinates[over] = np.array(list(parts), dtype=str)
            columns = np.array(list(parts.values())).reshape(len(parts), len(result.t))
            variables[word.removesuffix("s")] = (("t", over), columns.T)
        if has_energy(result):
            unit = {"units": energy_name(result)}
            for name, column in (
                ("kinetic_energy", result.energy.kinetic),
                ("potential_energy", result.energy.potential),
                ("energy_residual", result.energy.residual),
            ):
                variables[name] = ("t", column, unit)
        about = {"success": int(result.success), "status": str(result.status)}
        attributes = {**about, "message": result.message, "law": str(result.settings.get("law"))}
        return xarray.Dataset(variables, coordinates, attributes)

    def _repr_html_(self) -> str:
        result = cast("Result", self)
        parts = [html.heading(f"{verdict(result)}: {result.message}")]
        parts.append(html.facts((fact.label, fact) for fact in summary(result)))
        if result.events:
            parts.append(result.events[:FIRST]._repr_html_())
        if len(result.events) > FIRST:
            last = result.events[-1]
            parts.append(
                html.sentence(
                    f"and {len(result.events) - FIRST} more; the last: {last.kind} at {last.t:.12g}"
                )
            )
        return f"<div>{''.join(parts)}</div>"
