/* The loop: steps of smooth segments and the events that string them, until something is rare. */
#include "engine.h"

#include <math.h>
#include <string.h>

enum { FEWEST_STEPS = 4 };
static const double COLLAPSED = 0.02; /* as in event_driven/leaps/rank_watch.py */

/* Sizes seen so far, with another state taken into account. */
static void grow(Run *run, const double *y, double *scale) {
    const Program *p = &run->p;
    for (int i = 0; i < p->n; i++) {
        const int fixed = i < p->nq && run->s.fixed_length;
        scale[i] = fixed ? run->state.scale[i] : fmax(run->state.scale[i], fabs(y[i]));
    }
}

/* The user's tolerances, or far below rtol times the size of each coordinate. */
static void set_tolerances(Run *run) {
    const Program *p = &run->p;
    double *atol = run->state.atol;
    const int ends[] = {0, p->nq, p->n};
    for (int part = 0; part < 2; part++) {
        double largest = 0;
        for (int i = ends[part]; i < ends[part + 1]; i++)
            largest = fmax(largest, run->state.scale[i]);
        if (!(largest > run->s.next_to_nothing)) largest = 1;
        for (int i = ends[part]; i < ends[part + 1]; i++) {
            const double size = fmax(run->state.scale[i], run->s.atol_floor * largest);
            atol[i] =
                run->s.user_atol ? run->user_atol[i] : run->s.atol_by_rtol * run->s.rtol * size;
        }
    }
}

static double next_bound(const Run *run) {
    for (int i = 0; i < run->n_breakpoints; i++) {
        if (run->breakpoints[i] > run->state.numbers[TIME]) {
            return fmin(run->breakpoints[i], run->s.t1);
        }
    }
    return run->s.t1;
}

/* The slope where the run is, and the tolerances and first step of a segment that begins there. */
static int begin(Run *run) {
    double *numbers = run->state.numbers;
    const int code = derivative(run, numbers[TIME], run->state.y, run->w.f0);
    if (code) return code;
    if (run->state.counts[IN_SEGMENT]) run->stats.rhs--; /* it was known, but for the interruption */
    else set_tolerances(run);
    run->state.counts[IN_SEGMENT] = 1;
    const double bound = next_bound(run);
    if (numbers[NEXT_STEP] < 0) {
        numbers[NEXT_STEP] = first_step(run, numbers[TIME], run->state.y, run->w.f0, bound);
        if (numbers[NEXT_STEP] < 0) return NOT_FINITE;
    }
    return 0;
}

/* How far open contacts are behind their surface; those that left and are apart are open. */
static void look_at_gaps(Run *run, double t, const double *y) {
    const Program *p = &run->p;
    const double *scale = position_sizes(run, run->state.scale);
    const double motion = motion_of(run, scale);
    for (int i = 0; i < p->nc; i++) {
        int *status = &run->state.status[p->ne + i];
        if (*status >= RESTING) continue;
        const Function *f = p->functions + i;
        function_point(run, i, t, y, run->w.point);
        const double gap = run->w.point[0];
        if (gap >= 0 && *status != LEAVING) continue;
        const double length = size_of_entries(run, p->indices + f->columns, run->w.point + 3,
                                              f->n_columns, scale, motion);
        if (gap < 0) run->stats.penetration = fmax(run->stats.penetration, -gap / length);
        if (gap > run->s.round_off * length) *status = OPEN;
    }
}

/* Note the length of a step; whether steps have become far smaller than they were. */
static int collapses(Run *run, double length, double next) {
    double *lengths = run->state.numbers + LATE_LENGTHS, longest = 0;
    int *late = &run->state.counts[LATE_STEPS];
    lengths[(*late)++ % LATE] = length;
    for (int i = 0; i < *late && i < LATE; i++) longest = fmax(longest, lengths[i]);
    return run->w.rows.count && *late >= FEWEST_STEPS && next <= COLLAPSED * longest;
}

static void end_segment(Run *run) {
    int *counts = run->state.counts;
    counts[IN_SEGMENT] = counts[LATE_STEPS] = counts[NEW_PIECES] = 0;
    counts[NEW_SEGMENT] = 1;
}

/* The pieces of the way to an event. */
static int keep_way(Run *run, int n_pieces) {
    const size_t width = 2 + (size_t)NODES * run->p.n;
    for (int i = 0; i < n_pieces; i++) {
        const double *piece = run->w.way + (size_t)i * width;
        run->piece_t0 = piece[0], run->piece_t1 = piece[1];
        memcpy(run->w.piece, piece + 2, (width - 2) * sizeof(double));
        const int code = record_piece(run);
        if (code) return code;
    }
    return 0;
}

/* To an event inside the step, through it, and what a new segment begins with. `contact` is the
   first that closes; -1: the rows in w.closing let go. */
static int to_event(Run *run, double t, int contact, int count, double next) {
    const Program *p = &run->p;
    Work *w = &run->w;
    double *numbers = run->state.numbers;
    const double tried = run->piece_t1 - run->piece_t0;
    int n_pieces;
    int code = arrive(run, &t, contact, &n_pieces);
    if (!code) code = keep_way(run, n_pieces);
    if (!code) code = project(run, t, w->y1, run->state.status, run->state.scale, run->s.round_off);
    if (code) return code;
    if (!(t > numbers[TIME])) return NO_HEADWAY;
    grow(run, w->y1, w->scale1);
    code = accelerate(run, t, w->y1, run->state.status);
    if (!code) code = record_row(run, t, w->y1, 0);
    if (!code) code = contact < 0 ? let_go(run, t, count) : through_contact(run, t, count);
    if (code) return code;
    memcpy(run->state.scale, w->scale1, (size_t)p->n * sizeof(double));
    memcpy(run->state.status, w->status1, (size_t)p->m * sizeof(int));
    memcpy(run->state.y, w->y1, (size_t)p->n * sizeof(double));
    const double between = t - numbers[LAST_EVENT];
    numbers[TIME] = t, numbers[NEXT_STEP] = fmin(next, fmax(tried, between));
    numbers[LAST_EVENT] = t, numbers[QUIET] = fmax(numbers[QUIET], between);
    end_segment(run);
    return 0;
}

