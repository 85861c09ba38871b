/* The engine as a function of Python: arrays checked, the lock released while it runs. */
#include "door.h"

#include <string.h>

#include "engine.h"
#include "span.h"

enum { N_HEADER = 11, N_PROGRAM = 12, N_INPUTS = 7, N_STATE = 10, N_OUT = 8 };

typedef struct {
    const char *name;
    SpanKind kind;
    int writable;
} Wanted_;

static const Wanted_ PROGRAM[N_PROGRAM] = {
    {"header", SPAN_INT32, 0},     {"tapes", SPAN_INT32, 0},       {"code", SPAN_INT32, 0},
    {"constants", SPAN_DOUBLE, 0}, {"starts", SPAN_INT32, 0},      {"columns", SPAN_INT32, 0},
    {"kinds", SPAN_INT32, 0},      {"pair_starts", SPAN_INT32, 0}, {"pairs", SPAN_INT32, 0},
    {"functions", SPAN_INT32, 0},  {"indices", SPAN_INT32, 0},     {"mass", SPAN_DOUBLE, 0},
};
static const Wanted_ INPUTS[N_INPUTS] = {
    {"tables", SPAN_DOUBLE, 0},       {"settings", SPAN_DOUBLE, 0},
    {"parameters", SPAN_DOUBLE, 0},   {"restitution", SPAN_DOUBLE, 0},
    {"chosen times", SPAN_DOUBLE, 0}, {"breakpoints", SPAN_DOUBLE, 0},
    {"atol", SPAN_DOUBLE, 0},
};
static const Wanted_ STATE[N_STATE] = {
    {"numbers", SPAN_DOUBLE, 1},    {"y", SPAN_DOUBLE, 1},      {"scale", SPAN_DOUBLE, 1},
    {"tolerances", SPAN_DOUBLE, 1}, {"struck", SPAN_DOUBLE, 1}, {"rates", SPAN_DOUBLE, 1},
    {"counts", SPAN_INT32, 1},      {"status", SPAN_INT32, 1},  {"low", SPAN_INT32, 1},
    {"closed", SPAN_INT32, 1},
};
static const Wanted_ OUT[N_OUT] = {
    {"workspace", SPAN_DOUBLE, 1}, {"integers", SPAN_INT32, 1},   {"rows", SPAN_DOUBLE, 1},
    {"pieces", SPAN_DOUBLE, 1},    {"row status", SPAN_INT32, 1}, {"events", SPAN_DOUBLE, 1},
    {"event rows", SPAN_INT32, 1}, {"stats", SPAN_DOUBLE, 1},
};

/* Arrays taken from tuples; one place that gives them all back. */
typedef struct {
    Span spans[N_PROGRAM + N_INPUTS + N_STATE + N_OUT];
    int count, writable[N_PROGRAM + N_INPUTS + N_STATE + N_OUT];
} Arrays;

static void give_back(Arrays *arrays) {
    for (int i = 0; i < arrays->count; i++) span_release(&arrays->spans[i]);
}

static int take(Arrays *arrays, PyObject *tuple, const Wanted_ *wanted, int count) {
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != count) {
        PyErr_Format(PyExc_TypeError, "not a tuple of %d arrays", count);
        return -1;
    }
    for (int i = 0; i < count; i++) {
        PyObject *array = PyTuple_GetItem(tuple, i);
        Span *span = &arrays->spans[arrays->count];
        if (!array || span_take(span, array, wanted[i].name, wanted[i].kind, SPAN_ANY_LENGTH,
                                wanted[i].writable) < 0) {
            return -1;
        }
        arrays->writable[arrays->count++] = wanted[i].writable;
    }
    return 0;
}

static int refuse(const char *why) {
    PyErr_Format(PyExc_ValueError, "the program is damaged: %s", why);
    return -1;
}

/* The program of the first arrays; -1 with an error where it is damaged. */
static int read_program(const Arrays *arrays, Program *p) {
    const Span *s = arrays->spans;
    const int32_t *header = span_int32s(&s[0]);
    memset(p, 0, sizeof *p);
    if (s[0].length != N_HEADER) return refuse("its header has another length");
    for (int i = 0; i < N_HEADER; i++) {
        if (header[i] < 0 || header[i] > 1 << 20) return refuse("an impossible size");
    }
    p->nq = header[0], p->nv = header[1], p->np = header[2], p->ne = header[3];
    p->nc = header[4], p->nl = header[5], p->nf = header[6], p->mass_kind = header[7];
    p->has_kinematics = header[8], p->n_tapes = header[9], p->hidden = header[10];
    const Py_ssize_t functions = (Py_ssize_t)p->nc + p->nl + p->nf;
    if (!p->nq || !p->nv || p->nq > 1 << 14 || p->nv > 1 << 14) return refuse("no coordinates");
    if (s[1].length != 8 * (Py_ssize_t)p->n_tapes || s[2].length % 4 ||
        s[4].length != (Py_ssize_t)p->ne + 1 || s[6].length != p->ne ||
        s[7].length != (Py_ssize_t)p->ne + 1 || s[9].length != 8 * functions ||
        s[11].length != (Py_ssize_t)p->nv * p->nv) {
        return refuse("arrays of other lengths than its header says");
    }
    p->tapes = span_int32s(&s[1]), p->code = (const Instruction *)span_int32s(&s[2]);
    p->constants = span_doubles(&s[3]), p->starts = span_int32s(&s[4]);
    p->columns = span_int32s(&s[5]), p->kinds = span_int32s(&s[6]);
    p->pair_starts = span_int32s(&s[7]), p->pairs = span_int32s(&s[8]);
    p->functions = (const Function *)span_int32s(&s[9]), p->indices = span_int32s(&s[10]);
    p->mass = span_doubles(&s[11]);
    const char *fault = program_fault(p, header, s[2].length / 4, s[3].length, s[5].length,
                                      s[8].length, s[10].length);
    return fault ? refuse(fault) : 0;
}

