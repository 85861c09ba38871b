/* The system at a state: mass, load and rows from the tapes, and the scales of rows. */
#include "../engine.h"

#include <math.h>
#include <string.h>

/* The factor of a dense mass, row after row. MASS: it is not safely positive definite. */
static int factorise(const double *mass, double *factor, int n, double suspect) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = mass[(size_t)i * n + j];
            for (int c = 0; c < j; c++)
                sum -= factor[(size_t)i * n + c] * factor[(size_t)j * n + c];
            if (j < i) {
                factor[(size_t)i * n + j] = sum / factor[(size_t)j * n + j];
            } else if (!(sum > suspect * mass[(size_t)i * n + i])) {
                return MASS;
            } else {
                factor[(size_t)i * n + i] = sqrt(sum);
            }
        }
    }
    return 0;
}

int prepare_mass(Run *run) {
    const Program *p = &run->p;
    const int n = p->nv;
    for (int i = 0; i < n; i++) {
        const double inertia = p->mass[(size_t)i * n + i];
        if (p->mass_kind == MASS_DIAGONAL && !(inertia > 0)) return MASS;
        run->w.inverse_root[i] = 1 / sqrt(inertia);
    }
    if (p->mass_kind != MASS_CONSTANT) return 0;
    return factorise(p->mass, run->w.factor, n, run->s.suspect_pivot);
}

/* Everything but the inequality rows, into w.out. */
int system_at(Run *run, double t, const double *y) {
    const Tape tape = program_tape(&run->p, 0);
    tape_run(&tape, y, t, run->parameters, run->w.out, run->w.tape);
    if (run->p.mass_kind != MASS_FUNCTION) return 0;
    return factorise(run->w.out, run->w.factor, run->p.nv, run->s.suspect_pivot);
}

static const double *mass_of(const Run *run) {
    return run->p.mass_kind == MASS_FUNCTION ? run->w.out : run->p.mass;
}

static int is_diagonal(const Run *run) { return run->p.mass_kind == MASS_DIAGONAL; }

/* z = L^-1 f with M = L L'. */
void forward(const Run *run, const double *f, double *z) {
    const int n = run->p.nv;
    const double *factor = run->w.factor;
    for (int i = 0; i < n; i++) {
        if (is_diagonal(run)) {
            z[i] = f[i] * run->w.inverse_root[i];
            continue;
        }
        double sum = f[i];
        for (int j = 0; j < i; j++) sum -= factor[(size_t)i * n + j] * z[j];
        z[i] = sum / factor[(size_t)i * n + i];
    }
}

/* x = M^-1 f; both may be the same. */
void solve_mass(const Run *run, const double *f, double *x) {
    const int n = run->p.nv;
    const double *factor = run->w.factor;
    if (is_diagonal(run)) {
        for (int i = 0; i < n; i++) x[i] = f[i] / run->p.mass[(size_t)i * n + i];
        return;
    }
    forward(run, f, x);
    for (int i = n - 1; i >= 0; i--) {
        x[i] /= factor[(size_t)i * n + i];
        for (int j = 0; j < i; j++) x[j] -= factor[(size_t)i * n + j] * x[i];
    }
}

void times_mass(const Run *run, const double *x, double *f) {
    const int n = run->p.nv;
    const double *mass = mass_of(run);
    for (int i = 0; i < n; i++) {
        if (is_diagonal(run)) {
            f[i] = mass[(size_t)i * n + i] * x[i];
            continue;
        }
        double sum = 0;
        for (int j = 0; j < n; j++) sum += mass[(size_t)i * n + j] * x[j];
        f[i] = sum;
    }
}

/* Rows */

int row_kind(const Program *p, int row) {
    if (row < p->ne) return p->kinds[row];
    return row < p->ne + p->nc ? HOLDS_POSITION | HOLDS_VELOCITY : HOLDS_VELOCITY | ON_VELOCITY;
}

/* The equality rows at the state of w.out, all of them or those of a kind. */
void rows_equal(Run *run, Rows *rows, int need) {
    const Program *p = &run->p;
    const double *out = run->w.out;
    int count = 0, end = 0;
    for (int i = 0; i < p->ne; i++) {
        if (need && !(p->kinds[i] & need)) continue;
        const int begin = p->starts[i], length = p->starts[i + 1] - begin;
        memcpy(rows->entry + end, out + p->at_entries + begin, (size_t)length * sizeof(double));
        memcpy(rows->column + end, p->columns + begin, (size_t)length * sizeof(int));
        rows->row[count] = i, rows->start[count] = end, end += length;
        rows->rhs[count] = out[p->at_rhs + i];
        rows->value[count] = out[p->at_value + i], rows->rate[count] = out[p->at_rate + i];
        count++;
    }
    rows->start[count] = end, rows->count = rows->n_equal = count;
}

