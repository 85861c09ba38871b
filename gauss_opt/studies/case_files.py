"""Cases by name or from a file: the built-in ones ship with the package."""

from __future__ import annotations

import copyreg
import importlib.util
import os
import sys
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle

from ..base.errors import GaussError, InputError
from ..base.words.choices import choices
from .case import Case

__all__ = ["case_names", "find_case"]

_INSTALLED = Path(__file__).parents[1] / "cases"
_CHECKOUT = Path(__file__).parents[2] / "cases"


def folder() -> Path:
    """Where the built-in cases are: in the package, or beside it in a checkout."""
    return _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT


def case_names() -> tuple[str, ...]:
    """Names of the built-in cases."""
    return tuple(sorted(p.stem for p in folder().glob("*.py") if not p.stem.startswith("_")))


def find_case(name: str | os.PathLike[str]) -> type[Case]:
    """A built-in case by name, or the case in a file by path.

    A path ends in ``.py`` or has a folder in front; a bare name is always a built-in case, even
    when a file of that name is in the current folder. Loading a file runs it.
    """
    text = os.fspath(name)
    if text.endswith(".py") or Path(text).name != text:
        return _from_file(Path(text).resolve())
    if text in case_names():
        return _from_file(folder() / f"{text}.py")
    hint = ""
    if Path(f"{text}.py").is_file():
        hint = f". To run the file {text}.py of this folder, write ./{text}.py"
    raise InputError(f"no case is called {text!r}; {choices(text, case_names())}{hint}")


@cache
def _from_file(path: Path) -> type[Case]:
    if not path.is_file():
        raise InputError(f"there is no case file {path}")
    module_name = f"gauss_opt_case_{path.stem}_{sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise InputError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses look their module up
    try:
        spec.loader.exec_module(module)
    except GaussError:
        raise
    except SystemExit as error:
        raise InputError(
            f"{path} ends the program when it is loaded (sys.exit): put that below "
            f'if __name__ == "__main__":'
        ) from error
    except Exception as error:
        raise InputError(f"{path} cannot be loaded: {type(error).__name__}: {error}") from error
    found = [
        item
        for item in vars(module).values()
        if isinstance(item, type) and issubclass(item, Case) and item.__module__ == module_name
    ]
    if len(found) != 1:
        listed = ", ".join(item.__name__ for item in found) or "none"
        raise InputError(f"{path} must define one subclass of gauss_opt.Case; it defines {listed}")
    built_in = path.resolve().parent == folder().resolve()
    _let_travel(module, found[0], path.stem if built_in else str(path))
    return found[0]


def _let_travel(module: ModuleType, case: type[Case], source: str) -> None:
    """Let its cases go to other processes, where the file is loaded again, and its functions."""
    cloudpickle.register_pickle_by_value(module)  # which nobody there can import
    copyreg.pickle(case, lambda one: (_arrived, (source, one.values)))


def _arrived(source: str, values: Mapping[str, Any]) -> Case:
    return find_case(source)(**values)
