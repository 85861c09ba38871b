/* What the parts of the engine share: the program, the settings, the state of a run, its memory.

   All memory belongs to the caller. Nothing is allocated, nothing is global: runs in several
   threads share the program alone, which nobody writes into. */
#ifndef GAUSS_OPT_ENGINE_H
#define GAUSS_OPT_ENGINE_H

#include <stddef.h>
#include <stdint.h>

#include "tape/interval.h"
#include "tape/tape.h"

#define NODES 8     /* Chebyshev points of a piece of dense output */
#define STAGES 12   /* of a step of DOP853 */
#define EXTENDED 16 /* with those that dense output takes */
#define CUTS 8      /* parts that a cell is cut into */
#define LEVELS 16   /* how deep a step can be cut */
#define MOST_EDGES 4200
#define MOST_HELD 64 /* inequality rows in one problem */
#define WAY 8        /* pieces of the way to one event */
#define LATE 40      /* steps of the segment that are looked back on */

/* Why a run returns. All but the first two: the state is that of the last accepted step, and what
   comes next is for the reference stepper. The order is that of engine/codes.py. */
enum Code {
    DONE,
    FULL,
    GRAZE,
    SMALL_STEP,
    RANK,
    CERTIFICATE,
    ACTIVE_SET,
    ACCUMULATION,
    NOT_FINITE,
    UNDECIDED,
    LIMIT_REACHED,
    IRREGULAR,
    JUMPED,
    MASS,
    MANY_ROWS,
    IDLE,
    RELEASE_FIRST,
    NO_HEADWAY,
    ENERGY_GAIN,
    NONLINEAR,
    RISEN,
    HIDDEN,
    N_CODES
};

/* How a row stands, as in event_driven/contact_status.py. */
enum Status { ABSENT, OPEN, LEAVING, RESTING, CARRYING };

enum Law { NEWTON, POISSON, SEQUENTIAL };

enum MassKind { MASS_DIAGONAL, MASS_CONSTANT, MASS_FUNCTION };

enum { HOLDS_POSITION = 1, HOLDS_VELOCITY = 2, ON_VELOCITY = 4 };

/* An inequality row, or a function whose zeros are not to be missed. */
typedef struct {
    int point, coords, n_coords, columns, n_columns, guard, guard_coords, n_guard_coords;
} Function;

typedef struct {
    int nq, nv, np, ne, nc, nl, nf, mass_kind, has_kinematics, n_tapes, hidden;
    int n;            /* nq + nv */
    int m;            /* rows of constraints: ne + nc + nl */
    const int *tapes; /* (n_tapes, 8) */
    const Instruction *code;
    const double *constants;
    const int *starts, *columns;    /* of the equality rows: where each begins, and its columns */
    const int *kinds;               /* of the equality rows: what each holds */
    const int *pair_starts, *pairs; /* for each equality row the earlier ones that share a column */
    const Function *functions;      /* contacts, velocity limits, then user functions */
    const int *indices;             /* coordinates and columns of functions */
    const double *mass;             /* (nv, nv), where it is constant */
    int at_force, at_qdot, at_map, at_entries, at_rhs, at_value,
        at_rate; /* in the smooth outputs */
} Program;

/* In the order of engine/constants.py. */
typedef struct {
    double t1, time_scale, rtol, max_step, closure, certified, fixed_length,
        user_atol, keep_rows, law, max_collisions, max_steps, max_events;
    double at_the_start, round_off, simultaneous, long_run, atol_by_rtol, atol_floor, drift, jump,
        jump_by_rtol, exact_output, graze, inside, newton_step, slow, slow_in_impact, accumulated,
        no_force, same_acceleration, beside_contact, no_gradient, next_to_nothing, tiny, adjacent_times, finest_time,
        asked_again, coefficient_noise, ulp, least_logarithm, shortest_part, clearly_independent,
        nearly_dependent, violated, rhs_round_off, row_floor, cancelling, weak, sharp, light,
        suspect_pivot, shortest_row, longest_row, motion_floor, energy_gain, impact_converged,
        same_rows, returned_underflow, left_approach, approach_round_off, tied_approach,
        product_round_off;
} Settings;

