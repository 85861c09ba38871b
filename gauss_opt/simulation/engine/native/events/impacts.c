/* Impacts by Newton's, Poisson's and the sequential law, each problem with its certificate. */
#include "../engine.h"

#include <math.h>
#include <string.h>

/* The impact under way: `first` is where the contacts begin among the rows. */
typedef struct {
    Run *run;
    double t;
    const double *y; /* the state before; its velocity is not that of each jump */
    Rows *rows;
    int first, count; /* contacts */
    double *offset;   /* of each row: rate = A v + offset */
    double *wanted;   /* of each row: the least rate after */
} Impact;

static double restitution_of(const Impact *impact, int i) {
    return impact->run->restitution[impact->rows->row[i] - impact->run->p.ne];
}

/* Bilateral rows, contacts, velocity limits. */
static int build(Impact *impact, const int *taking, int k) {
    Run *run = impact->run;
    const Program *p = &run->p;
    rows_equal(run, impact->rows, HOLDS_VELOCITY);
    impact->first = impact->rows->count, impact->count = k;
    for (int i = 0; i < k; i++) {
        const int code = rows_append(run, impact->rows, taking[i], impact->t, impact->y);
        if (code) return code;
    }
    for (int i = p->nc; i < p->nc + p->nl; i++) {
        const int code = rows_append(run, impact->rows, i, impact->t, impact->y);
        if (code) return code;
    }
    for (int i = 0; i < impact->rows->count; i++) {
        impact->offset[i] = impact->rows->rate[i] - row_times(impact->rows, i, impact->y + p->nq);
    }
    return 0;
}

/* Whether rows on velocities are the same, and as predicted, at the velocity after. */
static int is_linear(Impact *impact, const double *v) {
    Run *run = impact->run;
    const Program *p = &run->p;
    const Rows *rows = impact->rows;
    int any = p->nl;
    for (int i = 0; i < p->ne; i++) any |= p->kinds[i] & ON_VELOCITY;
    if (!any) return 1;
    double *y = run->w.y2;
    memcpy(y, impact->y, (size_t)p->nq * sizeof(double));
    memcpy(y + p->nq, v, (size_t)p->nv * sizeof(double));
    if (system_at(run, impact->t, y)) return 0;
    Rows *after = rows == &run->w.rows ? &run->w.others : &run->w.rows;
    rows_equal(run, after, HOLDS_VELOCITY);
    for (int i = p->nc; i < p->nc + p->nl; i++) {
        if (rows_append(run, after, i, impact->t, y)) return 0;
    }
    for (int i = 0; i < after->count; i++) {
        const int j = i < impact->first ? i : i + impact->count;
        double terms = fabs(impact->offset[j]) + run->s.tiny, turn = 0, length = 0;
        for (int c = 0; c < after->start[i + 1] - after->start[i]; c++) {
            const double old = rows->entry[rows->start[j] + c],
                         new = after->entry[after->start[i] + c];
            terms += fabs(old) * fabs(v[rows->column[rows->start[j] + c]]);
            turn = fmax(turn, fabs(new - old)), length = fmax(length, fabs(old));
        }
        const double predicted = row_times(rows, j, v) + impact->offset[j];
        if (!(fabs(after->rate[i] - predicted) <= run->s.impact_converged * terms)) return 0;
        if (!(turn <= run->s.same_rows * length)) return 0;
    }
    return !system_at(run, impact->t, impact->y);
}

/* The nearest velocity to `start`, or to start + M^-1 push, at which rates are as wanted. */
static int jump(Impact *impact, const double *start, const double *push, double *v) {
    Run *run = impact->run;
    Work *w = &run->w;
    Rows *rows = impact->rows;
    times_mass(run, start, w->load);
    for (int i = 0; push && i < run->p.nv; i++) w->load[i] += push[i];
    for (int i = 0; i < rows->count; i++) rows->rhs[i] = impact->wanted[i] - impact->offset[i];
    int code = solve_problem(run, rows, w->load, push ? NULL : start, w->x, w->multipliers);
    if (!code) code = certified(run, rows, w->load, w->x, w->multipliers);
    if (code) return code;
    for (int i = 0; i < rows->count; i++) w->impulses[rows->row[i]] += w->multipliers[i];
    memcpy(v, w->x, (size_t)run->p.nv * sizeof(double));
    return is_linear(impact, v) ? 0 : NONLINEAR;
}

/* Rates that are round-off count as zero. */
static double rate_before(const Impact *impact, int i, const double *v) {
    const double rate = row_times(impact->rows, i, v) + impact->offset[i];
    return fabs(rate) <= impact->run->w.slow[impact->rows->row[i]] ? 0 : rate;
}

