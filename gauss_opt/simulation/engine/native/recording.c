/* What a run leaves behind: rows, dense output and events, in arrays of the caller. */
#include "engine.h"

#include <string.h>

static double *put(double *to, const double *from, int count) {
    memcpy(to, from, (size_t)count * sizeof(double));
    return to + count;
}

/* A row: t, q, v, a, M a - Q, multipliers, for the answer in w.x and w.multipliers at the state of
   w.out. The near side of an event is not stored twice. */
int record_row(Run *run, double t, const double *y, int far_side) {
    const Program *p = &run->p;
    Work *w = &run->w;
    Out *out = &run->out;
    double *row = out->rows + (size_t)out->n_rows * out->row_width;
    if (!far_side && out->n_rows && *(row - out->row_width) == t) return 0;
    if (out->n_rows == out->most_rows) return FULL;
    *row++ = t;
    row = put(row, y, p->n);
    row = put(row, w->x, p->nv);
    times_mass(run, w->x, row);
    for (int i = 0; i < p->nv; i++) row[i] -= w->out[p->at_force + i];
    row += p->nv;
    memset(row, 0, (size_t)p->m * sizeof(double));
    for (int i = 0; i < w->rows.count; i++) row[w->rows.row[i]] = w->multipliers[i];
    out->n_rows++;
    return 0;
}

/* Rows at the chosen times of the piece. */
static int record_chosen(Run *run) {
    const double t0 = run->piece_t0, t1 = run->piece_t1;
    int *next = &run->state.counts[NEXT_CHOSEN];
    double *y = run->w.y2;
    for (; *next < run->n_chosen && run->chosen_times[*next] <= t1; (*next)++) {
        const double t = run->chosen_times[*next];
        if (!((t0 < t && t < t1) || (t == t1 && t1 != run->s.t1))) continue;
        piece_at(run, t, run->p.n, y);
        int code = project(run, t, y, run->state.status, run->state.scale, run->s.round_off);
        if (!code) code = accelerate(run, t, y, run->state.status);
        if (!code) code = record_row(run, t, y, 0);
        if (code) return code;
    }
    return 0;
}

/* The piece in w.piece, with the rows that were held meanwhile, and what falls on chosen times. */
int record_piece(Run *run) {
    const Program *p = &run->p;
    Out *out = &run->out;
    if (out->n_pieces == out->most_pieces) return FULL;
    double *piece = out->pieces + (size_t)out->n_pieces * out->piece_width;
    piece[0] = run->piece_t0, piece[1] = run->piece_t1;
    put(piece + 2, run->w.piece, NODES * p->n);
    memcpy(out->row_status + (size_t)out->n_pieces * p->m, run->state.status,
           (size_t)p->m * sizeof(int));
    out->n_pieces++;
    return record_chosen(run);
}

/* A new event: t, four numbers still to be set, q, v before and after, impulses; NULL: no room. */
double *new_event(Run *run, int kind, double t, const double *q, const double *v0, const double *v1,
                  int **took_part) {
    const Program *p = &run->p;
    Out *out = &run->out;
    if (out->n_events == out->most_events) return NULL;
    double *event = out->events + (size_t)out->n_events * out->event_width;
    int *rows = out->event_rows + (size_t)out->n_events * (2 + p->m);
    memset(event, 0, (size_t)out->event_width * sizeof(double));
    memset(rows, 0, (size_t)(2 + p->m) * sizeof(int));
    event[0] = t, rows[0] = kind, rows[1] = out->n_rows;
    put(put(put(event + 4, q, p->nq), v0, p->nv), v1, p->nv);
    *took_part = rows + 2;
    out->n_events++;
    return event;
}
