"""Which inequality rows take part in a problem: those that touch, or those that are named."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..base.arrays import Array, Indices
from ..base.errors import InputError, ModelError
from ..base.tolerances.mechanics import TOUCHING
from ..model.rows import Kind
from ..model.snapshot import Snapshot

__all__ = ["chosen_rows", "contact_rows"]


def chosen_rows(snapshot: Snapshot, contacts: Iterable[str] | None) -> Indices | None:
    """Rows of the layout that are in the problem, ascending; None when all of them are."""
    layout = snapshot.layout
    ne = layout.equalities.stop
    if ne == layout.n_rows:
        return None
    inequalities = _touching(snapshot) if contacts is None else _named(snapshot, contacts)
    if len(inequalities) == layout.n_rows - ne:
        return None
    chosen: Indices = np.array([*range(ne), *inequalities], dtype=np.intp)
    return chosen


def _touching(snapshot: Snapshot) -> list[int]:
    """Inequality rows that touch, ascending. Lists: for a few rows they are faster than arrays."""
    layout = snapshot.layout
    ne, n_contacts = layout.equalities.stop, layout.contacts.stop - layout.equalities.stop
    jacobian, end = snapshot.jacobian, layout.limits.stop
    values, rates = snapshot.value[ne:end].tolist(), snapshot.rate[ne:end].tolist()
    reach = jacobian.sizes(_position_scale(snapshot))[ne:end].tolist()
    touching = [i for i, value in enumerate(values) if value <= TOUCHING * reach[i]]
    if n_contacts < len(values) or max(rates, default=0.0) > 0.0:
        size = jacobian.sizes(np.abs(snapshot.v)) + np.abs(snapshot.offset)
        speed = (TOUCHING * size[ne:end]).tolist()
        touching = [i for i in touching if i < n_contacts and rates[i] <= speed[i]]
        touching += [i for i in range(n_contacts, len(values)) if values[i] <= speed[i]]
    touching = [ne + i for i in touching]
    if snapshot.enabled is not None:
        touching = [i for i in touching if snapshot.enabled[i]]
    if 0.0 in reach:  # without a normal, or with zero coordinates only
        _require_normals(snapshot, touching)
    return touching


def _position_scale(snapshot: Snapshot) -> Array:
    """Size of the positions, one for each velocity."""
    q = np.abs(snapshot.q)
    return q if len(q) == len(snapshot.v) else np.full(len(snapshot.v), q.max())


def _named(snapshot: Snapshot, names: Iterable[str]) -> list[int]:
    """Rows of contacts and limits by name, ascending."""
    return _rows_named(snapshot, names, (Kind.CONTACT, Kind.LIMIT), "a contact or a velocity limit")


def contact_rows(snapshot: Snapshot, names: Iterable[str] | None) -> Indices:
    """Rows of contacts by name, ascending; by default those that touch and do not separate."""
    if names is not None:
        return np.array(_rows_named(snapshot, names, (Kind.CONTACT,), "a contact"), dtype=np.intp)
    rows = _touching(snapshot)
    return np.array([row for row in rows if row < snapshot.layout.contacts.stop], dtype=np.intp)


def _rows_named(
    snapshot: Snapshot, names: Iterable[str], kinds: tuple[Kind, ...], what: str
) -> list[int]:
    wanted = [names] if isinstance(names, str) else names
    blocks = [snapshot.layout.block(name) for name in wanted]
    for block in blocks:
        if block.kind not in kinds:
            raise InputError(f"{block.item} is not {what}")
    rows = sorted({i for block in blocks for i in block.indices})
    _require_normals(snapshot, rows)
    return rows


def _require_normals(snapshot: Snapshot, chosen: list[int]) -> None:
    """A contact that takes part must have a normal."""
    for i in chosen:
        if snapshot.rows_of(np.array([i])).any():
            continue
        block = snapshot.layout.block_at(i)
        item, changes = block.item, "gap" if block.kind == Kind.CONTACT else "value"
        raise ModelError(
            f"the normal of {item} is zero at t={snapshot.t:g}, q={snapshot.q}: its {changes} does "
            f"not change with any coordinate there"
        )
