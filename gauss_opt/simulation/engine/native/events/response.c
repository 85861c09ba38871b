/* Through an event at which contacts close: impacts, the new statuses, the series of impacts.

   Whatever is not plain (a contact that neither carries nor leaves, an energy that rises, impacts
   that may accumulate) is left to the reference stepper, and nothing has happened then. */
#include "../engine.h"

#include <math.h>
#include <string.h>

/* The numbers of events are those of KINDS in results/growing/stretch.py. */
enum {
    IMPACT_EVENT = 0,
    RELEASE_EVENT = 1,
    LIMIT_OFF_EVENT = 3,
    MOST_IMPACTS = 100,
    LOW_STRIKES = 3
};

/* The event under way: everything about it that is not in the state yet. */
typedef struct {
    Run *run;
    double t;
    double *y; /* w.y1: position, and the velocity after the impacts so far */
    int n_closing, n_touching, n_collisions;
    double *sizes; /* of the rates of rows: w.lengths */
} Event;

static int closed(const Run *run, const int *status, int contact) {
    return status[run->p.ne + contact] >= RESTING;
}

/* Contacts that trigger the event, those that close with them, and all that are closed. */
static int gather(Event *event, int count) {
    Run *run = event->run;
    const Program *p = &run->p;
    Work *w = &run->w;
    int *is = w->touched, n = 0;
    memset(is, 0, (size_t)p->m * sizeof(int));
    for (int i = 0; i < count; i++) is[w->closing[i]] = 1;
    const double near = resolution(run, event->t);
    for (int i = 0; i < p->nc; i++) {
        if (closed(run, run->state.status, i) || is[i]) continue;
        const Function *f = p->functions + i;
        function_point(run, i, event->t, event->y, w->point);
        const double *scale = position_sizes(run, w->scale1);
        const double length = size_of_entries(run, p->indices + f->columns, w->point + 3,
                                              f->n_columns, scale, motion_of(run, scale));
        is[i] = w->point[0] <= fabs(w->point[1]) * near + 10 * run->s.round_off * length;
    }
    event->n_closing = event->n_touching = 0;
    for (int i = 0; i < p->nc; i++) {
        if (is[i]) w->closing[event->n_closing++] = i;
        if (is[i] || closed(run, run->state.status, i)) w->touching[event->n_touching++] = i, n++;
    }
    return n > MOST_HELD ? MANY_ROWS : 0;
}

/* Rates of the touching contacts into w.rates, and the sizes of their terms. */
static void measure(Event *event) {
    Run *run = event->run;
    const Program *p = &run->p;
    const double *scale = run->w.scale1, *v = event->y + p->nq;
    const double motion = motion_of(run, scale + p->nq);
    for (int i = 0; i < event->n_touching; i++) {
        const int contact = run->w.touching[i], row = p->ne + contact;
        const Function *f = p->functions + contact;
        const int *columns = p->indices + f->columns;
        function_point(run, contact, event->t, event->y, run->w.point);
        const double *point = run->w.point;
        double offset = point[1];
        for (int j = 0; j < f->n_columns; j++) offset -= point[3 + j] * v[columns[j]];
        run->w.rates[row] = point[1];
        event->sizes[row] = fabs(offset) + size_of_entries(run, columns, point + 3, f->n_columns,
                                                           scale + p->nq, motion);
    }
}

/* One impact of the contacts in w.taking: its event, and the velocity after into the state. */
static int one_impact(Event *event, int k) {
    Run *run = event->run;
    const Program *p = &run->p;
    Work *w = &run->w;
    int *took_part;
    int code = collide(run, event->t, event->y, w->taking, k, w->v1, w->impulses);
    if (code) return code;
    const double *v0 = event->y + p->nq;
    double *found = new_event(run, IMPACT_EVENT, event->t, event->y, v0, w->v1, &took_part);
    if (!found) return FULL;
    double change = 0, before = 0, work = 0;
    for (int i = 0; i < p->nv; i++) w->load[i] = w->v1[i] + v0[i];
    times_mass(run, w->load, w->total);
    for (int i = 0; i < p->nv; i++) change += 0.5 * (w->v1[i] - v0[i]) * w->total[i];
    times_mass(run, v0, w->total);
    for (int i = 0; i < p->nv; i++) before += 0.5 * v0[i] * w->total[i];
    rows_equal(run, &w->others, HOLDS_VELOCITY);
    for (int i = 0; i < k; i++) {
        code = rows_append(run, &w->others, w->taking[i], event->t, event->y);
        if (code) return code;
        took_part[p->ne + w->taking[i]] = 1;
    }
    for (int i = 0; i < w->others.count; i++) {
        const double offset = w->others.rate[i] - row_times(&w->others, i, v0);
        work -= w->impulses[w->others.row[i]] * offset;
    }
    if (change - work > run->s.energy_gain * (before + fabs(work))) return ENERGY_GAIN;
    found[1] = change, found[2] = work;
    memcpy(found + 4 + p->n + p->nv, w->impulses, (size_t)p->m * sizeof(double));
    memcpy(event->y + p->nq, w->v1, (size_t)p->nv * sizeof(double));
    event->n_collisions++;
    run->stats.impacts++;
    return 0;
}

