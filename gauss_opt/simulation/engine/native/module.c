/* The Python module _engine. It keeps no state of its own. */
#include "door.h"
#include "span.h"

#define ABI 2 /* the interface with extension.py, which has the same number */

static PyObject *abi(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return PyLong_FromLong(ABI);
}

static PyObject *sources(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return PyLong_FromUnsignedLongLong(GAUSS_OPT_SOURCES);
}

static PyObject *span(PyObject *self, PyObject *arguments) {
    PyObject *array;
    const char *name, *word;
    Py_ssize_t length;
    int writable;
    SpanKind kind;
    Span taken;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Ossnp:span", &array, &name, &word, &length, &writable) ||
        span_kind(word, &kind) < 0 ||
        span_take(&taken, array, name, kind, length, writable) < 0) {
        return NULL;
    }
    const Py_ssize_t found = taken.length;
    span_release(&taken);
    return PyLong_FromSsize_t(found);
}

static PyObject *indices(PyObject *self, PyObject *arguments) {
    PyObject *array;
    const char *name;
    long long low, high;
    Span taken;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OsLL:indices", &array, &name, &low, &high) ||
        span_take(&taken, array, name, SPAN_INT32, SPAN_ANY_LENGTH, 0) < 0) {
        return NULL;
    }
    const Py_ssize_t found = taken.length;
    const int refused = span_indices(&taken, name, low, high);
    span_release(&taken);
    return refused ? NULL : PyLong_FromSsize_t(found);
}

static PyMethodDef METHODS[] = {
    {"abi", abi, METH_NOARGS, "The number of the interface that this module was built with."},
    {"sources", sources, METH_NOARGS, "The fingerprint of the sources it was compiled from."},
    {"span", span, METH_VARARGS,
     "span(array, name, kind, length, writable): the number of elements of an array that the "
     "engine may use as `kind`, or an error that calls it `name`. A length of -1 is any length."},
    {"indices", indices, METH_VARARGS,
     "indices(array, name, low, high): the number of elements of an array of int32 that are all "
     "at least `low` and below `high`, or an error."},
    {"sizes", engine_sizes, METH_O,
     "sizes(program): how many doubles and integers the workspace of a run takes. A program that is "
     "damaged is refused."},
    {"tape", engine_tape, METH_VARARGS,
     "tape(program, number, t, enclose, (y, p, widening, out, work)): evaluate one tape, or enclose "
     "it over a box."},
    {"run", engine_run_door, METH_VARARGS,
     "run(program, inputs, state, out): go on until something is rare. Returns the code of why, and "
     "the numbers of rows, pieces and events; the lock of Python is released meanwhile."},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot SLOTS[] = {{0, NULL}};

static struct PyModuleDef MODULE = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_engine",
    .m_doc = "The compiled engine of gauss_opt.",
    .m_size = 0,
    .m_methods = METHODS,
    .m_slots = SLOTS,
};

PyMODINIT_FUNC PyInit__engine(void) { return PyModuleDef_Init(&MODULE); }