PyObject *engine_sizes(PyObject *self, PyObject *program) {
    Arrays arrays;
    Program p;
    size_t n_doubles, n_integers;
    (void)self;
    memset(&arrays, 0, sizeof arrays);
    const int bad = take(&arrays, program, PROGRAM, N_PROGRAM) < 0 || read_program(&arrays, &p) < 0;
    if (!bad) workspace_sizes(&p, &n_doubles, &n_integers);
    give_back(&arrays);
    return bad ? NULL : Py_BuildValue("nn", (Py_ssize_t)n_doubles, (Py_ssize_t)n_integers);
}

PyObject *engine_tape(PyObject *self, PyObject *arguments) {
    PyObject *program, *inputs;
    Arrays arrays;
    Program p;
    int number, enclose;
    double t;
    static const Wanted_ ARGUMENTS[] = {
        {"y", SPAN_DOUBLE, 0},   {"p", SPAN_DOUBLE, 0},    {"widening", SPAN_DOUBLE, 0},
        {"out", SPAN_DOUBLE, 1}, {"work", SPAN_DOUBLE, 1},
    };
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OidpO:tape", &program, &number, &t, &enclose, &inputs)) {
        return NULL;
    }
    memset(&arrays, 0, sizeof arrays);
    int bad = take(&arrays, program, PROGRAM, N_PROGRAM) < 0 || read_program(&arrays, &p) < 0 ||
              take(&arrays, inputs, ARGUMENTS, 5) < 0;
    if (!bad && (number < 0 || number >= p.n_tapes)) bad = 1, refuse("there is no such tape");
    if (!bad) {
        const Tape tape = program_tape(&p, number);
        const Span *s = arrays.spans + N_PROGRAM;
        const Py_ssize_t size = enclose ? 2 : 1;
        if (s[0].length != size * tape.n_inputs || s[1].length != p.np || s[2].length != 2 ||
            s[3].length != size * tape.n_outputs || s[4].length != size * tape.n_work) {
            bad = 1, PyErr_SetString(PyExc_ValueError, "arrays of other lengths than the tape's");
        } else if (enclose) {
            const Widening w = {span_doubles(&s[2])[0], span_doubles(&s[2])[1]};
            const Interval time = {t, t};
            tape_enclose(&tape, &w, (const Interval *)span_doubles(&s[0]), time,
                         span_doubles(&s[1]), 0, (Interval *)span_doubles(&s[3]),
                         (Interval *)span_doubles(&s[4]));
        } else {
            tape_run(&tape, span_doubles(&s[0]), t, span_doubles(&s[1]), span_doubles(&s[3]),
                     span_doubles(&s[4]));
        }
    }
    give_back(&arrays);
    return bad ? NULL : Py_NewRef(Py_None);
}

static int require(const Span *span, Py_ssize_t length, const char *name) {
    if (span->length == length) return 0;
    PyErr_Format(PyExc_ValueError, "%s: %zd elements, not %zd", name, span->length, length);
    return -1;
}

static Tables tables_in(const double *x) {
    const Tables t = {x,       x + 256, x + 268, x + 284, x + 297, x + 310,
                      x + 374, x + 430, x + 438, x + 446, x + 510, x + 1022};
    return t;
}
enum { TABLES_LENGTH = 1022 + 72 };

/* Inputs and state into the run; -1 with an error where a length is wrong. */
static int read_inputs(Run *run, const Span *s) {
    const Program *p = &run->p;
    if (require(&s[0], TABLES_LENGTH, "tables") < 0 ||
        require(&s[1], sizeof(Settings) / sizeof(double), "settings") < 0 ||
        require(&s[2], p->np, "parameters") < 0 || require(&s[3], p->nc, "restitution") < 0 ||
        require(&s[6], p->n, "atol") < 0) {
        return -1;
    }
    run->tables = tables_in(span_doubles(&s[0]));
    memcpy(&run->s, span_doubles(&s[1]), sizeof run->s);
    run->parameters = span_doubles(&s[2]), run->restitution = span_doubles(&s[3]);
    run->chosen_times = span_doubles(&s[4]), run->n_chosen = (int)s[4].length;
    run->breakpoints = span_doubles(&s[5]), run->n_breakpoints = (int)s[5].length;
    run->user_atol = span_doubles(&s[6]);
    run->widening.ulp = run->s.ulp, run->widening.least_logarithm = run->s.least_logarithm;
    return 0;
}

