/* A step cut into parts on each of which it is certain what a function does.

   As in model/enclosure/partition.py: a part is settled when the function is proved to have one
   sign there, to be monotone, convex or concave, or not to leave what counts as zero. */
#include "../engine.h"

#include <math.h>
#include <string.h>

enum { MOST_LEVEL = 14, MOST_CELLS = 4000 };
static const double STAYS_ZERO = 1e3;

typedef struct {
    int settled, clear;
    double middle;
} Verdict;

/* One search through a step: the function, and what has been found. */
typedef struct {
    Run *run;
    const Function *function;
    Tape tape;
    Wanted wanted;
    Partition *found;
    int stopped, full;
} Search;

/* What the bounds over a part of this length prove; columns: value, rate, second rate. */
static Verdict judged(const Search *search, const Interval *bounds, const double *middles,
                      double length) {
    const Settings *s = &search->run->s;
    const double noise = search->wanted.noise, middle = middles[0];
    const double half = 0.5 * length * (1 + 4 * s->ulp);
    double low = bounds[0].low, high = bounds[0].high;
    int settled = 0;
    if (search->tape.n_outputs > 1) {
        const double rate = middles[1], slack = 2 * s->ulp * fabs(middle) + noise;
        double rate_low = bounds[1].low, rate_high = bounds[1].high;
        if (search->tape.n_outputs > 2) {
            const double bend_low = bounds[2].low, bend_high = bounds[2].high;
            const double bend = fmax(-bend_low, bend_high) * half, way = fabs(rate) * half + slack;
            const double square = 0.5 * half * half;
            settled |= bend_low > 0 || bend_high < 0;
            rate_low = fmax(rate_low, rate - bend), rate_high = fmin(rate_high, rate + bend);
            low = fmax(low, middle - way + fmin(bend_low, 0) * square);
            high = fmin(high, middle + way + fmax(bend_high, 0) * square);
        }
        settled |= rate_low > 0 || rate_high < 0;
        const double way = fmax(-rate_low, rate_high) * half + slack;
        low = fmax(low, middle - way), high = fmin(high, middle + way);
    }
    const int clear = low > 0 || high < 0;
    const int zero = low >= -STAYS_ZERO * noise && high <= STAYS_ZERO * noise;
    const Verdict verdict = {settled || clear || zero, clear, middle};
    return verdict;
}

/* Judge one part, given the coordinates at its nodes. */
static Verdict look(Search *search, const double *values, double t0, double t1) {
    Run *run = search->run;
    Work *w = &run->w;
    const int n = search->function->n_guard_coords;
    const Interval times = {t0, t1};
    double middles[3];
    bounds_of(run, values, n, w->box, w->input);
    tape_enclose(&search->tape, &run->widening, w->box, times, run->parameters, 0, w->enclosed,
                 w->interval_tape);
    tape_run(&search->tape, w->input, 0.5 * (t0 + t1), run->parameters, middles, w->tape);
    search->found->cells++;
    return judged(search, w->enclosed, middles, t1 - t0);
}

static void add_edge(Search *search, double t) {
    Partition *found = search->found;
    double *edges = search->run->w.edges;
    if (found->n_edges >= MOST_EDGES) {
        search->full = 1;
    } else if (t > edges[found->n_edges - 1]) {
        edges[found->n_edges++] = t;
    }
}

/* Cut a part that is not settled, and go through the pieces in the order of time. */
static void cut(Search *search, const double *parent, double t0, double t1, int level) {
    Run *run = search->run;
    const Settings *s = &run->s;
    Partition *found = search->found;
    const int n = search->function->n_guard_coords, jumps = search->tape.n_outputs == 1;
    double *values = run->w.cells + (size_t)(level + 1) * NODES * n;
    const double length = (t1 - t0) / CUTS;
    for (int i = 0; i < CUTS; i++) {
        const double begin = i ? t0 + (t1 - t0) * ((double)i / CUTS) : t0;
        const double end = i < CUTS - 1 ? t0 + (t1 - t0) * ((double)(i + 1) / CUTS) : t1;
        if (begin > search->wanted.until) search->stopped = 1;
        if (search->stopped || search->full) return;
        cut_values(run, parent, n, i, values);
        const Verdict verdict = look(search, values, begin, end);
        if (!verdict.settled) {
            const int tiny =
                level >= MOST_LEVEL || length <= s->shortest_part * fmax(fabs(t0), fabs(t1));
            if (found->cells <= MOST_CELLS && !tiny) {
                cut(search, values, begin, end, level + 1);
                continue;
            }
            if (!(tiny && jumps)) found->unsettled++; /* what is tiny may be the place of a jump */
        }
        found->may_vanish |= !verdict.clear;
        add_edge(search, end);
        if (search->wanted.first_only && verdict.settled &&
            verdict.middle < -search->wanted.noise) {
            search->stopped = 1;
        }
    }
}

/* Cut the step in w.states for a function: its edges into w.edges. UNDECIDED: not all settled. */
int partition(Run *run, int function, Wanted wanted, Partition *found) {
    const Function *f = run->p.functions + function;
    const int *coords = run->p.indices + f->guard_coords, n = f->n_guard_coords;
    const int width = run->p.n + 2 * run->p.nv;
    Search search = {run, f, program_tape(&run->p, f->guard), wanted, found, 0, 0};
    double *values = run->w.cells;
    for (int q = 0; q < NODES; q++) {
        for (int i = 0; i < n; i++) {
            values[(size_t)q * n + i] = run->w.states[(size_t)q * width + coords[i]];
        }
    }
    memset(found, 0, sizeof *found);
    run->w.edges[0] = run->piece_t0, found->n_edges = 1;
    const Verdict verdict = look(&search, values, run->piece_t0, run->piece_t1);
    if (verdict.settled) {
        found->may_vanish = !verdict.clear;
        add_edge(&search, run->piece_t1);
    } else {
        cut(&search, values, run->piece_t0, run->piece_t1, 0);
    }
    run->stats.cells += found->cells;
    return found->unsettled || search.full ? UNDECIDED : 0;
}

/* Whether a function is positive all over the step, by the box of all coordinates in w.whole. */
int proved_clear(Run *run, int function) {
    const Function *f = run->p.functions + function;
    const int *coords = run->p.indices + f->guard_coords;
    const Tape tape = program_tape(&run->p, f->guard);
    const Interval times = {run->piece_t0, run->piece_t1};
    Work *w = &run->w;
    for (int i = 0; i < f->n_guard_coords; i++) w->box[i] = w->whole[coords[i]];
    tape_enclose(&tape, &run->widening, w->box, times, run->parameters, 1, w->enclosed,
                 w->interval_tape);
    run->stats.cells++;
    return w->enclosed[0].low > 0;
}
