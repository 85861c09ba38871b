"""Every tolerance of the package: its name, its value, what it is relative to, what it is for.

One module for each room of the package. A name stands for one value and one idea everywhere, and
different ideas have different names. The constants are plain floats, so they cost what a float
costs; what is known about them is in :data:`TOLERANCES`.

>>> from gauss_opt.base.tolerances.qp import WEAK
>>> WEAK, TOLERANCES["WEAK"].relative_to
(1e-09, 'the length of z, or its round-off')
"""

from __future__ import annotations

from . import base, cli, mechanics, model, planar, qp, reference, results, simulation, studies, viz
from .table import TOLERANCES, Tolerance

__all__ = [
    "TOLERANCES",
    "Tolerance",
    "base",
    "cli",
    "mechanics",
    "model",
    "planar",
    "qp",
    "reference",
    "results",
    "simulation",
    "studies",
    "viz",
]
