"""Tolerances of the least-constraint problem and of the solvers that are asked about it."""

from __future__ import annotations

from .table import Room

_qp = Room("qp")

# Whitening
SHORTEST_ROW = _qp(
    "SHORTEST_ROW",
    1e-140,
    "nothing (a length in the metric of the inverse mass)",
    "a shorter row is refused: its square would vanish",
)
LONGEST_ROW = _qp(
    "LONGEST_ROW",
    1e140,
    "nothing (a length in the metric of the inverse mass)",
    "a longer row is refused: its square would overflow",
)
IMPOSSIBLE_ROW = _qp(
    "IMPOSSIBLE_ROW",
    1e-100,
    "the row's right-hand side",
    "the length given to a zero row that cannot hold, so that the certificate judges it by its "
    "right-hand side alone",
)
VISIBLE_VIOLATION = _qp(
    "VISIBLE_VIOLATION",
    1e-4,
    "|L'x^|",
    "a smaller violation is not scaled up for the solvers: b - A x^ has lost too many digits",
)
INDEFINITE_METRIC = _qp(
    "INDEFINITE_METRIC",
    1e-10,
    "the largest eigenvalue, at least 1, with the diagonal scaled to 1",
    "a negative eigenvalue of a singular metric that is still round-off",
)

# Solving on a given active set, and pivoting to the right one
CLEARLY_INDEPENDENT = _qp(
    "CLEARLY_INDEPENDENT",
    0.05,
    "the length of the row",
    "rows with no smaller pivot are solved through their Gram matrix",
)
NEARLY_DEPENDENT = _qp(
    "NEARLY_DEPENDENT",
    1e-7,
    "the length of the row",
    "a row whose part independent of the others is smaller is dropped when they imply it",
)
DEPENDENT = _qp(
    "DEPENDENT",
    1e-13,
    "the length of the row",
    "a row whose part independent of the others is smaller is dropped in any case",
)
IMPLIED = _qp(
    "IMPLIED",
    1e-13,
    "the right-hand side and the length of z",
    "the largest misfit of a nearly dependent row that the others imply",
)
VIOLATED = _qp(
    "VIOLATED",
    1e-13,
    "the right-hand side and the length of z",
    "a violation below which a row holds, in pivoting",
)
RHS_ROUND_OFF = _qp(
    "RHS_ROUND_OFF",
    1e-2,
    "the terms that the right-hand side is the difference of",
    "times VIOLATED: the round-off of a right-hand side",
)
DEPENDENT_STEP = _qp(
    "DEPENDENT_STEP",
    1e-12,
    "the length of the row",
    "an entering row whose part independent of the held rows is smaller is implied by them",
)
LIGHT = _qp(
    "LIGHT",
    1e-4,
    "the largest entry of the diagonal of the metric",
    "a smaller one belongs to a light mass: rows that are not clearly independent are then solved "
    "without whitening",
)

# Parts
UNEVEN = _qp(
    "UNEVEN",
    1e-6,
    "the largest part of a problem",
    "a part this much smaller is solved, and judged, by itself",
)

# Certificate
CERTIFIED = _qp(
    "CERTIFIED",
    1e-9,
    "the terms that each residual is the difference of",
    "the largest residual of an accepted certificate, unless the user asks for another",
)
ROW_FLOOR = _qp(
    "ROW_FLOOR",
    1e-2,
    "|L'x| times the length of the row",
    "added to |b| as the scale of A x - b: with all of that bound a light body would be judged by "
    "the forces on a heavy one, with much less round-off would fail",
)
CANCELLING = _qp(
    "CANCELLING",
    1e-6,
    "terms that cancel",
    "the part of them that is added to the scale of a residual; times the tolerance it is about "
    "their round-off. With all of them, the multipliers of nearly dependent rows would "
    "hide a wrong x",
)

# Choosing among solvers and active sets
WEAK = _qp(
    "WEAK",
    1e-9,
    "the length of z, or its round-off",
    "a multiplier or a slack that may be zero: then the active set is not unique",
)
SHARP = _qp(
    "SHARP",
    1e-13,
    "the terms that each residual is the difference of",
    "a larger violation or negative multiplier is more than round-off, and is pivoted away",
)
NEARLY_CERTIFIED = _qp(
    "NEARLY_CERTIFIED",
    1e-4,
    "the terms that each residual is the difference of",
    "a certificate that fails by less may fail by the round-off of a Gram matrix only",
)
PROPOSED_ZEROS = _qp(
    "PROPOSED_ZEROS",
    (1e-7, 1e-10, 1e-4, 1e-13),
    "the largest multiplier proposed",
    "how small a multiplier a solver may propose for an inactive row, in the order they are tried",
)
PROPOSED_TOUCHING = _qp(
    "PROPOSED_TOUCHING",
    1e-7,
    "the length of the z proposed",
    "the largest slack of a row that a proposed z holds with equality",
)

