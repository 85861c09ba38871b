"""What can go wrong; each error carries the object it is about.

Every message says what, where, and what to try. Every exception of the package derives from
:class:`GaussError`, so that one ``except`` catches them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..qp.friction.problem import FrictionProblem
    from ..qp.problem import GaussProblem
    from ..results.result import Result

__all__ = [
    "CarryingError",
    "GaussError",
    "InfeasibleError",
    "InputError",
    "MassError",
    "MissingPackageError",
    "ModelError",
    "NonFiniteError",
    "NotSmoothError",
    "OrbitError",
    "PainleveError",
    "SimulationError",
    "SolverError",
    "TraceError",
    "UnknownNameError",
    "UnknownOptionError",
    "UserFunctionError",
]


class GaussError(Exception):
    """Base of all errors raised by gauss_opt."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _arrived, (type(self), self.args, dict(vars(self)))


def _arrived(cls: type[GaussError], args: tuple[Any, ...], state: dict[str, Any]) -> GaussError:
    """An error from another process, with all that it carries."""
    error = cls.__new__(cls)
    error.args = args
    error.__dict__.update(state)
    return error


class CarryingError(GaussError, TypeError):
    """Something of a model that pickle cannot take to another process."""


class InputError(GaussError, ValueError):
    """An argument that cannot be used: wrong shape, not finite, an unknown name."""


class UnknownNameError(InputError, KeyError):
    """A name that is not there; the message has those that are, and the nearest one."""

    __str__ = Exception.__str__  # a KeyError puts its message into quotes


class UnknownOptionError(InputError, TypeError):
    """An argument of a name that is not known; the message has the nearest one."""


class ModelError(GaussError, ValueError):
    """A model that contradicts itself or cannot be used as written."""


class TraceError(ModelError):
    """A function that cannot be traced into exact derivatives as it is written."""


class UserFunctionError(GaussError, RuntimeError):
    """A user function raised an exception, or returned something that is not finite.

    Attributes
    ----------
    function : str
        The function's place in the model, such as ``gap of contact 'floor'``.
    t : float
        Time of the call.
    """

    def __init__(self, message: str, *, function: str, t: float) -> None:
        super().__init__(message)
        self.function = function
        self.t = t


class NonFiniteError(UserFunctionError):
    """A user function returned NaN or infinity."""


class ProblemError(GaussError, RuntimeError):
    """A least-constraint problem without a certified answer; it is in ``problem``."""

    def __init__(self, message: str, problem: GaussProblem | FrictionProblem) -> None:
        super().__init__(message)
        self.problem = problem


class MassError(ProblemError):
    """A direction has neither mass nor an equality that holds it: its acceleration is undefined."""


class InfeasibleError(ProblemError):
    """No point satisfies the constraints, and a verified Farkas certificate proves it.

    Attributes
    ----------
    constraints : tuple of str
        The names of the constraints in the conflict.
    certificate : FarkasCertificate
        Multipliers y with y >= 0 on inequalities, A'y = 0 and b'y > 0.
    """

    problem: GaussProblem

    def __init__(
        self,
        message: str,
        problem: GaussProblem,
        constraints: tuple[str, ...] = (),
        certificate: object = None,
    ) -> None:
        super().__init__(message, problem)
        self.constraints = constraints
        self.certificate = certificate


class SolverError(ProblemError):
    """Every solver that was asked failed; ``attempts`` says how."""

    def __init__(
        self,
        message: str,
        problem: GaussProblem | FrictionProblem,
        attempts: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message, problem)
        self.attempts = attempts


class PainleveError(SolverError):
    """A sliding contact wedges itself: no acceleration satisfies Coulomb's law.

    Attributes
    ----------
    contacts : tuple of str
        The contacts whose own force would draw them together.
    """

    def __init__(
        self,
        message: str,
        problem: FrictionProblem,
        attempts: tuple[tuple[str, str], ...] = (),
        contacts: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message, problem, attempts)
        self.contacts = contacts


class NotSmoothError(GaussError, ArithmeticError):
    """A motion that has no derivative by its start: a contact grazes, or several meet at once.

    Attributes
    ----------
    t : float
        When.
    contacts : tuple of str
        Which.
    """

    def __init__(self, message: str, *, t: float, contacts: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.t = t
        self.contacts = contacts


class OrbitError(GaussError, ArithmeticError):
    """No periodic orbit was found; ``residual`` says how far the ends were apart."""

    def __init__(self, message: str, residual: float) -> None:
        super().__init__(message)
        self.residual = residual


class SimulationError(GaussError, RuntimeError):
    """A simulation that could not continue; what it had computed is in ``result``."""

    def __init__(self, message: str, result: Result | None = None) -> None:
        super().__init__(message)
        self.result = result


class MissingPackageError(GaussError, ImportError):
    """An optional package is not installed; the message has the command that installs it."""
