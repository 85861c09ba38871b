/* Whether held contacts press all through a step: their multipliers enclosed.

   As in mechanics/pressing.py and guards/pressing.py: the data of the problem are intervals over a
   part of the step, and Krawczyk's test encloses its solution. */
#include "../engine.h"

#include <math.h>
#include <string.h>

enum { MOST_LEVEL = 5, MOST_CELLS = 4000, INFLATIONS = 4 };
static const double INFLATED = 2;

/* The system K x = r over a part: centres, radii, and vectors of its size. */
typedef struct {
    Run *run;
    int size, held, cells; /* unknowns, held rows, parts looked at so far */
    double *K, *radius, *inverse, *product;
    double *r, *r_radius, *x, *z, *reach, *d;
} Enclosure;

static void set_entry(const Enclosure *e, int i, int j, Interval value) {
    const double ulp = e->run->s.ulp;
    const size_t place = (size_t)i * e->size + j;
    e->K[place] = 0.5 * (value.low + value.high);
    e->radius[place] = 0.5 * (value.high - value.low) * (1 + 4 * ulp) + ulp * fabs(value.low);
}

static void set_rhs(const Enclosure *e, int i, Interval value) {
    const double ulp = e->run->s.ulp;
    e->r[i] = 0.5 * (value.low + value.high);
    e->r_radius[i] = 0.5 * (value.high - value.low) * (1 + 4 * ulp) + ulp * fabs(value.low);
}

static void set_row(const Enclosure *e, int row, int column, Interval entry) {
    const Interval minus = {-entry.high, -entry.low};
    const int nv = e->run->p.nv;
    set_entry(e, nv + row, column, entry);
    set_entry(e, column, nv + row, minus);
}

/* Mass, load, held rows and right-hand sides over the box of (q, v) in w.whole. */
static void fill(Enclosure *e, Interval times) {
    Run *run = e->run;
    const Program *p = &run->p;
    Work *w = &run->w;
    const int nv = p->nv;
    memset(e->K, 0, (size_t)e->size * e->size * sizeof(double));
    memset(e->radius, 0, (size_t)e->size * e->size * sizeof(double));
    const Tape smooth = program_tape(p, 0);
    tape_enclose(&smooth, &run->widening, w->whole, times, run->parameters, 0, w->enclosed,
                 w->interval_tape);
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
            const double known = p->mass_kind == MASS_FUNCTION ? 0 : p->mass[(size_t)i * nv + j];
            if (p->mass_kind == MASS_FUNCTION)
                set_entry(e, i, j, w->enclosed[(size_t)i * nv + j]);
            else
                e->K[(size_t)i * e->size + j] = known;
        }
        set_rhs(e, i, w->enclosed[p->at_force + i]);
    }
    for (int i = 0; i < p->ne; i++) {
        for (int j = p->starts[i]; j < p->starts[i + 1]; j++) {
            set_row(e, i, p->columns[j], w->enclosed[p->at_entries + j]);
        }
        set_rhs(e, nv + i, w->enclosed[p->at_rhs + i]);
    }
    for (int i = 0, row = p->ne; i < p->nc + p->nl; i++) {
        if (run->state.status[p->ne + i] != CARRYING) continue;
        const Function *f = p->functions + i;
        const Tape point = program_tape(p, f->point);
        for (int j = 0; j < f->n_coords; j++) w->box[j] = w->whole[p->indices[f->coords + j]];
        tape_enclose(&point, &run->widening, w->box, times, run->parameters, 0, w->enclosed,
                     w->interval_tape);
        for (int j = 0; j < f->n_columns; j++) {
            set_row(e, row, p->indices[f->columns + j], w->enclosed[3 + j]);
        }
        set_rhs(e, nv + row, w->enclosed[2]), row++;
    }
}

/* z: how far the solution can be off x at the least; E, over the inverse: by how much that grows.
 */
