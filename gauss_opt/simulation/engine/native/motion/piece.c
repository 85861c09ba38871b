/* Dense output: the polynomial of a step through its values at Chebyshev points. */
#include "../engine.h"

#include <math.h>
#include <string.h>

/* Shares of the nodes in the value at a time; the place of the node that it falls on, or -1. */
static int shares_at(const Run *run, double t, double *shares) {
    const double span = run->piece_t1 - run->piece_t0;
    double x = span != 0 ? (t - run->piece_t0) / span : 0, sum = 0;
    if (!(fabs(x) > run->s.at_the_start)) x = 0;
    for (int q = 0; q < NODES; q++) {
        const double distance = x - run->tables.nodes[q];
        if (distance == 0) return q;
        shares[q] = run->tables.weights[q] / distance, sum += shares[q];
    }
    for (int q = 0; q < NODES; q++) shares[q] /= sum;
    return -1;
}

/* The first n entries of the state at a time. */
void piece_at(const Run *run, double t, int n, double *y) {
    double shares[NODES];
    const int node = shares_at(run, t, shares), width = run->p.n;
    const double *piece = run->w.piece;
    for (int i = 0; i < n; i++) {
        if (node >= 0) {
            y[i] = piece[(size_t)node * width + i];
            continue;
        }
        double sum = 0;
        for (int q = 0; q < NODES; q++) sum += shares[q] * piece[(size_t)q * width + i];
        y[i] = sum;
    }
}

/* Some entries of it, side by side. */
void piece_at_some(const Run *run, double t, const int *coords, int k, double *y) {
    double shares[NODES];
    const int node = shares_at(run, t, shares), width = run->p.n;
    const double *piece = run->w.piece;
    for (int j = 0; j < k; j++) {
        const int i = coords[j];
        if (node >= 0) {
            y[j] = piece[(size_t)node * width + i];
            continue;
        }
        double sum = 0;
        for (int q = 0; q < NODES; q++) sum += shares[q] * piece[(size_t)q * width + i];
        y[j] = sum;
    }
}

/* The values at the nodes of the part that ends at t. */
void piece_until(const Run *run, double t, double *values) {
    const size_t width = (size_t)run->p.n;
    memcpy(values, run->w.piece, width * sizeof(double));
    for (int q = 1; q < NODES; q++) {
        const double to =
            q == NODES - 1 ? t : run->piece_t0 + (t - run->piece_t0) * run->tables.nodes[q];
        piece_at(run, to, run->p.n, values + (size_t)q * width);
    }
}

/* (q, v, v', v'') at the nodes, side by side, into w.states. */
void piece_states(Run *run) {
    const int n = run->p.n, nq = run->p.nq, nv = run->p.nv, width = n + 2 * nv;
    const double span = run->piece_t1 - run->piece_t0;
    double *states = run->w.states;
    for (int q = 0; q < NODES; q++) {
        memcpy(states + (size_t)q * width, run->w.piece + (size_t)q * n,
               (size_t)n * sizeof(double));
    }
    for (int from = nq; from < n + nv; from += nv) {
        for (int q = 0; q < NODES; q++) {
            double *slope = states + (size_t)q * width + from + nv;
            memset(slope, 0, (size_t)nv * sizeof(double));
            for (int r = 0; r < NODES; r++) {
                const double d = run->tables.slope[q * NODES + r] / span;
                const double *value = states + (size_t)r * width + from;
                for (int i = 0; i < nv; i++) slope[i] += d * value[i];
            }
        }
    }
}

/* One of the equal parts of some polynomials, (NODES, n) each. */
void cut_values(const Run *run, const double *parent, int n, int part, double *values) {
    for (int q = 0; q < NODES; q++) {
        const double *shares = run->tables.cutting + (size_t)(part * NODES + q) * NODES;
        double *value = values + (size_t)q * n;
        memset(value, 0, (size_t)n * sizeof(double));
        for (int r = 0; r < NODES; r++) {
            if (shares[r] == 0) continue;
            for (int i = 0; i < n; i++) value[i] += shares[r] * parent[(size_t)r * n + i];
        }
    }
}

/* The box that polynomials stay in, from their Chebyshev coefficients; `middle` may be NULL. */
void bounds_of(const Run *run, const double *values, int n, Interval *box, double *middle) {
    const double *to = run->tables.coefficients;
    for (int i = 0; i < n; i++) {
        double center = 0, reach = 0;
        for (int c = 0; c <= NODES; c++) {
            double sum = 0;
            if (c == NODES && !middle) break;
            for (int q = 0; q < NODES; q++) sum += to[c * NODES + q] * values[(size_t)q * n + i];
            if (c == 0)
                center = sum;
            else if (c < NODES)
                reach += fabs(sum);
            else
                middle[i] = sum;
        }
        reach += run->s.coefficient_noise * (fabs(center) + reach);
        box[i].low = center - reach, box[i].high = center + reach;
    }
}

/* Whether the step may have passed over something: it is not smooth on its scale. */
int may_hide(Run *run) {
    const int n = run->p.n;
    double smooth, *input = run->w.input;
    if (!run->p.hidden) return 0;
    bounds_of(run, run->w.piece, n, run->w.whole, NULL);
    for (int i = 0; i < n; i++) {
        input[i] = run->w.whole[i].low, input[n + i] = run->w.whole[i].high;
    }
    input[2 * n] = run->piece_t0, input[2 * n + 1] = run->piece_t1;
    input[2 * n + 2] = 0.5 * (run->piece_t0 + run->piece_t1);
    const Tape tape = program_tape(&run->p, run->p.hidden);
    tape_run(&tape, input, 0, run->parameters, &smooth, run->w.tape);
    return !(smooth > 0);
}
