"""Tracing numpy: the graph gives what numpy gives, or a TraceError says what to write instead."""

import copy
import math

import casadi as ca
import numpy as np
import pytest

from gauss_opt.model.tracing.symbols import Symbol, SymbolArray, TraceError, symbol, symbols, to_sx

N = 4
A = np.array([[2.0, -1.0, 0.5, 0.0], [0.3, 1.5, 0.0, 1.0], [0.0, 0.2, 3.0, 1.0], [1, 0, 1, 4.0]])
c = np.array([1.0, -2.0, 0.5, 3.0])
POINTS = [np.random.default_rng(seed).uniform(-2.0, 2.0, N) for seed in range(5)]


def unit(q):
    """Into (0, 1), for functions with a small domain."""
    return 0.5 + 0.4 * np.sin(q)


def in_place(q):
    z = q.copy()
    z += 1.0
    z[1:] *= q[:-1]
    z[0] = 2.0
    z[2] -= q[0]
    s = q[1]
    s += 3.0
    return z * s


def filled(q):
    z = np.zeros_like(q)
    z[0] = q[1] * q[2]
    z[1:3] = np.sin(q[:2])
    e = np.empty_like(q)
    e[:] = z + 1
    return np.stack([z, e])


def rotation(q):
    R = np.array([[np.cos(q[0]), -np.sin(q[0])], [np.sin(q[0]), np.cos(q[0])]])
    return R @ q[1:3] + R.T.dot([1.0, 2.0])


def into_object_array(q):
    z = np.array([q[0], 0.0, q[1], 1.0])
    z += q
    z[1] = q[3]
    return z * 2 - q


