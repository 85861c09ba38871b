"""Constrained mechanics, contact and impacts by Gauss's principle of least constraint."""

from . import closed_form, oracles, solvers
from .acceleration import Acceleration, accelerate, build_acceleration
from .certificate import Certificate, certify
from .consistency import Assembly, assemble
from .crosscheck import Crosscheck, crosscheck
from .errors import (
    GaussError,
    InfeasibleError,
    InputError,
    MassError,
    MissingPackageError,
    ModelError,
    SolverError,
    TraceError,
    UserFunctionError,
)
from .ladder import GaussSolver, solve
from .model import Contact, Holonomic, Nonholonomic, Servo, VelocityLimit
from .problem import GaussProblem
from .problem_file import load_problem, load_problems, save_problem, save_problems
from .snapshot import Snapshot, evaluate, potential_energy
from .solution import GaussSolution
from .system import System

__version__ = "0.1.0"

__all__ = [
    "Acceleration",
    "Assembly",
    "Certificate",
    "Contact",
    "Crosscheck",
    "GaussError",
    "GaussProblem",
    "GaussSolution",
    "GaussSolver",
    "Holonomic",
    "InfeasibleError",
    "InputError",
    "MassError",
    "MissingPackageError",
    "ModelError",
    "Nonholonomic",
    "Servo",
    "Snapshot",
    "SolverError",
    "System",
    "TraceError",
    "UserFunctionError",
    "VelocityLimit",
    "accelerate",
    "assemble",
    "build_acceleration",
    "certify",
    "closed_form",
    "crosscheck",
    "evaluate",
    "load_problem",
    "load_problems",
    "oracles",
    "potential_energy",
    "save_problem",
    "save_problems",
    "solve",
    "solvers",
]