/* Coefficients of DOP853 and of Chebyshev interpolation, in this order. */
typedef struct {
    const double *A, *B, *C, *E3, *E5, *D; /* (16, 16), 12, 16, 13, 13, (4, 16) */
    const double *basis;                   /* (8, 7) */
    const double *nodes, *weights;         /* 8 each */
    const double *slope;                   /* (8, 8): differentiation */
    const double *cutting;                 /* (64, 8) */
    const double *coefficients;            /* (9, 8): the last row is the value in the middle */
} Tables;

/* Rows of a problem, by their nonzeros. */
typedef struct {
    int count, n_equal;
    int *row; /* which row of the program each is */
    int *start, *column;
    double *entry, *rhs, *value, *rate;
} Rows;

/* Places in `counts` of a state. */
enum Count {
    IN_SEGMENT,
    NEXT_CHOSEN,
    STEPS_BEFORE,
    EVENTS_BEFORE,
    LATE_STEPS,  /* of the segment, so far */
    NEW_PIECES,  /* of the segment, in this call */
    NEW_SEGMENT, /* whether one has ended in this call */
    N_COUNTS
};
/* And in `numbers`. */
enum Number { TIME, NEXT_STEP, LAST_EVENT, QUIET, LATE_LENGTHS, N_NUMBERS = LATE_LENGTHS + LATE };

/* Where a run is; each pointer is into an array of the caller. */
typedef struct {
    double *numbers; /* t, next step (negative: none), last event, quiet, lengths of late steps */
    double *y, *scale, *atol, *struck, *rates;
    int *counts;
    int *status, *low, *closed;
} State;

/* What has come of it. */
typedef struct {
    double *rows, *pieces, *events;
    int *row_status; /* status of the rows of each piece, (pieces, m) */
    int *event_rows; /* kind, row of the result, contacts that took part: (events, 2 + m) */
    int most_rows, most_pieces, most_events;
    int n_rows, n_pieces, n_events;
    int row_width, piece_width, event_width;
} Out;

typedef struct {
    double steps, rhs, impacts, problems, projections, cells, residual, drift, penetration;
} Stats;

typedef struct {
    double *out, *point, *input, *tape, *factor, *inverse_root;
    double *K, *y1, *f0, *f1, *stage, *error3, *error5, *F, *piece, *part, *states;
    double *y2, *scale0, *scale1, *free, *load, *z, *a, *center, *x, *multipliers, *rates,
        *impulses;
    double *sizes, *B, *gram, *chol, *r, *l, *sub, *qr, *tau;
    double *cells, *edges, *gaps, *slopes, *when, *f2, *slow, *lengths, *v1, *v2, *total;
    double *way, *K_center, *K_radius, *K_inverse, *K_work;
    int *first, *set, *in, *order, *status1, *closing, *touching, *taking, *held, *touched, *graze;
    Interval *box, *enclosed, *interval_tape, *whole;
    Rows rows, others;
} Work;

typedef struct {
    Program p;
    Settings s;
    Tables tables;
    State state;
    Out out;
    Stats stats;
    Work w;
    Widening widening;
    const double *parameters, *restitution, *chosen_times, *breakpoints, *user_atol;
    int n_chosen, n_breakpoints;
    double piece_t0, piece_t1; /* the times of the piece in w.piece */
} Run;

/* program.c */
Tape program_tape(const Program *p, int number);
const char *program_fault(Program *p, const int *header, ptrdiff_t n_code, ptrdiff_t n_constants,
                          ptrdiff_t n_columns, ptrdiff_t n_pairs, ptrdiff_t n_indices);

/* workspace.c */
void workspace_sizes(const Program *p, size_t *doubles, size_t *ints);
void workspace_carve(Run *run, double *doubles, int *ints);

/* motion/system.c */
int system_at(Run *run, double t, const double *y);
void rows_equal(Run *run, Rows *rows, int need);
int rows_held(Run *run, Rows *rows, const int *status, int least, double t, const double *y);
int rows_append(Run *run, Rows *rows, int function, double t, const double *y);
double row_times(const Rows *rows, int i, const double *x);
void add_transposed(const Rows *rows, const double *l, double *f);
void function_point(Run *run, int function, double t, const double *y, double *out);
void solve_mass(const Run *run, const double *f, double *x);
void times_mass(const Run *run, const double *x, double *f);
void forward(const Run *run, const double *f, double *z);
int row_kind(const Program *p, int row);
double size_of_entries(const Run *run, const int *columns, const double *entries, int count,
                       const double *sizes, double motion);
