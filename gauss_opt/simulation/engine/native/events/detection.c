/* What happens first inside a step: open contacts that close; the rest must be proved away. */
#include "../engine.h"

#include <math.h>
#include <string.h>

/* Events closer in time than this to one at a time are one with it. */
double resolution(const Run *run, double t) {
    const double quiet = run->state.numbers[QUIET], since = t - run->state.numbers[LAST_EVENT];
    return run->s.simultaneous * fmin(run->s.time_scale, run->s.long_run * fmax(quiet, since));
}

/* What counts as zero of a function at the begin of the step, as in ROUND_OFF. */
static double noise_of(Run *run, int function, double *value) {
    const Function *f = run->p.functions + function;
    const int *columns = run->p.indices + f->columns, nq = run->p.nq;
    const double *y = run->state.y, *scale = run->state.scale, *point = run->w.point;
    function_point(run, function, run->state.numbers[TIME], y, run->w.point);
    *value = point[0];
    const int on_velocity = function >= run->p.nc;
    const double *sizes = on_velocity ? scale + nq : position_sizes(run, scale);
    double size =
        size_of_entries(run, columns, point + 3, f->n_columns, sizes, motion_of(run, sizes));
    if (on_velocity) {
        double offset = point[1];
        for (int j = 0; j < f->n_columns; j++) offset -= point[3 + j] * y[nq + columns[j]];
        size += fabs(offset);
    }
    return run->s.round_off * size;
}

/* Whether a velocity limit or a user function may have a zero in the step, up to a time. */
static int others_stay_away(Run *run, double until) {
    const Program *p = &run->p;
    for (int i = p->nc; i < p->nc + p->nl + p->nf; i++) {
        const int is_limit = i < p->nc + p->nl;
        if (is_limit && run->state.status[p->ne + i] == CARRYING) continue;
        double value, noise = 0;
        Partition found;
        if (is_limit) {
            noise = noise_of(run, i, &value);
            if (value <= 10 * noise) return LIMIT_REACHED;
        }
        const Wanted wanted = {noise, until, 0};
        const int code = partition(run, i, wanted, &found);
        if (code) return code;
        if (found.may_vanish) return LIMIT_REACHED;
    }
    return 0;
}

/* The first zero of one gap in the step, found between the edges of its partition. */
static int closing_of(Run *run, int contact, double until, Crossing *crossing) {
    Work *w = &run->w;
    const int left = run->state.status[run->p.ne + contact] == LEAVING;
    double value;
    const double noise = noise_of(run, contact, &value);
    const Wanted wanted = {noise, until, !left};
    Partition found;
    int start = 0;
    crossing->found = 0;
    const int code = partition(run, contact, wanted, &found);
    if (code) return code;
    if (!found.may_vanish && found.n_edges > 2) {
        w->edges[1] = w->edges[found.n_edges - 1];
        found.n_edges = 2;
    }
    for (int i = 0; i < found.n_edges; i++) {
        gap_and_rate(run, contact, w->edges[i], &w->gaps[i], &w->slopes[i]);
    }
    if (!left && !found.may_vanish && w->gaps[0] > 0) return 0;
    while (start < found.n_edges - 1) {
        *crossing = first_crossing(run, contact, w->edges + start, w->gaps + start,
                                   w->slopes + start, found.n_edges - start, noise, left);
        if (!crossing->found || !crossing->graze || !left) return 0;
        if (crossing->t > run->piece_t0 + resolution(run, run->piece_t1)) return 0;
        /* the touch that the segment starts from */
        while (start < found.n_edges && w->edges[start] <= crossing->t) start++;
        crossing->found = 0;
    }
    return 0;
}

/* The first moment at which contacts close inside the step of w.piece: its time, and the contacts
   into w.closing. `count` is 0 where nothing happens. */
int first_closing(Run *run, double *t, int *count) {
    const Program *p = &run->p;
    Work *w = &run->w;
    double until = INFINITY;
    int n = 0, first = -1;
    *count = 0;
    if (!(p->nc + p->nl + p->nf)) return 0;
    piece_states(run);
    bounds_of(run, w->states, p->n + 2 * p->nv, w->whole, NULL);
    for (int i = 0; i < p->nc; i++) {
        const int status = run->state.status[p->ne + i];
        if (status >= RESTING || (status == OPEN && proved_clear(run, i))) continue;
        Crossing crossing;
        const int code = closing_of(run, i, until, &crossing);
        if (code) return code;
        if (!crossing.found) continue;
        w->when[n] = crossing.t, w->graze[n] = crossing.graze, w->touched[n] = i;
        if (first < 0 || crossing.t < w->when[first]) first = n;
        until = fmin(until, crossing.t + resolution(run, crossing.t)), n++;
    }
    const int code = others_stay_away(run, until);
    if (code || first < 0) return code;
    if (w->graze[first]) return GRAZE;
    *t = w->when[first];
    if (!(*t > run->piece_t0)) return NO_HEADWAY;
    const double near = *t + resolution(run, *t);
    for (int i = 0; i < n; i++) {
        if (w->when[i] > near) continue;
        if (w->graze[i]) return GRAZE;
        w->closing[(*count)++] = w->touched[i];
    }
    return 0;
}
