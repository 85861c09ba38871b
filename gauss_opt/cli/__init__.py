"""The command line ``gauss-opt``: one file for each command, and what they share."""

from .entry import main

__all__ = ["main"]