static void want(Impact *impact, const double *v, int newton) {
    for (int i = 0; i < impact->rows->count; i++) {
        const int contact = i >= impact->first && i < impact->first + impact->count;
        impact->wanted[i] = 0;
        if (contact && newton)
            impact->wanted[i] = -restitution_of(impact, i) * rate_before(impact, i, v);
    }
}

static int by_newton(Impact *impact, const double *v, double *v1) {
    want(impact, v, 1);
    return jump(impact, v, NULL, v1);
}

/* Compression until nothing approaches, then e times its impulses, with complementarity. */
static int by_poisson(Impact *impact, const double *v, double *v1) {
    Run *run = impact->run;
    Work *w = &run->w;
    Rows *rows = impact->rows;
    double *push = w->f2, *compressed = w->v2;
    want(impact, v, 0);
    int code = jump(impact, v, NULL, compressed);
    if (code) return code;
    memset(push, 0, (size_t)run->p.nv * sizeof(double));
    for (int i = impact->first; i < impact->first + impact->count; i++) {
        double returned = restitution_of(impact, i) * w->multipliers[i];
        if (returned < run->s.returned_underflow) returned = 0;
        for (int j = rows->start[i]; j < rows->start[i + 1]; j++) {
            push[rows->column[j]] += rows->entry[j] * returned;
        }
        w->impulses[rows->row[i]] += returned;
    }
    return jump(impact, compressed, push, v1);
}

/* One contact after the other, the fastest approach first, ties together. */
static int in_sequence(Impact *impact, const int *taking, int k, const double *v, double *v1) {
    Run *run = impact->run;
    Work *w = &run->w;
    double *lengths = w->lengths, largest = 0, squares = 0;
    int *group = w->graze, collisions = 0;
    Impact whole = *impact;
    Rows *all = &run->w.rows;
    double *offsets = w->edges;
    whole.rows = all;
    int code = build(&whole, taking, k);
    if (code) return code;
    gram_of(run, all);
    const int rows_in_all = run->p.nc + run->p.nl < MOST_HELD ? run->p.nc + run->p.nl : MOST_HELD;
    const int ld = run->p.ne + rows_in_all;
    times_mass(run, v, w->load);
    for (int i = 0; i < run->p.nv; i++) squares += v[i] * w->load[i];
    for (int i = 0; i < k; i++) {
        const int row = whole.first + i;
        lengths[i] = sqrt(w->gram[(size_t)row * ld + row]), offsets[i] = whole.offset[row];
        largest = fmax(largest, -rate_before(&whole, row, v) / lengths[i]);
    }
    memcpy(v1, v, (size_t)run->p.nv * sizeof(double));
    for (;;) {
        double fastest = 0;
        int count = 0;
        for (int i = 0; i < k; i++) {
            const int row = whole.first + i;
            const double offset = offsets[i], rate = row_times(all, row, v1) + offset;
            const double motion = sqrt(squares) + fabs(offset) / lengths[i];
            const double small =
                fmax(run->s.left_approach * largest, run->s.approach_round_off * motion);
            w->when[i] = -rate > small * lengths[i] ? -rate / lengths[i] : 0;
            fastest = fmax(fastest, w->when[i]);
        }
        if (fastest == 0) break;
        for (int i = 0; i < k; i++) {
            if (w->when[i] >= fastest * (1 - run->s.tied_approach)) group[count++] = taking[i];
        }
        if (collisions++ >= run->s.max_collisions) return ACTIVE_SET;
        code = build(impact, group, count);
        if (code) return code;
        memcpy(w->v2, v1, (size_t)run->p.nv * sizeof(double));
        code = by_newton(impact, w->v2, v1);
        if (code) return code;
    }
    return collisions ? 0 : ACTIVE_SET;
}

/* The velocity after an impact of the contacts `taking`, and the impulses on all rows. */
int collide(Run *run, double t, const double *y, const int *taking, int k, double *v1,
            double *impulses) {
    Impact impact = {run, t, y, &run->w.others, 0, 0, run->w.gaps, run->w.slopes};
    const double *v = y + run->p.nq;
    memset(impulses, 0, (size_t)run->p.m * sizeof(double));
    int code = system_at(run, t, y);
    if (code) return code;
    if (run->s.law == SEQUENTIAL) return in_sequence(&impact, taking, k, v, v1);
    code = build(&impact, taking, k);
    if (code) return code;
    return run->s.law == POISSON ? by_poisson(&impact, v, v1) : by_newton(&impact, v, v1);
}
