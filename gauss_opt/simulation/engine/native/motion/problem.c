/* The problem (G): the nearest point within rows, its multipliers, and its certificate.

   As in qp/active_set.py and qp/certificate.py; z = L'(x - x^) is the whitened move. */
#include "../engine.h"

#include <math.h>
#include <string.h>

static int width(const Run *run) {
    const int rows = run->p.nc + run->p.nl;
    return run->p.ne + (rows < MOST_HELD ? rows : MOST_HELD);
}

static double norm(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* A row, whitened: L^-1 A'. */
static void whitened(const Run *run, const Rows *rows, int i, double *b) {
    memset(b, 0, (size_t)run->p.nv * sizeof(double));
    for (int j = rows->start[i]; j < rows->start[i + 1]; j++) b[rows->column[j]] += rows->entry[j];
    forward(run, b, b);
}

/* The lower triangle of A M^-1 A' into w.gram; the whitened rows into w.B. */
void gram_of(Run *run, const Rows *rows) {
    const int n = run->p.nv, ld = width(run), diagonal = run->p.mass_kind == MASS_DIAGONAL;
    double *gram = run->w.gram;
    for (int i = 0; i < rows->count; i++) {
        double *b = run->w.B + (size_t)i * n, *g = gram + (size_t)i * ld;
        whitened(run, rows, i, b);
        const int *pairs = run->p.pairs;
        const int all_equal = i < run->p.ne && rows->n_equal == run->p.ne;
        int from = 0, to = i + 1;
        if (diagonal && all_equal) {
            memset(g, 0, (size_t)(i + 1) * sizeof(double));
            from = run->p.pair_starts[i], to = run->p.pair_starts[i + 1];
        }
        for (int place = from; place < to; place++) {
            const int j = diagonal && all_equal ? pairs[place] : place;
            double sum = 0;
            if (diagonal) {
                for (int c = rows->start[j]; c < rows->start[j + 1]; c++) {
                    sum +=
                        rows->entry[c] * run->w.inverse_root[rows->column[c]] * b[rows->column[c]];
                }
            } else {
                const double *other = run->w.B + (size_t)j * n;
                for (int c = 0; c < n; c++) sum += b[c] * other[c];
            }
            g[j] = sum;
        }
    }
}

static double length(const Run *run, int i) {
    return sqrt(run->w.gram[(size_t)i * width(run) + i]);
}

static double gram_entry(const Run *run, int i, int j) {
    const int ld = width(run);
    return i >= j ? run->w.gram[(size_t)i * ld + j] : run->w.gram[(size_t)j * ld + i];
}

static int has_light_masses(const Run *run) {
    const int n = run->p.nv;
    const double *mass = run->p.mass_kind == MASS_FUNCTION ? run->w.out : run->p.mass;
    double least = INFINITY, most = 0;
    for (int i = 0; i < n; i++) {
        least = fmin(least, mass[(size_t)i * n + i]);
        most = fmax(most, mass[(size_t)i * n + i]);
    }
    return least < run->s.light * most;
}

/* Shares of a set of rows from their Gram matrix, or from the QR of the rows where they are not
   clearly independent. */
static int shares_of(Run *run, const int *set, int k, const double *r, double *shares) {
    Work *w = &run->w;
    const int n = run->p.nv, ld = width(run);
    if (k > n) return RANK;
    int whole = 1;
    for (int i = 0; i < k; i++) whole &= set[i] == i;
    const double *gram = w->gram;
    if (!whole) {
        for (int i = 0; i < k; i++) {
            for (int j = 0; j <= i; j++)
                w->sub[(size_t)i * ld + j] = gram_entry(run, set[i], set[j]);
        }
        gram = w->sub;
    }
    if (cholesky(gram, w->chol, k, ld, w->first) >= run->s.clearly_independent) {
        cholesky_solve(w->chol, k, ld, w->first, r, shares);
        return 0;
    }
    if (has_light_masses(run)) return RANK;
    double *scaled = w->r + ld;
    for (int i = 0; i < k; i++) {
        const double one = length(run, set[i]);
        if (!(one > run->s.shortest_row && one < run->s.longest_row)) return RANK;
        for (int c = 0; c < n; c++) w->qr[(size_t)i * n + c] = w->B[(size_t)set[i] * n + c] / one;
        scaled[i] = r[i] / one;
    }
    if (!(householder(w->qr, w->tau, w->order, n, k) >= run->s.nearly_dependent)) return RANK;
    householder_solve(w->qr, w->tau, w->order, n, k, scaled, w->a, shares);
    for (int i = 0; i < k; i++) shares[i] /= length(run, set[i]);
    return 0;
}

/* r = b - A x^ of all rows into w.r, x^ into w.free; w.gram must be there. */
static void misfits_of(Run *run, const Rows *rows, const double *load, const double *target) {
    Work *w = &run->w;
    if (target) {
        memcpy(w->free, target, (size_t)run->p.nv * sizeof(double));
    } else {
        solve_mass(run, load, w->free);
    }
    for (int i = 0; i < rows->count; i++) w->r[i] = rows->rhs[i] - row_times(rows, i, w->free);
}

static void point_of(Run *run, const Rows *rows, const double *l, double *x) {
    Work *w = &run->w;
    memset(w->total, 0, (size_t)run->p.nv * sizeof(double));
    add_transposed(rows, l, w->total);
    solve_mass(run, w->total, x);
    for (int i = 0; i < run->p.nv; i++) x[i] += w->free[i];
}

/* x and the multipliers of all rows, those of `set` held as equalities. */
int solve_rows(Run *run, Rows *rows, const int *set, int k, const double *load,
               const double *target, double *x, double *l) {
    Work *w = &run->w;
    misfits_of(run, rows, load, target);
    memset(l, 0, (size_t)rows->count * sizeof(double));
    if (!k) {
        memcpy(x, w->free, (size_t)run->p.nv * sizeof(double));
        return 0;
    }
    gram_of(run, rows);
    double *shares = w->l, *r = w->l + width(run);
    for (int i = 0; i < k; i++) r[i] = w->r[set[i]];
    const int code = shares_of(run, set, k, r, shares);
    if (code) return code;
    for (int i = 0; i < k; i++) l[set[i]] = shares[i];
    point_of(run, rows, l, x);
    return 0;
}

/* The row, not in the set, that z violates most; -1: none. */
static int most_violated(const Run *run, const Rows *rows, const double *l) {
    const Work *w = &run->w;
    double squares = 0, low = -run->s.violated;
    int found = -1;
    for (int i = 0; i < rows->count; i++) {
        for (int j = 0; j < rows->count; j++) squares += l[i] * gram_entry(run, i, j) * l[j];
    }
    const double reach = norm(w->center, run->p.nv), size = sqrt(fmax(squares, 0));
    for (int i = rows->n_equal; i < rows->count; i++) {
        if (w->in[i]) continue;
        const double one = length(run, i), r = fabs(w->r[i]);
        double slack = -w->r[i];
        for (int j = 0; j < rows->count; j++) slack += gram_entry(run, i, j) * l[j];
        const double terms = r + run->s.rhs_round_off * (r + 2 * reach * one) + size * one;
        slack /= terms + run->s.tiny;
        if (slack < low) low = slack, found = i;
    }
    return found;
}

/* Which rows carry, from an empty guess: w.in becomes the set, l their multipliers. */
static int find_set(Run *run, Rows *rows, double *l) {
    Work *w = &run->w;
    const int ne = rows->n_equal;
    memset(l, 0, (size_t)rows->count * sizeof(double));
    for (int i = 0; i < rows->count; i++) w->in[i] = i < ne;
    for (int round = 0; round < 50 + 10 * rows->count; round++) {
        const int entering = round || !ne ? most_violated(run, rows, l) : 0;
        if (entering < 0) return 0;
        w->in[entering] = 1;
        for (;;) {
            int k = 0, out = -1;
            double share = 1, *shares = w->l, *r = w->l + width(run);
            for (int i = 0; i < rows->count; i++) {
                if (w->in[i]) w->set[k] = i, r[k++] = w->r[i];
            }
            if (shares_of(run, w->set, k, r, shares)) return ACTIVE_SET;
            for (int i = 0; i < k; i++) {
                const int row = w->set[i];
                if (row < ne || shares[i] >= 0) continue;
                const double fall = l[row] - shares[i], part = fall > 0 ? l[row] / fall : 0;
                if (part < share) share = part, out = row;
            }
            for (int i = 0; i < k; i++) l[w->set[i]] += share * (shares[i] - l[w->set[i]]);
            if (out < 0) break;
            if (out == entering && share == 0) return ACTIVE_SET;
            l[out] = 0, w->in[out] = 0;
        }
    }
    return ACTIVE_SET;
}

/* The minimiser within all rows, and its multipliers where they are unique; w.in: who carries. */
int solve_problem(Run *run, Rows *rows, const double *load, const double *target, double *x,
                  double *l) {
    Work *w = &run->w;
    misfits_of(run, rows, load, target);
    forward(run, load, w->center);
    gram_of(run, rows);
    int code = find_set(run, rows, l), k = 0;
    if (code) return code;
    for (int i = 0; i < rows->count; i++) {
        if (w->in[i]) w->set[k] = i, w->l[width(run) + k++] = w->r[i];
    }
    if (k) {
        if (shares_of(run, w->set, k, w->l + width(run), w->l)) return ACTIVE_SET;
        for (int i = 0; i < k; i++) l[w->set[i]] = w->l[i];
    }
    point_of(run, rows, l, x);
    /* Multipliers are unique where all rows that hold with equality are independent. */
    for (int i = 0; i < run->p.nv; i++) w->a[i] = x[i] - w->free[i];
    times_mass(run, w->a, w->total);
    forward(run, w->total, w->z);
    const double size = norm(w->z, run->p.nv) + run->s.cancelling * norm(w->center, run->p.nv);
    int holding = 0, weak = 0;
    for (int i = 0; i < rows->count; i++) {
        const double slack = row_times(rows, i, w->a) - w->r[i], one = length(run, i);
        const int holds = i < rows->n_equal || slack <= run->s.weak * size * one;
        if (holds) w->set[holding] = i, w->l[width(run) + holding++] = 0;
        if (i < rows->n_equal) continue;
        if (l[i] > 0 && l[i] * one <= run->s.weak * size) weak = 1;
        if (holds && !w->in[i]) weak = 1;
    }
    if (weak) return ACTIVE_SET; /* neither force nor slack: who carries is a matter of round-off */
    return 0;
}

/* Whether x and l are the answer, from the data; the worst residual is noted. */
int certified(Run *run, const Rows *rows, const double *load, const double *x, const double *l) {
    Work *w = &run->w;
    const Settings *s = &run->s;
    const int n = run->p.nv;
    double squares = 0, largest = 0, worst = 0;
    times_mass(run, x, w->total);
    for (int i = 0; i < n; i++) w->total[i] -= load[i];
    forward(run, w->total, w->z);
    forward(run, load, w->center);
    const double size = norm(w->z, n), whole = size + norm(w->center, n);
    const double floor_ = s->row_floor * whole + s->tiny;
    for (int i = 0; i < rows->count; i++) {
        const double dual = l[i] * length(run, i);
        squares += dual * dual;
        if (i >= rows->n_equal) largest = fmax(largest, fabs(dual));
        for (int j = rows->start[i]; j < rows->start[i + 1]; j++) {
            w->total[rows->column[j]] -= rows->entry[j] * l[i];
        }
    }
    forward(run, w->total, w->z);
    const double gap = norm(w->z, n), terms = whole + s->cancelling * sqrt(squares);
    const double force = size + s->cancelling * (whole + largest);
    double sharp = 0;
    worst = gap == 0 ? 0 : gap / terms;
    for (int i = 0; i < rows->count; i++) {
        const double one = length(run, i), dual = l[i] * one;
        const double misfit = row_times(rows, i, x) - rows->rhs[i];
        const double relative = misfit / (fabs(rows->rhs[i]) + floor_ * one);
        if (!isfinite(relative)) return CERTIFICATE;
        if (i < rows->n_equal) {
            sharp = fmax(sharp, fabs(relative));
            continue;
        }
        sharp = fmax(sharp, -relative);
        if (dual < 0) sharp = fmax(sharp, -dual / force);
        const double product = fabs(dual * relative);
        if (product > 0) {
            worst = fmax(worst, product / (force + s->cancelling / s->row_floor * largest));
        }
    }
    worst = fmax(worst, sharp);
    if (!(worst <= s->certified) || !isfinite(gap)) return CERTIFICATE;
    if (sharp > s->sharp && rows->n_equal < rows->count) return CERTIFICATE;
    run->stats.problems++;
    run->stats.residual = fmax(run->stats.residual, worst);
    return 0;
}