# Friction
UNIT_DIRECTION = _qp(
    "UNIT_DIRECTION", 1e-9, "nothing", "how far the square of a direction of sliding is from 1"
)
REGULAR_SET = _qp(
    "REGULAR_SET",
    1e-6,
    "the largest pivot",
    "a set of contacts with no smaller pivot has forces that are certainly unique",
)
DEPENDENT_STATES = _qp(
    "DEPENDENT_STATES",
    1e-10,
    "the largest singular value, at least 1",
    "a smaller singular value of the rows of a set, seen by its forces, means redundant forces",
)
PROPOSED_OPEN = _qp(
    "PROPOSED_OPEN", 1e-10, "the largest force proposed", "a smaller normal force is none"
)
PROPOSED_STUCK = _qp(
    "PROPOSED_STUCK",
    1e-9,
    "the bound of the friction force; without one, the largest rate",
    "a friction force that is less below its bound slides; a slip that is smaller is none",
)
STILL = _qp("STILL", 1e-9, "the largest rate without forces", "a smaller slip of an answer is none")
TRESCA_COMPLIANCE = _qp(
    "TRESCA_COMPLIANCE",
    1e-9,
    "the mobility of the row, at least 1",
    "added to it where solvers propose sets, so that redundant forces have one answer",
)
LEMKE_PIVOT = _qp("LEMKE_PIVOT", 1e-11, "entries of order one", "a smaller pivot is none")
LEMKE_TIED = _qp("LEMKE_TIED", 1e-13, "the ratio, at least 1", "ratios that differ less are tied")
SAME_FORCES = _qp(
    "SAME_FORCES", 1e-7, "the largest force", "answers whose forces differ less are the same"
)

# Proof of infeasibility
FARKAS_GAIN = _qp(
    "FARKAS_GAIN",
    1e-9,
    "the terms of y'r",
    "the least y'r that counts as positive",
)
FARKAS_CANCELLED = _qp(
    "FARKAS_CANCELLED",
    1e-13,
    "the sum of the weights |y|",
    "what round-off leaves of unit rows that cancel",
)
FARKAS_RESIDUAL = _qp(
    "FARKAS_RESIDUAL",
    1e-6,
    "the reciprocal of max|r|, for y'r = 1",
    "the largest |B'y|: what is feasible is further away than max|r| divided by this",
)
FARKAS_USED = _qp(
    "FARKAS_USED",
    1e-12,
    "the largest weight",
    "rows with less weight are left out when y is polished",
)
FARKAS_NAMED = _qp(
    "FARKAS_NAMED",
    1e-6,
    "the largest weight",
    "constraints with less weight are not named in the error",
)

# Files
SAVED_TARGET = _qp(
    "SAVED_TARGET",
    1e-9,
    "the terms of M x^",
    "the largest difference of load and metric times target in a file",
)

# Accuracy asked of each solver: whitened rows have unit length, and so has the largest violation
CLARABEL_ACCURACY = _qp(
    "CLARABEL_ACCURACY",
    1e-12,
    "the whitened problem",
    "gap and feasibility that Clarabel stops at",
)
CVXPY_CLARABEL_ACCURACY = _qp(
    "CVXPY_CLARABEL_ACCURACY",
    1e-10,
    "the whitened problem",
    "gap and feasibility that Clarabel stops at when called through cvxpy",
)
CVXPY_SPLITTING_ACCURACY = _qp(
    "CVXPY_SPLITTING_ACCURACY",
    1e-9,
    "the whitened problem",
    "residuals that OSQP and SCS stop at when called through cvxpy",
)
DAQP_PRIMAL_ACCURACY = _qp(
    "DAQP_PRIMAL_ACCURACY",
    1e-11,
    "the whitened problem",
    "the largest violation that DAQP leaves",
)
DAQP_DUAL_ACCURACY = _qp(
    "DAQP_DUAL_ACCURACY",
    1e-13,
    "the whitened problem",
    "the largest negative multiplier that DAQP leaves",
)
NNLS_INFEASIBLE = _qp(
    "NNLS_INFEASIBLE",
    1e-10,
    "a unit vector",
    "a residual of Lawson and Hanson's method that means that no z is feasible",
)
OSQP_ACCURACY = _qp(
    "OSQP_ACCURACY",
    1e-9,
    "the whitened problem",
    "residuals that OSQP stops at",
)
PIQP_ACCURACY = _qp(
    "PIQP_ACCURACY",
    1e-11,
    "the whitened problem",
    "residuals that PIQP stops at",
)
PROXQP_ACCURACY = _qp(
    "PROXQP_ACCURACY",
    1e-10,
    "the whitened problem",
    "residuals that ProxQP stops at",
)
