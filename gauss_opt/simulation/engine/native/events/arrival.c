/* The state at an event inside a step, with the integrator's own accuracy. */
#include "../engine.h"

#include <math.h>
#include <string.h>

static const double KINK = 1e-3, STEADY = 0.1; /* of the rates of the step */

/* Whether dense output up to the end of w.part solves the equation to round-off. */
static int is_exact(Run *run, double t, int *exact) {
    const int n = run->p.n;
    const double *part = run->w.part, *end = part + (size_t)(NODES - 1) * n;
    const double span = t - run->piece_t0;
    const int code = derivative(run, t, end, run->w.f1);
    *exact = 1;
    for (int i = 0; !code && i < n; i++) {
        double slope = 0, size = 0;
        for (int q = 0; q < NODES; q++) {
            const double value = part[(size_t)q * n + i];
            slope += run->tables.slope[(NODES - 1) * NODES + q] * value;
            size = fmax(size, fabs(value));
        }
        const double defect = slope / span - run->w.f1[i];
        if (!(fabs(defect) * span <= run->s.exact_output * size)) *exact = 0;
    }
    return code;
}

/* One piece of the way: t0, t1, values. */
static double *way_of(Run *run, int i) {
    return run->w.way + (size_t)i * (2 + (size_t)NODES * run->p.n);
}

/* The way from the last accepted state to a time, in steps of its own; w.y1 is its end. */
static int integrate_to(Run *run, double t, int *n_pieces) {
    const int n = run->p.n;
    double now = run->state.numbers[TIME], h = t - now, *y = run->w.y2;
    memcpy(y, run->state.y, (size_t)n * sizeof(double));
    memcpy(run->w.f0, run->w.f2, (size_t)n * sizeof(double));
    *n_pieces = 0;
    while (now < t) {
        double t1, next;
        if (*n_pieces == WAY) return SMALL_STEP;
        double *piece = way_of(run, (*n_pieces)++);
        int code = take_step(run, now, y, t, h, &t1, &next);
        if (!code) code = dense_output(run, now, y, t1, piece + 2);
        if (code) return code;
        piece[0] = now, piece[1] = t1;
        memcpy(y, run->w.y1, (size_t)n * sizeof(double));
        memcpy(run->w.f0, run->w.f1, (size_t)n * sizeof(double));
        now = t1, h = next;
    }
    return 0;
}

/* One Newton step on the time at which the gap of a contact is zero, at the end of the way. */
static double corrected(Run *run, double t, int contact) {
    const Function *f = run->p.functions + contact;
    const double *point = run->w.point, *scale = position_sizes(run, run->state.scale);
    function_point(run, contact, t, run->w.y1, run->w.point);
    const double length = size_of_entries(run, run->p.indices + f->columns, point + 3, f->n_columns,
                                          scale, motion_of(run, scale));
    const double gap = point[0], rate = point[1];
    if (fabs(gap) <= 4 * run->s.round_off * length || rate >= 0) return t;
    const double better = t - gap / rate;
    return run->piece_t0 < better && better <= run->piece_t1 ? better : t;
}

/* The way to an event at `t`: its pieces into w.way, its end into w.y1. The time may be corrected
   by the gap of a contact; -1: it is not. */
int arrive(Run *run, double *t, int contact, int *n_pieces) {
    const int n = run->p.n;
    int exact;
    memcpy(run->w.f2, run->w.f0, (size_t)n * sizeof(double));
    piece_until(run, *t, run->w.part);
    int code = is_exact(run, *t, &exact);
    if (code) return code;
    if (exact) {
        double *piece = way_of(run, 0);
        piece[0] = run->piece_t0, piece[1] = *t;
        memcpy(piece + 2, run->w.part, (size_t)NODES * n * sizeof(double));
        memcpy(run->w.y1, run->w.part + (size_t)(NODES - 1) * n, (size_t)n * sizeof(double));
        *n_pieces = 1;
        return 0;
    }
    code = integrate_to(run, *t, n_pieces);
    if (code || contact < 0) return code;
    const double better = corrected(run, *t, contact);
    if (better == *t) return 0;
    *t = better;
    return integrate_to(run, *t, n_pieces);
}

static double steepest(Run *run, int contact, double t) {
    const Function *f = run->p.functions + contact;
    double gap, rate, most = 0;
    gap_and_rate(run, contact, t, &gap, &rate);
    for (int j = 0; j < f->n_columns; j++) most = fmax(most, fabs(run->w.point[3 + j]));
    return most;
}

/* Whether the gap of a contact seems to have a kink, or no gradient, where it is zero. */
int irregular(Run *run, int contact, double t) {
    const double t0 = run->piece_t0, t1 = run->piece_t1, away = run->s.beside_contact * (t1 - t0);
    const double times[] = {fmax(t - away, t0), fmin(t + away, t1), t0, t1};
    double gap, rates[4];
    for (int i = 0; i < 4; i++) gap_and_rate(run, contact, times[i], &gap, &rates[i]);
    const double fall = rates[0], rise = rates[1], size = fmax(fabs(rates[2]), fabs(rates[3]));
    if (fall < 0 && rise > 0 && rise - fall > KINK * size) return 1;
    if (!(fmax(fabs(fall), fabs(rise)) <= STEADY * size)) return 0;
    const double most = fmax(steepest(run, contact, t0), steepest(run, contact, t1));
    return steepest(run, contact, t) <= run->s.no_gradient * most;
}
