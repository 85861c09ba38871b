/* What the module offers of the engine. */
#ifndef GAUSS_OPT_DOOR_H
#define GAUSS_OPT_DOOR_H

#include <Python.h>

PyObject *engine_sizes(PyObject *self, PyObject *program);
PyObject *engine_tape(PyObject *self, PyObject *arguments);
PyObject *engine_run_door(PyObject *self, PyObject *arguments);

#endif