static int read_state(Run *run, const Span *s) {
    const Program *p = &run->p;
    const Py_ssize_t lengths[N_STATE] = {N_NUMBERS, p->n,     p->n, p->n, p->m,
                                         p->m,      N_COUNTS, p->m, p->m, p->m};
    for (int i = 0; i < N_STATE; i++) {
        if (require(&s[i], lengths[i], STATE[i].name) < 0) return -1;
    }
    const State state = {span_doubles(&s[0]), span_doubles(&s[1]), span_doubles(&s[2]),
                         span_doubles(&s[3]), span_doubles(&s[4]), span_doubles(&s[5]),
                         span_int32s(&s[6]),  span_int32s(&s[7]),  span_int32s(&s[8]),
                         span_int32s(&s[9])};
    for (int i = 0; i < N_COUNTS; i++) {
        if (state.counts[i] < 0) {
            PyErr_SetString(PyExc_ValueError, "counts: a negative number");
            return -1;
        }
    }
    run->state = state;
    return 0;
}

static int read_out(Run *run, const Span *s) {
    const Program *p = &run->p;
    Out *out = &run->out;
    size_t n_doubles, n_integers;
    workspace_sizes(p, &n_doubles, &n_integers);
    if (require(&s[0], (Py_ssize_t)n_doubles, "workspace") < 0 ||
        require(&s[1], (Py_ssize_t)n_integers, "integers") < 0) {
        return -1;
    }
    out->row_width = 1 + p->n + 2 * p->nv + p->m;
    out->piece_width = 2 + NODES * p->n;
    out->event_width = 4 + p->n + p->nv + p->m;
    out->most_rows = (int)(s[2].length / out->row_width);
    out->most_pieces = (int)(s[3].length / out->piece_width);
    out->most_events = (int)(s[5].length / out->event_width);
    if (require(&s[4], (Py_ssize_t)out->most_pieces * p->m, "row status") < 0 ||
        require(&s[6], (Py_ssize_t)out->most_events * (2 + p->m), "event rows") < 0 ||
        require(&s[7], sizeof(Stats) / sizeof(double), "stats") < 0) {
        return -1;
    }
    out->rows = span_doubles(&s[2]), out->pieces = span_doubles(&s[3]);
    out->row_status = span_int32s(&s[4]), out->events = span_doubles(&s[5]);
    out->event_rows = span_int32s(&s[6]);
    workspace_carve(run, span_doubles(&s[0]), span_int32s(&s[1]));
    return 0;
}

/* What is written must lie apart from all else. */
static int require_apart(const Arrays *arrays) {
    for (int i = 0; i < arrays->count; i++) {
        for (int j = 0; j < i; j++) {
            const int written = arrays->writable[i] || arrays->writable[j];
            if (written && span_overlap(&arrays->spans[i], &arrays->spans[j])) {
                PyErr_SetString(PyExc_ValueError, "arrays that are written share memory");
                return -1;
            }
        }
    }
    return 0;
}

PyObject *engine_run_door(PyObject *self, PyObject *arguments) {
    PyObject *program, *inputs, *state, *out;
    Arrays arrays;
    Run run;
    int code = 0;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOOO:run", &program, &inputs, &state, &out)) return NULL;
    memset(&arrays, 0, sizeof arrays);
    memset(&run, 0, sizeof run);
    const Span *s = arrays.spans + N_PROGRAM;
    const int bad =
        take(&arrays, program, PROGRAM, N_PROGRAM) < 0 ||
        take(&arrays, inputs, INPUTS, N_INPUTS) < 0 || take(&arrays, state, STATE, N_STATE) < 0 ||
        take(&arrays, out, OUT, N_OUT) < 0 || require_apart(&arrays) < 0 ||
        read_program(&arrays, &run.p) < 0 || read_inputs(&run, s) < 0 ||
        read_state(&run, s + N_INPUTS) < 0 || read_out(&run, s + N_INPUTS + N_STATE) < 0;
    if (!bad) {
        Py_BEGIN_ALLOW_THREADS code = engine_run(&run);
        Py_END_ALLOW_THREADS memcpy(span_doubles(&s[N_INPUTS + N_STATE + N_OUT - 1]), &run.stats,
                                    sizeof run.stats);
    }
    give_back(&arrays);
    if (bad) return NULL;
    return Py_BuildValue("iiii", code, run.out.n_rows, run.out.n_pieces, run.out.n_events);
}
