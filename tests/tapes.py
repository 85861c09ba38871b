"""Functions as tapes of the compiled engine, evaluated and enclosed by it."""

import numpy as np

import gauss_opt as go
from gauss_opt.model.tapes.tape import tape_of

WIDENING = np.array([2.3e-16, 1e-308])


def program(system, nv=None):
    """The program of a system."""
    dynamics = system.dynamics(system.nv if nv is None else nv)
    return dynamics.programs.of((), system.parameters)


def with_tape(function, sizes):
    """The program of a free body with the tape of a function as its second tape."""
    arrays = program(go.System([1.0]), 1).arrays
    tape = tape_of(function, sizes)
    code, constants = len(arrays.code), len(arrays.constants)
    row = [code, len(tape.code), tape.first, tape.n_work, tape.n_inputs, tape.n_outputs, constants,
           len(tape.constants)]  # fmt: skip
    header = arrays.header.copy()
    header[2], header[9] = function.size1_in(len(sizes) + 1), 2
    return arrays._replace(
        header=header,
        tapes=np.concatenate([arrays.tapes, np.array([row], dtype=np.int32)]),
        code=np.concatenate([arrays.code, tape.code]),
        constants=np.concatenate([arrays.constants, tape.constants]),
    )


def evaluated(module, arrays, number, y, t, p):
    """The outputs of a tape."""
    row = arrays.tapes[number]
    out, work = np.zeros(row[5]), np.zeros(row[3])
    y, p = np.ascontiguousarray(y, dtype=float), np.ascontiguousarray(p, dtype=float)
    module.tape(arrays, number, float(t), False, (y, p, WIDENING, out, work))
    return out


def enclosed(module, arrays, number, low, high, t, p):
    """Lower and upper bounds of the outputs of a tape over a box."""
    row = arrays.tapes[number]
    out, work = np.zeros((row[5], 2)), np.zeros((row[3], 2))
    box = np.ascontiguousarray(np.stack([low, high], axis=1), dtype=float)
    module.tape(
        arrays, number, float(t), True, (box, np.asarray(p, dtype=float), WIDENING, out, work)
    )
    return out[:, 0], out[:, 1]
