/* Steps of DOP853 with error control and dense output, as scipy takes them. */
#include "../engine.h"

#include <math.h>
#include <string.h>

static const double SAFETY = 0.9, LEAST_FACTOR = 0.2, LARGEST_FACTOR = 10;
enum { ORDER = 7 };

static double *stage_of(Run *run, int s) { return run->w.K + (size_t)s * run->p.n; }

static double rms(const double *x, const double *scale, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] / scale[i] * (x[i] / scale[i]);
    return sqrt(sum / n);
}

/* Hairer's choice of a first step; negative: the motion is not finite there. */
double first_step(Run *run, double t, const double *y, const double *f, double bound) {
    const int n = run->p.n;
    double *scale = run->w.error3, *y1 = run->w.stage, *f1 = run->w.error5;
    for (int i = 0; i < n; i++) scale[i] = run->state.atol[i] + fabs(y[i]) * run->s.rtol;
    const double d0 = rms(y, scale, n), d1 = rms(f, scale, n), span = bound - t;
    double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
    h0 = fmin(h0, span);
    for (int i = 0; i < n; i++) y1[i] = y[i] + h0 * f[i];
    if (derivative(run, t + h0, y1, f1)) return -1;
    for (int i = 0; i < n; i++) f1[i] -= f[i];
    const double d2 = rms(f1, scale, n) / h0;
    const double h1 = d1 <= 1e-15 && d2 <= 1e-15 ? fmax(1e-6, h0 * 1e-3)
                                                 : pow(0.01 / fmax(d1, d2), 1.0 / (ORDER + 1));
    return fmin(fmin(100 * h0, h1), fmin(span, run->s.max_step));
}

static int run_stage(Run *run, int s, double t, const double *y, double h) {
    const int n = run->p.n;
    const double *a = run->tables.A + (size_t)s * EXTENDED;
    double *at = run->w.stage;
    memset(at, 0, (size_t)n * sizeof(double));
    for (int j = 0; j < s; j++) {
        if (a[j] == 0) continue;
        const double *k = stage_of(run, j);
        for (int i = 0; i < n; i++) at[i] += a[j] * k[i];
    }
    for (int i = 0; i < n; i++) at[i] = y[i] + h * at[i];
    return derivative(run, t + run->tables.C[s] * h, at, stage_of(run, s));
}

/* The error of a step of size h from y to w.y1, in units of what is allowed. */
static double error_of(Run *run, const double *y, double h) {
    const int n = run->p.n;
    const double *E3 = run->tables.E3, *E5 = run->tables.E5;
    double *error3 = run->w.error3, *error5 = run->w.error5, squares3 = 0, squares5 = 0;
    memset(error3, 0, (size_t)n * sizeof(double));
    memset(error5, 0, (size_t)n * sizeof(double));
    for (int s = 0; s <= STAGES; s++) {
        if (E3[s] == 0 && E5[s] == 0) continue;
        const double *k = stage_of(run, s);
        for (int i = 0; i < n; i++) error3[i] += E3[s] * k[i], error5[i] += E5[s] * k[i];
    }
    for (int i = 0; i < n; i++) {
        const double largest = fmax(fabs(y[i]), fabs(run->w.y1[i]));
        const double scale = run->state.atol[i] + largest * run->s.rtol;
        squares3 += error3[i] / scale * (error3[i] / scale);
        squares5 += error5[i] / scale * (error5[i] / scale);
    }
    if (squares3 == 0 && squares5 == 0) return 0;
    return fabs(h) * squares5 / sqrt((squares5 + 0.01 * squares3) * n);
}

static int try_step(Run *run, double t, const double *y, double t1, double *error) {
    const int n = run->p.n;
    const double h = t1 - t;
    double *y1 = run->w.y1;
    memcpy(stage_of(run, 0), run->w.f0, (size_t)n * sizeof(double));
    for (int s = 1; s < STAGES; s++) {
        const int code = run_stage(run, s, t, y, h);
        if (code) return code;
    }
    memset(y1, 0, (size_t)n * sizeof(double));
    for (int s = 0; s < STAGES; s++) {
        const double b = run->tables.B[s], *k = stage_of(run, s);
        if (b == 0) continue;
        for (int i = 0; i < n; i++) y1[i] += b * k[i];
    }
    for (int i = 0; i < n; i++) y1[i] = y[i] + h * y1[i];
    const int code = derivative(run, t1, y1, stage_of(run, STAGES));
    if (code) return code;
    memcpy(run->w.f1, stage_of(run, STAGES), (size_t)n * sizeof(double));
    *error = error_of(run, y, h);
    return isfinite(*error) ? 0 : NOT_FINITE;
}

/* One accepted step from (t, y) with slope w.f0 to (t1, w.y1) with slope w.f1. `next` is the size
   that should be tried after it. */
int take_step(Run *run, double t, const double *y, double bound, double h, double *t1,
              double *next) {
    const double least = 10 * fabs(nextafter(t, INFINITY) - t);
    int rejected = 0;
    h = fmin(fmax(h, least), run->s.max_step);
    for (;;) {
        double error;
        if (h < least) return SMALL_STEP;
        *t1 = t + h > bound ? bound : t + h;
        h = *t1 - t;
        const int code = try_step(run, t, y, *t1, &error);
        if (code) return code;
        if (error < 1) {
            double factor = LARGEST_FACTOR;
            if (error > 0) factor = fmin(LARGEST_FACTOR, SAFETY * pow(error, -1.0 / (ORDER + 1)));
            if (rejected) factor = fmin(factor, 1);
            *next = h * factor;
            return 0;
        }
        h *= fmax(LEAST_FACTOR, SAFETY * pow(error, -1.0 / (ORDER + 1)));
        rejected = 1;
    }
}

/* The polynomial of the last step as its values at the Chebyshev points. */
int dense_output(Run *run, double t, const double *y, double t1, double *piece) {
    const int n = run->p.n;
    const double h = t1 - t, *k0 = stage_of(run, 0);
    double *F = run->w.F;
    for (int s = STAGES + 1; s < EXTENDED; s++) {
        const int code = run_stage(run, s, t, y, h);
        if (code) return code;
    }
    for (int i = 0; i < n; i++) {
        const double change = run->w.y1[i] - y[i];
        F[i] = change;
        F[n + i] = h * k0[i] - change;
        F[2 * n + i] = 2 * change - h * (run->w.f1[i] + k0[i]);
    }
    memset(F + 3 * (size_t)n, 0, 4 * (size_t)n * sizeof(double));
    for (int r = 0; r < 4; r++) {
        double *f = F + (size_t)(3 + r) * n;
        for (int s = 0; s < EXTENDED; s++) {
            const double d = h * run->tables.D[r * EXTENDED + s], *k = stage_of(run, s);
            if (d == 0) continue;
            for (int i = 0; i < n; i++) f[i] += d * k[i];
        }
    }
    for (int q = 0; q < NODES - 1; q++) {
        double *value = piece + (size_t)q * n;
        memcpy(value, y, (size_t)n * sizeof(double));
        for (int r = 0; r < 7; r++) {
            const double b = run->tables.basis[q * 7 + r], *f = F + (size_t)r * n;
            for (int i = 0; i < n; i++) value[i] += b * f[i];
        }
    }
    memcpy(piece + (size_t)(NODES - 1) * n, run->w.y1, (size_t)n * sizeof(double));
    return 0;
}
