/* The memory of a run: how much it takes, and what each part of it is for. */
#include "engine.h"

typedef struct {
    char *base;
    size_t used;
} Arena;

static void *taken(Arena *arena, size_t count, size_t size) {
    void *place = arena->base ? arena->base + arena->used : NULL;
    arena->used += (count ? count : 1) * size;
    return place;
}

static double *doubles(Arena *arena, size_t count) { return taken(arena, count, sizeof(double)); }
static int *integers(Arena *arena, size_t count) { return taken(arena, count, sizeof(int)); }
static Interval *intervals(Arena *arena, size_t count) {
    return taken(arena, count, sizeof(Interval));
}

typedef struct {
    size_t tape, outputs, inputs, columns, entries, held, functions;
} Sizes;

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static Sizes sizes_of(const Program *p) {
    Sizes s = {0, 0, 0, 0, 0, 0, 0};
    for (int i = 0; i < p->n_tapes; i++) {
        const Tape tape = program_tape(p, i);
        s.tape = larger(s.tape, (size_t)tape.n_work);
        s.outputs = larger(s.outputs, (size_t)tape.n_outputs);
        s.inputs = larger(s.inputs, (size_t)tape.n_inputs);
    }
    s.functions = (size_t)(p->nc + p->nl + p->nf);
    for (size_t i = 0; i < (size_t)(p->nc + p->nl); i++) {
        s.columns = larger(s.columns, (size_t)p->functions[i].n_columns);
    }
    const size_t rows = (size_t)(p->nc + p->nl);
    s.held = (size_t)p->ne + (rows < MOST_HELD ? rows : MOST_HELD);
    s.entries = (size_t)p->starts[p->ne] + (s.held - (size_t)p->ne) * s.columns;
    s.inputs = larger(s.inputs, (size_t)(2 * p->nq + 3 * p->nv + 3));
    return s;
}

static void carve_rows(Rows *rows, Arena *d, Arena *i, const Sizes *s) {
    rows->entry = doubles(d, s->entries);
    rows->rhs = doubles(d, s->held);
    rows->value = doubles(d, s->held);
    rows->rate = doubles(d, s->held);
    rows->row = integers(i, s->held);
    rows->start = integers(i, s->held + 1);
    rows->column = integers(i, s->entries);
}

static void carve_motion(const Program *p, Work *w, Arena *d, const Sizes *s) {
    const size_t n = (size_t)p->n, nv = (size_t)p->nv;
    w->out = doubles(d, s->outputs), w->point = doubles(d, s->outputs);
    w->input = doubles(d, s->inputs), w->tape = doubles(d, s->tape);
    w->factor = doubles(d, nv * nv), w->inverse_root = doubles(d, nv);
    w->K = doubles(d, EXTENDED * n), w->F = doubles(d, 7 * n);
    w->piece = doubles(d, NODES * n), w->part = doubles(d, NODES * n);
    w->states = doubles(d, NODES * (n + 2 * nv));
    w->y1 = doubles(d, n), w->y2 = doubles(d, n), w->f0 = doubles(d, n), w->f1 = doubles(d, n);
    w->f2 = doubles(d, n), w->stage = doubles(d, n), w->error3 = doubles(d, n),
    w->error5 = doubles(d, n);
    w->scale0 = doubles(d, n), w->scale1 = doubles(d, n);
    w->way = doubles(d, WAY * (2 + NODES * n));
    w->cells = doubles(d, (LEVELS + 2) * NODES * s->inputs);
    w->edges = doubles(d, MOST_EDGES), w->gaps = doubles(d, MOST_EDGES);
    w->slopes = doubles(d, MOST_EDGES);
}

static void carve_problems(const Program *p, Work *w, Arena *d, const Sizes *s) {
    const size_t nv = (size_t)p->nv, m = (size_t)p->m, k = s->held, size = nv + k;
    double **vectors[] = {&w->free, &w->load, &w->z,  &w->a,     &w->center,
                          &w->x,    &w->v1,   &w->v2, &w->total, &w->sizes};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = doubles(d, nv);
    double **by_row[] = {&w->multipliers, &w->rates, &w->impulses, &w->slow, &w->lengths, &w->when};
    for (size_t i = 0; i < sizeof by_row / sizeof *by_row; i++) *by_row[i] = doubles(d, m + k);
    w->B = doubles(d, k * nv), w->gram = doubles(d, k * k), w->chol = doubles(d, k * k);
    w->sub = doubles(d, k * k), w->qr = doubles(d, k * nv), w->tau = doubles(d, k + nv);
    w->r = doubles(d, 2 * k), w->l = doubles(d, 2 * k);
    w->K_center = doubles(d, size * size), w->K_radius = doubles(d, size * size);
    w->K_inverse = doubles(d, size * size), w->K_work = doubles(d, 2 * size * size + 8 * size);
}

static void carve_integers(const Program *p, Work *w, Arena *i, const Sizes *s) {
    const size_t m = (size_t)p->m, k = s->held;
    int **by_problem[] = {&w->first, &w->set, &w->in, &w->order, &w->held};
    for (size_t j = 0; j < sizeof by_problem / sizeof *by_problem; j++) {
        *by_problem[j] = integers(i, k + (size_t)p->nv);
    }
    int **by_row[] = {&w->status1, &w->closing, &w->touching, &w->taking, &w->touched, &w->graze};
    for (size_t j = 0; j < sizeof by_row / sizeof *by_row; j++) *by_row[j] = integers(i, m);
}

static void carve(const Program *p, Work *w, Arena *d, Arena *i) {
    const Sizes s = sizes_of(p);
    carve_motion(p, w, d, &s);
    carve_problems(p, w, d, &s);
    w->box = intervals(d, s.inputs), w->whole = intervals(d, (size_t)(p->nq + 3 * p->nv));
    w->enclosed = intervals(d, s.outputs), w->interval_tape = intervals(d, s.tape);
    carve_integers(p, w, i, &s);
    carve_rows(&w->rows, d, i, &s);
    carve_rows(&w->others, d, i, &s);
}

/* How many doubles and integers a run of this program takes. */
void workspace_sizes(const Program *p, size_t *n_doubles, size_t *n_integers) {
    Work unused;
    Arena d = {NULL, 0}, i = {NULL, 0};
    carve(p, &unused, &d, &i);
    *n_doubles = d.used / sizeof(double), *n_integers = i.used / sizeof(int);
}

void workspace_carve(Run *run, double *doubles_, int *integers_) {
    Arena d = {(char *)doubles_, 0}, i = {(char *)integers_, 0};
    carve(&run->p, &run->w, &d, &i);
}