static void spread(Enclosure *e) {
    const int n = e->size;
    const double noise = n * e->run->s.product_round_off;
    for (int i = 0; i < n; i++) {
        double misfit = -e->r[i], terms = fabs(e->r[i]), moved = 0;
        for (int j = 0; j < n; j++) {
            const size_t place = (size_t)i * n + j;
            misfit += e->K[place] * e->x[j];
            terms += fabs(e->K[place]) * fabs(e->x[j]), moved += e->radius[place] * fabs(e->x[j]);
        }
        e->d[i] = fabs(misfit) + e->r_radius[i] + moved + noise * terms;
    }
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += fabs(e->inverse[(size_t)i * n + j]) * e->d[j];
        e->z[i] = sum;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double grown = 0, unit = i == j ? -1 : 0, terms = 0;
            for (int c = 0; c < n; c++) {
                const double share = e->inverse[(size_t)i * n + c];
                if (share == 0) continue;
                const size_t place = (size_t)c * n + j;
                grown += fabs(share) * e->radius[place];
                unit += share * e->K[place], terms += fabs(share) * fabs(e->K[place]);
            }
            e->product[(size_t)i * n + j] = grown + fabs(unit) + noise * terms;
        }
    }
}

/* z + E d < d for a d that is found in rounds; 0 where there is none. */
static int reaches(Enclosure *e) {
    const int n = e->size;
    for (int i = 0; i < n; i++) e->d[i] = 2 * e->z[i] + e->run->s.tiny;
    for (int round = 0; round <= INFLATIONS; round++) {
        int fits = 1;
        for (int i = 0; i < n; i++) {
            double sum = e->z[i];
            for (int j = 0; j < n; j++) sum += e->product[(size_t)i * n + j] * e->d[j];
            e->reach[i] = sum;
            fits &= sum < e->d[i];
        }
        if (fits) return 1;
        for (int i = 0; i < n; i++) {
            e->d[i] = INFLATED * fmax(e->reach[i], 0.5 * e->d[i]) + e->run->s.tiny;
        }
    }
    return 0;
}

/* Whether every held inequality is proved to press over a part, given the states at its nodes. */
static int presses(Enclosure *e, const double *values, double t0, double t1) {
    Run *run = e->run;
    const int n = e->size, nv = run->p.nv;
    const double noise = e->held * run->s.product_round_off;
    const Interval times = {t0, t1};
    e->cells++;
    bounds_of(run, values, run->p.n, run->w.whole, NULL);
    fill(e, times);
    for (int i = 0; i < n * n; i++) {
        if (!isfinite(e->K[i]) || !isfinite(e->radius[i])) return 0;
        e->product[i] = e->K[i];
    }
    for (int i = 0; i < n; i++) {
        if (!isfinite(e->r[i]) || !isfinite(e->r_radius[i])) return 0;
    }
    if (!invert(e->product, e->inverse, n)) return 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++) sum += e->inverse[(size_t)i * n + j] * e->r[j];
        e->x[i] = sum;
    }
    spread(e);
    if (!reaches(e)) return 0;
    for (int i = nv + run->p.ne; i < n; i++) {
        if (!(e->x[i] - e->reach[i] - noise * fabs(e->x[i]) > 0)) return 0;
    }
    return 1;
}

/* The release that is looked for: the first time, and the functions of the rows. */
typedef struct {
    Enclosure e;
    int place; /* among the held rows */
    double t;
    int found, count, unsettled;
} Search;

/* The multiplier of a held row at a time of the step. */
static double force_at(void *of, double t) {
    Search *search = of;
    Run *run = search->e.run;
    piece_at(run, t, run->p.n, run->w.y2);
    if (derivative(run, t, run->w.y2, run->w.error5)) search->unsettled = 1;
    return run->w.multipliers[search->place];
}

/* All multipliers at a time, copied; the largest of them in size. */
static double all_forces(Search *search, double t, double *forces) {
    Run *run = search->e.run;
    double largest = 0;
    force_at(search, t);
    memcpy(forces, run->w.multipliers, (size_t)search->e.held * sizeof(double));
    for (int i = 0; i < search->e.held; i++) largest = fmax(largest, fabs(forces[i]));
    return largest;
}