/* Impacts until none of the touching contacts approaches; w.slow: rates that count as zero. */
static int all_impacts(Event *event) {
    Run *run = event->run;
    const int ne = run->p.ne;
    Work *w = &run->w;
    double fastest = INFINITY;
    for (int round = 0; round < MOST_IMPACTS; round++) {
        int approaches = 0, k = 0;
        measure(event);
        for (int i = 0; i < event->n_touching; i++) {
            const int row = ne + w->touching[i];
            w->slow[row] = fmin(run->s.slow * event->sizes[row], run->s.slow_in_impact * fastest);
            approaches |= w->rates[row] < -w->slow[row];
        }
        if (!approaches) return event->n_collisions ? 0 : NO_HEADWAY;
        double most = 0;
        for (int i = 0; i < event->n_touching; i++) {
            const int row = ne + w->touching[i];
            if (w->rates[row] > w->slow[row]) continue;
            w->taking[k++] = w->touching[i], most = fmax(most, fabs(w->rates[row]));
        }
        if (!round) fastest = most;
        const int code = one_impact(event, k);
        if (code) return code;
    }
    return NO_HEADWAY;
}

/* The acceleration with the statuses in w.status1, and that all that are closed carry force. */
static int settle(Event *event) {
    Run *run = event->run;
    const Program *p = &run->p;
    Work *w = &run->w;
    const int *status = w->status1;
    int rest = 0;
    for (int i = p->ne; i < p->m; i++) rest |= status[i] == CARRYING;
    if (!rest) return accelerate(run, event->t, event->y, status);
    int code = system_at(run, event->t, event->y);
    if (!code) code = rows_held(run, &w->rows, status, CARRYING, event->t, event->y);
    const double *load = w->out + p->at_force;
    if (!code) code = solve_problem(run, &w->rows, load, NULL, w->x, w->multipliers);
    if (!code) code = certified(run, &w->rows, load, w->x, w->multipliers);
    for (int i = w->rows.n_equal; !code && i < w->rows.count; i++) {
        if (!(w->in[i] && w->multipliers[i] > 0)) code = IDLE;
    }
    return code;
}

/* Who is closed after the impacts. */
static int classify(Event *event) {
    Run *run = event->run;
    const Program *p = &run->p;
    Work *w = &run->w;
    int *status = w->status1;
    memcpy(status, run->state.status, (size_t)p->m * sizeof(int));
    for (int i = 0; i < event->n_touching; i++) {
        const int row = p->ne + w->touching[i];
        status[row] = fabs(w->rates[row]) <= w->slow[row] ? CARRYING : LEAVING;
    }
    for (int i = p->ne + p->nc; i < p->m; i++) {
        if (status[i] == CARRYING) return LIMIT_REACHED; /* has it been left? */
    }
    for (int i = 0; i < event->n_closing; i++) {
        const int row = p->ne + w->closing[i];
        if (status[row] == LEAVING && w->rates[row] < 0) return RISEN;
    }
    return settle(event);
}

/* Rows from one to another that were held and are so no longer: one event. */
static int announce(Event *event, int kind, int begin, int end) {
    Run *run = event->run;
    const double *v = event->y + run->p.nq;
    int *took_part = NULL;
    for (int row = begin; row < end; row++) {
        if (run->state.status[row] < RESTING || run->w.status1[row] >= RESTING) continue;
        if (!took_part && !new_event(run, kind, event->t, event->y, v, v, &took_part)) return FULL;
        took_part[row] = 1;
    }
    return 0;
}

