"""Hand-given derivatives compared with differences, across the motion and along it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...base.arrays import Array
from ...base.errors import ModelError, UserFunctionError
from ...base.tolerances.model import DIFFERENCE_ROUND_OFF, DIFFERENCE_STEP, WRONG_DERIVATIVE
from ..rows import Block

__all__ = ["check_derivatives"]

Parts = tuple[Array, ...]
"""Value, rate, Jacobian in v, and bias of a constraint."""


def check_derivatives(
    block: Block, at: Callable[..., Parts], N: Array | None, q: Array, v: Array, t: float
) -> None:
    """Refuse derivatives that differ from central differences.

    Parameters
    ----------
    block : Block
        The constraint.
    at : callable
        Its value, rate, Jacobian and bias at (q, v, t).
    N : (nq, nv) array or None
        q' = N v.
    """
    here = at(q.copy(), v.copy(), t)
    try:
        _check_jacobian(block, at, here, N, q, v, t)
        _check_along_motion(block, at, here, v if N is None else N @ v, q, v, t)
    except UserFunctionError:  # a neighbour where the function is not defined proves nothing
        return


def _check_jacobian(
    block: Block, at: Callable[..., Parts], here: Parts, N: Array | None, q: Array, v: Array,
    t: float,
) -> None:  # fmt: skip
    value, _, jacobian, _ = here
    numeric = np.zeros_like(jacobian)
    size = float(np.abs(v if block.on_velocity else q).max())
    h = DIFFERENCE_STEP * (size or 1.0)
    for j in range(len(v)):
        unit = np.zeros(len(v))
        unit[j] = h
        if block.on_velocity:
            ahead, behind = at(q, v + unit, t), at(q, v - unit, t)
        else:
            shift = unit if N is None else N @ unit
            ahead, behind = at(q + shift, v, t), at(q - shift, v, t)
        numeric[:, j] = (ahead[0] - behind[0]) / (2 * h)
    terms = np.abs(value) + np.abs(jacobian).sum(axis=1) * size
    _compare("jacobian", block, jacobian, [(numeric, DIFFERENCE_ROUND_OFF * terms / h)])


def _check_along_motion(
    block: Block, at: Callable[..., Parts], here: Parts, motion: Array, q: Array, v: Array, t: float
) -> None:
    """The rate and the bias; nobody knows the time scale, so one of several steps must agree."""
    value, rate, jacobian, bias = here
    fastest = float(np.abs(motion).max())
    h = DIFFERENCE_STEP * (abs(t) or 1.0)
    if fastest:
        h = min(h, DIFFERENCE_STEP * (float(np.abs(q).max()) or 1.0) / fastest)
    rates, biases = [], []
    for step in (h, 1e-2 * h, 1e2 * h):
        ahead = at(q + step * motion, v, t + step)
        behind = at(q - step * motion, v, t - step)
        noise = np.abs(value) + np.abs(jacobian).sum(axis=1) * np.abs(q).max()
        numeric = (ahead[0] - behind[0]) / (2 * step)
        rates.append((numeric[:, None], DIFFERENCE_ROUND_OFF * noise / step))
        noise = np.abs(rate) + np.abs(jacobian) @ np.abs(v)
        numeric = (ahead[1] - behind[1]) / (2 * step)
        biases.append((numeric[:, None], DIFFERENCE_ROUND_OFF * noise / step))
    if not block.on_velocity:
        _compare("time_derivative (in the rate)", block, rate[:, None], rates)
    _compare("bias", block, bias[:, None], biases)


def _compare(what: str, block: Block, given: Array, trials: Sequence[tuple[Array, Array]]) -> None:
    """Refuse entries that differ from every trial by more than a part of their row and its noise.

    A trial is a derivative by differences, with the noise of each row.
    """
    messages = []
    for numeric, noise in trials:
        size = np.maximum(np.abs(given), np.abs(numeric)).max(axis=1)
        excess = np.abs(given - numeric) - (WRONG_DERIVATIVE * size + noise)[:, None]
        row, column = np.unravel_index(int(excess.argmax()), excess.shape)
        if excess[row, column] <= 0.0:
            return
        place = f" (row {row}, column {column})" if given.shape[1] > 1 else f" (row {row})"
        messages.append(
            f"the hand-given {what}{place} of {block.item} is {given[row, column]:.8g} but "
            f"finite differences of the function give {numeric[row, column]:.8g}; correct it, or "
            f"switch this check off with check_derivatives=False"
        )
    raise ModelError(messages[0])