/* Value, rate, right-hand side and entries of one inequality row. */
void function_point(Run *run, int function, double t, const double *y, double *out) {
    const Function *f = run->p.functions + function;
    const int *coords = run->p.indices + f->coords;
    double *input = run->w.input;
    for (int i = 0; i < f->n_coords; i++) input[i] = y[coords[i]];
    const Tape tape = program_tape(&run->p, f->point);
    tape_run(&tape, input, t, run->parameters, out, run->w.tape);
}

int rows_append(Run *run, Rows *rows, int function, double t, const double *y) {
    const Function *f = run->p.functions + function;
    const int count = rows->count, end = rows->start[count];
    const int room = run->p.nc + run->p.nl < MOST_HELD ? run->p.nc + run->p.nl : MOST_HELD;
    if (count >= run->p.ne + room) return MANY_ROWS;
    double *point = run->w.point;
    function_point(run, function, t, y, point);
    rows->value[count] = point[0], rows->rate[count] = point[1], rows->rhs[count] = point[2];
    memcpy(rows->entry + end, point + 3, (size_t)f->n_columns * sizeof(double));
    memcpy(rows->column + end, run->p.indices + f->columns, (size_t)f->n_columns * sizeof(int));
    rows->row[count] = run->p.ne + function;
    rows->start[count + 1] = end + f->n_columns, rows->count++;
    return 0;
}

/* The equality rows and the others whose status is at least `least`. */
int rows_held(Run *run, Rows *rows, const int *status, int least, double t, const double *y) {
    const Program *p = &run->p;
    rows_equal(run, rows, 0);
    for (int i = 0; i < p->nc + p->nl; i++) {
        if (status[p->ne + i] < least) continue;
        const int code = rows_append(run, rows, i, t, y);
        if (code) return code;
    }
    return 0;
}

double row_times(const Rows *rows, int i, const double *x) {
    double sum = 0;
    for (int j = rows->start[i]; j < rows->start[i + 1]; j++)
        sum += rows->entry[j] * x[rows->column[j]];
    return sum;
}

void add_transposed(const Rows *rows, const double *l, double *f) {
    for (int i = 0; i < rows->count; i++) {
        if (l[i] == 0) continue;
        for (int j = rows->start[i]; j < rows->start[i + 1]; j++) {
            f[rows->column[j]] += rows->entry[j] * l[i];
        }
    }
}

/* Scales, as in mechanics/consistency/projection.py */

/* The size of positions on the velocity coordinates. */
const double *position_sizes(Run *run, const double *scale) {
    if (run->p.nq == run->p.nv) return scale;
    double largest = 0;
    for (int i = 0; i < run->p.nq; i++) largest = fmax(largest, scale[i]);
    for (int i = 0; i < run->p.nv; i++) run->w.sizes[i] = largest;
    return run->w.sizes;
}

double motion_of(const Run *run, const double *sizes) {
    const double *mass = mass_of(run);
    const int n = run->p.nv;
    double sum = 0;
    for (int i = 0; i < n; i++) sum += mass[(size_t)i * n + i] * (sizes[i] * sizes[i]);
    return sqrt(sum);
}

double size_of_entries(const Run *run, const int *columns, const double *entries, int count,
                       const double *sizes, double motion) {
    const double *mass = mass_of(run);
    const int n = run->p.nv;
    double sum = 0, squares = 0;
    for (int j = 0; j < count; j++) {
        const double inertia = mass[(size_t)columns[j] * n + columns[j]];
        sum += fabs(entries[j]) * sizes[columns[j]];
        if (inertia > 0) squares += entries[j] * entries[j] / inertia;
    }
    return sum + run->s.motion_floor * motion * sqrt(squares);
}

static double size_of_row(Run *run, const Rows *rows, int i, const double *sizes) {
    const int begin = rows->start[i], count = rows->start[i + 1] - begin;
    return size_of_entries(run, rows->column + begin, rows->entry + begin, count, sizes,
                           motion_of(run, sizes));
}

/* Size of the terms that the value of a row is made of. */
double length_of(Run *run, const Rows *rows, int i, const double *scale) {
    return size_of_row(run, rows, i, position_sizes(run, scale));
}

/* Size of the terms that its rate is made of. */
double speed_of(Run *run, const Rows *rows, int i, const double *scale, const double *v) {
    const double offset = rows->rate[i] - row_times(rows, i, v);
    return size_of_row(run, rows, i, scale + run->p.nq) + fabs(offset);
}
