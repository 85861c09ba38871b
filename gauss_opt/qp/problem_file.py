"""Problems in files: npz, written whole or not at all, and never able to run code when read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..base.arrays import real_array
from ..base.errors import InputError
from ..base.npz import read_header, read_npz, write_npz
from ..base.tolerances.qp import SAVED_TARGET
from .friction.problem import FrictionProblem
from .problem import GaussProblem

__all__ = ["load_problem", "load_problems", "save_problem", "save_problems"]

FORMAT = "gauss_opt problems"
VERSION = 2  # 1 without friction; still written where there is none
_FRICTION = ("friction", "slide", "preload")
_ARRAYS = ("metric", "load", "rows", "rhs", "target")


Problem = GaussProblem | FrictionProblem


def save_problem(problem: Problem, path: str | os.PathLike[str]) -> None:
    """Save one problem, for instance that of an error: ``save_problem(error.problem, path)``."""
    save_problems([problem], path)


def load_problem(path: str | os.PathLike[str]) -> Problem:
    """Load a file that holds exactly one problem."""
    problems = load_problems(path)
    if len(problems) != 1:
        raise InputError(f"{path} holds {len(problems)} problems; use load_problems")
    return problems[0]


def save_problems(problems: Iterable[Problem], path: str | os.PathLike[str]) -> None:
    """Save a series of problems in one file, for replay by any solver."""
    arrays: dict[str, Any] = {}
    headers = []
    version = 1
    for i, item in enumerate(problems):
        problem = item.smooth if isinstance(item, FrictionProblem) else item
        entry: dict[str, Any] = {
            "kind": problem.kind, "n_equality": problem.n_equality, "names": list(problem.names)
        }  # fmt: skip
        for field in _ARRAYS:
            value = getattr(problem, field)
            if value is not None:
                arrays[f"{i}_{field}"] = value
        if isinstance(item, FrictionProblem):
            version = VERSION
            entry["n_normal"] = item.n_normal
            entry["normal_of"] = item.normal_of.tolist()
            arrays |= {f"{i}_{field}": getattr(item, field) for field in _FRICTION}
        headers.append(entry)
    header = {"format": FORMAT, "version": version, "problems": headers}
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    write_npz(Path(path), arrays)


def load_problems(path: str | os.PathLike[str]) -> list[Problem]:
    """Load a series of problems. Every array is checked as if the user had typed it."""
    arrays = read_npz(Path(path))
    header = read_header(arrays, FORMAT, VERSION, path)
    problems: list[Problem] = []
    try:
        for i, entry in enumerate(header["problems"]):
            pieces: dict[str, Any] = {field: arrays.get(f"{i}_{field}") for field in _ARRAYS}
            ne = int(entry["n_equality"])
            rows, rhs, names = pieces["rows"], pieces["rhs"], entry["names"]
            if rows is None or rhs is None or not 0 <= ne <= len(rhs):
                raise InputError("its rows are incomplete")
            if not (isinstance(names, list) and len(names) == len(rhs)):
                raise InputError(f"its {len(rhs)} rows do not have one name each")
            problem = GaussProblem.create(
                pieces["metric"],
                pieces["load"],
                Ae=rows[:ne],
                be=rhs[:ne],
                Ai=rows[ne:],
                bi=rhs[ne:],
                equality_names=[str(name) for name in names[:ne]],
                inequality_names=[str(name) for name in names[ne:]],
                kind=str(entry["kind"]),
            )
            problem = _with_target(problem, pieces["target"])
            problems.append(_with_friction(problem, entry, arrays, i))
    except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
        raise InputError(f"{path} is damaged: problem {len(problems)}: {error}") from error
    return problems


def _with_friction(
    smooth: GaussProblem, entry: dict[str, Any], arrays: dict[str, Any], i: int
) -> Problem:
    """The problem with its friction, if it has any."""
    if "n_normal" not in entry:
        return smooth
    nn, ne = int(entry["n_normal"]), smooth.n_equality
    if not 0 <= nn <= smooth.n_inequality:
        raise InputError("its number of normals does not fit its rows")
    checked = FrictionProblem.create(
        smooth.metric, smooth.load, normals=smooth.Ai[:nn].reshape(nn, smooth.n),
        tangents=smooth.Ai[nn:], normal_rhs=smooth.bi[:nn], tangent_rhs=smooth.bi[nn:],
        normal_of=[int(j) for j in entry["normal_of"]],
        names=smooth.names[ne : ne + nn],
        **{field: arrays[f"{i}_{field}"] for field in _FRICTION},
    )  # fmt: skip
    return replace(checked, smooth=smooth)


def _with_target(problem: GaussProblem, target: Any) -> GaussProblem:
    """The problem with its target as well; both are in the file, so that neither is rounded."""
    if target is None:
        return problem
    x_hat = real_array("target", target)
    if x_hat.shape != problem.load.shape:
        raise InputError(f"target must have shape {problem.load.shape}, got {x_hat.shape}")
    mismatch = np.abs(problem.metric @ x_hat - problem.load)
    if (mismatch > SAVED_TARGET * (np.abs(problem.metric) @ np.abs(x_hat))).any():
        raise InputError("its load is not its metric times its target")
    return replace(problem, target=x_hat)
