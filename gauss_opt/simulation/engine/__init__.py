"""The compiled engine: a C extension that is optional, and what Python needs to use it."""

from .extension import Extension, extension

__all__ = ["Extension", "extension"]