TRACED = {
    # operators, both sides, all kinds of numbers
    "scalar arithmetic": lambda q: 2 * q[0] - q[1] / 3 + (1 - q[2]) * -q[3] + +q[0],
    "numpy scalars": lambda q: np.float64(2) * q[0] + q[1] * np.int64(3) - np.float32(0.5) / q[2],
    "array times scalar": lambda q: c * q[0] + q[1] * c - c / (q[2] + 5),
    "float array on the left": lambda q: np.array([1.0, 2.0]) * q[0],
    "list on the right": lambda q: q * [1, 2, 3, 4],
    "integer powers": lambda q: q**2 + q[0] ** 3 + q**0 + q[1] ** -1,
    "float powers": lambda q: np.abs(q) ** 0.5 + np.abs(q) ** 1.7,
    "constant base": lambda q: 2.0**q + np.float64(3) ** q[0],
    "symbolic power": lambda q: np.power(unit(q), q),
    "remainder": lambda q: q % 0.7 + q[0] % -0.3 + 5.3 % q,
    "floor divide": lambda q: q // 0.3 + q[1] // -0.7 + 7 // q[0],
    "abs": lambda q: abs(q) + abs(q[0]),
    "in place on a copy": in_place,
    "filled zeros_like": filled,
    "object array in place": into_object_array,
    "conditions as numbers": lambda q: (q > 0) * q + (q[0] <= 1) * 2.0,
    "condition algebra": lambda q: np.where((q > 0) & ~(q < 1) | (q == 3) ^ (q != 0.1), q, -q),
    "sum of conditions": lambda q: np.sum(q > 0) + (q < 1).mean() + sum(q > 0.5),
    "constant condition": lambda q: np.where([True, False, True, False], q, 0.0),
    # every ufunc on arrays; on scalars see below
    "trigonometry": lambda q: np.sin(q) + np.cos(q) * np.tan(q),
    "inverse trigonometry": lambda q: np.arcsin(unit(q)) + np.arccos(unit(q)) + np.arctan(q),
    "arctan2": lambda q: np.arctan2(q, c) + np.arctan2(1.0, q) + np.arctan2(q[0], q[1]),
    "hyperbolic": lambda q: np.sinh(q) + np.cosh(q) - np.tanh(q),
    "inverse hyperbolic": lambda q: np.arcsinh(q) + np.arccosh(2 + q**2) + np.arctanh(unit(q)),
    "exponentials": lambda q: np.exp(q) + np.exp2(q) + np.expm1(q),
    "logarithms": lambda q: np.log(unit(q)) + np.log2(unit(q)) + np.log10(unit(q)),
    "log1p": lambda q: np.log1p(unit(q)),
    "logaddexp": lambda q: np.logaddexp(q, 0.3),
    "roots": lambda q: np.sqrt(unit(q)) + np.cbrt(q) + np.square(q) + np.reciprocal(q),
    "hypot": lambda q: np.hypot(q, 0.5) + np.hypot(q[0], q[1]),
    "sign": lambda q: np.sign(q) * q[::-1],
    "heaviside": lambda q: np.heaviside(q, 0.5) * q[0],
    "copysign": lambda q: np.copysign(q, q[::-1]) + np.copysign(2.0, q),
    "rounding down and up": lambda q: np.floor(q) + 2 * np.ceil(q) + 4 * np.trunc(q) + np.fix(q),
    "fmod": lambda q: np.fmod(q, 0.7) + np.fmod(q, -0.7),
    "angles": lambda q: np.deg2rad(q) + np.radians(q) + np.rad2deg(q) + np.degrees(q),
    "maximum": lambda q: np.maximum(q, 0) + np.fmax(q[0], q[1]) + np.maximum(0.5, q[2]),
    "minimum": lambda q: np.minimum(q, q[::-1]) + np.fmin(q, 0.1),
    "clip": lambda q: np.clip(q, -1, 0.5) + np.clip(q[0], 0, 1) + q.clip(-0.5, None),
    "clip by symbols": lambda q: np.clip(c, -np.abs(q[0]), np.abs(q)),
    "logical functions": lambda q: np.where(np.logical_and(q > 0, q < 1), q, 1.0),
    "logical xor": lambda q: np.where(np.logical_xor(q > 0, np.logical_not(q < 1)), q, 1.0),
    "float_power and fabs": lambda q: np.float_power(q, 2) + np.fabs(q) + np.positive(q),
    "conjugate": lambda q: np.conj(q) + q.conj() + np.real(q) + q[0].real,
    # reductions
    "sum": lambda q: q.sum() + np.sum(q) + sum(q) + np.sum(q[1:] * q[:-1]),
    "sum over an axis": lambda q: np.outer(q, q).sum(axis=1) + np.sum(np.outer(q, c), axis=0),
    "sum over two axes": lambda q: np.sum(np.outer(q, q), axis=(0, 1)),
    "sum with dtype float": lambda q: np.sum(q, dtype=float),
    "sum of nothing": lambda q: np.sum(q[:0]) + q[0],
    "prod": lambda q: q.prod() + np.prod(q[:2]),
    "mean, var, std": lambda q: q.mean() + np.var(q) + q.std() + np.std(q, ddof=1),
    "max and min": lambda q: q.max() - np.min(q) + np.amax(q[1:]) + np.ptp(q),
    "max over an axis": lambda q: np.max(np.outer(q, c), axis=1) + np.min(A * q, axis=0),
    "any and all": lambda q: np.where(np.any(q > 1) | np.all(q > -1), q[0], q[1]),
    "cumsum and cumprod": lambda q: np.cumsum(q) + q.cumsum() + np.cumprod(q),
    "diff and ediff1d": lambda q: np.diff(q) + np.ediff1d(q),
    "ufunc methods": lambda q: np.add.reduce(q) + np.multiply.outer(q, c) + np.add.accumulate(q),
    "average": lambda q: np.average(q, weights=[1, 2, 3, 4]),
    # products
    "matmul": lambda q: A @ q + q @ A + np.matmul(A, q) * (q @ q),
    "dot": lambda q: np.dot(A, q) + A.dot(q) + q.dot(A) + np.dot(q, q),
    "inner, vdot, vecdot": lambda q: np.inner(q, c) + np.vdot(c, q) + np.vecdot(q, q),
    "matvec": lambda q: np.matvec(A, q) + np.vecmat(q, A),
    "outer": lambda q: np.outer(q, q) + np.outer(c, q),
    "cross": lambda q: np.cross(q[:3], c[:3]) + np.cross(c[:3], q[1:]),
    "einsum": lambda q: np.einsum("ij,j->i", A, q) + np.einsum("i,i", q, q),
    "einsum optimised": lambda q: np.einsum("i,ij,j", q, A, q, optimize=True),
    "tensordot": lambda q: np.tensordot(A, q, axes=1),
    "kron": lambda q: np.kron(q[:2], c[:2]),
    "trace": lambda q: np.trace(np.outer(q, c)) + np.outer(q, q).trace(),
    "convolve": lambda q: np.convolve(q, [1.0, 2.0]),
    "quadratic form": lambda q: 0.5 * q @ A @ q,
    "rotation": rotation,
    # linear algebra
    "norm": lambda q: np.linalg.norm(q) + np.linalg.norm(q[:2] - c[:2]),
    "norm of a list": lambda q: np.linalg.norm([q[0], 1.0]),
    "norms of rows": lambda q: np.linalg.norm(np.outer(q, c) + A, axis=1),
    "norm keeping dims": lambda q: np.linalg.norm(A * q, axis=0, keepdims=True),
    "other norms": lambda q: np.linalg.norm(q, 1) + np.linalg.norm(q, np.inf),
    "p-norm": lambda q: np.linalg.norm(q, 3) + np.linalg.norm(q, -np.inf) + np.linalg.norm(q, 2),
    "frobenius": lambda q: np.linalg.norm(A * q) + np.linalg.norm(A * q, "fro"),
    "det": lambda q: np.linalg.det(A + np.diag(q**2)),
    "inv": lambda q: np.linalg.inv(A + np.diag(q**2)),
    "solve": lambda q: np.linalg.solve(A + np.diag(q**2), c),
    "solve matrix": lambda q: np.linalg.solve(A + np.diag(q**2), np.outer(q, c)),
    "solve with a zero corner": lambda q: np.linalg.solve(np.block([[0, 1], [q[0], 0]]), q[:2]),
    "matrix_power": lambda q: np.linalg.matrix_power(A * q, 3),
    # building and shaping
    "array of symbols": lambda q: np.array([q[0], 1.0, q[1] * 2]),
    "nested array": lambda q: np.array([[q[0], 0.0], [1, q[1]]]) @ q[:2],
    "array of arrays": lambda q: np.array([q, 2 * q]),
    "sin of a list of symbols": lambda q: np.sin(np.array([q[0], q[1]])),
    "arctan2 in object arrays": lambda q: np.arctan2(np.array([q[0], q[1]]), np.array([1.0, 2])),
    "floor in object arrays": lambda q: np.floor(np.array([q[0], 1.5])) + math.floor(q[1]),
    "hstack of numbers": lambda q: np.sin(np.hstack([q[0], 0.0, 1])),
    "concatenate": lambda q: np.concatenate([q[:2], [1.0], np.sin(q)]),
    "stacking": lambda q: np.vstack([q, c]) + np.stack([q, q]) + np.column_stack([q, c]).T,
    "append and insert": lambda q: np.append(q, 1.0) + np.insert(q, 1, q[0]),
    "block": lambda q: np.block([[A, q[:, None]], [q[None, :], np.ones((1, 1))]]),
    "diag": lambda q: np.diag(q) + np.diag(np.diag(np.outer(q, q))),
    "tril": lambda q: np.tril(np.outer(q, q)) + np.triu(A * q),
    "reshape": lambda q: q.reshape(2, 2).T + np.reshape(q, (2, 2)) + np.transpose(q.reshape(2, 2)),
    "ravel and flatten": lambda q: np.ravel(np.outer(q, c)) + np.outer(c, q).flatten(),
    "roll and flip": lambda q: np.roll(q, 1) + np.flip(q) + q[::-1],
    "tile and repeat": lambda q: np.tile(q, 2) + np.repeat(q, 2),
    "split": lambda q: np.split(q, 2)[0] + np.array_split(q, 2)[1],
    "atleast": lambda q: np.atleast_1d(q[0]) + np.atleast_2d(q) + np.expand_dims(q, 0),
    "squeeze and swap": lambda q: np.squeeze(q[None]) + np.swapaxes(q[None], 0, 1),
    "fancy index": lambda q: (
        q[[0, 2]] + np.take(q, [1, 3]) + q[np.array([True, False, True, False])]
    ),
    "full": lambda q: np.full(3, q[0]) + np.full_like(c[:3], 2.0),
    "ones_like, full_like": lambda q: np.ones_like(q) * q + np.full_like(q, q[0]),
    "broadcast": lambda q: np.broadcast_to(q, (3, 4)) + q[:, None][:3],
    "meshgrid": lambda q: np.meshgrid(q, c)[0],
    "unpacking": lambda q: [x * y for x, y in zip(q, reversed(q), strict=True)],
    "polyval": lambda q: np.polyval([1.0, 2.0, 3.0], q),
    "trapezoid and gradient": lambda q: np.trapezoid(q) + np.gradient(q),
    "apply_along_axis": lambda q: np.apply_along_axis(np.sum, 0, np.outer(q, c)),
    "methods of a scalar": lambda q: q[0].sum() + q[1].item() + q[2].copy() + q[3].clip(0, 1),
    "zero-dimensional": lambda q: np.asarray(q[0]) * 2,
    # choosing
    "where": lambda q: np.where(q > 0, np.sqrt(np.abs(q)), -1.0) + np.where(q[0] < q[1], 1, q[2]),
    "where hides a pole": lambda q: np.where(q > 0, np.log(np.abs(q)), 0.0),
    "select": lambda q: np.select([q < -1, q < 1], [q, q**2], default=3.0),
    "infinite bound": lambda q: np.minimum(q, np.inf) + np.where(q < np.inf, q, 0),
    "sinc": lambda q: np.sinc(q),
    # plain results
    "constant": lambda q: 3,
    "constant array": lambda q: A,
    "list": lambda q: [q[0], 0, [q[1]][0]],
    "nested list": lambda q: [[q[0], 0], [1.0, q[1]]],
    "condition": lambda q: q > 0,
}


