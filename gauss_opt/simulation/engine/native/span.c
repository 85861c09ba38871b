/* Arrays that Python owns: kind, length, order, alignment and writability, or a refusal. */
#include "span.h"

#include <string.h>

/* What a kind is called, how large it is, and the letters of the buffer protocol that may mean it:
   the same letter has different sizes on different platforms. */
static const struct {
    const char *word;
    Py_ssize_t size;
    const char *letters;
} KINDS[] = {
    {"double", 8, "d"},
    {"int64", 8, "lq"},
    {"int32", 4, "il"},
    {"int8", 1, "b?"},
};

int span_kind(const char *word, SpanKind *kind) {
    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        if (strcmp(word, KINDS[i].word) == 0) {
            *kind = (SpanKind)i;
            return 0;
        }
    }
    PyErr_Format(PyExc_ValueError, "there is no kind of array called %s", word);
    return -1;
}

static int has_kind(const Py_buffer *view, SpanKind kind) {
    const char *format = view->format ? view->format : "B";
    if (*format == '@' || *format == '=') {
        format++; /* byte order of this machine */
    }
    return view->itemsize == KINDS[kind].size && *format != '\0' && format[1] == '\0' &&
           strchr(KINDS[kind].letters, *format) != NULL;
}

static int refuse(Span *span, PyObject *error, const char *name, const char *what) {
    span_release(span);
    PyErr_Format(error, "%s: %s", name, what);
    return -1;
}

int span_take(Span *span, PyObject *array, const char *name, SpanKind kind, Py_ssize_t length,
              int writable) {
    memset(span, 0, sizeof *span);
    if (PyObject_GetBuffer(array, &span->view, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0) {
        memset(span, 0, sizeof *span);
        if (PyErr_ExceptionMatches(PyExc_MemoryError)) {
            return -1;
        }
        PyErr_Clear();
        return refuse(span, PyExc_TypeError, name, "not an array in one piece, in C order");
    }
    if (writable && span->view.readonly) {
        return refuse(span, PyExc_TypeError, name, "the array is read-only");
    }
    if (!has_kind(&span->view, kind)) {
        span_release(span);
        PyErr_Format(PyExc_TypeError, "%s: not an array of %s", name, KINDS[kind].word);
        return -1;
    }
    if ((uintptr_t)span->view.buf % (uintptr_t)span->view.itemsize != 0) {
        return refuse(span, PyExc_TypeError, name, "the array is not aligned");
    }
    span->kind = kind;
    span->length = span->view.len / span->view.itemsize;
    if (length != SPAN_ANY_LENGTH && span->length != length) {
        const Py_ssize_t found = span->length;
        span_release(span);
        PyErr_Format(PyExc_ValueError, "%s: %zd elements, not %zd", name, found, length);
        return -1;
    }
    return 0;
}

int span_indices(const Span *span, const char *name, int64_t low, int64_t high) {
    if (span->kind != SPAN_INT32 && span->kind != SPAN_INT64) {
        PyErr_Format(PyExc_TypeError, "%s: not an array of indices", name);
        return -1;
    }
    for (Py_ssize_t i = 0; i < span->length; i++) {
        const int64_t at =
            span->kind == SPAN_INT32 ? span_int32s(span)[i] : span_int64s(span)[i];
        if (at < low || at >= high) {
            PyErr_Format(PyExc_ValueError, "%s: %lld at %zd is not in %lld..%lld", name,
                         (long long)at, i, (long long)low, (long long)high - 1);
            return -1;
        }
    }
    return 0;
}

int span_overlap(const Span *one, const Span *other) {
    const char *a = one->view.buf, *b = other->view.buf;
    return one->view.len > 0 && other->view.len > 0 && a < b + other->view.len &&
           b < a + one->view.len;
}

void span_release(Span *span) {
    if (span->view.obj != NULL) {
        PyBuffer_Release(&span->view);
    }
    memset(span, 0, sizeof *span);
}
