"""Whether the compiled engine is here, and why not if it is not.

The extension ``_engine`` is compiled when the package is built, where there is a C compiler.
Without it everything works, in Python. In a source tree it is used only when it was compiled from
the sources that lie there, so that an edited source never runs as what it was before.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from .sources import fingerprint

__all__ = ["ABI", "SWITCH", "Extension", "extension"]

ABI = 2  # the interface between this package and its extension; module.c has the same number
SWITCH = "GAUSS_OPT_ENGINE"  # the variable that, set to "python", hides the extension
AGAIN = "install the package again, or run `python hatch_build.py` in the source tree"


@dataclass(frozen=True)
class Extension:
    """The compiled module, or the reason why there is none."""

    module: ModuleType | None
    reason: str

    def __bool__(self) -> bool:
        return self.module is not None

    def __str__(self) -> str:
        return "compiled" if self else f"Python only: {self.reason}"


def extension() -> Extension:
    """The compiled engine of this installation.

    >>> found = extension()
    >>> bool(found) or bool(found.reason)
    True
    """
    if os.environ.get(SWITCH) == "python":
        return Extension(None, f"the environment variable {SWITCH} is python")
    return _load()


@cache
def _load() -> Extension:
    try:
        from . import _engine
    except ImportError as error:
        return Extension(None, _why_not_built(error))
    if _engine.abi() != ABI:
        return Extension(None, f"it has interface {_engine.abi()}, not {ABI}: {AGAIN}")
    if fingerprint() not in (None, _engine.sources()):
        return Extension(None, f"it was compiled from other sources: {AGAIN}")
    return Extension(_engine, "")


def _why_not_built(error: ImportError) -> str:
    note = Path(__file__).with_name("not_built.txt")
    if note.exists():
        return (
            f"not compiled when the package was built: {note.read_text(encoding='utf-8').strip()}"
        )
    if list(Path(__file__).parent.glob("_engine*.so")):
        return f"it cannot be loaded: {error}"
    return f"it has not been compiled: {AGAIN}"