def shaped(value):
    """The value as the column or matrix that to_sx promises."""
    array = np.asarray(value, dtype=float)
    return array if array.ndim == 2 else array.reshape(-1, 1)


def traced(function):
    column, q = symbols("q", N)
    expression = to_sx(function(q), "the function")
    return ca.Function("f", [column], [expression, ca.jacobian(ca.vec(expression), column)])


@pytest.mark.parametrize("name", TRACED)
def test_the_graph_gives_what_numpy_gives(name):
    graph = traced(TRACED[name])
    for q in POINTS:
        expected = shaped(TRACED[name](q.copy()))
        value = graph(q)[0]
        assert value.shape == expected.shape
        np.testing.assert_allclose(value.full(), expected, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("name", TRACED)
def test_the_jacobian_agrees_with_differences(name):
    graph, h = traced(TRACED[name]), 1e-6
    for q in POINTS[:2]:
        columns = [
            (shaped(TRACED[name](q + h * e)) - shaped(TRACED[name](q - h * e))).ravel("F") / (2 * h)
            for e in np.eye(N)
        ]
        jacobian = graph(q)[1].full()
        scale = 1 + np.abs(jacobian).max()
        np.testing.assert_allclose(jacobian, np.transpose(columns), atol=1e-6 * scale)


SPECIAL = [-2.5, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 2.5]


@pytest.mark.parametrize("x", SPECIAL)
@pytest.mark.parametrize(
    "function",
    [
        np.sign, np.floor, np.ceil, np.trunc, np.abs, np.cbrt,
        lambda x: np.mod(x, 0.5), lambda x: np.mod(x, -1.0), lambda x: x // 0.5,
        lambda x: x // -1.0, lambda x: np.fmod(x, 1.0), lambda x: np.heaviside(x, 0.25),
        lambda x: x**2, lambda x: x**0, lambda x: np.maximum(x, 0), lambda x: np.copysign(3, x),
        lambda x: np.where(x >= 0, 1.0, 2.0), lambda x: np.arctan2(x, -1.0), lambda x: x != 0,
    ],
)  # fmt: skip
def test_numpy_semantics_at_kinks_and_integers(function, x):
    scalar, s = symbol("x")
    graph = ca.Function("f", [scalar], [to_sx(function(s), "f")])
    assert float(graph(x)) == pytest.approx(float(function(np.float64(x))), abs=1e-15)


@pytest.mark.parametrize(
    ("function", "x", "slope"),
    [
        (lambda x: x**2, 0.0, 0.0),
        (lambda x: x**3.0, 0.0, 0.0),
        (lambda x: np.power(x, 1), 0.0, 1.0),
        (lambda x: np.where(x > 0, np.sqrt(x), 0.0), -1.0, 0.0),
        (lambda x: np.where(x > 0, 1 / x, x), 0.0, 1.0),
        (lambda x: np.copysign(x, -1.0), -2.0, 1.0),
        (lambda x: np.mod(x, 2.0), -0.5, 1.0),
        (lambda x: np.logaddexp(x, 0.0), 0.0, 0.5),
        (lambda x: np.clip(x, -1, 1), 3.0, 0.0),
        (lambda x: np.sin(x) ** 2 + np.cos(x) ** 2, 0.3, 0.0),
    ],
)
def test_slopes_are_exact(function, x, slope):
    scalar, s = symbol("x")
    graph = ca.Function("f", [scalar], [ca.jacobian(to_sx(function(s), "f"), scalar)])
    assert float(graph(x)) == pytest.approx(slope, abs=1e-15)


def assign(target, key, value):
    target[key] = value
    return target


def add_in_place(target, value):
    target += value
    return target


def branch(q):
    return q[0] if q[0] > 0 else q[1]


REFUSED = {
    "math": (lambda q: math.sin(q[0]), "np.sin"),
    "float": (lambda q: float(q[0]), "float()"),
    "np.float64": (lambda q: np.float64(q[0]), "float()"),
    "int": (lambda q: int(q[0]), "int()"),
    "round": (lambda q: round(q[0]), "round()"),
    "complex": (lambda q: complex(q[0]), "float()"),
    "index": (lambda q: [1, 2][q[0]], "index"),
    "range": (lambda q: list(range(q[0])), "index"),
    "size": (lambda q: np.zeros(q[0]), "size"),
    "mask": (lambda q: q[q > 0], "np.where"),
    "masked assignment": (lambda q: assign(q.copy(), q > 0, 0.0), "np.where"),
    "symbol index": (lambda q: q[q[0]], "np.where"),
    "into a float array": (lambda q: assign(np.zeros(3), 0, q[0]), "np.array(["),
    "slice into a float array": (lambda q: assign(np.zeros(4), slice(2), q[:2]), "np.array(["),
    "float array in place": (lambda q: add_in_place(np.zeros(4), q), "np.array(["),
    "fill a float array": (lambda q: np.zeros(3).fill(q[0]), "np.array(["),
    "float dtype": (lambda q: np.array([q[0], 1.0], dtype=float), "np.array(["),
    "asarray float": (lambda q: np.asarray(q, dtype=float), "float"),
    "astype": (lambda q: q.astype(float), "astype"),
    "argument changed": (lambda q: assign(q, 0, 1.0), "q.copy()"),
    "argument in place": (lambda q: add_in_place(q, 1.0), "q.copy()"),
    "argument's slice": (lambda q: add_in_place(q[1:], 1.0), "q.copy()"),
    "out of an argument": (lambda q: np.sin(q, out=q), "q.copy()"),
    "if": (branch, "np.where"),
    "chained comparison": (lambda q: 0 < q[0] < 1, "np.where"),
    "and": (lambda q: q[0] and q[1], "np.where"),
    "not": (lambda q: not q[0], "np.where"),
    "in": (lambda q: q[0] in [1.0, 2.0], "np.where"),
    "builtin max": (lambda q: max(q), "np.maximum"),
    "builtin sorted": (lambda q: sorted(q), "sort"),
    "maximum in object arrays": (lambda q: np.maximum(np.array([q[0], q[1]]), 0), "np.hstack"),
    "sign in object arrays": (lambda q: np.sign(np.array([q[0], 1.0])), "np.hstack"),
    "compare object arrays": (lambda q: np.array([q[0], 1.0]) > 0, "np.hstack"),
    "interp": (lambda q: np.interp(q[0], [0, 1], [0, 1]), "np.interp"),
    "argmax": (lambda q: np.argmax(q), "np.argmax"),
    "argmax method": (lambda q: q.argmax(), "argmax"),
    "argsort": (lambda q: np.argsort(q), "np.argsort"),
    "sort": (lambda q: np.sort(q), "np.sort"),
    "searchsorted": (lambda q: np.searchsorted(c, q[0]), "np.searchsorted"),
    "median": (lambda q: np.median(q), "np.median"),
    "nonzero": (lambda q: np.nonzero(q), "np.nonzero"),
    "where without choices": (lambda q: np.where(q > 0), "np.where"),
    "unique": (lambda q: np.unique(q), "np.unique"),
    "eig": (lambda q: np.linalg.eigvals(np.outer(q, q)), "np.linalg.eigvals"),
    "eigh": (lambda q: np.linalg.eigh(np.outer(q, q)), "np.linalg.eigh"),
    "svd": (lambda q: np.linalg.svd(np.outer(q, q)), "np.linalg.svd"),
    "spectral norm": (lambda q: np.linalg.norm(np.outer(q, q), 2), "np.linalg.norm"),
    "large inverse": (lambda q: np.linalg.inv(np.eye(9) * q[0]), "np.linalg.inv"),
    "constant singular matrix": (lambda q: np.linalg.inv(q[0] * np.zeros((2, 2))), "never finite"),
    "isnan": (lambda q: np.isnan(q), "np.isnan"),
    "isfinite": (lambda q: np.isfinite(q[0]), "np.isfinite"),
    "rint": (lambda q: np.rint(q), "np.rint"),
    "np.round": (lambda q: np.round(q, 2), "np.round"),
    "divmod": (lambda q: divmod(q[0], 2), "np.divmod"),
    "ufunc.at": (lambda q: np.add.at(q.copy(), [0], 1.0), "np.add.at"),
    "fft": (lambda q: np.fft.fft(q), "np.fft.fft"),
    "piecewise": (lambda q: np.piecewise(q, [q < 0], [1, 2]), "np.piecewise"),
    "sum where": (lambda q: np.sum(q, where=c > 0), "np.sum"),
    "integer sum": (lambda q: np.sum(q, dtype=int), "dtype"),
    "integer zeros_like": (lambda q: np.zeros_like(q, dtype=int), "dtype"),
    "shapes that do not fit": (lambda q: np.concatenate([q, A]), "np.concatenate"),
    "nan": (lambda q: q * np.nan, "NaN"),
    "nan in a matrix": (lambda q: np.full((2, 4), np.nan) @ q, "NaN"),
    "unassigned empty_like": (lambda q: np.empty_like(q) + q, "NaN"),
    "division by zero": (lambda q: q[0] / 0.0, "never finite"),
    "complex number": (lambda q: np.exp(1j * q), "real"),
    "none": (lambda q: q + None, "None"),
    "string": (lambda q: q[0] + "a", "'a'"),
    "casadi": (lambda q: q[0] * ca.SX.sym("x"), "SX"),
    "matrix": (lambda q: np.asmatrix(A) @ q, "matrix"),
    "condition plus condition": (lambda q: (q[0] > 0) + (q[1] > 0), "np.where"),
    "condition minus condition": (lambda q: (q > 0) - (q < 1), "np.where"),
    "minus a condition": (lambda q: -(q > 0), "np.where"),
    "& of numbers": (lambda q: q[0] & q[1], "conditions"),
    "~ of a number": (lambda q: ~q, "conditions"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_what_cannot_be_traced_is_refused_with_advice(name):
    function, word = REFUSED[name]
    _, q = symbols("q", N)
    with pytest.raises(TraceError) as caught:
        function(q)
    assert word in str(caught.value)


BAD_RESULTS = {
    "none": (lambda q: None, "None"),
    "string": (lambda q: "up", "'up'"),
    "dict": (lambda q: {"a": q[0]}, "dict"),
    "complex": (lambda q: [q[0], 1j], "1j"),
    "nan": (lambda q: [q[0], np.nan], "nan"),
    "inf": (lambda q: [q[0], np.inf], "inf"),
    "unassigned": (lambda q: np.empty_like(q), "nan"),
    "ragged": (lambda q: [[q[0]], [q[1], q[2]]], "ragged"),
    "array beside a number": (lambda q: [q, 1.0], "ragged"),
    "ragged arrays": (lambda q: [np.zeros(2), np.zeros((2, 2))], "ragged"),
    "three-dimensional": (lambda q: np.zeros((1, 2, 3)), "(1, 2, 3)"),
    "casadi": (lambda q: q[0].sx, "SX"),
    "masked array": (lambda q: np.ma.array([1.0, 2.0], mask=[0, 1]), "MaskedArray"),
    "function": (lambda q: np.sin, "ufunc"),
}


@pytest.mark.parametrize("name", BAD_RESULTS)
def test_a_result_that_is_no_real_array_is_named(name):
    function, word = BAD_RESULTS[name]
    _, q = symbols("q", N)
    with pytest.raises(TraceError, match=r"the gap of contact 'floor' returned") as caught:
        to_sx(function(q), "the gap of contact 'floor'")
    assert word in str(caught.value)


@pytest.mark.parametrize(
    ("value", "shape"),
    [(1.0, (1, 1)), ([1, 2, 3], (3, 1)), (A, (4, 4)), (c[None], (1, 4)), ([], (0, 1)),
     (True, (1, 1)), (np.zeros((0, 3)), (0, 3)), (np.array(2.0), (1, 1)),
     ([np.array(2.0), 1], (2, 1))],
)  # fmt: skip
def test_results_become_dense_matrices(value, shape):
    sx = to_sx(value, "f")
    assert sx.shape == shape
    assert sx.is_dense()


def test_arguments_are_arrays_of_symbols():
    column, q = symbols("q", 3)
    assert column.shape == (3, 1)
    assert isinstance(q, SymbolArray)
    assert isinstance(q[1:], SymbolArray)
    assert isinstance(q[0], Symbol)
    assert symbols("q", 0)[1].shape == (0,)
    assert not q.flags.writeable
    assert q.copy().flags.writeable
    assert np.isscalar(q[0])
    assert np.shape(q[0]) == ()
    assert len({q[0], q[0], q[1]}) == 2
    assert copy.deepcopy(q)[0] is q[0]


def test_symbols_are_immutable():
    _, s = symbol("s")
    with pytest.raises(AttributeError):
        s.sx = ca.SX(1)
