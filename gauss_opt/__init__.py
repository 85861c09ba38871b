"""Constrained mechanics, contact and impacts by Gauss's principle of least constraint."""

from typing import TYPE_CHECKING, Any

from . import planar, solvers
from .base.errors import (
    CarryingError,
    GaussError,
    InfeasibleError,
    InputError,
    MassError,
    MissingPackageError,
    ModelError,
    NotSmoothError,
    OrbitError,
    PainleveError,
    SimulationError,
    SolverError,
    TraceError,
    UserFunctionError,
)
from .mechanics.acceleration import accelerate
from .mechanics.acceleration_problem import build_acceleration
from .mechanics.answer import Acceleration
from .mechanics.collision import Collision, collide
from .mechanics.consistency.assembly import Assembly, assemble
from .mechanics.crosscheck import Crosscheck, crosscheck
from .mechanics.engagement import engage
from .mechanics.friction.problem import build_friction
from .mechanics.impact import Impact, Outcome
from .mechanics.impact_laws import ImpactLaw, Newton, Poisson, Sequential
from .model.constraints import Contact, Holonomic, Nonholonomic, Servo, VelocityLimit
from .model.snapshot import Snapshot, evaluate, potential_energy
from .model.system import System
from .qp.certificate import Certificate, certify
from .qp.friction.certificate import FrictionCertificate, certify_friction
from .qp.friction.problem import FrictionProblem
from .qp.friction.solution import FrictionSolution
from .qp.gauss_solver import GaussSolver, solve
from .qp.problem import GaussProblem
from .qp.problem_file import load_problem, load_problems, save_problem, save_problems
from .qp.solution import GaussSolution
from .reference import closed_form, oracles
from .results.records import Event, State, Stats
from .results.result import Result, load
from .simulation.driver import simulate, start
from .simulation.event_driven.stepper import Stepper
from .simulation.phases import Phase, simulate_phases
from .studies.case import Case, Check, Setup, parameter
from .studies.case_files import case_names, find_case
from .viz import scene

if TYPE_CHECKING:
    from .studies.bench.bench import bench_solvers
    from .studies.bench.problems import harvest
    from .studies.bench.result import SolverBench
    from .studies.nonsmooth.continuation import Branch, continue_orbit
    from .studies.nonsmooth.lyapunov import Lyapunov, lyapunov
    from .studies.nonsmooth.monodromy import Monodromy, monodromy
    from .studies.nonsmooth.orbit import Orbit, periodic_orbit
    from .studies.nonsmooth.section import Section, section
    from .studies.sweeps.result import Sweep
    from .studies.sweeps.sweep import sweep

__version__ = "0.1.0"

# What only studies need is imported when it is first asked for.
_LATE = {
    "SolverBench": "studies.bench.result",
    "bench_solvers": "studies.bench.bench",
    "harvest": "studies.bench.problems",
    "Branch": "studies.nonsmooth.continuation",
    "Lyapunov": "studies.nonsmooth.lyapunov",
    "Monodromy": "studies.nonsmooth.monodromy",
    "Orbit": "studies.nonsmooth.orbit",
    "Section": "studies.nonsmooth.section",
    "Sweep": "studies.sweeps.result",
    "continue_orbit": "studies.nonsmooth.continuation",
    "lyapunov": "studies.nonsmooth.lyapunov",
    "monodromy": "studies.nonsmooth.monodromy",
    "periodic_orbit": "studies.nonsmooth.orbit",
    "section": "studies.nonsmooth.section",
    "sweep": "studies.sweeps.sweep",
}

__all__ = [
    "Acceleration",
    "Assembly",
    "Branch",
    "CarryingError",
    "Case",
    "Certificate",
    "Check",
    "Collision",
    "Contact",
    "Crosscheck",
    "Event",
    "FrictionCertificate",
    "FrictionProblem",
    "FrictionSolution",
    "GaussError",
    "GaussProblem",
    "GaussSolution",
    "GaussSolver",
    "Holonomic",
    "Impact",
    "ImpactLaw",
    "InfeasibleError",
    "InputError",
    "Lyapunov",
    "MassError",
    "MissingPackageError",
    "ModelError",
    "Monodromy",
    "Newton",
    "Nonholonomic",
    "NotSmoothError",
    "Orbit",
    "OrbitError",
    "Outcome",
    "PainleveError",
    "Phase",
    "Poisson",
    "Result",
    "Section",
    "Sequential",
    "Servo",
    "Setup",
    "SimulationError",
    "Snapshot",
    "SolverBench",
    "SolverError",
    "State",
    "Stats",
    "Stepper",
    "Sweep",
    "System",
    "TraceError",
    "UserFunctionError",
    "VelocityLimit",
    "accelerate",
    "assemble",
    "bench_solvers",
    "build_acceleration",
    "build_friction",
    "case_names",
    "certify",
    "certify_friction",
    "closed_form",
    "collide",
    "continue_orbit",
    "crosscheck",
    "engage",
    "evaluate",
    "find_case",
    "harvest",
    "load",
    "load_problem",
    "load_problems",
    "lyapunov",
    "monodromy",
    "oracles",
    "parameter",
    "periodic_orbit",
    "planar",
    "potential_energy",
    "save_problem",
    "save_problems",
    "scene",
    "section",
    "simulate",
    "simulate_phases",
    "solve",
    "solvers",
    "start",
    "sweep",
]


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(f".{_LATE[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
