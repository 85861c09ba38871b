"""Pictures of a result: over time, phase portraits, states of a drawing, all in one overview."""

from .accuracy import accuracy
from .energies import energy
from .forces import constraint_forces, contact_forces, gaps, impulses, reactions
from .overview import overview, pictures
from .rubbing import friction, slips
from .stills import filmstrip, stroboscope
from .trajectories import phase_portrait, positions, velocities

__all__ = [
    "accuracy",
    "constraint_forces",
    "contact_forces",
    "energy",
    "filmstrip",
    "friction",
    "gaps",
    "impulses",
    "overview",
    "phase_portrait",
    "pictures",
    "positions",
    "reactions",
    "slips",
    "stroboscope",
    "velocities",
]