/* The first of some multipliers that reaches zero in a part in which nothing is proved. */
static void look_for_root(Search *search, double begin, double end) {
    Run *run = search->e.run;
    double *before = search->e.x, *after = search->e.z, first = INFINITY, *when = run->w.when;
    const double largest = fmax(all_forces(search, begin, before), all_forces(search, end, after));
    const double zero = run->s.no_force * largest;
    const int ne = run->p.ne;
    for (int i = ne; i < search->e.held; i++) {
        when[i] = INFINITY;
        if (!(after[i] < -zero)) continue;
        search->place = i;
        when[i] = before[i] <= 0
                      ? begin
                      : sign_change(force_at, search, &run->s, begin, end, before[i], after[i]);
        first = fmin(first, when[i]);
    }
    if (!(first < INFINITY)) {
        search->unsettled = 1;
        return;
    }
    const double near = first + resolution(run, first);
    search->found = 1, search->t = first;
    for (int i = ne, function = 0; i < search->e.held; i++, function++) {
        while (run->state.status[ne + function] != CARRYING) function++;
        if (when[i] <= near) run->w.closing[search->count++] = function;
    }
}

/* Go through the eighths of a part in the order of time, up to the first release. */
static void cut(Search *search, const double *parent, double t0, double t1, int level) {
    Enclosure *e = &search->e;
    Run *run = e->run;
    double *values = run->w.cells + (size_t)(level + 1) * NODES * run->p.n;
    for (int i = 0; i < CUTS && !search->found && !search->unsettled; i++) {
        const double begin = t0 + (t1 - t0) * ((double)i / CUTS);
        const double end = i < CUTS - 1 ? t0 + (t1 - t0) * ((double)(i + 1) / CUTS) : t1;
        cut_values(run, parent, run->p.n, i, values);
        if (presses(e, values, begin, end)) continue;
        if (level < MOST_LEVEL && e->cells <= MOST_CELLS) {
            cut(search, values, begin, end, level + 1);
        } else {
            look_for_root(search, begin, end);
        }
    }
}

static Enclosure enclosure_of(Run *run, int pressing) {
    Work *w = &run->w;
    const int size = run->p.nv + run->p.ne + pressing;
    Enclosure e = {.run = run, .size = size, .held = run->p.ne + pressing};
    double *vectors = w->K_work + (size_t)size * size;
    double **parts[] = {&e.r, &e.r_radius, &e.x, &e.z, &e.reach, &e.d};
    e.K = w->K_center, e.radius = w->K_radius, e.inverse = w->K_inverse, e.product = w->K_work;
    for (int i = 0; i < 6; i++) *parts[i] = vectors + (size_t)i * size;
    return e;
}

/* The first held inequalities that let go in the step, up to a time: when, and which into
   w.closing. `count` is 0 where all are proved to press; UNDECIDED: neither could be told. */
int first_release(Run *run, double t1, double *t, int *count) {
    const Program *p = &run->p;
    int pressing = 0;
    *count = 0;
    for (int row = p->ne; row < p->m; row++) pressing += run->state.status[row] == CARRYING;
    if (!pressing || !(t1 > run->piece_t0)) return 0;
    Search search = {.e = enclosure_of(run, pressing)};
    const double *values = run->w.piece;
    if (t1 < run->piece_t1) {
        piece_until(run, t1, run->w.part);
        values = run->w.part;
    }
    if (!presses(&search.e, values, run->piece_t0, t1)) {
        cut(&search, values, run->piece_t0, t1, 0);
    }
    run->stats.cells += search.e.cells;
    if (search.unsettled) return UNDECIDED;
    *t = search.t, *count = search.count;
    return search.found && !(search.t > run->piece_t0) ? NO_HEADWAY : 0;
}