static int announce_released(Event *event) {
    const Program *p = &event->run->p;
    const int contacts = p->ne + p->nc;
    const int code = announce(event, RELEASE_EVENT, p->ne, contacts);
    return code ? code : announce(event, LIMIT_OFF_EVENT, contacts, p->m);
}

/* The state w.y1 at which the rows in w.closing let go: the far side, with the new statuses. */
int let_go(Run *run, double t, int count) {
    const Program *p = &run->p;
    Event event = {run, t, run->w.y1, 0, 0, 0, run->w.lengths};
    int *status = run->w.status1;
    memcpy(status, run->state.status, (size_t)p->m * sizeof(int));
    for (int i = 0; i < count; i++) {
        const int function = run->w.closing[i];
        status[p->ne + function] = function < p->nc ? LEAVING : OPEN;
    }
    int code = settle(&event);
    if (!code) code = announce_released(&event);
    return code ? code : record_row(run, t, event.y, 1);
}

static int was_struck(const Run *run, int first_event, int row) {
    const int at = 4 + run->p.n + run->p.nv + row;
    for (int e = first_event; e < run->out.n_events; e++) {
        if (run->out.events[(size_t)e * run->out.event_width + at] > 0) return 1;
    }
    return 0;
}

/* The rate at which a row was struck at most, before the impacts of this event. */
static double approach_of(const Run *run, int first_event, int contact, double t) {
    double most = 0;
    for (int e = first_event; e < run->out.n_events; e++) {
        const double *event = run->out.events + (size_t)e * run->out.event_width;
        if (run->out.event_rows[(size_t)e * (2 + run->p.m)] != IMPACT_EVENT) continue;
        memcpy(run->w.y2, event + 4, (size_t)run->p.n * sizeof(double));
        function_point((Run *)run, contact, t, run->w.y2, run->w.point);
        most = fmax(most, fabs(run->w.point[1]));
    }
    return most;
}

/* Note the impacts in the series, unless they may be part of an accumulation or of a cluster. */
static int note(Event *event, int first_event) {
    Run *run = event->run;
    const Program *p = &run->p;
    const double lowest = fmax(run->s.accumulated, run->s.closure);
    double highest = 0;
    int low = 0;
    for (int row = p->ne; row < p->ne + p->nc; row++) {
        if (!was_struck(run, first_event, row)) {
            low += run->state.low[row];
            continue;
        }
        const Function *f = p->functions + (row - p->ne);
        const double approach = approach_of(run, first_event, row - p->ne, event->t);
        function_point(run, row - p->ne, event->t, event->y, run->w.point);
        const double *scale = position_sizes(run, run->w.scale1);
        const double length = size_of_entries(run, p->indices + f->columns, run->w.point + 3,
                                              f->n_columns, scale, motion_of(run, scale));
        const double apart = event->t - run->state.struck[row];
        const double rate = fmax(run->state.rates[row], approach);
        const double height = isinf(apart) ? INFINITY : apart * rate / fmax(length, run->s.tiny);
        if (!(height > lowest)) return ACCUMULATION;
        highest = fmax(highest, height);
        run->w.when[row] = fabs(run->w.point[1]);
    }
    if (low >= LOW_STRIKES) return ACCUMULATION;
    for (int e = first_event; e < run->out.n_events; e++) {
        run->out.events[(size_t)e * run->out.event_width + 3] = highest;
    }
    for (int row = p->ne; row < p->ne + p->nc; row++) {
        if (!was_struck(run, first_event, row)) continue;
        run->state.struck[row] = event->t, run->state.rates[row] = run->w.when[row];
        run->state.low[row] = run->state.closed[row] = 0;
    }
    return 0;
}

/* The state w.y1 at the event, and the contacts that trigger it in w.closing: through the impacts
   to the far side. Rows, events and the series are written; statuses are in w.status1. */
int through_contact(Run *run, double t, int count) {
    Event event = {run, t, run->w.y1, 0, 0, 0, run->w.lengths};
    const int first_event = run->out.n_events;
    int code = gather(&event, count);
    if (!code) code = all_impacts(&event);
    if (!code) code = classify(&event);
    if (!code) code = announce_released(&event);
    if (!code) code = record_row(run, t, event.y, 1);
    return code ? code : note(&event, first_event);
}
