/* Small dense linear algebra: Cholesky within an envelope, pivoted QR, inverse. */
#include "../engine.h"

#include <math.h>
#include <string.h>

/* The lower factor of a Gram matrix whose lower triangle is given, row after row of length ld.

   `first` gets the first column of each row that is not zero; nothing before it is touched.
   Returns the smallest pivot relative to the length of its row; negative: not positive definite. */
double cholesky(const double *gram, double *factor, int k, int ld, int *first) {
    double worst = 1;
    for (int i = 0; i < k; i++) {
        const double *g = gram + (size_t)i * ld;
        double *row = factor + (size_t)i * ld;
        int begin = 0;
        while (begin < i && g[begin] == 0) begin++;
        first[i] = begin;
        double squares = 0;
        for (int j = begin; j < i; j++) {
            const double *other = factor + (size_t)j * ld;
            double sum = g[j];
            for (int c = begin > first[j] ? begin : first[j]; c < j; c++) sum -= row[c] * other[c];
            row[j] = sum / other[j];
            squares += row[j] * row[j];
        }
        const double left = g[i] - squares;
        if (!(left > 0)) return -1;
        row[i] = sqrt(left);
        worst = fmin(worst, row[i] / sqrt(g[i]));
    }
    return worst;
}

void cholesky_solve(const double *factor, int k, int ld, const int *first, const double *b,
                    double *x) {
    for (int i = 0; i < k; i++) {
        const double *row = factor + (size_t)i * ld;
        double sum = b[i];
        for (int j = first[i]; j < i; j++) sum -= row[j] * x[j];
        x[i] = sum / row[i];
    }
    for (int i = k - 1; i >= 0; i--) {
        const double *row = factor + (size_t)i * ld;
        x[i] /= row[i];
        for (int j = first[i]; j < i; j++) x[j] -= row[j] * x[i];
    }
}

static double squares_of(const double *x, int from, int to) {
    double sum = 0;
    for (int i = from; i < to; i++) sum += x[i] * x[i];
    return sum;
}

/* Q R = B' P of k columns of length n, one after the other, by Householder reflections with
   pivoting. Returns the smallest pivot; the columns have unit length. Needs k <= n. */
double householder(double *columns, double *tau, int *order, int n, int k) {
    double least = INFINITY;
    for (int i = 0; i < k; i++) order[i] = i;
    for (int i = 0; i < k; i++) {
        int best = i;
        double most = -1;
        for (int j = i; j < k; j++) {
            const double left = squares_of(columns + (size_t)j * n, i, n);
            if (left > most) most = left, best = j;
        }
        if (best != i) {
            for (int c = 0; c < n; c++) {
                const double swap = columns[(size_t)i * n + c];
                columns[(size_t)i * n + c] = columns[(size_t)best * n + c];
                columns[(size_t)best * n + c] = swap;
            }
            const int swap = order[i];
            order[i] = order[best], order[best] = swap;
        }
        double *x = columns + (size_t)i * n;
        const double length = sqrt(most), alpha = x[i] > 0 ? -length : length;
        least = fmin(least, length);
        if (!(length > 0)) return 0;
        const double lead = x[i] - alpha;
        for (int c = i + 1; c < n; c++) x[c] /= lead;
        tau[i] = -lead / alpha;
        x[i] = alpha;
        for (int j = i + 1; j < k; j++) {
            double *y = columns + (size_t)j * n, sum = y[i];
            for (int c = i + 1; c < n; c++) sum += x[c] * y[c];
            sum *= tau[i];
            y[i] -= sum;
            for (int c = i + 1; c < n; c++) y[c] -= sum * x[c];
        }
    }
    return least;
}

/* The shortest z with B z = b, and x with B' x = z. */
void householder_solve(const double *columns, const double *tau, const int *order, int n, int k,
                       const double *b, double *z, double *x) {
    for (int i = 0; i < k; i++) { /* R' w = b */
        double sum = b[order[i]];
        for (int j = 0; j < i; j++) sum -= columns[(size_t)i * n + j] * z[j];
        z[i] = sum / columns[(size_t)i * n + i];
    }
    for (int i = k - 1; i >= 0; i--) { /* R x = w */
        double sum = z[i];
        for (int j = i + 1; j < k; j++) sum -= columns[(size_t)j * n + i] * x[order[j]];
        x[order[i]] = sum / columns[(size_t)i * n + i];
    }
    for (int i = k; i < n; i++) z[i] = 0;
    for (int i = k - 1; i >= 0; i--) { /* z = Q w */
        const double *h = columns + (size_t)i * n;
        double sum = z[i];
        for (int c = i + 1; c < n; c++) sum += h[c] * z[c];
        sum *= tau[i];
        z[i] -= sum;
        for (int c = i + 1; c < n; c++) z[c] -= sum * h[c];
    }
}

/* The inverse by elimination with row pivoting; `matrix` is used up. 0: it is singular. */
int invert(double *matrix, double *inverse, int n) {
    memset(inverse, 0, (size_t)n * n * sizeof(double));
    for (int i = 0; i < n; i++) inverse[(size_t)i * n + i] = 1;
    for (int i = 0; i < n; i++) {
        int best = i;
        for (int j = i + 1; j < n; j++) {
            if (fabs(matrix[(size_t)j * n + i]) > fabs(matrix[(size_t)best * n + i])) best = j;
        }
        const double pivot = matrix[(size_t)best * n + i];
        if (!(fabs(pivot) > 0) || !isfinite(pivot)) return 0;
        double *rows[] = {matrix, inverse};
        for (int part = 0; part < 2; part++) {
            double *a = rows[part] + (size_t)i * n, *b = rows[part] + (size_t)best * n;
            for (int c = 0; c < n; c++) {
                const double swap = a[c];
                a[c] = b[c] / pivot;
                if (best != i) b[c] = swap;
            }
        }
        for (int j = 0; j < n; j++) {
            const double factor = matrix[(size_t)j * n + i];
            if (j == i || factor == 0) continue;
            for (int c = 0; c < n; c++) {
                matrix[(size_t)j * n + c] -= factor * matrix[(size_t)i * n + c];
                inverse[(size_t)j * n + c] -= factor * inverse[(size_t)i * n + c];
            }
        }
    }
    return 1;
}
