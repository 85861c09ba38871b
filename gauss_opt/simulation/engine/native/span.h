/* Arrays that Python owns, checked once before C reads or writes them. */
#ifndef GAUSS_OPT_SPAN_H
#define GAUSS_OPT_SPAN_H

#include <Python.h>
#include <stdint.h>

typedef enum { SPAN_DOUBLE, SPAN_INT64, SPAN_INT32, SPAN_INT8 } SpanKind;

/* A C-contiguous, aligned array of one kind. All bytes zero: holds nothing, may be released. */
typedef struct {
    Py_buffer view;
    SpanKind kind;
    Py_ssize_t length; /* elements, over all dimensions */
} Span;

#define SPAN_ANY_LENGTH ((Py_ssize_t)-1)

/* The kind by its word: "double", "int64", "int32", "int8". 0, or -1 with ValueError. */
int span_kind(const char *word, SpanKind *kind);

/* Hold `array`, which messages call `name`. 0, or -1 with TypeError (not such an array) or
   ValueError (another length); nothing is held then. Each one taken must be released. */
int span_take(Span *span, PyObject *array, const char *name, SpanKind kind, Py_ssize_t length,
              int writable);

/* Every index of a span of int32 or int64 is at least `low` and below `high`: 0, or -1 with
   ValueError. */
int span_indices(const Span *span, const char *name, int64_t low, int64_t high);

/* Whether two spans have a byte in common: what is written must lie apart from all else. */
int span_overlap(const Span *one, const Span *other);

/* May be called any number of times, also on a span that holds nothing. */
void span_release(Span *span);

static inline double *span_doubles(const Span *span) { return (double *)span->view.buf; }
static inline int64_t *span_int64s(const Span *span) { return (int64_t *)span->view.buf; }
static inline int32_t *span_int32s(const Span *span) { return (int32_t *)span->view.buf; }
static inline int8_t *span_int8s(const Span *span) { return (int8_t *)span->view.buf; }

#endif