/* Through contacts that close, unless others let go before. */
static int to_contact(Run *run, double t, int count, double next) {
    double released;
    int letting_go;
    const int contact = run->w.closing[0];
    for (int i = 0; i < count; i++) run->w.touching[i] = run->w.closing[i];
    int code = first_release(run, t, &released, &letting_go);
    if (code) return code;
    if (letting_go && released < t) return to_event(run, released, -1, letting_go, next);
    if (letting_go) return RELEASE_FIRST;
    for (int i = 0; i < count; i++) {
        run->w.closing[i] = run->w.touching[i];
        if (irregular(run, run->w.closing[i], t)) return IRREGULAR;
    }
    return to_event(run, t, contact, count, next);
}

/* Accept the step to (t, w.y1): without drift, with all held rows proved to press. */
static int accept(Run *run, double t, double next, int *collapsed) {
    const Program *p = &run->p;
    Work *w = &run->w;
    double *y = w->y1, off[2], released;
    int letting_go;
    grow(run, y, w->scale1);
    int code = held_motion(run, t, y, run->state.status);
    if (code) return code;
    double drift = drift_of(run, &w->rows, w->scale1, y + p->nq, &off[0], &off[1]);
    const double allowed = fmax(run->s.jump, run->s.jump_by_rtol * run->s.rtol);
    if (!(drift <= allowed)) return JUMPED;
    code = first_release(run, t, &released, &letting_go);
    if (code) return code;
    if (letting_go) return to_event(run, released, -1, letting_go, next);
    if (drift > run->s.drift) {
        code = project(run, t, y, run->state.status, w->scale1, run->s.round_off);
        if (!code) code = derivative(run, t, y, w->f1);
        run->stats.projections++;
    }
    if (!code) code = accelerate(run, t, y, run->state.status);
    if (code) return code;
    drift = drift_of(run, &w->rows, w->scale1, y + p->nq, &off[0], &off[1]);
    memcpy(run->state.scale, w->scale1, (size_t)p->n * sizeof(double));
    code = record_piece(run);
    if (!code && run->n_chosen) code = accelerate(run, t, y, run->state.status);
    if (!code && (run->s.keep_rows || t == run->s.t1)) code = record_row(run, t, y, 0);
    if (code) return code;
    run->stats.drift = fmax(run->stats.drift, drift);
    const int at_bound = t >= next_bound(run);
    *collapsed = collapses(run, t - run->state.numbers[TIME], next);
    run->state.counts[NEW_PIECES]++;
    look_at_gaps(run, t, y);
    run->state.numbers[TIME] = t, run->state.numbers[NEXT_STEP] = next;
    if (at_bound) end_segment(run), run->state.numbers[NEXT_STEP] = -1;
    memcpy(run->state.y, y, (size_t)p->n * sizeof(double));
    memcpy(w->f0, w->f1, (size_t)p->n * sizeof(double));
    return 0;
}

/* One step, with the event inside it if there is one. */
static int advance(Run *run, int *collapsed) {
    double t1, next, t = 0;
    int count;
    const double now = run->state.numbers[TIME], h = run->state.numbers[NEXT_STEP];
    int code = take_step(run, now, run->state.y, next_bound(run), h, &t1, &next);
    if (code) return code;
    run->stats.steps++;
    run->piece_t0 = now, run->piece_t1 = t1;
    code = dense_output(run, now, run->state.y, t1, run->w.piece);
    if (!code && may_hide(run)) code = HIDDEN;
    if (!code) code = first_closing(run, &t, &count);
    if (code) return code;
    return count ? to_contact(run, t, count, next) : accept(run, t1, next, collapsed);
}

/* The same, or nothing: where it is handed over, all is as it was. */
static int advance_or_not(Run *run, int *collapsed) {
    const Stats stats = run->stats;
    const Out out = run->out;
    const int chosen = run->state.counts[NEXT_CHOSEN];
    const size_t size = (size_t)run->p.n * sizeof(double);
    memcpy(run->w.scale0, run->state.scale, size);
    const int code = advance(run, collapsed);
    if (!code) return 0;
    run->stats = stats, run->out = out, run->state.counts[NEXT_CHOSEN] = chosen;
    memcpy(run->state.scale, run->w.scale0, size);
    return code;
}

/* Go on until the end, or until the reference stepper has to take a step. */
int engine_run(Run *run) {
    int *counts = run->state.counts, fresh = 1, collapsed = 0;
    int code = prepare_mass(run);
    while (!code && !collapsed) {
        if (run->state.numbers[TIME] >= run->s.t1) return DONE;
        if (counts[STEPS_BEFORE] + run->stats.steps >= run->s.max_steps) return FULL;
        if (counts[EVENTS_BEFORE] + run->out.n_events >= run->s.max_events) return FULL;
        if (fresh || !counts[IN_SEGMENT]) code = begin(run);
        if (!code) code = advance_or_not(run, &collapsed);
        fresh = 0;
    }
    return code ? code : RANK;
}
