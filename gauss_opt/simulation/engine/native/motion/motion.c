/* The smooth motion with rows held as equalities, and the way back onto them. */
#include "../engine.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 8 };

static int *every(Run *run, int count) {
    for (int i = 0; i < count; i++) run->w.held[i] = i;
    return run->w.held;
}

/* Acceleration and multipliers with the rows of a status held, at a state; `x` gets the first. */
static int solve_at(Run *run, double t, const double *y, const int *status, double *x) {
    Work *w = &run->w;
    int code = system_at(run, t, y);
    if (!code) code = rows_held(run, &w->rows, status, CARRYING, t, y);
    if (code) return code;
    const int k = w->rows.count;
    return solve_rows(run, &w->rows, every(run, k), k, w->out + run->p.at_force, NULL, x,
                      w->multipliers);
}

/* y' = f(t, y) with the rows that carry force held. */
int derivative(Run *run, double t, const double *y, double *f) {
    const Program *p = &run->p;
    run->stats.rhs++;
    const int code = solve_at(run, t, y, run->state.status, f + p->nq);
    double sum = 0;
    if (code) return isfinite(run->w.out[p->at_force]) ? code : NOT_FINITE;
    const double *moving = p->has_kinematics ? run->w.out + p->at_qdot : y + p->nq;
    memcpy(f, moving, (size_t)p->nq * sizeof(double));
    for (int i = 0; i < p->n; i++) sum += f[i] * f[i];
    return isfinite(sum) ? 0 : NOT_FINITE;
}

/* Acceleration and multipliers of w.rows at a state, into w.x and w.multipliers. */
int held_motion(Run *run, double t, const double *y, const int *status) {
    return solve_at(run, t, y, status, run->w.x);
}

/* The same, certified as the answer to (G). */
int accelerate(Run *run, double t, const double *y, const int *status) {
    Work *w = &run->w;
    const int code = held_motion(run, t, y, status);
    if (code) return code;
    return certified(run, &w->rows, w->out + run->p.at_force, w->x, w->multipliers);
}

/* How far a state is off the rows, relative: the larger of positions and velocities. */
double drift_of(Run *run, const Rows *rows, const double *scale, const double *v, double *position,
                double *velocity) {
    *position = *velocity = 0;
    for (int i = 0; i < rows->count; i++) {
        const int kind = row_kind(&run->p, rows->row[i]);
        if (kind & HOLDS_POSITION) {
            const double size = length_of(run, rows, i, scale);
            *position = fmax(*position, fabs(rows->value[i]) / (size > 0 ? size : 1));
        }
        if (kind & HOLDS_VELOCITY) {
            const double size = speed_of(run, rows, i, scale, v);
            *velocity = fmax(*velocity, fabs(rows->rate[i]) / (size > 0 ? size : 1));
        }
    }
    return fmax(*position, *velocity);
}

/* The least move in the mass metric onto the rows of a kind, to first order, into w.x. */
static int shortest(Run *run, Rows *rows, int kind) {
    Work *w = &run->w;
    int k = 0;
    for (int i = 0; i < rows->count; i++) {
        rows->rhs[i] = kind == HOLDS_POSITION ? -rows->value[i] : -rows->rate[i];
        if (row_kind(&run->p, rows->row[i]) & kind) w->held[k++] = i;
    }
    memset(w->load, 0, (size_t)run->p.nv * sizeof(double));
    return solve_rows(run, rows, w->held, k, w->load, w->load, w->x, w->multipliers);
}

static void move(Run *run, double *y, int kind) {
    const Program *p = &run->p;
    const double *x = run->w.x, *map = run->w.out + p->at_map;
    for (int i = 0; kind == HOLDS_VELOCITY && i < p->nv; i++) y[p->nq + i] += x[i];
    for (int i = 0; kind == HOLDS_POSITION && i < p->nq; i++) {
        if (!p->has_kinematics) y[i] += x[i];
        for (int j = 0; p->has_kinematics && j < p->nv; j++)
            y[i] += map[(size_t)i * p->nv + j] * x[j];
    }
}

/* Put a state onto the rows of a status: positions, then velocities. */
int project(Run *run, double t, double *y, const int *status, const double *scale,
            double tolerance) {
    const int kinds[] = {HOLDS_POSITION, HOLDS_VELOCITY};
    Rows *rows = &run->w.others;
    for (int level = 0; level < 2; level++) {
        double best = INFINITY;
        for (int i = 0; i < MOST_ITERATIONS; i++) {
            double off[2];
            int code = system_at(run, t, y);
            if (!code) code = rows_held(run, rows, status, CARRYING, t, y);
            if (code) return code;
            drift_of(run, rows, scale, y + run->p.nq, &off[0], &off[1]);
            if (!isfinite(off[level])) return NOT_FINITE;
            if (off[level] <= tolerance || off[level] > 0.5 * best) break;
            best = off[level];
            code = shortest(run, rows, kinds[level]);
            if (code) return code;
            move(run, y, kinds[level]);
        }
    }
    return 0;
}
