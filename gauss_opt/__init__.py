"""Constrained mechanics, contact and impacts by Gauss's principle of least constraint."""

from . import closed_form, oracles, scene, solvers
from .acceleration import Acceleration, accelerate, build_acceleration
from .case import Case, Check, Setup, parameter
from .case_files import case_names, find_case
from .certificate import Certificate, certify
from .collision import Collision, collide, engage
from .consistency import Assembly, assemble
from .crosscheck import Crosscheck, crosscheck
from .errors import (
    GaussError,
    InfeasibleError,
    InputError,
    MassError,
    MissingPackageError,
    ModelError,
    SimulationError,
    SolverError,
    TraceError,
    UserFunctionError,
)
from .impact import Impact, Outcome
from .impact_laws import ImpactLaw, Newton, Poisson, Sequential
from .ladder import GaussSolver, solve
from .model import Contact, Holonomic, Nonholonomic, Servo, VelocityLimit
from .phases import Phase, simulate_phases
from .problem import GaussProblem
from .problem_file import load_problem, load_problems, save_problem, save_problems
from .records import Event, State, Stats
from .result import Result, load
from .simulate import simulate, start
from .snapshot import Snapshot, evaluate, potential_energy
from .solution import GaussSolution
from .stepper import Stepper
from .system import System

__version__ = "0.1.0"

__all__ = [
    "Acceleration",
    "Assembly",
    "Case",
    "Certificate",
    "Check",
    "Collision",
    "Contact",
    "Crosscheck",
    "Event",
    "GaussError",
    "GaussProblem",
    "GaussSolution",
    "GaussSolver",
    "Holonomic",
    "Impact",
    "ImpactLaw",
    "InfeasibleError",
    "InputError",
    "MassError",
    "MissingPackageError",
    "ModelError",
    "Newton",
    "Nonholonomic",
    "Outcome",
    "Phase",
    "Poisson",
    "Result",
    "Sequential",
    "Servo",
    "Setup",
    "SimulationError",
    "Snapshot",
    "SolverError",
    "State",
    "Stats",
    "Stepper",
    "System",
    "TraceError",
    "UserFunctionError",
    "VelocityLimit",
    "accelerate",
    "assemble",
    "build_acceleration",
    "case_names",
    "certify",
    "closed_form",
    "collide",
    "crosscheck",
    "engage",
    "evaluate",
    "find_case",
    "load",
    "load_problem",
    "load_problems",
    "oracles",
    "parameter",
    "potential_energy",
    "save_problem",
    "save_problems",
    "scene",
    "simulate",
    "simulate_phases",
    "solve",
    "solvers",
    "start",
]