double motion_of(const Run *run, const double *sizes);
const double *position_sizes(Run *run, const double *scale);
double length_of(Run *run, const Rows *rows, int i, const double *scale);
double speed_of(Run *run, const Rows *rows, int i, const double *scale, const double *v);
int prepare_mass(Run *run);

/* motion/linear.c */
double cholesky(const double *gram, double *factor, int k, int ld, int *first);
void cholesky_solve(const double *factor, int k, int ld, const int *first, const double *b,
                    double *x);
double householder(double *columns, double *tau, int *order, int n, int k);
void householder_solve(const double *columns, const double *tau, const int *order, int n, int k,
                       const double *b, double *z, double *x);
int invert(double *matrix, double *inverse, int n);

/* motion/problem.c */
int solve_rows(Run *run, Rows *rows, const int *set, int k, const double *load,
               const double *target, double *x, double *l);
int solve_problem(Run *run, Rows *rows, const double *load, const double *target, double *x,
                  double *l);
int certified(Run *run, const Rows *rows, const double *load, const double *x, const double *l);
void gram_of(Run *run, const Rows *rows);

/* motion/motion.c */
int derivative(Run *run, double t, const double *y, double *f);
int held_motion(Run *run, double t, const double *y, const int *status);
int accelerate(Run *run, double t, const double *y, const int *status);
double drift_of(Run *run, const Rows *rows, const double *scale, const double *v, double *position,
                double *velocity);
int project(Run *run, double t, double *y, const int *status, const double *scale,
            double tolerance);

/* motion/dop853.c */
double first_step(Run *run, double t, const double *y, const double *f, double bound);
int take_step(Run *run, double t, const double *y, double bound, double h, double *t1,
              double *next);
int may_hide(Run *run);
int dense_output(Run *run, double t, const double *y, double t1, double *piece);

/* motion/piece.c */
void piece_at(const Run *run, double t, int n, double *y);
void piece_at_some(const Run *run, double t, const int *coords, int k, double *y);
void piece_until(const Run *run, double t, double *values);
void piece_states(Run *run);
void cut_values(const Run *run, const double *parent, int n, int part, double *values);
void bounds_of(const Run *run, const double *values, int n, Interval *box, double *middle);

/* events/guards.c */
typedef struct {
    double noise, until;
    int first_only;
} Wanted;
typedef struct {
    int n_edges, may_vanish, unsettled, cells;
} Partition;
int partition(Run *run, int function, Wanted wanted, Partition *found);
int proved_clear(Run *run, int function);

/* events/roots.c */
typedef struct {
    double t;
    int found, graze;
} Crossing;
double sign_change(double f(void *, double), void *of, const Settings *s, double t0, double t1,
                   double f0, double f1);
Crossing first_crossing(Run *run, int function, const double *t, const double *g, const double *r,
                        int count, double noise, int leaving);
void gap_and_rate(Run *run, int function, double t, double *gap, double *rate);

/* events/detection.c */
int first_closing(Run *run, double *t, int *count);
double resolution(const Run *run, double t);

/* events/pressing.c */
int first_release(Run *run, double t1, double *t, int *count);

/* events/impacts.c */
int collide(Run *run, double t, const double *y, const int *taking, int k, double *v1,
            double *impulses);

/* events/response.c */
int through_contact(Run *run, double t, int count);
int let_go(Run *run, double t, int count);

/* events/arrival.c */
int arrive(Run *run, double *t, int row, int *n_pieces);
int irregular(Run *run, int function, double t);

/* recording.c */
int record_row(Run *run, double t, const double *y, int far_side);
int record_piece(Run *run);
double *new_event(Run *run, int kind, double t, const double *q, const double *v0, const double *v1,
                  int **took_part);

/* run.c */
int engine_run(Run *run);

#endif
